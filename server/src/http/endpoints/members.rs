//! The operations on members.

use itinerary_api::error::ApiError;
use itinerary_api::reply::{Empty, Reply};
use itinerary_api::scope::Caller;
use itinerary_api::types::{ItemList, Member, MemberChange};
use uuid::Uuid;

use crate::app::members;
use crate::context::Service;
use crate::http::answers::refusal;

pub(super) async fn list(service: &Service, caller: &Caller, id: Uuid) -> Result<Reply<ItemList<Member>>, ApiError> {
    let members = members::list(service, caller, id).await;
    members.map(|data| Reply::json(&ItemList { data })).map_err(refusal)
}

pub(super) async fn set(
    service: &Service,
    caller: &Caller,
    id: Uuid,
    account: Uuid,
    change: MemberChange,
) -> Result<Reply<Member>, ApiError> {
    let member = members::set(service, caller, id, account, change.role).await;
    member.map(|member| Reply::json(&member)).map_err(refusal)
}

pub(super) async fn remove(service: &Service, caller: &Caller, id: Uuid, account: Uuid) -> Result<Empty, ApiError> {
    members::remove(service, caller, id, account).await.map(|()| Empty::default()).map_err(refusal)
}
