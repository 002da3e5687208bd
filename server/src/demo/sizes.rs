//! The contents of a large population: each built-in itinerary in several sizes, from one day of it to several times its
//! days.

use itinerary_api::read;
use itinerary_app::itineraries::seed;
use itinerary_core::content::Content;
use itinerary_platform::context::Service;
use serde_json::Value;

use super::{Result, Written};

/// A size: how often the days are repeated, or 0 for the first day only; and its share in percent.
const SIZES: [(usize, u32); 5] = [(0, 30), (1, 45), (2, 15), (4, 7), (8, 3)];

pub(super) struct Contents(Vec<Content>);

impl Contents {
    /// The contents in all sizes: about 1, 4, 7, 14 and 27 KB.
    pub(super) fn of(service: &Service, written: &[Written]) -> Result<Self> {
        let sizes = written.iter().flat_map(|one| SIZES.iter().map(|(times, _)| content(service, &one.json, *times)));
        sizes.collect::<Result<_>>().map(Self)
    }

    pub(super) fn get(&self, number: u16) -> &Content {
        &self.0[usize::from(number)]
    }

    /// Draws one of them; `below` draws a number below another.
    pub(super) fn draw(&self, below: impl Fn(u32) -> u32) -> u16 {
        let (mut percent, mut size) = (below(100), 0);
        while percent >= SIZES[size].1 {
            percent -= SIZES[size].1;
            size += 1;
        }
        let built_in = below(u32::try_from(self.0.len() / SIZES.len()).unwrap_or(u32::MAX));
        u16::try_from(built_in as usize * SIZES.len() + size).unwrap_or_default()
    }
}

fn content(service: &Service, json: &str, times: usize) -> Result<Content> {
    let mut itinerary: Value = serde_json::from_str(json)?;
    let days = itinerary["days"].as_array_mut().ok_or("a built-in itinerary has no days")?;
    if times == 0 {
        days.truncate(1);
    } else {
        let once = days.clone();
        days.extend((1..times).flat_map(|round| once.iter().map(move |day| repeated(day, round))));
    }
    let body = read::json(itinerary.to_string().as_bytes()).map_err(|error| format!("{error:?}"))?;
    seed::content(service, body).map_err(|error| format!("{error:?}").into())
}

/// A day with other ids for its stops.
fn repeated(day: &Value, round: usize) -> Value {
    let mut day = day.clone();
    let rename = |item: &mut Value, fields: &[&str]| {
        for field in fields {
            if let Some(id) = item.get(*field).and_then(Value::as_str).map(|id| format!("{id}-{round}")) {
                item[*field] = id.into();
            }
        }
    };
    for stop in day["stops"].as_array_mut().into_iter().flatten() {
        rename(stop, &["id"]);
    }
    for leg in day["legs"].as_array_mut().into_iter().flatten() {
        rename(leg, &["from", "to"]);
    }
    day
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_repeated_day_has_other_ids() {
        let day = json!({ "stops": [{ "id": "a" }, { "name": "b" }], "legs": [{ "from": "a", "to": "c" }] });
        let expected = json!({ "stops": [{ "id": "a-2" }, { "name": "b" }], "legs": [{ "from": "a-2", "to": "c-2" }] });
        assert_eq!(repeated(&day, 2), expected);
    }

    #[test]
    fn all_sizes_are_drawn() {
        assert_eq!(SIZES.iter().map(|(_, percent)| percent).sum::<u32>(), 100);
    }
}
