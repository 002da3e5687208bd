//! The order of lists, of days and of stops.

use serde_json::{Value, json};

use super::{changed, conflicts, days, layout, merged};

/// The merged order of the stops of one day.
fn order(base: &str, current: &str, yours: &str) -> String {
    let day = |stops: &str| days(&format!("d: {stops}"));
    layout(&merged(&day(base), &day(current), &day(yours))).split_once(": ").expect("stops").1.to_owned()
}

#[test]
fn moves_of_both_sides_are_merged() {
    for (base, current, yours, expected) in [
        // Only one side moves.
        ("a b c d", "a c d b", "a b c d", "a c d b"),
        ("a b c d", "a b c d", "d a b c", "d a b c"),
        // Each side moves another stop.
        ("a b c d", "b a c d", "a b d c", "b d a c"),
        ("a b c d e", "b c d e a", "a d b c e", "b c e a d"),
        // The same move twice.
        ("a b c", "c a b", "c a b", "c a b"),
        // Additions at the same position: the current one comes first.
        ("a b", "a x b", "a y b", "a x y b"),
        ("a b", "x a b", "y a b", "x y a b"),
        ("a b", "a b x", "a b y z", "a b x y z"),
        // Behind what the current version moved there.
        ("a b c", "a c b", "a x b c", "a c x b"),
        ("a b c d", "a d b c", "a x b c d", "a d x b c"),
        // The predecessor was removed: the nearest one that remains.
        ("a b c", "a c", "a b x c", "a x c"),
        ("a b c", "b c", "a x b c", "x b c"),
        // An addition behind an own move.
        ("a b c", "a b c", "c x a b", "c x a b"),
    ] {
        assert_eq!(order(base, current, yours), expected, "{base}, {current}, {yours}");
    }
}

#[test]
fn the_earliest_of_several_common_subsequences_is_kept() {
    // Both a and c, b or d, e are longest; the sides move the same items.
    let day = |stops: &str| days(&format!("d: {stops}"));
    assert_eq!(changed(&day("a b"), &day("b a")), ["days[id=d].stops[id=b] moved"]);
    assert_eq!(
        changed(&day("a b c d"), &day("c d a b")),
        ["days[id=d].stops[id=c] moved", "days[id=d].stops[id=d] moved"]
    );
    assert_eq!(changed(&day("a b c"), &day("c b a")), ["days[id=d].stops[id=c] moved", "days[id=d].stops[id=b] moved"]);
}

#[test]
fn different_moves_of_one_item_conflict() {
    let found = conflicts(&days("d: a b c d"), &days("d: a c d b"), &days("d: b a c d"));
    // Yours moved a behind b by the rule for ties; both moved b, the current version to the end.
    assert_eq!(layout(&merged(&days("d: a b c d"), &days("d: a b c d"), &days("d: b a c d"))), "d: b a c d");
    assert_eq!(
        found,
        json!([["days[id=d].stops[id=b]",
        {"dayId": "d", "after": "a"}, {"dayId": "d", "after": "d"}, {"dayId": "d", "after": null}]])
    );
}

#[test]
fn same_predecessor_on_both_sides_is_the_same_move() {
    // Both moved a behind c; only one side has x in between.
    let merged = merged(&days("d: a b c e"), &days("d: b c x a e"), &days("d: b c a e"));
    assert_eq!(layout(&merged), "d: b c x a e");
}

#[test]
fn stops_move_between_days() {
    let base = days("d1: a b, d2: c d");
    let cases = [
        ("d1: a b, d2: c d", "d1: b, d2: c a d", "d1: b, d2: c a d"),
        ("d1: b, d2: a c d", "d1: a, d2: c b d", "d1:, d2: a c b d"),
        ("d1: a b, d2: c x d", "d1: b, d2: c a d", "d1: b, d2: c x a d"),
        ("d1: b, d2: c d a", "d1: b, d2: c d a", "d1: b, d2: c d a"),
    ];
    for (current, yours, expected) in cases {
        assert_eq!(layout(&merged(&base, &days(current), &days(yours))), expected, "{current}; {yours}");
    }
    let three = |text: &str| days(&format!("{text}, d3:"));
    let found = conflicts(&days("d1: a, d2:, d3:"), &three("d1:, d2: a"), &days("d1:, d2:, d3: a"));
    assert_eq!(
        found,
        json!([["days[id=d2].stops[id=a]",
        {"dayId": "d1", "after": null}, {"dayId": "d2", "after": null}, {"dayId": "d3", "after": null}]])
    );
}

#[test]
fn moved_stop_takes_the_edit_of_the_other_side() {
    let (base, moved) = (days("d1: a, d2:"), days("d1:, d2: a"));
    let mut edited = base.clone();
    edited["days"][0]["stops"][0]["name"] = json!("Castle");
    for (current, yours) in [(&moved, &edited), (&edited, &moved)] {
        let merged = merged(&base, current, yours);
        assert_eq!(
            (layout(&merged), &merged["days"][1]["stops"][0]["name"]),
            ("d1:, d2: a".to_owned(), &json!("Castle"))
        );
    }
}

#[test]
fn days_are_ordered_like_items() {
    let order = |current: &str, yours: &str| layout(&merged(&days("a: s, b:, c:"), &days(current), &days(yours)));
    assert_eq!(order("c:, a: s, b:", "a: s, b:, x: t, c:"), "c:, a: s, b:, x: t");
    let found: Value = conflicts(&days("a:, b:, c:"), &days("c:, a:, b:"), &days("a:, c:, b:"));
    assert_eq!(found, json!([["days[id=c]", {"after": "b"}, {"after": null}, {"after": "a"}]]));
    assert_eq!(changed(&days("a: s, b:, c:"), &days("c:, a: s")), ["days[id=c] moved", "days[id=b] removed"]);
}
