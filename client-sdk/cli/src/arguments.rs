//! The arguments of each command. Doc comments are the help.

use std::fmt::Write as _;
use std::path::PathBuf;

use anstyle::{AnsiColor, Style};
use chrono::{DateTime, FixedOffset, NaiveDate};
use clap::builder::Styles;
use clap::{ArgGroup, Args, Parser, Subcommand};

use crate::choices::{Audience, Filter, Format, Role};
use crate::failure::Exit;
use crate::output::colour;

const STYLES: Styles = Styles::styled()
    .header(Style::new().bold())
    .usage(Style::new().bold())
    .literal(colour(AnsiColor::Cyan))
    .placeholder(colour(AnsiColor::Green));

/// Plan trips from the terminal.
///
/// TRIP is an itinerary's id, the beginning of the title of one of your trips, or `last`: the trip that the previous
/// command was about. Days and stops are counted from 1.
#[derive(Debug, Parser)]
#[command(name = "itinerary", version, styles = STYLES, max_term_width = 100, after_long_help = after_help())]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The end of the help: exit codes and first steps.
fn after_help() -> String {
    let bold = Style::new().bold();
    let mut text = format!("{bold}Exit codes:{bold:#}\n");
    for (exit, meaning) in Exit::MEANINGS {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "  {:>3}  {meaning}", exit as u8);
    }
    text + &format!(
        "\n{bold}First steps:{bold:#}\n  itinerary login --server https://trips.example\n  itinerary list\n  itinerary show last --day 1"
    )
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Options of every command")]
pub(crate) struct Global {
    /// The server's address, such as `https://trips.example`. Default: that of the last sign-in
    #[arg(long, global = true, value_name = "URL", env = "ITINERARY_SERVER", hide_env_values = true)]
    pub(crate) server: Option<String>,
    /// An access token to use instead of a sign-in. Prefer the variable: other users can see arguments
    #[arg(long, global = true, value_name = "TOKEN", env = "ITINERARY_TOKEN", hide_env_values = true)]
    pub(crate) token: Option<String>,
    /// The name of a sign-in, to keep several
    #[arg(long, global = true, value_name = "NAME", env = "ITINERARY_PROFILE", hide_env_values = true)]
    #[arg(default_value = "default", value_parser = profile_name)]
    pub(crate) profile: String,
    /// Print the API's JSON: one object, or one line for each entry of a list
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Print ids only, or nothing
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// Allow http:// to other machines. Anyone on the network path can then read your token
    #[arg(long, global = true)]
    pub(crate) allow_insecure_http: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Sign in through the browser
    Login {
        /// Print the address to open instead of opening a browser
        #[arg(long)]
        print_url: bool,
    },
    /// Sign out, and revoke the tokens
    Logout,
    /// Print who is signed in, and where
    Whoami,
    /// List your trips, newest change first
    #[command(visible_alias = "ls")]
    List(ListArguments),
    /// Show a trip: its days with times, stops, legs and totals
    Show {
        /// The trip
        trip: String,
        /// Show only this day
        #[arg(long, value_name = "DAY", value_parser = number())]
        day: Option<usize>,
    },
    /// Create a trip from JSON, or from a list of names
    Create(CreateArguments),
    /// Edit a trip as JSON in your editor ($VISUAL or $EDITOR)
    ///
    /// Sends only what you changed. If somebody else changes the trip meanwhile, shows both changes and offers to edit
    /// again on top of theirs. Your text is kept in a file until it is stored.
    Edit {
        /// The trip
        trip: String,
    },
    /// Add, move and remove stops
    #[command(subcommand)]
    Stop(StopCommand),
    /// Delete a trip for everyone
    Delete {
        /// The trip
        trip: String,
        /// Do not ask
        #[arg(long, short)]
        yes: bool,
    },
    /// Find public trips
    Explore(ExploreArguments),
    /// Save a copy of somebody's trip to your own
    Save {
        /// The trip
        trip: String,
    },
    /// Like a trip
    Like {
        /// The trip
        trip: String,
        /// Take the like back
        #[arg(long)]
        undo: bool,
    },
    /// Export a trip for calendars, maps and print
    Export(ExportArguments),
    /// Show or change who can see a trip, and print its address
    Share(ShareArguments),
    /// List, accept and decline invitations to other people's trips
    #[command(subcommand)]
    Invitation(InvitationCommand),
    /// Block a person: they can neither invite, follow nor find you
    Block {
        /// The person, by username
        #[arg(value_name = "USERNAME")]
        person: String,
        /// Unblock the person
        #[arg(long)]
        undo: bool,
    },
    /// Print the completion script for a shell
    Completion {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man {
        /// Write the pages of all commands to this folder instead
        #[arg(long, value_name = "FOLDER")]
        dir: Option<PathBuf>,
    },
}

#[derive(Args, Debug)]
pub(crate) struct ListArguments {
    /// Which trips
    #[arg(long, value_name = "WHICH", default_value = "all")]
    pub(crate) filter: Filter,
    /// Only trips that changed at or after this instant, oldest change first, such as 2027-05-01T00:00:00Z
    #[arg(long, value_name = "INSTANT", value_parser = DateTime::parse_from_rfc3339)]
    pub(crate) updated_since: Option<DateTime<FixedOffset>>,
    /// The maximum number of trips
    #[arg(long, short = 'n', value_name = "NUMBER", default_value = "50", value_parser = number())]
    pub(crate) limit: usize,
}

#[derive(Args, Debug)]
pub(crate) struct ExploreArguments {
    /// Words in title, summary, destination, tags or stops. Without them, a ranked selection
    #[arg(value_name = "QUERY")]
    pub(crate) query: Vec<String>,
    /// Only this country, sub-region or continent, in English; may be repeated
    #[arg(long, value_name = "NAME")]
    pub(crate) region: Vec<String>,
    /// Only trips of people you follow
    #[arg(long)]
    pub(crate) following: bool,
    /// The maximum number of trips
    #[arg(long, short = 'n', value_name = "NUMBER", default_value = "20", value_parser = number())]
    pub(crate) limit: usize,
}

#[derive(Args, Debug)]
#[command(group = ArgGroup::new("source").args(["file", "destination"]).required(true).multiple(false))]
pub(crate) struct CreateArguments {
    /// The trip as JSON; - is standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// The name of the place that the trip goes to
    #[arg(long, value_name = "NAME")]
    pub(crate) destination: Option<String>,
    /// Where that is, such as 38.72,-9.14. Default: as in one of your trips to it
    #[arg(long, value_name = "LATITUDE,LONGITUDE", value_parser = coordinate, requires = "destination")]
    #[arg(allow_hyphen_values = true)]
    pub(crate) at: Option<(f64, f64)>,
    /// A file with a stop's name on each line; - is standard input. A blank line or a heading such as `Day 2` starts the
    /// next day; a name may follow a time, such as `09:30 Castelo de São Jorge`
    #[arg(long, value_name = "FILE", requires = "destination")]
    pub(crate) names: Option<PathBuf>,
    /// The number of days; without it, those of the names
    #[arg(long, value_name = "NUMBER", value_parser = number(), requires = "destination")]
    pub(crate) days: Option<usize>,
    /// The first day, such as 2027-05-15
    #[arg(long, value_name = "DATE", requires = "destination")]
    pub(crate) start: Option<NaiveDate>,
    /// The title. Default: `Trip to` and the destination
    #[arg(long, requires = "destination")]
    pub(crate) title: Option<String>,
    /// The number of travellers
    #[arg(long, value_name = "NUMBER", requires = "destination")]
    pub(crate) travellers: Option<u32>,
    /// Check the trip and print it as it would be stored, without storing it
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Store the trip even if you have one with the same destination and start
    #[arg(long)]
    pub(crate) allow_duplicate: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum StopCommand {
    /// Add a stop to a day; the server finds its place by the name
    Add {
        /// The trip
        trip: String,
        /// The day
        #[arg(value_parser = number())]
        day: usize,
        /// The stop's name
        name: String,
        /// Its position in the day. Default: the last
        #[arg(long, value_name = "NUMBER", value_parser = number())]
        position: Option<usize>,
        /// The time of arrival, such as 09:30
        #[arg(long, value_name = "HH:MM")]
        time: Option<String>,
        /// How long the visit takes
        #[arg(long, value_name = "NUMBER")]
        minutes: Option<i32>,
        /// The kind of stop, such as museum, cafe or viewpoint
        #[arg(long, value_name = "CATEGORY")]
        category: Option<String>,
    },
    /// Move a stop within its day, or to another day
    Move {
        /// The trip
        trip: String,
        /// The day
        #[arg(value_parser = number())]
        day: usize,
        /// The stop: its number in the day, its id, or the beginning of its name
        stop: String,
        /// The day to move it to. Default: the same day
        #[arg(long, value_name = "DAY", value_parser = number())]
        to_day: Option<usize>,
        /// Its new position. Default: the last
        #[arg(long, value_name = "NUMBER", value_parser = number())]
        position: Option<usize>,
    },
    /// Remove a stop
    Remove {
        /// The trip
        trip: String,
        /// The day
        #[arg(value_parser = number())]
        day: usize,
        /// The stop: its number in the day, its id, or the beginning of its name
        stop: String,
    },
}

#[derive(Args, Debug)]
#[command(group = ArgGroup::new("target").args(["format", "output"]).required(true).multiple(true))]
pub(crate) struct ExportArguments {
    /// The trip
    pub(crate) trip: String,
    /// The format. Default: by the file's extension
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<Format>,
    /// The file to write. Default: standard output
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum InvitationCommand {
    /// List your pending invitations, newest first
    #[command(visible_alias = "ls")]
    List {
        /// The maximum number of invitations
        #[arg(long, short = 'n', value_name = "NUMBER", default_value = "50", value_parser = number())]
        limit: usize,
    },
    /// Become a member of a trip
    Accept {
        /// The trip, by its id or the beginning of its title
        trip: String,
    },
    /// Decline: you are not invited to this trip again
    Decline {
        /// The trip, by its id or the beginning of its title
        trip: String,
    },
}

#[derive(Args, Debug)]
pub(crate) struct ShareArguments {
    /// The trip
    pub(crate) trip: String,
    /// Who can see it
    #[arg(long, value_name = "WHO")]
    pub(crate) visibility: Option<Audience>,
    /// Invite a person, by username; may be repeated. Somebody who follows you becomes a member at once
    #[arg(long, value_name = "USERNAME")]
    pub(crate) add: Vec<String>,
    /// What the added people may do
    #[arg(long, value_name = "ROLE", default_value = "viewer", requires = "add")]
    pub(crate) role: Role,
    /// Remove a person or withdraw an invitation, by username; may be repeated
    #[arg(long, value_name = "USERNAME")]
    pub(crate) remove: Vec<String>,
}

/// A number from 1.
fn number() -> impl clap::builder::TypedValueParser<Value = usize> {
    use clap::builder::TypedValueParser as _;
    clap::value_parser!(u32).range(1..=100_000).map(|number| usize::try_from(number).unwrap_or(usize::MAX))
}

/// A profile's name is the name of its folder.
fn profile_name(text: &str) -> Result<String, String> {
    let is_good = |character: char| character.is_ascii_alphanumeric() || character == '-' || character == '_';
    if (1..=64).contains(&text.len()) && text.chars().all(is_good) {
        Ok(text.to_owned())
    } else {
        Err("must be 1 to 64 letters, digits, - or _".to_owned())
    }
}

fn coordinate(text: &str) -> Result<(f64, f64), String> {
    let parse = |text: &str, most: f64| text.trim().parse().ok().filter(|degrees: &f64| degrees.abs() <= most);
    let both =
        text.split_once(',').and_then(|(latitude, longitude)| Some((parse(latitude, 90.0)?, parse(longitude, 180.0)?)));
    both.ok_or_else(|| "must be a latitude and a longitude in degrees, such as 38.72,-9.14".to_owned())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_arguments_are_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn the_help_lists_every_exit_code() {
        let help = Arguments::command().render_long_help().to_string();
        for (exit, meaning) in Exit::MEANINGS {
            assert!(help.contains(&format!("{:>3}  {meaning}", exit as u8)), "{help}");
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
}
