//! Values of the API in words.

use itinerary_api::types::{CabinClass, Flight, Leg, LegMode, Place, StopCategory, Transport, TransportMode};

use crate::text;

/// `Museum`.
pub fn stop_category(category: StopCategory) -> &'static str {
    match category {
        StopCategory::Beach => "Beach",
        StopCategory::Landmark => "Landmark",
        StopCategory::Museum => "Museum",
        StopCategory::Park => "Park",
        StopCategory::Nature => "Nature",
        StopCategory::Viewpoint => "Viewpoint",
        StopCategory::Hike => "Hike",
        StopCategory::Restaurant => "Restaurant",
        StopCategory::Cafe => "Café",
        StopCategory::Bar => "Bar",
        StopCategory::Nightlife => "Nightlife",
        StopCategory::Shopping => "Shopping",
        StopCategory::Market => "Market",
        StopCategory::Activity => "Activity",
        StopCategory::Tour => "Tour",
        StopCategory::Entertainment => "Entertainment",
        StopCategory::Sport => "Sport",
        StopCategory::Wellness => "Wellness",
        StopCategory::Religious => "Religious site",
        StopCategory::Lodging => "Lodging",
        StopCategory::Transport => "Transport",
        StopCategory::Airport => "Airport",
        StopCategory::Station => "Station",
        StopCategory::Other => "Other",
    }
}

/// The minutes of a leg; with "about" if the server estimated them.
pub(crate) fn leg_minutes(leg: &Leg) -> Option<String> {
    let minutes = duration(leg.minutes?.get());
    let is_estimate = leg.source.as_deref() == Some(ESTIMATE);
    Some(if is_estimate { format!("about {minutes}") } else { minutes })
}

/// The `source` of legs that the server estimated.
const ESTIMATE: &str = "estimate";

/// `Walk`.
pub fn leg_mode(mode: LegMode) -> &'static str {
    match mode {
        LegMode::Walk => "Walk",
        LegMode::Bicycle => "Bicycle",
        LegMode::Drive => "Drive",
        LegMode::Taxi => "Taxi",
        LegMode::Transit => "Transit",
        LegMode::Bus => "Bus",
        LegMode::Train => "Train",
        LegMode::Ferry => "Ferry",
        LegMode::Flight => "Flight",
    }
}

pub(crate) fn cabin(cabin: CabinClass) -> &'static str {
    match cabin {
        CabinClass::Economy => "Economy",
        CabinClass::PremiumEconomy => "Premium economy",
        CabinClass::Business => "Business",
        CabinClass::First => "First",
    }
}

/// `1 h 5 min`, from minutes that are rounded to whole ones.
pub fn duration(minutes: f64) -> String {
    let minutes = minutes.round();
    let (hours, rest) = ((minutes / 60.0).floor(), minutes % 60.0);
    match (hours > 0.0, rest > 0.0) {
        (true, true) => format!("{hours} h {rest} min"),
        (true, false) => format!("{hours} h"),
        (false, _) => format!("{rest} min"),
    }
}

/// `850 m`, `1.2 km`, `317 km` or `2,111 km`.
pub fn distance(metres: f64) -> String {
    let kilometres = metres / 1000.0;
    if metres.round() < 1000.0 {
        format!("{} m", metres.round())
    } else if kilometres < 99.95 {
        format!("{kilometres:.1} km")
    } else if kilometres < 999.5 {
        format!("{} km", kilometres.round())
    } else {
        // The earth is 40,000 kilometres around.
        let (thousands, rest) = ((kilometres.round() / 1000.0).floor(), kilometres.round() % 1000.0);
        format!("{thousands},{rest:03} km")
    }
}

/// An airport: its code, otherwise its name. Empty if it has neither.
pub(crate) fn airport(place: Option<&Place>) -> String {
    let Some(place) = place else { return String::new() };
    let code = place.code.as_ref().map(|code| code.to_ascii_uppercase());
    code.or_else(|| place.name.as_ref().map(|name| text::line(name))).unwrap_or_default()
}

/// The airport with name and code, as far as they are known.
pub(crate) fn airport_in_full(place: Option<&Place>) -> String {
    let Some(place) = place else { return String::new() };
    let name = place.name.as_ref().map(|name| text::line(name));
    match (name, place.code.as_ref().map(|code| code.to_ascii_uppercase())) {
        (Some(name), Some(code)) => format!("{name} ({code})"),
        (name, code) => name.or(code).unwrap_or_default(),
    }
}

/// `TP1363 AMS → LIS`, as far as it is known; otherwise `Flight`.
pub(crate) fn flight(flight: &Flight) -> String {
    let airline = flight.flight_airline.as_ref();
    let number = flight.flight_number.as_ref().map(|number| text::line(number));
    let name = || {
        let name = airline.and_then(|airline| airline.name.as_deref().or(airline.code.as_deref()));
        name.map(text::line)
    };
    let (from, to) = (airport(flight.departure_airport.as_ref()), airport(flight.arrival_airport.as_ref()));
    text::join([number.or_else(name).unwrap_or_else(|| "Flight".to_owned()), way(&from, &to)], " ")
}

/// `LHR → LIS`, as far as the ends are known.
fn way(from: &str, to: &str) -> String {
    match (from.is_empty(), to.is_empty()) {
        // A hired car that is returned where it was collected.
        (false, false) if from == to => format!("at {from}"),
        (false, false) => format!("{from} → {to}"),
        (true, false) => format!("to {to}"),
        (false, true) => format!("from {from}"),
        (true, true) => String::new(),
    }
}

/// `Train`. `Transport` for other means.
pub(crate) fn transport_mode(mode: Option<TransportMode>) -> &'static str {
    match mode {
        Some(TransportMode::Train) => "Train",
        Some(TransportMode::Bus) => "Bus",
        Some(TransportMode::Ferry) => "Ferry",
        Some(TransportMode::Car) => "Hired car",
        Some(TransportMode::Taxi) => "Taxi",
        Some(TransportMode::Transfer) => "Transfer",
        Some(TransportMode::Other) | None => "Transport",
    }
}

/// The number of a transport, otherwise the name or code of its operator.
pub(crate) fn transport_number(transport: &Transport) -> Option<String> {
    let operator = transport.operator.as_ref();
    let operator = operator.and_then(|operator| operator.name.as_deref().or(operator.code.as_deref()));
    transport.number.as_deref().or(operator).map(text::line)
}

/// A station, a port or an address: its name, otherwise its code. Empty if it has neither.
pub(crate) fn station(place: Option<&Place>) -> String {
    let Some(place) = place else { return String::new() };
    text::line(place.name.as_deref().or(place.code.as_deref()).unwrap_or_default())
}

/// The station with its address.
pub(crate) fn station_in_full(place: Option<&Place>) -> String {
    let address = place.and_then(|place| place.address.as_deref()).unwrap_or_default();
    text::join([station(place), text::line(address)], ", ")
}

/// `2nd class`.
pub(crate) fn travel_class(class: &str) -> String {
    let class = text::line(class);
    if class.is_empty() || class.to_lowercase().contains("class") { class } else { format!("{class} class") }
}

/// `Train IC 523 Lisboa Oriente → Porto Campanhã`, as far as it is known.
pub(crate) fn transport(transport: &Transport) -> String {
    let (from, to) = (station(transport.departure_place.as_ref()), station(transport.arrival_place.as_ref()));
    let number = transport_number(transport).unwrap_or_default();
    text::join([transport_mode(transport.mode).to_owned(), number, way(&from, &to)], " ")
}

/// What a place adds to the name of its item: its own name if that is another, and its address.
pub(crate) fn location(name: &str, place: Option<&Place>) -> String {
    let Some(place) = place else { return String::new() };
    let own = place.name.as_ref().map(|own| text::line(own)).filter(|own| *own != text::line(name));
    let address = place.address.as_ref().map(|address| text::line(address));
    text::join([own.unwrap_or_default(), address.unwrap_or_default()], ", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_and_distances_are_rounded() {
        for (minutes, words) in [(0.4, "0 min"), (59.6, "1 h"), (65.0, "1 h 5 min"), (1_441.0, "24 h 1 min")] {
            assert_eq!(duration(minutes), words);
        }
        for (metres, words) in [
            (849.6, "850 m"),
            (999.6, "1.0 km"),
            (1_249.0, "1.2 km"),
            (317_400.0, "317 km"),
            (2_110_600.0, "2,111 km"),
            (999_600.0, "1,000 km"),
        ] {
            assert_eq!(distance(metres), words);
        }
    }
}
