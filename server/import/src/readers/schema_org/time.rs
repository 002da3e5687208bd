//! Dates and times: ISO 8601 with its usual faults, and the other forms that senders write.

use chrono::{DateTime, Duration, NaiveDate, NaiveDateTime, Utc};

use super::node::Node;
use crate::booking::Time;

/// Formats that name the month, for chrono.
const WITH_MONTH_NAMES: [&str; 6] = [
    "%B %d, %Y %I:%M %p",
    "%B %d, %Y %H:%M",
    "%d %B %Y %H:%M",
    "%d %B %Y %I:%M %p",
    "%a, %d %B %Y %H:%M",
    "%d-%B-%Y %H:%M",
];
const DAYS_WITH_MONTH_NAMES: [&str; 4] = ["%B %d, %Y", "%d %B %Y", "%a, %d %B %Y", "%d-%B-%Y"];

/// Reads a text, or an object with `@value` and `timezone` as KDE writes.
pub(super) fn time(node: Node) -> Option<Time> {
    let parsed = Parsed::of(node)?;
    Some(match parsed {
        Parsed { clock: None, day, .. } => Time::Day(day),
        // A value in UTC does not say the local time in the zone.
        Parsed { clock: Some(utc), is_utc: true, .. } => Time::Offset(utc, 0),
        Parsed { clock: Some(local), zone: Some(zone), .. } => Time::Zone(local, zone),
        Parsed { clock: Some(local), offset: Some(offset), .. } => Time::Offset(local, offset),
        Parsed { clock: Some(local), .. } => Time::Local(local),
    })
}

/// An instant, such as `modifiedTime`. Without an offset it is taken as UTC, and a day as its start.
pub(super) fn instant(node: Node) -> Option<DateTime<Utc>> {
    let parsed = Parsed::of(node)?;
    let local = parsed.clock.or_else(|| parsed.day.and_hms_opt(0, 0, 0))?;
    let offset = Duration::minutes(parsed.offset.unwrap_or(0).into());
    local.checked_sub_signed(offset).map(|utc| utc.and_utc())
}

/// The day of a `departureDay`.
pub(super) fn day(node: Node) -> Option<Time> {
    Parsed::of(node).map(|parsed| Time::Day(parsed.day))
}

#[derive(Debug, PartialEq)]
struct Parsed {
    day: NaiveDate,
    /// Day and time, if there is a time.
    clock: Option<NaiveDateTime>,
    /// Minutes, east positive.
    offset: Option<i32>,
    zone: Option<String>,
    /// Whether the text says UTC, and not an offset of zero.
    is_utc: bool,
}

impl Parsed {
    fn of(node: Node) -> Option<Self> {
        let mut parsed = parse(node.raw()?.trim())?;
        if let Some(zone) = node.text_of(&["timezone"]) {
            match fixed_offset(&zone) {
                Some(offset) => parsed.offset = parsed.offset.or(Some(offset)),
                None => parsed.zone = Some(zone),
            }
        }
        Some(parsed)
    }
}

fn is_utc(zone: &str) -> bool {
    matches!(zone, "UTC" | "GMT" | "Z" | "z" | "Etc/UTC" | "Etc/GMT")
}

/// The offset of a zone such as `UTC+02:00`.
fn fixed_offset(zone: &str) -> Option<i32> {
    let rest = zone.strip_prefix("UTC").or_else(|| zone.strip_prefix("GMT")).filter(|rest| !rest.is_empty());
    offset(rest.unwrap_or(zone))
}

fn parse(text: &str) -> Option<Parsed> {
    iso(text).or_else(|| by_numbers(text)).or_else(|| mail_date(text)).or_else(|| with_month_name(text))
}

/// `2027-03-04T20:15:00-08:00` and what comes near it.
fn iso(text: &str) -> Option<Parsed> {
    let mut rest = text;
    let year = number(&mut rest, 4, 4)?;
    let separator = rest.chars().next().filter(|character| matches!(character, '-' | '/' | '.'));
    let day = if let Some(separator) = separator {
        rest = rest.strip_prefix(separator)?;
        let month = number(&mut rest, 1, 2)?;
        rest = rest.strip_prefix(separator)?;
        NaiveDate::from_ymd_opt(year.cast_signed(), month, number(&mut rest, 1, 2)?)?
    } else {
        let month = number(&mut rest, 2, 2)?;
        NaiveDate::from_ymd_opt(year.cast_signed(), month, number(&mut rest, 2, 2)?)?
    };
    after_day(day, rest)
}

/// `03-04-2027 20:15` and `03/04/2027`, month first unless only the day can be; `04.03.2027`, day first.
fn by_numbers(text: &str) -> Option<Parsed> {
    let mut rest = text;
    let first = number(&mut rest, 1, 2)?;
    let separator = rest.chars().next().filter(|character| matches!(character, '-' | '/' | '.'))?;
    rest = rest.strip_prefix(separator)?;
    let second = number(&mut rest, 1, 2)?;
    rest = rest.strip_prefix(separator)?;
    let year = number(&mut rest, 4, 4)?;
    let day_first = separator == '.' || first > 12;
    let (month, day) = if day_first { (second, first) } else { (first, second) };
    after_day(NaiveDate::from_ymd_opt(year.cast_signed(), month, day)?, rest)
}

/// What follows a day: nothing, or a time with an offset and a zone in brackets.
fn after_day(day: NaiveDate, rest: &str) -> Option<Parsed> {
    let rest = rest.trim_start_matches(['T', 't', ' ', ',']);
    if rest.is_empty() {
        return Some(Parsed { day, clock: None, offset: None, zone: None, is_utc: false });
    }
    let mut rest = rest;
    let clock = clock(day, &mut rest)?;
    let (rest, zone) = match rest.trim().strip_suffix(']').and_then(|rest| rest.split_once('[')) {
        Some((rest, zone)) => (rest, Some(zone.trim().to_owned())),
        None => (rest.trim(), None),
    };
    let offset = offset(rest);
    // Abbreviations such as CEST are ambiguous: the time is then local at its place.
    if offset.is_none() && !rest.chars().all(|character| character.is_ascii_alphabetic()) {
        return None;
    }
    Some(Parsed { day: clock.date(), clock: Some(clock), offset, zone, is_utc: is_utc(rest) })
}

/// `20:15`, `20:15:00.000`, `2015`, `8:15 PM`, `24:00`.
fn clock(day: NaiveDate, rest: &mut &str) -> Option<NaiveDateTime> {
    let mut hour = number(rest, 1, 2)?;
    let minute = part(rest, true)?;
    let second = part(rest, false)?.min(59);
    if let Some(fraction) = rest.strip_prefix(['.', ',']) {
        *rest = fraction.trim_start_matches(|character: char| character.is_ascii_digit());
    }
    let trimmed = rest.trim_start();
    if let Some(half) =
        trimmed.get(..2).filter(|half| half.eq_ignore_ascii_case("am") || half.eq_ignore_ascii_case("pm"))
    {
        if !(1..=12).contains(&hour) {
            return None;
        }
        hour = hour % 12 + if half.eq_ignore_ascii_case("pm") { 12 } else { 0 };
        *rest = &trimmed[2..];
    }
    if hour == 24 && minute == 0 {
        return day.succ_opt()?.and_hms_opt(0, 0, second);
    }
    day.and_hms_opt(hour, minute, second)
}

/// The minutes or seconds. Seconds may be missing.
fn part(rest: &mut &str, required: bool) -> Option<u32> {
    if let Some(after) = rest.strip_prefix(':') {
        *rest = after;
        return number(rest, 1, 2);
    }
    match number(rest, 2, 2) {
        None if !required => Some(0),
        number => number,
    }
}

/// `Z`, `+02:00`, `+0200`, `+02` and `+0:00`, in minutes.
fn offset(text: &str) -> Option<i32> {
    if is_utc(text) {
        return Some(0);
    }
    let (sign, mut rest) = match text.strip_prefix('+') {
        Some(rest) => (1, rest),
        None => (-1, text.strip_prefix(['-', '\u{2212}'])?),
    };
    let hours = number(&mut rest, 1, 2)?;
    let minutes = if rest.is_empty() { 0 } else { part(&mut rest, true)? };
    (rest.is_empty() && hours <= 15 && minutes < 60).then(|| sign * (hours * 60 + minutes).cast_signed())
}

/// Takes a number of `least` to `most` digits. Takes nothing if there are fewer.
fn number(rest: &mut &str, least: usize, most: usize) -> Option<u32> {
    let digits = rest.bytes().take(most).take_while(u8::is_ascii_digit).count();
    if digits < least {
        return None;
    }
    let (number, after) = rest.split_at(digits);
    *rest = after;
    number.parse().ok()
}

/// The date of a mail: `Fri, 15 May 2026 10:00:00 +0200`.
fn mail_date(text: &str) -> Option<Parsed> {
    let date = DateTime::parse_from_rfc2822(text).ok()?;
    let local = date.naive_local();
    Some(Parsed {
        day: local.date(),
        clock: Some(local),
        offset: Some(date.offset().local_minus_utc() / 60),
        zone: None,
        is_utc: false,
    })
}

fn with_month_name(text: &str) -> Option<Parsed> {
    let clock = WITH_MONTH_NAMES.iter().find_map(|format| NaiveDateTime::parse_from_str(text, format).ok());
    let day = clock.map(|clock| clock.date());
    let day =
        day.or_else(|| DAYS_WITH_MONTH_NAMES.iter().find_map(|format| NaiveDate::parse_from_str(text, format).ok()))?;
    Some(Parsed { day, clock, offset: None, zone: None, is_utc: false })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::node::Graph;
    use super::*;

    fn read(value: Value) -> Option<Time> {
        let values = [value];
        let graph = Graph::new(&values);
        time(graph.node(&values[0]))
    }

    fn local(text: &str) -> NaiveDateTime {
        NaiveDateTime::parse_from_str(text, "%Y-%m-%d %H:%M:%S").unwrap()
    }

    #[test]
    fn iso_times_are_read() {
        let at = local("2027-03-04 20:15:00");
        for (text, expected) in [
            ("2027-03-04T20:15:00-08:00", Time::Offset(at, -480)),
            ("2027-03-04T20:15:00.000Z", Time::Offset(at, 0)),
            ("2027-03-04T20:15:00+0:00", Time::Offset(at, 0)),
            ("2027-03-04 20:15 +0530", Time::Offset(at, 330)),
            ("2027-03-04T20:15+01", Time::Offset(at, 60)),
            ("2027-03-04T20:15:00 UTC", Time::Offset(at, 0)),
            ("20270304T201500Z", Time::Offset(at, 0)),
            ("2027-3-4T20:15", Time::Local(at)),
            ("2027/03/04 08:15 PM", Time::Local(at)),
            ("2027-03-04 20:15:00 CEST", Time::Local(at)),
            ("2027-03-04T20:15:00+01:00[Europe/Berlin]", Time::Zone(at, "Europe/Berlin".to_owned())),
            ("2027-03-04", Time::Day(at.date())),
            ("20270304", Time::Day(at.date())),
            ("2027-03-03T24:00:00", Time::Local(local("2027-03-04 00:00:00"))),
        ] {
            assert_eq!(read(json!(text)), Some(expected), "{text}");
        }
    }

    #[test]
    fn other_forms_are_read() {
        let at = local("2027-03-04 20:15:00");
        for (text, expected) in [
            ("03-04-2027 20:15", Time::Local(at)),
            ("03/04/2027", Time::Day(at.date())),
            ("25/12/2027", Time::Day(local("2027-12-25 00:00:00").date())),
            ("04.03.2027 20:15", Time::Local(at)),
            ("Thu, 4 Mar 2027 20:15:00 +0100", Time::Offset(at, 60)),
            ("March 4, 2027 8:15 PM", Time::Local(at)),
            ("4 Mar 2027", Time::Day(at.date())),
        ] {
            assert_eq!(read(json!(text)), Some(expected), "{text}");
        }
    }

    #[test]
    fn zones_are_kept() {
        let at = local("2020-02-02 22:00:00");
        let with = |value: &str, zone: &str| read(json!({"@type": "QDateTime", "@value": value, "timezone": zone}));
        assert_eq!(
            with("2020-02-02T22:00:00+01:00", "Europe/Berlin"),
            Some(Time::Zone(at, "Europe/Berlin".to_owned()))
        );
        assert_eq!(with("2020-02-02T22:00:00", "Europe/Berlin"), Some(Time::Zone(at, "Europe/Berlin".to_owned())));
        assert_eq!(
            with("2020-02-02T22:00:00+00:00", "Europe/London"),
            Some(Time::Zone(at, "Europe/London".to_owned()))
        );
        assert_eq!(with("2020-02-02T22:00:00Z", "Europe/Berlin"), Some(Time::Offset(at, 0)), "the local time is 23:00");
        assert_eq!(with("2020-02-02T22:00:00", "UTC"), Some(Time::Offset(at, 0)));
        assert_eq!(with("2020-02-02T22:00:00", "UTC+02:00"), Some(Time::Offset(at, 120)));
    }

    #[test]
    fn other_text_is_no_time() {
        for text in [
            "",
            "soon",
            "2027",
            "2027-13-04",
            "2027-02-30",
            "2027-03-04T25:00",
            "2027-03-04T20:15 or later",
            "ß027-03-04",
        ] {
            assert_eq!(read(json!(text)), None, "{text}");
        }
    }

    #[test]
    fn instants_are_in_utc() {
        let read = |text: &str| {
            let values = [json!(text)];
            let graph = Graph::new(&values);
            instant(graph.node(&values[0])).map(|instant| instant.to_rfc3339())
        };
        assert_eq!(read("2027-02-01T08:30:00-08:00").as_deref(), Some("2027-02-01T16:30:00+00:00"));
        assert_eq!(read("2020-01-01T00:00:00").as_deref(), Some("2020-01-01T00:00:00+00:00"));
        assert_eq!(read("2020-01-01").as_deref(), Some("2020-01-01T00:00:00+00:00"));
    }
}
