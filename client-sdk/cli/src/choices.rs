//! Arguments that are one of a few words.

use clap::ValueEnum;
use itinerary_sdk::types::{self, ExportFormat, MemberRole, Visibility};

/// Which trips to list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Filter {
    /// Owned, shared with you, and saved
    All,
    /// Your own, copies included
    Owned,
    /// Shared with you
    Shared,
    /// Copies that you saved
    Saved,
    /// Liked
    Liked,
    /// Disliked
    Disliked,
}

impl Filter {
    /// The name on the wire.
    pub(crate) fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }
}

/// Who can see a trip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Audience {
    /// You and the members
    Private,
    /// Also your followers
    Followers,
    /// Anyone who has the address
    Unlisted,
    /// Everyone; it is listed in Explore
    Public,
}

impl From<Audience> for Visibility {
    fn from(audience: Audience) -> Self {
        match audience {
            Audience::Private => Self::Private,
            Audience::Followers => Self::Followers,
            Audience::Unlisted => Self::Unlisted,
            Audience::Public => Self::Public,
        }
    }
}

/// What a member may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Role {
    /// Read
    Viewer,
    /// Read and change
    Editor,
}

impl From<Role> for MemberRole {
    fn from(role: Role) -> Self {
        match role {
            Role::Viewer => Self::Viewer,
            Role::Editor => Self::Editor,
        }
    }
}

/// What a secret link shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LinkSections {
    /// What everyone sees of a public trip
    Plan,
    /// Also flights, hotels, transports and reservations, without what is needed to change them
    Bookings,
}

impl From<LinkSections> for types::LinkSections {
    fn from(sections: LinkSections) -> Self {
        match sections {
            LinkSections::Plan => Self::Plan,
            LinkSections::Bookings => Self::Bookings,
        }
    }
}

/// The format of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// iCalendar, for calendars
    Ics,
    /// GPX, for navigation
    Gpx,
    /// `GeoJSON`, for maps
    Geojson,
    /// KML, for Google Earth
    Kml,
    /// Markdown
    Md,
    /// HTML to print
    Html,
    /// JSON, to import again
    Json,
}

impl Format {
    /// The name on the wire, which is also the file's extension.
    pub(crate) fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }
}

impl From<Format> for ExportFormat {
    fn from(format: Format) -> Self {
        match format {
            Format::Ics => Self::Ics,
            Format::Gpx => Self::Gpx,
            Format::Geojson => Self::Geojson,
            Format::Kml => Self::Kml,
            Format::Md => Self::Md,
            Format::Html => Self::Html,
            Format::Json => Self::Json,
        }
    }
}
