//! Every API type parses its own output, and keeps every field that was sent.

use std::cell::Cell;
use std::fmt::Debug;

use itinerary_api::types::{
    Account, Activity, ActivityPatch, Airline, AirlinePatch, Attention, Author, BelongsTo, BelongsToPatch, Coordinate,
    CoordinatePatch, Cost, CostPatch, Day, DayPatch, Destination, DestinationPatch, Document, DocumentFile, Expense,
    ExpensePatch, Flight, FlightPatch, Hotel, HotelPatch, Image, ImagePatch, ItemList, Leg, ListedItinerary,
    PackingItem, PackingItemPatch, Page, Place, PlacePatch, SavedFrom, Stop, StopMove, StopPatch, SummaryAuthor,
};
use itinerary_api::values::limits;
use itinerary_core::content::{Content, Part};
use itinerary_core::entry::AnyEntries;
use proptest::collection::vec;
use proptest::option;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::model::{completed, completed_patch};
use crate::plain;
use crate::shape::Field;
use crate::strategies::content::raw;
use crate::strategies::edits::stop_move;
use crate::strategies::objects::{Nulls, object, patch};
use crate::strategies::resources::{
    ACCOUNT, ACTIVITY, AIRLINE, ATTENTION, AUTHOR, BELONGS_TO, COORDINATE, COST, DAY, DESTINATION, DOCUMENT, ENTRY,
    EXPENSE, FILE, FLIGHT, HOTEL, IMAGE, LEG, PACKING, PLACE, SAVED_FROM, STOP, SUMMARY_AUTHOR,
};
use crate::strategies::values::{any_text, title};
use crate::support::{self, check, doubles, happens, typed};

/// Reads, writes, reads again, and writes again.
fn read_back<T: Serialize + DeserializeOwned + PartialEq + Debug>(sent: &Value, expected: Value) {
    let value: T = typed(sent);
    let text = serde_json::to_string(&value).expect("plain data");
    let again: T = serde_json::from_str(&text).expect("what was written can be read");
    assert_eq!(again, value);
    assert_eq!(serde_json::to_string(&again).expect("plain data"), text, "to the last bit");
    assert_eq!(doubles(support::json(&value)), doubles(expected), "nothing is lost, nothing made up");
}

fn resource<T: Serialize + DeserializeOwned + PartialEq + Debug>(fields: &'static [Field]) {
    check(40, object(fields), |sent| {
        let expected = completed(fields, sent.clone());
        read_back::<T>(&sent, expected);
    });
}

/// A patch keeps its nulls.
fn patch_of<T: Serialize + DeserializeOwned + PartialEq + Debug>(fields: &'static [Field]) {
    check(40, patch(fields, Nulls::Allowed), |sent| {
        let expected = completed_patch(fields, sent.clone());
        read_back::<T>(&sent, expected);
    });
}

#[test]
fn places_and_images_come_back() {
    resource::<Coordinate>(COORDINATE);
    resource::<Place>(PLACE);
    resource::<Destination>(DESTINATION);
    resource::<Image>(IMAGE);
}

#[test]
fn days_stops_and_legs_come_back() {
    resource::<Activity>(ACTIVITY);
    resource::<Stop>(STOP);
    resource::<Leg>(LEG);
    resource::<Day>(DAY);
}

#[test]
fn flights_and_hotels_come_back() {
    resource::<Airline>(AIRLINE);
    resource::<Flight>(FLIGHT);
    resource::<Hotel>(HOTEL);
}

#[test]
fn expenses_packing_items_and_documents_come_back() {
    resource::<Cost>(COST);
    resource::<BelongsTo>(BELONGS_TO);
    resource::<Expense>(EXPENSE);
    resource::<PackingItem>(PACKING);
    resource::<DocumentFile>(FILE);
    resource::<Document>(DOCUMENT);
}

#[test]
fn people_and_what_is_said_of_an_itinerary_come_back() {
    resource::<Author>(AUTHOR);
    resource::<SummaryAuthor>(SUMMARY_AUTHOR);
    resource::<Account>(ACCOUNT);
    resource::<SavedFrom>(SAVED_FROM);
    resource::<Attention>(ATTENTION);
    resource::<ListedItinerary>(ENTRY);
}

#[test]
fn patches_come_back() {
    patch_of::<CoordinatePatch>(COORDINATE);
    patch_of::<PlacePatch>(PLACE);
    patch_of::<DestinationPatch>(DESTINATION);
    patch_of::<ImagePatch>(IMAGE);
    patch_of::<ActivityPatch>(ACTIVITY);
    patch_of::<StopPatch>(STOP);
    patch_of::<DayPatch>(DAY);
    patch_of::<AirlinePatch>(AIRLINE);
    patch_of::<FlightPatch>(FLIGHT);
    patch_of::<HotelPatch>(HOTEL);
    patch_of::<CostPatch>(COST);
    patch_of::<BelongsToPatch>(BELONGS_TO);
    patch_of::<ExpensePatch>(EXPENSE);
    patch_of::<PackingItemPatch>(PACKING);
}

#[test]
fn lists_and_pages_come_back() {
    check(30, (vec(object(HOTEL), 0..3), option::of(any_text())), |(hotels, cursor)| {
        let complete: Vec<_> = hotels.iter().map(|hotel| completed(HOTEL, hotel.clone())).collect();
        read_back::<ItemList<Hotel>>(&json!({"data": hotels}), json!({"data": complete}));
        let page = |data: &[Value]| json!({"data": data, "nextCursor": cursor});
        read_back::<Page<Hotel>>(&page(&hotels), page(&complete));
    });
}

#[test]
fn stop_move_is_parsed_as_sent() {
    check(60, stop_move(), |sent| {
        let to: StopMove = typed(&sent);
        assert_eq!(json!({"dayId": to.day_id, "position": to.position}), sent);
    });
}

// Exactly: writing what was read back yields the stored text.
#[test]
fn a_content_comes_back_from_its_fragments() {
    check(100, raw(), |content| {
        let fragments = content.fragments();
        let again = Content::parse(&fragments).expect("what was stored can be read");
        assert_eq!(again.fragments(), fragments);
        assert_eq!(content.touched().fragments(), fragments);
        assert_eq!(plain::Content::from(&again), content);
        let mut serialized = content.touched();
        assert_eq!(serialized.serialize().expect("entries are plain data"), fragments);
        for part in Part::ALL {
            let (serialized, again) = (serialized.list(part), again.list(part));
            assert!(serialized.indexes().eq(again.indexes()), "{part:?}");
            let json = |list: &dyn AnyEntries, n| list.stored(n).expect("a stored entry").get().to_owned();
            (0..again.indexes().count()).for_each(|n| assert_eq!(json(serialized, n), json(again, n)));
        }
        let whole = [&fragments.everyone, &fragments.members, &fragments.pro, &fragments.documents];
        assert_eq!(fragments.size(), whole.map(String::len).iter().sum::<usize>());
        assert_eq!((again.size(), content.touched().size()), (fragments.size(), fragments.size()));
    });
}

// Texts of the maximum length are among the generated ones.
#[test]
fn the_strategies_reach_the_limits() {
    let longest = Cell::new(0);
    let length = |title: &Value| title.as_str().map_or(0, |title| title.chars().count());
    check(400, title(), |title| longest.set(longest.get().max(length(&title))));
    happens(longest.get() / limits::TITLE, "a title has its greatest length");
}
