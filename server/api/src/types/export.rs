//! Exports of an itinerary to the formats of other programs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The format of an export: `ics`, iCalendar; `gpx`, GPX 1.1; `geojson`, GeoJSON; `kml`, KML 2.2; `md`, Markdown; `html`,
/// one HTML file for reading and printing; `json`, the itinerary as JSON, which `import_read` reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs, reason = "a comment on a variant would turn the schema's plain list into a oneOf")]
pub enum ExportFormat {
    Ics,
    Gpx,
    Geojson,
    Kml,
    Md,
    Html,
    Json,
}

impl ExportFormat {
    /// All formats.
    pub const ALL: [Self; 7] = [Self::Ics, Self::Gpx, Self::Geojson, Self::Kml, Self::Md, Self::Html, Self::Json];

    /// The format's name in queries and ETags, which is also the extension of its files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ics => "ics",
            Self::Gpx => "gpx",
            Self::Geojson => "geojson",
            Self::Kml => "kml",
            Self::Md => "md",
            Self::Html => "html",
            Self::Json => "json",
        }
    }

    /// The media type without parameters.
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Ics => "text/calendar",
            Self::Gpx => "application/gpx+xml",
            Self::Geojson => "application/geo+json",
            Self::Kml => "application/vnd.google-earth.kml+xml",
            Self::Md => "text/markdown",
            Self::Html => "text/html",
            Self::Json => "application/json",
        }
    }
}

/// The path of a calendar.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct CalendarPath {
    /// The calendar's secret, and `.ics`.
    pub file: String,
}

/// The query of an export.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
pub struct ExportQuery {
    /// The format. Takes precedence over `Accept`. Required if `Accept` does not contain the media type of a format, and for
    /// `json`: many clients accept `application/json` in every request.
    pub format: Option<ExportFormat>,
}
