//! The lists through the SDK.

use itinerary_sdk::types::{self, Itinerary};
use itinerary_sdk::{ApiError, Client, Versioned};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::Part;

type Changed = Result<Versioned<Itinerary>, ApiError>;

fn typed<T: DeserializeOwned>(body: Value) -> T {
    serde_json::from_value(body).expect("a body of the document's type")
}

impl Part {
    pub(super) async fn sdk_list(self, client: &Client, at: &Itinerary) -> Result<Value, ApiError> {
        Ok(match self {
            Self::Flights => json!(client.flight_list(at.id).send().await?.into_inner().data),
            Self::Hotels => json!(client.hotel_list(at.id).send().await?.into_inner().data),
            Self::Transports => json!(client.transport_list(at.id).send().await?.into_inner().data),
            Self::Reservations => json!(client.reservation_list(at.id).send().await?.into_inner().data),
            Self::Expenses => json!(client.expense_list(at.id).send().await?.into_inner().data),
            Self::Packing => json!(client.packing_list(at.id).send().await?.into_inner().data),
        })
    }

    pub(super) async fn sdk_add(self, client: &Client, at: &Versioned<Itinerary>, body: Value) -> Changed {
        let (id, tag) = (at.id, at.etag());
        match self {
            Self::Flights => client.flight_add(id, tag, typed::<types::FlightInput>(body)).send().await,
            Self::Hotels => client.hotel_add(id, tag, typed::<types::HotelInput>(body)).send().await,
            Self::Transports => client.transport_add(id, tag, typed::<types::TransportInput>(body)).send().await,
            Self::Reservations => client.reservation_add(id, tag, typed::<types::ReservationInput>(body)).send().await,
            Self::Expenses => client.expense_add(id, tag, typed::<types::ExpenseInput>(body)).send().await,
            Self::Packing => client.packing_add(id, tag, typed::<types::PackingItemInput>(body)).send().await,
        }
    }

    pub(super) async fn sdk_update(
        self,
        client: &Client,
        at: &Versioned<Itinerary>,
        item: &str,
        body: Value,
    ) -> Changed {
        let (id, tag) = (at.id, at.etag());
        match self {
            Self::Flights => {
                let body = typed::<types::FlightPatch>(body);
                client.flight_update(id, item, tag, body).send().await
            }
            Self::Hotels => {
                let body = typed::<types::HotelPatch>(body);
                client.hotel_update(id, item, tag, body).send().await
            }
            Self::Transports => {
                let body = typed::<types::TransportPatch>(body);
                client.transport_update(id, item, tag, body).send().await
            }
            Self::Reservations => {
                let body = typed::<types::ReservationPatch>(body);
                client.reservation_update(id, item, tag, body).send().await
            }
            Self::Expenses => {
                let body = typed::<types::ExpensePatch>(body);
                client.expense_update(id, item, tag, body).send().await
            }
            Self::Packing => {
                let body = typed::<types::PackingItemPatch>(body);
                client.packing_update(id, item, tag, body).send().await
            }
        }
    }

    pub(super) async fn sdk_remove(self, client: &Client, at: &Versioned<Itinerary>, item: &str) -> Changed {
        let (id, tag) = (at.id, at.etag());
        match self {
            Self::Flights => client.flight_remove(id, item, tag).send().await,
            Self::Hotels => client.hotel_remove(id, item, tag).send().await,
            Self::Transports => client.transport_remove(id, item, tag).send().await,
            Self::Reservations => client.reservation_remove(id, item, tag).send().await,
            Self::Expenses => client.expense_remove(id, item, tag).send().await,
            Self::Packing => client.packing_remove(id, item, tag).send().await,
        }
    }
}
