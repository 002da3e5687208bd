//! `optimise`, `refresh`, `open`, and what `show` says about estimates and times.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::json;

use super::{Person, create, stderr, stops, world};

/// Four stops in a line, in an order that goes back and forth.
fn zigzag() -> serde_json::Value {
    let stop = |id: &str, longitude: f64| {
        json!({ "id": id, "name": id, "durationMinutes": 30,
            "place": { "coordinate": { "latitude": 38.71, "longitude": longitude } } })
    };
    let day = |id: &str| {
        let of_day = |name: &str, longitude| stop(&format!("{id}{name}"), longitude);
        json!({ "id": id, "stops": [of_day("a", -9.130), of_day("c", -9.142), of_day("b", -9.136), of_day("d", -9.148)] })
    };
    json!({
        "title": "Zigzag", "startDate": "2027-05-15",
        "destination": { "name": "Lisbon", "coordinate": { "latitude": 38.7223, "longitude": -9.1393 } },
        "days": [day("x"), { "id": "y", "stops": [] }, day("z")],
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_day_is_optimised() {
    let world = world().await;
    let ana = Person::of(&world, "ana").await;
    ana.say_with(&["create", "-", "-q"], &zigzag().to_string()).await;

    let tried = ana.say(&["optimise", "last", "1", "--dry-run"]).await;
    assert_eq!(stops(&ana.json(&["show", "last"]).await, 0), ["xa", "xc", "xb", "xd"], "nothing is stored");
    let said = ana.say(&["optimise", "last", "1"]).await;
    assert_eq!(said, tried);
    let first = said.lines().next().expect("a line");
    assert!(first.starts_with("Day 1: ") && first.contains(" → ") && first.ends_with(" less."), "{first}");
    // The legs are estimates, and the times suggestions.
    assert!(
        said.contains("about 09:00  xa") && said.contains(" · about ") && said.contains("min on the way"),
        "{said}"
    );
    assert_eq!(stops(&ana.json(&["show", "last"]).await, 0), ["xa", "xb", "xc", "xd"]);
    let again = ana.say(&["optimise", "last", "1"]).await;
    assert!(again.starts_with("Day 1: the order stays, with "), "{again}");

    // Each day that has a choice.
    let said = ana.say(&["optimise", "last", "--start-at", "10:30", "--mode", "walk"]).await;
    assert!(said.contains("Day 1: ") && !said.contains("Day 2") && said.contains("Day 3: "), "{said}");
    assert!(said.contains("about 10:30  za"), "{said}");
    let trip = ana.json(&["show", "last"]).await;
    assert_eq!(stops(&trip, 2), ["za", "zb", "zc", "zd"]);
    assert_eq!(ana.say(&["optimise", "last", "-q"]).await, "");
    let lines = ana.say(&["optimise", "last", "--json"]).await;
    assert_eq!(lines.lines().count(), 2);
    let minutes = |line| serde_json::from_str::<serde_json::Value>(line).expect("JSON")["minutesAfter"].is_number();
    assert!(lines.lines().all(minutes));

    for (arguments, code, word) in [
        (&["optimise", "last", "1", "--start-at", "25:00"][..], 7, "`--start-at`"),
        (&["optimise", "last", "1", "--end-at", "noon"], 7, "`--end-at`"),
        (&["optimise", "last", "1", "--mode", "camel"], 7, "`--mode`"),
        (&["optimise", "last", "4"], 4, "the trip has 3 days"),
    ] {
        let said = ana.fail(arguments, code).await;
        assert!(said.contains(word), "{arguments:?}: {said}");
    }
    let said = ana.say(&["optimise", "last", "2"]).await;
    assert_eq!(said, "Day 2 has fewer than two stops: there is nothing to optimise.\n");
    let empty = json!({ "destination": { "name": "X", "coordinate": { "latitude": 1, "longitude": 1 } } });
    ana.say_with(&["create", "-", "-q"], &empty.to_string()).await;
    assert!(ana.say(&["optimise", "last"]).await.starts_with("No day has two stops"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refresh_tells_what_it_filled_in() {
    let world = super::destinations::world_with_places().await;
    let ana = Person::of(&world, "ana").await;
    // Legs that were sent: the server computes the others when it is asked to.
    create(&ana).await;
    let said = ana.say(&["refresh", "last"]).await;
    assert!(said.starts_with("Filled in ") && said.contains("1 leg") && said.contains(" → "), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    let again = ana.say(&["refresh", "last"]).await;
    assert!(again.starts_with("Nothing new was found; ") && again.contains("on the way"), "{again}");
    assert_eq!(ana.json(&["refresh", "last"]).await["title"], "A weekend in Lisbon");
    assert_eq!(ana.say(&["refresh", "last", "-q"]).await, "");

    // What was not found is a note.
    ana.say(&["stop", "add", "last", "2", "Qwertz Uiop", "-q"]).await;
    let output = ana.run(&["refresh", "last"], "").await;
    assert!(stderr(&output).contains("note: day 2, stop 2 “Qwertz Uiop”: "), "{}", stderr(&output));
}

#[tokio::test(flavor = "multi_thread")]
async fn show_lists_transports_and_reservations() {
    let world = world().await;
    let ana = Person::of(&world, "ana").await;
    let trip = json!({
        "destination": { "name": "Lisbon", "coordinate": { "latitude": 38.7223, "longitude": -9.1393 } },
        "startDate": "2027-05-15",
        "days": [{ "title": "Sintra", "notes": "Leave early.", "stops": [] }],
        "transports": [
            { "mode": "train", "number": "IC 523", "departurePlace": { "name": "Oriente" }, "arrivalPlace": { "name": "Porto" },
                "departureDate": "2027-05-16T09:39:00+01:00", "arrivalDate": "2027-05-16T12:48:00+01:00",
                "confirmationNumber": "X7KQ2P" },
            { "mode": "car", "operator": { "name": "Sixt" }, "departurePlace": { "name": "Faro" }, "departureDay": "2027-05-17" },
        ],
        "reservations": [{ "name": "Fado", "category": "restaurant", "partySize": 2, "startDay": "2027-05-16" }],
    });
    ana.run(&["create", "-"], &trip.to_string()).await;
    let shown = ana.say(&["show", "last"]).await;
    for line in [
        "Day 1 · Sintra",
        "  Leave early.",
        "Sun 16 May 09:39  train IC 523  Oriente → Porto, arrives 12:48 · X7KQ2P",
        "Mon 17 May        car Sixt  Faro",
        "Sun 16 May  Fado · restaurant · for 2",
    ] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn show_says_what_needs_attention() {
    let world = world().await;
    let ana = Person::of(&world, "ana").await;
    let place = |longitude: f64| json!({ "coordinate": { "latitude": 38.71, "longitude": longitude } });
    let trip = json!({
        "destination": { "name": "Lisbon", "coordinate": { "latitude": 38.7223, "longitude": -9.1393 } },
        "startDate": "2027-05-15",
        "days": [
            { "stops": [
                { "name": "Castelo", "startTime": "08:00", "durationMinutes": 60, "place": place(-9.13) },
                { "name": "Sintra", "startTime": "08:30", "place": place(-9.39) },
            ] },
            { "stops": [{ "name": "Nowhere" }] },
        ],
    });
    let output = ana.run(&["create", "-"], &trip.to_string()).await;
    assert!(stderr(&output).contains("note: day 1, stop 2 “Sintra”: The start time is "), "{}", stderr(&output));
    let shown = ana.say(&["show", "last"]).await;
    let (_, attention) = shown.split_once("\nNeeds attention\n").expect("a section");
    let (late, unplaced) = attention.split_once('\n').expect("two lines");
    assert!(
        late.starts_with("  Day 1, stop 2 “Sintra” starts ") && late.ends_with("from the previous stop."),
        "{late}"
    );
    assert_eq!(unplaced, "  Day 2, stop 1 “Nowhere” is not on the map: its place is unknown.\n");
    // As much as the server says, in its own format.
    let early = |text: &str, start: &str| -> Vec<u32> {
        let rest = text.split_once(start).expect("a start").1.split_once(" before").expect("an end").0;
        rest.split(' ').filter_map(|word| word.parse().ok()).collect()
    };
    let (noted, told) = (early(&stderr(&output), "start time is "), early(late, "“Sintra” starts "));
    assert!(!noted.is_empty() && noted == told, "{noted:?} {told:?}");
    // Of the day only.
    let day = ana.say(&["show", "last", "--day", "2"]).await;
    assert!(day.contains("“Nowhere”") && !day.contains("Sintra"), "{day}");
    assert!(shown.contains(" · about ") && shown.contains("on the way"), "legs are estimates: {shown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_is_opened_where_there_is_a_display() {
    let world = world().await;
    let ana = Person::of(&world, "ana").await;
    let id = create(&ana).await;
    let address = format!("{}/trips/{id}", world.base_url);
    let folder = ana.file("bin");
    fs::create_dir(&folder).expect("a folder");
    let browser = folder.join("xdg-open");
    fs::write(&browser, "#!/bin/sh\necho \"$1\" > \"$HOME/opened.tmp\"\nmv \"$HOME/opened.tmp\" \"$HOME/opened\"\n")
        .expect("a script");
    fs::set_permissions(&browser, fs::Permissions::from_mode(0o755)).expect("a program");
    let open = async |arguments: &[&str], variables: &[(&str, &str)]| {
        let mut command = ana.command(arguments);
        let path = std::env::var("PATH").unwrap_or_default();
        command.env("PATH", format!("{}:{path}", folder.display()));
        command.envs(variables.iter().copied());
        let said = itinerary_tests::program::succeed(command, "").await;
        // The browser outlives the command.
        for _ in 0..20 {
            if ana.file("opened").exists() {
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
        let opened = fs::read_to_string(ana.file("opened")).ok();
        let _ = fs::remove_file(ana.file("opened"));
        (said, opened)
    };
    let line = format!("{address}\n");
    let seen = open(&["open", "last"], &[("DISPLAY", ":0")]).await;
    assert_eq!(seen, (line.clone(), Some(line.clone())));
    assert_eq!(open(&["open", "last"], &[]).await, (line.clone(), None), "there is no display");
    let over_ssh = [("DISPLAY", ":0"), ("SSH_CONNECTION", "10.0.0.1 1 10.0.0.2 22")];
    assert_eq!(open(&["open", "last"], &over_ssh).await, (line.clone(), None));
    assert_eq!(open(&["open", "last", "-q"], &[("DISPLAY", ":0")]).await, (line, None));
    assert_eq!(ana.json(&["open", "last"]).await, json!({ "id": id, "address": address }));
    ana.fail(&["open", "01890000-0000-7000-8000-000000000000"], 4).await;
}
