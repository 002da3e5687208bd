//! References to cover images. The images are files outside the database.

use bytes::Bytes;
use uuid::Uuid;

use crate::query::query;
use crate::{Result, Store};

const SHOWING: &str = "SELECT everyone FROM itineraries WHERE cover_id = $1 ORDER BY created_at, id LIMIT 1";
const IN_USE: &str = "SELECT 1 FROM itineraries WHERE cover_id = $1 LIMIT 1";

impl Store {
    /// The public section (JSON) of the oldest itinerary with this cover image; `None` if there is none.
    pub async fn cover_shown_by(&self, cover: Uuid) -> Result<Option<Bytes>> {
        self.fetch_optional(&query!(SHOWING, cover)).await
    }

    pub async fn cover_in_use(&self, cover: Uuid) -> Result<bool> {
        self.exists(&query!(IN_USE, cover)).await
    }
}
