//! Files as they are received, what is found in them, and why something is ignored.

use chrono::{DateTime, NaiveDate, Utc};

use crate::booking::{Booking, Spot, Waypoint};
use crate::own_item::OwnItem;

/// A file to read.
#[derive(Clone, Copy, Debug)]
pub struct File<'a> {
    /// The file's name as it was sent, for responses. May be empty.
    pub name: &'a str,
    /// Its media type as it was sent. Readers are chosen by the content where it is missing, generic or wrong.
    pub media_type: Option<&'a str>,
    /// The bytes.
    pub content: &'a [u8],
}

/// A format that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Format {
    Mail,
    Html,
    JsonLd,
    Pass,
    BoardingPass,
    Calendar,
    Gpx,
    Kml,
    Itinerary,
    TripIt,
    AdventureLog,
    Trek,
}

/// What was found in a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// Bookings, in the order of the file.
    pub bookings: Vec<Booking>,
    /// Bookings of this service's own calendars.
    pub items: Vec<OwnItem>,
    /// Places to see, from tracks and maps.
    pub waypoints: Vec<Waypoint>,
    /// The trip that the file is of, if it is of one.
    pub trip: Option<Outline>,
    /// An itinerary of this service as JSON, to be read as the API's own type.
    pub itinerary: Option<serde_json::Value>,
    /// When the file was last changed or sent, if it says so. It decides between readings of one booking that have no
    /// time of their own.
    pub written: Option<DateTime<Utc>>,
    /// Parts of the file that were left out.
    pub ignored: Vec<Ignored>,
}

/// A trip without its bookings and places.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outline {
    /// The trip's title.
    pub title: Option<String>,
    /// A description.
    pub summary: Option<String>,
    /// Where it goes.
    pub destination: Option<Spot>,
    /// The first day.
    pub start: Option<NaiveDate>,
    /// The last day.
    pub end: Option<NaiveDate>,
    /// Days with words of their own, in order.
    pub days: Vec<OutlineDay>,
}

/// A day of a trip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutlineDay {
    /// The date.
    pub date: NaiveDate,
    /// The day's title.
    pub title: Option<String>,
    /// Words about the day.
    pub notes: Option<String>,
}

/// Why a file, or a part of one, is ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// No reader knows the format, or the file has no booking.
    NotRecognised,
    /// The booking is cancelled.
    Cancelled,
    /// The format or a feature of it, such as encryption, is not read.
    Unsupported,
    /// The file, or what is packed in it, is over a limit.
    TooLarge,
    /// The file is damaged.
    Malformed,
}

/// Something that was ignored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ignored {
    /// The reason.
    pub reason: Reason,
    /// A sentence for people, with what was wrong where.
    pub message: String,
}
