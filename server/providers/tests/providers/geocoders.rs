//! Nominatim and Photon: the documented request, and the result for a recorded response.

use itinerary_providers::{Failure, Found, Geocoder, Nominatim, Photon, Point, Question};

use crate::stub::{Reply, Stub, USER_AGENT, endpoint, later};

const LISBON: Question<'_> = Question {
    name: "  Torre de\nBelém & mais ",
    near: Point { latitude: 38.7223, longitude: -9.1393 },
    radius_km: 60.0,
    country: Some("PT"),
    language: "en",
};

const BERLIN: Question<'_> = Question {
    name: "Olympiastadion",
    near: Point { latitude: 52.52, longitude: 13.405 },
    radius_km: 60.0,
    country: Some("DE"),
    language: "de-AT",
};

#[tokio::test]
async fn nominatim_is_asked_as_documented() {
    let stub = Stub::always("[]").await;
    let found = Nominatim::new(stub.endpoint()).search(&LISBON, later()).await;
    assert_eq!(found, Ok(vec![]));
    let seen = stub.only();
    assert_eq!(
        seen.line,
        "GET /search?q=Torre+de+Bel%C3%A9m+%26+mais&format=jsonv2&addressdetails=1&namedetails=1&limit=10\
         &viewbox=-9.83089%2C38.18273%2C-8.44771%2C39.26187&bounded=1&countrycodes=pt&accept-language=en"
    );
    assert_eq!(seen.header("user-agent"), Some(USER_AGENT));
    assert_eq!(seen.header("accept"), Some("application/json"));
    assert_eq!(seen.header("referer"), None);
}

#[tokio::test]
async fn nominatim_is_parsed() {
    let stub = Stub::always(include_str!("../recorded/nominatim.json")).await;
    let found = Nominatim::new(stub.endpoint()).search(&LISBON, later()).await.expect("places");
    let tower = Found {
        name: "Belém Tower".into(),
        other_names: vec!["Torre de São Vicente".into(), "Tour de Belém".into(), "Torre de Belém".into()],
        point: Point { latitude: 38.691_584, longitude: -9.215_978 },
        address: Some("Belém Tower, Avenida Brasília, Belém, Lisbon, 1400-038, Portugal".into()),
        place_id: "osm:way/24341353".into(),
        country: Some("PT".into()),
        category: Some("historic/castle".into()),
    };
    // From an older server: ids as strings, no name, no country code.
    let quarter = Found {
        name: "Belém".into(),
        other_names: vec![],
        point: Point { latitude: 38.7, longitude: -9.2 },
        address: Some("Belém, Lisbon, Portugal".into()),
        place_id: "osm:node/107775".into(),
        country: None,
        category: Some("place/neighbourhood".into()),
    };
    // The postcode is not an OpenStreetMap object.
    assert_eq!(found, [tower, quarter]);
}

#[tokio::test]
async fn photon_is_asked_as_documented() {
    let stub = Stub::always(r#"{"type": "FeatureCollection", "features": []}"#).await;
    let found = Photon::new(stub.endpoint()).search(&BERLIN, later()).await;
    assert_eq!(found, Ok(vec![]));
    let seen = stub.only();
    assert_eq!(
        seen.line,
        "GET /api?q=Olympiastadion&lat=52.52&lon=13.405&bbox=12.51826%2C51.98043%2C14.29174%2C53.05957&limit=10&lang=de"
    );
    assert_eq!(seen.header("user-agent"), Some(USER_AGENT));
}

#[tokio::test]
async fn photon_is_not_asked_for_a_language_that_it_rejects() {
    let stub = Stub::always(r#"{"features": []}"#).await;
    let question = Question { language: "pt", ..BERLIN };
    Photon::new(stub.endpoint()).search(&question, later()).await.expect("no places");
    assert!(!stub.only().line.contains("lang"));
}

#[tokio::test]
async fn photon_is_parsed() {
    let stub = Stub::always(include_str!("../recorded/photon.json")).await;
    let found = Photon::new(stub.endpoint()).search(&BERLIN, later()).await.expect("places");
    let stadium = Found {
        name: "Berlin Olympic Stadium".into(),
        other_names: vec![],
        point: Point { latitude: 52.514_679_45, longitude: 13.239_514_674_078_611 },
        address: Some("Olympischer Platz 3, 14053 Berlin, Germany".into()),
        place_id: "osm:way/38862723".into(),
        country: Some("DE".into()),
        category: Some("leisure/stadium".into()),
    };
    let bare = Found {
        name: "Olympiastadion".into(),
        other_names: vec![],
        point: Point { latitude: 52.515, longitude: 13.24 },
        address: None,
        place_id: "osm:node/8".into(),
        country: None,
        category: None,
    };
    // Neither the address without a name nor the stadium in Poland.
    assert_eq!(found, [stadium, bare]);
}

#[tokio::test]
async fn a_blank_name_is_not_asked_for() {
    let stub = Stub::always("[]").await;
    let question = Question { name: " \n\u{0} ", ..LISBON };
    assert_eq!(Nominatim::new(stub.endpoint()).search(&question, later()).await, Ok(vec![]));
    assert_eq!(Photon::new(stub.endpoint()).search(&question, later()).await, Ok(vec![]));
    assert!(stub.seen().is_empty());
}

#[tokio::test]
async fn wrong_shapes_and_coordinates_are_malformed() {
    let nominatim = |lat: &str| {
        format!(r#"[{{"osm_type": "node", "osm_id": 1, "lat": {lat}, "lon": "1", "name": "A", "display_name": "A"}}]"#)
    };
    let photon = |coordinates: &str| {
        format!(
            r#"{{"features": [{{"geometry": {{"coordinates": {coordinates}}},
                "properties": {{"name": "A", "osm_type": "N", "osm_id": 1}}}}]}}"#
        )
    };
    let responses = [
        nominatim("\"north\""),
        nominatim("\"90.5\""),
        nominatim("\"NaN\""),
        nominatim("\"inf\""),
        nominatim("7"),
        nominatim("null"),
        r#"{"error": "Unable to geocode"}"#.into(),
        photon("[181, 0]"),
        photon("[0, -91]"),
        photon("[1]"),
        photon("[\"1\", \"2\"]"),
        photon("null"),
        "null".into(),
        String::new(),
    ];
    for response in responses {
        let stub = Stub::always(response.clone()).await;
        let geocoders: [&dyn Geocoder; 2] = [&Nominatim::new(stub.endpoint()), &Photon::new(stub.endpoint())];
        for geocoder in geocoders {
            let result = geocoder.search(&LISBON, later()).await;
            assert!(matches!(result, Err(Failure::Malformed(_))), "{} {response}: {result:?}", geocoder.name());
        }
    }
}

#[tokio::test]
async fn a_response_with_too_many_or_too_long_values_is_cut() {
    let name = "n".repeat(10_000);
    let place = format!(
        r#"{{"osm_type": "node", "osm_id": 1, "lat": "1", "lon": "1", "name": "{name}", "display_name": "{name}"}}"#
    );
    let stub = Stub::always(format!("[{}]", vec![place; 50].join(","))).await;
    let found = Nominatim::new(stub.endpoint()).search(&LISBON, later()).await.expect("places");
    assert_eq!(found.len(), 10);
    assert_eq!((found[0].name.len(), found[0].address.as_ref().map(String::len)), (200, Some(500)));
}

#[tokio::test]
async fn a_base_url_may_have_a_path_and_a_query() {
    let stub = Stub::always(Reply::from("[]")).await;
    let endpoint = endpoint(&format!("{}/maps/?key=k%26", stub.url()));
    Nominatim::new(endpoint).search(&LISBON, later()).await.expect("no places");
    assert!(stub.only().line.starts_with("GET /maps/search?key=k%26&q=Torre"), "{}", stub.only().line);
}
