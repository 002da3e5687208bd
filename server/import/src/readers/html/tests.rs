use chrono::NaiveDate;

use super::*;
use crate::booking::{Booking, Kind, Time};
use crate::file::Reason;

fn read_page(text: &str) -> (Vec<Booking>, Vec<Ignored>) {
    let (found, ignored) = read(text, &mut Budget::new(&|| false));
    (found.bookings, ignored)
}

fn items(text: &str) -> Value {
    let budget = Budget::new(&|| false);
    let mut values = Vec::new();
    microdata::items(&tree::parse(text, &budget).0, &budget, &mut values).unwrap();
    Value::Array(values)
}

const EVENT: &str = r#"{"@type": "Event", "name": "Treffen", "startDate": "2027-01-21"}"#;

#[test]
fn scripts_are_read_wherever_they_are() {
    let page = format!(
        "<html><head><script type='Application/LD+JSON; charset=utf-8'>{EVENT}</script></head><body><div><b>
        <script type=application/ld+json><!-- {EVENT} --></script><script>{EVENT}</script>
        <noscript><script type='application/ld+json'>[{EVENT}]</script></noscript></div>"
    );
    let (bookings, ignored) = read_page(&page);
    assert_eq!(bookings.len(), 3);
    assert_eq!(ignored, []);
}

#[test]
fn broken_script_does_not_hide_others() {
    let page = format!(
        "<script type='application/ld+json'>{{oops</script><script type='application/ld+json'>{EVENT}</script>"
    );
    let (bookings, ignored) = read_page(&page);
    assert_eq!(bookings.len(), 1);
    assert_eq!(ignored.iter().map(|ignored| ignored.reason).collect::<Vec<_>>(), [Reason::Malformed]);
}

#[test]
fn page_without_data_is_empty() {
    assert_eq!(read_page("<p>Dear guest</p>"), (Vec::new(), Vec::new()));
    assert_eq!(read_page("<script type='application/ld+json'></script><p itemscope>"), (Vec::new(), Vec::new()));
}

#[test]
fn microdata_becomes_json() {
    let page = r#"
        <div itemscope itemtype="http://schema.org/Event http://x.example/T" itemid="urn:1" itemref="more missing">
          <h1 itemprop="name headline">Treffen</h1>
          <time itemprop="startDate" datetime="2027-01-21"/><a itemprop=url href="https://x.example">here</a>
          <img itemprop=image src="a.png"><link itemprop=status href="S"><meta itemprop=lang content=de><data itemprop=n value=5>five</data>
          <div itemprop="location" itemscope><b><span itemprop=name>Saal</span></b><p itemprop=name content="Hall">x</p></div>
        </div>
        <div id=more><p itemprop=description>One<br>two</p></div>"#;
    // `<time>` has no end tag: it still contains what follows, as browsers see it.
    let expected = serde_json::json!([{
        "@type": "http://schema.org/Event", "@id": "urn:1", "name": "Treffen", "headline": "Treffen", "startDate": "2027-01-21",
        "url": "https://x.example", "image": "a.png", "status": "S", "lang": "de", "n": "5",
        "location": {"name": ["Saal", "Hall"]}, "description": "One\ntwo",
    }]);
    assert_eq!(items(page), expected);
}

#[test]
fn property_without_an_item_is_an_item() {
    assert_eq!(items("<p itemprop=a itemscope><b itemprop=x>1</b></p>"), serde_json::json!([{"x": "1"}]));
    assert_eq!(items("<p itemprop=a itemscope id=i></p><p itemscope itemref=i></p>"), serde_json::json!([{"a": {}}]));
}

#[test]
fn microdata_is_read_as_bookings() {
    let page = r#"<div itemscope itemtype="http://schema.org/LodgingReservation"><meta itemprop="reservationNumber" content="H1">
        <div itemprop="reservationFor" itemscope itemtype="http://schema.org/Hotel"><span itemprop="name"> Zum
        Hirsch </span></div><meta itemprop="checkinTime" content="2027-01-21"></div>"#;
    let (bookings, _) = read_page(page);
    assert_eq!((bookings[0].kind, bookings[0].name.as_deref()), (Kind::Hotel, Some("Zum Hirsch")));
    assert_eq!(bookings[0].start.time, NaiveDate::from_ymd_opt(2027, 1, 21).map(Time::Day));
}

#[test]
fn references_in_a_circle_end() {
    let page =
        "<div itemscope id=a itemref=b></div><div id=b><p itemprop=x itemscope itemref=b></p><i itemprop=y>z</i></div>";
    let mut depth = 0;
    let mut value = items(page)[0].clone();
    while let Some(inner) = value.get_mut("x") {
        value = inner.take();
        depth += 1;
    }
    assert!((2..=16).contains(&depth), "{depth}");
}

#[test]
fn large_pages_are_cut() {
    let script = format!("<script type='application/ld+json'>{EVENT}</script><p itemscope>");
    let deep = script.clone() + &"<div>".repeat(10_000);
    let wide = script.clone() + &"<br>".repeat(tree::MAX_NODES);
    // Each paragraph opens all formatting elements again.
    let formatting = (0..400).fold(String::new(), |tags, number| tags + &format!("<b id={number}>"));
    let reopened = script + &formatting + &"<p>x</p>".repeat(50_000);
    for page in [deep, wide, reopened] {
        let (bookings, ignored) = read_page(&page);
        assert_eq!(bookings.len(), 1);
        assert_eq!(ignored.iter().map(|ignored| ignored.reason).collect::<Vec<_>>(), [Reason::TooLarge]);
    }
}

#[test]
fn parsing_stops_when_the_time_is_up() {
    let page = format!("<p itemscope>{}", "<p>".repeat(10_000));
    let (_, exceeded) = tree::parse(&page, &Budget::new(&|| true));
    assert_eq!(exceeded, Some(crate::budget::Exceeded::Time));
}
