//! The arguments of commands about the parts of a trip: stops, flights, hotels, expenses, packing items and documents.

use std::path::PathBuf;

use chrono::NaiveDate;
use clap::{ArgGroup, Args, Subcommand};

use super::{coordinate, date, number};
use crate::moment::{self, Moment};

#[derive(Debug, Subcommand)]
pub(crate) enum StopCommand {
    /// Add a stop to a day; the server finds its place by the name
    #[command(after_help = "Examples:\n  itinerary stop add last 1 \"Livraria Lello\"\n  \
        itinerary stop add last 2 \"Sé do Porto\" --position 1 --time 09:30 --minutes 45")]
    Add(AddStop),
    /// Move a stop within its day, or to another day
    #[command(after_help = "Examples:\n  itinerary stop move last 1 3 --position 1\n  \
        itinerary stop move last 1 Livraria --to-day 2")]
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
    #[command(after_help = "Example:\n  itinerary stop remove last 1 Livraria")]
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
pub(crate) struct AddStop {
    /// The trip
    pub(crate) trip: String,
    /// The day
    #[arg(value_parser = number())]
    pub(crate) day: usize,
    /// The stop's name
    pub(crate) name: String,
    /// Its position in the day. Default: the last
    #[arg(long, value_name = "NUMBER", value_parser = number())]
    pub(crate) position: Option<usize>,
    /// The time of arrival, such as 09:30
    #[arg(long, value_name = "HH:MM")]
    pub(crate) time: Option<String>,
    /// How long the visit takes
    #[arg(long, value_name = "NUMBER")]
    pub(crate) minutes: Option<i32>,
    /// The kind of stop, such as museum, cafe or viewpoint
    #[arg(long)]
    pub(crate) category: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum FlightCommand {
    /// Add a flight; airport codes are enough
    #[command(after_help = "TIME is the local time at the airport, such as 2027-05-15T07:00, or has an offset: \
        2027-05-15T07:00+01:00.\n\nExample:\n  itinerary flight add last TP1363 --from LHR --to LIS \\\n    \
        --departs 2027-05-15T07:00 --arrives 2027-05-15T09:45 --seat 14C")]
    Add(Box<AddFlight>),
    /// Remove a flight
    #[command(after_help = "Example:\n  itinerary flight remove last TP1363")]
    Remove {
        /// The trip
        trip: String,
        /// The flight: its number in the list that `show` prints, its id, or the beginning of its flight number
        flight: String,
    },
}

#[derive(Args, Debug)]
pub(crate) struct AddFlight {
    /// The trip
    pub(crate) trip: String,
    /// The flight number with the airline's code, such as TP1363
    #[arg(value_name = "FLIGHT")]
    pub(crate) number: String,
    /// The airport of departure, such as LHR
    #[arg(long, value_name = "AIRPORT")]
    pub(crate) from: Option<String>,
    /// The airport of arrival
    #[arg(long, value_name = "AIRPORT")]
    pub(crate) to: Option<String>,
    /// The departure
    #[arg(long, value_name = "TIME", value_parser = moment::with_time)]
    pub(crate) departs: Option<Moment>,
    /// The arrival
    #[arg(long, value_name = "TIME", value_parser = moment::with_time)]
    pub(crate) arrives: Option<Moment>,
    /// The terminal of departure
    #[arg(long, value_name = "TERMINAL")]
    pub(crate) departure_terminal: Option<String>,
    /// The terminal of arrival
    #[arg(long, value_name = "TERMINAL")]
    pub(crate) arrival_terminal: Option<String>,
    /// The airline's name
    #[arg(long, value_name = "NAME")]
    pub(crate) airline: Option<String>,
    /// economy, premiumEconomy, business or first
    #[arg(long, value_name = "CLASS")]
    pub(crate) cabin: Option<String>,
    /// The seat, such as 14C
    #[arg(long)]
    pub(crate) seat: Option<String>,
    /// The departure gate
    #[arg(long)]
    pub(crate) gate: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum HotelCommand {
    /// Add a hotel; the server finds its place by the name
    #[command(
        after_help = "TIME is the local time at the hotel. A date alone means 15:00 for the check-in, and 11:00 for \
        the check-out.\n\nExamples:\n  \
        itinerary hotel add last \"Casa da Sé\" --check-in 2027-05-15 --check-out 2027-05-17\n  \
        itinerary hotel add last Pensão --at 41.15,-8.61 --room 12"
    )]
    Add(AddHotel),
    /// Remove a hotel
    #[command(after_help = "Example:\n  itinerary hotel remove last Casa")]
    Remove {
        /// The trip
        trip: String,
        /// The hotel: its number in the list that `show` prints, its id, or the beginning of its name
        hotel: String,
    },
}

#[derive(Args, Debug)]
pub(crate) struct AddHotel {
    /// The trip
    pub(crate) trip: String,
    /// The hotel's name
    pub(crate) name: String,
    /// The check-in
    #[arg(long, value_name = "TIME", value_parser = moment::or_date)]
    pub(crate) check_in: Option<Moment>,
    /// The check-out
    #[arg(long, value_name = "TIME", value_parser = moment::or_date)]
    pub(crate) check_out: Option<Moment>,
    /// Where it is, such as 41.15,-8.61. Default: the server looks for the name
    #[arg(long, value_name = "LATITUDE,LONGITUDE", value_parser = coordinate, allow_hyphen_values = true)]
    pub(crate) at: Option<(f64, f64)>,
    /// The postal address
    #[arg(long)]
    pub(crate) address: Option<String>,
    /// The room number or name
    #[arg(long)]
    pub(crate) room: Option<String>,
    /// The hotel's telephone number
    #[arg(long, value_name = "NUMBER")]
    pub(crate) phone: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ExpenseCommand {
    /// Add an expense
    #[command(after_help = "Examples:\n  itinerary expense add last Dinner 48.50\n  \
        itinerary expense add last \"Train to Porto\" 31 --currency EUR --date 2027-05-15 --category transport")]
    Add(AddExpense),
    /// Remove an expense
    #[command(after_help = "Example:\n  itinerary expense remove last Dinner")]
    Remove {
        /// The trip
        trip: String,
        /// The expense: its number in the list that `show` prints, its id, or the beginning of its name
        expense: String,
    },
}

#[derive(Args, Debug)]
pub(crate) struct AddExpense {
    /// The trip
    pub(crate) trip: String,
    /// What the money was spent on
    pub(crate) name: String,
    /// The amount in the currency's main unit, such as 48.50
    #[arg(allow_negative_numbers = true)]
    pub(crate) amount: f64,
    /// The ISO 4217 code of the currency. Default: the trip's
    #[arg(long, value_name = "CODE")]
    pub(crate) currency: Option<String>,
    /// The date, such as 2027-05-15
    #[arg(long, value_parser = date)]
    pub(crate) date: Option<NaiveDate>,
    /// The kind of expense, such as food, transport or lodging
    #[arg(long)]
    pub(crate) category: Option<String>,
}

#[derive(Args, Debug)]
#[command(group = ArgGroup::new("change").args(["done", "undo", "remove"]).requires("items"))]
pub(crate) struct PackArguments {
    /// The trip
    pub(crate) trip: String,
    /// Things to add. With an option below, items of the list: number, id, or beginning of the name. Without any, prints
    /// the list
    #[arg(value_name = "ITEM")]
    pub(crate) items: Vec<String>,
    /// Mark the items as packed
    #[arg(long)]
    pub(crate) done: bool,
    /// Mark the items as not packed
    #[arg(long)]
    pub(crate) undo: bool,
    /// Remove the items from the list
    #[arg(long)]
    pub(crate) remove: bool,
    /// How many of each to pack. Default: 1
    #[arg(long, value_name = "NUMBER", conflicts_with = "change", requires = "items")]
    pub(crate) quantity: Option<i32>,
    /// The category of the new items, such as clothing, electronics or documents
    #[arg(long, conflicts_with = "change", requires = "items")]
    pub(crate) category: Option<String>,
}

#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct DocumentsArguments {
    #[command(subcommand)]
    pub(crate) command: Option<DocumentsCommand>,
    /// The trip whose documents to list
    #[arg(required = true)]
    pub(crate) trip: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum DocumentsCommand {
    /// Add a file: sealed to a recipient, or sealed already (age, CMS or JWE)
    #[command(
        after_help = "Examples:\n  itinerary documents add last pass.pdf --recipient age1… --category boardingPass\n  \
        itinerary documents add last pass.pdf.age"
    )]
    Add(AddDocument),
    /// Fetch a document, and open it with an identity
    #[command(after_help = "Examples:\n  itinerary documents get last pass --identity key.txt --output pass.pdf\n  \
        itinerary documents get last 1 --output pass.pdf.age")]
    Get(GetDocument),
    /// Delete a document for everyone
    #[command(after_help = "Example:\n  itinerary documents delete last pass")]
    Delete {
        /// The trip
        trip: String,
        /// The document: its number in the list, its id, or the beginning of its name
        document: String,
    },
}

#[derive(Args, Debug)]
pub(crate) struct AddDocument {
    /// The trip
    pub(crate) trip: String,
    /// The file, at most 20 MB
    pub(crate) file: PathBuf,
    /// Seal the file on this machine to an age recipient, such as age1…; may be repeated
    #[arg(long, value_name = "RECIPIENT")]
    pub(crate) recipient: Vec<itinerary_sdk::age::x25519::Recipient>,
    /// The document's name. Default: the file's
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// The kind of document, such as boardingPass, ticket or passport
    #[arg(long)]
    pub(crate) category: Option<itinerary_sdk::types::DocumentCategory>,
}

#[derive(Args, Debug)]
pub(crate) struct GetDocument {
    /// The trip
    pub(crate) trip: String,
    /// The document: its number in the list, its id, or the beginning of its name
    pub(crate) document: String,
    /// A file with age identities, such as `age-keygen` writes, to open the document with. Default: it stays sealed
    #[arg(long, value_name = "FILE")]
    pub(crate) identity: Option<PathBuf>,
    /// The file to write. Default: the name that it was uploaded with
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}
