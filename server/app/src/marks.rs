//! Marks: likes and dislikes of an itinerary. They do not change its version.

use itinerary_api::request_state::Caller;
use itinerary_api::types::Marks;
use itinerary_core::access::Act;
use itinerary_platform::context::Service;
use itinerary_store::{Mark, MarksRow};
use uuid::Uuid;

use super::itineraries::admit;
use super::{Error, Result};

pub async fn view(service: &Service, caller: &Caller, id: Uuid) -> Result<Marks> {
    admit(service, caller, id, Act::Mark).await?;
    Ok(marks(service.store.marks(id, caller.account).await?))
}

/// Likes or dislikes an itinerary. Each replaces the other.
pub async fn set(service: &Service, caller: &Caller, id: Uuid, mark: Mark) -> Result<Marks> {
    admit(service, caller, id, Act::Mark).await?;
    let set = service.store.mark_set(id, caller.account, mark, service.library_now().await?).await?;
    set.map(marks).ok_or(Error::NotFound)
}

/// Removes a like or a dislike.
pub async fn clear(service: &Service, caller: &Caller, id: Uuid, mark: Mark) -> Result<Marks> {
    admit(service, caller, id, Act::Mark).await?;
    service.store.mark_clear(id, caller.account, mark).await?.map(marks).ok_or(Error::NotFound)
}

fn marks(row: MarksRow) -> Marks {
    let MarksRow { liked, disliked, saved, likes, saves } = row;
    Marks { liked, disliked, saved, likes_count: likes, saves_count: saves }
}
