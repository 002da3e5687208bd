//! `import`: bookings from files, reviewed in the terminal, become a trip or fill one.

use std::fs;

use itinerary_tests::{World, api_test};
use serde_json::{Value, json};
use tokio::process::Command;

use super::terminal::at_terminal;
use super::{PROGRAM, Person, stderr, stops};

/// A mail with JSON-LD, as an airline or a hotel sends it.
fn mail(booking: &Value) -> String {
    format!(
        "From: bookings@example.org\r\nDate: Mon, 1 Mar 2027 10:00:00 +0000\r\nSubject: Your booking\r\n\
         Content-Type: text/html; charset=utf-8\r\n\r\n<script type=\"application/ld+json\">{booking}</script>\
         <p>Thank you!</p>"
    )
}

fn flight() -> Value {
    json!({
        "@context": "http://schema.org", "@type": "FlightReservation", "reservationNumber": "X7KQ2P",
        "reservationFor": {
            "@type": "Flight", "flightNumber": "1689", "airline": { "@type": "Airline", "iataCode": "TP" },
            "departureAirport": { "@type": "Airport", "iataCode": "AMS" }, "departureTime": "2027-05-15T08:00:00",
            "arrivalAirport": { "@type": "Airport", "iataCode": "LIS" }, "arrivalTime": "2027-05-15T10:00:00",
        },
    })
}

fn hotel() -> Value {
    json!({
        "@context": "http://schema.org", "@type": "LodgingReservation", "reservationNumber": "H1",
        "checkinTime": "2027-05-15T15:00:00+01:00", "checkoutTime": "2027-05-18T11:00:00+01:00",
        "reservationFor": {
            "@type": "LodgingBusiness", "name": "Pensão Amor",
            "address": { "@type": "PostalAddress", "addressLocality": "Lisbon", "addressCountry": "PT" },
        },
    })
}

/// A table at a place that no town is known of.
fn table() -> Value {
    json!({
        "@context": "http://schema.org", "@type": "FoodEstablishmentReservation", "partySize": 2,
        "startTime": "2027-05-16T19:30:00+01:00",
        "reservationFor": { "@type": "FoodEstablishment", "name": "Zé da Mouraria" },
    })
}

/// The mails of a flight and a hotel in a folder, and the trip made from them.
async fn trip(ana: &Person) -> String {
    folder(ana);
    ana.say(&["import", "bookings", "--yes", "--quiet"]).await.trim_end().to_owned()
}

fn folder(ana: &Person) {
    fs::create_dir_all(ana.file("bookings")).expect("a folder");
    fs::write(ana.file("bookings/flight.eml"), mail(&flight())).expect("a file");
    fs::write(ana.file("bookings/hotel.eml"), mail(&hotel())).expect("a file");
}

/// The lines of a text with single spaces.
fn lines(text: &str) -> Vec<String> {
    text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

#[api_test(gazetteer = true)]
async fn a_folder_of_mails_becomes_a_trip(world: World) {
    let ana = Person::of(&world, "ana").await;
    folder(&ana);
    fs::write(ana.file("letter.txt"), "Dear Ana, thank you for your booking.").expect("a file");
    let said = ana.say(&["import", "bookings", "letter.txt", "--yes"]).await;
    let said = lines(&said);
    let expected = [
        "Lisbon, 15–18 May",
        "Lisbon · Sat 15 May 2027 · 4 days",
        "",
        "TIME BOOKING FILE",
        "added Sat 15 May 08:00 flight TP1689 AMS → LIS, arrives 10:00 · X7KQ2P flight.eml",
        "added Sat 15 May 15:00 hotel Pensão Amor, until Tue 18 May · H1 hotel.eml",
        "ignored The file has no booking in a format that is read (not recognised) letter.txt",
        "",
    ];
    assert_eq!(said[..expected.len()], expected);
    let trip = ana.json(&["show", "last"]).await;
    let id = trip["id"].as_str().expect("an id");
    let created = &said[expected.len()];
    assert!(created.starts_with("Created “Lisbon, 15–18 May” (Lisbon") && created.ends_with(id), "{created}");
    assert_eq!(trip["flights"][0]["departureDate"], "2027-05-15T08:00:00+02:00");
    assert_eq!(trip["hotels"][0]["confirmationNumber"], "H1");

    // The same trip again is probably a mistake.
    let output = ana.run(&["import", "bookings", "--yes"], "").await;
    assert_eq!(output.status.code(), Some(5));
    let failed = stderr(&output);
    assert!(failed.contains(id) && failed.contains("pass --into") && failed.contains("--allow-duplicate"), "{failed}");
    ana.say(&["import", "bookings", "--yes", "--allow-duplicate", "--quiet"]).await;
}

#[api_test(gazetteer = true)]
async fn importing_again_writes_nothing(world: World) {
    let ana = Person::of(&world, "ana").await;
    let id = trip(&ana).await;
    let before = ana.json(&["show", "last"]).await;
    let said = ana.say(&["import", "bookings", "--into", "last"]).await;
    assert_eq!(said.matches("unchanged").count(), 2, "{said}");
    assert!(said.ends_with("\n“Lisbon, 15–18 May” has all of this already: nothing was written.\n"), "{said}");
    assert_eq!(ana.say(&["import", "bookings", "--into", "last", "--yes", "-q"]).await, format!("{id}\n"));
    assert_eq!(ana.json(&["import", "bookings", "--into", "last", "--yes"]).await, before);
    assert_eq!(ana.json(&["show", "last"]).await, before);
}

#[api_test(gazetteer = true)]
async fn fields_that_differ_are_replaced_with_overwrite(world: World) {
    let ana = Person::of(&world, "ana").await;
    let id = trip(&ana).await;
    let mut later = hotel();
    later["checkoutTime"] = json!("2027-05-19T11:00:00+01:00");
    later["reservationFor"]["telephone"] = json!("+351 21 000");
    fs::write(ana.file("later.eml"), mail(&later)).expect("a file");
    let said = ana.say(&["import", "later.eml", "--into", &id, "--yes"]).await;
    for line in [
        "updated Sat 15 May 15:00 hotel Pensão Amor, until Tue 18 May · H1 later.eml",
        "check out date: Tue 18 May 2027 11:00 is kept; the file has Wed 19 May 2027 11:00",
        "phone number: none → +351 21 000",
        "Values that differ are kept; --overwrite replaces them.",
        &format!("Updated “Lisbon, 15–18 May”: {id}"),
    ] {
        assert!(lines(&said).iter().any(|found| found == line), "{line}: {said}");
    }
    let said = ana.say(&["import", "later.eml", "--into", &id]).await;
    assert!(said.ends_with("“Lisbon, 15–18 May” keeps its values: nothing was written.\n"), "{said}");
    let said = ana.say(&["import", "later.eml", "--into", &id, "--overwrite", "--yes"]).await;
    assert!(said.contains("check out date: Tue 18 May 2027 11:00 → Wed 19 May 2027 11:00\n"), "{said}");
    let hotels = ana.json(&["show", &id]).await["hotels"].take();
    assert_eq!(
        (&hotels[0]["checkOutDate"], &hotels[0]["phoneNumber"], hotels.as_array().map(Vec::len)),
        (&json!("2027-05-19T11:00:00+01:00"), &json!("+351 21 000"), Some(1))
    );
}

#[api_test(gazetteer = true)]
async fn a_mail_is_read_from_standard_input(world: World) {
    let ana = Person::of(&world, "ana").await;
    let id = trip(&ana).await;
    for arguments in [&["import", "--into", "last", "--yes"][..], &["import", "-", "--into", "last", "--yes"]] {
        let output = ana.run(arguments, &mail(&table())).await;
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{}", stderr(&output));
        assert!(said.contains("reservation Zé da Mouraria · restaurant · for 2  standard input"), "{said}");
    }
    let reservations = ana.json(&["show", &id]).await["reservations"].take();
    assert_eq!(reservations.as_array().map(Vec::len), Some(1), "{reservations}");
    assert!(ana.fail(&["import"], 2).await.contains("standard input is empty"));
}

#[api_test(gazetteer = true)]
async fn nothing_is_written_without_consent(world: World) {
    let ana = Person::of(&world, "ana").await;
    folder(&ana);
    // Without a terminal, what was found is shown all the same.
    let output = ana.run(&["import", "bookings"], "").await;
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stdout).contains("flight TP1689"));
    assert!(stderr(&output).contains("pass --yes to create the trip"), "{}", stderr(&output));
    for (response, is_created) in [("n\n", false), ("\n", false), ("\u{4}", false), ("y\n", true)] {
        let (code, seen) = at_terminal(ana.command(&["import", "bookings"]), 100, &[("[y/N]", response)]).await;
        assert_eq!(code, Some(0), "{seen}");
        assert!(seen.contains("Create this trip?") && seen.contains("flight TP1689"), "{seen}");
        assert_eq!(seen.contains("Nothing was written."), !is_created, "{seen}");
        assert_eq!(ana.say(&["list", "-q"]).await.lines().count(), usize::from(is_created), "{response:?}");
    }
    fs::write(ana.file("table.eml"), mail(&table())).expect("a file");
    assert!(ana.say(&["import", "table.eml", "--into", "last", "--dry-run"]).await.contains("added"));
    let import = || ana.command(&["import", "table.eml", "--into", "Lisbon"]);
    let (_, seen) = at_terminal(import(), 100, &[("[y/N]", "n\n")]).await;
    assert!(seen.contains("Update “Lisbon, 15–18 May”?") && seen.contains("Nothing was written."), "{seen}");
    assert!(ana.json(&["show", "last"]).await.get("reservations").is_none());
    let (code, seen) = at_terminal(import(), 100, &[("[y/N]", "y\n")]).await;
    assert!(code == Some(0) && seen.contains("Updated “Lisbon, 15–18 May”"), "{seen}");
}

#[api_test(gazetteer = true)]
async fn scripts_get_json(world: World) {
    let ana = Person::of(&world, "ana").await;
    folder(&ana);
    let found = ana.json(&["import", "bookings", "--dry-run"]).await;
    assert_eq!((&found["items"][0]["field"], &found["items"][0]["state"]), (&json!("flights[0]"), &json!("added")));
    let output = ana.run(&["import", "bookings", "--json"], "").await;
    let error: Value = serde_json::from_str(&stderr(&output)).expect("one line of JSON");
    assert_eq!((&error["error"]["exitCode"], output.status.code()), (&json!(2), Some(2)));
    assert_eq!(serde_json::from_slice::<Value>(&output.stdout).expect("JSON"), found);
    let trip = ana.json(&["import", "bookings", "--yes"]).await;
    assert_eq!(trip["flights"][0]["flightNumber"], "TP1689");
    fs::write(ana.file("table.eml"), mail(&table())).expect("a file");
    let updated = ana.json(&["import", "table.eml", "--into", "last", "--yes"]).await;
    assert_eq!((&updated["id"], &updated["reservations"][0]["partySize"]), (&trip["id"], &json!(2)));
}

#[api_test(gazetteer = true)]
async fn a_destination_that_no_file_says_is_asked_for(world: World) {
    let ana = Person::of(&world, "ana").await;
    fs::write(ana.file("table.eml"), mail(&table())).expect("a file");
    let output = ana.run(&["import", "table.eml", "--yes"], "").await;
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("pass --destination NAME"), "{}", stderr(&output));
    let responses = [("Where does the trip go?", "Lisbon, Portugal\n"), ("[y/N]", "y\n")];
    let (code, seen) = at_terminal(ana.command(&["import", "table.eml"]), 100, &responses).await;
    assert!(code == Some(0) && seen.contains("Created “"), "{seen}");
    assert_eq!(ana.json(&["show", "last"]).await["destination"]["name"], "Lisbon");
    let (code, seen) = at_terminal(ana.command(&["import", "table.eml"]), 100, &[("go?", "\n")]).await;
    assert!(code == Some(2) && seen.contains("a trip needs a destination"), "{seen}");

    let at = ["--destination", "Our cabin", "--at", "38.7,-9.1"];
    let made = ana.json(&[&["import", "table.eml", "--yes"][..], &at].concat()).await;
    assert_eq!(made["destination"]["name"], "Our cabin");
    for wrong in [&["--at", "1,1"][..], &["--overwrite"], &["--into", "last", "--destination", "x"]] {
        let output = ana.run(&[&["import", "table.eml"], wrong].concat(), "").await;
        assert_eq!(output.status.code(), Some(2), "{wrong:?}");
    }
}

#[api_test(gazetteer = true)]
async fn files_that_cannot_be_imported_are_refused(world: World) {
    let ana = Person::of(&world, "ana").await;
    folder(&ana);
    fs::write(ana.file("letter.txt"), "Dear Ana, thank you for your booking.").expect("a file");
    fs::write(ana.file("large.eml"), vec![b'x'; 5 * 1_048_576 + 1]).expect("a file");
    fs::create_dir(ana.file("empty")).expect("a folder");
    fs::create_dir(ana.file("many")).expect("a folder");
    for number in 0..21 {
        fs::write(ana.file(&format!("many/{number}.txt")), "x").expect("a file");
    }
    fs::create_dir(ana.file("heavy")).expect("a folder");
    for number in 0..5 {
        fs::write(ana.file(&format!("heavy/{number}.txt")), vec![b'x'; 4_500_000]).expect("a file");
    }
    for (arguments, code, word) in [
        (&["import", "absent.eml"][..], 1, "absent.eml: "),
        (&["import", "bookings", "absent.eml"], 1, "absent.eml: "),
        (&["import", "letter.txt"], 7, "`FILE` has nothing to import"),
        (&["import", "large.eml"], 7, "large.eml: larger than 5 MB"),
        (&["import", "empty"], 2, "empty: the folder has no files"),
        (&["import", "many"], 2, "21 files: at most 20 at once"),
        (&["import", "heavy"], 7, "larger than 20 MB together"),
        (&["import", "bookings", "--into", "Atlantis"], 4, "no trip of yours"),
        (&["import", "bookings", "--into", "01890000-0000-7000-8000-000000000000"], 4, "Not found"),
    ] {
        let said = ana.fail(arguments, code).await;
        assert!(said.contains(word), "{arguments:?}: {said}");
    }
    // Beside others, a file that is too large is ignored.
    let said = ana.say(&["import", "large.eml", "bookings", "--dry-run"]).await;
    assert!(said.contains("flight TP1689") && said.contains("more than 5 MB (too large)"), "{said}");
    let mut cancelled = table();
    cancelled["reservationStatus"] = json!("http://schema.org/ReservationCancelled");
    fs::write(ana.file("cancelled.eml"), mail(&cancelled)).expect("a file");
    let said = ana.say(&["import", "cancelled.eml", "--yes"]).await;
    assert!(
        said.contains("(cancelled)") && said.ends_with("There is nothing to import: nothing was written.\n"),
        "{said}"
    );
    assert_eq!(ana.say(&["list", "-q"]).await, "");
}

#[api_test(gazetteer = true)]
async fn viewers_do_not_import_and_editors_do(world: World) {
    let (ana, ben, vic) =
        (Person::of(&world, "ana").await, Person::of(&world, "ben").await, Person::of(&world, "vic").await);
    let id = trip(&ana).await;
    for (person, name, role) in [(&ben, "ben", "editor"), (&vic, "vic", "viewer")] {
        ana.say(&["share", &id, "--add", name, "--role", role, "-q"]).await;
        person.say(&["invitation", "accept", &id]).await;
        fs::write(person.file("table.eml"), mail(&table())).expect("a file");
    }
    vic.fail(&["import", "table.eml", "--into", &id, "--yes"], 6).await;
    assert!(ben.say(&["import", "table.eml", "--into", &id, "--yes"]).await.contains("Updated “"));
    let eve = Person::of(&world, "eve").await;
    fs::write(eve.file("table.eml"), mail(&table())).expect("a file");
    eve.fail(&["import", "table.eml", "--into", &id, "--yes"], 4).await;
}

// The other writes while the question is open.
#[api_test(gazetteer = true)]
async fn changes_of_others_are_merged(world: World) {
    let (ana, ben) = (Person::of(&world, "ana").await, Person::of(&world, "ben").await);
    let id = trip(&ana).await;
    ana.say(&["share", &id, "--add", "ben", "--role", "editor", "-q"]).await;
    ben.say(&["invitation", "accept", &id]).await;
    fs::write(ana.file("table.eml"), mail(&table())).expect("a file");
    let (home, token) = (ben.home.path().display(), ben.token.as_deref().expect("a token"));
    let script = format!(
        "(until grep -q added seen; do sleep 0.05; done\n\
         HOME={home} ITINERARY_TOKEN={token} {PROGRAM} stop add {id} 1 Castelo -q; echo ready >&2) &\n\
         exec {PROGRAM} import table.eml --into {id} > seen"
    );
    fs::write(ana.file("seen"), "").expect("a file");
    let mut shell = Command::new(ana.editor("both", &script));
    shell.env_clear().current_dir(ana.home.path()).env("HOME", ana.home.path()).kill_on_drop(true);
    shell.env("PATH", std::env::var("PATH").unwrap_or_default()).env("ITINERARY_SERVER", &ana.server);
    shell.env("ITINERARY_TOKEN", ana.token.as_deref().expect("a token"));
    let (code, seen) = at_terminal(shell, 100, &[("ready", "y\n")]).await;
    let said = fs::read_to_string(ana.file("seen")).expect("text");
    assert_eq!(code, Some(0), "{seen}{said}");
    assert!(said.contains("”, together with what others have changed meanwhile: "), "{said}");
    let merged = ana.json(&["show", &id]).await;
    assert_eq!((stops(&merged, 0), &merged["reservations"][0]["partySize"]), (vec!["Castelo"], &json!(2)));
}
