//! The arguments of each command. Doc comments are the help, which shows at most 40 lines.

mod items;
mod trips;

use std::fmt::Write as _;
use std::path::PathBuf;

use anstyle::{AnsiColor, Style};
use chrono::NaiveDate;
use clap::builder::Styles;
use clap::{Args, CommandFactory as _, Parser, Subcommand};

pub(crate) use self::items::{
    AddDocument, AddExpense, AddFlight, AddHotel, AddStop, DocumentsArguments, DocumentsCommand, ExpenseCommand,
    FlightCommand, GetDocument, HotelCommand, PackArguments, StopCommand,
};
pub(crate) use self::trips::{
    CreateArguments, ExploreArguments, ExportArguments, HistoryArguments, ImportArguments, InvitationCommand,
    LinkArguments, LinksArguments, LinksCommand, ListArguments, OptimiseArguments, ShareArguments, WatchArguments,
};
use crate::output::colour;

const STYLES: Styles = Styles::styled()
    .header(Style::new().bold())
    .usage(Style::new().bold())
    .literal(colour(AnsiColor::Cyan))
    .placeholder(colour(AnsiColor::Green));

/// The root's help. Its commands are several on a line, so that all of it fits on a screen.
const TEMPLATE: &str = "{about}\n\n{usage-heading} {usage}{after-help}";

/// The commands with what they are for. A test checks that none is missing.
const COMMANDS: [(&str, &str); 15] = [
    ("login, logout, whoami", "Sign in and out; show who is signed in"),
    ("create, edit, delete", "Create a trip, edit it as JSON, delete it"),
    ("list, show, open", "List trips; show one here or in the browser"),
    ("stop", "Add, move and remove stops"),
    ("flight, hotel", "Add and remove flights and hotels"),
    ("expense, pack", "Note expenses, and what to pack"),
    ("documents", "Store and fetch sealed documents"),
    ("optimise, refresh", "Order the stops of a day; fill in places and legs"),
    ("history, restore", "Show earlier versions of a trip; restore one"),
    ("watch", "Print what changes in your trips as it happens"),
    ("share, links", "Say who can see and edit a trip; make secret links"),
    ("invitation, block", "Answer invitations; block people"),
    ("explore, save, like", "Find other people's trips"),
    ("import, export", "Read bookings from files; write a trip for calendars, maps, print"),
    ("completion, man, help", "Completions, manual pages, the help of a command"),
];

/// The options of every command, which only the root's help lists.
const OPTIONS: [(&str, &str); 6] = [
    ("--server URL", "The server's address. Default: that of the last sign-in"),
    ("--token TOKEN", "An access token instead of a sign-in; better in ITINERARY_TOKEN"),
    ("--profile NAME", "The name of a sign-in, to keep several"),
    ("--json", "Print the API's JSON: one object, or one line for each entry"),
    ("-q, --quiet", "Print ids only, or nothing"),
    ("--allow-insecure-http", "Allow http:// to other machines"),
];

const EXAMPLES: &str = "  itinerary login --server https://trips.example
  itinerary create --destination Porto --start 2027-05-15 --days 3
  itinerary stop add last 1 \"Livraria Lello\"
  itinerary show last";

/// Plan trips from the terminal.
#[derive(Debug, Parser)]
#[command(name = "itinerary", version, styles = STYLES, max_term_width = 100)]
#[command(help_template = TEMPLATE, override_usage = "itinerary COMMAND [ARGUMENTS]", after_help = after_help())]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The end of the help of each command.
const MORE: &str = "`itinerary --help` lists the options of every command, such as --json and --server.";

/// The program's command line, as it is parsed.
pub(crate) fn command() -> clap::Command {
    Arguments::command().mut_subcommands(with_more)
}

/// A command whose help ends with where to find the options of every command.
fn with_more(command: clap::Command) -> clap::Command {
    let before = command.get_after_help().map(|help| format!("{help}\n\n")).unwrap_or_default();
    command.after_help(before + MORE).mut_subcommands(with_more)
}

/// The command with all its options, for completions and manual pages.
pub(crate) fn complete() -> clap::Command {
    Arguments::command().mut_args(|argument| argument.hide(false))
}

/// The end of the root's help: commands, options, examples.
fn after_help() -> String {
    let (bold, cyan) = (Style::new().bold(), colour(AnsiColor::Cyan));
    let mut text = String::new();
    for (title, rows) in [("Commands", &COMMANDS[..]), ("Options of every command", &OPTIONS)] {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{bold}{title}:{bold:#}");
        for (names, meaning) in rows {
            let _ = writeln!(text, "  {cyan}{names:<24}{cyan:#}  {meaning}");
        }
        text.push('\n');
    }
    text + &format!(
        "TRIP is an itinerary's id, the beginning of the title of one of your trips, or `last`: the trip\n\
         of the previous command. Days and stops are counted from 1.\n\n\
         {bold}Examples:{bold:#}\n{EXAMPLES}\n\n\
         `itinerary help COMMAND` explains a command, `itinerary man` the exit codes."
    )
}

/// Options of every command. The root's help lists them, so that the help of a command shows its own.
#[derive(Args, Debug)]
pub(crate) struct Global {
    /// The server's address, such as `https://trips.example`. Default: that of the last sign-in
    #[arg(long, global = true, value_name = "URL", env = "ITINERARY_SERVER", hide_env_values = true)]
    #[arg(hide = true)]
    pub(crate) server: Option<String>,
    /// An access token to use instead of a sign-in. Prefer the variable: other users can see arguments
    #[arg(long, global = true, value_name = "TOKEN", env = "ITINERARY_TOKEN", hide_env_values = true)]
    #[arg(hide = true)]
    pub(crate) token: Option<String>,
    /// The name of a sign-in, to keep several
    #[arg(long, global = true, value_name = "NAME", env = "ITINERARY_PROFILE", hide_env_values = true)]
    #[arg(default_value = "default", value_parser = profile_name, hide = true)]
    pub(crate) profile: String,
    /// Print the API's JSON: one object, or one line for each entry of a list
    #[arg(long, global = true, hide = true)]
    pub(crate) json: bool,
    /// Print ids only, or nothing
    #[arg(long, short, global = true, hide = true)]
    pub(crate) quiet: bool,
    /// Allow http:// to other machines. Anyone on the network path can then read your token
    #[arg(long, global = true, hide = true)]
    pub(crate) allow_insecure_http: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Sign in through the browser, or with a token (also that of --token)
    #[command(visible_alias = "sign-in")]
    #[command(after_help = "Examples:\n  itinerary login --server https://trips.example\n  \
        itinerary login --with-token                over ssh: paste the token at the prompt\n  \
        itinerary login --with-token < token.txt\n  \
        itinerary login --token \"$TOKEN\"           the same; other users can see arguments")]
    Login {
        /// Print the address to open instead of opening a browser
        #[arg(long, conflicts_with = "with_token")]
        print_url: bool,
        /// Read an access token from the terminal, where it is not shown, or from standard input
        #[arg(long)]
        with_token: bool,
    },
    /// Sign out, and revoke the tokens
    #[command(visible_alias = "sign-out")]
    Logout,
    /// Print who is signed in, and where
    Whoami,
    /// List your trips, newest change first
    #[command(visible_alias = "ls")]
    #[command(after_help = "Examples:\n  itinerary list --filter shared\n  itinerary list --json | jq -r .title")]
    List(ListArguments),
    /// Show a trip: days with times, stops and legs, flights, hotels, and what needs attention
    #[command(after_help = "Examples:\n  itinerary show last --day 2\n  itinerary show Lisbon --json")]
    Show {
        /// The trip
        trip: String,
        /// Show only this day
        #[arg(long, value_name = "DAY", value_parser = number())]
        day: Option<usize>,
    },
    /// Open a trip's page in the browser, and print its address
    ///
    /// Only prints it with --json or --quiet, over ssh, and without a display.
    #[command(after_help = "Example:\n  itinerary open last")]
    Open {
        /// The trip
        trip: String,
    },
    /// Create a trip from a destination, a list of names, or JSON
    #[command(after_help = "Examples:\n  itinerary create --destination Porto\n  \
        itinerary create --destination \"Porto, Portugal\" --start 2027-05-15 --days 3 --names stops.txt\n  \
        itinerary create trip.json")]
    Create(CreateArguments),
    /// Import bookings from mails, calendars, passes and other files into a new trip, or one of yours
    #[command(
        after_help = "Shows what was found, asks, then writes. Bookings that the trip has are recognised and completed.\n\
        PDFs, pictures and mails that are prose alone are not read.\n\n\
        Examples:\n  itinerary import bookings/\n  itinerary import hotel.eml --into Lisbon\n  \
        itinerary import --into last --yes < mail.eml"
    )]
    Import(ImportArguments),
    /// Edit a trip as JSON in your editor ($VISUAL or $EDITOR)
    ///
    /// Sends only what you changed. The server merges it with what others change meanwhile. If somebody changes the same,
    /// shows both values and offers to edit again on top of theirs. Your text is kept in a file until it is stored.
    #[command(after_help = "Example:\n  EDITOR=nano itinerary edit last")]
    Edit {
        /// The trip
        trip: String,
    },
    /// Show the earlier versions of a trip: who made them, when, with which app, and what changed
    #[command(after_help = "Examples:\n  itinerary history last\n  itinerary history Lisbon --json | jq .changes")]
    History(HistoryArguments),
    /// Restore an earlier version of a trip, as a new version
    ///
    /// Documents and visibility stay as they are.
    #[command(after_help = "Example:\n  itinerary restore last 3")]
    Restore {
        /// The trip
        trip: String,
        /// The version, as `itinerary history` shows it
        #[arg(value_parser = number())]
        version: usize,
    },
    /// Print what changes in your trips as it happens, until Ctrl-C
    #[command(after_help = "Examples:\n  itinerary watch\n  \
        itinerary watch --json | jq --unbuffered -r .itineraryId")]
    Watch(WatchArguments),
    /// Add, move and remove stops
    #[command(
        subcommand,
        after_help = "Examples:\n  itinerary stop add last 1 \"Livraria Lello\"\n  itinerary stop move last 1 Livraria --to-day 2"
    )]
    Stop(StopCommand),
    /// Add and remove flights
    #[command(
        subcommand,
        after_help = "Example:\n  itinerary flight add last TP1363 --from LHR --to LIS --departs 2027-05-15T07:00"
    )]
    Flight(FlightCommand),
    /// Add and remove hotels
    #[command(
        subcommand,
        after_help = "Example:\n  itinerary hotel add last \"Casa da Sé\" --check-in 2027-05-15 --check-out 2027-05-17"
    )]
    Hotel(HotelCommand),
    /// Add and remove expenses; needs the Pro subscription
    #[command(subcommand, after_help = "Example:\n  itinerary expense add last Dinner 48.50")]
    Expense(ExpenseCommand),
    /// Add things to pack, and mark them as packed; needs the Pro subscription
    #[command(after_help = "Examples:\n  itinerary pack last Passport \"Rain jacket\"\n  \
        itinerary pack last Socks --quantity 5 --category clothing\n  \
        itinerary pack last --done Passport\n  itinerary pack last")]
    Pack(PackArguments),
    /// List, add, fetch and delete sealed documents; adding needs the Pro subscription
    #[command(after_help = "Examples:\n  itinerary documents last\n  \
        itinerary documents add last pass.pdf --recipient age1…\n  \
        itinerary documents get last pass --identity key.txt --output pass.pdf\n  \
        itinerary documents delete last pass")]
    Documents(DocumentsArguments),
    /// Put the stops of a day, or of each day, in the order with the least travel
    ///
    /// Computes the legs and suggests start times. A start time that you set is kept.
    #[command(after_help = "Examples:\n  itinerary optimise last\n  \
        itinerary optimise last 2 --start-at 10:00 --mode walk --dry-run")]
    Optimise(OptimiseArguments),
    /// Look for missing places and addresses again, and compute missing legs
    #[command(after_help = "Example:\n  itinerary refresh last")]
    Refresh {
        /// The trip
        trip: String,
    },
    /// Delete a trip for everyone
    #[command(after_help = "Example:\n  itinerary delete last --yes")]
    Delete {
        /// The trip
        trip: String,
        /// Do not ask
        #[arg(long, short)]
        yes: bool,
    },
    /// Find public trips
    #[command(
        after_help = "Examples:\n  itinerary explore night market --region Asia\n  itinerary explore --following"
    )]
    Explore(ExploreArguments),
    /// Save a copy of somebody's trip to your own
    #[command(after_help = "Example:\n  itinerary save 0197a1f0-6a3e-7c1d-9d3f-2b8a4c5d6e7f")]
    Save {
        /// The trip
        trip: String,
    },
    /// Like a trip
    #[command(after_help = "Example:\n  itinerary like last")]
    Like {
        /// The trip
        trip: String,
        /// Take the like back
        #[arg(long)]
        undo: bool,
    },
    /// Export a trip for calendars, maps and print
    #[command(after_help = "Examples:\n  itinerary export last --output trip.ics\n  \
        itinerary export last --format gpx > trip.gpx")]
    Export(ExportArguments),
    /// Show or change who can see a trip, and print its address
    #[command(after_help = "Examples:\n  itinerary share last\n  itinerary share last --visibility unlisted\n  \
        itinerary share last --add ben --role editor\n  itinerary share last --link --label Grandparents --expires 30d")]
    Share(ShareArguments),
    /// List and delete the secret links of a trip
    #[command(after_help = "Examples:\n  itinerary links last\n  itinerary links delete last Grandparents")]
    Links(LinksArguments),
    /// List, accept and decline invitations to other people's trips
    #[command(
        subcommand,
        after_help = "Examples:\n  itinerary invitation list\n  itinerary invitation accept \"A weekend\""
    )]
    Invitation(InvitationCommand),
    /// Block a person: they can neither invite, follow nor find you
    #[command(after_help = "Examples:\n  itinerary block ben\n  itinerary block ben --undo")]
    Block {
        /// The person, by username
        #[arg(value_name = "USERNAME")]
        person: String,
        /// Unblock the person
        #[arg(long)]
        undo: bool,
    },
    /// Print the completion script for a shell
    #[command(after_help = "Example:\n  itinerary completion fish > ~/.config/fish/completions/itinerary.fish")]
    Completion {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    #[command(after_help = "Examples:\n  itinerary man | man -l -\n  itinerary man --dir ~/.local/share/man/man1")]
    Man {
        /// Write the pages of all commands to this folder instead
        #[arg(long, value_name = "FOLDER")]
        dir: Option<PathBuf>,
    },
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

fn date(text: &str) -> Result<NaiveDate, String> {
    text.parse().map_err(|_| "must be a date such as 2027-05-15".to_owned())
}

fn coordinate(text: &str) -> Result<(f64, f64), String> {
    let parse = |text: &str, most: f64| text.trim().parse().ok().filter(|degrees: &f64| degrees.abs() <= most);
    let both =
        text.split_once(',').and_then(|(latitude, longitude)| Some((parse(latitude, 90.0)?, parse(longitude, 180.0)?)));
    both.ok_or_else(|| "must be a latitude and a longitude in degrees, such as 38.72,-9.14".to_owned())
}

#[cfg(test)]
mod tests;
