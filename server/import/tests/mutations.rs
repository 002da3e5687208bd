//! Damaged files: readers never panic, and stay within the limits.

use std::cell::Cell;

use chrono::NaiveDate;
use itinerary_import::budget::{MAX_ENTRIES, MAX_ITEMS};
use itinerary_import::file::File;
use itinerary_import::readers::json_ld;
use itinerary_import::{Budget, read};
use proptest::prelude::*;

/// The project's own samples of all formats.
fn samples() -> Vec<Vec<u8>> {
    let folders = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/samples")).unwrap();
    let mut paths: Vec<_> = folders
        .flat_map(|folder| std::fs::read_dir(folder.unwrap().path()).unwrap())
        .map(|file| file.unwrap().path())
        .collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).unwrap()).collect()
}

/// What happens to a sample. Positions are shares of its length.
#[derive(Clone, Debug)]
enum Damage {
    Set(f64, u8),
    Remove(f64, usize),
    Repeat(f64, usize, usize),
    Insert(f64, &'static str),
    Swap(f64, f64, usize),
    Cut(f64),
}

fn damage() -> impl Strategy<Value = Damage> {
    let words = prop::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "\\",
        "\\u",
        "\0",
        "<div itemscope>",
        "<!--",
        "-->",
        "<script type=application/ld+json>",
        "</script>",
        "<table>",
        "<b>",
        "<p>",
        "&quot;",
        "=",
        "--",
        "\r\n\r\n",
        "Content-Type: message/rfc822\r\n\r\n",
        "=?utf-8?B?",
        "\u{fffd}",
        "ß",
        "\"@id\": \"#a\",",
        "1e999",
        "9999-12-31T24:00:00+15:00",
        "\"@type\": \"Event\",",
        "<svg>",
        "<template>",
    ]);
    prop_oneof![
        (0.0..1.0, any::<u8>()).prop_map(|(at, byte)| Damage::Set(at, byte)),
        (0.0..1.0, 1..200_usize).prop_map(|(at, length)| Damage::Remove(at, length)),
        (0.0..1.0, 1..200_usize, 2..50_usize).prop_map(|(at, length, count)| Damage::Repeat(at, length, count)),
        (0.0..1.0, words).prop_map(|(at, word)| Damage::Insert(at, word)),
        (0.0..1.0, 0.0..1.0, 1..200_usize).prop_map(|(from, to, length)| Damage::Swap(from, to, length)),
        (0.0..1.0).prop_map(Damage::Cut),
    ]
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "shares of short files"
)]
fn position(content: &[u8], share: f64) -> usize {
    (content.len() as f64 * share) as usize
}

fn apply(content: &mut Vec<u8>, damage: &Damage) {
    let end = |at: usize, length: usize, content: &[u8]| (at + length).min(content.len());
    match *damage {
        Damage::Set(at, byte) => {
            let at = position(content, at);
            if let Some(old) = content.get_mut(at) {
                *old = byte;
            }
        }
        Damage::Remove(at, length) => {
            let at = position(content, at);
            content.drain(at..end(at, length, content));
        }
        Damage::Repeat(at, length, count) => {
            let at = position(content, at);
            let part = content[at..end(at, length, content)].repeat(count);
            content.splice(at..at, part);
        }
        Damage::Insert(at, word) => {
            let at = position(content, at);
            content.splice(at..at, word.bytes());
        }
        Damage::Swap(from, to, length) => {
            let from = position(content, from);
            let part: Vec<u8> = content.drain(from..end(from, length, content)).collect();
            let to = position(content, to);
            content.splice(to..to, part);
        }
        Damage::Cut(at) => content.truncate(position(content, at)),
    }
}

fn check(content: &[u8], media_type: Option<&str>) -> Result<(), TestCaseError> {
    let looks = Cell::new(0_u32);
    let probe = || {
        looks.set(looks.get() + 1);
        false
    };
    let file = File { name: "sample", media_type, content };
    let reading = read(&file, NaiveDate::default(), &mut Budget::new(&probe));
    let items: usize = reading.found.iter().map(|(_, found)| found.bookings.len() + found.waypoints.len()).sum();
    prop_assert!(items <= MAX_ITEMS as usize);
    prop_assert!(reading.found.len() <= MAX_ENTRIES as usize);
    prop_assert!(!reading.found.is_empty() || !reading.ignored.is_empty(), "nothing found and no reason");
    prop_assert!(looks.get() < 200_000, "{} steps", looks.get());
    // A probe that stops at once ends everything.
    let stopped = read(&file, NaiveDate::default(), &mut Budget::new(&|| true));
    prop_assert!(stopped.found.is_empty());
    Ok(())
}

fn media_type() -> impl Strategy<Value = Option<&'static str>> {
    prop::sample::select(vec![
        None,
        Some("text/html"),
        Some("message/rfc822"),
        Some("application/ld+json"),
        Some("text/plain; charset=utf-16"),
    ])
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_samples_stay_within_the_limits(
        index in any::<prop::sample::Index>(), damages in prop::collection::vec(damage(), 1..12), media_type in media_type()
    ) {
        let samples = samples();
        let mut content = index.get(&samples).clone();
        for damage in &damages {
            apply(&mut content, damage);
        }
        check(&content, media_type)?;
    }

    #[test]
    fn any_bytes_are_read(content in prop::collection::vec(any::<u8>(), 0..600), media_type in media_type()) {
        check(&content, media_type)?;
    }

    #[test]
    fn valid_json_is_not_changed(text in "[a-z\"\\\\/,:{}\\[\\] \u{1}\n\u{e9}]{0,40}", number in any::<i64>()) {
        let value = serde_json::json!([{"text": text, "number": number}, [null, text]]);
        prop_assert_eq!(json_ld::values(&value.to_string()).unwrap(), vec![value.clone()]);
        // Repaired: a trailing comma, and nothing else.
        let broken = value.to_string().replace(r#""number":"#, r#","number":"#).replace("]]", ",]]");
        if !text.contains(']') && !text.contains('"') {
            prop_assert_eq!(json_ld::values(&broken).unwrap(), vec![value]);
        }
    }
}
