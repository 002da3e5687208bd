//! Values read back exactly as they were sent, and limits are where the contract has them.

use std::fmt::Debug;

use itinerary_api::types::{Tags, Title, Visibility};
use itinerary_api::values::{
    AirportCode, Amount, CountryCode, Currency, Date, ItemId, Latitude, List, LocalTime, Longitude, Measure,
    OffsetTime, Rating, Text, TimeZone, Timestamp, WebUrl, Whole, limits,
};
use proptest::collection::vec;
use proptest::prelude::any;
use proptest::strategy::BoxedStrategy;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::strategies::values as make;
use crate::support::{check, doubles, json, typed};

/// A sent value is returned unchanged, and a returned value can be sent again.
fn comes_back<T: Serialize + DeserializeOwned + PartialEq + Debug>(sent: BoxedStrategy<Value>) {
    check(60, sent, |sent| {
        let value: T = typed(&sent);
        let text = serde_json::to_string(&value).expect("plain data");
        let again: T = serde_json::from_str(&text).expect("what was written can be read");
        assert_eq!(again, value);
        assert_eq!(serde_json::to_string(&again).expect("plain data"), text);
        assert_eq!(doubles(json(&value)), doubles(sent));
    });
}

#[test]
fn every_value_comes_back() {
    comes_back::<ItemId>(make::item_id());
    comes_back::<Title>(make::title());
    comes_back::<Text<0, { limits::ADDRESS }>>(make::address());
    comes_back::<Tags>(make::tags());
    comes_back::<Whole<1, 100>>(make::travellers());
    comes_back::<Whole<0, 1_000_000_000>>(make::review_count());
    comes_back::<Amount>(make::amount());
    comes_back::<Latitude>(make::latitude());
    comes_back::<Longitude>(make::longitude());
    comes_back::<Measure>(make::measure());
    comes_back::<Rating>(make::rating());
    comes_back::<Date>(make::date());
    comes_back::<OffsetTime>(make::offset_time());
    comes_back::<LocalTime>(make::local_time());
    comes_back::<Timestamp>(make::timestamp());
    comes_back::<Currency>(make::currency());
    comes_back::<CountryCode>(make::country_code());
    comes_back::<TimeZone>(make::time_zone());
    comes_back::<AirportCode>(make::airport_code());
    comes_back::<WebUrl>(make::web_url());
    comes_back::<Visibility>(make::visibility());
}

#[test]
fn an_amount_is_the_decimal_that_was_sent() {
    check(400, make::thousandths(), |thousandths| {
        let sent = make::decimal(thousandths);
        let amount: Amount = serde_json::from_str(&sent).expect("an amount");
        assert_eq!(amount.thousandths(), thousandths);
        assert_eq!(Amount::from_thousandths(thousandths), Some(amount));
        assert_eq!(serde_json::to_string(&amount).expect("a number"), sent);
        assert_eq!(amount.to_string(), format!("{}.{:03}", thousandths / 1000, thousandths % 1000));
    });
    assert_eq!(Amount::from_thousandths(1_000_000_000_000_000), None);
}

#[test]
fn a_fourth_decimal_is_no_amount() {
    check(200, (0..99_999_999_999u64, 1..10u8), |(thousandths, fourth)| {
        let text = format!("{}.{:03}{fourth}", thousandths / 1000, thousandths % 1000);
        assert!(serde_json::from_str::<Amount>(&text).is_err(), "{text}");
    });
}

#[test]
fn a_coordinate_comes_back_bit_for_bit() {
    check(400, (make::degrees_north(), make::degrees_east()), |(north, east)| {
        let text = |degrees: f64| serde_json::to_string(&degrees).expect("a number");
        let latitude: Latitude = serde_json::from_str(&text(north)).expect("within the limits");
        let longitude: Longitude = serde_json::from_str(&text(east)).expect("within the limits");
        assert_eq!((latitude.get().to_bits(), longitude.get().to_bits()), (north.to_bits(), east.to_bits()));
        assert_eq!(json(&latitude).as_f64().map(f64::to_bits), Some(north.to_bits()));
        assert_eq!(serde_json::to_string(&longitude).expect("a number"), text(east));
    });
}

#[test]
fn a_number_is_within_its_limits_or_none() {
    check(300, any::<f64>(), |number| {
        assert_eq!(Latitude::new(number).is_some(), number.abs() <= 90.0, "{number}");
        assert_eq!(Longitude::new(number).is_some(), number.abs() <= 180.0, "{number}");
        assert_eq!(Rating::new(number).is_some(), (0.0..=5.0).contains(&number), "{number}");
    });
    for beyond in [90.0_f64.next_up(), (-90.0_f64).next_down(), f64::NAN, f64::INFINITY] {
        assert_eq!(Latitude::new(beyond), None, "{beyond}");
    }
}

#[test]
fn a_date_time_keeps_its_text() {
    check(400, make::offset_time_text(), |text| {
        let time: OffsetTime = typed(&Value::from(text.clone()));
        assert_eq!((&*time, json(&time)), (&*text, Value::from(text.clone())));
        assert_eq!(time.instant().to_utc(), text.parse::<chrono::DateTime<chrono::Utc>>().expect("a date-time"));
    });
}

// Lengths are counted in characters, not bytes.
#[test]
fn a_text_has_between_its_shortest_and_its_longest_length() {
    type Short = Text<2, 9>;
    check(300, vec(make::character(), 0..12), |characters| {
        let text = String::from_iter(&characters);
        assert_eq!(Short::new(text.as_str()).is_ok(), (2..=9).contains(&characters.len()), "{text:?}");
    });
}

// Escapes make no difference to a text.
#[test]
fn an_escaped_text_is_the_same_text() {
    check(200, vec(make::character(), 1..20), |characters| {
        let text = String::from_iter(characters);
        let escaped: Vec<_> = text.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect();
        let title: Title = serde_json::from_str(&format!("\"{}\"", escaped.concat())).expect("a text");
        assert_eq!(*title, *text);
    });
}

#[test]
fn a_control_character_is_refused_wherever_it_is() {
    let control: Vec<char> = ('\0'..='\u{9f}').filter(|c| c.is_control() && !matches!(c, '\n' | '\t')).collect();
    assert_eq!(control.len(), 65 - 2);
    check(
        200,
        (make::text(1, 20), any::<proptest::sample::Index>(), proptest::sample::select(control)),
        |(text, at, c)| {
            let mut characters: Vec<char> = text.chars().collect();
            characters.insert(at.index(characters.len() + 1), c);
            assert!(Title::new(String::from_iter(characters)).is_err());
        },
    );
}

#[test]
fn a_list_is_refused_past_its_limit() {
    check(60, vec(any::<u8>(), 0..8), |items| {
        let read: Option<List<u8, 4>> = serde_json::from_value(json(&items)).ok();
        assert_eq!(read.as_deref(), Some(&*items).filter(|items| items.len() <= 4));
        assert_eq!(List::<u8, 4>::new(items), read);
    });
}
