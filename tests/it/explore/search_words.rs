//! Search words: matching across spellings, and invalid queries.

use itinerary_tests::app::App;
use itinerary_tests::bodies::{to, with};
use itinerary_tests::{World, api_test};
use serde_json::{Value, json};

use super::{account, explore, follow, found, page, published, q, sorted};

/// Titles in many scripts, each with queries that find it.
const TITLES: [(&str, &[&str]); 16] = [
    (
        "Slow days in São Tomé",
        &["sao", "SÃO TOMÉ", "sa\u{303}o tome\u{301}", "Sao tom", "tome slow", "são, tomé!", "  sao  "],
    ),
    ("Straßen und Brücken", &["strassen", "STRASSEN BRUCK", "straßen", "brücken"]),
    ("Smørrebrød på Ærø", &["smorrebrod", "SMØRREBRØD", "pa aero", "ærø"]),
    ("Łódź i Kraków", &["lodz", "łódź", "krakow lodz"]),
    ("D'Orsay & co: l'été", &["d orsay", "D'Orsay", "d’orsay", "l ete", "été"]),
    ("Прогулки по Москве", &["прогулки", "МОСКВЕ", "моск", "по прогулки", "moskve"]),
    ("Αθήνα και Ύδρα", &["αθήνα", "ΑΘΉΝΑ", "αθηνα", "ύδρα αθή"]),
    ("東京 京都 散歩", &["東京", "京都", "散歩 東京", "東京散歩", "京"]),
    ("서울 여행", &["서울", "여행 서울"]),
    ("رحلة القاهرة", &["القاهرة", "رحلة"]),
    ("ירושלים העתיקה", &["ירושלים"]),
    ("The end of the world", &["the", "of the", "end of", "the world", "worl"]),
    ("Walking 007 and 24h", &["007", "24h", "24", "walk", "walking 007", "00"]),
    ("antidisestablishmentarianism", &["a", "antidisestab", "antidisestabl", "antidisestablishmentarianis"]),
    ("Twelveletter", &["twelveletter", "TWELVELETTE", "twelveletter twelve"]),
    ("foo_bar-baz.qux/quux", &["foo", "bar", "baz qux", "foo_bar", "foo-bar.qux", "quux foo"]),
];

/// Queries that find none of the titles.
const NOTHING: [&str; 20] = [
    "sa tome",
    "omé",
    "sao tomes",
    "strasse und",
    "low days",
    "orsays",
    "lodzi",
    "моск прогулки",
    "тоск",
    "大阪",
    "東京 大阪",
    "부산",
    "walks",
    "worlds",
    "the end of the worlds",
    "0070",
    "foobar",
    "thee end",
    "ends",
    "slow walking",
];

// Case, accents and script make no difference. Every word must match; only the last may be a prefix.
#[api_test(limits = false)]
async fn words_are_found_however_they_are_written(world: World) {
    let (app, ben) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    follow(&ben, account(&world, "ana").await, true).await;
    let mut ids = Vec::new();
    for (title, _) in TITLES {
        ids.push(published(&app, &with(to("X", -40.0, -120.0), json!({ "title": title }))).await.id);
    }
    for ((title, words), id) in TITLES.iter().zip(&ids) {
        for text in words.iter().chain([title]) {
            assert!(found(&ben, &q(text)).await.contains(id), "{text:?} finds {title:?}");
            assert!(found(&ben, &format!("following=true&{}", q(text))).await.contains(id), "{text:?} finds {title:?}");
        }
    }
    for text in NOTHING {
        for mode in ["", "following=true&"] {
            assert_eq!(found(&ben, &format!("{mode}{}", q(text))).await, [""; 0], "{text:?}");
        }
    }
}

// In scripts without spaces, ideographs are also found after a syllabic sign.
#[api_test(limits = false)]
async fn words_that_are_written_together_are_found(world: World) {
    let app = App::of(&world, "ana").await;
    let one = published(&app, &with(to("X", -40.0, -120.0), json!({ "title": "京都の秋と紅葉" }))).await.id;
    for text in ["京都", "京都の秋", "秋", "紅葉", "秋 京都"] {
        assert_eq!(found(&app, &q(text)).await, [one.as_str()], "{text}");
    }
}

// Every prefix of a long word, although the index may contain only shorter ones.
#[api_test(limits = false)]
async fn every_beginning_of_the_last_word_finds_it(world: World) {
    let app = App::of(&world, "ana").await;
    let long = "antidisestablishmentarianism";
    let endless = "z".repeat(180);
    let title = json!({ "title": format!("Such {long}") });
    let one = published(&app, &with(to("X", -40.0, -120.0), title)).await.id;
    let other = published(&app, &with(to("X", -40.0, -120.0), json!({ "title": endless }))).await.id;
    for n in 1..=long.len() {
        for text in [long[..n].to_owned(), format!("such {}", &long[..n])] {
            assert_eq!(found(&app, &q(&text)).await, [one.as_str()], "{text}");
        }
        // Before another word it must match the whole word, of which twelve letters count.
        let expected: &[&str] = if n < 12 { &[] } else { &[&one] };
        assert_eq!(found(&app, &q(&format!("{} such", &long[..n]))).await, expected, "{n} letters, not last");
    }
    for other in ["antidisestablishmentarianisms", "antidisestabX"] {
        assert_eq!(found(&app, &q(other)).await, [one.as_str()], "{other}");
    }
    for other in ["antidisestax", "antidisestaxblishment"] {
        assert_eq!(found(&app, &q(other)).await, [""; 0], "{other}");
    }
    for n in [1, 12, 13, 39, 40, 41, 100, 180, 181, 200] {
        assert_eq!(found(&app, &q(&"z".repeat(n))).await, [other.as_str()], "{n} letters");
    }
}

// Title, summary, destination and its country, tags and names of stops, together and individually.
#[api_test(limits = false)]
async fn everything_that_is_told_of_the_trip_is_looked_through(world: World) {
    let app = App::of(&world, "ana").await;
    let body = with(
        to("Funchal", 32.6669, -16.9241),
        json!({
            "title": "Levadas", "summary": "First line\nsecond, with\tfog", "tags": ["slow food", "caf\u{e9}"],
            "days": [
                { "stops": [{ "name": "Mercado" }] },
                { "stops": [{ "name": "Farol" }, { "name": "Cabo Gir\u{e3}o" }] },
            ],
        }),
    );
    let one = published(&app, &body).await.id;
    published(&app, &with(to("Quito", -0.1807, -78.4678), json!({ "title": "Something else" }))).await;
    for text in [
        "levadas",
        "second",
        "fog",
        "funchal",
        "portugal",
        "slow food",
        "cafe",
        "mercado",
        "girao",
        "farol cabo",
        "levadas fog funchal portugal slow cafe mercado girao",
    ] {
        assert_eq!(found(&app, &q(text)).await, [one.as_str()], "{text}");
    }
    assert_eq!(found(&app, &q("levadas ecuador")).await, [""; 0]);
}

// More words than are indexed: those of the title and the destination are among the indexed ones.
#[api_test(limits = false)]
async fn an_itinerary_of_very_many_words_is_found_by_the_first(world: World) {
    let app = App::of(&world, "ana").await;
    let stop = |n: usize| json!({ "name": (0..6).map(|k| format!("w{}", n * 6 + k)).collect::<Vec<_>>().join(" ") });
    let days: Vec<_> =
        (0..8).map(|day| json!({ "stops": (day * 90..day * 90 + 90).map(stop).collect::<Vec<_>>() })).collect();
    let fields = json!({ "title": "Encyclopaedia", "tags": ["verbose"], "summary": "Epilogue", "days": days });
    let one = published(&app, &with(to("Funchal", 32.6669, -16.9241), fields)).await;
    for text in ["encyclopaedia", "funchal verbose", "portugal", "w0", "w5 encyclopaedia", "w900 w100"] {
        for mode in ["", "regions=Europe&"] {
            assert_eq!(found(&app, &format!("{mode}{}", q(text))).await, [one.id.as_str()], "{text}");
        }
    }
    app.patched(&one, &json!({ "days": [] })).await;
    assert_eq!(found(&app, "q=w0").await, [""; 0]);
    assert_eq!(found(&app, "q=epilogue").await, [one.id.as_str()]);
}

#[api_test(limits = false)]
async fn search_text_must_have_1_to_200_valid_characters(world: World) {
    let app = App::of(&world, "ana").await;
    for mode in ["", "&following=true", "&regions=Portugal"] {
        for bad in ["", "%00", "a%00b", "%01", "%1F", "a%7F", "%C2%85", "a&q=b"] {
            let response = explore(&app, &format!("q={bad}{mode}")).await;
            assert_eq!(response.status, 422, "{bad}{mode}: {}", response.text());
            response.expect_invalid("q");
        }
        for long in ["x".repeat(201), "\u{e9}".repeat(201), "\u{1f30a}".repeat(201), " ".repeat(201)] {
            explore(&app, &format!("{}{mode}", q(&long))).await.expect_invalid("q");
        }
        let words = ["one", "Two", "3"].repeat(100).join(" ")[..199].to_owned();
        let pairs = (10..76).map(|n| n.to_string()).collect::<Vec<_>>().join(" ");
        let kanji: String = ('\u{4e00}'..).take(200).collect();
        for good in [
            "x".repeat(200),
            "\u{e9}".repeat(200),
            "\u{1f30a}".repeat(200),
            "\u{fdfa}".repeat(200),
            words,
            pairs,
            kanji,
            "a\tb\nc".to_owned(),
        ] {
            let response = explore(&app, &format!("{}{mode}", q(&good))).await;
            assert_eq!(response.text(), r#"{"data":[],"nextCursor":null}"#, "{good}{mode}");
        }
    }
}

// Rather than everything.
#[api_test(limits = false)]
async fn query_without_words_returns_an_empty_page(world: World) {
    let (app, ben) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    follow(&ben, account(&world, "ana").await, true).await;
    let one = published(&app, &to("Lisboa", 38.7223, -9.1393)).await.id;
    for text in [
        " ", "?!", "*", "%", "_", "\"", "'", "\\", "--", ":", "&|!", "()", "{}", "\u{301}", "\u{2014}", "\u{200b}",
        "\n",
    ] {
        for mode in ["", "&following=true", "&regions=Portugal", "&limit=1"] {
            let page = page(&ben, &format!("{}{mode}", q(text))).await;
            assert_eq!(page, json!({ "data": [], "nextCursor": Value::Null }), "{text:?}{mode}");
        }
    }
    assert_eq!(sorted(found(&ben, "q=lisboa").await), [one]);
}
