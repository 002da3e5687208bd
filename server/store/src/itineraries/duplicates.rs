//! Duplicates: itineraries of the same owner with the same start date and destination.
//!
//! A unique index cannot express "within 25 km", so the check needs a lock on the owner's counters; see `write.rs`.

use uuid::Uuid;

use crate::entity::itineraries::{self, Column};
use crate::query::row::row;
use crate::query::statement::statements;
use crate::query::{Query, query};
use crate::{Result, Store};

/// Destinations with the same name within this distance, in kilometres, are the same.
pub const DUPLICATE_RADIUS_KM: f64 = 25.0;

const EARTH_RADIUS_KM: f64 = 6371.0;

/// The properties by which duplicates are found.
#[derive(Clone, Debug)]
pub struct DuplicateRule {
    pub owner_id: Uuid,
    /// `YYYY-MM-DD`.
    pub start_date: String,
    pub destination_key: String,
    pub place_id: Option<String>,
    pub latitude: f64,
    pub longitude: f64,
}

row! {
    pub(super) struct DuplicateCandidate {
        pub(super) id: Uuid = itineraries::Column::Id,
        place_id: Option<String> = itineraries::Column::PlaceId,
        latitude: f64 = itineraries::Column::Latitude,
        longitude: f64 = itineraries::Column::Longitude,
    }
}

statements! {
    const CANDIDATES = itineraries::Entity::find()
        .select_row::<DuplicateCandidate>()
        .filter(Column::OwnerId.eq(p(1)))
        .filter(Column::StartDate.eq(p(2)))
        .filter(
            Column::PlaceId
                .eq(p(4))
                .or(Column::DestinationKey.eq(p(3)).and(Column::Latitude.col().between(p(5), p(6)))),
        )
        .order_by_asc(Column::CreatedAt)
        .order_by_asc(Column::Id);
}

/// The radius in degrees of latitude, rounded up, to restrict the candidates.
const LATITUDE_REACH: f64 = DUPLICATE_RADIUS_KM / 110.0;

impl Store {
    /// The oldest duplicate. Without a lock, so not for writes.
    pub async fn itinerary_duplicate(&self, rule: &DuplicateRule) -> Result<Option<Uuid>> {
        Ok(rule.first(self.fetch_all(&rule.candidates()).await?))
    }
}

impl DuplicateRule {
    /// Candidates, oldest first.
    pub(super) fn candidates(&self) -> Query {
        query!(
            CANDIDATES,
            self.owner_id,
            &self.start_date,
            &self.destination_key,
            self.place_id.as_deref(),
            self.latitude - LATITUDE_REACH,
            self.latitude + LATITUDE_REACH,
        )
    }

    pub(super) fn first(&self, candidates: Vec<DuplicateCandidate>) -> Option<Uuid> {
        let same_place =
            |candidate: &DuplicateCandidate| candidate.place_id.is_some() && candidate.place_id == self.place_id;
        let is_duplicate = |candidate: &DuplicateCandidate| {
            same_place(candidate) || self.is_near(candidate.latitude, candidate.longitude)
        };
        candidates.into_iter().find(is_duplicate).map(|candidate| candidate.id)
    }

    /// A candidate without the same place id has the same name.
    fn is_near(&self, latitude: f64, longitude: f64) -> bool {
        kilometres((self.latitude, self.longitude), (latitude, longitude)) <= DUPLICATE_RADIUS_KM
    }
}

/// The great-circle distance in kilometres between two points in degrees.
fn kilometres(a: (f64, f64), b: (f64, f64)) -> f64 {
    let half_chord = |from: f64, to: f64| ((to - from).to_radians() / 2.0).sin().powi(2);
    let across = a.0.to_radians().cos() * b.0.to_radians().cos() * half_chord(a.1, b.1);
    2.0 * EARTH_RADIUS_KM * (half_chord(a.0, b.0) + across).min(1.0).sqrt().asin()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_those_of_the_globe() {
        let (lisbon, porto) = ((38.7223, -9.1393), (41.1579, -8.6291));
        assert!((kilometres(lisbon, porto) - 274.0).abs() < 2.0);
        assert!(kilometres(lisbon, lisbon) < 1e-6);
        assert!((kilometres((0.0, 179.9), (0.0, -179.9)) - 22.2).abs() < 0.1, "across the date line");
        assert!((kilometres((0.0, 0.0), (0.0, 180.0)) - 20_015.0).abs() < 1.0, "antipodes");
    }
}
