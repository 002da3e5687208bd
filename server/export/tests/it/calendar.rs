//! Reads a calendar as RFC 5545 says.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::Offset;

/// A property: its name with parameters, and its value.
type Property = (String, String);

/// An event or an observance of a zone.
#[derive(Debug, Default)]
pub(crate) struct Component {
    kind: String,
    properties: Vec<Property>,
}

pub(crate) struct Calendar {
    pub(crate) head: Component,
    pub(crate) events: Vec<Component>,
    /// The observances, each with the name of its zone.
    observances: Vec<(String, Component)>,
}

impl Component {
    /// The value of a property, whatever its parameters.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.property(name).map(|(_, value)| value.as_str())
    }

    fn property(&self, name: &str) -> Option<&Property> {
        self.properties.iter().find(|(full, _)| full.split(';').next() == Some(name))
    }

    /// The text of a property, without its escapes.
    pub(crate) fn text(&self, name: &str) -> String {
        let mut text = String::new();
        let mut escaped = self.get(name).unwrap_or_default().chars();
        while let Some(c) = escaped.next() {
            match c {
                '\\' => match escaped.next().expect("an escaped character") {
                    'n' => text.push('\n'),
                    c => text.push(c),
                },
                ';' | ',' => panic!("{c} is not escaped in {:?}", self.get(name)),
                c => text.push(c),
            }
        }
        text
    }

    /// The full name of a property, with its parameters.
    pub(crate) fn full_name(&self, name: &str) -> &str {
        self.property(name).map_or("", |(full, _)| full)
    }
}

impl Calendar {
    pub(crate) fn read(text: &str) -> Self {
        let lines = text.strip_suffix("\r\n").expect("an end of line").split("\r\n");
        let mut unfolded: Vec<String> = Vec::new();
        for line in lines {
            assert!(line.len() <= 75 && !line.contains(['\r', '\n']), "{line:?}");
            match line.strip_prefix(' ') {
                Some(more) => unfolded.last_mut().expect("a line to continue").push_str(more),
                None => unfolded.push(line.to_owned()),
            }
        }
        let mut calendar = Self { head: Component::default(), events: Vec::new(), observances: Vec::new() };
        let mut open: Vec<Component> = Vec::new();
        for line in unfolded {
            let (name, value) = line.split_once(':').unwrap_or_else(|| panic!("no property: {line:?}"));
            match name {
                "BEGIN" => open.push(Component { kind: value.to_owned(), properties: Vec::new() }),
                "END" => {
                    let closed = open.pop().expect("an open component");
                    assert_eq!(closed.kind, value);
                    match value {
                        "VCALENDAR" => calendar.head = closed,
                        "VEVENT" => calendar.events.push(closed),
                        "STANDARD" | "DAYLIGHT" => {
                            let zone = open.last().and_then(|zone| zone.get("TZID")).expect("a zone").to_owned();
                            calendar.observances.push((zone, closed));
                        }
                        _ => {}
                    }
                }
                _ => open.last_mut().expect("a component").properties.push((name.to_owned(), value.to_owned())),
            }
        }
        assert!(open.is_empty());
        calendar
    }

    pub(crate) fn event(&self, uid: &str) -> &Component {
        let found = self.events.iter().find(|event| event.get("UID").is_some_and(|it| it.starts_with(uid)));
        found.unwrap_or_else(|| panic!("no {uid} in {:?}", self.events))
    }

    /// The instant of a time, by the definitions of zones in this calendar. `None` for floating times.
    pub(crate) fn instant(&self, event: &Component, name: &str) -> Option<Timestamp> {
        let value = event.get(name).unwrap_or_else(|| panic!("no {name} in {event:?}"));
        if value.ends_with('Z') {
            let utc = DateTime::strptime("%Y%m%dT%H%M%SZ", value).expect("a time");
            return Some(Offset::UTC.to_timestamp(utc).expect("an instant"));
        }
        let local = local(value);
        let zone = event.full_name(name).split_once(";TZID=")?.1;
        let onsets = self.observances.iter().filter(|(of, _)| of == zone).map(|(_, observance)| observance);
        let before = onsets.filter(|it| self::local(it.get("DTSTART").expect("an onset")) <= local);
        let current = before.max_by_key(|it| self::local(it.get("DTSTART").expect("an onset")));
        let current = current.unwrap_or_else(|| panic!("{zone} has no offset at {local}"));
        Some(offset(current.get("TZOFFSETTO").expect("an offset")).to_timestamp(local).expect("an instant"))
    }

    pub(crate) fn zones(&self) -> Vec<&str> {
        let mut zones: Vec<&str> = self.observances.iter().map(|(zone, _)| zone.as_str()).collect();
        zones.dedup();
        zones
    }
}

fn local(value: &str) -> DateTime {
    DateTime::strptime("%Y%m%dT%H%M%S", value).expect("a local time")
}

fn offset(value: &str) -> Offset {
    let number = |at: usize| value.get(at..at + 2).map_or(0, |text| text.parse::<i32>().expect("digits"));
    let seconds = number(1) * 3600 + number(3) * 60 + number(5);
    Offset::from_seconds(if value.starts_with('-') { -seconds } else { seconds }).expect("an offset")
}
