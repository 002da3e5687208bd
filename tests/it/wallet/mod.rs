//! Wallet passes: which ones are offered, their content, access, and errors.

mod apple;
pub(crate) mod chain;
mod google;
mod tickets;
mod wallet_pass_errors;

use itinerary_tests::app::{App, Stored, path};
use itinerary_tests::bodies::{on_day, with};
use itinerary_tests::{Database, RawResponse, World};
use reqwest::Method;
use serde_json::{Value, json};

use chain::Operator;

/// A server whose operator can sign passes.
async fn start(database: Database, operator: &Operator) -> Option<World> {
    World::start_with(database, |config| config.wallet = operator.settings.clone()).await
}

/// A trip with a flight from Lisbon to Tokyo, one without airport codes, and a hotel in Tokyo. The times of the first
/// flight and of the hotel are sent with an offset that is not the place's.
fn trip() -> Value {
    let zone = |name: &str, code: &str, zone: &str| json!({ "name": name, "code": code, "timeZone": zone });
    with(
        on_day(1),
        json!({
            "title": "Spring in Tokyo",
            "flights": [
                {
                    "id": "out",
                    "flightAirline": { "code": "TP", "name": "TAP Air Portugal" },
                    "flightNumber": "1363",
                    "departureAirport": zone("Lisbon Airport", "LIS", "Europe/Lisbon"),
                    "arrivalAirport": zone("Haneda Airport", "HND", "Asia/Tokyo"),
                    "departureDate": "2027-05-01T11:05:00Z",
                    "arrivalDate": "2027-05-02T00:30:00Z",
                    "cabinClass": "premiumEconomy",
                    "seatNumber": "14A",
                    "gateNumber": "S22",
                    "departureTerminal": "1",
                },
                { "id": "bare", "flightNumber": "TP1364", "departureDate": "2027-05-09T11:05:00Z" },
            ],
            "hotels": [{
                "id": "inn",
                "name": "Ryokan \u{6885}",
                "place": {
                    "address": "1-2-3 Taito, Tokyo",
                    "coordinate": { "latitude": 35.7148, "longitude": 139.7967 },
                    "timeZone": "Asia/Tokyo",
                },
                "checkInDate": "2027-05-02T06:00:00Z",
                "checkOutDate": "2027-05-08T01:00:00Z",
                "roomNumber": "12",
                "phoneNumber": "+81 3 0000 0000",
            }],
        }),
    )
}

async fn pass(app: &App<'_>, of: &Stored, item: &str, query: &str) -> RawResponse {
    app.call(Method::GET, &format!("{}/wallet-passes/{item}{query}", path(&of.id))).send().await
}

async fn listed(app: &App<'_>, of: &Stored) -> RawResponse {
    app.call(Method::GET, &format!("{}/wallet-passes", path(&of.id))).send().await
}
