//! The commands `history` and `restore`.

use serde_json::{Value, json};

use super::{Person, create, stops, world};

#[tokio::test(flavor = "multi_thread")]
async fn history_says_who_changed_what() {
    let world = world().await;
    let (ana, ben) = (Person::of(&world, "ana").await, Person::of(&world, "ben").await);
    let id = create(&ana).await;
    ana.say(&["share", &id, "--add", "ben", "--role", "editor", "-q"]).await;
    ben.say(&["invitation", "accept", &id]).await;
    ben.say(&["stop", "add", &id, "2", "Jerónimos", "-q"]).await;
    ana.say(&["stop", "move", &id, "1", "Sé", "--to-day", "2", "-q"]).await;

    let said = ana.say(&["history", &id]).await;
    let lines: Vec<_> = said.lines().collect();
    let columns: Vec<_> = lines[0].split_whitespace().collect();
    assert_eq!(columns, ["VERSION", "WHEN", "BY", "APP", "CHANGES"]);
    assert!(lines[1].trim_start().starts_with('3') && lines[1].contains("@ana"), "{said}");
    assert!(lines[1].contains("stop “Sé” moved"), "{said}");
    assert!(lines[2].contains("@ben") && lines[2].contains("day 2, stop “Jerónimos” added"), "{said}");
    assert!(lines[3].contains("10 Jan 2027") && lines[3].trim_end().ends_with("created"), "{said}");

    let said = ana.say(&["history", &id, "--json"]).await;
    let versions: Vec<Value> = said.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(versions.iter().map(|version| version["version"].clone()).collect::<Vec<_>>(), [3, 2, 1]);
    assert_eq!(versions[1]["by"]["username"], "ben");
    assert!(versions[1]["changes"].as_array().is_some_and(|changes| !changes.is_empty()));
    assert_eq!(ana.say(&["history", &id, "--quiet", "-n", "2"]).await, "3\n2\n");
    // An editor sees the versions since joining.
    assert_eq!(ben.say(&["history", &id, "--quiet"]).await, "3\n2\n1\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn restore_makes_a_new_version() {
    let world = world().await;
    let ana = Person::of(&world, "ana").await;
    let id = create(&ana).await;
    ana.say(&["stop", "remove", &id, "1", "Sé", "-q"]).await;
    let said = ana.say(&["restore", &id, "1"]).await;
    assert_eq!(said, "Restored version 1 of “A weekend in Lisbon”.\n");
    let trip = ana.json(&["show", &id]).await;
    assert_eq!(stops(&trip, 0), ["Castelo", "Sé", "Fado"]);
    assert!(ana.say(&["history", &id, "-n", "1"]).await.contains("version 1 restored"));
    let restored = ana.json(&["restore", &id, "2"]).await;
    assert_eq!((&restored["id"], stops(&restored, 0)), (&json!(id), vec!["Castelo", "Fado"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_version_that_is_gone_is_not_restored() {
    let world = world().await;
    let (ana, ben) = (Person::of(&world, "ana").await, Person::of(&world, "ben").await);
    let id = create(&ana).await;
    let said = ana.fail(&["restore", &id, "7"], 4).await;
    assert!(said.contains("version 7 is not kept: see `itinerary history`"), "{said}");
    let output = ana.run(&["restore", &id, "0"], "").await;
    assert_eq!(output.status.code(), Some(2));
    ben.fail(&["restore", &id, "1"], 4).await;
    ben.fail(&["history", &id], 4).await;
    assert_eq!(ana.say(&["history", &id, "--quiet"]).await, "1\n");
}
