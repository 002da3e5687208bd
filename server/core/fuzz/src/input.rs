//! Decodes an input into a request and the itinerary that it applies to.
//!
//! Every sequence of bytes is a valid input, so that the search loses no time. The first byte selects the operation,
//! the second its target, the third where to move or insert; the rest is the body. Letters and digits keep files
//! readable.

use itinerary_api::read::{self, FieldError};
use itinerary_api::types::{DayMove, ItineraryCreate, ItineraryShift};
use itinerary_api::values::{ItemId, Merge};
use itinerary_core::edit::{self, Edit, Item, ItemEdit};

use crate::start::{self, Start};

/// A request with valid syntax.
pub(crate) enum Request {
    Create(Box<ItineraryCreate>),
    /// Changes the existing one.
    Edit(Box<Edit>),
    /// Moves the existing one to other dates.
    Shift(ItineraryShift),
}

pub(crate) struct Input<'a> {
    operation: u8,
    item: u8,
    position: u8,
    pub(crate) body: &'a [u8],
}

type Read = fn(&Input) -> Result<Edit, FieldError>;

/// The operations by name. The first byte of an input selects one: `a` for the first, `b` for the second, and so on.
/// Only create ignores the existing itinerary.
pub const OPERATIONS: [&str; 29] = [
    "itinerary_create",
    "itinerary_update",
    "day_add",
    "day_update",
    "day_remove",
    "stop_add",
    "stop_update",
    "stop_remove",
    "stop_move",
    "flight_add",
    "flight_update",
    "flight_remove",
    "hotel_add",
    "hotel_update",
    "hotel_remove",
    "expense_add",
    "expense_update",
    "expense_remove",
    "packing_add",
    "packing_update",
    "packing_remove",
    "transport_add",
    "transport_update",
    "transport_remove",
    "reservation_add",
    "reservation_update",
    "reservation_remove",
    "day_move",
    "itinerary_shift",
];

/// The parsers of the edits, which are all but the first and the last, in the same order.
const EDITS: [Read; 27] = [
    |input| Ok(Edit::Itinerary(Box::new(read::json(input.body)?))),
    |input| input.add().map(Edit::Day),
    |input| input.update(&DAYS).map(Edit::Day),
    |input| Ok(Edit::Day(input.remove(&DAYS))),
    |input| Ok(Edit::Stop(id(input.pick(&DAYS)), input.add()?)),
    |input| Ok(Edit::Stop(input.day_of_stop(), input.update(&STOPS)?)),
    |input| Ok(Edit::Stop(input.day_of_stop(), input.remove(&STOPS))),
    |input| Ok(Edit::StopMove { day: input.day_of_stop(), stop: id(input.pick(&STOPS)), to: read::json(input.body)? }),
    |input| input.add().map(Edit::Flight),
    |input| input.update(&FLIGHTS).map(Edit::Flight),
    |input| Ok(Edit::Flight(input.remove(&FLIGHTS))),
    |input| input.add().map(Edit::Hotel),
    |input| input.update(&HOTELS).map(Edit::Hotel),
    |input| Ok(Edit::Hotel(input.remove(&HOTELS))),
    |input| input.add().map(Edit::Expense),
    |input| input.update(&EXPENSES).map(Edit::Expense),
    |input| Ok(Edit::Expense(input.remove(&EXPENSES))),
    |input| input.add().map(Edit::PackingItem),
    |input| input.update(&PACKING).map(Edit::PackingItem),
    |input| Ok(Edit::PackingItem(input.remove(&PACKING))),
    |input| input.add().map(Edit::Transport),
    |input| input.update(&TRANSPORTS).map(Edit::Transport),
    |input| Ok(Edit::Transport(input.remove(&TRANSPORTS))),
    |input| input.add().map(Edit::Reservation),
    |input| input.update(&RESERVATIONS).map(Edit::Reservation),
    |input| Ok(Edit::Reservation(input.remove(&RESERVATIONS))),
    |input| {
        let DayMove { position } = read::json(input.body)?;
        Ok(Edit::DayMove { day: id(input.pick(&DAYS)), position: edit::index(position) })
    },
];

/// The second byte selects from these: `0` for the first, and so on. The last of each does not exist. Only the full
/// itinerary has a fourth day.
const DAYS: [&str; 5] = ["day-1", "day-2", "day-3", "day-4", "nowhere"];
const STOPS: [&str; 6] = ["stop-1", "stop-2", "stop-3", "stop-4", "stop-5", "nowhere"];
/// The day in the address of each stop; wrong for the fifth.
const STOP_DAYS: [&str; 6] = ["day-1", "day-1", "day-1", "day-2", "day-1", "day-1"];
const FLIGHTS: [&str; 3] = ["flight-1", "flight-2", "nowhere"];
const HOTELS: [&str; 3] = ["hotel-1", "hotel-2", "nowhere"];
const EXPENSES: [&str; 4] = ["expense-1", "expense-2", "expense-3", "nowhere"];
const TRANSPORTS: [&str; 3] = ["transport-1", "transport-2", "nowhere"];
const RESERVATIONS: [&str; 3] = ["reservation-1", "reservation-2", "nowhere"];
const PACKING: [&str; 4] = ["packing-1", "packing-2", "packing-3", "nowhere"];

/// The name of an input's operation.
pub fn operation(bytes: &[u8]) -> &'static str {
    OPERATIONS[Input::new(bytes).operation()]
}

fn id(text: &str) -> ItemId {
    ItemId::new(text).expect("made of the right characters")
}

impl<'a> Input<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        let byte = |n: usize, otherwise| bytes.get(n).copied().unwrap_or(otherwise);
        let body = bytes.get(3..).unwrap_or_default();
        Self { operation: byte(0, b'a'), item: byte(1, b'0'), position: byte(2, b'0'), body }
    }

    pub(crate) fn request(&self) -> Result<Request, FieldError> {
        match self.operation() {
            0 => read::json(self.body).map(Request::Create),
            n if n == OPERATIONS.len() - 1 => read::json(self.body).map(Request::Shift),
            n => EDITS[n - 1](self).map(Box::new).map(Request::Edit),
        }
    }

    /// The itinerary to change. `!` as the third byte selects the one that is almost full.
    pub(crate) fn start(&self) -> &'static Start {
        if self.position == b'!' { start::full() } else { start::get() }
    }

    fn operation(&self) -> usize {
        usize::from(self.operation.wrapping_sub(b'a')) % OPERATIONS.len()
    }

    fn pick(&self, ids: &[&'static str]) -> &'static str {
        ids[usize::from(self.item.wrapping_sub(b'0')) % ids.len()]
    }

    fn day_of_stop(&self) -> ItemId {
        id(self.pick(&STOP_DAYS))
    }

    fn add<T: Item + for<'de> serde::Deserialize<'de>>(&self) -> Result<ItemEdit<T>, FieldError> {
        let position = usize::from(self.position.wrapping_sub(b'0')) % 10;
        Ok(ItemEdit::Add { item: read::json(self.body)?, position: (position < 9).then_some(position) })
    }

    fn update<T: Item>(&self, ids: &[&'static str]) -> Result<ItemEdit<T>, FieldError>
    where
        <T as Merge>::Patch: for<'de> serde::Deserialize<'de>,
    {
        Ok(ItemEdit::Update { id: id(self.pick(ids)), patch: read::json(self.body)? })
    }

    fn remove<T: Item>(&self, ids: &[&'static str]) -> ItemEdit<T> {
        ItemEdit::Remove { id: id(self.pick(ids)) }
    }
}
