//! Takes the caller's own itinerary, read in the statement that looks up the caller, from the request pipeline to the
//! handler.
//!
//! dropshot passes only the request to handlers, so it is kept in a task-local.

use std::cell::Cell;

use itinerary_app::itineraries::Preloaded;

tokio::task_local! {
    static READ: Cell<Option<Preloaded>>;
}

/// Does the request pipeline's work on a request with room for an itinerary.
pub(super) fn enter<F: Future>(visit: F) -> impl Future<Output = F::Output> {
    READ.scope(Cell::new(None), visit)
}

/// Keeps an itinerary for the handler.
pub(super) fn keep(read: Preloaded) {
    let _ = READ.try_with(|kept| kept.set(Some(read)));
}

/// Takes the itinerary, if it was read.
pub(super) fn take() -> Option<Preloaded> {
    READ.try_with(Cell::take).ok().flatten()
}
