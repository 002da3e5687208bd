//! Dates and times as people write them: `24Oct17`, `WED., DEC 09, 2026`, `6:05 PM`, `18.06.2026 09:30`, and ISO 8601.

use chrono::{DateTime, Datelike, NaiveDate, NaiveTime};

use crate::booking::Time;

/// A date and a time, as far as a text has them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct When {
    pub(super) date: Option<NaiveDate>,
    pub(super) time: Option<NaiveTime>,
    /// The offset from UTC in minutes.
    pub(super) offset: Option<i32>,
}

impl When {
    /// The time as far as it is known, on `day` if the text has no date. `None` without any date.
    pub(super) fn on(self, day: Option<NaiveDate>) -> Option<Time> {
        let date = self.date.or(day)?;
        Some(match (self.time, self.offset) {
            (Some(time), Some(offset)) => Time::Offset(date.and_time(time), offset),
            (Some(time), None) => Time::Local(date.and_time(time)),
            (None, _) => Time::Day(date),
        })
    }
}

/// Reads an ISO 8601 time, with or without seconds and offset, or a date.
pub(super) fn iso(text: &str) -> Option<When> {
    let text = text.trim();
    if text.len() > 40 || !text.is_ascii() {
        return None;
    }
    let date = text.get(..10)?.parse::<NaiveDate>().ok()?;
    let rest = text[10..].trim_start_matches(['T', 't', ' ']);
    if rest.is_empty() {
        return Some(When { date: Some(date), ..When::default() });
    }
    let (clock, zone) = rest.split_at(rest.find(['Z', 'z', '+', '-']).unwrap_or(rest.len()));
    let clock = clock.trim().split('.').next()?;
    let time =
        NaiveTime::parse_from_str(clock, "%H:%M:%S").or_else(|_| NaiveTime::parse_from_str(clock, "%H:%M")).ok()?;
    Some(When { date: Some(date), time: Some(time), offset: offset(zone) })
}

/// The minutes of `Z`, `+02:00`, `+0200` or `+02`.
pub(super) fn offset(zone: &str) -> Option<i32> {
    if zone.eq_ignore_ascii_case("z") {
        return Some(0);
    }
    let sign = match zone.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let digits: String = zone[1..].chars().filter(char::is_ascii_digit).collect();
    let (hours, minutes) = match digits.len() {
        2 => (digits.parse::<i32>().ok()?, 0),
        4 => (digits[..2].parse().ok()?, digits[2..].parse::<i32>().ok()?),
        _ => return None,
    };
    (hours <= 15 && minutes < 60).then_some(sign * (hours * 60 + minutes))
}

/// An instant in Unix seconds or in ISO 8601 with an offset.
pub(super) fn instant(text: &str) -> Option<DateTime<chrono::Utc>> {
    if let Ok(seconds) = text.trim().parse::<i64>() {
        return DateTime::from_timestamp(seconds, 0);
    }
    let when = iso(text)?;
    let local = when.date?.and_time(when.time?);
    Some(local.checked_sub_signed(chrono::TimeDelta::minutes(when.offset?.into()))?.and_utc())
}

/// Reads a date and a time in words. `near` decides the year if there is none, and the order of day and month if the
/// text leaves it open.
pub(super) fn words(text: &str, near: Option<NaiveDate>) -> When {
    if let Some(when) = iso(text) {
        return when;
    }
    let parts = split(text);
    if parts.len() > 12 {
        return When::default();
    }
    let (time, rest) = clock(&parts);
    When { date: date(&rest, near), time, offset: None }
}

/// A run of digits, a word, or the character between two numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Number(u32, usize),
    Word(String),
    Mark(char),
}

/// The parts of a text. Blanks and marks around words are dropped.
fn split(text: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut rest = text.trim();
    while let Some(first) = rest.chars().next() {
        let is_digit = first.is_ascii_digit();
        let is_same = |c: char| if is_digit { c.is_ascii_digit() } else { c.is_alphabetic() };
        if is_digit || first.is_alphabetic() {
            let end = rest.find(|c| !is_same(c)).unwrap_or(rest.len());
            let (run, after) = rest.split_at(end);
            parts.push(match run.parse() {
                Ok(number) if is_digit => Part::Number(number, run.len()),
                _ => Part::Word(run.to_lowercase()),
            });
            rest = after;
        } else {
            if matches!(first, ':' | '/' | '.' | '-') && matches!(parts.last(), Some(Part::Number(..))) {
                parts.push(Part::Mark(first));
            }
            rest = &rest[first.len_utf8()..];
        }
        if parts.len() > 12 {
            break;
        }
    }
    parts
}

/// The time, and the parts without it.
fn clock(parts: &[Part]) -> (Option<NaiveTime>, Vec<Part>) {
    let is_half = |part: Option<&Part>| match part {
        Some(Part::Word(word)) if matches!(word.as_str(), "am" | "a") => Some(0),
        Some(Part::Word(word)) if matches!(word.as_str(), "pm" | "p") => Some(12),
        _ => None,
    };
    for (at, window) in parts.windows(3).enumerate() {
        let [Part::Number(hour, ..=2), mark, Part::Number(minute, 2)] = window else { continue };
        let is_clock = match mark {
            Part::Mark(':') => true,
            Part::Word(word) => word == "h",
            // `18.30` is a time only where no year follows.
            Part::Mark('.') => parts.len() == 3 || is_half(parts.get(at + 3)).is_some(),
            _ => false,
        };
        if !is_clock {
            continue;
        }
        let half = is_half(parts.get(at + 3));
        let hour = half.map_or(*hour, |half| hour % 12 + half);
        // `09:30:00` has seconds.
        let seconds = if matches!(parts.get(at + 3), Some(Part::Mark(':'))) { 2 } else { 0 };
        let end = at + 3 + seconds + usize::from(half.is_some());
        let rest = parts[..at].iter().chain(parts.get(end..).unwrap_or_default()).cloned().collect();
        return (NaiveTime::from_hms_opt(hour, *minute, 0), rest);
    }
    (None, parts.to_vec())
}

/// The date, with the month as a word or a number.
fn date(parts: &[Part], near: Option<NaiveDate>) -> Option<NaiveDate> {
    let numbers: Vec<(u32, usize)> = parts
        .iter()
        .filter_map(|part| match part {
            Part::Number(number, digits) => Some((*number, *digits)),
            _ => None,
        })
        .collect();
    // The last one: `mar` before a date is a Tuesday.
    let month = parts.iter().rev().find_map(|part| match part {
        Part::Word(word) => month(word),
        _ => None,
    });
    if let Some(month) = month {
        let day = numbers.iter().find(|(day, digits)| *digits <= 2 && (1..=31).contains(day))?;
        let year =
            numbers.iter().skip_while(|number| *number != day).nth(1).or_else(|| numbers.first().filter(|n| n.1 == 4));
        return in_year(year.copied(), month, day.0, near);
    }
    let mark = parts.iter().find_map(|part| match part {
        Part::Mark(mark @ ('.' | '/' | '-')) => Some(*mark),
        _ => None,
    })?;
    let (first, second) = (numbers.first()?, numbers.get(1)?);
    if first.1 == 4 {
        return in_year(Some(*first), second.0, numbers.get(2)?.0, near);
    }
    let year = numbers.get(2).copied();
    let day_first = in_year(year, second.0, first.0, near);
    let month_first = in_year(year, first.0, second.0, near).filter(|_| mark != '.');
    match (day_first, month_first) {
        (Some(one), Some(other)) if one != other => {
            let near = near?;
            let distance = |date: NaiveDate| (date - near).num_days().abs();
            Some(if distance(other) < distance(one) { other } else { one })
        }
        (one, other) => one.or(other),
    }
}

/// The date in a year of two or four digits; without one, in the year that brings it nearest to `near`.
fn in_year(year: Option<(u32, usize)>, month: u32, day: u32, near: Option<NaiveDate>) -> Option<NaiveDate> {
    match year {
        Some((year, 4)) => NaiveDate::from_ymd_opt(year.try_into().ok()?, month, day),
        Some((year, 2)) => NaiveDate::from_ymd_opt(2000 + i32::try_from(year).ok()?, month, day),
        _ => {
            let near = near?;
            let years = near.year() - 1..=near.year() + 1;
            let dates = years.filter_map(|year| NaiveDate::from_ymd_opt(year, month, day));
            dates.min_by_key(|date| (*date - near).num_days().abs())
        }
    }
}

/// The month of a name or of its beginning, in English, German, French, Spanish, Italian, Portuguese and Dutch.
fn month(word: &str) -> Option<u32> {
    const STARTS: [(&str, u32); 39] = [
        ("jan", 1),
        ("jän", 1),
        ("ene", 1),
        ("gen", 1),
        ("feb", 2),
        ("fév", 2),
        ("fev", 2),
        ("fèv", 2),
        ("mar", 3),
        ("mär", 3),
        ("mrz", 3),
        ("maa", 3),
        ("mrt", 3),
        ("apr", 4),
        ("avr", 4),
        ("abr", 4),
        ("may", 5),
        ("mai", 5),
        ("mag", 5),
        ("mei", 5),
        ("jun", 6),
        ("juin", 6),
        ("giu", 6),
        ("jul", 7),
        ("juil", 7),
        ("lug", 7),
        ("aug", 8),
        ("aoû", 8),
        ("aou", 8),
        ("ago", 8),
        ("sep", 9),
        ("set", 9),
        ("oct", 10),
        ("okt", 10),
        ("ott", 10),
        ("out", 10),
        ("nov", 11),
        ("dec", 12),
        ("dez", 12),
    ];
    const MORE: [(&str, u32); 3] = [("déc", 12), ("dic", 12), ("sept", 9)];
    let found = STARTS.iter().chain(&MORE).find(|(start, _)| word.starts_with(start))?;
    Some(found.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn date(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    fn time(text: &str) -> NaiveTime {
        text.parse().unwrap()
    }

    #[test]
    fn iso_times() {
        for (text, local, minutes) in [
            ("2026-06-18T18:40+01:00", "18:40:00", Some(60)),
            ("2026-06-18T18:40:05Z", "18:40:05", Some(0)),
            ("2026-06-18T18:40:05.123-0330", "18:40:05", Some(-210)),
            ("2026-06-18 18:40", "18:40:00", None),
        ] {
            let when = iso(text).unwrap();
            assert_eq!(
                (when.date, when.time, when.offset),
                (Some(date("2026-06-18")), Some(time(local)), minutes),
                "{text}"
            );
        }
        assert_eq!(iso("2026-06-18").unwrap().time, None);
        for text in ["", "2026-06", "2026-13-01", "2026-06-18T25:00", "2026-06-18Tx", "äääääääääää"] {
            assert_eq!(iso(text), None, "{text}");
        }
        assert_eq!(instant("1790097872").unwrap().to_rfc3339(), "2026-09-22T17:24:32+00:00");
        assert_eq!(instant("2026-06-18T18:40+01:00").unwrap().to_rfc3339(), "2026-06-18T17:40:00+00:00");
        assert_eq!(instant("2026-06-18T18:40"), None);
    }

    #[test]
    fn dates_in_words() {
        let near = Some(date("2026-11-28"));
        for (text, is) in [
            ("24Oct26", "2026-10-24"),
            ("21MAY27", "2027-05-21"),
            ("15September", "2026-09-15"),
            ("3 Jan", "2027-01-03"),
            ("WED., DEC 09, 2026", "2026-12-09"),
            ("Mi, 9. Dezember 2026", "2026-12-09"),
            ("9 août 2026", "2026-08-09"),
            ("mar, 9 dic 2026", "2026-12-09"),
            ("18.06.2026", "2026-06-18"),
            ("18.06.26", "2026-06-18"),
            ("18.12.", "2026-12-18"),
            ("6/18/2026", "2026-06-18"),
            ("18/6/2026", "2026-06-18"),
            // The nearer one.
            ("11/12/2026", "2026-12-11"),
            ("2026/12/09", "2026-12-09"),
        ] {
            assert_eq!(words(text, near).date, Some(date(is)), "{text}");
        }
        assert_eq!(words("11/12/2026", None).date, None);
        for text in [
            "",
            "-",
            "....",
            "Gate C62",
            "99/99/9999",
            "19F",
            "not a date at all, but many, many, many words in a row, 1 2 3",
        ] {
            assert_eq!(words(text, near).date, None, "{text}");
        }
    }

    #[test]
    fn times_in_words() {
        for (text, is) in [
            ("15:55", "15:55"),
            ("5:10 PM", "17:10"),
            ("12:05 am", "00:05"),
            ("12:05pm", "12:05"),
            ("9h05", "09:05"),
            ("18.30", "18:30"),
            ("THU., DEC 10, 2026, 9:01 AM", "09:01"),
            ("18.06.2026 09:30", "09:30"),
            ("09:30:00", "09:30"),
            ("06:05 PM PDT", "18:05"),
        ] {
            assert_eq!(words(text, None).time, Some(time(&format!("{is}:00"))), "{text}");
        }
        let both = words("THU., DEC 10, 2026, 9:01 AM", None);
        assert_eq!(both.date, Some(date("2026-12-10")));
        for text in ["", "25:00", "18.06.2026"] {
            assert_eq!(words(text, None).time, None, "{text}");
        }
    }
}
