//! Each command: what it does on the server, and what it prints.

use std::fs;

use chrono::TimeDelta;
use itinerary_tests::app::App;
use reqwest::Method;
use serde_json::{Value, json};

use super::{Person, create, stops, weekend, world};

#[tokio::test(flavor = "multi_thread")]
async fn a_trip_is_created_shown_and_deleted() {
    let world = world().await;
    let ana = Person::of(&world, "ana").await;
    assert!(ana.say(&["list"]).await.starts_with("No trips."));
    fs::write(ana.file("trip.json"), weekend().to_string()).expect("a file");
    let said = ana.say(&["create", "trip.json"]).await;
    let id = said.trim_end().rsplit(' ').next().expect("an id").to_owned();
    let facts = "Lisbon, PT · Sat 15 – Sun 16 May 2027";
    assert_eq!(said, format!("Created “A weekend in Lisbon” ({facts}) with 2 days and 4 stops: {id}\n"));

    let day = "\
Day 1 · Sat 15 May 2027
     TIME   STOP                   KIND        STAY
  1  09:30  Castelo                landmark   1 h 15
  │         walk · 11 min · 640 m
  2  11:00  Sé
  3         Fado                   nightlife
  3 stops · 1 h 15 there · 11 min on the way · 640 m
";
    for name in [&*id, "last", "A WEEK"] {
        let said = ana.say(&["show", name, "--day", "1"]).await;
        assert_eq!(said.replace(' ', ""), day.replace(' ', ""), "{said}");
    }
    let whole = ana.say(&["show", "last"]).await;
    assert!(whole.starts_with("A weekend in Lisbon\nLisbon") && whole.contains("Torre de Belém"), "{whole}");

    // The JSON is the API's.
    let app = App { world: &world, token: ana.token.clone().expect("a token") };
    assert_eq!(ana.say(&["show", &id, "--json"]).await, format!("{}\n", app.view(&id).await.text()));
    assert_eq!(ana.json(&["show", &id, "--day", "2"]).await, app.viewed(&id).await.json["days"][1]);
    assert_eq!(ana.json(&["list"]).await, app.list("").await.json()["data"][0]);
    assert_eq!(ana.say(&["list", "--quiet"]).await, format!("{id}\n"));
    assert_eq!(ana.say(&["show", &id, "--quiet"]).await, "");

    assert_eq!(ana.say(&["delete", "last", "--yes"]).await, "Deleted “A weekend in Lisbon”.\n");
    assert_eq!(app.view(&id).await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_trip_is_created_from_names() {
    let world = world().await;
    let ana = Person::of(&world, "ana").await;
    let names = "Day 1\n9:30 Castelo\nSé\n\nTorre de Belém\n";
    let arguments =
        ["create", "--destination", "Lisbon", "--at", "38.72,-9.14", "--start", "2027-05-15", "--names", "-"];
    let plan = [&arguments[..], &["--days", "3", "--title", "By name", "--travellers", "2", "--json"]].concat();
    let trip: Value = serde_json::from_str(&ana.say_with(&plan, names).await).expect("JSON");
    assert_eq!(stops(&trip, 0), ["Castelo", "Sé"]);
    assert_eq!((stops(&trip, 1), stops(&trip, 2)), (vec!["Torre de Belém"], vec![]));
    assert_eq!(trip["days"][0]["stops"][0]["startTime"], "09:30");
    let facts = json!([trip["title"], trip["startDate"], trip["travellers"], trip["destination"]["coordinate"]]);
    assert_eq!(facts, json!(["By name", "2027-05-15", 2, { "latitude": 38.72, "longitude": -9.14 }]));

    // The place of a destination comes from one's own trip to it.
    let next = ["create", "--destination", "lisbon", "--start", "2027-06-01", "--json"];
    let trip: Value = serde_json::from_str(&ana.say(&next).await).expect("JSON");
    assert_eq!(trip["destination"]["coordinate"]["latitude"], 38.72);
    assert_eq!(trip["destination"]["name"], "Lisbon");
    let ben = Person::of(&world, "ben").await;
    ben.fail(&["create", "--destination", "Lisbon"], 2).await;
    ben.say(&["create", "--destination", "Lisbon", "--at", "38.72,-9.14", "--dry-run"]).await;
    assert_eq!(ben.say(&["list", "--quiet"]).await, "", "a dry run stores nothing");
}

#[tokio::test(flavor = "multi_thread")]
async fn stops_are_added_moved_and_removed() {
    let world = world().await;
    let ana = Person::of(&world, "ana").await;
    let id = create(&ana).await;
    let trip = async || ana.json(&["show", &id]).await;

    let said = ana.say(&["stop", "add", "last", "1", "Café", "--position", "2", "--time", "10:45", "--minutes", "30"]);
    let said = said.await;
    assert!(said.starts_with("Added “Café” to day 1.\n\nDay 1") && said.contains("2  10:45  Café"), "{said}");
    assert_eq!(stops(&trip().await, 0), ["Castelo", "Café", "Sé", "Fado"]);
    ana.say(&["stop", "add", "last", "2", "Pastéis", "--category", "cafe", "-q"]).await;
    assert_eq!(stops(&trip().await, 1), ["Torre de Belém", "Pastéis"]);
    assert_eq!(trip().await["days"][1]["stops"][1]["category"], "cafe");

    ana.say(&["stop", "move", &id, "1", "caf", "--position", "1"]).await;
    assert_eq!(stops(&trip().await, 0), ["Café", "Castelo", "Sé", "Fado"]);
    ana.say(&["stop", "move", &id, "1", "4", "--to-day", "2", "--position", "1"]).await;
    assert_eq!(stops(&trip().await, 1), ["Fado", "Torre de Belém", "Pastéis"]);
    ana.say(&["stop", "move", &id, "2", "1"]).await;
    assert_eq!(stops(&trip().await, 1), ["Torre de Belém", "Pastéis", "Fado"]);

    let removed = ana.json(&["stop", "remove", &id, "1", "b"]).await;
    assert_eq!(stops(&removed, 0), ["Café", "Castelo"]);
    assert_eq!(stops(&trip().await, 0), ["Café", "Castelo"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_has_filters_and_a_limit() {
    let world = world().await;
    let ana = Person::of(&world, "ana").await;
    let app = App::of(&world, "ana").await;
    for day in 1..=3 {
        app.created(&itinerary_tests::bodies::on_day(day)).await;
    }
    let ids = async |arguments: &[&str]| ana.say(&[&["list", "-q"], arguments].concat()).await.lines().count();
    assert_eq!((ids(&[]).await, ids(&["--limit", "2"]).await), (3, 2));
    assert_eq!((ids(&["--filter", "owned"]).await, ids(&["--filter", "saved"]).await), (3, 0));
    let since = |instant| ["--updated-since", instant];
    assert_eq!((ids(&since("2027-01-10T12:00:00Z")).await, ids(&since("2027-01-10T13:00:01+01:00")).await), (3, 0));
    let output = ana.run(&["list", "--limit", "2"], "").await;
    assert!(super::stderr(&output).contains("there are more"), "{}", super::stderr(&output));
    let lines = ana.say(&["list", "--json"]).await;
    assert!(lines.lines().all(|line| serde_json::from_str::<Value>(line).is_ok_and(|trip| trip["id"].is_string())));
    assert_eq!(lines.lines().count(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_trip_is_shared_found_liked_and_saved() {
    let world = world().await;
    let (ana, ben) = (Person::of(&world, "ana").await, Person::of(&world, "ben").await);
    let id = create(&ana).await;
    let address = format!("{}/trips/{id}", world.base_url);
    ben.fail(&["show", &id], 4).await;

    let said = ana.say(&["share", "last"]).await;
    assert_eq!(said, format!("A weekend in Lisbon is private.\n{address}\n"));
    let said = ana.say(&["share", "last", "--add", "@ben", "--role", "editor"]).await;
    assert!(said.contains("@ben") && said.contains("editor") && said.contains("pending"), "{said}");
    let said = ben.say(&["invitation", "list"]).await;
    assert!(said.contains("A weekend in Lisbon") && said.contains("@ana") && said.contains(&id), "{said}");
    assert_eq!(ben.json(&["invitation", "list"]).await["itineraryId"], *id);
    assert!(ben.fail(&["invitation", "accept", "Nothing"], 4).await.contains("Nothing"));
    assert_eq!(ben.say(&["invitation", "accept", "a week"]).await, "Accepted: you are editor of the trip.\n");
    assert_eq!(ben.say(&["invitation", "ls"]).await, "No pending invitations.\n");
    ben.fail(&["invitation", "decline", &id], 4).await;
    assert_eq!(ben.json(&["show", &id]).await["role"], "editor");
    let shared = ana.json(&["share", "last", "--remove", "ben", "--visibility", "public"]).await;
    assert_eq!(shared, json!({ "id": id, "visibility": "public", "address": address, "members": [] }));
    assert_eq!(ben.say(&["share", &id, "--quiet"]).await, format!("{address}\n"));

    let found = ben.say(&["explore", "weekend", "lisbon", "--region", "Portugal"]).await;
    assert!(found.contains("by @ana · 0 likes") && found.contains(&id), "{found}");
    assert_eq!(ben.json(&["explore"]).await["id"], *id);
    assert_eq!(ben.say(&["explore", "--following", "-q"]).await, "");
    assert_eq!(ben.say(&["like", &id]).await, "Liked; the trip has 1 like.\n");
    assert_eq!(ben.json(&["like", "last", "--undo"]).await["liked"], false);
    let copy = ben.json(&["save", &id]).await;
    assert_eq!(copy["savedFrom"]["itineraryId"], *id);
    assert_eq!(ben.json(&["show", "last"]).await["id"], copy["id"], "`last` is the copy");

    assert_eq!(ben.say(&["block", "@ana"]).await, "Blocked @ana.\n");
    assert!(ana.fail(&["share", &id, "--add", "ben"], 4).await.contains("@ben"));
    assert_eq!(ben.json(&["block", "ana", "--undo"]).await["blocked"], false);

    // Nothing is changed if somebody is unknown.
    assert!(ana.fail(&["share", &id, "--visibility", "private", "--add", "nobody"], 4).await.contains("@nobody"));
    assert_eq!(ana.json(&["share", &id]).await["visibility"], "public");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_trip_has_secret_links() {
    let world = world().await;
    let (ana, ben) = (Person::of(&world, "ana").await, Person::of(&world, "ben").await);
    let id = create(&ana).await;
    assert!(ana.say(&["links", "last"]).await.contains("No secret links."));
    let said = ana.say(&["share", "last", "--link"]).await;
    let path = said.trim().strip_prefix(&world.base_url).expect("an address");
    assert!(path.starts_with("/t/itn_link_"), "{said}");
    assert_eq!(world.call(Method::GET, path).send().await.status, 200);
    world.clock.advance(TimeDelta::seconds(1));
    let end = ["--label", "Grandparents", "--expires", "2028-05-15T12:00:00+02:00", "--sections", "bookings"];
    let link = ana.json(&[&["share", &id, "--link"], &end[..]].concat()).await;
    let told = (&link["label"], &link["sections"], &link["expiresAt"]);
    assert_eq!(told, (&json!("Grandparents"), &json!("bookings"), &json!("2028-05-15T10:00:00Z")));
    world.clock.advance(TimeDelta::seconds(1));
    assert!(ana.say(&["share", &id, "--link", "-q"]).await.contains("/t/itn_link_"));

    let said = ana.say(&["links", "A weekend"]).await;
    for part in
        ["Link 1", "Link 2", "plan", "never", "Grandparents", "bookings", "15 May 2028, 10:00 UTC", "10 Jan 2027"]
    {
        assert!(said.contains(part), "{part} in {said}");
    }
    assert!(!said.contains("itn_link_"), "an address is shown once: {said}");
    assert_eq!(ana.say(&["links", &id, "-q"]).await.lines().count(), 3);
    let taken = ana.fail(&["share", &id, "--link", "--label", "Grandparents"], 5).await;
    assert!(taken.contains("label"), "{taken}");
    let past = ana.fail(&["share", &id, "--link", "--expires", "2020-01-01"], 7).await;
    assert!(past.contains("--expires"), "{past}");
    for wrong in [["--label", "Grandparents"], ["--link", "--add=ben"]] {
        let output = ana.run(&[&["share", &id], &wrong[..]].concat(), "").await;
        assert_eq!(output.status.code(), Some(2), "{wrong:?}");
    }
    ben.fail(&["links", &id], 4).await;

    let said = ana.say(&["links", "delete", &id, "link 1"]).await;
    assert_eq!(said, "Deleted the link “Link 1”. Its address no longer works.\n");
    assert_eq!(world.call(Method::GET, path).send().await.status, 404);
    assert_eq!(ana.json(&["links", "delete", "last", "1"]).await["deleted"], link["id"]);
    assert!(ana.fail(&["links", "delete", &id, "Grandparents"], 4).await.contains("no link “Grandparents”"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_trip_is_exported() {
    let world = world().await;
    let (ana, ben) = (Person::of(&world, "ana").await, Person::of(&world, "ben").await);
    let id = create(&ana).await;
    let app = App::of(&world, "ana").await;
    for format in ["ics", "gpx", "geojson", "kml", "md", "html"] {
        let path = format!("/v1/itineraries/{id}/export?format={format}");
        let expected = app.call(Method::GET, &path).send().await.text();
        assert_eq!(ana.say(&["export", "A weekend", "--format", format]).await, expected, "{format}");
        let name = format!("trip.{format}");
        let said = ana.say(&["export", &id, "--output", &name]).await;
        assert_eq!(said, format!("Wrote {} bytes to {name}.\n", expected.len()));
        assert_eq!(fs::read_to_string(ana.file(&name)).expect("a file"), expected, "{format}");
        let facts = json!({ "id": id, "format": format, "file": name, "bytes": expected.len() });
        assert_eq!(ana.json(&["export", &id, "--output", &name]).await, facts);
    }
    assert_eq!(ana.say(&["export", &id, "--output", "trip.md", "--quiet"]).await, "");
    ben.fail(&["export", &id, "--output", "trip.md"], 4).await;
    assert!(!ben.file("trip.md").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_title_names_a_trip() {
    let world = world().await;
    let ana = Person::of(&world, "ana").await;
    let app = App::of(&world, "ana").await;
    for (day, title) in [(1, "Lisbon"), (2, "Lisbon again"), (3, "Porto")] {
        app.created(&itinerary_tests::bodies::with(itinerary_tests::bodies::on_day(day), json!({ "title": title })))
            .await;
    }
    for (name, title) in [("por", "Porto"), ("LISBON", "Lisbon"), ("lisbon a", "Lisbon again")] {
        assert_eq!(ana.json(&["show", name]).await["title"], title);
    }
    let said = ana.fail(&["show", "lis"], 2).await;
    assert!(said.contains("begins 2 titles") && said.contains("“Lisbon again”"), "{said}");
    ana.fail(&["show", "isbon"], 4).await;
    assert!(Person::of(&world, "ben").await.fail(&["show", "last"], 4).await.contains("no last trip"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_shell_gets_completions_and_a_manual() {
    let nobody = Person::signed_out("https://trips.example");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = nobody.say(&["completion", shell]).await;
        assert!(script.contains("updated-since"), "{shell}");
    }
    let page = nobody.say(&["man"]).await;
    for word in [".SH \"EXIT STATUS\"", "the trip has changed", "NO_COLOR", "itinerary\\-edit(1)"] {
        assert!(page.contains(word), "{word}");
    }
    nobody.say(&["man", "--dir", "man"]).await;
    let pages = fs::read_dir(nobody.file("man")).expect("a folder").count();
    assert!(pages > 15 && nobody.file("man/itinerary-stop-move.1").exists(), "{pages} pages");
    let help = nobody.say(&["--help"]).await;
    assert!(help.contains("flight, hotel") && help.contains("--server URL"), "{help}");
    let help = nobody.say(&["show", "--help"]).await;
    assert!(help.contains("itinerary show last --day 2") && help.contains("`itinerary --help` lists"), "{help}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_is_named() {
    let world = world().await;
    let ana = Person::of(&world, "ana").await;
    let said = ana.say(&["whoami"]).await;
    assert_eq!(said.lines().next(), Some(&*format!("ana (@ana) at {}", world.base_url)));
    assert_eq!(ana.say(&["whoami", "-q"]).await, "ana\n");
    let account = App::of(&world, "ana").await.call(Method::GET, "/v1/account").send().await.json();
    assert_eq!(ana.json(&["whoami"]).await, account);
}
