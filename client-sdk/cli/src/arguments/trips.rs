//! The arguments of commands about whole trips.

use std::path::PathBuf;

use chrono::{DateTime, FixedOffset, NaiveDate, Utc};
use clap::{ArgGroup, Args, Subcommand};

use super::{coordinate, date, number};
use crate::choices::{Audience, Filter, Format, LinkSections, Role};
use crate::expiry::expiry;

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
    /// The place that the trip goes to, such as Porto or "Porto, Portugal"
    #[arg(long, value_name = "NAME")]
    pub(crate) destination: Option<String>,
    /// Where that is, such as 41.15,-8.61. Default: as in one of your trips to it, or where the server finds the name
    #[arg(long, value_name = "LATITUDE,LONGITUDE", value_parser = coordinate, requires = "destination")]
    #[arg(allow_hyphen_values = true)]
    pub(crate) at: Option<(f64, f64)>,
    /// A file with a stop's name on each line, if wanted after a time such as 09:30; - is standard input. A blank line or
    /// a heading such as `Day 2` starts the next day
    #[arg(long, value_name = "FILE", requires = "destination")]
    pub(crate) names: Option<PathBuf>,
    /// The number of days. Default: those of the names, or 3
    #[arg(long, value_name = "NUMBER", value_parser = number(), requires = "destination")]
    pub(crate) days: Option<usize>,
    /// The first day, such as 2027-05-15. Default: in 30 days
    #[arg(long, value_name = "DATE", value_parser = date, requires = "destination")]
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

#[derive(Args, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub(crate) struct ImportArguments {
    /// Files, at most 20 of 5 MB each and 20 MB in all; a folder stands for the files in it, without hidden ones and other
    /// folders. - is standard input, which is the default if it is no terminal
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Import into this trip. Default: a new one
    #[arg(long, value_name = "TRIP")]
    pub(crate) into: Option<String>,
    /// Replace values of the trip that differ from those of the files
    #[arg(long, requires = "into")]
    pub(crate) overwrite: bool,
    /// The day near which dates without a year are, as in boarding passes. Default: today
    #[arg(long, value_name = "DATE", value_parser = date)]
    pub(crate) as_of: Option<NaiveDate>,
    /// Where a new trip goes, such as Porto or "Porto, Portugal". Default: where its bookings are
    #[arg(long, value_name = "NAME", conflicts_with = "into")]
    pub(crate) destination: Option<String>,
    /// Where that is, such as 41.15,-8.61. Default: as for `create`
    #[arg(long, value_name = "LATITUDE,LONGITUDE", value_parser = coordinate, requires = "destination")]
    #[arg(allow_hyphen_values = true)]
    pub(crate) at: Option<(f64, f64)>,
    /// Create the trip even if you have one with the same destination and start
    #[arg(long, conflicts_with = "into")]
    pub(crate) allow_duplicate: bool,
    /// Show what was found, without writing
    #[arg(long, conflicts_with = "yes")]
    pub(crate) dry_run: bool,
    /// Do not ask
    #[arg(long, short)]
    pub(crate) yes: bool,
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
    #[command(visible_alias = "ls", after_help = "Example:\n  itinerary invitation list --limit 10")]
    List {
        /// The maximum number of invitations
        #[arg(long, short = 'n', value_name = "NUMBER", default_value = "50", value_parser = number())]
        limit: usize,
    },
    /// Become a member of a trip
    #[command(after_help = "Example:\n  itinerary invitation accept \"A weekend\"")]
    Accept {
        /// The trip, by its id or the beginning of its title
        trip: String,
    },
    /// Decline: you are not invited to this trip again
    #[command(after_help = "Example:\n  itinerary invitation decline \"A weekend\"")]
    Decline {
        /// The trip, by its id or the beginning of its title
        trip: String,
    },
}

#[derive(Args, Debug)]
pub(crate) struct ShareArguments {
    /// The trip
    pub(crate) trip: String,
    /// Who can see it: private (you and the members), followers (also yours), unlisted (anyone who has the address), or
    /// public (everyone; it is listed in Explore)
    #[arg(long, value_name = "WHO", hide_possible_values = true)]
    pub(crate) visibility: Option<Audience>,
    /// Invite a person, by username; may be repeated. Somebody who follows you becomes a member at once
    #[arg(long, value_name = "USERNAME")]
    pub(crate) add: Vec<String>,
    /// What the added people may do: a viewer reads, an editor changes the trip too
    #[arg(long, value_name = "ROLE", default_value = "viewer", hide_possible_values = true, requires = "add")]
    pub(crate) role: Role,
    /// Remove a person or withdraw an invitation, by username; may be repeated
    #[arg(long, value_name = "USERNAME")]
    pub(crate) remove: Vec<String>,
    #[command(flatten)]
    pub(crate) link: LinkArguments,
}

#[derive(Args, Debug)]
pub(crate) struct LinkArguments {
    /// Create a secret link for people without an account, and print its address once
    #[arg(long, conflicts_with_all = ["visibility", "add", "remove"])]
    pub(crate) link: bool,
    /// Whom the link is for. Default: `Link` and a number
    #[arg(long, requires = "link")]
    pub(crate) label: Option<String>,
    /// When the link ends, such as 30d or 2027-06-01. Default: never
    #[arg(long, value_name = "WHEN", value_parser = expiry, requires = "link")]
    pub(crate) expires: Option<DateTime<Utc>>,
    /// What the link shows: plan, or bookings too
    #[arg(long, value_name = "WHAT", default_value = "plan", hide_possible_values = true, requires = "link")]
    pub(crate) sections: LinkSections,
}

#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct LinksArguments {
    #[command(subcommand)]
    pub(crate) command: Option<LinksCommand>,
    /// The trip whose secret links to list
    #[arg(required = true)]
    pub(crate) trip: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum LinksCommand {
    /// Delete a secret link: its address stops working at once
    #[command(after_help = "Example:\n  itinerary links delete last Grandparents")]
    Delete {
        /// The trip
        trip: String,
        /// The link: its number in the list, its id, or the beginning of its label
        link: String,
    },
}

#[derive(Args, Debug)]
pub(crate) struct OptimiseArguments {
    /// The trip
    pub(crate) trip: String,
    /// The day. Default: each day with two stops or more
    #[arg(value_parser = number())]
    pub(crate) day: Option<usize>,
    /// When the day begins. Default: 09:00, or earlier if a start time that you set requires it
    #[arg(long, value_name = "HH:MM")]
    pub(crate) start_at: Option<String>,
    /// When the day ends, as far as possible
    #[arg(long, value_name = "HH:MM")]
    pub(crate) end_at: Option<String>,
    /// The means of transport, such as walk, transit or drive. Default: by the distance of each leg
    #[arg(long)]
    pub(crate) mode: Option<String>,
    /// Print the new order without storing it
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Args, Debug)]
pub(crate) struct HistoryArguments {
    /// The trip
    pub(crate) trip: String,
    /// The maximum number of versions
    #[arg(long, short = 'n', value_name = "NUMBER", default_value = "20", value_parser = number())]
    pub(crate) limit: usize,
}

#[derive(Args, Debug)]
pub(crate) struct WatchArguments {
    /// Begin after this cursor, from a line of `watch --json`. Default: now
    #[arg(long, allow_hyphen_values = true)]
    pub(crate) cursor: Option<String>,
    /// End after so many changes
    #[arg(long, short = 'n', value_name = "NUMBER", value_parser = number())]
    pub(crate) limit: Option<usize>,
}
