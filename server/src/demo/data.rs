//! The demo data: travellers and the itineraries that they published.
//!
//! Only the fields around an itinerary are typed. The itinerary itself stays text, so that it is read and checked like
//! a request body.

use itinerary_api::values::CountryCode;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

const TRAVELLERS: &str = include_str!("travellers.json");

// One file for each continent.
const ITINERARIES: [&str; 6] = [
    include_str!("itineraries/africa.json"),
    include_str!("itineraries/asia.json"),
    include_str!("itineraries/europe.json"),
    include_str!("itineraries/north-america.json"),
    include_str!("itineraries/oceania.json"),
    include_str!("itineraries/south-america.json"),
];

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Traveller {
    pub(super) username: String,
    /// The name that others see.
    pub(super) display_name: String,
    /// The country where they live.
    pub(super) home: CountryCode,
    /// Tags that they look for.
    pub(super) interests: Vec<String>,
}

/// A published itinerary.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct DemoEntry {
    /// The owner's username.
    pub(super) author: String,
    /// How many days ago it was published.
    pub(super) published_days_ago: u16,
    /// The body of the request that creates it.
    pub(super) itinerary: Box<RawValue>,
}

/// All travellers, by username.
pub(super) fn travellers() -> Vec<Traveller> {
    parsed(TRAVELLERS)
}

/// All itineraries, continent by continent.
pub(super) fn itineraries() -> Vec<DemoEntry> {
    ITINERARIES.into_iter().flat_map(parsed::<Vec<DemoEntry>>).collect()
}

fn parsed<T: DeserializeOwned>(json: &str) -> T {
    serde_json::from_str(json).expect("the data in the program is well formed")
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use chrono::{DateTime, Datelike};
    use itinerary_api::read;
    use itinerary_api::types::{Coordinate, Destination, ItineraryCreate, Stop};
    use itinerary_core::edit_scope::EditScope;
    use itinerary_core::fill::{self, CreateFacts, PlaceFacts};
    use itinerary_core::validate;
    use uuid::Uuid;

    use super::*;
    use itinerary_app::accounts;
    use itinerary_platform::ports::coordinates;
    use itinerary_platform::system::SystemRandom;

    fn bodies() -> Vec<ItineraryCreate> {
        let read = |entry: DemoEntry| {
            let body = read::json(entry.itinerary.get().as_bytes());
            body.unwrap_or_else(|error| panic!("{error:?} in {}", entry.itinerary))
        };
        itineraries().into_iter().map(read).collect()
    }

    fn title(body: &ItineraryCreate) -> &str {
        body.title.as_deref().expect("a title")
    }

    fn stops(body: &ItineraryCreate) -> impl Iterator<Item = &Stop> {
        body.days.iter().flatten().flat_map(|day| &day.stops)
    }

    fn tags(body: &ItineraryCreate) -> impl Iterator<Item = &str> {
        body.tags.iter().flatten().map(|tag| &**tag)
    }

    #[test]
    fn twelve_travellers_have_published_five_each() {
        let mut published: BTreeMap<_, _> = travellers().into_iter().map(|one| (one.username, 0)).collect();
        assert_eq!(published.len(), 12);
        for entry in itineraries() {
            *published.get_mut(&entry.author).unwrap_or_else(|| panic!("no traveller {}", entry.author)) += 1;
            assert!((3..=300).contains(&entry.published_days_ago), "{} days ago", entry.published_days_ago);
        }
        assert!(published.values().all(|count| *count == 5), "{published:?}");
    }

    #[test]
    fn travellers_could_have_signed_up_and_look_for_what_is_there() {
        let bodies = bodies();
        let there: BTreeSet<_> = bodies.iter().flat_map(tags).collect();
        assert!(there.len() <= 35, "{there:?}");
        let mut homes = BTreeSet::new();
        for traveller in travellers() {
            assert!(accounts::is_username(&traveller.username), "{}", traveller.username);
            assert!(!traveller.display_name.is_empty() && !traveller.interests.is_empty(), "{traveller:?}");
            assert!(traveller.interests.iter().all(|tag| there.contains(&**tag)), "{traveller:?}");
            homes.insert(traveller.home.to_string());
        }
        assert_eq!(homes.len(), 12);
    }

    #[test]
    fn sixty_itineraries_go_round_the_world() {
        let bodies = bodies();
        let titles: BTreeSet<_> = bodies.iter().map(title).collect();
        assert_eq!((bodies.len(), titles.len()), (60, 60));
        let countries: BTreeSet<_> =
            bodies.iter().filter_map(|body| body.destination.country_code.as_deref()).collect();
        assert!(countries.len() >= 35, "{countries:?}");
    }

    #[test]
    fn demo_itineraries_are_complete() {
        for body in bodies() {
            let title = title(&body);
            let days = body.days.as_deref().unwrap_or_default();
            assert!((2..=4).contains(&days.len()), "{title}: {} days", days.len());
            assert!(days.iter().all(|day| (2..=4).contains(&day.stops.len())), "{title}: stops");
            assert!(stops(&body).all(|stop| stop.category.is_some()), "{title}: categories");
            assert!(days.iter().any(|day| !day.legs.is_empty()), "{title}: legs");
            assert!((2..=5).contains(&tags(&body).count()), "{title}: tags");
            assert!(body.summary.as_ref().is_some_and(|summary| !summary.is_empty()), "{title}: summary");
            assert_eq!(body.start_date.map(|date| date.day().year()), Some(2027), "{title}: start");
            let used = body.destination.country_code.as_ref().and_then(coordinates::currency_of);
            assert!(body.currency.is_some() && body.currency == used, "{title}: {used:?}");
        }
    }

    // Reading has checked each value; this checks the rules between them.
    #[test]
    fn the_rules_accept_all_of_them() {
        for body in bodies() {
            let title = title(&body).to_owned();
            let destination = coordinates::facts(&body.destination.coordinate);
            let facts = CreateFacts {
                now: DateTime::UNIX_EPOCH,
                destination,
                currency_of: coordinates::currency_of,
                time_zone_at: coordinates::time_zone,
                origin: None,
            };
            let draft = fill::create(body, &facts).unwrap_or_else(|error| panic!("{title}: {error:?}"));
            let mut content = draft.content;
            fill::complete(&mut content, &SystemRandom).expect("values");
            assert_eq!(validate::content(&content, Uuid::nil(), &EditScope::everything()), Ok(()), "{title}");
            assert_eq!(fill::not_placed(&content), [], "{title}");
        }
    }

    #[test]
    fn legs_join_neighbours() {
        for body in bodies() {
            for day in body.days.iter().flatten() {
                let neighbours: Vec<_> = day.stops.windows(2).map(|pair| (&pair[0].id, &pair[1].id)).collect();
                for leg in &day.legs {
                    let ends = (&Some(leg.from.clone()), &Some(leg.to.clone()));
                    assert!(neighbours.contains(&ends), "{}: {leg:?}", title(&body));
                }
            }
        }
    }

    #[test]
    fn every_coordinate_lies_where_it_says() {
        let mut wrong = Vec::new();
        let mut check = |name: &str, coordinate: &Coordinate, said: PlaceFacts| {
            let found = coordinates::facts(coordinate);
            if found != said {
                wrong.push(format!("{name}: {found:?}"));
            }
        };
        for body in bodies() {
            let Destination { name, coordinate, country_code, time_zone, .. } = &body.destination;
            let facts = |country: &Option<_>| PlaceFacts { country: country.clone(), time_zone: time_zone.clone() };
            check(name, coordinate, facts(country_code));
            for stop in stops(&body) {
                let place = stop.place.as_ref().expect("a place");
                assert_eq!(&place.country_code, country_code, "{}", &*stop.name);
                check(&stop.name, place.coordinate.as_ref().expect("a coordinate"), facts(&place.country_code));
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}
