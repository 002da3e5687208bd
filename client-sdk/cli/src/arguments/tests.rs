//! The help of each command, and the values of arguments.

use super::*;

/// The names of a command and of those below it, such as `itinerary stop add`.
fn names(command: &clap::Command, name: &str, into: &mut Vec<String>) {
    into.push(name.to_owned());
    for below in command.get_subcommands() {
        names(below, &format!("{name} {}", below.get_name()), into);
    }
}

#[test]
fn the_arguments_are_consistent() {
    Arguments::command().debug_assert();
}

#[test]
fn each_help_fits_on_a_screen_and_has_an_example() {
    let mut all = Vec::new();
    names(&command(), "itinerary", &mut all);
    // These have nothing but their name.
    for name in all.iter().filter(|name| !["itinerary logout", "itinerary whoami"].contains(&name.as_str())) {
        let text = command().try_get_matches_from(name.split(' ').chain(["--help"])).unwrap_err().to_string();
        assert!(text.lines().count() <= 40, "{name}: {}\n{text}", text.lines().count());
        assert!(text.contains("Example"), "{name}\n{text}");
    }
    assert!(all.len() > 40);
}

#[test]
fn the_help_names_every_command_and_option() {
    let mut command = Arguments::command();
    command.build();
    let named: Vec<_> = COMMANDS.iter().flat_map(|(names, _)| names.split(", ")).collect();
    for below in command.get_subcommands() {
        assert!(named.contains(&below.get_name()), "{}", below.get_name());
    }
    assert_eq!(named.len(), command.get_subcommands().count());
    for argument in command.get_arguments().filter(|argument| argument.is_global_set()) {
        let Some(long) = argument.get_long() else { continue };
        let is_own = ["help", "version"].contains(&long);
        assert!(is_own || OPTIONS.iter().any(|(name, _)| name.contains(long)), "{long}");
    }
}

#[test]
fn a_coordinate_is_on_the_earth() {
    assert_eq!(coordinate("38.72, -9.14"), Ok((38.72, -9.14)));
    for text in ["", "38.72", "91,0", "0,181", "NaN,0", "inf,0", "1,2,3", "north,west"] {
        assert!(coordinate(text).is_err(), "{text}");
    }
}

#[test]
fn a_profile_is_no_path() {
    assert!(profile_name("work-2_b").is_ok());
    for text in ["", "..", "a/b", "a\\b", "ä", &"a".repeat(65)] {
        assert!(profile_name(text).is_err(), "{text}");
    }
}
