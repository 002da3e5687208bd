//! Syntax of search engines is treated as words or ignored.

use itinerary_tests::app::App;
use itinerary_tests::bodies::{to, with};
use itinerary_tests::{World, api_test};
use serde_json::json;

use super::{account, explore, follow, found, page, published, q, sorted};

/// Queries, each with the titles that it finds.
const ATTEMPTS: [(&str, &[&str]); 44] = [
    ("alpha OR beta", &["alpha or beta"]),
    ("alpha or bet", &["alpha or beta"]),
    ("alpha AND beta", &[]),
    ("alpha NOT beta", &[]),
    ("NOT alpha", &[]),
    ("alpha beta", &["alpha or beta"]),
    ("alpha*", &["alpha", "alpha or beta"]),
    ("alph*", &["alpha", "alpha or beta"]),
    ("al* beta", &[]),
    ("*", &[]),
    ("* OR *", &["alpha or beta"]),
    ("\"alpha\"", &["alpha", "alpha or beta"]),
    ("\"alpha beta\"", &["alpha or beta"]),
    ("\"beta alpha\"", &["alpha or beta"]),
    ("\"alpha", &["alpha", "alpha or beta"]),
    ("alpha\" OR \"beta", &["alpha or beta"]),
    ("alpha\" OR \"\" OR \"y", &[]),
    ("NEAR(alpha beta)", &[]),
    ("NEAR(", &["near"]),
    ("alpha NEAR/2 beta", &[]),
    ("alpha:*", &["alpha", "alpha or beta"]),
    ("alp:*", &["alpha", "alpha or beta"]),
    ("alpha:A", &["alpha", "alpha or beta"]),
    ("alpha & beta", &["alpha or beta"]),
    ("alpha && beta", &["alpha or beta"]),
    ("alpha | beta", &["alpha or beta"]),
    ("alpha || beta", &["alpha or beta"]),
    ("!alpha", &["alpha", "alpha or beta"]),
    ("-alpha", &["alpha", "alpha or beta"]),
    ("+alpha", &["alpha", "alpha or beta"]),
    ("^alpha", &["alpha", "alpha or beta"]),
    ("alpha <-> beta", &["alpha or beta"]),
    ("(alpha", &["alpha", "alpha or beta"]),
    ("alpha) OR (beta", &["alpha or beta"]),
    ("{words} : alpha", &[]),
    ("words:alpha", &[]),
    ("'; DROP TABLE explore; --", &[]),
    ("alpha'; --", &["alpha", "alpha or beta"]),
    ("alpha' OR '1'='1", &[]),
    ("alpha\\", &["alpha", "alpha or beta"]),
    ("$1 $2", &[]),
    ("_public", &[]),
    ("_1", &[]),
    ("_620 _150 _39", &[]),
];

// Operators, quotes, signs, and the words that the server itself stores beside those of travellers.
#[api_test(limits = false)]
async fn nothing_that_is_asked_for_is_taken_for_syntax(world: World) {
    let (app, ben) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    follow(&ben, account(&world, "ana").await, true).await;
    let mut titles = Vec::new();
    for title in ["alpha", "beta", "alpha or beta", "near"] {
        let body = with(to("X", 38.7223, -9.1393), json!({ "title": title }));
        titles.push((title, published(&app, &body).await.id));
    }
    for (text, expected) in ATTEMPTS {
        let expected = titles.iter().filter(|(title, _)| expected.contains(title));
        let expected = sorted(expected.map(|(_, id)| id.clone()));
        for mode in ["", "&following=true", "&regions=Portugal", "&following=true&regions=Europe"] {
            let query = format!("{}{mode}", q(text));
            assert_eq!(sorted(found(&ben, &query).await), expected, "{text}{mode}");
        }
    }
    assert_eq!(found(&ben, "").await.len(), 4, "everything is still there");
}

// The same for published text, which is as untrusted: it is found by its words, and does no harm.
#[api_test(limits = false)]
async fn nothing_that_is_published_is_taken_for_syntax(world: World) {
    let app = App::of(&world, "ana").await;
    let quiet = published(&app, &with(to("X", 38.7223, -9.1393), json!({ "title": "quiet" }))).await.id;
    for (n, (text, _)) in ATTEMPTS.into_iter().enumerate() {
        let days = json!([{ "stops": [{ "name": text }] }]);
        let body = json!({ "title": format!("{text} marker{n}"), "tags": [text], "summary": text, "days": days });
        let id = published(&app, &with(to(text, 38.7223, -9.1393), body)).await.id;
        assert_eq!(found(&app, &format!("q=marker{n}")).await, [id.as_str()], "{text}");
        let entry = page(&app, &format!("q=marker{n}")).await["data"][0].clone();
        assert_eq!((&entry["title"], &entry["tags"]), (&json!(format!("{text} marker{n}")), &json!([text])));
    }
    assert_eq!(found(&app, "q=quiet").await, [quiet.as_str()]);
    assert_eq!(found(&app, "").await.len(), ATTEMPTS.len() + 1);
}

// Undecodable text may be rejected or searched for.
#[api_test(limits = false)]
async fn unknown_parameters_are_ignored_and_bad_encoding_is_no_500(world: World) {
    let app = App::of(&world, "ana").await;
    let one = published(&app, &to("Lisboa", 38.7223, -9.1393)).await.id;
    for query in ["Q=zebra", "q[]=zebra", "search=zebra", "order=key_0", "tier=2", "&&&", "=", "visibility=private"] {
        assert_eq!(found(&app, query).await, [one.as_str()], "{query}");
    }
    for query in ["q=%ff", "q=%C3", "q=%", "regions=%ff", "cursor=%ff"] {
        let response = explore(&app, query).await;
        assert!(response.status == 200 || response.status == 422, "{query}: {}", response.text());
        if response.status == 422 {
            response.expect_error(422, "validationFailed");
        }
    }
}
