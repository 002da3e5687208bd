//! Days that one side removed or both added, and legs.

use serde_json::{Value, json};

use super::{changed, conflicts, days, invalid, layout, merged, paths};

/// Days with changed fields of one stop.
fn edited(text: &str, pointer: &str) -> Value {
    let mut days = days(text);
    days.pointer_mut(pointer).expect("a stop")["name"] = json!("Castle");
    days
}

#[test]
fn removed_day_conflicts_with_what_it_would_lose() {
    let base = days("d1: a b, d2: c");
    let removed = days("d2: c");
    let mut image = base.clone();
    image["days"][0]["image"] = json!({"url": "https://a.example/1"});
    let mut leg = base.clone();
    leg["days"][0]["legs"] = json!([{"from": "a", "to": "b", "mode": "walk"}]);
    for (other, path) in [
        (image, "days[id=d1]"),
        (leg, "days[id=d1]"),
        (edited("d1: a b, d2: c", "/days/0/stops/1"), "days[id=d1].stops[id=b]"),
        (days("d1: a x b, d2: c"), "days[id=d1].stops[id=x]"),
    ] {
        assert_eq!(paths(&base, &removed, &other), [path]);
        assert_eq!(paths(&base, &other, &removed), [path]);
    }
}

#[test]
fn removed_day_keeps_what_the_other_side_moved_out() {
    let base = days("d1: a b, d2: c");
    let removed = days("d2: c");
    for (other, expected) in [
        (days("d1: b a, d2: c"), "d2: c"),
        (days("d2: c, d1: a b"), "d2: c"),
        (days("d1: b, d2: c a"), "d2: c a"),
        (days("d1: b, d2: c, d3: a"), "d2: c, d3: a"),
        (edited("d1: b, d2: a c", "/days/1/stops/0"), "d2: a c"),
    ] {
        assert_eq!(layout(&merged(&base, &removed, &other)), expected);
        assert_eq!(layout(&merged(&base, &other, &removed)), expected);
    }
}

#[test]
fn move_into_a_removed_day_says_where_the_stop_is() {
    let found = conflicts(&days("d1:, d2: a"), &days("d2: a"), &days("d1: a, d2:"));
    let at = |day: &str| json!({"dayId": day, "after": null});
    assert_eq!(found, json!([["days[id=d2].stops[id=a]", at("d2"), at("d2"), at("d1")]]));
    let found = conflicts(&days("d1:, d2: a"), &days("d1: a, d2:"), &days("d2: a"));
    assert_eq!(found, json!([["days[id=d1].stops[id=a]", at("d2"), at("d1"), at("d2")]]));
    let stop = json!({"id": "x", "name": "Stop", "startTimeSuggested": false});
    assert_eq!(
        conflicts(&days("d1:"), &days(""), &days("d1: x")),
        json!([["days[id=d1].stops[id=x]", null, null, stop]])
    );
}

#[test]
fn removed_stop_conflicts_with_an_edit() {
    let base = days("d1: a b, d2:");
    assert_eq!(
        paths(&base, &days("d1: b, d2:"), &edited("d1: a b, d2:", "/days/0/stops/0")),
        ["days[id=d1].stops[id=a]"]
    );
    assert_eq!(
        paths(&base, &edited("d1: b, d2: a", "/days/1/stops/0"), &days("d1: b, d2:")),
        ["days[id=d2].stops[id=a]"]
    );
    assert_eq!(layout(&merged(&base, &days("d1: b, d2:"), &days("d1: b, d2: a"))), "d1: b, d2:");
}

#[test]
fn ids_that_both_sides_added() {
    assert_eq!(paths(&days("d1:, d2:"), &days("d1: x, d2:"), &days("d1:, d2: x")), ["days[id=d1].stops[id=x]"]);
    assert_eq!(layout(&merged(&days("d1: a"), &days("d1: a x"), &days("d1: x a"))), "d1: a x");
    assert_eq!(layout(&merged(&days(""), &days("d1: x"), &days("d1: x"))), "d1: x");
    assert_eq!(paths(&days(""), &days("d1: x"), &days("d1: y")), ["days[id=d1]"]);
}

#[test]
fn too_many_stops_or_days_are_invalid() {
    let stops = (0..99).map(|n| format!("s{n}")).collect::<Vec<_>>().join(" ");
    let base = days(&format!("d: {stops}"));
    let with = |id: &str| days(&format!("d: {stops} {id}"));
    assert_eq!(invalid(&base, &with("x"), &with("y")), "days[id=d].stops");
    let empty = |ids: &[&str]| {
        let days: Vec<_> = (0..365).map(|n| format!("d{n}:")).chain(ids.iter().map(|id| format!("{id}:"))).collect();
        super::days(&days.join(", "))
    };
    assert_eq!(invalid(&empty(&[]), &empty(&["x"]), &empty(&["y"])), "days");
}

fn leg(from: &str, to: &str, minutes: f64, source: Option<&str>) -> Value {
    let mut leg = json!({"from": from, "to": to, "mode": "walk", "minutes": minutes});
    if let Some(source) = source {
        leg["source"] = json!(source);
    }
    leg
}

/// The day `d` with these stops and legs.
fn day(stops: &str, legs: &[Value]) -> Value {
    let mut days = days(&format!("d: {stops}"));
    days["days"][0]["legs"] = json!(legs);
    days
}

fn legs(whole: &Value) -> Value {
    whole["days"][0]["legs"].clone()
}

#[test]
fn sent_legs_merge_by_stops_and_mode() {
    let ab = |minutes| leg("a", "b", minutes, None);
    let (bc, none) = (leg("b", "c", 2.0, None), || day("a b c", &[]));
    let with = |legs: &[Value]| day("a b c", legs);
    assert_eq!(legs(&merged(&none(), &with(&[ab(1.0)]), &with(std::slice::from_ref(&bc)))), json!([ab(1.0), bc]));
    assert_eq!(legs(&merged(&none(), &with(std::slice::from_ref(&bc)), &with(&[ab(1.0)]))), json!([ab(1.0), bc]));
    assert_eq!(
        legs(&merged(&with(&[ab(1.0), bc.clone()]), &with(&[ab(1.0)]), &with(std::slice::from_ref(&bc)))),
        json!([])
    );
    assert_eq!(legs(&merged(&with(&[ab(1.0)]), &with(&[ab(1.0)]), &with(&[ab(3.0)]))), json!([ab(3.0)]));
    let found = conflicts(&with(&[ab(1.0)]), &with(&[ab(2.0)]), &with(&[ab(3.0)]));
    assert_eq!(found, json!([["days[id=d].legs[from=a,to=b,mode=walk]", ab(1.0), ab(2.0), ab(3.0)]]));
    assert_eq!(changed(&with(&[ab(1.0)]), &with(&[ab(2.0)])), ["days[id=d].legs changed"]);
}

#[test]
fn computed_legs_are_the_current_ones_where_they_fit() {
    let ours = |minutes| leg("a", "b", minutes, Some("estimate"));
    let sent = leg("a", "b", 9.0, None);
    let base = day("a b", &[ours(1.0)]);
    assert_eq!(legs(&merged(&base, &day("a b", &[ours(2.0)]), &day("a b", &[ours(3.0)]))), json!([ours(2.0)]));
    assert_eq!(legs(&merged(&base, &base, &day("a b", std::slice::from_ref(&sent)))), json!([sent]));
    assert_eq!(legs(&merged(&base, &base, &day("a x b", &[]))), json!([]));
    assert!(changed(&base, &day("a b", &[ours(2.0)])).is_empty());
    let mut moved = base.clone();
    moved["days"][0]["stops"][1]["place"] = json!({"coordinate": {"latitude": 1.0, "longitude": 2.0}});
    assert_eq!(legs(&merged(&base, &day("a b c", &[ours(1.0)]), &moved)), json!([]));
    assert_eq!(legs(&merged(&base, &moved, &day("a b c", &[ours(1.0)]))), json!([ours(1.0)]));
}

#[test]
fn changes_of_days_and_stops_are_listed() {
    let after = days("d4: z, d1: b y, d3: c");
    let expected = [
        "days[id=d4] added",
        "days[id=d2] removed",
        "days[id=d1].stops[id=y] added",
        "days[id=d3].stops[id=c] moved",
        "days[id=d1].stops[id=a] removed",
    ];
    assert_eq!(changed(&days("d1: a b, d2: c d, d3:"), &after), expected);
}
