//! The story, told by the crate that cargo-progenitor makes. It leaves out null, which its patches cannot say, and the upload.
//!
//! ```sh
//! story ADDRESS TOKEN SEALED_FILE
//! ```

use itinerary_client::types::{
    ErrorEnvelope, CoordinateInput, DayInput, DestinationInput, FlightInput, Itinerary, ItineraryCreate, ItineraryPatch,
    ListFilter, StopInput, StopPatch,
};
use itinerary_client::{Client, Error, ResponseValue};
use reqwest::StatusCode;
use reqwest::header::{AUTHORIZATION, ETAG, HeaderMap};
use serde_json::json;
use uuid::Uuid;

const DEPARTURE: &str = "2027-05-15T08:05:00+01:00";

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn etag<T>(response: &ResponseValue<T>) -> String {
    let etag = response.headers().get(ETAG).expect("an ETag");
    etag.to_str().expect("an ETag is text").to_owned()
}

/// The status and the code of a refusal.
fn refusal<T: std::fmt::Debug>(answer: Result<ResponseValue<T>, Error<ErrorEnvelope>>) -> (StatusCode, String) {
    match answer {
        Err(Error::ErrorResponse(refused)) => (refused.status(), refused.error.code.to_string()),
        other => panic!("a refusal was expected, not {other:?}"),
    }
}

/// Creates an itinerary. The key makes a retry safe.
async fn create(client: &Client, start: &str, flights: Vec<FlightInput>, key: Uuid) -> Outcome<(Uuid, String)> {
    let castle: StopInput = serde_json::from_value(
        json!({ "name": "Castelo de São Jorge", "category": "landmark", "startTime": "10:00" }),
    )?;
    let day = DayInput { stops: Some(vec![castle]), ..serde_json::from_value(json!({}))? };
    let destination: DestinationInput =
        serde_json::from_value(json!({ "name": "Lisbon", "coordinate": { "latitude": 38.72, "longitude": -9.14 } }))?;
    let CoordinateInput { latitude, .. } = destination.coordinate;
    assert!((latitude - 38.72).abs() < 1e-9);
    let trip = ItineraryCreate {
        title: Some("A weekend in Lisbon".to_owned()),
        summary: Some("Tiles and trams".to_owned()),
        start_date: Some(start.parse().expect("a date")),
        days: Some(vec![day]),
        flights: Some(flights),
        ..serde_json::from_value(json!({ "destination": destination }))?
    };
    let created = client.itinerary_create(None, None, Some(&key.to_string()), &trip).await?;
    assert_eq!(created.status(), StatusCode::CREATED);
    Ok((created.id, etag(&created)))
}

async fn change(
    client: &Client,
    id: &Uuid,
    etag: &str,
    title: &str,
) -> Result<ResponseValue<Itinerary>, Error<ErrorEnvelope>> {
    let patch = ItineraryPatch { title: Some(title.to_owned()), ..ItineraryPatch::default() };
    client.itinerary_update(id, None, etag, None, &patch).await
}

async fn story(client: &Client) -> Outcome<()> {
    // Create.
    let flight = FlightInput {
        flight_number: Some("TP 1335".to_owned()),
        departure_date: Some(DEPARTURE.to_owned()),
        ..FlightInput::default()
    };
    let key = Uuid::new_v4();
    let (first, version) = create(client, "2027-05-15", vec![flight.clone()], key).await?;
    assert_eq!(create(client, "2027-05-15", vec![flight], key).await?, (first, version.clone()));
    let (second, _) = create(client, "2027-06-15", Vec::new(), Uuid::new_v4()).await?;

    // Read.
    let read = client.itinerary_view(&first, None).await?;
    assert_eq!(read.title, "A weekend in Lisbon");
    let flights = read.flights.as_ref().expect("the owner is shown flights");
    assert_eq!(flights[0].departure_date.as_deref(), Some(DEPARTURE));
    let (day, stop) = (&read.days[0].id, &read.days[0].stops[0]);
    assert_eq!(stop.category.as_ref().map(ToString::to_string).as_deref(), Some("landmark"));

    // Not modified, which the crate knows as a status that it did not expect.
    let unchanged = client.itinerary_view(&first, Some(&etag(&read))).await;
    assert_eq!(unchanged.expect_err("nothing has changed").status(), Some(StatusCode::NOT_MODIFIED));

    // Change, and lose against somebody who was faster.
    let changed = change(client, &first, &version, "Spring in Lisbon").await?;
    assert_eq!(changed.title, "Spring in Lisbon");
    let late = change(client, &first, &version, "Autumn in Lisbon").await;
    assert_eq!(refusal(late), (StatusCode::CONFLICT, "itineraryModified".to_owned()));

    // One stop, by its path.
    let later = StopPatch { start_time: Some("11:30".to_owned()), ..StopPatch::default() };
    let moved = client.stop_update(&first, day, &stop.id, None, &etag(&changed), None, &later).await?;
    assert_eq!(moved.days[0].stops[0].start_time.as_deref(), Some("11:30"));

    // Pages.
    let (mut seen, mut cursor) = (Vec::new(), None::<String>);
    loop {
        let page = client.itinerary_list(cursor.as_deref(), Some(ListFilter::Owned), Some(1), None).await?.into_inner();
        seen.extend(page.data.into_iter().map(|listed| listed.id));
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    let mut expected = vec![first, second];
    seen.sort_unstable();
    expected.sort_unstable();
    assert_eq!(seen, expected);

    // Delete.
    for id in &expected {
        let current = client.itinerary_view(id, None).await?;
        let deleted = client.itinerary_delete(id, &etag(&current)).await?;
        assert_eq!(deleted.status(), StatusCode::NO_CONTENT);
    }
    let gone = client.itinerary_view(&first, None).await;
    assert_eq!(refusal(gone), (StatusCode::NOT_FOUND, "notFound".to_owned()));
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcome<()> {
    let mut arguments = std::env::args().skip(1);
    let (address, token) = (arguments.next().expect("an address"), arguments.next().expect("a token"));
    let headers = HeaderMap::from_iter([(AUTHORIZATION, format!("Bearer {token}").parse()?)]);
    let client = reqwest::Client::builder().default_headers(headers).build()?;
    story(&Client::new_with_client(&address, client)).await
}
