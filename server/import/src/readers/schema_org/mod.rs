//! Reservations of schema.org, in the dialects of Google's mark-up guide and of KDE Itinerary.
//!
//! Takes JSON values, from JSON-LD or microdata. One booking for each reservation and each thing that it is for; merging is
//! done elsewhere. Organizations, articles, hotels, flights and products by themselves are no bookings; events are.

mod booking;
mod node;
mod place;
mod price;
mod ticket;
mod time;

use serde_json::Value;

use crate::booking::Booking;
use crate::budget::{Budget, Exceeded};
use node::{Graph, Node};

/// Adds the bookings of `values` to `bookings`, in order. Those before a limit is exceeded are kept.
pub fn read(values: &[Value], budget: &mut Budget, bookings: &mut Vec<Booking>) -> Result<(), Exceeded> {
    let graph = Graph::new(values);
    let first = bookings.len();
    let mut walk = Walk { graph: &graph, budget, bookings };
    let result = values.iter().try_for_each(|value| walk.visit(value, Inside::File));
    place::share_coordinates(&mut bookings[first..]);
    result
}

/// Where an object is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    /// At the top, or in `@graph`.
    File,
    /// In an object that is about it or lists it. Events there are no bookings.
    Other,
}

/// Properties of other objects that have reservations which nobody has made: `ReserveAction` offers them.
const OFFERS: [&str; 2] = ["potentialAction", "makesOffer"];

/// Bytes of text in all bookings together.
const MAX_TEXT: usize = 10_000_000;

struct Walk<'w, 'b> {
    graph: &'w Graph<'w>,
    budget: &'w mut Budget<'b>,
    bookings: &'w mut Vec<Booking>,
}

impl<'w> Walk<'w, '_> {
    /// Visits each object where it is written, and follows no reference: each is visited once.
    fn visit(&mut self, value: &'w Value, inside: Inside) -> Result<(), Exceeded> {
        let object = match value {
            Value::Array(values) => return values.iter().try_for_each(|value| self.visit(value, inside)),
            Value::Object(object) => object,
            _ => return Ok(()),
        };
        let node = self.graph.written(value);
        if let Some(kind) = booking::ReservationKind::of(node) {
            for thing in things(node) {
                self.add(booking::reservation(kind, node, thing))?;
            }
            return object.get("subReservation").map_or(Ok(()), |inner| self.visit(inner, Inside::Other));
        }
        if booking::is_event(node) {
            let booking = if inside == Inside::File { booking::event(node) } else { None };
            return self.add(booking);
        }
        let inner = object.iter().filter(|(property, _)| !OFFERS.contains(&property.as_str()));
        for (property, inner) in inner {
            let inside = if property == "@graph" { inside } else { Inside::Other };
            self.visit(inner, inside)?;
        }
        Ok(())
    }

    fn add(&mut self, booking: Option<Booking>) -> Result<(), Exceeded> {
        if let Some(booking) = booking {
            self.budget.take_item()?;
            if self.graph.copied() > MAX_TEXT {
                return Err(Exceeded::Elements);
            }
            self.bookings.push(booking);
        }
        Ok(())
    }
}

/// What a reservation is for. A reservation for nothing, such as a cancellation, counts once.
fn things(reservation: Node) -> Vec<Option<Node>> {
    let things = reservation.all("reservationFor");
    if things.is_empty() { vec![None] } else { things.into_iter().map(Some).collect() }
}

#[cfg(test)]
mod tests;
