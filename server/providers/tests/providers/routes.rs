//! OSRM and Valhalla: the documented request, and the result for a recorded response.

use itinerary_providers::{Failure, MAX_POINTS, Matrix, Mode, Osrm, Point, Routes, Travel, Valhalla};
use serde_json::{Value, json};

use crate::stub::{Stub, USER_AGENT, later};

const BERLIN: [Point; 3] = [
    Point { latitude: 52.517_037, longitude: 13.388_86 },
    Point { latitude: 52.529_407, longitude: 13.397_634 },
    Point { latitude: 52.523_219, longitude: 13.428_555 },
];

const NEW_YORK: [Point; 2] =
    [Point { latitude: 40.744_014, longitude: -73.990_508 }, Point { latitude: 40.739_735, longitude: -73.979_713 }];

const MODES: [Mode; 3] = [Mode::Walk, Mode::Bicycle, Mode::Drive];

/// The matrix as rows of (minutes, metres).
fn rows(matrix: &Matrix) -> Vec<Vec<Option<(f64, f64)>>> {
    let pair = |Travel { minutes, metres }| (minutes, metres);
    let row = |from| (0..matrix.size()).map(|to| matrix.get(from, to).map(pair)).collect();
    (0..matrix.size()).map(row).collect()
}

#[tokio::test]
async fn osrm_is_asked_as_documented_at_one_server_per_mode() {
    for (mode, profile) in MODES.into_iter().zip(["foot", "bike", "car"]) {
        let stub = Stub::always(include_str!("../recorded/osrm.json")).await;
        let osrm = Osrm::new().with(mode, stub.endpoint());
        assert_eq!(MODES.map(|other| osrm.supports(other)), MODES.map(|other| other == mode));
        osrm.matrix(mode, &BERLIN, later()).await.expect("a matrix");
        let seen = stub.only();
        assert_eq!(
            seen.line,
            format!(
                "GET /table/v1/{profile}/13.388860,52.517037;13.397634,52.529407;13.428555,52.523219\
                 ?annotations=duration%2Cdistance"
            )
        );
        assert_eq!(seen.header("user-agent"), Some(USER_AGENT));
    }
}

#[tokio::test]
async fn osrm_is_parsed() {
    let stub = Stub::always(include_str!("../recorded/osrm.json")).await;
    let osrm = Osrm::new().with(Mode::Drive, stub.endpoint());
    let matrix = osrm.matrix(Mode::Drive, &BERLIN, later()).await.expect("a matrix");
    let same = Some((0.0, 0.0));
    let expected = [
        [same, Some((192.6 / 60.0, 1887.3)), None],
        [Some((199.3 / 60.0, 1903.9)), same, Some((245.4 / 60.0, 2845.6))],
        [Some((344.7 / 60.0, 3280.1)), Some((222.3 / 60.0, 2292.8)), same],
    ];
    assert_eq!(rows(&matrix), expected);
    assert_eq!((matrix.get(3, 0), matrix.get(0, 3)), (None, None));
}

#[tokio::test]
async fn osrm_without_a_server_for_the_mode_is_not_asked() {
    let stub = Stub::always("{}").await;
    let osrm = Osrm::new().with(Mode::Walk, stub.endpoint());
    let result = osrm.matrix(Mode::Drive, &BERLIN, later()).await;
    assert_eq!(result, Err(Failure::Unsupported("no server for Drive".into())));
    assert!(stub.seen().is_empty());
}

#[tokio::test]
async fn valhalla_is_asked_as_documented() {
    for (mode, costing) in MODES.into_iter().zip(["pedestrian", "bicycle", "auto"]) {
        let stub = Stub::always(include_str!("../recorded/valhalla.json")).await;
        let valhalla = Valhalla::new(stub.endpoint());
        assert!(valhalla.supports(mode));
        valhalla.matrix(mode, &NEW_YORK, later()).await.expect("a matrix");
        let seen = stub.only();
        assert_eq!(seen.line, "POST /sources_to_targets");
        assert_eq!(seen.header("content-type"), Some("application/json"));
        let places = json!([{"lat": 40.744_014, "lon": -73.990_508}, {"lat": 40.739_735, "lon": -73.979_713}]);
        let body: Value = serde_json::from_str(&seen.body).expect("JSON");
        assert_eq!(body, json!({"sources": places, "targets": places, "costing": costing}));
    }
}

#[tokio::test]
async fn valhalla_is_parsed() {
    let stub = Stub::always(include_str!("../recorded/valhalla.json")).await;
    let matrix = Valhalla::new(stub.endpoint()).matrix(Mode::Walk, &NEW_YORK, later()).await.expect("a matrix");
    let same = Some((0.0, 0.0));
    assert_eq!(rows(&matrix), [[same, Some((16.4, 1378.0))], [None, same]]);
}

#[tokio::test]
async fn few_points_need_no_call_and_too_many_are_rejected() {
    let stub = Stub::always("{}").await;
    let osrm = Osrm::new().with(Mode::Walk, stub.endpoint());
    let providers: [&dyn Routes; 2] = [&osrm, &Valhalla::new(stub.endpoint())];
    for provider in providers {
        let matrix = provider.matrix(Mode::Walk, &[], later()).await.expect("a matrix");
        assert_eq!(matrix.size(), 0);
        let matrix = provider.matrix(Mode::Walk, &BERLIN[..1], later()).await.expect("a matrix");
        assert_eq!(rows(&matrix), [[Some((0.0, 0.0))]]);
        let result = provider.matrix(Mode::Walk, &[BERLIN[0]; MAX_POINTS + 1], later()).await;
        assert_eq!(result, Err(Failure::Unsupported("51 points; expected at most 50".into())));
    }
    assert!(stub.seen().is_empty());
}

#[tokio::test]
async fn wrong_shapes_are_malformed() {
    let responses = [
        r#"{"code": "NoTable", "message": "no"}"#,
        r#"{"code": "Ok"}"#,
        r#"{"code": "Ok", "durations": [[0, 1], [1, 0]]}"#,
        r#"{"code": "Ok", "durations": [[0, 1], [1, 0]], "distances": [[0, 1], [1]]}"#,
        r#"{"code": "Ok", "durations": [[0, 1], [1]], "distances": [[0, 1], [1]]}"#,
        r#"{"code": "Ok", "durations": [[0]], "distances": [[0]]}"#,
        r#"{"code": "Ok", "durations": [[0, "1"], [1, 0]], "distances": [[0, 1], [1, 0]]}"#,
        r#"{"sources_to_targets": []}"#,
        r#"{"sources_to_targets": [[{}, {}], [{}]]}"#,
        r#"{"sources_to_targets": [[{}, {}, {}], [{}, {}, {}], [{}, {}, {}]]}"#,
        r#"{"units": "miles", "sources_to_targets": [[{}, {}], [{}, {}]]}"#,
        "[]",
        "<html>",
    ];
    for response in responses {
        let stub = Stub::always(response).await;
        let osrm = Osrm::new().with(Mode::Walk, stub.endpoint());
        let providers: [&dyn Routes; 2] = [&osrm, &Valhalla::new(stub.endpoint())];
        for provider in providers {
            let result = provider.matrix(Mode::Walk, &NEW_YORK, later()).await;
            assert!(matches!(result, Err(Failure::Malformed(_))), "{} {response}: {result:?}", provider.name());
        }
    }
}

#[tokio::test]
async fn negative_and_missing_numbers_are_unreachable() {
    let stub = Stub::always(
        r#"{"code": "Ok", "durations": [[0, -1], [1, 0]], "distances": [[0, 1], [null, 0]],
            "sources_to_targets": [[{"time": 0, "distance": 0}, {"time": -1, "distance": 1}],
                                   [{"time": 1}, {"time": 0, "distance": 0}]]}"#,
    )
    .await;
    let osrm = Osrm::new().with(Mode::Walk, stub.endpoint());
    let providers: [&dyn Routes; 2] = [&osrm, &Valhalla::new(stub.endpoint())];
    for provider in providers {
        let matrix = provider.matrix(Mode::Walk, &NEW_YORK, later()).await.expect("a matrix");
        assert_eq!(rows(&matrix), [[Some((0.0, 0.0)), None], [None, Some((0.0, 0.0))]]);
    }
}
