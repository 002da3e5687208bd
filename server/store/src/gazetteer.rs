//! The imported places of the gazetteer, found by name or in squares of one degree.
//!
//! A place is indexed by the beginnings of its names' words and its square. The caller numbers the squares and scores the
//! matches. The built-in places are not stored.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::Serialize;

use crate::engine::transaction::End;
use crate::query::row::row;
use crate::query::{query, text};
use crate::settings::{CLEAR, FIND, SET};
use crate::{DatabaseKind, Result, Store};

row! {
    #[derive(Clone, Debug, PartialEq)]
    pub struct GazetteerRow {
        /// For example `geonames:2267057`.
        pub id: String = "g.id",
        /// A stop's category, or `city`.
        pub class: String = "g.class",
        /// Separated by newlines, the usual name first.
        pub names: String = "g.names",
        pub latitude: f64 = "g.latitude",
        pub longitude: f64 = "g.longitude",
        /// ISO 3166-1 alpha-2.
        pub country: String = "g.country",
        /// Empty if the source does not say.
        pub time_zone: String = "g.time_zone",
        pub population: i64 = "g.population",
        pub code: Option<String> = "g.code",
    }
}

/// The number of a square of one degree.
pub type Cell = u32;

/// A place to store; replaces one with the same id.
#[derive(Clone, Debug, Serialize)]
pub struct NewPlace {
    pub id: String,
    pub class: String,
    /// Separated by newlines, the usual name first.
    pub names: String,
    pub latitude: f64,
    pub longitude: f64,
    pub country: String,
    pub time_zone: String,
    pub population: u32,
    pub code: Option<String>,
    /// The square of one degree that it is in.
    pub cell: Cell,
    /// The beginnings of its names' words.
    pub keys: Vec<String>,
}

/// A place in a batch.
#[derive(Serialize)]
struct Numbered<'p> {
    number: i64,
    #[serde(flatten)]
    place: &'p NewPlace,
}

/// The maximum number of candidates of a search.
pub const CANDIDATES: u32 = 5_000;
/// The maximum number of candidates of a search for cities in the whole world.
const NAMESAKES: i64 = 20_000;
/// The maximum number of results of a search for cities in the whole world.
pub const CITIES: u32 = 1_000;
/// The maximum number of places among which a search by location looks for cities.
const ANYWHERE: i64 = 50_000;
/// The key that every place has, for searches by location only.
const ANY: &str = "";

const SELECT: &str = text!("SELECT ", GazetteerRow::COLUMNS, " FROM gazetteer g WHERE ");
/// $1 are the keys and $2 the cells, each a JSON array.
const NEAR_SQLITE: &str = text!(
    SELECT,
    "g.number IN (SELECT k.number FROM gazetteer_keys k WHERE k.key IN (SELECT value FROM json_each($1)) \
     AND k.cell IN (SELECT value FROM json_each($2)) LIMIT $3)"
);
const NEAR_POSTGRES: &str = text!(
    SELECT,
    "g.number IN (SELECT k.number FROM gazetteer_keys k \
     WHERE k.key = ANY (ARRAY(SELECT json_array_elements_text($1::json))) \
     AND k.cell = ANY (ARRAY(SELECT json_array_elements_text($2::json)::bigint)) LIMIT $3)"
);
/// $1 are the keys, a JSON array.
const CITIES_SQLITE: &str = text!(
    SELECT,
    "g.class = 'city' AND g.number IN (SELECT k.number FROM gazetteer_keys k \
     WHERE k.key IN (SELECT value FROM json_each($1)) LIMIT $2) ORDER BY g.population DESC, g.id LIMIT $3"
);
const CITIES_POSTGRES: &str = text!(
    SELECT,
    "g.class = 'city' AND g.number IN (SELECT k.number FROM gazetteer_keys k \
     WHERE k.key = ANY (ARRAY(SELECT json_array_elements_text($1::json))) LIMIT $2) \
     ORDER BY g.population DESC, g.id LIMIT $3"
);
/// $1 are the cells, a JSON array.
const TOWNS_SQLITE: &str = text!(
    SELECT,
    "g.class = 'city' AND g.number IN (SELECT k.number FROM gazetteer_keys k \
     WHERE k.key = '' AND k.cell IN (SELECT value FROM json_each($1)) LIMIT $2) \
     ORDER BY g.population DESC, g.id LIMIT $3"
);
const TOWNS_POSTGRES: &str = text!(
    SELECT,
    "g.class = 'city' AND g.number IN (SELECT k.number FROM gazetteer_keys k \
     WHERE k.key = '' AND k.cell = ANY (ARRAY(SELECT json_array_elements_text($1::json)::bigint)) LIMIT $2) \
     ORDER BY g.population DESC, g.id LIMIT $3"
);
const BY_CODE_SQLITE: &str = text!(SELECT, "g.code IN (SELECT value FROM json_each($1))");
const BY_CODE_POSTGRES: &str = text!(SELECT, "g.code = ANY (ARRAY(SELECT json_array_elements_text($1::json)))");

const IMPORTED_SQLITE: &str = "SELECT id FROM gazetteer WHERE id IN (SELECT value FROM json_each($1))";
const IMPORTED_POSTGRES: &str =
    "SELECT id FROM gazetteer WHERE id = ANY (ARRAY(SELECT json_array_elements_text($1::json)))";

const LOCK_POSTGRES: &str = "LOCK TABLE gazetteer IN SHARE ROW EXCLUSIVE MODE";
const LAST: &str = "SELECT COALESCE(MAX(number), 0) FROM gazetteer";
const DELETE_KEYS_SQLITE: &str = "DELETE FROM gazetteer_keys WHERE number IN (SELECT number FROM gazetteer \
     WHERE id IN (SELECT json_extract(value, '$.id') FROM json_each($1)))";
/// With arrays, a plan that was made for empty tables still reads each table only once.
const DELETE_KEYS_POSTGRES: &str = "DELETE FROM gazetteer_keys WHERE number = ANY (ARRAY(SELECT number FROM gazetteer \
     WHERE id = ANY (ARRAY(SELECT value ->> 'id' FROM json_array_elements($1::json)))))";
const DELETE_SQLITE: &str = "DELETE FROM gazetteer WHERE id IN (SELECT json_extract(value, '$.id') FROM json_each($1))";
const DELETE_POSTGRES: &str =
    "DELETE FROM gazetteer WHERE id = ANY (ARRAY(SELECT value ->> 'id' FROM json_array_elements($1::json)))";
const INSERT_SQLITE: &str = "INSERT INTO gazetteer SELECT value ->> 'number', value ->> 'id', value ->> 'class', \
     value ->> 'names', CAST(value ->> 'latitude' AS REAL), CAST(value ->> 'longitude' AS REAL), value ->> 'country', \
     value ->> 'time_zone', value ->> 'population', value ->> 'code' FROM json_each($1)";
const INSERT_POSTGRES: &str = "INSERT INTO gazetteer SELECT number, id, class, names, latitude, longitude, country, \
     time_zone, population, code FROM json_to_recordset($1::json) AS (number bigint, id text, class text, names text, \
     latitude double precision, longitude double precision, country text, time_zone text, population bigint, code text)";
const INSERT_KEYS_SQLITE: &str = "INSERT OR IGNORE INTO gazetteer_keys \
     SELECT k.value, p.value ->> 'cell', p.value ->> 'number' FROM json_each($1) p, json_each(p.value, '$.keys') k \
     UNION ALL SELECT '', value ->> 'cell', value ->> 'number' FROM json_each($1)";
const INSERT_KEYS_POSTGRES: &str = "INSERT INTO gazetteer_keys SELECT json_array_elements_text(p -> 'keys'), \
     (p ->> 'cell')::bigint, (p ->> 'number')::bigint FROM json_array_elements($1::json) p \
     UNION ALL SELECT '', (p ->> 'cell')::bigint, (p ->> 'number')::bigint FROM json_array_elements($1::json) p \
     ON CONFLICT DO NOTHING";

/// Prefix of a file's name in the settings.
const IMPORT: &str = "gazetteer_import:";

impl Store {
    fn by_engine(&self, sqlite: &'static str, postgres: &'static str) -> &'static str {
        match self.kind() {
            DatabaseKind::Sqlite => sqlite,
            DatabaseKind::Postgres => postgres,
        }
    }

    /// The places in these squares with a word that begins with one of the keys: at most 5,000.
    pub async fn gazetteer_near(&self, keys: &[String], cells: &[Cell]) -> Result<Vec<GazetteerRow>> {
        self.gazetteer_in(&json(keys), cells).await
    }

    /// The places in these squares: at most 5,000.
    pub async fn gazetteer_around(&self, cells: &[Cell]) -> Result<Vec<GazetteerRow>> {
        self.gazetteer_in(&json(&[ANY]), cells).await
    }

    async fn gazetteer_in(&self, keys: &str, cells: &[Cell]) -> Result<Vec<GazetteerRow>> {
        let near = self.by_engine(NEAR_SQLITE, NEAR_POSTGRES);
        self.fetch_page(query!(near, keys, json(cells), i64::from(CANDIDATES))).await
    }

    /// The cities with a word that begins with one of the keys, largest first: at most 1,000.
    pub async fn gazetteer_cities(&self, keys: &[String]) -> Result<Vec<GazetteerRow>> {
        self.fetch_page(query!(
            self.by_engine(CITIES_SQLITE, CITIES_POSTGRES),
            json(keys),
            NAMESAKES,
            i64::from(CITIES)
        ))
        .await
    }

    /// The cities in these squares, largest first: at most 5,000.
    pub async fn gazetteer_cities_in(&self, cells: &[Cell]) -> Result<Vec<GazetteerRow>> {
        let towns = self.by_engine(TOWNS_SQLITE, TOWNS_POSTGRES);
        self.fetch_page(query!(towns, json(cells), ANYWHERE, i64::from(CANDIDATES))).await
    }

    /// The airports of these IATA codes, in upper case.
    pub async fn gazetteer_airports(&self, codes: &[String]) -> Result<Vec<GazetteerRow>> {
        self.fetch_all(&query!(self.by_engine(BY_CODE_SQLITE, BY_CODE_POSTGRES), json(codes))).await
    }

    /// Stores places, replacing those of the same id.
    pub async fn gazetteer_put(&self, places: &[NewPlace]) -> Result<()> {
        let delete =
            [self.by_engine(DELETE_KEYS_SQLITE, DELETE_KEYS_POSTGRES), self.by_engine(DELETE_SQLITE, DELETE_POSTGRES)];
        let insert =
            [self.by_engine(INSERT_SQLITE, INSERT_POSTGRES), self.by_engine(INSERT_KEYS_SQLITE, INSERT_KEYS_POSTGRES)];
        // If an id appears more than once, the last one counts.
        let places: BTreeMap<_, _> = places.iter().map(|place| (place.id.clone(), place.clone())).collect();
        let places: Vec<_> = places.into_values().collect();
        let is_shared = self.kind() == DatabaseKind::Postgres;
        self.transaction((places, delete, insert, is_shared), |(places, delete, insert, is_shared), transaction| {
            Box::pin(async move {
                if *is_shared {
                    // Two servers that fill the table at once would assign the same numbers. Reads are not blocked.
                    transaction.execute(&query!(LOCK_POSTGRES)).await?;
                }
                let last: i64 = transaction.fetch_optional(&query!(LAST)).await?.unwrap_or_default();
                let batch = numbered(places, last);
                for statement in delete.iter().chain(insert) {
                    transaction.execute(&query!(*statement, &batch)).await?;
                }
                Ok(End::Commit(()))
            })
        })
        .await
    }

    /// Whether any place was imported.
    pub async fn gazetteer_has_places(&self) -> Result<bool> {
        self.exists(&query!("SELECT 1 FROM gazetteer LIMIT 1")).await
    }

    /// Those of the ids that were imported.
    pub async fn gazetteer_imported(&self, ids: &[&str]) -> Result<Vec<String>> {
        self.fetch_page(query!(self.by_engine(IMPORTED_SQLITE, IMPORTED_POSTGRES), json(ids))).await
    }

    /// The recorded progress of an import.
    pub async fn gazetteer_import(&self, file: &str) -> Result<Option<String>> {
        self.gazetteer_note(&format!("{IMPORT}{file}")).await
    }

    /// Records the progress of an import, or (`None`) that it is finished.
    pub async fn gazetteer_import_set(&self, file: &str, progress: Option<&str>, now: DateTime<Utc>) -> Result<()> {
        self.gazetteer_note_set(&format!("{IMPORT}{file}"), progress, now).await
    }

    async fn gazetteer_note(&self, name: &str) -> Result<Option<String>> {
        self.fetch_optional(&query!(FIND, name)).await
    }

    async fn gazetteer_note_set(&self, name: &str, value: Option<&str>, now: DateTime<Utc>) -> Result<()> {
        let change = match value {
            Some(value) => query!(SET, name, value, now),
            None => query!(CLEAR, name),
        };
        self.execute(change).await.map(|_| ())
    }
}

fn json(values: &(impl Serialize + ?Sized)) -> String {
    serde_json::to_string(values).expect("plain data")
}

/// A batch as JSON, numbered from `last` + 1.
fn numbered(places: &[NewPlace], last: i64) -> String {
    let numbered: Vec<_> = (last + 1..).zip(places).map(|(number, place)| Numbered { number, place }).collect();
    json(&numbered)
}
