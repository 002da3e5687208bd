//! What drafting a trip costs, and importing the same bookings again.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use itinerary_api::types::{Itinerary, ItineraryDraft};
use itinerary_import::booking::{Booking, Kind, Price, Ticket, Time};
use itinerary_import::file::{Format, Found};
use itinerary_import::{Context, Nothing, Reading, Source, draft, into_trip};
use serde_json::{Value, json};

/// Flights on as many days, each with a ticket and a price.
fn source(count: u64) -> Source {
    let first: chrono::NaiveDateTime = "2027-01-01T08:05:00".parse().expect("a time");
    let booking = |number: u64| {
        let mut booking = Booking::new(Kind::Flight);
        booking.number = Some(format!("TP {}", 100 + number));
        booking.operator.code = Some("TP".to_owned());
        booking.start.place.code = Some("AMS".to_owned());
        booking.end.place.code = Some("LIS".to_owned());
        booking.start.time = Some(Time::Offset(first + chrono::Days::new(number), 60));
        booking.end.time = Some(Time::Zone(
            first + chrono::Days::new(number) + chrono::TimeDelta::hours(3),
            "Europe/Lisbon".to_owned(),
        ));
        booking.confirmation_number = Some(format!("X{number}"));
        booking.tickets = vec![Ticket { holder: Some("REIS/ANA MRS".to_owned()), ..Ticket::default() }];
        booking.price = Some(Price { amount: "120.50".to_owned(), currency: "EUR".to_owned() });
        booking
    };
    let found = Found { bookings: (0..count).map(booking).collect(), ..Found::default() };
    Source {
        file: "flights.json".to_owned(),
        reading: Reading { found: vec![(Format::JsonLd, found)], ignored: Vec::new() },
    }
}

fn trip(draft: &ItineraryDraft) -> Itinerary {
    let mut trip = json!({
        "id": "01900000-0000-7000-8000-000000000001", "title": "Trip",
        "destination": {"name": "Lisbon", "coordinate": {"latitude": 38.7, "longitude": -9.1}},
        "startDate": "2027-01-01", "travellers": 1, "tags": [], "days": [], "expenses": [],
        "visibility": "private", "role": "owner", "likesCount": 0, "viewsCount": 0,
        "author": {"accountId": "01900000-0000-7000-8000-000000000002", "username": "ana", "displayName": "Ana", "isPro": true},
        "createdAt": "2027-01-01T00:00:00Z", "updatedAt": "2027-01-01T00:00:00Z"
    });
    if let (Value::Object(trip), Ok(Value::Object(draft))) = (&mut trip, serde_json::to_value(draft)) {
        trip.extend(draft);
    }
    serde_json::from_value(trip).expect("an itinerary")
}

fn drafts(criterion: &mut Criterion) {
    for count in [100, 1_000] {
        let sources = [source(count)];
        let context = Context { lookup: &Nothing, is_pro: true };
        criterion.bench_function(&format!("draft of {count} bookings"), |bencher| {
            bencher.iter(|| draft(black_box(&sources), context));
        });
        let trip = trip(&draft(&sources, context).itinerary);
        criterion.bench_function(&format!("{count} bookings into the same trip"), |bencher| {
            bencher.iter(|| into_trip(black_box(&sources), context, &trip, false));
        });
    }
}

criterion_group!(benches, drafts);
criterion_main!(benches);
