//! Which cover images are in use. The images themselves are files, which this crate does not know.

use bytes::Bytes;
use uuid::Uuid;

use crate::query::query;
use crate::{Result, Store};

const SHOWING: &str = "SELECT everyone FROM itineraries WHERE cover_id = $1 ORDER BY created_at, id LIMIT 1";
const IN_USE: &str = "SELECT 1 FROM itineraries WHERE cover_id = $1 LIMIT 1";

impl Store {
    /// What everyone is shown of the oldest itinerary that has this cover image, as JSON; `None` if none has.
    pub async fn cover_shown_by(&self, cover: Uuid) -> Result<Option<Bytes>> {
        self.fetch_optional(&query!(SHOWING, cover)).await
    }

    /// Whether an itinerary has this cover image.
    pub async fn cover_in_use(&self, cover: Uuid) -> Result<bool> {
        self.exists(&query!(IN_USE, cover)).await
    }
}
