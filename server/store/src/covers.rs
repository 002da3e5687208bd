//! References to cover images. The images are files outside the database.

use bytes::Bytes;
use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::backup::{files_held, since};
use crate::query::{query, text};
use crate::{Result, Store};

const SHOWING: &str = "SELECT everyone FROM itineraries WHERE cover_id = $1 ORDER BY created_at, id LIMIT 1";
/// While a backup runs, every cover counts as used.
const IN_USE: &str =
    text!("SELECT 1 WHERE EXISTS (SELECT 1 FROM itineraries WHERE cover_id = $1) OR ", files_held!("$2"));

impl Store {
    /// The public section (JSON) of the oldest itinerary with this cover image; `None` if there is none.
    pub async fn cover_shown_by(&self, cover: Uuid) -> Result<Option<Bytes>> {
        self.fetch_optional(&query!(SHOWING, cover)).await
    }

    /// Whether an itinerary has this cover image, or a backup may need it.
    pub async fn cover_in_use(&self, cover: Uuid, now: DateTime<Utc>) -> Result<bool> {
        self.exists(&query!(IN_USE, cover, since(now))).await
    }
}
