//! Exit codes, and errors as one line.

use serde_json::{Value, json};

use super::{Person, create, stderr, world};

#[tokio::test(flavor = "multi_thread")]
async fn each_kind_of_failure_has_its_exit_code() {
    let world = world().await;
    let ana = Person::of(&world, "ana").await;
    let id = create(&ana).await;
    let absent = "01890000-0000-7000-8000-000000000000";
    for (arguments, code, word) in [
        (&["export", "last", "-o", "trip.pdf"][..], 2, "pass --format"),
        (&["delete", "last"], 2, "pass --yes"),
        (&["create", "--destination", "Atlantis"], 2, "where is “Atlantis”?"),
        (
            &["create", "--destination", "Lisbon", "--at", "1,1", "--days", "1", "--names", "names.txt"],
            2,
            "names for 2 days",
        ),
        (&["show", absent], 4, "Not found"),
        (&["show", &id, "--day", "3"], 4, "the trip has 2 days"),
        (&["stop", "remove", &id, "1", "Nowhere"], 4, "no stop “Nowhere”"),
        (&["create", "trip.json"], 5, &*format!("its id is {id}")),
        (&["create", "invalid.json"], 7, "`destination.name`"),
        (&["create", "unknown.json"], 7, "titel"),
        (&["create", "broken.json"], 7, "broken.json: not JSON"),
        (&["create", "absent.json"], 1, "absent.json"),
        (&["explore", "--region", "Atlantis"], 7, "`--region`"),
        (&["stop", "add", &id, "1", "Café", "--time", "25:00"], 7, "`--time`"),
        (&["--server", "http://127.0.0.1:1", "list"], 8, "cannot reach http://127.0.0.1:1"),
        (&["--server", "http://192.0.2.1", "list"], 2, "--allow-insecure-http"),
        (&["--server", "trips.example", "list"], 2, "invalid base URL"),
        (&["--token", "wrong", "list"], 3, "itinerary login"),
    ] {
        std::fs::write(ana.file("trip.json"), super::weekend().to_string()).expect("a file");
        std::fs::write(ana.file("names.txt"), "a\n\nb\n").expect("a file");
        std::fs::write(ana.file("broken.json"), "{").expect("a file");
        let mut invalid = super::weekend();
        invalid["destination"]["name"] = json!("");
        std::fs::write(ana.file("invalid.json"), invalid.to_string()).expect("a file");
        let mut unknown = super::weekend();
        unknown["titel"] = json!("");
        std::fs::write(ana.file("unknown.json"), unknown.to_string()).expect("a file");
        let said = ana.fail(arguments, code).await;
        assert!(said.contains(word), "{arguments:?}: {said}");
    }
    for arguments in [&["dance"][..], &["show"], &["show", &id, "--day", "0"], &["--profile", "../x", "list"], &[]] {
        let output = ana.run(arguments, "").await;
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
    // Errors are JSON for scripts, those of the arguments too.
    for (arguments, message) in [
        (&["dance", "--json"][..], "unrecognized subcommand 'dance'"),
        (&["list", "--limit", "0", "--json"], "invalid value '0' for '--limit <NUMBER>': 0 is not in 1..=100000"),
        (
            &["export", &id, "--json"],
            "the following required arguments were not provided: <--format <FORMAT>|--output <FILE>>",
        ),
    ] {
        let output = ana.run(arguments, "").await;
        let error: Value = serde_json::from_str(&stderr(&output)).expect("one line of JSON");
        assert_eq!((&error["error"]["exitCode"], &error["error"]["message"]), (&json!(2), &json!(message)));
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
    }
    let nobody = Person::signed_out(&world.base_url);
    assert!(nobody.fail(&["list"], 3).await.contains(&format!("itinerary login --server {}", world.base_url)));
}

#[tokio::test(flavor = "multi_thread")]
async fn forbidden_operations_exit_with_code_6() {
    let world = world().await;
    let ana = Person::of(&world, "ana").await;
    let id = create(&ana).await;
    let reader =
        Person { token: Some(world.token("ana", "itineraries:read").await), ..Person::signed_out(&world.base_url) };
    reader.fail(&["like", &id], 6).await;
    let ben = Person::of(&world, "ben").await;
    ana.say(&["share", &id, "--add", "ben"]).await;
    ben.say(&["invitation", "accept", &id]).await;
    ben.fail(&["stop", "add", &id, "1", "Café"], 6).await;
    ben.fail(&["delete", &id, "--yes"], 6).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_are_json_too() {
    let world = world().await;
    let ana = Person::of(&world, "ana").await;
    let body = json!({ "destination": { "name": "", "coordinate": { "latitude": 1, "longitude": 1 } } });
    let output = ana.run(&["create", "-", "--json"], &body.to_string()).await;
    let error: Value = serde_json::from_str(&stderr(&output)).expect("JSON");
    let facts = json!([error["error"]["exitCode"], error["error"]["code"], error["error"]["field"]]);
    assert_eq!(facts, json!([7, "validationFailed", "destination.name"]));
    assert!(error["error"]["requestId"].is_string());
    assert_eq!((output.status.code(), output.stdout.len()), (Some(7), 0));
}
