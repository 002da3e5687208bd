//! Whether two items are the same booking.

use chrono::NaiveDate;
use serde_json::Value;

use crate::item::{End, Item, Part, fold, kilometres};

/// Airports, stations and hotels whose coordinates are so near are one, in kilometres.
const NEAR: f64 = 0.5;
/// Places so far apart are different ones, whatever their names, in kilometres.
const FAR: f64 = 50.0;

/// What two readings say of one thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Compared {
    Same,
    /// One does not say it.
    Unknown,
    /// Different words, which may still mean the same.
    Other,
    /// Different for certain.
    Different,
}

/// What is compared of an item, prepared once.
#[derive(Debug)]
pub(crate) struct Traits {
    part: Part,
    mode: Option<String>,
    pub day: Option<NaiveDate>,
    /// The day as it is written, which in another offset may not be that of the place.
    written_day: Option<NaiveDate>,
    instant: Option<i64>,
    clock: Option<String>,
    number: Option<(String, String)>,
    name: Option<String>,
    pub confirmation: Option<String>,
    places: [Whereabouts; 2],
}

#[derive(Debug)]
struct Whereabouts {
    code: Option<String>,
    station: Option<String>,
    name: Option<String>,
    coordinate: Option<(f64, f64)>,
}

impl Traits {
    pub(crate) fn of(item: &Item) -> Self {
        let [start, end] = item.part.ends();
        let instant = item.instant(start);
        let number = match item.part {
            Part::Flights => item.text("flightNumber"),
            _ => item.text("number"),
        };
        let clock = item.text(start.local).map(str::to_owned);
        Self {
            part: item.part,
            mode: item.text("mode").map(str::to_owned),
            day: item.day(start),
            written_day: instant.map(|time| time.date_naive()).or_else(|| item.day(start)),
            instant: instant.map(|time| time.timestamp()),
            clock: clock.or_else(|| instant.map(|time| time.format("%Y-%m-%dT%H:%M:%S").to_string())),
            number: number.map(split_number),
            name: item.text("name").filter(|_| !item.fields.contains_key("@unnamed")).map(fold),
            confirmation: item.text("confirmationNumber").map(fold),
            places: [whereabouts(item, start), whereabouts(item, end)],
        }
    }

    /// Whether it says when: otherwise it matches by its confirmation number.
    pub(crate) fn has_leg(&self) -> bool {
        self.day.is_some()
    }

    /// Whether both are the same booking.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        if self.part != other.part || !self.may_share_mode(other) || !self.may_share_confirmation(other) {
            return false;
        }
        match (self.day, other.day) {
            (Some(_), Some(_)) => self.is_same_leg(other),
            (None, None) => self.is_same_leg_any_day(other) || self.is_same_message(other),
            _ => self.is_same_message(other),
        }
    }

    /// No two different confirmation numbers.
    pub(crate) fn may_share_confirmation(&self, other: &Self) -> bool {
        compare(self.confirmation.as_ref(), other.confirmation.as_ref()) != Compared::Other
    }

    fn may_share_mode(&self, other: &Self) -> bool {
        let is_loose = |mode: &str| matches!(mode, "other" | "transfer");
        match (&self.mode, &other.mode) {
            (Some(a), Some(b)) => a == b || is_loose(a) || is_loose(b),
            _ => true,
        }
    }

    fn has_confirmation_of(&self, other: &Self) -> bool {
        compare(self.confirmation.as_ref(), other.confirmation.as_ref()) == Compared::Same
    }

    /// A message that names no leg, such as a cancellation.
    fn is_same_message(&self, other: &Self) -> bool {
        self.has_confirmation_of(other)
            && self.compare_numbers(other) != Compared::Different
            && compare(self.name.as_ref(), other.name.as_ref()) != Compared::Other
            && self.compare_places(other).iter().all(|end| matches!(end, Compared::Same | Compared::Unknown))
    }

    fn is_same_leg(&self, other: &Self) -> bool {
        let is_same_instant = self.instant.is_some() && self.instant == other.instant;
        let is_same_day = self.day == other.day || self.written_day == other.written_day;
        (is_same_day || is_same_instant) && self.is_same_leg_any_day(other)
    }

    fn is_same_leg_any_day(&self, other: &Self) -> bool {
        match self.part {
            Part::Flights | Part::Transports => self.is_same_way(other),
            Part::Hotels => self.is_same_stay(other),
            Part::Reservations => self.is_same_reservation(other),
        }
    }

    fn is_same_way(&self, other: &Self) -> bool {
        let places = self.compare_places(other);
        if places.contains(&Compared::Different) {
            return false;
        }
        match self.compare_numbers(other) {
            Compared::Same => true,
            Compared::Unknown => {
                let same = places.iter().filter(|end| **end == Compared::Same).count();
                let agree = !places.contains(&Compared::Other);
                agree && (same > 0 || self.has_confirmation_of(other))
            }
            Compared::Other | Compared::Different => false,
        }
    }

    fn is_same_stay(&self, other: &Self) -> bool {
        let [place, _] = self.compare_places(other);
        match compare(self.name.as_ref(), other.name.as_ref()) {
            Compared::Same => place != Compared::Different,
            Compared::Unknown => place == Compared::Same || self.has_confirmation_of(other),
            _ => false,
        }
    }

    fn is_same_reservation(&self, other: &Self) -> bool {
        let is_same_time = match (self.instant, other.instant) {
            (Some(a), Some(b)) => a == b,
            _ => compare(self.clock.as_ref(), other.clock.as_ref()) != Compared::Other,
        };
        let is_named = match compare(self.name.as_ref(), other.name.as_ref()) {
            Compared::Same => true,
            Compared::Unknown => self.compare_places(other)[0] == Compared::Same || self.has_confirmation_of(other),
            _ => false,
        };
        is_named && (is_same_time || self.has_confirmation_of(other))
    }

    /// The digits must be the same; the letters before them only if both have them.
    fn compare_numbers(&self, other: &Self) -> Compared {
        let (Some((letters_a, digits_a)), Some((letters_b, digits_b))) = (&self.number, &other.number) else {
            return Compared::Unknown;
        };
        let agree = letters_a.is_empty() || letters_b.is_empty() || letters_a == letters_b;
        // An airline's code of three letters is ICAO's, of two IATA's.
        let other_system = self.part == Part::Flights && letters_a.len() != letters_b.len();
        if digits_a == digits_b && (agree || other_system) { Compared::Same } else { Compared::Different }
    }

    fn compare_places(&self, other: &Self) -> [Compared; 2] {
        [0, 1].map(|end| self.places[end].compare(&other.places[end]))
    }
}

impl Whereabouts {
    fn compare(&self, other: &Self) -> Compared {
        let by_code = match (&self.code, &other.code) {
            (Some(a), Some(b)) if a == b => Compared::Same,
            (Some(_), Some(_)) => Compared::Different,
            _ => compare(self.station.as_ref(), other.station.as_ref()),
        };
        let distance = self.coordinate.zip(other.coordinate).map(|(a, b)| kilometres(a, b));
        match (by_code, distance) {
            (Compared::Same | Compared::Different, _) => by_code,
            (_, Some(distance)) if distance > FAR => Compared::Different,
            (_, Some(distance)) if distance < NEAR => Compared::Same,
            _ => compare(self.name.as_ref(), other.name.as_ref()),
        }
    }
}

fn compare(a: Option<&String>, b: Option<&String>) -> Compared {
    match (a, b) {
        (Some(a), Some(b)) if a == b => Compared::Same,
        (Some(_), Some(_)) => Compared::Other,
        _ => Compared::Unknown,
    }
}

fn whereabouts(item: &Item, end: End) -> Whereabouts {
    let text = |field| item.at(end.place, field).and_then(Value::as_str);
    Whereabouts {
        code: text("code").map(str::to_uppercase),
        station: item.text(end.station).map(str::to_owned),
        name: text("name").or_else(|| item.text(end.city).filter(|_| item.part.is_way())).map(fold),
        coordinate: item.coordinate(end.place),
    }
}

/// The letters and the digits of a number: `ICE 13` is (`ice`, `13`), `U21234` is (`u2`, `1234`).
fn split_number(number: &str) -> (String, String) {
    if let Some((code, digits)) = crate::readers::number::flight(&number.to_uppercase()) {
        return (code.to_lowercase(), digits);
    }
    let folded = fold(number).replace(' ', "");
    let at = folded.rfind(|c: char| !c.is_ascii_digit()).map_or(0, |at| at + 1);
    let (letters, digits) = folded.split_at_checked(at).unwrap_or((&folded, ""));
    (letters.to_owned(), digits.trim_start_matches('0').to_owned())
}
