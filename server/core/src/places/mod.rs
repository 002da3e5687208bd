//! Finding the place that a stop's name means, among candidates near the itinerary.
//!
//! A wrong place is worse than none: a candidate must match well, and clearly better than any other place. Where candidates
//! come from, a gazetteer or a provider, is not decided here.

mod cities;
mod names;
mod similarity;
mod states;

use std::collections::HashMap;

use itinerary_api::types::{Coordinate, StopCategory};

use crate::geo;
pub use cities::{City, CityName, Meant, meant};
use names::Name;
pub use names::keys;

/// The least score at which a candidate is accepted.
const ACCEPTED: f64 = 0.8;
/// By how much a candidate must beat the next one that is somewhere else.
const MARGIN: f64 = 0.05;
/// Candidates within so many metres of each other are the same place.
const SAME_PLACE: f64 = 300.0;
/// What a kilometre between a candidate and the itinerary costs.
const PER_KILOMETRE: f64 = 0.002;
/// Candidates farther than this from everything in the itinerary are ignored, in metres.
pub const RADIUS: f64 = 60_000.0;
/// What agreeing with the stop's category is worth, and what contradicting it costs.
const CATEGORY: f64 = 0.04;

/// What a candidate is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A city or town.
    City,
    /// Something that a stop's category names.
    Category(StopCategory),
    /// The source does not say.
    Unknown,
}

/// A place that a name may mean.
#[derive(Clone, Debug)]
pub struct Candidate {
    names: Vec<Vec<names::Word>>,
    kind: Kind,
    coordinate: Coordinate,
}

impl Candidate {
    /// A place with these names.
    pub fn new<'n>(names: impl Iterator<Item = &'n str>, kind: Kind, coordinate: Coordinate) -> Self {
        Self { names: names.map(names::words).collect(), kind, coordinate }
    }

    /// Where it is.
    pub fn coordinate(&self) -> Coordinate {
        self.coordinate
    }

    /// Whether it is a city or town.
    pub fn is_city(&self) -> bool {
        self.kind == Kind::City
    }
}

/// Candidates, to be found by the beginnings of their names' words.
#[derive(Debug, Default)]
pub struct Candidates {
    all: Vec<Candidate>,
    by_key: HashMap<String, Vec<usize>>,
}

impl Candidates {
    /// Indexes candidates.
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

    /// A candidate.
    pub fn get(&self, index: usize) -> &Candidate {
        &self.all[index]
    }

    /// The index of the candidate that is meant, if one is clearly meant.
    pub fn best(&self, sought: &Sought<'_>) -> Option<usize> {
        let name = Name::sought(sought.name, sought.destination);
        let mut found: Vec<_> = keys(sought.name).iter().filter_map(|key| self.by_key.get(key)).flatten().collect();
        found.sort_unstable();
        found.dedup();
        let scored = found.into_iter().filter_map(|n| Some((*n, score(sought, &name, &self.all[*n])?)));
        let mut scored: Vec<_> = scored.collect();
        scored.sort_by(|(a, one), (b, other)| other.total_cmp(one).then(a.cmp(b)));
        let (best, score) = *scored.first().filter(|(_, score)| *score >= ACCEPTED)?;
        let elsewhere = |n: usize| geo::metres(self.all[best].coordinate, self.all[n].coordinate) > SAME_PLACE;
        let rival = scored.iter().find(|(n, _)| elsewhere(*n));
        rival.is_none_or(|(_, rival)| score - rival >= MARGIN).then_some(best)
    }
}

/// A stop or hotel to be placed.
#[derive(Clone, Copy, Debug)]
pub struct Sought<'s> {
    /// Its name.
    pub name: &'s str,
    /// The stop's category; lodging for a hotel.
    pub category: Option<StopCategory>,
    /// The destination's name, which stops' names often repeat.
    pub destination: &'s str,
    /// Where the itinerary is: the destination, and what is placed already.
    pub near: &'s [Coordinate],
}

/// How well a candidate fits; `None` if it is out of the question.
fn score(sought: &Sought<'_>, name: &Name, candidate: &Candidate) -> Option<f64> {
    let distances = sought.near.iter().map(|near| geo::metres(*near, candidate.coordinate));
    let distance = distances.min_by(f64::total_cmp).filter(|distance| *distance <= RADIUS)?;
    let similarity = name.similarity_to_any(&candidate.names);
    let adjustment = fits(sought, name, candidate, similarity)?;
    Some(similarity + adjustment - distance / 1000.0 * PER_KILOMETRE)
}

/// What the candidate's kind says for it or against it; `None` if it cannot be meant.
fn fits(sought: &Sought<'_>, name: &Name, candidate: &Candidate, similarity: f64) -> Option<f64> {
    use StopCategory as C;
    let is_exact = similarity > 0.999;
    match (candidate.kind, sought.category) {
        // A town is meant only by its very name, and the destination itself by no stop: it would be its centre.
        (Kind::City, None | Some(C::Other | C::Tour | C::Activity | C::Landmark)) if is_exact => {
            (!name.is_destination(&candidate.names)).then_some(-CATEGORY)
        }
        (Kind::Category(C::Airport), category) => match category {
            Some(C::Airport) => Some(CATEGORY),
            None | Some(C::Transport | C::Other) if is_exact => Some(0.0),
            _ => None,
        },
        (Kind::City, _) | (_, Some(C::Airport)) => None,
        (Kind::Category(kind), Some(category)) if kind == category => Some(CATEGORY),
        // A hotel or restaurant that is named after a sight is not the sight.
        (_, Some(C::Lodging | C::Restaurant | C::Cafe | C::Bar | C::Nightlife | C::Shopping | C::Wellness)) => {
            is_exact.then_some(0.0)
        }
        (Kind::Category(C::Station), Some(C::Transport)) => Some(CATEGORY),
        (Kind::Category(C::Station), Some(category)) if category != C::Other => is_exact.then_some(-CATEGORY),
        (_, Some(C::Station)) => is_exact.then_some(-CATEGORY),
        _ => Some(0.0),
    }
}
