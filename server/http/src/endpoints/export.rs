//! Exports as responses.

use std::cmp::Ordering;

use dropshot::Body;
use http::header::{self, HeaderMap, HeaderValue};
use http::{Response, StatusCode};
use itinerary_api::error::ApiError;
use itinerary_api::reply::Export;
use itinerary_api::request_state::Caller;
use itinerary_api::types::ExportFormat;
use itinerary_app::itineraries::ReadConditions;
use itinerary_app::itineraries::exports::{self, Exported};
use itinerary_core::file_name;
use itinerary_platform::context::Service;
use uuid::Uuid;

/// The number of media types in `Accept` that are read.
const RANGES: usize = 64;

/// Exports an itinerary to the format of the query, or else of `Accept`.
pub(super) async fn export(
    service: &Service,
    headers: &HeaderMap,
    caller: &Caller,
    id: Uuid,
    format: Option<ExportFormat>,
    known: ReadConditions,
) -> Result<Export, ApiError> {
    let format = self::format(format, headers)?;
    Ok(response(exports::export(service, caller, id, format, known).await?, format))
}

/// The format that a request names: in its query, otherwise in `Accept`.
fn format(query: Option<ExportFormat>, headers: &HeaderMap) -> Result<ExportFormat, ApiError> {
    query.or_else(|| accepted(headers)).ok_or_else(|| {
        let names = ExportFormat::ALL.map(ExportFormat::name).join(", ");
        ApiError::invalid("format", format!("must be one of {names}, unless Accept has the media type of one of them"))
    })
}

/// The format with the highest quality in `Accept`, the first of equals. Ranges with wildcards name no format, and neither
/// does `application/json`: clients send it with every request, so it does not say that JSON is wanted.
fn accepted(headers: &HeaderMap) -> Option<ExportFormat> {
    let values = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let ranges = values.flat_map(|value| value.split(',')).take(RANGES).filter_map(|range| {
        let mut parts = range.split(';').map(str::trim);
        let media_type = parts.next()?;
        let mut named = ExportFormat::ALL.into_iter().filter(|format| *format != ExportFormat::Json);
        let format = named.find(|format| format.media_type().eq_ignore_ascii_case(media_type));
        Some((format?, quality(parts)?))
    });
    // `max_by` returns the last of equals.
    let best = ranges.fold(None, |best: Option<(ExportFormat, f32)>, range| match best {
        Some((_, quality)) if range.1.partial_cmp(&quality) != Some(Ordering::Greater) => best,
        _ => Some(range),
    });
    best.map(|(format, _)| format)
}

/// The quality of a media range, 1 by default. `None` if it is 0 or malformed.
pub(super) fn quality<'p>(mut parameters: impl Iterator<Item = &'p str>) -> Option<f32> {
    let named = |parameter: &'p str| {
        let (name, value) = parameter.split_once('=')?;
        name.trim().eq_ignore_ascii_case("q").then_some(value.trim())
    };
    match parameters.find_map(named) {
        None => Some(1.0),
        Some(value) => value.parse().ok().filter(|quality| *quality > 0.0 && *quality <= 1.0),
    }
}

fn response(exported: Exported, format: ExportFormat) -> Export {
    let mut response = Response::new(Body::empty());
    let headers = response.headers_mut();
    let ascii = |value: &str| HeaderValue::from_str(value).expect("ASCII without control characters");
    headers.insert(header::ETAG, ascii(&exported.etag));
    headers.insert(
        header::VARY,
        HeaderValue::from_static("Accept, Authorization, Service-Itinerary-Shape, Accept-Encoding"),
    );
    let Some(file) = exported.file else {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        return Export(response);
    };
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type(format)));
    headers.insert(header::CONTENT_DISPOSITION, ascii(&file_name::attachment(&file.name)));
    *response.body_mut() = Body::from(file.bytes);
    Export(response)
}

/// The media type of a file. XML states its encoding itself; JSON is always UTF-8.
fn content_type(format: ExportFormat) -> &'static str {
    match format {
        ExportFormat::Ics => "text/calendar; charset=utf-8",
        ExportFormat::Md => "text/markdown; charset=utf-8",
        ExportFormat::Html => "text/html; charset=utf-8",
        ExportFormat::Gpx | ExportFormat::Geojson | ExportFormat::Kml | ExportFormat::Json => format.media_type(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepting(values: &[&str]) -> Option<ExportFormat> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(header::ACCEPT, value.parse().expect("a header"));
        }
        accepted(&headers)
    }

    #[test]
    fn accept_names_the_format_of_the_highest_quality() {
        use ExportFormat::{Gpx, Html, Ics, Md};
        for (values, expected) in [
            (&["text/calendar"][..], Some(Ics)),
            (&["TEXT/Markdown; charset=utf-8"], Some(Md)),
            (&["text/html;q=0.5, text/calendar; Q=0.7"], Some(Ics)),
            (&["text/html", "application/gpx+xml"], Some(Html)),
            (&["text/html;q=0, application/gpx+xml;q=0.1"], Some(Gpx)),
            (&["text/html,application/xhtml+xml,*/*;q=0.8"], Some(Html)),
            (&["*/*"], None),
            (&["text/*, application/json"], None),
            (&["text/html;q=2, text/html;q=x, text/html;q=NaN, text/html;q=-1"], None),
            (&["", ",;,"], None),
            (&[], None),
        ] {
            assert_eq!(accepting(values), expected, "{values:?}");
        }
    }

    #[test]
    fn a_long_accept_is_not_read_to_its_end() {
        let long = format!("{}text/html", "a/b,".repeat(RANGES));
        assert_eq!(accepting(&[&long]), None);
    }
}
