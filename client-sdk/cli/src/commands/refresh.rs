//! The command `refresh`.

use itinerary_sdk::types::{Itinerary, Place};
use reqwest::Method;

use super::{show, write};
use crate::failure::Failure;
use crate::output::Output;
use crate::service::Service;
use crate::{text, trip};

pub(super) async fn run(service: &Service, output: Output, name: &str) -> Result<(), Failure> {
    let trip = write::read(service, name).await?;
    let path = write::path(&trip.value, "places/refresh", None);
    let refreshed = write::send::<Itinerary>(service, &trip.etag, Method::POST, &path, &[], None).await?;
    let line = told(&Counts::of(&trip.value), &Counts::of(&refreshed.value));
    write::print(output, &refreshed, &line, "")?;
    trip::warn(output, &refreshed.value, |_| true);
    Ok(())
}

/// How much of a trip is filled in.
struct Counts {
    placed: usize,
    /// Addresses, countries, time zones and ids of places.
    facts: usize,
    legs: usize,
    minutes: i64,
}

impl Counts {
    fn of(trip: &Itinerary) -> Self {
        let stops = trip.days.iter().flat_map(|day| &day.stops).filter_map(|stop| stop.place.as_ref());
        let hotels = trip.hotels.iter().flatten().filter_map(|hotel| hotel.place.as_ref());
        let places: Vec<&Place> = stops.chain(hotels).collect();
        let facts = |place: &&Place| {
            let Place { address, country_code, time_zone, place_id, .. } = place;
            [address, country_code, time_zone, place_id].iter().filter(|fact| fact.is_some()).count()
        };
        Self {
            placed: places.iter().filter(|place| place.coordinate.is_some()).count(),
            facts: places.iter().map(facts).sum(),
            legs: trip.days.iter().map(|day| day.legs.len()).sum(),
            minutes: trip.days.iter().map(show::minutes_on_the_way).sum(),
        }
    }
}

/// What a refresh changed, as one line.
fn told(before: &Counts, after: &Counts) -> String {
    let mut parts = Vec::new();
    let counts = [
        (before.placed, after.placed, "place"),
        (before.facts, after.facts, "detail"),
        (before.legs, after.legs, "leg"),
    ];
    for (before, after, noun) in counts {
        if after > before {
            parts.push(text::count(after - before, noun));
        }
    }
    let way = |counts: &Counts| text::duration(counts.minutes);
    let way = match (before.minutes, after.minutes) {
        (_, 0) => "no legs".to_owned(),
        (was, now) if was == now => format!("{} on the way", way(after)),
        _ => format!("{} → {} on the way", way(before), way(after)),
    };
    if parts.is_empty() && before.minutes == after.minutes {
        return format!("Nothing new was found; {way}.");
    }
    if parts.is_empty() {
        return format!("Legs have changed; {way}.");
    }
    format!("Filled in {}; {way}.", parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refresh_names_the_fields_that_were_filled_in() {
        let counts = |placed, facts, legs, minutes| Counts { placed, facts, legs, minutes };
        let none = counts(0, 0, 0, 0);
        assert_eq!(told(&none, &none), "Nothing new was found; no legs.");
        let all = counts(2, 6, 1, 65);
        assert_eq!(told(&all, &all), "Nothing new was found; 1 h 05 on the way.");
        let expected = "Filled in 2 places, 6 details, 1 leg; 0 min → 1 h 05 on the way.";
        assert_eq!(told(&none, &all), expected);
        assert_eq!(told(&all, &counts(2, 6, 1, 50)), "Legs have changed; 1 h 05 → 50 min on the way.");
    }
}
