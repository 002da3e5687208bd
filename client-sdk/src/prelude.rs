//! What nearly every program uses: the client, the traits whose methods are called on requests and errors, and the error
//! codes. The types of requests and responses are in [`types`](crate::types).
//!
//! ```
//! use itinerary_sdk::prelude::*;
//! use itinerary_sdk::types::*;
//!
//! async fn titles(client: &Client) -> Result<Vec<String>, ApiError> {
//!     let trips: Vec<ListedItinerary> = client.itineraries().list().stream().try_collect().await?;
//!     Ok(trips.into_iter().map(|trip| trip.title).collect())
//! }
//! ```

pub use crate::{
    ApiError, Client, EditError, ErrorExt, FeedError, IfMatch, Nullable, Open, Paged, TryStreamExt, Uuid, Versioned,
    code,
};
