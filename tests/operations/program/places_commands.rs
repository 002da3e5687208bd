//! Importing places from the command line.

use itinerary_tests::engines::Engine;
use itinerary_tests::program::{Program, command, fail, make_account, make_token, run, words};
use itinerary_tests::{Database, api_test};

/// A row of GeoNames: a museum near Lisbon.
fn row(id: u32, name: &str, latitude: &str) -> String {
    format!("{id}\t{name}\t{name}\t\t{latitude}\t-9.15\tS\tMUS\tPT\t\t\t\t\t\t0\t\t\tEurope/Lisbon\t2026-01-01\n")
}

#[api_test]
async fn places_are_imported_and_bad_rows_are_told(database: Database) {
    let Some(engine) = Engine::on(database) else { return };
    let file = engine.file("PT.txt");
    let rows = [
        row(1, "Museu da Rolha", "38.72"),
        row(2, "Museu do Nada", "98.72"),
        "3\ttoo few\tcolumns\n".to_owned(),
        row(4, "Museu do Selo", "38.73"),
    ];
    std::fs::write(&file, rows.concat()).expect("a file");
    let name = file.to_str().expect("a path");
    let import = |file: &str| command(words(&engine, &["places", "import", "geonames", file]));
    make_account(&engine, "ana").await;
    let output = run(import(name), "").await;
    let (said, complained) =
        (String::from_utf8_lossy(&output.stdout).into_owned(), String::from_utf8_lossy(&output.stderr).into_owned());
    assert!(output.status.success(), "{complained}");
    assert!(said.contains("2 places imported, 0 rows skipped, 2 refused."), "{said}");
    assert!(complained.contains("line 2") && complained.contains("latitude"), "{complained}");
    assert!(complained.contains("line 3") && complained.contains("19"), "{complained}");

    // Importing again replaces the places.
    let output = run(import(name), "").await;
    assert!(String::from_utf8_lossy(&output.stdout).contains("2 places imported"));
    assert!(fail(import("nothing.txt")).await.contains("nothing.txt"));

    // Imported places are found.
    let token = make_token(&engine, "ana").await;
    let server = Program::serve(&engine, &[]).await;
    let body = serde_json::json!({
        "destination": { "name": "Lisbon", "coordinate": { "latitude": 38.7223, "longitude": -9.1393 } },
        "days": [{ "stops": [{ "name": "museu da rolha", "category": "museum" }] }],
    });
    let response = server.call(reqwest::Method::POST, "/v1/itineraries").token(&token).json(&body).send().await;
    assert_eq!(response.status, 201, "{}", response.text());
    assert_eq!(response.json()["days"][0]["stops"][0]["place"]["placeId"], "geonames:1");
}
