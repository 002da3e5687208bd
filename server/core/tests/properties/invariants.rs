//! Invariants of every stored content, checked independently of the rules' code.

use std::collections::HashSet;

use itinerary_api::types::{BelongsTo, BelongsToKind};
use itinerary_api::values::{ItemId, limits};
use itinerary_core::validate;

use crate::plain::Content;
use crate::strategies::tidy::targets;
use crate::support::ITINERARY;

pub(crate) fn check(content: &Content) {
    ids(content);
    legs(content);
    links(content);
    lengths(content);
    size(content);
}

/// Everything has a unique id.
fn ids(content: &Content) {
    let days = content.everyone.days.iter().map(|day| &day.id);
    let stops = content.everyone.days.iter().flat_map(|day| &day.stops).map(|stop| &stop.id);
    let flights = content.members.flights.iter().map(|flight| &flight.id);
    let hotels = content.members.hotels.iter().map(|hotel| &hotel.id);
    let expenses = content.pro.expenses.iter().map(|expense| &expense.id);
    let packing = content.pro.packing.iter().map(|item| &item.id);
    let mut seen = HashSet::new();
    for id in days.chain(stops).chain(flights).chain(hotels).chain(expenses).chain(packing) {
        let id: &ItemId = id.as_ref().expect("everything has an id");
        assert!(seen.insert(id), "{id} is there twice");
    }
}

/// A leg joins a stop to the next one.
fn legs(content: &Content) {
    for day in &content.everyone.days {
        for leg in &day.legs {
            let joins = |from: Option<&ItemId>, to: Option<&ItemId>| (from, to) == (Some(&leg.from), Some(&leg.to));
            let mut pairs = day.stops.iter().zip(day.stops.iter().skip(1));
            assert!(pairs.any(|(from, to)| joins(from.id.as_ref(), to.id.as_ref())), "{leg:?} joins no neighbours");
        }
    }
}

/// Every link refers to something that exists.
fn links(content: &Content) {
    let targets = targets(content);
    let there = |link: &BelongsTo| match link.kind {
        BelongsToKind::Itinerary => *link.id == *ITINERARY.to_string(),
        _ => targets.contains(link),
    };
    let expenses = content.pro.expenses.iter().map(|expense| &expense.belongs_to);
    let packing = content.pro.packing.iter().map(|item| &item.belongs_to);
    let documents = content.documents.documents.iter().map(|document| &document.belongs_to);
    for link in expenses.chain(packing).chain(documents).flatten() {
        assert!(there(link), "{link:?} is not there");
    }
}

fn lengths(content: &Content) {
    let everyone = &content.everyone;
    assert!(everyone.days.len() <= limits::DAYS && everyone.tags.len() <= limits::TAGS);
    assert!(everyone.days.iter().all(|day| day.stops.len() <= limits::STOPS && day.legs.len() <= limits::STOPS));
    assert!(content.members.flights.len().max(content.members.hotels.len()) <= limits::ITEMS);
    assert!(content.pro.expenses.len().max(content.pro.packing.len()) <= limits::ITEMS);
}

/// A content is rejected with its size if and only if it is too large.
fn size(content: &Content) {
    let fragments = content.fragments();
    let bytes: usize =
        [fragments.everyone.len(), fragments.members.len(), fragments.pro.len(), fragments.documents.len()]
            .iter()
            .sum();
    let expected = if bytes <= limits::ITINERARY { Ok(()) } else { Err(bytes) };
    assert_eq!(validate::size(&fragments), expected);
}
