//! What a stored trip needs the traveller to look at. The server lists it in responses to writes only, so `show` finds it
//! in the trip: places that are not on the map, and start times that cannot be kept.

use itinerary_sdk::types::{Day, Itinerary, Place, Stop};

use crate::text;

/// Minutes of a day.
const A_DAY: i64 = 1_440;

/// What needs attention in the trip, or in the day with this number; one line for each.
pub(crate) fn lines(trip: &Itinerary, number: Option<usize>) -> Vec<String> {
    let is_wanted = |day: &(usize, &Day)| number.is_none_or(|number| number == day.0 + 1);
    let mut lines: Vec<_> =
        trip.days.iter().enumerate().filter(is_wanted).flat_map(|(at, day)| day_warnings(trip, at, day)).collect();
    if number.is_none() {
        let hotels = trip.hotels.iter().flatten().filter(|hotel| !is_placed(hotel.place.as_ref()));
        lines.extend(hotels.map(|hotel| format!("Hotel “{}” is not on the map: its place is unknown.", hotel.name)));
        let reservations = trip.reservations().iter().filter(|reservation| !is_placed(reservation.place.as_ref()));
        let unknown = |name: &str| format!("Reservation “{name}” is not on the map: its place is unknown.");
        lines.extend(reservations.map(|reservation| unknown(&reservation.name)));
    }
    lines
}

fn day_warnings(trip: &Itinerary, at: usize, day: &Day) -> Vec<String> {
    let told = |stop: usize| format!("Day {}, stop {} “{}”", at + 1, stop + 1, day.stops[stop].name);
    let unplaced = day.stops.iter().enumerate().filter(|(_, stop)| !is_placed(stop.place.as_ref()));
    let mut lines: Vec<_> =
        unplaced.map(|(stop, _)| format!("{} is not on the map: its place is unknown.", told(stop))).collect();
    for (stop, minutes) in late_stops(trip, day) {
        let early = text::duration(minutes);
        lines.push(format!("{} starts {early} before you can arrive from the previous stop.", told(stop)));
    }
    lines
}

fn is_placed(place: Option<&Place>) -> bool {
    place.is_some_and(|place| place.coordinate.is_some())
}

/// The stops of a day that start before one can arrive, with the minutes that are missing, by the server's rule: a stop
/// without a duration takes no time, and a time more than half a day too early is after midnight. A day in several time
/// zones is left to the server. On the day on which clocks change, the server knows the missing or second hour, this does
/// not.
fn late_stops(trip: &Itinerary, day: &Day) -> Vec<(usize, i64)> {
    let zone = |stop: &Stop| {
        let of_stop = stop.place.as_ref().and_then(|place| place.time_zone.clone());
        of_stop.or_else(|| trip.destination.time_zone.clone())
    };
    if day.stops.windows(2).any(|pair| zone(&pair[0]) != zone(&pair[1])) {
        return Vec::new();
    }
    let mut late = Vec::new();
    // When the traveller can be at the stop, in minutes after midnight.
    let mut earliest: Option<i64> = None;
    for (at, stop) in day.stops.iter().enumerate() {
        if at > 0 {
            let minutes = leg_minutes(day, at - 1);
            earliest = earliest.map(|minute| minute.saturating_add(minutes));
        }
        let mut planned = stop.start_time.as_deref().and_then(minute_of_day);
        if let (Some(minute), Some(earliest)) = (planned, earliest) {
            let missing = earliest - minute;
            if missing > A_DAY / 2 {
                planned = Some(minute + A_DAY);
            } else if missing > 0 {
                late.push((at, missing));
            }
        }
        let stay = stop.duration_minutes.map_or(0, i64::from);
        earliest = planned.or(earliest).map(|minute| minute.saturating_add(stay));
    }
    late
}

#[expect(clippy::cast_possible_truncation, reason = "casts of floats saturate")]
fn leg_minutes(day: &Day, stop: usize) -> i64 {
    let (from, to) = (&day.stops[stop].id, &day.stops[stop + 1].id);
    let leg = day.legs.iter().find(|leg| leg.from == *from && leg.to == *to);
    leg.and_then(|leg| leg.minutes).map_or(0, |minutes| minutes.floor() as i64)
}

fn minute_of_day(time: &str) -> Option<i64> {
    let (hour, minute) = time.split_once(':')?;
    let hour = hour.parse::<i64>().ok().filter(|hour| (0..24).contains(hour))?;
    let minute = minute.parse::<i64>().ok().filter(|minute| (0..60).contains(minute))?;
    Some(hour * 60 + minute)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// Stops of a start time and a duration, with legs of minutes between them.
    fn trip(stops: &[(Option<&str>, i64)], legs: &[f64]) -> Itinerary {
        let place = json!({ "coordinate": { "latitude": 1, "longitude": 1 } });
        let stop = |(at, (time, minutes)): (usize, &(Option<&str>, i64))| {
            json!({ "id": at.to_string(), "name": format!("s{at}"),
            "startTime": time, "startTimeSuggested": false, "durationMinutes": minutes, "place": place })
        };
        let stops: Vec<Value> = stops.iter().enumerate().map(stop).collect();
        let leg = |(at, minutes): (usize, &f64)| json!({ "from": at.to_string(), "to": (at + 1).to_string(), "mode": "walk", "minutes": minutes });
        let legs: Vec<Value> = legs.iter().enumerate().map(leg).collect();
        serde_json::from_value(json!({
            "id": "00000000-0000-7000-8000-000000000001", "title": "t", "role": "owner", "visibility": "private",
            "author": { "accountId": "00000000-0000-7000-8000-000000000002", "username": "ana", "displayName": "Ana",
                "isPro": false },
            "createdAt": "2027-01-01T00:00:00Z", "updatedAt": "2027-01-01T00:00:00Z", "likesCount": 0, "viewsCount": 0,
            "destination": { "name": "Lisbon", "coordinate": { "latitude": 38.7, "longitude": -9.1 } },
            "startDate": "2027-05-15", "tags": [], "travellers": 1, "hotels": [{ "id": "h", "name": "Pensão" }],
            "days": [{ "id": "d", "stops": stops, "legs": legs }, { "id": "e", "legs": [], "stops": [
                { "id": "x", "name": "Nowhere", "startTimeSuggested": false }] }],
        }))
        .unwrap()
    }

    fn late(stops: &[(Option<&str>, i64)], legs: &[f64]) -> Vec<(usize, i64)> {
        let trip = trip(stops, legs);
        late_stops(&trip, &trip.days[0])
    }

    #[test]
    fn a_start_before_the_arrival_is_late() {
        assert_eq!(late(&[(Some("08:00"), 30), (Some("09:05"), 0)], &[117.0]), [(1, 82)]);
        assert_eq!(late(&[(Some("08:00"), 30), (Some("10:27"), 0)], &[117.0]), []);
        assert_eq!(late(&[(Some("08:00"), 0), (None, 60), (Some("09:00"), 0)], &[20.0, 20.0]), [(2, 40)]);
        assert_eq!(late(&[(Some("22:00"), 120), (Some("00:30"), 0)], &[20.0]), [], "after midnight");
        assert_eq!(late(&[(Some("x"), 0), (Some("99:00"), 0)], &[20.0]), []);
    }

    #[test]
    fn places_off_the_map_are_told() {
        let trip = trip(&[(Some("08:00"), 30), (Some("09:05"), 0)], &[117.0]);
        let expected = [
            "Day 1, stop 2 “s1” starts 1 h 22 before you can arrive from the previous stop.",
            "Day 2, stop 1 “Nowhere” is not on the map: its place is unknown.",
            "Hotel “Pensão” is not on the map: its place is unknown.",
        ];
        assert_eq!(lines(&trip, None), expected);
        assert_eq!(lines(&trip, Some(2)), expected[1..2]);
    }
}
