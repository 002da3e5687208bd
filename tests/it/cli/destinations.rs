//! `create --destination`: which town a name means.

use itinerary_tests::{Sqlite, World};
use reqwest::Method;
use serde_json::{Value, json};

use super::stub::Stub;
use super::{Person, stderr};

/// A world in which the server knows its built-in places.
pub(super) async fn world_with_places() -> World {
    World::start_with(Sqlite, |config| config.gazetteer = true).await.expect("SQLite is always there")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_destination_is_enough() {
    let world = world_with_places().await;
    let ana = Person::of(&world, "ana").await;
    let output = ana.run(&["create", "--destination", "Porto"], "").await;
    let (said, noted) = (String::from_utf8_lossy(&output.stdout).into_owned(), stderr(&output));
    assert!(said.starts_with("Created “Trip to Porto” (Porto, PT · ") && said.contains("3 days and 0 stops"), "{said}");
    // Other places have the name: it says which was taken, and how to say another.
    assert!(noted.starts_with("note: Porto: Assumed to be Porto, PT (41.15, -8.61); others of this name: "), "{noted}");
    assert!(noted.trim_end().ends_with("add its country: --destination \"Porto, COUNTRY\""), "{noted}");
    assert_eq!(noted.lines().count(), 1, "nothing else is news: {noted}");

    let trip = ana.json(&["show", "last"]).await;
    let destination = &trip["destination"];
    assert_eq!((&destination["countryCode"], &destination["timeZone"]), (&json!("PT"), &json!("Europe/Lisbon")));
    assert!((destination["coordinate"]["latitude"].as_f64().expect("degrees") - 41.15).abs() < 0.1);
    assert_eq!(trip["days"].as_array().expect("days").len(), 3);
    // The clock of the world, in thirty days.
    let today = world.call(Method::GET, "/v1/account").token(ana.token.as_deref().expect("a token")).send().await;
    let created: String = today.json()["createdAt"].as_str().expect("a time").chars().take(10).collect();
    let day = |text: &str| text.parse::<chrono::NaiveDate>().expect("a date");
    assert_eq!((day(trip["startDate"].as_str().expect("a date")) - day(&created)).num_days(), 30);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_country_says_which_town() {
    let world = world_with_places().await;
    let ana = Person::of(&world, "ana").await;
    let create =
        |name: &str| ["create", "--destination", name, "--start", "2027-05-15", "--days", "1"].map(str::to_owned);
    for (name, country, expected) in [("Valencia, Spain", "ES", "Valencia"), ("Valencia, VE", "VE", "Valencia")] {
        let arguments = create(name);
        let arguments: Vec<_> = arguments.iter().map(String::as_str).chain(["--dry-run"]).collect();
        let output = ana.run(&arguments, "").await;
        assert_eq!(stderr(&output), "", "{name}");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(said.contains(&format!("{expected}, {country} · Sat 15 May 2027")), "{name}: {said}");
    }
    // Only the traveller knows, so nothing is created.
    let said = ana.fail(&["create", "--destination", "Valencia"], 2).await;
    assert!(said.contains("Valencia, VE; Valencia, ES") && said.contains("--destination \"Valencia, VE\""), "{said}");
    let said = ana.fail(&["create", "--destination", "Springfield"], 2).await;
    assert!(said.contains("Springfield, US (") && said.contains("pass its state"), "{said}");
    let said = ana.fail(&["create", "--destination", "Zzyzx"], 2).await;
    assert!(said.contains("where is “Zzyzx”?") && said.contains("--at LATITUDE,LONGITUDE"), "{said}");
    assert_eq!(ana.say(&["list", "--quiet"]).await, "");

    // One's own trip to the place says where it is.
    ana.say(&["create", "--destination", "Valencia", "--at", "39.47,-0.38", "-q"]).await;
    let arguments = create("valencia");
    let trip = ana.json(&arguments.iter().map(String::as_str).collect::<Vec<_>>()).await;
    assert_eq!(trip["destination"]["countryCode"], "ES");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_duplicate_is_told_with_the_flag() {
    let world = world_with_places().await;
    let ana = Person::of(&world, "ana").await;
    let create = ["create", "--destination", "Lisbon", "--start", "2027-05-15", "-q"];
    let id = ana.say(&create).await;
    let said = ana.fail(&create, 5).await;
    assert!(said.contains("Pass --allow-duplicate") && said.contains(id.trim_end()), "{said}");
    assert_ne!(ana.say(&[&create[..], &["--allow-duplicate"]].concat()).await, id);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_needs_the_right_to_write() {
    let world = world_with_places().await;
    world.account("ana").await;
    let reader =
        Person { token: Some(world.token("ana", "itineraries:read").await), ..Person::signed_out(&world.base_url) };
    let said = reader.fail(&["create", "--destination", "Porto"], 6).await;
    assert!(said.contains("itineraries:write"), "{said}");
}

// A server without the MCP endpoint, or with another one.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_finds_no_places_needs_a_coordinate() {
    for (status, body) in [(404, ""), (200, "<html>"), (200, "{\"result\": 1}")] {
        let stub = Stub::start(move |path| {
            let list = json!({ "data": [], "nextCursor": null }).to_string();
            Some(if path == "/mcp" { (status, body.into()) } else { (200, list.into_bytes()) })
        })
        .await;
        let person = Person { token: Some("token".to_owned()), ..Person::signed_out(&stub.url) };
        let said = person.fail(&["create", "--destination", "Porto"], 1).await;
        assert!(said.contains("pass --at LATITUDE,LONGITUDE"), "{said}");
    }
    let stub = Stub::start(|path| {
        let list: Value = json!({ "data": [], "nextCursor": null });
        Some(if path == "/mcp" { (401, Vec::new()) } else { (200, list.to_string().into_bytes()) })
    })
    .await;
    let person = Person { token: Some("token".to_owned()), ..Person::signed_out(&stub.url) };
    assert!(person.fail(&["create", "--destination", "Porto"], 3).await.contains("itinerary login"));
}
