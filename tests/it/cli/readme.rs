//! The README's whole trip, followed as a reader would.

use std::os::unix::fs::symlink;
use std::process::Stdio;

use tokio::process::Command;

use super::destinations::world_with_places;
use super::{Person, stderr};

const README: &str = include_str!("../../../client-sdk/cli/README.md");

/// The first block of a language below a heading.
fn block(heading: &str, language: &str) -> &'static str {
    let (_, text) = README.split_once(&format!("\n## {heading}\n")).expect("a heading");
    let (_, text) = text.split_once(&format!("```{language}\n")).expect("a block");
    text.split_once("```").expect("its end").0
}

#[tokio::test(flavor = "multi_thread")]
async fn the_whole_trip_of_the_readme_works() {
    let world = world_with_places().await;
    let ana = Person::pro(&world, "ana").await;
    let bin = ana.file("bin");
    std::fs::create_dir(&bin).expect("a folder");
    symlink(super::PROGRAM, bin.join("itinerary")).expect("a link");
    let script = block("A whole trip", "sh");
    assert!(script.lines().count() <= 24, "it fits on a screen");
    for command in ["create", "stop add", "flight add", "hotel add", "expense add", "pack", "optimise", "open"] {
        assert!(script.contains(&format!("itinerary {command} ")), "{command}");
    }
    let mut shell = Command::new("sh");
    shell.args(["-e", "-c", script]).env_clear().env("HOME", ana.home.path()).current_dir(ana.home.path());
    let path = std::env::var("PATH").unwrap_or_default();
    shell.env("PATH", format!("{}:{path}", bin.display())).env("ITINERARY_SERVER", &world.base_url);
    shell.env("ITINERARY_TOKEN", ana.token.as_deref().expect("a token"));
    shell.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    let output = itinerary_tests::program::run(shell, "").await;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}\n{}", stderr(&output));
    // Every stop is found, and the last line is the page's address.
    assert!(!stderr(&output).contains("stop "), "{}", stderr(&output));
    assert!(said.contains(block("A whole trip", "text")), "it prints what the README shows: {said}");
    assert!(said.lines().last().expect("a line").starts_with(&format!("{}/trips/", world.base_url)), "{said}");
}
