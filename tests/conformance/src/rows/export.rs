//! Exports of an itinerary.

use serde_json::json;

use crate::context::{Context, Made};
use crate::operations::{NOTHING, whole};
use crate::outcome::{Checked, ensure};
use crate::row::{Row, row};

const OPERATION: &str = "itinerary_export";

/// Format, media type, and text that each file of the format has.
const FORMATS: [(&str, &str, &str); 6] = [
    ("ics", "text/calendar", "BEGIN:VCALENDAR"),
    ("gpx", "application/gpx+xml", "<gpx"),
    ("geojson", "application/geo+json", "FeatureCollection"),
    ("kml", "application/vnd.google-earth.kml+xml", "<kml"),
    ("md", "text/markdown", "# "),
    ("html", "text/html", "<html"),
];

pub(super) fn rows() -> Vec<Row> {
    let mut rows: Vec<Row> = FORMATS
        .map(|(format, media_type, mark)| {
            let promise = format!("format={format} gives the itinerary as {media_type}.");
            let check = move |context: Context| exported(context, format, media_type, mark);
            row(format!("itinerary.export.{format}"), OPERATION, promise, check)
        })
        .into();
    rows.extend([
        row("itinerary.export.accept", OPERATION, "Without a format, Accept chooses it.", accept),
        row(
            "itinerary.export.format-wins",
            OPERATION,
            "The format in the query takes precedence over Accept.",
            format_wins,
        ),
        row("itinerary.export.unknown", OPERATION, "An unknown format is validationFailed on format.", unknown),
        row("itinerary.export.none", OPERATION, "Without format and usable Accept, the request is rejected.", none),
        row(
            "itinerary.export.not-modified",
            OPERATION,
            "If-None-Match with the export's ETag answers 304.",
            not_modified,
        ),
        row("itinerary.export.sections", OPERATION, "A reader who is not a member is not shown flights.", sections),
        row("itinerary.export.hidden", OPERATION, "Another traveller's private itinerary is not found.", hidden),
    ]);
    rows
}

fn path(made: &Made, query: &str) -> String {
    made.at(&format!("/export{query}"))
}

async fn exported(context: Context, format: &'static str, media_type: &'static str, mark: &'static str) -> Checked {
    let mut fields = whole();
    fields["title"] = json!("Exported to a file");
    let made = context.itinerary(fields).await?;
    let response = made.get(&path(&made, &format!("?format={format}"))).send().await?;
    let found = response.status(200)?.header("content-type").split(';').next().unwrap_or_default().trim();
    response.ensure(found == media_type, format!("Content-Type {media_type}"))?;
    let text = response.text();
    response.ensure(text.contains(mark), format!("a file with {mark}"))?;
    response.ensure(text.contains("Exported to a file"), "a file with the itinerary's title")?;
    response.etag().map(drop)
}

async fn accept(context: Context) -> Checked {
    let made = context.itinerary(json!({})).await?;
    for (_, media_type, mark) in FORMATS {
        let response = made.get(&path(&made, "")).header("Accept", media_type).send().await?;
        response.status(200)?.ensure(response.text().contains(mark), format!("a file of type {media_type}"))?;
    }
    Ok(())
}

async fn format_wins(context: Context) -> Checked {
    let made = context.itinerary(json!({})).await?;
    let response = made.get(&path(&made, "?format=gpx")).header("Accept", "text/calendar").send().await?;
    response.status(200)?.ensure(response.text().contains("<gpx"), "a file of type application/gpx+xml").map(drop)
}

async fn unknown(context: Context) -> Checked {
    let made = context.itinerary(json!({})).await?;
    made.get(&path(&made, "?format=docx")).send().await?.invalid("format")
}

async fn none(context: Context) -> Checked {
    let made = context.itinerary(json!({})).await?;
    made.get(&path(&made, "")).header("Accept", "image/png").send().await?.invalid("format")
}

async fn not_modified(context: Context) -> Checked {
    let made = context.itinerary(json!({})).await?;
    let address = path(&made, "?format=md");
    let first = made.get(&address).send().await?;
    let etag = first.status(200)?.etag()?;
    made.get(&address).header("If-None-Match", etag).send().await?.status(304)?.empty()?;
    made.get(&address).header("If-None-Match", &made.etag).send().await?.status(200).map(drop)
}

async fn sections(context: Context) -> Checked {
    let made = context.itinerary(whole()).await?.patched(&json!({ "visibility": "unlisted" })).await?;
    let reader = context.other(&made.app)?;
    for (format, ..) in FORMATS {
        let address = path(&made, &format!("?format={format}"));
        let response = reader.get(&address).send().await?;
        let shows = response.status(200)?.text().contains("TP1689");
        response.ensure(!shows, "a file without the flight, which only members see")?;
    }
    let own = made.get(&path(&made, "?format=md")).send().await?;
    ensure(own.text().contains("TP1689"), "the flight in the owner's export")
}

async fn hidden(context: Context) -> Checked {
    let made = context.itinerary(json!({})).await?;
    let other = context.other(&made.app)?;
    other.get(&path(&made, "?format=ics")).send().await?.error(404, "notFound")?;
    other.get(&format!("/v1/itineraries/{NOTHING}/export?format=ics")).send().await?.error(404, "notFound").map(drop)
}
