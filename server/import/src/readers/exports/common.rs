//! What the exports have in common.

use calcard::common::timezone::Tz;
use chrono::{NaiveDate, TimeDelta, TimeZone, Timelike};
use serde_json::Value;

use crate::booking::{Price, Time};
use crate::readers::json;
use crate::readers::when::{self, When};

/// A price of an amount and a currency, or of both in one text: `3099.86 USD`, `$428.35 USD`.
pub(super) fn price(text: &str, currency: Option<String>) -> Option<Price> {
    let amount: String = text.chars().filter(|c| c.is_ascii_digit() || matches!(c, '.' | ',')).collect();
    // The last mark is the decimal one if at most two digits follow.
    let decimal = amount.rfind(['.', ',']).filter(|at| amount.len() - at <= 3);
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    let amount = match decimal {
        Some(at) => format!("{}.{}", digits(&amount[..at]), digits(&amount[at..])),
        None => digits(&amount),
    };
    let is_code = |word: &&str| word.len() == 3 && word.bytes().all(|byte| byte.is_ascii_uppercase());
    let currency = currency.or_else(|| text.split(' ').find(is_code).map(str::to_owned))?;
    let is_amount = amount.starts_with(|c: char| c.is_ascii_digit()) && !amount.trim_matches(['0', '.']).is_empty();
    is_amount.then_some(Price { amount, currency })
}

/// The price of members, of which the first is a number or a text.
pub(super) fn price_of(value: &Value, amount: &str, currency: &str) -> Option<Price> {
    price(&json::member(value, amount)?, json::member(value, currency))
}

/// Latitude and longitude of two members.
pub(super) fn coordinate(value: &Value, latitude: &str, longitude: &str) -> Option<(f64, f64)> {
    let (latitude, longitude) = (json::number(value, latitude)?, json::number(value, longitude)?);
    (latitude.abs() <= 90.0 && longitude.abs() <= 180.0).then_some((latitude, longitude))
}

/// A time in ISO 8601, in a zone if one is given.
pub(super) fn time(text: &str, zone: Option<&str>) -> Option<Time> {
    let when = when::iso(text)?;
    let (Some(date), Some(clock)) = (when.date, when.time) else { return when.on(None) };
    let zone = zone.and_then(|name| Some((name.parse::<Tz>().ok()?, name.to_owned())));
    match (zone, when.offset) {
        (Some((zone, name)), Some(minutes)) => {
            let utc = date.and_time(clock).checked_sub_signed(TimeDelta::minutes(minutes.into()))?;
            Some(Time::Zone(zone.from_utc_datetime(&utc).naive_local(), name))
        }
        (Some((_, name)), None) => Some(Time::Zone(date.and_time(clock), name)),
        (None, Some(0)) if clock.num_seconds_from_midnight() == 0 => Some(Time::Day(date)),
        (None, _) => when.on(None),
    }
}

/// A date and a clock, in a zone if one is given.
pub(super) fn local(date: Option<&str>, clock: Option<&str>, zone: Option<&str>) -> Option<Time> {
    let date: NaiveDate = date?.get(..10)?.parse().ok()?;
    let clock = clock.and_then(|clock| when::words(clock, None).time);
    Some(match (clock, zone) {
        (Some(clock), Some(zone)) if zone.parse::<Tz>().is_ok() => Time::Zone(date.and_time(clock), zone.to_owned()),
        (clock, _) => When { date: Some(date), time: clock, offset: None }.on(None)?,
    })
}

/// Texts on lines of their own.
pub(super) fn lines(texts: impl IntoIterator<Item = Option<String>>) -> Option<String> {
    let lines: Vec<String> = texts.into_iter().flatten().collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// A web address.
pub(super) fn link(value: &Value, name: &str) -> Option<String> {
    json::member(value, name).filter(|link| link.starts_with("http://") || link.starts_with("https://"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices() {
        let of = |text: &str, currency: Option<&str>| {
            price(text, currency.map(str::to_owned)).map(|price| (price.amount, price.currency))
        };
        let is = |amount: &str, currency: &str| Some((amount.to_owned(), currency.to_owned()));
        assert_eq!(of("3099.86 USD", None), is("3099.86", "USD"));
        assert_eq!(of("$1,428.35 USD", None), is("1428.35", "USD"));
        assert_eq!(of("1.234,50", Some("EUR")), is("1234.50", "EUR"));
        assert_eq!(of("1,200", Some("JPY")), is("1200", "JPY"));
        for text in ["Free", "", "USD", "0.00 USD", "12"] {
            assert_eq!(of(text, None), None, "{text}");
        }
    }

    #[test]
    fn times() {
        let at = |text: &str| text.parse().unwrap();
        let lisbon = "Europe/Lisbon".to_owned();
        assert_eq!(
            time("2026-05-18T09:00:00+00:00", Some("Europe/Lisbon")),
            Some(Time::Zone(at("2026-05-18T10:00:00"), lisbon.clone()))
        );
        assert_eq!(time("2026-05-18T09:00:00Z", None), Some(Time::Offset(at("2026-05-18T09:00:00"), 0)));
        assert_eq!(time("2026-05-18T00:00:00Z", None), Some(Time::Day("2026-05-18".parse().unwrap())));
        assert_eq!(
            local(Some("2026-05-18"), Some("10:00:00"), Some("Europe/Lisbon")),
            Some(Time::Zone(at("2026-05-18T10:00:00"), lisbon))
        );
        assert_eq!(local(Some("2026-05-18"), None, Some("Nowhere")), Some(Time::Day("2026-05-18".parse().unwrap())));
        assert_eq!(local(Some("x"), Some("10:00"), None), None);
    }
}
