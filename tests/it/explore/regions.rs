//! Regions: countries, sub-regions and continents by their English names, alone and with every other parameter.

use itinerary_tests::app::{App, Stored};
use itinerary_tests::bodies::{to, with};
use itinerary_tests::{World, api_test};
use regex::Regex;
use serde_json::{Value, json};
use url::Url;

use super::{account, explore, follow, found, published, sorted, walked};

/// Places and their coordinates. The last place has a country that its coordinate does not.
const PLACES: [(&str, f64, f64); 8] = [
    ("Lisboa", 38.7223, -9.1393),
    ("Madrid", 40.4168, -3.7038),
    ("Abidjan", 5.3600, -4.0083),
    ("Kyoto", 35.0116, 135.7681),
    ("Prishtina", 42.6629, 21.1655),
    ("Quito", -0.1807, -78.4678),
    ("Sea", -40.0, -120.0),
    ("Reykjavik", 64.1466, -21.9426),
];

/// The places in each region.
const REGIONS: [(&str, &[&str]); 26] = [
    ("Portugal", &["Lisboa"]),
    ("pORTUGAL", &["Lisboa"]),
    ("%20Portugal%20", &["Lisboa"]),
    ("Portugal,Spain", &["Lisboa", "Madrid"]),
    ("Portugal,Portugal", &["Lisboa"]),
    ("Southern%20Europe", &["Lisboa", "Madrid", "Prishtina"]),
    ("Southern+Europe", &["Lisboa", "Madrid", "Prishtina"]),
    ("Europe", &["Lisboa", "Madrid", "Prishtina", "Reykjavik"]),
    ("Europe,Portugal,Southern%20Europe", &["Lisboa", "Madrid", "Prishtina", "Reykjavik"]),
    ("Portugal,Europe,Japan", &["Lisboa", "Madrid", "Prishtina", "Reykjavik", "Kyoto"]),
    ("Cote%20d%20Ivoire", &["Abidjan"]),
    ("C%C3%B4te%20d%20Ivoire", &["Abidjan"]),
    ("COTE%20D%20IVOIRE", &["Abidjan"]),
    // The accent is a character of its own.
    ("Co%CC%82te%20d%20Ivoire", &["Abidjan"]),
    ("Vi%E1%BB%87t%20Nam", &[]),
    ("Western%20Africa", &["Abidjan"]),
    ("Africa,Asia", &["Abidjan", "Kyoto"]),
    ("Eastern%20Asia", &["Kyoto"]),
    ("Kosovo", &["Prishtina"]),
    ("South%20America", &["Quito"]),
    ("Latin%20America%20and%20the%20Caribbean", &["Quito"]),
    ("Americas", &["Quito"]),
    ("Iceland", &["Reykjavik"]),
    ("France", &[]),
    ("Antarctica", &[]),
    (
        "Portugal,Spain,Japan,Iceland,Kosovo,Ecuador,France,Chile",
        &["Lisboa", "Madrid", "Kyoto", "Reykjavik", "Prishtina", "Quito"],
    ),
];

/// Further parameters, which all places satisfy.
const MODES: [&str; 5] = ["", "&q=journey", "&following=true", "&filter=following&q=journey", "&q=jour&limit=100"];

async fn start(world: &World) -> (App<'_>, Vec<Stored>) {
    let (ana, ben) = (App::of(world, "ana").await, App::of(world, "ben").await);
    follow(&ben, account(world, "ana").await, true).await;
    let mut made = Vec::new();
    for (name, latitude, longitude) in PLACES {
        let body = with(to(name, latitude, longitude), json!({ "title": format!("Journey to {name}") }));
        made.push(published(&ana, &body).await);
    }
    (ben, made)
}

#[api_test(limits = false)]
async fn itinerary_in_any_of_the_regions_is_found_once(world: World) {
    let (ben, made) = start(&world).await;
    for (regions, places) in REGIONS {
        let expected = PLACES.iter().zip(&made).filter(|((name, ..), _)| places.contains(name));
        let expected = sorted(expected.map(|(_, stored)| stored.id.clone()));
        for mode in MODES {
            let query = format!("regions={regions}{mode}");
            assert_eq!(sorted(walked(&ben, &query).await), expected, "{query}");
        }
        for mode in ["", "&q=journey", "&following=true"] {
            let query = format!("limit=1&regions={regions}{mode}");
            assert_eq!(sorted(walked(&ben, &query).await), expected, "{query}");
        }
    }
    // With other words, or among people who are not followed, nothing is found.
    assert_eq!(found(&ben, "regions=Europe&q=kyoto").await, [""; 0]);
    assert_eq!(found(&App::of(&world, "ana").await, "regions=Europe&following=true").await, [""; 0]);
    assert_eq!(sorted(found(&ben, "").await), sorted(made.iter().map(|stored| stored.id.clone())));
}

#[test]
fn every_list_that_is_taken_fits_the_document() {
    let document: Value = serde_json::from_str(include_str!("../../../openapi/itinerary.json")).expect("a document");
    let parameters = document["paths"]["/v1/explore"]["get"]["parameters"].as_array().expect("parameters");
    let regions = parameters.iter().find(|parameter| parameter["name"] == "regions").expect("regions");
    let pattern = Regex::new(regions["schema"]["pattern"].as_str().expect("a pattern")).expect("a pattern");
    for (sent, _) in REGIONS {
        let url = Url::parse(&format!("http://127.0.0.1/?regions={sent}")).expect("a URL");
        let (_, list) = url.query_pairs().next().expect("a parameter");
        assert!(pattern.is_match(&list), "{list}");
    }
    for bad in ["", "Portugal,", "Guinea-Bissau", "Zone 51", "a,b,c,d,e,f,g,h,i"] {
        assert!(!pattern.is_match(bad), "{bad}");
    }
}

#[api_test(limits = false)]
async fn invalid_region_lists_are_rejected(world: World) {
    let app = App::of(&world, "ana").await;
    let eight = ["Portugal"; 8].join(",");
    let nine = format!("{eight},Portugal");
    for bad in [
        "",
        "%20",
        ",",
        "Portugal,",
        ",Portugal",
        "Portugal,,Spain",
        "Atlantis",
        "Portugal,Atlantis",
        "PT",
        "620",
        "Spain1",
        "1",
        "Cote%20d'Ivoire",
        "Guinea-Bissau",
        "World",
        "Portugal;Spain",
        "Portugal%7CSpain",
        "Portugal%00",
        "Portugal%09",
        "Portugal*",
        "%22Portugal%22",
        "_620",
        "%C3%A9",
        "Portugal&regions=Spain",
        "%F0%9F%8C%8A",
        &nine,
    ] {
        for mode in ["", "&q=lisbon", "&following=true"] {
            let response = explore(&app, &format!("regions={bad}{mode}")).await;
            assert_eq!(response.status, 422, "{bad}{mode}: {}", response.text());
            response.expect_invalid("regions");
        }
    }
    for good in [eight.as_str(), "Guinea%20Bissau", "Bosnia%20and%20Herzegovina"] {
        assert_eq!(found(&app, &format!("regions={good}")).await, [""; 0]);
    }
}
