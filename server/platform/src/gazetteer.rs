//! The gazetteer: the built-in places, merged with the imported ones, which win.
//!
//! The built-in places are searched in the program, the imported ones in the database. The caller scores the matches.

use std::collections::HashSet;

pub use itinerary_gazetteer::Area;
use itinerary_gazetteer::area::cells;
use itinerary_gazetteer::index::{Index, Record};
use itinerary_store::{CANDIDATES, CITIES, GazetteerRow, Store, StoreError};

use crate::context::Service;

type Rows = Result<Vec<GazetteerRow>, StoreError>;

/// Searches for places.
pub struct Gazetteer {
    /// Has the imported places.
    store: Store,
    /// `None` if the setting `gazetteer` is off.
    built_in: Option<Index<'static>>,
}

impl Service {
    /// The gazetteer. A place that was imported in the last seconds may be missing.
    pub fn gazetteer(&self) -> Gazetteer {
        let built_in = self.config.gazetteer.then(itinerary_gazetteer::built_in);
        Gazetteer { store: self.store.lagging(), built_in }
    }
}

impl Gazetteer {
    /// The places in these areas with a word that begins with one of the keys: at most 5,000 built-in and 5,000
    /// imported ones.
    pub async fn near(&self, keys: &[String], areas: &[Area]) -> Rows {
        let cells = cells(areas);
        let built_in = self.built_in(|index| index.near(keys, &cells, CANDIDATES as usize));
        self.merged(built_in, async |store| store.gazetteer_near(keys, &cells).await).await
    }

    /// The places in an area: at most 5,000 built-in and 5,000 imported ones.
    pub async fn around(&self, area: Area) -> Rows {
        let cells = cells(&[area]);
        let built_in = self.built_in(|index| index.around(&cells, CANDIDATES as usize));
        self.merged(built_in, async |store| store.gazetteer_around(&cells).await).await
    }

    /// The cities with a word that begins with one of the keys, largest first: at most 1,000.
    pub async fn cities(&self, keys: &[String]) -> Rows {
        let built_in = self.built_in(|index| index.cities(keys, CITIES as usize));
        Ok(largest(self.merged(built_in, async |store| store.gazetteer_cities(keys).await).await?, CITIES))
    }

    /// The cities in these areas, largest first: at most 5,000.
    pub async fn cities_in(&self, areas: &[Area]) -> Rows {
        let cells = cells(areas);
        let built_in = self.built_in(|index| index.cities_in(&cells, CANDIDATES as usize));
        Ok(largest(self.merged(built_in, async |store| store.gazetteer_cities_in(&cells).await).await?, CANDIDATES))
    }

    /// The airports of these IATA codes, in upper case. Imported ones are last.
    pub async fn airports(&self, codes: &[String]) -> Rows {
        let built_in = self.built_in(|index| index.airports(codes));
        self.merged(built_in, async |store| store.gazetteer_airports(codes).await).await
    }

    fn built_in(&self, search: impl FnOnce(Index<'static>) -> Vec<Record<'static>>) -> Vec<Record<'static>> {
        self.built_in.map(search).unwrap_or_default()
    }

    /// The built-in places whose ids were not imported, then the imported ones.
    async fn merged(&self, mut built_in: Vec<Record<'static>>, search: impl AsyncFnOnce(&Store) -> Rows) -> Rows {
        // Most databases have no imported places.
        if !self.store.gazetteer_has_places().await? {
            return Ok(rows(&built_in));
        }
        let imported = Box::pin(search(&self.store)).await?;
        let ids: Vec<_> = built_in.iter().map(|record| record.id).collect();
        let replaced: HashSet<_> = self.store.gazetteer_imported(&ids).await?.into_iter().collect();
        built_in.retain(|record| !replaced.contains(record.id));
        Ok(rows(&built_in).into_iter().chain(imported).collect())
    }
}

fn rows(records: &[Record<'static>]) -> Vec<GazetteerRow> {
    records.iter().map(row).collect()
}

fn largest(mut cities: Vec<GazetteerRow>, limit: u32) -> Vec<GazetteerRow> {
    cities.sort_by(|a, b| b.population.cmp(&a.population).then_with(|| a.id.cmp(&b.id)));
    cities.truncate(limit as usize);
    cities
}

fn row(record: &Record<'static>) -> GazetteerRow {
    GazetteerRow {
        id: record.id.to_owned(),
        class: record.class.name().to_owned(),
        names: record.names.to_owned(),
        latitude: record.latitude,
        longitude: record.longitude,
        country: record.country.to_owned(),
        time_zone: record.time_zone.to_owned(),
        population: record.population.into(),
        code: record.code().map(str::to_owned),
    }
}
