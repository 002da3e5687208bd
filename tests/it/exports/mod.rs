//! Exports of an itinerary, and the calendar of an account. What the files contain is tested in `server/export`, and with
//! independent readers in `tests/exports`.

mod account_calendar;
mod itinerary_export;
mod itinerary_export_access;
mod itinerary_export_links;

use itinerary_tests::app::{App, path};
use itinerary_tests::raw::{Call, RawResponse};
use reqwest::Method;

/// A call that exports an itinerary. `query` has no question mark.
fn call(app: &App<'_>, id: &str, query: &str) -> Call {
    app.call(Method::GET, &format!("{}/export?{query}", path(id)))
}

async fn export(app: &App<'_>, id: &str, format: &str) -> RawResponse {
    let response = call(app, id, &format!("format={format}")).send().await;
    assert_eq!(response.status, 200, "{}", response.text());
    response
}
