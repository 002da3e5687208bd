//! The command `edit`, with scripts as editors.

use std::fs;

use itinerary_tests::World;
use serde_json::json;

use super::terminal::at_terminal;
use super::{Person, create, mode, stderr, stops, world};

/// Two editors of one trip.
async fn two(world: &World) -> (Person, Person, String) {
    let (ana, ben) = (Person::of(world, "ana").await, Person::of(world, "ben").await);
    let id = create(&ana).await;
    ana.say(&["share", &id, "--add", "ben", "--role", "editor", "-q"]).await;
    ben.say(&["invitation", "accept", &id]).await;
    (ana, ben, id)
}

/// An editor that lets the other person make a change before it makes its own, the first time.
fn slow_editor(ana: &Person, ben: &Person, id: &str, theirs: &str, mine: &str) -> String {
    let other = ben.editor("other", &format!("sed -i '{theirs}' \"$1\""));
    let (token, program) = (ben.token.as_deref().expect("a token"), super::PROGRAM);
    let meanwhile =
        format!("HOME={} ITINERARY_TOKEN={token} EDITOR={other} {program} edit {id}", ben.home.path().display());
    let seen = ana.file("seen").display().to_string();
    ana.editor("slow", &format!("[ -e {seen} ] && exit 0\ntouch {seen}\n{meanwhile}\nsed -i '{mine}' \"$1\""))
}

#[tokio::test(flavor = "multi_thread")]
async fn only_edited_fields_are_sent() {
    let world = world().await;
    let ana = Person::of(&world, "ana").await;
    let id = create(&ana).await;
    let before = ana.json(&["show", &id]).await;
    // The editor may have arguments, and what it gets is readable by its owner only.
    let editor = ana.editor("editor", "stat -c %a \"$2\" > mode; cp \"$2\" seen; sed -i \"$1\" \"$2\"");
    let mut command = ana.command(&["edit", &id]);
    command
        .env("EDITOR", "false")
        .env("VISUAL", format!("{editor} 's/A weekend/Two days/; s/\"Sé\"/\"Sé de Lisboa\"/'"));
    let output = itinerary_tests::program::run(command, "").await;
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "Stored “Two days in Lisbon”.\n");
    let after = ana.json(&["show", &id]).await;
    assert_eq!((&after["title"], stops(&after, 0)[1]), (&json!("Two days in Lisbon"), "Sé de Lisboa"));
    assert_eq!((&after["days"][0]["legs"][0], &after["days"][1]), (&before["days"][0]["legs"][0], &before["days"][1]));
    assert_eq!(fs::read_to_string(ana.file("mode")).expect("a mode"), "600\n");
    let seen = fs::read_to_string(ana.file("seen")).expect("a text");
    assert!(!seen.contains("createdAt") && seen.contains("  \"title\": \"A weekend in Lisbon\",\n"), "{seen}");
    assert!(ana.drafts().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_that_changes_nothing_sends_nothing() {
    let world = world().await;
    let ana = Person::of(&world, "ana").await;
    let id = create(&ana).await;
    let before = ana.say(&["show", &id, "--json"]).await;
    let mut command = ana.command(&["edit", &id]);
    command.env("EDITOR", "true");
    assert_eq!(itinerary_tests::program::succeed(command, "").await, "Nothing was changed.\n");
    let said = ana.fail(&["edit", &id], 2).await;
    assert!(said.contains("set VISUAL or EDITOR"), "{said}");
    assert_eq!(ana.say(&["show", &id, "--json"]).await, before);
    assert!(ana.drafts().is_empty());
}

// Legs of the old order are dropped, because the server would reject them; the server computes new ones.
#[tokio::test(flavor = "multi_thread")]
async fn a_stop_that_moves_leaves_its_legs() {
    let world = world().await;
    let ana = Person::of(&world, "ana").await;
    let id = create(&ana).await;
    let swap = "s/\"Castelo\"/\"X\"/; s/\"Fado\"/\"Castelo\"/; s/\"X\"/\"Fado\"/; s/\"id\": \"a\"/\"id\": \"z\"/; \
         s/\"id\": \"c\"/\"id\": \"a\"/; s/\"id\": \"z\"/\"id\": \"c\"/";
    let editor = ana.editor("editor", &format!("sed -i '{swap}' \"$1\""));
    let mut command = ana.command(&["edit", &id, "-q"]);
    command.env("EDITOR", editor);
    assert_eq!(itinerary_tests::program::succeed(command, "").await, "");
    let trip = ana.json(&["show", &id]).await;
    assert_eq!(stops(&trip, 0), ["Fado", "Sé", "Castelo"]);
    let legs = trip["days"][0]["legs"].as_array().expect("legs");
    assert!(legs.iter().all(|leg| leg["source"] == "estimate"), "{legs:?}");
}

// Without a terminal there is nobody to ask: both values are shown, and the text is kept.
#[tokio::test(flavor = "multi_thread")]
async fn a_conflict_keeps_the_text() {
    let world = world().await;
    let (ana, ben, id) = two(&world).await;
    let editor = slow_editor(&ana, &ben, &id, "s/A weekend/Two days/", "s/A weekend/48 hours/");
    let mut command = ana.command(&["edit", &id]);
    command.env("EDITOR", editor);
    let output = itinerary_tests::program::run(command, "").await;
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(5), "{said}");
    let values = "title\n  before  \"A weekend in Lisbon\"\n  theirs  \"Two days in Lisbon\"\n  yours   \"48 hours in Lisbon\"\n";
    assert!(said.contains(values) && said.contains("others have changed the same: title;"), "{said}");
    assert_eq!(ana.json(&["show", &id]).await["title"], "Two days in Lisbon");
    let drafts = ana.drafts();
    let [draft] = &drafts[..] else { panic!("{drafts:?}") };
    assert!(said.trim_end().ends_with(&draft.display().to_string()), "{said}");
    assert!(fs::read_to_string(draft).expect("a text").contains("48 hours in Lisbon"));
    assert_eq!((mode(draft), mode(draft.parent().expect("a folder"))), (0o600, 0o700));
}

#[tokio::test(flavor = "multi_thread")]
async fn conflicts_of_two_fields_are_listed_in_json() {
    let world = world().await;
    let (ana, ben, id) = two(&world).await;
    let [theirs, mine] =
        ["Two days", "48 hours"].map(|title| format!("s/A weekend/{title}/; s/\"Castelo\"/\"{title}\"/"));
    let editor = slow_editor(&ana, &ben, &id, &theirs, &mine);
    let mut command = ana.command(&["edit", &id, "--json"]);
    command.env("EDITOR", editor);
    let output = itinerary_tests::program::run(command, "").await;
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(5), "{said}");
    let error: serde_json::Value = serde_json::from_str(&said).expect("one line of JSON");
    let expected = json!([
        { "path": "days[id=d1].stops[id=a].name", "base": "Castelo", "current": "Two days", "yours": "48 hours" },
        { "path": "title", "base": "A weekend in Lisbon", "current": "Two days in Lisbon", "yours": "48 hours in Lisbon" },
    ]);
    let mut conflicts = error["error"]["conflicts"].as_array().expect("conflicts").clone();
    conflicts.sort_by_key(|conflict| conflict["path"].to_string());
    assert_eq!(json!(conflicts), expected);
    assert_eq!(ana.drafts().len(), 1);
}

// Nobody is asked: the server merges what the two have changed.
#[tokio::test(flavor = "multi_thread")]
async fn changes_of_different_stops_are_merged() {
    let world = world().await;
    let (ana, ben, id) = two(&world).await;
    let editor =
        slow_editor(&ana, &ben, &id, "s/\"Fado\"/\"Fado with Ben\"/", "s/\"Castelo\"/\"Castelo de São Jorge\"/");
    let mut command = ana.command(&["edit", &id]);
    command.env("EDITOR", editor);
    let said = itinerary_tests::program::succeed(command, "").await;
    // The other's line comes first, since the editor runs their program.
    assert!(
        said.ends_with("\nStored “A weekend in Lisbon”, together with what others have changed meanwhile.\n"),
        "{said}"
    );
    assert_eq!(stops(&ana.json(&["show", &id]).await, 0), ["Castelo de São Jorge", "Sé", "Fado with Ben"]);
    assert!(ana.drafts().is_empty());
}

// At a terminal, the next text is based on their version, and the person chooses.
#[tokio::test(flavor = "multi_thread")]
async fn a_conflict_is_resolved_in_the_editor() {
    let world = world().await;
    let (ana, ben, id) = two(&world).await;
    let theirs = "s/A weekend/Two days/; s/\"Fado\"/\"Fado with Ben\"/";
    let slow = slow_editor(&ana, &ben, &id, theirs, "s/A weekend/48 hours/; s/\"Castelo\"/\"Castle\"/");
    let mine = "sed -i '/^<<<<<<</d; /^|||||||/,/^>>>>>>>/d' \"$1\"";
    let editor = ana.editor("choosing", &format!("{slow} \"$1\"\n{mine}"));
    let mut command = ana.command(&["edit", &id]);
    command.env("EDITOR", editor);
    let (code, seen) = at_terminal(command, 100, &[("[Y/n]", "y\n")]).await;
    assert_eq!(code, Some(0), "{seen}");
    assert!(seen.contains("theirs") && seen.contains("Stored “48 hours in Lisbon”."), "{seen}");
    assert_eq!(stops(&ana.json(&["show", &id]).await, 0), ["Castle", "Sé", "Fado with Ben"]);
    assert!(ana.drafts().is_empty());
}

// Changes of the same line are left to the editor, between markers, which are not sent.
#[tokio::test(flavor = "multi_thread")]
async fn a_conflict_in_one_line_has_markers() {
    let world = world().await;
    let (ana, ben, id) = two(&world).await;
    let editor = slow_editor(&ana, &ben, &id, "s/A weekend/Two days/", "s/A weekend/48 hours/");
    let mut command = ana.command(&["edit", &id]);
    command.env("EDITOR", editor);
    let (code, seen) = at_terminal(command, 100, &[("[Y/n]", "\n"), ("[Y/n]", "n\n")]).await;
    assert_eq!(code, Some(7), "{seen}");
    assert!(seen.contains("the text has conflicts"), "{seen}");
    assert_eq!(ana.json(&["show", &id]).await["title"], "Two days in Lisbon");
    let text = fs::read_to_string(&ana.drafts()[0]).expect("a text");
    assert!(text.contains("Two days in Lisbon") && text.contains("48 hours in Lisbon"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn failed_edit_keeps_the_draft() {
    let world = world().await;
    let ana = Person::of(&world, "ana").await;
    let id = create(&ana).await;
    for (script, code, word) in [
        ("echo '{\"title\": ' > \"$1\"", 7, "not JSON"),
        ("echo '[]' > \"$1\"", 7, "object"),
        ("sed -i 's/\"title\"/\"titel\"/' \"$1\"", 7, "titel"),
        ("sed -i 's/\"A weekend in Lisbon\"/\"\"/' \"$1\"", 7, "title"),
        ("exit 3", 1, "the editor"),
    ] {
        let mut command = ana.command(&["edit", &id]);
        command.env("EDITOR", ana.editor("editor", script));
        let output = itinerary_tests::program::run(command, "").await;
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(code), "{script}: {said}");
        assert!(
            said.contains(word) && said.contains("your text is in ") && said.lines().count() == 1,
            "{script}: {said}"
        );
        assert_eq!(ana.drafts().len(), 1);
        fs::remove_file(&ana.drafts()[0]).expect("it was kept");
    }
    assert_eq!(ana.json(&["show", &id]).await["title"], "A weekend in Lisbon");
}
