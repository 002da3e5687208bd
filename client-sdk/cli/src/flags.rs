//! What commands call the fields of the API, so that an error names what the person has typed.
//!
//! The fields of JSON that the person has written, as for `create FILE` and `edit`, keep the API's names.

use crate::arguments::{Command, DocumentsCommand, ExpenseCommand, FlightCommand, HotelCommand, StopCommand};

/// Fields of the API, without the indexes of lists, with the arguments that set them. A field stands for those below it.
/// Of several matches, the longest counts.
pub(crate) type Flags = &'static [(&'static str, &'static str)];

const CREATE: Flags = &[
    ("destination", "--destination"),
    ("destination.coordinate", "--at"),
    ("startDate", "--start"),
    ("title", "--title"),
    ("travellers", "--travellers"),
    ("days", "--days"),
    ("days[].stops", "--names"),
];
const IMPORT: Flags = &[
    ("file", "FILE"),
    ("itineraryId", "--into"),
    ("asOf", "--as-of"),
    ("overwrite", "--overwrite"),
    ("destination", "--destination"),
    ("destination.coordinate", "--at"),
];
const LIST: Flags = &[("filter", "--filter"), ("updatedSince", "--updated-since"), ("limit", "--limit")];
const EXPLORE: Flags = &[("q", "QUERY"), ("regions", "--region"), ("following", "--following"), ("limit", "--limit")];
const HISTORY: Flags = &[("limit", "--limit")];
const RESTORE: Flags = &[("version", "VERSION")];
const WATCH: Flags = &[("cursor", "--cursor")];
const SHARE: Flags = &[
    ("visibility", "--visibility"),
    ("role", "--role"),
    ("username", "USERNAME"),
    ("label", "--label"),
    ("expiresAt", "--expires"),
    ("sections", "--sections"),
];
const BLOCK: Flags = &[("username", "USERNAME")];
const EXPORT: Flags = &[("format", "--format")];
const OPTIMISE: Flags = &[("startAt", "--start-at"), ("endAt", "--end-at"), ("mode", "--mode")];
const STOP_ADD: Flags = &[
    ("name", "NAME"),
    ("position", "--position"),
    ("startTime", "--time"),
    ("durationMinutes", "--minutes"),
    ("category", "--category"),
    ("stops", "DAY"),
];
const STOP_MOVE: Flags = &[("dayId", "--to-day"), ("position", "--position"), ("stops", "--to-day")];
const FLIGHT_ADD: Flags = &[
    ("flightNumber", "FLIGHT"),
    ("departureAirport", "--from"),
    ("arrivalAirport", "--to"),
    ("departureDate", "--departs"),
    ("arrivalDate", "--arrives"),
    ("departureTerminal", "--departure-terminal"),
    ("arrivalTerminal", "--arrival-terminal"),
    ("flightAirline", "--airline"),
    ("cabinClass", "--cabin"),
    ("seatNumber", "--seat"),
    ("gateNumber", "--gate"),
];
const HOTEL_ADD: Flags = &[
    ("name", "NAME"),
    ("checkInDate", "--check-in"),
    ("checkOutDate", "--check-out"),
    ("place", "--at"),
    ("place.address", "--address"),
    ("place.name", "NAME"),
    ("roomNumber", "--room"),
    ("phoneNumber", "--phone"),
];
const EXPENSE_ADD: Flags = &[
    ("name", "NAME"),
    ("cost", "AMOUNT"),
    ("cost.currency", "--currency"),
    ("date", "--date"),
    ("category", "--category"),
];
const PACK: Flags = &[("packing", "ITEM"), ("packing[].quantity", "--quantity"), ("packing[].category", "--category")];
const DOCUMENTS_ADD: Flags =
    &[("file", "FILE"), ("name", "--name"), ("category", "--category"), ("mimeType", "FILE"), ("documents", "FILE")];

/// The arguments of a command for fields of the API.
pub(crate) fn of(command: &Command) -> Flags {
    match command {
        Command::Create(arguments) if arguments.destination.is_some() => CREATE,
        Command::Import(_) => IMPORT,
        Command::List(_) => LIST,
        Command::Explore(_) => EXPLORE,
        Command::History(_) => HISTORY,
        Command::Restore { .. } => RESTORE,
        Command::Watch(_) => WATCH,
        Command::Share(_) => SHARE,
        Command::Block { .. } => BLOCK,
        Command::Export(_) => EXPORT,
        Command::Optimise(_) => OPTIMISE,
        Command::Stop(StopCommand::Add(_)) => STOP_ADD,
        Command::Stop(StopCommand::Move { .. }) => STOP_MOVE,
        Command::Flight(FlightCommand::Add(_)) => FLIGHT_ADD,
        Command::Hotel(HotelCommand::Add(_)) => HOTEL_ADD,
        Command::Expense(ExpenseCommand::Add(_)) => EXPENSE_ADD,
        Command::Pack(_) => PACK,
        Command::Documents(documents) => match &documents.command {
            Some(DocumentsCommand::Add(_)) => DOCUMENTS_ADD,
            _ => &[],
        },
        _ => &[],
    }
}

/// The argument for a field such as `days[0].stops[2].name`.
pub(crate) fn argument(flags: Flags, field: &str) -> Option<&'static str> {
    let mut path = String::new();
    let mut in_index = false;
    for character in field.chars() {
        in_index = character == '[' || in_index && character != ']';
        if !in_index || character == '[' {
            path.push(character);
        }
    }
    let is_within =
        |name: &str| path.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']));
    let found = flags.iter().filter(|(name, _)| is_within(name)).max_by_key(|(name, _)| name.len());
    found.map(|(_, argument)| *argument)
}

/// A message with the fields between backticks as arguments.
pub(crate) fn reworded(flags: Flags, message: &str) -> String {
    let mut parts = message.split('`');
    let mut text = parts.next().unwrap_or_default().to_owned();
    let mut is_quoted = true;
    for part in parts {
        match argument(flags, part).filter(|_| is_quoted) {
            Some(argument) => text = format!("{text}`{argument}"),
            None => text = format!("{text}`{part}"),
        }
        is_quoted = !is_quoted;
    }
    text
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory as _, Parser as _};

    use super::*;
    use crate::arguments::Arguments;

    #[test]
    fn the_longest_field_counts() {
        for (field, expected) in [
            ("destination.name", Some("--destination")),
            ("destination.coordinate.latitude", Some("--at")),
            ("days", Some("--days")),
            ("days[0].stops[12].startTime", Some("--names")),
            ("daysOff", None),
            ("If-Match", None),
        ] {
            assert_eq!(argument(CREATE, field), expected, "{field}");
        }
    }

    #[test]
    fn only_fields_between_backticks_are_reworded() {
        let message = "`checkOutDate` must be after `checkInDate`: a name is not `unknown`";
        let expected = "`--check-out` must be after `--check-in`: a name is not `unknown`";
        assert_eq!(reworded(HOTEL_ADD, message), expected);
        assert_eq!(reworded(STOP_ADD, "`name"), "`NAME", "a message that was cut");
    }

    #[test]
    fn every_argument_of_a_table_exists() {
        for words in [
            &["create", "--destination", "x"][..],
            &["import", "f"],
            &["list"],
            &["explore"],
            &["history", "t"],
            &["restore", "t", "1"],
            &["watch"],
            &["share", "t"],
            &["block", "b"],
            &["export", "t", "--format", "md"],
            &["optimise", "t"],
            &["stop", "add", "t", "1", "n"],
            &["stop", "move", "t", "1", "s"],
            &["flight", "add", "t", "f"],
            &["hotel", "add", "t", "n"],
            &["expense", "add", "t", "n", "1"],
            &["pack", "t"],
            &["documents", "add", "t", "f"],
        ] {
            let parsed = Arguments::try_parse_from([&["itinerary"], words].concat()).unwrap();
            let flags = of(&parsed.command);
            assert!(!flags.is_empty(), "{words:?}");
            let mut command = Arguments::command();
            command.build();
            let mut below = &command;
            for word in words {
                below = below.find_subcommand(word).unwrap_or(below);
            }
            let help = below.clone().render_long_help().to_string();
            for (_, argument) in flags {
                assert!(help.contains(argument), "{words:?}: {argument}");
            }
        }
    }
}
