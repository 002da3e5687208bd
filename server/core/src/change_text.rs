//! What changed between two versions of an itinerary, as sentences for people, such as "Belém Tower moved to day 2".
//!
//! Describes the changes that [`crate::merge::changes`] lists. Finds none itself.

use std::fmt;

use itinerary_api::types::{ChangeKind, RevisionChange, Visibility};
use serde::Deserialize;

use crate::content::{Content, Part};
use crate::revision::Version;

/// A sentence without a full stop. It names at most one thing, whose name is user content.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangeText {
    /// The words before the name.
    pub before: String,
    /// The name; empty if there is none.
    pub name: String,
    /// The words after the name.
    pub after: String,
}

impl fmt::Display for ChangeText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}{}", self.before, self.name, self.after)
    }
}

impl ChangeText {
    fn words(words: impl Into<String>) -> Self {
        Self { before: words.into(), ..Self::default() }
    }

    fn about(name: impl Into<String>, after: impl Into<String>) -> Self {
        Self { name: name.into(), after: after.into(), ..Self::default() }
    }
}

/// Describes the changes from one version to the next, in their order. Changed fields of an item are one sentence.
pub fn sentences(changes: &[RevisionChange], before: &Version, after: &Version) -> Vec<ChangeText> {
    let (old, new) = (&before.content, &after.content);
    let changes: Vec<_> = changes.iter().map(|change| (Target::of(&change.path), change.kind)).collect();
    let same_item = |one: &(Target<'_>, ChangeKind), other: &(Target<'_>, ChangeKind)| {
        one.0.items == other.0.items && !one.0.items.is_empty() && [one.1, other.1] == [ChangeKind::Changed; 2]
    };
    let groups = changes.chunk_by(same_item);
    groups.map(|group| sentence(group, (old, new), after.visibility)).collect()
}

fn sentence(
    group: &[(Target<'_>, ChangeKind)],
    (old, new): (&Content, &Content),
    visibility: Visibility,
) -> ChangeText {
    let (target, kind) = &group[0];
    // What was removed has only a former name.
    let named_in = if *kind == ChangeKind::Removed { old } else { new };
    match target.items[..] {
        [] => field_sentence(target.field, *kind, new, visibility),
        [(list, id)] => match Part::ALL.into_iter().find(|part| part.name() == list) {
            Some(Part::Days) => day_sentence(id, *kind, &fields(group), (old, new)),
            Some(part) => {
                let named = Named::find(named_in, part, id);
                let packed = named.is_packed.filter(|_| group.len() == 1 && target.field == "isPacked");
                let changed = packed
                    .map_or_else(|| format!("{} changed", fields(group)), |packed| packing_state(packed).to_owned());
                item_sentence(noun(part), &named.name(), *kind, &changed)
            }
            None => ChangeText::words("Something else changed"),
        },
        [(_, day), (_, stop), ..] => stop_sentence((day, stop), *kind, &fields(group), (old, new)),
    }
}

/// What a change is about: items from the outside in, by list and id, and a field of the last one.
struct Target<'a> {
    items: Vec<(&'a str, &'a str)>,
    field: &'a str,
}

impl<'a> Target<'a> {
    /// Reads a path such as `days[id=day-2].stops[id=s7].name`. Ids have neither brackets nor dots.
    fn of(path: &'a str) -> Self {
        let mut target = Self { items: Vec::new(), field: path };
        while let Some((list, rest)) = target.field.split_once("[id=")
            && let Some((id, rest)) = rest.split_once(']')
        {
            target.items.push((list, id));
            target.field = rest.strip_prefix('.').unwrap_or(rest);
        }
        target
    }
}

fn field_sentence(field: &str, kind: ChangeKind, new: &Content, visibility: Visibility) -> ChangeText {
    match (field, kind) {
        ("title", _) => ChangeText {
            before: "Title changed to “".to_owned(),
            name: new.everyone.title.to_string(),
            after: "”".to_owned(),
        },
        ("visibility", _) => ChangeText::words(match visibility {
            Visibility::Private => "Made private",
            Visibility::Followers => "Shown to followers",
            Visibility::Unlisted => "Shown to anyone with the link",
            Visibility::Public => "Published",
        }),
        (field, ChangeKind::Added) => ChangeText::words(format!("{} added", capital(&field_words(field)))),
        (field, ChangeKind::Removed) => ChangeText::words(format!("{} removed", capital(&field_words(field)))),
        (field, _) => ChangeText::words(format!("{} changed", capital(&field_words(field)))),
    }
}

fn day_sentence(id: &str, kind: ChangeKind, fields: &str, (old, new): (&Content, &Content)) -> ChangeText {
    let number = |content| day_number(content, id);
    ChangeText::words(match kind {
        ChangeKind::Added => format!("Day {} added", number(new)),
        ChangeKind::Removed => format!("Day {} removed", number(old)),
        ChangeKind::Moved => format!("Day {} moved: now day {}", number(old), number(new)),
        ChangeKind::Changed => format!("Day {}: {fields} changed", number(new)),
    })
}

fn item_sentence(noun: &str, name: &str, kind: ChangeKind, changed: &str) -> ChangeText {
    let is_now = match kind {
        ChangeKind::Added => "added",
        ChangeKind::Removed => "removed",
        ChangeKind::Moved => "moved in the list",
        ChangeKind::Changed if name.is_empty() => return ChangeText::words(format!("{noun}: {changed}")),
        ChangeKind::Changed => return ChangeText::about(name, format!(": {changed}")),
    };
    match name {
        "" => ChangeText::words(format!("{noun} {is_now}")),
        name => ChangeText { before: format!("{noun} {is_now}: "), name: name.to_owned(), after: String::new() },
    }
}

fn stop_sentence(
    (day, id): (&str, &str),
    kind: ChangeKind,
    fields: &str,
    (old, new): (&Content, &Content),
) -> ChangeText {
    let content = if kind == ChangeKind::Removed { old } else { new };
    let number = day_number(content, day);
    let after = match kind {
        ChangeKind::Added => format!(" added to day {number}"),
        ChangeKind::Removed => format!(" removed from day {number}"),
        ChangeKind::Moved if stop(old, id).is_some_and(|(former, _)| former == day) => {
            format!(" moved within day {number}")
        }
        ChangeKind::Moved => format!(" moved to day {number}"),
        ChangeKind::Changed => format!(": {fields} changed"),
    };
    ChangeText::about(stop(content, id).map_or("A stop", |(_, name)| name), after)
}

/// The id of a stop's day, and the stop's name.
fn stop<'a>(content: &'a Content, id: &str) -> Option<(&'a str, &'a str)> {
    content.everyone.days.iter().find_map(|day| {
        let stop = day.index().stops.iter().find(|stop| stop.id.as_deref() == Some(id))?;
        Some((day.index().id.as_deref()?, &*stop.name))
    })
}

fn day_number(content: &Content, id: &str) -> usize {
    content.everyone.days.iter().position(|day| day.index().id.as_deref() == Some(id)).map_or(0, |index| index + 1)
}

fn noun(part: Part) -> &'static str {
    match part {
        Part::Days => "Day",
        Part::Flights => "Flight",
        Part::Hotels => "Hotel",
        Part::Transports => "Transport",
        Part::Reservations => "Reservation",
        Part::Expenses => "Expense",
        Part::Packing => "Packing item",
        Part::Documents => "Document",
    }
}

/// The fields of an item that the sentences show.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Named {
    name: Option<String>,
    is_packed: Option<bool>,
    flight_number: Option<String>,
    number: Option<String>,
    #[serde(alias = "departureAirport", alias = "departurePlace")]
    departure: Option<End>,
    #[serde(alias = "arrivalAirport", alias = "arrivalPlace")]
    arrival: Option<End>,
}

#[derive(Deserialize)]
struct End {
    name: Option<String>,
    code: Option<String>,
}

impl Named {
    fn find(content: &Content, part: Part, id: &str) -> Self {
        let list = content.list(part);
        let index = list.indexes().position(|index| index.id.as_deref() == Some(id));
        let json = index.and_then(|index| list.raw(index).ok());
        json.and_then(|json| serde_json::from_str(json.get()).ok()).unwrap_or_default()
    }

    /// The name, or of a flight or transport its number, otherwise its ends. Empty if there is none.
    fn name(&self) -> String {
        let ends = [&self.departure, &self.arrival].into_iter().flatten();
        let ends: Vec<_> = ends.filter_map(|end| end.code.as_deref().or(end.name.as_deref())).collect();
        let name = self.name.as_ref().or(self.flight_number.as_ref()).or(self.number.as_ref());
        name.cloned().unwrap_or_else(|| ends.join(" to "))
    }
}

fn packing_state(is_packed: bool) -> &'static str {
    if is_packed { "packed" } else { "no longer packed" }
}

/// The changed fields of a group in words, each once: "start time, place and cost".
fn fields(group: &[(Target<'_>, ChangeKind)]) -> String {
    let mut words: Vec<String> = Vec::new();
    for word in group.iter().map(|(target, _)| field_words(target.field)) {
        if !words.contains(&word) {
            words.push(word);
        }
    }
    match words.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        _ => words.concat(),
    }
}

/// The words for a field: those of its camel-case name, unless they need others.
fn field_words(path: &str) -> String {
    let field = path.split_once('.').map_or(path, |(field, _)| field);
    match field {
        "startTime" | "startTimeSuggested" => "start time".to_owned(),
        "durationMinutes" => "duration".to_owned(),
        "checkInDate" => "check-in date".to_owned(),
        "checkOutDate" => "check-out date".to_owned(),
        "flightAirline" => "airline".to_owned(),
        "belongsTo" => "what it belongs to".to_owned(),
        "isPacked" => "packed or not".to_owned(),
        "legs" => "ways between stops".to_owned(),
        _ => {
            let spaced = field.chars().flat_map(|c| c.is_ascii_uppercase().then_some(' ').into_iter().chain([c]));
            spaced.collect::<String>().to_ascii_lowercase()
        }
    }
}

fn capital(words: &str) -> String {
    let mut chars = words.chars();
    chars.next().map_or_else(String::new, |first| format!("{}{}", first.to_ascii_uppercase(), chars.as_str()))
}

#[cfg(test)]
mod tests;
