//! Places stops, hotels and airports by their names and codes.
//!
//! Asks the gazetteer first, then the geocoder if one is configured. A name without a clear match stays unplaced: see
//! `itinerary_core::places`.

use std::collections::HashMap;

use futures::{StreamExt, stream};
use itinerary_api::types::{Attention, AttentionCode, Coordinate, StopCategory};
use itinerary_api::values::{Latitude, Longitude};
use itinerary_core::content::Content;
use itinerary_core::entry_path::EntryPath;
use itinerary_core::geo;
use itinerary_core::legs::Route;
use itinerary_core::place_path::PlacePath;
use itinerary_core::places::{Candidate, Candidates, PlaceKind, RADIUS, Sought, keys};
use itinerary_core::placing::{self, Found, Unplaced};
use itinerary_platform::context::Service;
use itinerary_platform::fair_pool::Requester;
use itinerary_platform::gazetteer::Area;
use itinerary_platform::ports::coordinates;
use itinerary_providers::{Failure, Geocoder, Point, Question};
use itinerary_store::GazetteerRow;
use serde::Deserialize;
use tokio::time::Instant;
use uuid::Uuid;

use super::routes::{FoundRoutes, RouteEnds, provider_point};
use super::{Error, Result};

/// The maximum number of names that a request looks up.
const NAMES: usize = 500;
/// Up to this many names are matched in the thread that serves the request.
const FEW: usize = 8;
/// The maximum number of areas that a request searches, and of pairs of a word and an area.
const AREAS: usize = 60;
const PROBES: usize = 12_000;
/// The maximum number of concurrent geocoder calls of a request.
const AT_ONCE: usize = 4;
/// The language of addresses.
const LANGUAGE: &str = "en";
/// Coordinates within this distance of each other, in metres, are the same place.
const SAME_PLACE: f64 = 300.0;

/// The search results of a request. A retry of the write does not search again.
pub(super) struct Placing<'s> {
    service: &'s Service,
    requester: Requester,
    deadline: Instant,
    found: HashMap<String, Option<Match>>,
    routes: FoundRoutes,
    /// How many more names the request may look up.
    names_left: usize,
    provider_failed: bool,
    wants_addresses: bool,
}

#[derive(Clone)]
struct Match {
    found: Found,
    /// The town's name, if the match is a town's centre.
    centre_of: Option<String>,
}

/// Selects the entries to place.
pub(super) trait EntryFilter: Fn(EntryPath) -> bool + Copy + Send {}
impl<T: Fn(EntryPath) -> bool + Copy + Send> EntryFilter for T {}

impl<'s> Placing<'s> {
    /// Searches for an account until the deadline.
    pub(super) fn new(service: &'s Service, account: Uuid, deadline: Instant) -> Self {
        Self {
            service,
            requester: Requester::Account(account),
            deadline,
            found: HashMap::new(),
            routes: FoundRoutes::default(),
            names_left: NAMES,
            provider_failed: false,
            wants_addresses: false,
        }
    }

    pub(super) fn deadline(&self) -> Instant {
        self.deadline
    }

    /// The routes between numbered ends, by the usual mode for each distance. A retry of the write does not look for them
    /// again.
    pub(super) async fn routes(&mut self, ends: &[(usize, RouteEnds)]) -> HashMap<usize, Route> {
        self.routes.find(self.service, ends.iter().map(|(_, ends)| *ends), self.deadline).await;
        ends.iter().filter_map(|(number, ends)| Some((*number, self.routes.get(*ends)?.clone()))).collect()
    }

    /// On whose behalf places are searched for.
    pub(super) fn requester(&self) -> Requester {
        self.requester
    }

    /// Whether a call to a provider failed.
    pub(super) fn provider_failed(&self) -> bool {
        self.provider_failed
    }

    /// Places the entries without a coordinate for which `filter` is true. Reports those placed at the centre of a
    /// town.
    pub(super) async fn place(&mut self, content: &mut Content, filter: impl EntryFilter) -> Result<Vec<Attention>> {
        self.place_airports(content, filter).await?;
        let mut unplaced = placing::unplaced(content, filter)?;
        unplaced.retain(|unplaced| self.may_look_for(unplaced));
        let destination = content.everyone.destination.name.to_string();
        self.look_for(&unplaced, &destination).await?;
        let mut attention = Vec::new();
        let mut found = Vec::new();
        for unplaced in &unplaced {
            let Some(Some(Match { found: place, centre_of })) = self.found.get(&key(unplaced)) else { continue };
            attention.extend(centre_of.as_ref().map(|town| assumed(unplaced.path, town)));
            found.push((unplaced.path, place.clone()));
        }
        placing::apply(content, found)?;
        Ok(attention)
    }

    /// Fills in ids and addresses of entries that have a coordinate, from places of the same name at that coordinate.
    pub(super) async fn complete(&mut self, content: &mut Content) -> Result<()> {
        self.wants_addresses = true;
        let mut incomplete = placing::incomplete(content)?;
        incomplete.truncate(NAMES);
        let destination = content.everyone.destination.name.to_string();
        self.look_for(&incomplete, &destination).await?;
        let found = incomplete.iter().filter_map(|place| {
            let Match { found, .. } = self.found.get(&key(place))?.as_ref()?;
            let is_there = geo::metres(place.near[0], found.coordinate?) <= SAME_PLACE;
            is_there.then(|| (place.path, found.clone()))
        });
        placing::apply(content, found.collect()).map_err(Error::from)
    }

    /// Fills in airports of flights and stops by their codes. Runs first, because stops are searched for near airports.
    async fn place_airports(&self, content: &mut Content, filter: impl EntryFilter) -> Result<()> {
        let flights = placing::airports(content, filter)?;
        let unplaced = placing::unplaced(content, filter)?;
        let stops = unplaced.iter().filter_map(|unplaced| unplaced.code.as_ref());
        let mut codes: Vec<_> = flights.iter().chain(stops).map(|code| code.to_uppercase()).collect();
        codes.sort_unstable();
        codes.dedup();
        if codes.is_empty() {
            return Ok(());
        }
        let rows = self.service.gazetteer().airports(&codes).await?;
        let airports: HashMap<_, _> = rows.iter().filter_map(|row| Some((row.code.clone()?, found(row)?))).collect();
        let at_airports = unplaced.iter().filter_map(|unplaced| {
            let airport = airports.get(&unplaced.code.as_ref()?.to_uppercase())?;
            Some((unplaced.path, Found { name: None, ..airport.clone() }))
        });
        placing::apply(content, at_airports.collect())?;
        placing::apply_airports(content, filter, |code| airports.get(code).cloned()).map_err(Error::from)
    }

    /// Whether a name was looked up before, or may still be; counts it then.
    fn may_look_for(&mut self, unplaced: &Unplaced) -> bool {
        let is_new = !self.found.contains_key(&key(unplaced));
        let may = !is_new || self.names_left > 0;
        self.names_left -= usize::from(is_new && may);
        may
    }

    /// Looks up the names that were not looked up before.
    async fn look_for(&mut self, unplaced: &[Unplaced], destination: &str) -> Result<()> {
        let sought: Vec<_> = unplaced.iter().filter(|unplaced| !self.found.contains_key(&key(unplaced))).collect();
        if sought.is_empty() || Instant::now() >= self.deadline {
            return Ok(());
        }
        let gazetteer = tokio::time::timeout_at(self.deadline, self.near(&sought)).await;
        let Ok(rows) = gazetteer else { return Ok(()) };
        let search = Search {
            sought: sought.into_iter().cloned().collect(),
            destination: destination.to_owned(),
            rows: rows?,
            deadline: self.deadline,
        };
        let found = if search.sought.len() <= FEW {
            search.choose()
        } else {
            self.service.long_work.run(self.requester, move || search.choose()).await?
        };
        self.found.extend(found);
        self.ask_geocoder(unplaced, destination).await;
        Ok(())
    }

    /// Asks the geocoder for the names that the gazetteer does not have.
    async fn ask_geocoder(&mut self, unplaced: &[Unplaced], destination: &str) {
        let Some(geocoder) = &self.service.ports.geocoder else { return };
        // The gazetteer has no addresses.
        let lacks_address = |found: &Match| found.found.address.is_none() && found.centre_of.is_none();
        let open = unplaced.iter().filter(|unplaced| match self.found.get(&key(unplaced)) {
            Some(None) => true,
            Some(Some(found)) => self.wants_addresses && lacks_address(found),
            None => false,
        });
        let mut open: Vec<(String, Unplaced)> = open.map(|unplaced| (key(unplaced), unplaced.clone())).collect();
        open.sort_by(|(one, _), (other, _)| one.cmp(other));
        open.dedup_by(|(one, _), (other, _)| one == other);
        let deadline = self.deadline;
        let ask = |(key, unplaced): (String, Unplaced)| async move {
            (key, from_geocoder(&**geocoder, &unplaced, destination, deadline).await)
        };
        let mut responses = stream::iter(open.into_iter().map(ask)).buffer_unordered(AT_ONCE);
        while let Some((key, response)) = responses.next().await {
            match response {
                Ok(found) => self.take(key, found),
                // Hitting our own rate limit is not a failure of the provider.
                Err(Failure::RateLimited | Failure::Unsupported(_)) => {}
                Err(failure) => {
                    tracing::warn!(failure = failure.for_log(), provider = geocoder.name(), "geocoding failed");
                    self.provider_failed = true;
                }
            }
        }
    }

    /// Stores what the geocoder found. If the gazetteer has the place, only its address.
    fn take(&mut self, key: String, found: Option<Match>) {
        let known = self.found.entry(key).or_default();
        let Some(known) = known else {
            *known = found;
            return;
        };
        let at = |place: &Match| place.found.coordinate;
        if let Some(found) = found
            && let (Some(one), Some(other)) = (at(known), at(&found))
            && geo::metres(one, other) <= SAME_PLACE
        {
            known.found.address = found.found.address;
        }
    }

    /// The places of the gazetteer near the itinerary whose names start with the keys of the names.
    async fn near(&self, sought: &[&Unplaced]) -> Result<Vec<GazetteerRow>> {
        let mut words: Vec<_> = sought.iter().flat_map(|unplaced| keys(&unplaced.name)).collect();
        words.sort_unstable();
        words.dedup();
        let mut points: Vec<Coordinate> = Vec::new();
        for point in sought.iter().flat_map(|unplaced| &unplaced.near) {
            if !points.contains(point) && points.len() < AREAS {
                points.push(*point);
            }
        }
        // The statement looks up each pair of a word and an area.
        words.truncate(PROBES / points.len().max(1));
        let areas: Vec<_> =
            points.iter().map(|point| Area::around(point.latitude.get(), point.longitude.get(), RADIUS)).collect();
        Ok(self.service.gazetteer().near(&words, &areas).await?)
    }
}

/// Names, and the places that they may mean.
struct Search {
    sought: Vec<Unplaced>,
    destination: String,
    rows: Vec<GazetteerRow>,
    deadline: Instant,
}

impl Search {
    /// Chooses the place that each name means. Names that are not reached by the deadline stay unplaced.
    fn choose(self) -> Vec<(String, Option<Match>)> {
        let rows = self.rows.into_iter().filter_map(|row| Some((candidate(&row)?, row)));
        let (candidates, rows): (Vec<_>, Vec<_>) = rows.unzip();
        let candidates = Candidates::new(candidates);
        let choose = |unplaced: &Unplaced| {
            let Unplaced { name, category, near, .. } = unplaced;
            let best = candidates.best(&Sought { name, category: *category, destination: &self.destination, near });
            let found = best.and_then(|best| {
                let is_city = candidates.get(best).is_city();
                let found = Found { name: None, ..found(&rows[best])? };
                Some(Match { centre_of: is_city.then(|| first_name(&rows[best]).to_owned()), found })
            });
            (key(unplaced), found)
        };
        self.sought.iter().take_while(|_| Instant::now() < self.deadline).map(choose).collect()
    }
}

/// The place that the geocoder's results clearly contain, if any.
async fn from_geocoder(
    geocoder: &dyn Geocoder,
    unplaced: &Unplaced,
    destination: &str,
    deadline: Instant,
) -> Result<Option<Match>, Failure> {
    // Around the destination first, then around the day's own area.
    for point in unplaced.near.iter().take(2) {
        if let Some(found) = ask_around(geocoder, unplaced, *point, destination, deadline).await? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

async fn ask_around(
    geocoder: &dyn Geocoder,
    unplaced: &Unplaced,
    point: Coordinate,
    destination: &str,
    deadline: Instant,
) -> Result<Option<Match>, Failure> {
    let Unplaced { name, category, near, .. } = unplaced;
    let near_point = provider_point(point);
    let question = Question { name, near: near_point, radius_km: RADIUS / 1000.0, country: None, language: LANGUAGE };
    let responses = geocoder.search(&question, deadline).await?;
    let responses: Vec<_> =
        responses.into_iter().filter_map(|response| Some((at(response.point)?, response))).collect();
    let candidates = responses.iter().map(|(coordinate, response)| {
        let names = std::iter::once(&response.name).chain(&response.other_names).map(String::as_str);
        Candidate::new(names, PlaceKind::Unknown, *coordinate)
    });
    let candidates = Candidates::new(candidates.collect());
    let best = candidates.best(&Sought { name, category: *category, destination, near });
    Ok(best.map(|best| {
        let (coordinate, response) = &responses[best];
        let found = Found {
            coordinate: Some(*coordinate),
            name: None,
            address: response.address.clone(),
            place_id: Some(response.place_id.clone()),
            facts: coordinates::facts(coordinate),
        };
        Match { found, centre_of: None }
    }))
}

fn at(point: Point) -> Option<Coordinate> {
    Some(Coordinate { latitude: Latitude::new(point.latitude)?, longitude: Longitude::new(point.longitude)? })
}

/// The key of a lookup: the same name near the same points means the same place.
fn key(unplaced: &Unplaced) -> String {
    let Unplaced { name, category, code, near, .. } = unplaced;
    format!("{category:?}/{code:?}/{near:?}/{name}")
}

fn assumed(path: PlacePath, town: &str) -> Attention {
    Attention {
        field: format!("{path}.coordinate"),
        code: AttentionCode::Assumed,
        message: format!("Placed at the centre of {town}."),
    }
}

fn candidate(row: &GazetteerRow) -> Option<Candidate> {
    Some(Candidate::new(row.names.lines(), kind(&row.class), coordinate(row)?))
}

fn first_name(row: &GazetteerRow) -> &str {
    row.names.lines().next().unwrap_or_default()
}

/// The facts that a row has about a place.
pub(super) fn found(row: &GazetteerRow) -> Option<Found> {
    Some(Found {
        coordinate: Some(coordinate(row)?),
        name: Some(first_name(row).to_owned()),
        address: None,
        place_id: Some(row.id.clone()),
        facts: placing::facts(&row.country, &row.time_zone),
    })
}

pub(super) fn coordinate(row: &GazetteerRow) -> Option<Coordinate> {
    Some(Coordinate { latitude: Latitude::new(row.latitude)?, longitude: Longitude::new(row.longitude)? })
}

/// The stop category of a row's class.
pub(super) fn category(class: &str) -> Option<StopCategory> {
    StopCategory::deserialize(serde::de::value::StrDeserializer::<serde::de::value::Error>::new(class)).ok()
}

fn kind(class: &str) -> PlaceKind {
    match category(class) {
        Some(category) => PlaceKind::Category(category),
        None if class == "city" => PlaceKind::City,
        None => PlaceKind::Unknown,
    }
}
