//! Full lists, and contents of the maximum size.

use itinerary_api::types::{Day, Flight, Stop, StopMove, Summary};
use itinerary_api::values::{ItemId, List, Whole, limits};
use itinerary_core::content;
use itinerary_core::edit::{Edit, ItemEdit, Refusal};
use itinerary_core::fill::{self, CreateFacts, PlaceFacts};
use itinerary_core::validate;
use proptest::prelude::any;
use proptest::sample::Index;
use serde_json::json;

use crate::plain::Content;
use crate::strategies::content::smallest;
use crate::support::{Counter, check, typed};
use crate::{frame, invariants};

fn empty() -> Content {
    let facts = CreateFacts {
        now: chrono::DateTime::UNIX_EPOCH,
        destination: PlaceFacts::default(),
        currency_of: |_| None,
        time_zone_at: |_| None,
        origin: None,
    };
    (&fill::create(smallest(), &facts).expect("the smallest body").content).into()
}

fn stop() -> Stop {
    typed(&json!({"name": "s"}))
}

fn list<T: Clone, const MAX: usize>(item: T, count: usize) -> List<T, MAX> {
    List::new(vec![item; count]).expect("no more than fit")
}

/// Two days: one with this many stops, one with a single stop.
fn with_stops(count: usize) -> Content {
    let mut content = empty();
    let day = |count| Day { stops: list(stop(), count), ..Day::default() };
    content.everyone.days = List::new(vec![day(count), day(1)]).expect("two days");
    completed(content.touched())
}

fn completed(mut content: content::Content) -> Content {
    fill::complete(&mut content, &Counter::default()).expect("values");
    (&content).into()
}

fn day_id(content: &Content, day: usize) -> ItemId {
    content.everyone.days[day].id.clone().expect("an id")
}

fn move_stop(content: &Content, from: usize, stop: usize, to: usize, position: i64) -> Edit {
    Edit::StopMove {
        day: day_id(content, from),
        stop: content.everyone.days[from].stops[stop].id.clone().expect("an id"),
        to: StopMove { day_id: Some(day_id(content, to)), position: Whole::new(position).ok() },
    }
}

/// Applies the edit and completes the outcome, or returns the rejected field.
fn outcome(edit: &Edit, content: &Content) -> Result<Content, String> {
    let mut after = content.stored();
    match edit.clone().apply(&mut after) {
        Ok(_) => Ok(completed(after)),
        Err(Refusal::Invalid(error)) => Err(error.field.unwrap_or_default()),
        Err(refusal) => Err(format!("{refusal:?}")),
    }
}

#[test]
fn a_day_takes_stops_until_it_is_full() {
    let add = |content: &Content| Edit::Stop(day_id(content, 0), ItemEdit::Add { item: stop(), position: Some(0) });
    let nearly = with_stops(limits::STOPS - 1);
    let full = outcome(&add(&nearly), &nearly).expect("room for one");
    assert_eq!(full.everyone.days[0].stops.len(), limits::STOPS);
    assert_eq!(outcome(&add(&full), &full), Err("stops".to_owned()));
    assert_eq!(
        outcome(&move_stop(&nearly, 1, 0, 0, 0), &nearly).map(|after| after.everyone.days[1].stops.len()),
        Ok(0)
    );
    assert_eq!(outcome(&move_stop(&full, 1, 0, 0, 0), &full), Err("dayId".to_owned()));
}

// Also within its own day, which it leaves and enters.
#[test]
fn a_stop_of_a_full_day_can_be_moved_anywhere_in_it() {
    let content = with_stops(limits::STOPS);
    check(16, (any::<Index>(), any::<Index>()), |(from, to)| {
        let (from, to) = (from.index(limits::STOPS), to.index(limits::STOPS));
        let edit = move_stop(&content, 0, from, 0, i64::try_from(to).expect("a place in a list"));
        let after = outcome(&edit, &content).expect("there is room for those that are there");
        frame::check(&content, &edit, &after);
        invariants::check(&after);
    });
}

#[test]
fn there_are_no_more_days_than_the_limit() {
    let add = Edit::Day(ItemEdit::Add { item: Day::default(), position: None });
    let mut content = empty();
    content.everyone.days = list(Day::default(), limits::DAYS - 1);
    let full = outcome(&add, &content).expect("room for one");
    assert_eq!(full.everyone.days.len(), limits::DAYS);
    assert_eq!(outcome(&add, &full), Err("days".to_owned()));
}

#[test]
fn there_are_no_more_flights_hotels_expenses_or_packing_items_than_the_limit() {
    let mut full = empty();
    full.members.flights = list(Flight::default(), limits::ITEMS);
    full.members.hotels = list(typed(&json!({"name": "h"})), limits::ITEMS);
    full.pro.expenses = list(typed(&json!({"name": "e", "cost": {"amount": 1}})), limits::ITEMS);
    full.pro.packing = list(typed(&json!({"name": "p"})), limits::ITEMS);
    let mut nearly = full.clone();
    nearly.members.flights.remove(0);
    nearly.members.hotels.remove(0);
    nearly.pro.expenses.remove(0);
    nearly.pro.packing.remove(0);
    let first = full.clone();
    for (edit, list) in [
        (Edit::Flight(ItemEdit::Add { item: first.members.flights[0].clone(), position: None }), "flights"),
        (Edit::Hotel(ItemEdit::Add { item: first.members.hotels[0].clone(), position: Some(3) }), "hotels"),
        (Edit::Expense(ItemEdit::Add { item: first.pro.expenses[0].clone(), position: Some(0) }), "expenses"),
        (Edit::PackingItem(ItemEdit::Add { item: first.pro.packing[0].clone(), position: None }), "packing"),
    ] {
        assert!(edit.clone().apply(&mut nearly.stored()).is_ok(), "{list} has room for one");
        assert_eq!(outcome(&edit, &full), Err(list.to_owned()));
    }
}

#[test]
fn a_content_may_have_exactly_the_limit_of_bytes() {
    let mut content = empty();
    content.everyone.days = list(
        Day { stops: list(typed(&json!({"name": "😀".repeat(limits::NAME)})), limits::STOPS), ..Day::default() },
        2,
    );
    content.members.hotels = list(typed(&json!({"name": "x".repeat(limits::NAME)})), 430);
    let summary = |length: usize| Summary::new("x".repeat(length)).ok();
    content.everyone.summary = summary(0);
    let free = limits::ITINERARY - content.fragments().size();
    content.everyone.summary = summary(free);
    assert!(content.everyone.summary.is_some(), "{free} characters are left to fill");
    assert_eq!(validate::size(&content.fragments()), Ok(()));
    content.everyone.summary = summary(free + 1);
    assert_eq!(validate::size(&content.fragments()), Err(limits::ITINERARY + 1));
    let one_back = Edit::Itinerary(Box::new(typed(&json!({"summary": null}))));
    invariants::check(&outcome(&one_back, &content).expect("a smaller one"));
}
