//! docs/conformance.md is correct: the program accepts its commands, and it describes every option. The tables of operations
//! agree with the OpenAPI document.

use clap::{CommandFactory, Parser};
use conformance::cli::Arguments;
use conformance::operations::{ON_ACCOUNTS, ON_ITINERARIES};
use serde_json::Value;

const DOCUMENT: &str = include_str!("../../../docs/conformance.md");
const OPENAPI: &str = include_str!("../../../openapi/itinerary.json");

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

#[test]
fn every_operation_that_needs_a_token_is_checked() {
    let document: Value = serde_json::from_str(OPENAPI).expect("JSON");
    let paths = document["paths"].as_object().expect("paths");
    let mut count = 0;
    for (method, operation) in paths.values().filter_map(Value::as_object).flatten() {
        let Some(security) = operation["security"].get(0) else { continue };
        let id = operation["operationId"].as_str().expect("an id");
        // Its rows are in `rows/mcp`: the scope depends on the tool.
        if id == "mcp" {
            continue;
        }
        let checked = ON_ITINERARIES.iter().chain(ON_ACCOUNTS).find(|checked| checked.id == id);
        let checked = checked.unwrap_or_else(|| panic!("{id} is not in the tables"));
        let scope = security["oauth2"][0].as_str().unwrap_or_default();
        assert_eq!((checked.method, checked.scope), (&*method.to_uppercase(), scope), "{id}");
        count += 1;
    }
    assert_eq!(count, ON_ITINERARIES.len() + ON_ACCOUNTS.len());
}
