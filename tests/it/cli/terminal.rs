//! At a terminal: colours, width, questions; and without one.

use std::process::Stdio;

use tokio::io::AsyncReadExt as _;
use tokio::process::Command;

use super::{Person, create, world};
pub(super) use itinerary_tests::terminal::at_terminal;

#[tokio::test(flavor = "multi_thread")]
async fn colours_are_for_terminals() {
    let world = world().await;
    let ana = Person::of(&world, "ana").await;
    create(&ana).await;
    let seen = async |command: Command| at_terminal(command, 80, &[]).await.1;
    assert!(seen(ana.command(&["show", "last"])).await.contains("\u{1b}[1mA weekend in Lisbon\u{1b}[0m"));
    let mut plain = ana.command(&["show", "last"]);
    plain.env("NO_COLOR", "1");
    let (plain, piped) = (seen(plain).await, ana.say(&["show", "last"]).await);
    assert!(!plain.contains('\u{1b}') && !piped.contains('\u{1b}'), "{plain}");
    assert!(seen(ana.command(&["--help"])).await.contains("\u{1b}["));
    assert!(!seen(ana.command(&["show", "last", "--json"])).await.contains('\u{1b}'));
}

#[tokio::test(flavor = "multi_thread")]
async fn lines_fit_the_terminal() {
    let world = world().await;
    let ana = Person::of(&world, "ana").await;
    create(&ana).await;
    let long = "浅草寺の雷門から上野恩賜公園まで and then on to the Palace of the Marquises of Fronteira";
    ana.say(&["stop", "add", "last", "1", long, "-q"]).await;
    for columns in [48, 80] {
        for arguments in [&["show", "last"][..], &["list"], &["share", "last"]] {
            let mut command = ana.command(arguments);
            command.env("NO_COLOR", "1");
            let (_, seen) = at_terminal(command, columns, &[]).await;
            let is_wide = |line: &&str| {
                let wide = line.chars().filter(|it| *it >= '\u{1100}').count() + line.chars().count();
                wide > usize::from(columns) && !line.contains("/trips/")
            };
            assert_eq!(seen.lines().find(is_wide), None, "{arguments:?}");
        }
    }
    assert!(ana.say(&["show", "last"]).await.lines().any(|line| line.contains(long)), "files have no width");
}

#[tokio::test(flavor = "multi_thread")]
async fn deleting_asks() {
    let world = world().await;
    let ana = Person::of(&world, "ana").await;
    let id = create(&ana).await;
    for (response, is_there) in [("n\n", true), ("\n", true), ("\u{4}", true), ("y\n", false)] {
        let (code, seen) = at_terminal(ana.command(&["delete", &id]), 80, &[("[y/N]", response)]).await;
        assert_eq!(code, Some(0), "{seen}");
        assert!(seen.contains("Delete “A weekend in Lisbon” for everyone?"), "{seen}");
        assert_eq!(ana.run(&["show", &id], "").await.status.success(), is_there, "{response:?}");
    }
}

// A reader that has seen enough, like `head`, is no failure.
#[tokio::test(flavor = "multi_thread")]
async fn a_closed_pipe_is_no_failure() {
    let world = world().await;
    let ana = Person::of(&world, "ana").await;
    create(&ana).await;
    for arguments in [&["show", "last"][..], &["list", "--json"], &["completion", "bash"], &["--help"], &["man"]] {
        let mut child = ana.command(arguments).stdin(Stdio::null()).spawn().expect("the program starts");
        drop(child.stdout.take());
        let mut said = String::new();
        child.stderr.take().expect("it was piped").read_to_string(&mut said).await.expect("text");
        let status = child.wait().await.expect("it ran");
        assert_eq!((status.code(), &*said), (Some(0), ""), "{arguments:?}");
    }
}
