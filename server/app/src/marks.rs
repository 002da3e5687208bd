//! Marks: likes and dislikes of an itinerary. They do not change its version.

use itinerary_api::types::Marks;
use itinerary_core::access::Act;
use itinerary_platform::context::Service;
use itinerary_store::{Mark, MarksRow};
use uuid::Uuid;

use super::itineraries::{Reader, admit};
use super::{Error, Result};

pub async fn view(service: &Service, reader: impl Into<Reader>, id: Uuid) -> Result<Marks> {
    let reader = reader.into();
    admit(service, reader, id, Act::Mark).await?;
    Ok(marks(service.store.marks(id, reader.account).await?))
}

/// Likes or dislikes an itinerary. Each replaces the other.
pub async fn set(service: &Service, reader: impl Into<Reader>, id: Uuid, mark: Mark) -> Result<Marks> {
    let reader = reader.into();
    admit(service, reader, id, Act::Mark).await?;
    let set = service.store.mark_set(id, reader.account, mark, service.library_now().await?).await?;
    set.map(marks).ok_or(Error::NotFound)
}

/// Removes a like or a dislike.
pub async fn clear(service: &Service, reader: impl Into<Reader>, id: Uuid, mark: Mark) -> Result<Marks> {
    let reader = reader.into();
    admit(service, reader, id, Act::Mark).await?;
    service.store.mark_clear(id, reader.account, mark).await?.map(marks).ok_or(Error::NotFound)
}

fn marks(row: MarksRow) -> Marks {
    let MarksRow { liked, disliked, copy, likes, saves } = row;
    Marks { liked, disliked, saved: copy.is_some(), likes_count: likes, saves_count: saves }
}
