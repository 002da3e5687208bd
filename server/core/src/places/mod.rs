//! Finds the place that a stop's name means, among candidates near the itinerary.
//!
//! A wrong place is worse than none: a candidate must match well, and clearly better than any other place. Candidates
//! come from a gazetteer or a provider.

mod cities;
pub mod locality;
mod meanings;
mod names;
mod similarity;
mod states;

use std::collections::HashMap;

use itinerary_api::types::{Coordinate, StopCategory};

use crate::geo;
pub use cities::{City, CityName, Meant, meant};
use names::SearchedName;
pub use names::keys;

/// The lowest score at which a candidate is accepted.
const ACCEPTED: f64 = 0.8;
/// From this similarity on, a name is one of the candidate's.
const EXACT: f64 = 0.999;
/// By how much a candidate must beat the next one elsewhere.
const MARGIN: f64 = 0.05;
/// Candidates within this distance of each other, in metres, are the same place.
const SAME_PLACE: f64 = 300.0;
/// The penalty for each kilometre between a candidate and the itinerary.
const PER_KILOMETRE: f64 = 0.002;
/// Candidates farther than this from every nearby point are ignored, in metres.
pub const RADIUS: f64 = 60_000.0;
/// The bonus for a matching category, and the penalty for a contradicting one.
const CATEGORY: f64 = 0.04;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaceKind {
    City,
    /// A place of a stop's category.
    Category(StopCategory),
    /// The source does not say.
    Unknown,
}

/// A place that a name may mean.
#[derive(Clone, Debug)]
pub struct Candidate {
    names: Vec<Vec<names::NameWord>>,
    kind: PlaceKind,
    coordinate: Coordinate,
}

impl Candidate {
    pub fn new<'n>(names: impl Iterator<Item = &'n str>, kind: PlaceKind, coordinate: Coordinate) -> Self {
        Self { names: names.map(names::words).collect(), kind, coordinate }
    }

    pub fn coordinate(&self) -> Coordinate {
        self.coordinate
    }

    pub fn is_city(&self) -> bool {
        self.kind == PlaceKind::City
    }

    /// Whether it is something to see: a station or an airport may have the name of its town.
    fn is_sight(&self) -> bool {
        use StopCategory as C;
        matches!(self.kind, PlaceKind::Category(kind) if !matches!(kind, C::Airport | C::Station | C::Transport | C::Lodging))
    }
}

/// Candidates, indexed by the first letters of the words of their names.
#[derive(Debug, Default)]
pub struct Candidates {
    all: Vec<Candidate>,
    by_key: HashMap<String, Vec<usize>>,
}

impl Candidates {
    pub fn new(all: Vec<Candidate>) -> Self {
        let mut by_key: HashMap<_, Vec<_>> = HashMap::new();
        for (n, candidate) in all.iter().enumerate() {
            for key in candidate.names.iter().flat_map(|name| names::keys_of(name)) {
                let found: &mut Vec<usize> = by_key.entry(key).or_default();
                if found.last() != Some(&n) {
                    found.push(n);
                }
            }
        }
        Self { all, by_key }
    }

    pub fn get(&self, index: usize) -> &Candidate {
        &self.all[index]
    }

    /// The index of the candidate that is clearly meant, if any.
    pub fn best(&self, sought: &Sought<'_>) -> Option<usize> {
        let name = SearchedName::sought(sought.name, sought.destination);
        let mut found: Vec<_> = keys(sought.name).iter().filter_map(|key| self.by_key.get(key)).flatten().collect();
        found.sort_unstable();
        found.dedup();
        let scored = found.into_iter().filter_map(|n| score(sought, &name, *n, &self.all[*n]));
        let mut scored: Vec<_> = scored.collect();
        // The Louvre is the museum, although a quarter of Paris has its name too.
        if scored.iter().any(|scored| scored.is_exact && self.all[scored.index].is_sight()) {
            scored.retain(|scored| !self.all[scored.index].is_city());
        }
        scored.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.index.cmp(&b.index)));
        let Scored { index: best, score, .. } = *scored.first().filter(|best| best.score >= ACCEPTED)?;
        let elsewhere = |n: usize| geo::metres(self.all[best].coordinate, self.all[n].coordinate) > SAME_PLACE;
        let rival = scored.iter().find(|other| elsewhere(other.index));
        rival.is_none_or(|rival| score - rival.score >= MARGIN).then_some(best)
    }
}

/// A stop or hotel to be placed.
#[derive(Clone, Copy, Debug)]
pub struct Sought<'s> {
    pub name: &'s str,
    /// The stop's category; `Lodging` for a hotel.
    pub category: Option<StopCategory>,
    /// The destination's name, which names of stops often repeat.
    pub destination: &'s str,
    /// Points of the itinerary: the destination, and whatever has a coordinate.
    pub near: &'s [Coordinate],
}

/// How well a candidate matches.
#[derive(Clone, Copy, Debug)]
struct Scored {
    index: usize,
    score: f64,
    /// Whether the name is one of the candidate's.
    is_exact: bool,
}

/// How well a candidate matches. `None` if it cannot be meant.
fn score(sought: &Sought<'_>, name: &SearchedName, index: usize, candidate: &Candidate) -> Option<Scored> {
    let distances = sought.near.iter().map(|near| geo::metres(*near, candidate.coordinate));
    let distance = distances.min_by(f64::total_cmp).filter(|distance| *distance <= RADIUS)?;
    let similarity = name.similarity_to_any(&candidate.names);
    let is_exact = similarity > EXACT;
    let adjustment = fits(sought, name, candidate, is_exact)?;
    Some(Scored { index, score: similarity + adjustment - distance / 1000.0 * PER_KILOMETRE, is_exact })
}

/// The bonus or penalty for the candidate's kind. `None` if the name cannot mean it.
fn fits(sought: &Sought<'_>, name: &SearchedName, candidate: &Candidate, is_exact: bool) -> Option<f64> {
    use StopCategory as C;
    match (candidate.kind, sought.category) {
        // A town needs an exact match. A stop never means the destination itself, or it would be put at the town's
        // centre.
        (PlaceKind::City, None | Some(C::Other | C::Tour | C::Activity | C::Landmark)) if is_exact => {
            (!name.is_destination(&candidate.names)).then_some(-CATEGORY)
        }
        (PlaceKind::Category(C::Airport), category) => match category {
            Some(C::Airport) => Some(CATEGORY),
            None | Some(C::Transport | C::Other) if is_exact => Some(0.0),
            _ => None,
        },
        (PlaceKind::City, _) | (_, Some(C::Airport)) => None,
        (PlaceKind::Category(kind), Some(category)) if kind == category => Some(CATEGORY),
        // A hotel or restaurant that is named after a sight is not the sight.
        (_, Some(C::Lodging | C::Restaurant | C::Cafe | C::Bar | C::Nightlife | C::Shopping | C::Wellness)) => {
            is_exact.then_some(0.0)
        }
        (PlaceKind::Category(C::Station), Some(C::Transport)) => Some(CATEGORY),
        (PlaceKind::Category(C::Station), Some(category)) if category != C::Other => is_exact.then_some(-CATEGORY),
        (_, Some(C::Station)) => is_exact.then_some(-CATEGORY),
        _ => Some(0.0),
    }
}
