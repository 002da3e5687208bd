//! What happens on each day besides its stops: bookings, nights, expenses and what to pack.
//!
//! Each line leads to the section that has the details. What is outside the days of the trip is in the sections alone.

use std::collections::HashMap;

use itinerary_api::types::Itinerary;
use jiff::civil;

use super::words::money;
use crate::agenda::{self, DateIndex};
use crate::moment::Moment;
use crate::text;
use crate::trip::{Trip, TripHotel};

/// The maximum number of hotels, expenses or packing items that a day names, each. The sections list all of them.
const NAMED: usize = 6;

/// The lines of one day.
#[derive(Default)]
pub(super) struct DayAgenda {
    pub(super) bookings: Vec<BookingView>,
    pub(super) nights: Mentions,
    pub(super) expenses: Mentions,
    pub(super) packing: Mentions,
}

pub(super) struct BookingView {
    /// Empty if only the date is known.
    pub(super) time: String,
    pub(super) name: String,
    /// The id of its section.
    pub(super) anchor: String,
    pub(super) more: Option<String>,
}

/// The first items of a kind on a day, and how many more there are.
#[derive(Default)]
pub(super) struct Mentions {
    pub(super) named: Vec<Mention>,
    pub(super) more: usize,
}

pub(super) struct Mention {
    pub(super) name: String,
    /// The amount of an expense.
    pub(super) amount: Option<String>,
    pub(super) is_packed: bool,
    /// The id of its section, if it has one of its own.
    pub(super) anchor: Option<String>,
}

impl Mentions {
    fn add(&mut self, mention: impl FnOnce() -> Mention) {
        if self.named.len() < NAMED { self.named.push(mention()) } else { self.more += 1 }
    }
}

impl DayAgenda {
    pub(super) fn is_empty(&self) -> bool {
        let Self { bookings, nights, expenses, packing } = self;
        bookings.is_empty() && [nights, expenses, packing].iter().all(|mentions| mentions.named.is_empty())
    }

    /// The items that have no time: the label of each kind, the id of its section if the items have none, and the items.
    pub(super) fn mentions(&self) -> impl Iterator<Item = (&'static str, Option<&'static str>, &Mentions)> {
        let all = [
            ("Night at", None, &self.nights),
            ("Expenses", Some("expenses"), &self.expenses),
            ("To pack", Some("packing"), &self.packing),
        ];
        all.into_iter().filter(|(_, _, mentions)| !mentions.named.is_empty())
    }
}

/// The agendas of all days, in their order.
pub(super) fn all(trip: &Trip<'_>) -> Vec<DayAgenda> {
    let mut days = Days {
        agendas: trip.days.iter().map(|_| DayAgenda::default()).collect(),
        indices: trip.days.iter().enumerate().map(|(index, day)| (day.date, index)).collect(),
    };
    for booking in agenda::bookings(trip) {
        if let Some(day) = days.on(booking.date) {
            day.bookings.push(BookingView {
                time: booking.at.map(Moment::time).unwrap_or_default(),
                name: booking.name(),
                anchor: booking.anchor(),
                more: booking.more(),
            });
        }
    }
    for (index, hotel) in trip.hotels.iter().enumerate() {
        days.add_nights(hotel, index);
    }
    days.add_items(trip);
    days.agendas
}

struct Days {
    agendas: Vec<DayAgenda>,
    indices: HashMap<civil::Date, usize>,
}

impl Days {
    fn on(&mut self, date: civil::Date) -> Option<&mut DayAgenda> {
        let index = *self.indices.get(&date)?;
        self.agendas.get_mut(index)
    }

    /// Adds the nights after the first, whose day has the check-in.
    fn add_nights(&mut self, hotel: &TripHotel<'_>, index: usize) {
        let (Some(from), Some(to)) = (hotel.checks_in.as_ref(), hotel.checks_out.as_ref()) else { return };
        let (from, to) = (from.local.date(), to.local.date());
        for (date, at) in &self.indices {
            if from < *date && *date < to {
                self.agendas[*at].nights.add(|| Mention {
                    name: text::line(&hotel.hotel.name),
                    amount: None,
                    is_packed: false,
                    anchor: Some(format!("hotel-{}", index + 1)),
                });
            }
        }
    }

    fn add_items(&mut self, trip: &Trip<'_>) {
        let Itinerary { expenses, packing, currency, .. } = trip.itinerary;
        if expenses.is_none() && packing.is_none() {
            return;
        }
        let dates = DateIndex::of(trip);
        for expense in expenses.iter().flat_map(|expenses| expenses.iter()) {
            let date = dates.date(expense.date, expense.belongs_to.as_ref());
            let Some(day) = date.and_then(|date| self.on(date)) else { continue };
            let currency = expense.cost.currency.as_deref().or(currency.as_deref()).unwrap_or_default();
            day.expenses.add(|| Mention {
                name: text::line(&expense.name),
                amount: Some(money(expense.cost.amount, currency)),
                is_packed: false,
                anchor: None,
            });
        }
        for item in packing.iter().flat_map(|packing| packing.iter()) {
            let date = dates.date(None, item.belongs_to.as_ref());
            let Some(day) = date.and_then(|date| self.on(date)) else { continue };
            day.packing.add(|| Mention {
                name: text::line(&item.name),
                amount: None,
                is_packed: item.is_packed,
                anchor: None,
            });
        }
    }
}
