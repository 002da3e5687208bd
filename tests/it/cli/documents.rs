//! `documents`: sealed on this machine, stored, fetched and opened again.

use std::fs;

use itinerary_tests::sealed_files;
use serde_json::{Value, json};

use super::{Person, create, mode, stderr, world};

/// An identity of age and its recipient.
fn key(person: &Person) -> String {
    use itinerary_sdk::age::secrecy::ExposeSecret as _;
    let identity = itinerary_sdk::age::x25519::Identity::generate();
    let text = format!("# created: today\n# public key: …\n{}\n", identity.to_string().expose_secret());
    fs::write(person.file("key.txt"), text).expect("a file");
    identity.to_public().to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_is_sealed_stored_and_opened() {
    let world = world().await;
    let ana = Person::pro(&world, "ana").await;
    let id = create(&ana).await;
    assert!(ana.say(&["documents", "last"]).await.starts_with("No documents."));
    let recipient = key(&ana);
    fs::write(ana.file("pass.pdf"), "BOARDING PASS").expect("a file");
    let add = ["documents", "add", "last", "pass.pdf", "--recipient", &recipient, "--category", "boardingPass"];
    let said = ana.say(&add).await;
    assert!(said.starts_with("Added “pass.pdf”, ") && said.ends_with(" bytes sealed.\n"), "{said}");

    let listed = ana.say(&["documents", "last"]).await;
    assert!(listed.contains("1  pass.pdf  boarding pass  pass.pdf.age"), "{listed}");
    let document: Value = ana.json(&["documents", "last"]).await;
    assert_eq!((&document["name"], &document["category"]), (&json!("pass.pdf"), &json!("boardingPass")));
    assert_eq!(ana.say(&["documents", &id, "-q"]).await.trim_end(), document["id"]);

    // It is fetched sealed, or opened with the identity.
    ana.say(&["documents", "get", "last", "pass"]).await;
    let sealed = fs::read(ana.file("pass.pdf.age")).expect("a file");
    assert!(sealed.starts_with(b"age-encryption.org/v1\n"));
    let said = ana.say(&["documents", "get", "last", "1", "--identity", "key.txt", "-o", "opened.pdf"]).await;
    assert_eq!(said, "Wrote 13 bytes to opened.pdf.\n");
    assert_eq!(fs::read(ana.file("opened.pdf")).expect("a file"), b"BOARDING PASS");
    assert_eq!(mode(&ana.file("opened.pdf")), 0o600);
    // Nothing is replaced unless it is named.
    assert!(ana.fail(&["documents", "get", "last", "1", "--identity", "key.txt"], 2).await.contains("pass --output"));

    // Another key does not open it, and leaves no file.
    key(&ana);
    let wrong = ["documents", "get", "last", "1", "--identity", "key.txt", "-o", "wrong.pdf"];
    assert!(ana.fail(&wrong, 7).await.contains("not sealed to this key"));
    assert!(!ana.file("wrong.pdf").exists());
    fs::write(ana.file("key.txt"), "AGE-SECRET-KEY-NOT\n").expect("a file");
    let said = ana.fail(&wrong, 2).await;
    assert!(said.contains("--identity key.txt: not an identity of age") && !said.contains("SECRET"), "{said}");

    assert_eq!(ana.say(&["documents", "delete", "last", "pass"]).await, "Deleted “pass.pdf”.\n");
    ana.fail(&["documents", "delete", "last", "pass"], 4).await;
    ana.fail(&["documents", "get", "last", "1"], 4).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sealed_file_is_stored_as_it_is() {
    let world = world().await;
    let ana = Person::pro(&world, "ana").await;
    create(&ana).await;
    let sealed = sealed_files::age(300);
    fs::write(ana.file("visa.age"), &sealed).expect("a file");
    ana.say(&["documents", "add", "last", "visa.age", "--name", "Visa", "-q"]).await;
    ana.say(&["documents", "get", "last", "Visa", "--output", "copy.age"]).await;
    assert_eq!(fs::read(ana.file("copy.age")).expect("a file"), sealed);

    fs::write(ana.file("plain.pdf"), "PASSPORT").expect("a file");
    let said = ana.fail(&["documents", "add", "last", "plain.pdf"], 7).await;
    assert!(said.contains("--recipient age1"), "{said}");
    let said = ana.fail(&["documents", "add", "last", "visa.age", "--name", &"x".repeat(201)], 7).await;
    assert!(said.contains("`--name`"), "{said}");
    assert!(ana.fail(&["documents", "add", "last", "absent.pdf"], 1).await.contains("absent.pdf: "));
    for arguments in [
        &["documents"][..],
        &["documents", "add", "last", "visa.age", "--recipient", "age1wrong"],
        &["documents", "add", "last", "visa.age", "--category", "secret"],
    ] {
        let output = ana.run(arguments, "").await;
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{arguments:?}: {}", stderr(&output));
    }
    // A token without the scope says how to get one.
    let ben = Person::of(&world, "ben").await;
    let said = ben.fail(&["documents", "01890000-0000-7000-8000-000000000000"], 6).await;
    assert!(said.contains("documents:read") && said.contains("itinerary login"), "{said}");
}
