//! Definitions of time zones.

use std::collections::BTreeMap;

use jiff::tz::{Offset, TimeZone};
use jiff::{SignedDuration, Timestamp};

use super::write::CalendarLines;

/// The onset of a zone's first known offset.
const FIRST: &str = "16010101T000000";

/// Whether times in a zone are written in UTC.
pub(super) fn is_utc(name: &str) -> bool {
    matches!(name, "UTC" | "Etc/UTC")
}

/// The zones of a calendar, with the changes of their offset that its times need.
///
/// For each time, the change before it is defined and no other, so the definitions cannot be longer than the events. To a
/// program that reads them, every time has the offset that it has in the zone.
#[derive(Default)]
pub(super) struct Zones(BTreeMap<String, (TimeZone, BTreeMap<Option<Timestamp>, Observance>)>);

struct Observance {
    /// The local time of the change, by the offset before it.
    onset: String,
    from: Offset,
    to: Offset,
    is_summer: bool,
    name: String,
}

impl Zones {
    /// Notes that the calendar has a time in a zone.
    pub(super) fn note(&mut self, name: &str, zone: &TimeZone, instant: Timestamp) {
        if !self.0.contains_key(name) {
            self.0.insert(name.to_owned(), (zone.clone(), BTreeMap::new()));
        }
        let Some((zone, observances)) = self.0.get_mut(name) else { return };
        let second = SignedDuration::from_secs(1);
        let change = instant.checked_add(second).ok().and_then(|after| {
            zone.preceding(after).find_map(|change| {
                let before = zone.to_offset(change.timestamp().checked_sub(second).ok()?);
                // Some changes alter only the name.
                (before != change.offset()).then(|| (change.timestamp(), before))
            })
        });
        let at = change.map(|(at, _)| at);
        observances.entry(at).or_insert_with(|| {
            let info = zone.to_offset_info(at.unwrap_or(instant));
            let from = change.map_or(info.offset(), |(_, before)| before);
            Observance {
                onset: at.map_or(FIRST.to_owned(), |at| from.to_datetime(at).strftime("%Y%m%dT%H%M%S").to_string()),
                from,
                to: info.offset(),
                is_summer: info.dst().is_dst(),
                name: info.abbreviation().to_owned(),
            }
        });
    }

    pub(super) fn write(&self, lines: &mut CalendarLines) {
        for (name, (_, observances)) in &self.0 {
            lines.line("BEGIN", "VTIMEZONE");
            lines.line("TZID", name);
            for Observance { onset, from, to, is_summer, name } in observances.values() {
                let kind = if *is_summer { "DAYLIGHT" } else { "STANDARD" };
                lines.line("BEGIN", kind);
                lines.line("DTSTART", onset);
                lines.line("TZOFFSETFROM", &digits(*from));
                lines.line("TZOFFSETTO", &digits(*to));
                lines.line("TZNAME", name);
                lines.line("END", kind);
            }
            lines.line("END", "VTIMEZONE");
        }
    }
}

/// `+0100`, with seconds if there are any.
fn digits(offset: Offset) -> String {
    let seconds = offset.seconds();
    let sign = if seconds < 0 { '-' } else { '+' };
    let (minutes, rest) = (seconds.abs() / 60, seconds.abs() % 60);
    let rest = if rest == 0 { String::new() } else { format!("{rest:02}") };
    format!("{sign}{:02}{:02}{rest}", minutes / 60, minutes % 60)
}
