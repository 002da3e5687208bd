//! docs/conformance.md is correct: the program accepts its commands, and it describes every option.

use clap::{CommandFactory, Parser};
use conformance::cli::Arguments;

const DOCUMENT: &str = include_str!("../../../docs/conformance.md");

#[test]
fn every_command_is_accepted() {
    let lines = DOCUMENT.lines().map(|line| line.trim_start().trim_start_matches("run: "));
    let commands: Vec<&str> = lines.filter(|line| line.starts_with("conformance ")).collect();
    assert!(commands.len() >= 8, "{commands:?}");
    for command in commands {
        let words = command.split_whitespace().map(|word| word.trim_matches('\''));
        if let Err(error) = Arguments::try_parse_from(words) {
            panic!("{command}: {error}");
        }
    }
}

#[test]
fn every_option_is_described() {
    for argument in Arguments::command().get_arguments() {
        let option = argument.get_long().expect("every argument is an option");
        assert!(DOCUMENT.contains(&format!("--{option}")), "--{option}");
        if let Some(variable) = argument.get_env() {
            let variable = variable.to_str().expect("plain text");
            assert!(DOCUMENT.contains(variable), "{variable}");
        }
    }
}
