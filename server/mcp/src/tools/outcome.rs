//! Results of tools, and the API's errors as text for a model: what is wrong, and what to do next.

use http::header;
use itinerary_api::error::{ApiError, ErrorCode};
use itinerary_platform::log::without_quotes;
use serde::Deserialize;
use serde_json::{Value, json};

use super::json::Object;
use super::text::{self, Lines};
use super::trip::Trip;

/// A successful call.
#[derive(Debug)]
pub(super) struct Done {
    /// For the model.
    pub text: String,
    /// For programs: a JSON object.
    pub structured: Object,
}

impl Done {
    /// An itinerary after a change: what was done, its head, lines about what changed, and what needs attention.
    /// `changed` is the name and the JSON of what changed.
    pub(super) fn changed(trip: &Trip, summary: &str, lines: Vec<String>, changed: Option<(&str, &[u8])>) -> Self {
        let mut text = Lines::default();
        text.push(summary);
        text.extend(text::head(trip));
        text.extend(lines);
        text.extend(text::attention(trip));
        let mut structured = Object::default();
        structured.field("itinerary", &trip.outline());
        structured.field("etag", &trip.etag);
        structured.field("needsAttention", &trip.content.needs_attention);
        if let Some((name, json)) = changed {
            structured.json(name, json);
        }
        Self { text: text.text("get_itinerary has the rest."), structured }
    }

    /// The same for a change of a day.
    pub(super) fn changed_day(trip: &Trip, summary: &str, day: Option<usize>) -> Self {
        let Some(day) = day else { return Self::changed(trip, summary, Vec::new(), None) };
        let mut lines = text::day(trip, day);
        lines.extend(text::out_of_order(trip, day));
        Self::changed(trip, summary, lines, Some(("day", &trip.day(day))))
    }
}

/// A failed call.
#[derive(Debug)]
pub(super) struct Refusal {
    pub text: String,
    pub code: ErrorCode,
    pub details: Value,
}

/// Hints for arguments that models often get wrong, by the last name of their path.
const HINTS: &[(&str, &str)] = &[
    ("itineraryId", "list_itineraries has the ids of itineraries."),
    ("ifMatch", "Send the ETag of get_itinerary or of the last change, or * to overwrite whatever is there."),
    ("idempotencyKey", "Make a new random UUID for each change, and repeat it only in a retry."),
    ("departureDate", LOCAL_TIME),
    ("arrivalDate", LOCAL_TIME),
    ("checkInDate", LOCAL_TIME),
    ("checkOutDate", LOCAL_TIME),
    ("updatedSince", "Write it like 2027-05-15T00:00:00Z."),
    ("startTime", "Write the local time at the stop as HH:MM, such as 09:30 or 19:00."),
    ("startAt", "Write the local time as HH:MM, such as 09:30."),
    ("endAt", "Write the local time as HH:MM, such as 18:00."),
    ("startDate", "Write it as YYYY-MM-DD, such as 2027-05-15."),
    (
        "coordinate",
        "Send {\"latitude\": …, \"longitude\": …}; for a destination the rough centre of the town is good enough.",
    ),
    ("timeZone", "Send an IANA name, such as Europe/Lisbon."),
    ("countryCode", "Send two letters, such as PT."),
    ("currency", "Send three letters, such as EUR."),
    ("code", "Send an airport's three letters, such as LIS."),
    ("position", POSITION),
    ("cursor", "Send the nextCursor of the page before with the same filters, or start again without it."),
    ("category", "plan_itinerary's schema has the categories of stops; other fits anything."),
    ("regions", "Send English names of countries, sub-regions or continents, such as Portugal or Southern Europe."),
];
/// The beginning of the API's message about a full list.
const FULL: &str = "is full";
const POSITION: &str = "1 is the first; leave it out for the end.";
const LOCAL_TIME: &str =
    "Write the local time with the offset that holds there on that date, such as 2027-05-15T08:05:00+01:00.";

impl Refusal {
    /// An error that the tool itself detects.
    pub(super) fn new(code: ErrorCode, text: impl Into<String>, details: Value) -> Self {
        Self { text: text.into(), code, details }
    }

    /// An argument that cannot be parsed. `path` is such as `days[0].stops[1].name`; `problem` follows it in a sentence.
    pub(super) fn argument(tool: &str, path: &str, problem: &str) -> Self {
        let is_missing_tag = path == "ifMatch" && problem == "is required";
        let code = if is_missing_tag { ErrorCode::PreconditionRequired } else { ErrorCode::ValidationFailed };
        let text = format!("`{path}` {problem}. {} Nothing was done.", next_step(path, tool));
        Self::new(code, text, json!({ "field": path }))
    }

    /// An argument that matches the schema but is invalid.
    pub(super) fn invalid(argument: &str, problem: &str) -> Self {
        let text = format!("`{argument}` {problem} Nothing was done.");
        Self::new(ErrorCode::ValidationFailed, text, json!({ "field": argument }))
    }

    /// Parses an operation's answer.
    pub(super) fn unless_parsed<'a, T: Deserialize<'a>>(answer: &'a [u8]) -> Result<T, Self> {
        serde_json::from_slice(answer).map_err(|error| {
            tracing::error!(error = without_quotes(&error.to_string()), "the answer of an operation cannot be parsed");
            let ApiError { code, message, .. } = ApiError::internal();
            Self::new(code, message, Value::Null)
        })
    }

    pub(super) fn not_found(text: impl Into<String>) -> Self {
        Self::new(ErrorCode::NotFound, text, Value::Null)
    }

    /// An operation's error. `within` is the argument that the operation's body was made of, or empty if all of them
    /// were. `keyed`: the call had an idempotency key, so that it may be a retry of one that succeeded.
    pub(super) fn of(tool: &str, within: &str, keyed: bool, error: &ApiError) -> Self {
        let ApiError { code, message, details, headers } = error;
        let field = details.as_ref().and_then(|details| details.field.as_deref());
        let mut told = details.as_ref().map_or(Value::Null, |details| json!(details));
        let text = match (code, field) {
            (ErrorCode::ValidationFailed, Some(field)) => {
                // The API's message begins with the name of its field.
                let problem = message.strip_prefix(&format!("`{field}` ")).unwrap_or(message);
                let argument = argument_of(field, within, problem);
                let text = invalid(tool, &argument, problem);
                told["field"] = json!(argument);
                text
            }
            (ErrorCode::ValidationFailed, None) => {
                format!("{} Correct it and call {tool} again. Nothing was done.", sentence(message, within))
            }
            _ => {
                let etag = headers.iter().find(|(name, _)| *name == header::ETAG);
                let etag = etag.and_then(|(_, etag)| etag.to_str().ok());
                explanation(*code, message, &told, etag, keyed)
            }
        };
        Self { text, code: *code, details: told }
    }
}

/// An argument that the API rejected, and what to do about it.
fn invalid(tool: &str, argument: &str, problem: &str) -> String {
    if argument == "position" {
        // The API counts from 0, the tools from 1. The schema has already rejected positions below 1.
        return format!("`position` is past the end of the list. {POSITION} Nothing was done.");
    }
    if problem.starts_with(FULL) {
        // The list is full; no argument is wrong.
        let list = if argument == "toDay" { "stops of that day" } else { argument };
        return format!("The list of {list} {problem} Remove something first. Nothing was done.");
    }
    format!("`{argument}` {problem} {} Nothing was done.", next_step(argument, tool))
}

/// Completes the API's message to a sentence, because some messages are only the end of one.
fn sentence(message: &str, within: &str) -> String {
    match (message.strip_prefix("The body "), within) {
        (Some(problem), "") if problem.starts_with("must ") => format!("The arguments {problem}"),
        (None, _) | (_, "") => message.to_owned(),
        (Some(problem), within) => format!("`{within}` {problem}"),
    }
}

/// The argument that an API field was made of.
fn argument_of(field: &str, within: &str, problem: &str) -> String {
    match field {
        "If-Match" => "ifMatch".to_owned(),
        "Idempotency-Key" => "idempotencyKey".to_owned(),
        "id" if within.is_empty() => "itineraryId".to_owned(),
        "dayId" if within.is_empty() => "toDay".to_owned(),
        "position" => field.to_owned(),
        // The list to which an entry was added.
        field if within.is_empty() || problem.starts_with(FULL) => field.to_owned(),
        field => format!("{within}.{field}"),
    }
}

fn next_step(path: &str, tool: &str) -> String {
    let last = path.rsplit('.').next().unwrap_or_default();
    match HINTS.iter().find(|(name, _)| *name == last) {
        Some((_, hint)) => (*hint).to_owned(),
        None => format!("Correct it and call {tool} again."),
    }
}

/// Renders an error with the next step.
fn explanation(code: ErrorCode, message: &str, details: &Value, etag: Option<&str>, keyed: bool) -> String {
    let of = |name: &str| details[name].as_str().unwrap_or_default();
    let done = if keyed {
        "If this call is a retry, the change may be in place already: read it again."
    } else {
        "Nothing was done."
    };
    let next = match code {
        ErrorCode::ItineraryModified => {
            return format!(
                "The itinerary has changed since you read it; its ETag is now {}. {done} Read it again with \
                 get_itinerary, check that your change still makes sense, and repeat the call with that ETag as ifMatch.",
                etag.unwrap_or("unknown")
            );
        }
        ErrorCode::DuplicateItinerary => {
            return format!(
                "The traveller already has an itinerary with this destination and start date: id {}. {done} \
                 Read it with get_itinerary and change it, or, if the traveller wants a second one, repeat the call with \
                 allowDuplicate: true.",
                of("itineraryId")
            );
        }
        ErrorCode::SubscriptionRequired => {
            return format!(
                "`{}` needs the Pro subscription, which this traveller does not have. Nothing was done. Leave it out, and \
                 tell the traveller.",
                of("section")
            );
        }
        ErrorCode::Forbidden if details["required"].is_string() => {
            return format!(
                "The traveller has not allowed this app {}. Nothing was done. Ask the traveller to connect it again and \
                 to allow that.",
                of("required")
            );
        }
        ErrorCode::Forbidden => "Do not repeat the call; tell the traveller.",
        ErrorCode::NotFound => "list_itineraries has the ids of itineraries, get_itinerary those of what is in them.",
        ErrorCode::IdempotencyKeyReused => {
            return "This idempotencyKey was sent with other arguments before. Send a new UUID for another change."
                .to_owned();
        }
        ErrorCode::ItineraryTooLarge => "An itinerary holds at most 256 KB: shorten texts or split the trip in two.",
        ErrorCode::RateLimited => "Wait a minute, then repeat the call.",
        ErrorCode::UpstreamFailed | ErrorCode::FeatureUnavailable | ErrorCode::RequestTimeout => {
            "Repeat the same call in a few seconds."
        }
        ErrorCode::InternalError => "Read the itinerary to see whether anything was done before you repeat the call.",
        _ => "Change the arguments before you call again.",
    };
    format!("{message} {next}")
}
