//! `docs/operating/settings.md`, whose tables come from the settings' definitions.
//!
//! To renew it: `INSTA_UPDATE=always cargo test -p itinerary-tests --test operations settings::page`.

use std::fmt::Write as _;
use std::{env, fs};

use clap::builder::PossibleValue;
use clap::{Arg, ArgAction, Command};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/operating/settings.md");

/// The text above the tables ends with this line.
const MARK: &str = "<!-- The tables: generated -->\n";

#[test]
fn the_page_lists_every_setting() {
    let page = fs::read_to_string(FILE).expect("the page");
    let (written, tables) = page.split_once(MARK).expect("the mark");
    let generated = generated();
    if env::var("INSTA_UPDATE").is_ok_and(|value| value == "always") {
        fs::write(FILE, format!("{written}{MARK}{generated}")).expect("the page is written");
        return;
    }
    let how = "INSTA_UPDATE=always cargo test -p itinerary-tests --test operations settings::page";
    let stale = generated.lines().filter(|line| !tables.lines().any(|found| found == *line)).collect::<Vec<_>>();
    assert!(tables == generated, "the page is stale; renew it with {how}\n{}", stale.join("\n"));
}

/// A table for each struct of settings, in the order of the help.
fn generated() -> String {
    let command = itinerary_server::cli::command();
    let settings: Vec<&Arg> = command.get_arguments().filter(|arg| arg.get_env().is_some()).collect();
    let mut groups: Vec<(&str, Vec<&Arg>)> = Vec::new();
    for arg in settings {
        let name = group(&command, arg);
        match groups.iter_mut().find(|(known, _)| *known == name) {
            Some((_, args)) => args.push(arg),
            None => groups.push((name, vec![arg])),
        }
    }
    // The options of every command are the least of them.
    groups.sort_by_key(|(name, _)| ["Output", "File"].contains(name));
    let mut text = String::new();
    for (name, args) in groups {
        if name == "LegSettings" {
            text += &legs(&args);
            continue;
        }
        let _ = write!(
            text,
            "\n## {}\n\n| key, flag, variable | value | default | meaning |\n|---|---|---|---|\n",
            title(name)
        );
        for arg in args {
            text += &row(arg);
        }
    }
    text
}

/// The numbers of estimated legs as one table, a row for each mode.
fn legs(args: &[&Arg]) -> String {
    let mut text = "\n## Estimated legs\n\nThese numbers belong in the table `[legs]` of the config file, such as \
         `walk = { kmh = 5, minutes = 1 }`. A leg's minutes are\nthe great-circle distance times `detour`, divided by \
         `kmh`, plus `minutes` for waiting, boarding and parking. `kmh` is more\nthan 0, `detour` at least 1, `minutes` \
         at least 0.\n\n| mode | `kmh` | `detour` | `minutes` |\n|---|---|---|---|\n"
        .to_owned();
    let number = |key: &str| {
        let arg = args.iter().find(|arg| arg.get_long().is_some_and(|long| long.replace('-', "_") == key));
        default(arg.unwrap_or_else(|| panic!("{key} is no setting")))
    };
    let modes = args.iter().filter_map(|arg| arg.get_long()?.strip_prefix("legs-")?.strip_suffix("-kmh"));
    for mode in modes {
        let [kmh, detour, minutes] = ["kmh", "detour", "minutes"].map(|name| number(&format!("legs_{mode}_{name}")));
        let _ = writeln!(text, "| `{mode}` | {kmh} | {detour} | {minutes} |");
    }
    let limits = args.iter().filter(|arg| arg.get_long().is_some_and(|long| long.ends_with("-up-to")));
    text += "\nThe mode of a leg without one depends on its great-circle distance, in metres:\n\n\
             | key in `[legs]` | default | meaning |\n|---|---|---|\n";
    for arg in limits {
        let key = arg.get_long().unwrap_or_default().trim_start_matches("legs-").replace('-', "_");
        let help = arg.get_help().expect("a setting has a help");
        let _ = writeln!(text, "| `{key}` | {} | {help}. |", default(arg));
    }
    text
}

/// The name of the struct that declares a setting.
fn group<'c>(command: &'c Command, arg: &Arg) -> &'c str {
    let declares = |group: &&clap::ArgGroup| group.get_args().any(|id| id == arg.get_id());
    // A struct that contains other structs of settings has no group of its own.
    let without_group = match arg.get_help_heading() {
        Some(_) => "Config",
        None if arg.get_id() == "config" => "File",
        None => "Storage",
    };
    command.get_groups().find(declares).map_or(without_group, |group| group.get_id().as_str())
}

fn title(group: &str) -> String {
    match group {
        "Storage" => "Storage, for every command".to_owned(),
        "Config" => "Serving".to_owned(),
        "DatabaseSettings" => "PostgreSQL and the server's key, for every command".to_owned(),
        "LimitSettings" => "Rate limits".to_owned(),
        "ReplicaSettings" => "Read replica".to_owned(),
        "SignInSettings" => "Sign-in".to_owned(),
        "TlsSettings" => "TLS".to_owned(),
        "ProviderSettings" => "Providers".to_owned(),
        "WalletSettings" => "Wallet passes".to_owned(),
        "Output" => "Output, for every command".to_owned(),
        "File" => "The config file".to_owned(),
        other => {
            let words = other.strip_suffix("Settings").unwrap_or(other);
            let spaced = words.char_indices().map(|(index, letter)| {
                if letter.is_uppercase() && index > 0 { format!(" {}", letter.to_lowercase()) } else { letter.into() }
            });
            spaced.collect()
        }
    }
}

fn row(arg: &Arg) -> String {
    let long = arg.get_long().expect("a setting has a long flag");
    let variable = arg.get_env().and_then(|name| name.to_str()).expect("a setting has a variable");
    let key = if long == "config" { String::new() } else { format!("`{}`<br>", long.replace('-', "_")) };
    let help = arg.get_long_help().or_else(|| arg.get_help()).expect("a setting has a help").to_string();
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    // A default that depends on the machine or on other settings is a sentence at the end of the help.
    let sentence = ["Default: ", "The default is "].iter().find_map(|words| help.split_once(words));
    let (help, default) = match sentence {
        Some((help, default)) => (help.trim_end().trim_end_matches('.').to_owned(), default.to_owned()),
        None => (help.trim_end_matches('.').to_owned(), default(arg)),
    };
    let meaning = format!("{help}.").replace('|', "\\|");
    format!("| {key}`--{long}`<br>`{variable}` | {} | {default} | {meaning} |\n", value(arg))
}

fn default(arg: &Arg) -> String {
    let values: Vec<_> = arg.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
    if values.is_empty() { "none".to_owned() } else { format!("`{}`", values.join(",")) }
}

/// The possible values, or what the value is by its placeholder, such as `SECONDS`.
fn value(arg: &Arg) -> String {
    let possible: Vec<PossibleValue> = arg.get_possible_values();
    if !possible.is_empty() {
        let names: Vec<_> = possible.iter().map(|value| format!("`{}`", value.get_name())).collect();
        return names.join(", ");
    }
    let name = arg.get_value_names().and_then(|names| names.first()).map(|name| name.to_lowercase());
    let name = name.filter(|_| matches!(arg.get_action(), ArgAction::Set | ArgAction::Append)).unwrap_or_default();
    match name.as_str() {
        // Words or a placeholder: `on|off|URL`.
        name if name.contains('|') => {
            let choices = arg.get_value_names().unwrap_or_default().iter().flat_map(|name| name.split('|'));
            let is_word = |choice: &str| choice.bytes().all(|byte| byte.is_ascii_lowercase());
            choices
                .map(|choice| if is_word(choice) { format!("`{choice}`") } else { choice.to_owned() })
                .collect::<Vec<_>>()
                .join(", ")
        }
        "mb" => "MB".to_owned(),
        "mib" => "MiB".to_owned(),
        "kmh" => "km/h".to_owned(),
        "url" => "URL".to_owned(),
        "urls" => "URLs".to_owned(),
        _ => name.replace('_', " "),
    }
}
