//! The server's libraries have the same features in a build of the server and in a build of the whole workspace, so that
//! `cargo test --workspace` compiles nothing again that `cargo run` has compiled. `server/features` enables them.

use std::collections::HashSet;
use std::process::Command;

/// Libraries of which `cargo tree` also lists what procedural macros use.
const OF_MACROS: [&str; 1] = ["hashbrown"];

#[test]
fn the_server_and_the_workspace_share_libraries() {
    let workspace = libraries(&["--workspace", "--edges=normal,dev,no-proc-macro"]);
    let server = libraries(&["--package=itinerary-server", "--edges=normal,no-proc-macro"]);
    assert!(server.len() > 100, "{}", server.len());
    let is_compared = |library: &&String| !OF_MACROS.iter().any(|name| library.starts_with(&format!("{name} ")));
    let mut missing: Vec<_> = server.difference(&workspace).filter(is_compared).collect();
    missing.sort_unstable();
    assert!(missing.is_empty(), "add to server/features what the workspace enables in: {missing:#?}");
}

/// Each library of a build, with its version and features.
fn libraries(selection: &[&str]) -> HashSet<String> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--offline", "--prefix=none", "--format={p} {f}"])
        .args(selection)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("text");
    text.lines().map(|line| line.trim_end_matches(" (*)").to_owned()).collect()
}
