//! File names from devices and from attackers: they are shown, and never used as paths.

use std::collections::BTreeSet;
use std::path::Path;

use itinerary_tests::{Database, Sqlite, api_test};

use super::{ana, follow, listed, sealed_files, start, text, uploaded};
use itinerary_tests::forms::Form;

/// The spelling of a file name in the form, and the resulting name.
fn names() -> Vec<(String, String)> {
    let long = format!("{}.pdf.age", "x".repeat(4_000));
    let plain = [
        ("filename=\"boarding pass.age\"", "boarding pass.age"),
        ("filename=pass.age", "pass.age"),
        ("filename=\"搭乗券.age\"", "搭乗券.age"),
        ("filename=\"carte d'été.age\"", "carte d'été.age"),
        ("filename=\"a;b=c.age\"", "a;b=c.age"),
        ("filename=\"invoice\u{202e}fdp.exe\"", "invoicefdp.exe"),
        ("filename=\"\u{2066}visa\u{2069}.age\"", "visa.age"),
        ("filename=\"../../../escaped.age\"", "escaped.age"),
        ("filename=\"/etc/escaped.age\"", "escaped.age"),
        ("filename=\"..\"", "document"),
        ("filename=\"\"", "document"),
        ("filename=\"   \"", "document"),
        ("filename=\"50%.age\"", "50%.age"),
        // RFC 8187, which .NET sends besides the plain name and which takes precedence.
        ("filename=\"=?utf-8?B?5pCt?=\"; filename*=utf-8''%E6%90%AD%E4%B9%97%E5%88%B8.age", "搭乗券.age"),
        ("filename*=UTF-8'en'%c3%a9t%c3%a9.age", "été.age"),
        ("filename*=UTF-8''a%00b%0D%0ASet-Cookie:%20x=1.age", "abSet-Cookie: x=1.age"),
        ("filename*=UTF-8''..%2F..%2Fescaped.age", "escaped.age"),
        ("filename*=UTF-8''..%5C..%5Cescaped.age", "escaped.age"),
        ("filename*=UTF-8''a%22b%5Cc.age", "c.age"),
        ("filename=\"kept.age\"; filename*=UTF-8''%FF%FE.age", "kept.age"),
        ("filename=\"kept.age\"; filename*=iso-8859-1''%E9.age", "kept.age"),
    ];
    let plain = plain.map(|(written, kept)| (written.to_owned(), kept.to_owned()));
    let shortened = format!("{}.age", "x".repeat(196));
    plain.into_iter().chain([(format!("filename=\"{long}\""), shortened)]).collect()
}

/// The name in `Content-Disposition` (RFC 6266), as a browser reads it.
fn name_in(disposition: &str) -> String {
    let (_, extended) = disposition.split_once("filename*=UTF-8''").expect("an extended name");
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || "%-._~".contains(c);
    assert!(extended.chars().all(is_allowed), "{disposition}");
    let name = url::form_urlencoded::parse(format!("n={extended}").as_bytes()).next().expect("a name").1.into_owned();
    let fallback = disposition.strip_prefix("attachment; filename=\"").and_then(|rest| rest.split_once("\"; "));
    let (fallback, _) = fallback.unwrap_or_else(|| panic!("no quoted name: {disposition}"));
    assert!(fallback.chars().all(|c| matches!(c, ' '..='~') && !matches!(c, '"' | '\\')), "{disposition}");
    assert_eq!(fallback.chars().count(), name.chars().count(), "{disposition}");
    name
}

#[api_test]
async fn odd_names_are_kept_harmless(database: Database) {
    let Some(world) = start(database).await else { return };
    let (ana, at) = ana(&world).await;
    let others = others(&world.data());
    for (written, kept) in names() {
        let form = Form::new().file_as(&written, sealed_files::age(300)).end();
        let document = uploaded(&ana, &at.id, form).await;
        assert_eq!(document["name"], kept, "{written}");
        let entry = listed(&ana, &at.id).await.pop().expect("it was added at the end");
        assert_eq!(entry["file"]["name"], kept, "{written}");
        let path = text(&entry["file"]["path"]);
        assert!(path.contains(&text(&document["id"])) && !path.contains(".."), "{path} is of the server's making");
        let response = follow(&world, &text(&document["url"])).await;
        assert_eq!(response.status, 200, "{written}");
        assert_eq!(name_in(response.header("content-disposition")), kept, "{written}");
        assert_eq!(response.header("set-cookie"), "");
    }
    // Every file is in the folder of documents, and its name is an id.
    let files = super::files(&world.data());
    assert_eq!(files.len(), names().len());
    assert!(files.iter().all(|name| name.parse::<uuid::Uuid>().is_ok()), "{files:?}");
    assert_eq!(self::others(&world.data()), others);
    for above in world.data().ancestors() {
        assert!(!above.join("escaped.age").exists() && !above.join("etc/escaped.age").exists());
    }
}

/// The other files of a data folder, except for those that SQLite keeps beside its file.
fn others(folder: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.display().to_string();
            match () {
                () if path.is_dir() && !path.ends_with("files/documents") => folders.push(path),
                () if path.is_dir() || name.contains("itinerary.db") => {}
                () => assert!(found.insert(name)),
            }
        }
    }
    found
}

// A name with bytes that a header cannot contain makes the form malformed.
#[tokio::test(flavor = "multi_thread")]
async fn a_name_with_control_characters_is_refused() {
    let Some(world) = start(Sqlite).await else { return };
    let (ana, at) = ana(&world).await;
    let before = super::Before::of(&ana, &at.id).await;
    for written in ["filename=\"a\0b.age\"", "filename=\"a\nb.age\"", "filename=\"a\r\nX: 1\r\n\r\nb.age\""] {
        let form = Form::new().file_as(written, sealed_files::age(300)).end();
        let response = super::upload(&ana, &at.id, form).await;
        assert_eq!(response.status, 422, "{written:?}: {}", response.text());
        before.expect_unchanged(&ana, written).await;
    }
}
