//! Bookings that a traveller pastes: the source of mails, calendars or JSON-LD, as fields of an itinerary.

use bytes::Bytes;
use itinerary_api::error::ErrorCode;
use itinerary_api::types::{ImportQuery, ImportResult, ImportState};
use itinerary_api::values::limits;
use itinerary_app::itineraries::imports::{self, ImportFile};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::outcome::Refusal;
use super::text;
use crate::ToolContext;

/// The argument that has them.
const BOOKINGS: &str = "bookings";
/// The maximum number of lines about what was ignored.
const IGNORED: usize = 5;

/// What was found in the texts.
pub(super) struct Bookings {
    /// The fields to write: those of a new itinerary, or the lists of one that change.
    fields: Map<String, Value>,
    /// The version of the itinerary that the texts were compared with.
    pub etag: Option<String>,
    /// What was found, and what was ignored.
    pub lines: Vec<String>,
}

impl Bookings {
    /// Reads texts for a new itinerary, or for the one with this id.
    pub(super) async fn read(
        context: &ToolContext,
        tool: &'static str,
        itinerary_id: Option<Uuid>,
        texts: Vec<String>,
    ) -> Result<Self, Refusal> {
        if texts.len() > limits::IMPORT_FILES {
            return Err(Refusal::invalid(BOOKINGS, &format!("has more than {} texts.", limits::IMPORT_FILES)));
        }
        let file = |(index, text)| ImportFile {
            name: format!("{BOOKINGS}[{index}]"),
            media_type: None,
            content: Some(Bytes::from(String::into_bytes(text))),
        };
        let files = texts.into_iter().enumerate().map(file).collect();
        let query = ImportQuery { itinerary_id, ..ImportQuery::default() };
        let read = Box::pin(imports::import(context.service(), context.caller(), &query, files));
        let result = context.read("import_read", read).await.map_err(|error| match error.code {
            ErrorCode::ValidationFailed => Refusal::invalid(
                BOOKINGS,
                "has nothing to import: send the source of a mail, a calendar, JSON-LD or a boarding pass's barcode, or \
                 set the fields yourself.",
            ),
            _ => Refusal::of(tool, "", false, &error),
        })?;
        Ok(Self::from(result))
    }

    /// Adds the fields that are not sent.
    pub(super) fn fill(self, sent: &mut Map<String, Value>) -> Vec<String> {
        for (name, value) in self.fields {
            sent.entry(name).or_insert(value);
        }
        self.lines
    }
}

impl From<ImportResult> for Bookings {
    fn from(result: ImportResult) -> Self {
        let lines = lines(&result);
        let fields = match json!(result.itinerary) {
            Value::Object(fields) => fields,
            _ => Map::new(),
        };
        Self { fields, etag: result.etag, lines }
    }
}

fn lines(result: &ImportResult) -> Vec<String> {
    let count = |state| result.items.iter().filter(|item| item.state == state).count();
    let (added, updated) = (count(ImportState::Added), count(ImportState::Updated));
    let there = count(ImportState::Unchanged);
    let mut lines = vec![format!("From the bookings: {added} added, {updated} updated, {there} already there.")];
    let differing = result.items.iter().filter(|item| item.changes.iter().any(|change| change.was.is_some()));
    lines.extend(differing.take(IGNORED).map(|item| {
        let fields = item.changes.iter().filter(|change| change.was.is_some()).map(|change| &*change.field);
        format!("{} differs, and was kept: {}.", item.field, fields.collect::<Vec<_>>().join(", "))
    }));
    lines.extend(result.ignored.iter().take(IGNORED).map(|ignored| {
        let message = text::quoted(&ignored.message);
        format!("Ignored in {}: {message}", ignored.file)
    }));
    lines
}
