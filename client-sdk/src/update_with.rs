//! Read, change, write, and again if another program was faster.
//!
//! `edit_together` lets the service merge instead.

use std::time::Duration;

use uuid::Uuid;

use crate::code;
use crate::error::{ApiError, ErrorExt};
use crate::generated::Client;
use crate::groups;
use crate::types::{
    Day, DayPatch, DocumentPatch, Expense, ExpensePatch, Flight, FlightPatch, Hotel, HotelPatch, Itinerary,
    ItineraryPatch, ListedDocument, PackingItem, PackingItemPatch, Reservation, ReservationPatch, Stop, StopPatch,
    Transport, TransportPatch,
};
use crate::versioned::Versioned;

/// Attempts in all, before the conflict is returned.
pub(crate) const ATTEMPTS: u32 = 8;
/// The wait after the first conflict; doubled after each further one.
pub(crate) const FIRST_WAIT: Duration = Duration::from_millis(10);

/// Repeats a change that reads the current version itself, as long as it fails because the itinerary has been modified.
async fn repeat<T>(mut change: impl AsyncFnMut() -> Result<T, ApiError>) -> Result<T, ApiError> {
    let mut wait = FIRST_WAIT;
    for _ in 1..ATTEMPTS {
        match change().await {
            Err(error) if error.is(code::ITINERARY_MODIFIED) => tokio::time::sleep(wait).await,
            result => return result,
        }
        wait *= 2;
    }
    change().await
}

impl Client {
    /// Reads an itinerary, makes a patch from it and applies the patch. On
    /// [`ITINERARY_MODIFIED`](crate::code::ITINERARY_MODIFIED), starts again; at most eight times in all.
    ///
    /// ```no_run
    /// # use itinerary_sdk::{ApiError, Client, Uuid, types::ItineraryPatch};
    /// # async fn example(client: &Client, id: Uuid) -> Result<(), ApiError> {
    /// let trip = client
    ///     .itinerary_update_with(id, |trip| ItineraryPatch::default().title(format!("{} (draft)", &*trip.title)))
    ///     .await?;
    /// println!("{} is at version {}", trip.title, trip.etag());
    /// # Ok(())
    /// # }
    /// ```
    pub async fn itinerary_update_with(
        &self,
        id: Uuid,
        mut patch: impl FnMut(&Itinerary) -> ItineraryPatch,
    ) -> Result<Versioned<Itinerary>, ApiError> {
        repeat(async || {
            let current = self.itinerary_view(id).send().await?;
            self.itinerary_update(id, &current, patch(&current)).send().await
        })
        .await
    }

    /// Changes a stop like [`itinerary_update_with`](Client::itinerary_update_with): reads it, makes a patch from it and
    /// applies the patch. Fails with [`NOT_FOUND`](crate::code::NOT_FOUND) if the day has no such stop.
    ///
    /// ```no_run
    /// # use itinerary_sdk::{ApiError, Client, Uuid, types::StopPatch};
    /// # async fn example(client: &Client, id: Uuid) -> Result<(), ApiError> {
    /// client.stop_update_with(id, "day-1", "market", |_| StopPatch::default().start_time("12:30")).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn stop_update_with(
        &self,
        id: Uuid,
        day_id: &str,
        stop_id: &str,
        mut patch: impl FnMut(&Stop) -> StopPatch,
    ) -> Result<Versioned<Itinerary>, ApiError> {
        repeat(async || {
            let days = self.day_list(id).send().await?;
            let day = days.data.iter().find(|day| day.id == day_id);
            let stop = day.and_then(|day| day.stops.iter().find(|stop| stop.id == stop_id));
            // For a missing stop, the service has the error.
            let patch = stop.map(&mut patch).unwrap_or_default();
            self.stop_update(id, day_id, stop_id, &days, patch).send().await
        })
        .await
    }
}

impl groups::Itineraries<'_> {
    /// Same as [`Client::itinerary_update_with`].
    pub async fn update_with(
        self,
        id: Uuid,
        patch: impl FnMut(&Itinerary) -> ItineraryPatch,
    ) -> Result<Versioned<Itinerary>, ApiError> {
        self.client.itinerary_update_with(id, patch).await
    }
}

impl groups::Stops<'_> {
    /// Same as [`Client::stop_update_with`].
    pub async fn update_with(
        self,
        id: Uuid,
        day_id: &str,
        stop_id: &str,
        patch: impl FnMut(&Stop) -> StopPatch,
    ) -> Result<Versioned<Itinerary>, ApiError> {
        self.client.stop_update_with(id, day_id, stop_id, patch).await
    }
}

macro_rules! parts {
    ($($item:literal $group:ident $name:ident: $item_type:ty, $patch:ty, $list:ident, $update:ident -> $answer:ty;)+) => {
        $(impl groups::$group<'_> {
            #[doc = concat!("Same as [`Client::", stringify!($name), "`].")]
            pub async fn update_with(
                self,
                id: Uuid,
                item_id: &str,
                patch: impl FnMut(&$item_type) -> $patch,
            ) -> Result<Versioned<$answer>, ApiError> {
                self.client.$name(id, item_id, patch).await
            }
        })+

        impl Client {
            $(
                #[doc = concat!("Changes ", $item, " like [`itinerary_update_with`](Client::itinerary_update_with): reads it,")]
                /// makes a patch from it and applies the patch. Fails with [`NOT_FOUND`](crate::code::NOT_FOUND) if the
                /// itinerary has no item with this id.
                ///
                /// ```
                /// # use itinerary_sdk::{ApiError, Client, Uuid};
                #[doc = concat!("# use itinerary_sdk::types::", stringify!($patch), ";")]
                #[doc = concat!("# async fn example(client: &Client, id: Uuid, item_id: &str, patch: ", stringify!($patch), ")")]
                /// # -> Result<(), ApiError> {
                #[doc = concat!("client.", stringify!($name), "(id, item_id, |_| patch.clone()).await?;")]
                /// # Ok(())
                /// # }
                /// ```
                pub async fn $name(
                    &self,
                    id: Uuid,
                    item_id: &str,
                    mut patch: impl FnMut(&$item_type) -> $patch,
                ) -> Result<Versioned<$answer>, ApiError> {
                    repeat(async || {
                        let items = self.$list(id).send().await?;
                        let item = items.data.iter().find(|item| item.id == item_id);
                        // For a missing item, the service has the error.
                        let patch = item.map(&mut patch).unwrap_or_default();
                        self.$update(id, item_id, &items, patch).send().await
                    })
                    .await
                }
            )+
        }
    };
}

parts! {
    "a day" Days day_update_with: Day, DayPatch, day_list, day_update -> Itinerary;
    "a flight" Flights flight_update_with: Flight, FlightPatch, flight_list, flight_update -> Itinerary;
    "a hotel" Hotels hotel_update_with: Hotel, HotelPatch, hotel_list, hotel_update -> Itinerary;
    "a transport" Transports transport_update_with: Transport, TransportPatch, transport_list, transport_update -> Itinerary;
    "a reservation" Reservations reservation_update_with: Reservation, ReservationPatch, reservation_list, reservation_update -> Itinerary;
    "an expense" Expenses expense_update_with: Expense, ExpensePatch, expense_list, expense_update -> Itinerary;
    "a packing item" Packing packing_update_with: PackingItem, PackingItemPatch, packing_list, packing_update -> Itinerary;
    "a document" Documents document_update_with: ListedDocument, DocumentPatch, document_list, document_update -> ListedDocument;
}
