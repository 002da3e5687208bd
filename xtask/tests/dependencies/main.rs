//! Every dependency of every package of the workspace is used, because each one adds to build times.
//!
//! A dependency counts as used if a path begins with its name: `name::…`. A dependency that is needed only for its
//! features is listed in its package's manifest under `package.metadata.features-only`.

mod features;
mod layers;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

#[test]
fn every_dependency_is_used() {
    let mut unused = Vec::new();
    for package in packages() {
        let sources = Sources::of(&package);
        let exempt = package["metadata"]["features-only"].as_array().cloned().unwrap_or_default();
        for dependency in package["dependencies"].as_array().expect("a list") {
            // A dependency that only tests use must be a dev-dependency.
            let text = if dependency["kind"] == "dev" { &sources.all } else { &sources.shipped };
            if !exempt.contains(&dependency["name"]) && !is_used(text, &identifier(dependency)) {
                unused.push(format!("{}: {}", package["name"], dependency["name"]));
            }
        }
    }
    assert!(unused.is_empty(), "dependencies that nothing uses: {unused:#?}");
}

#[test]
fn a_name_is_used_where_a_path_begins_with_it() {
    for text in ["use http::Uri;", "pub use http::{self};", "fn f(uri: &http::Uri)", "#[http::main]"] {
        assert!(is_used(text, "http"), "{text}");
    }
    for text in ["use self::http::Uri;", "use my_http::Uri;", "let http = 1;", "// http::Uri", "/// [`http::Uri`]"] {
        assert!(!is_used(text, "http"), "{text}");
    }
}

/// The packages of the workspace, as cargo describes them.
fn packages() -> Vec<Value> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--format-version=1"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    metadata["packages"].as_array().expect("a list").clone()
}

/// The name in code.
fn identifier(dependency: &Value) -> String {
    let name = dependency["rename"].as_str().or(dependency["name"].as_str()).expect("a name");
    name.replace('-', "_")
}

fn is_used(text: &str, name: &str) -> bool {
    let path = format!("{name}::");
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    code.flat_map(|line| line.match_indices(&path).map(|(at, _)| &line[..at])).any(|before| {
        let inside = |character: char| character.is_alphanumeric() || character == '_' || character == ':';
        !before.ends_with(inside)
    })
}

/// The code of a package.
#[derive(Default)]
struct Sources {
    /// The code of its library and its programs.
    shipped: String,
    /// Also tests, examples and benchmarks.
    all: String,
}

impl Sources {
    fn of(package: &Value) -> Self {
        let mut sources = Self::default();
        for target in package["targets"].as_array().expect("a list") {
            let root = Path::new(target["src_path"].as_str().expect("a path"));
            let text = text_below(root.parent().expect("a folder"));
            if target["kind"]
                .as_array()
                .is_some_and(|kinds| kinds.iter().any(|kind| kind == "lib" || kind == "proc-macro" || kind == "bin"))
            {
                sources.shipped += &text;
            }
            sources.all += &text;
        }
        sources
    }
}

/// All the code in a folder.
fn text_below(folder: &Path) -> String {
    let paths = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let text = |path: PathBuf| match path.extension() {
        _ if path.is_dir() => text_below(&path),
        Some(extension) if extension == "rs" => fs::read_to_string(&path).expect("text"),
        _ => String::new(),
    };
    paths.map(text).collect()
}
