//! The operations on travellers: the own account, others' profiles, following.

use itinerary_api::error::ApiError;
use itinerary_api::reply::{Empty, Reply};
use itinerary_api::scope::Caller;
use itinerary_api::types::{Account, AccountListQuery, AccountPatch, ListedItinerary, Page, PageQuery, Profile};
use uuid::Uuid;

use crate::app;
use crate::app::people::{self, Side};
use crate::context::Service;
use crate::http::answers::{refusal, reply};

pub(super) async fn own(service: &Service, caller: &Caller) -> Result<Reply<Account>, ApiError> {
    people::own(service, caller).await.map(|account| Reply::json(&account)).map_err(refusal)
}

pub(super) async fn change_own(
    service: &Service,
    caller: &Caller,
    patch: AccountPatch,
) -> Result<Reply<Account>, ApiError> {
    people::change_own(service, caller, patch).await.map(|account| Reply::json(&account)).map_err(refusal)
}

pub(super) async fn view(service: &Service, caller: &Caller, account: Uuid) -> Result<Reply<Profile>, ApiError> {
    people::view(service, caller, account).await.map(|profile| Reply::json(&profile)).map_err(refusal)
}

pub(super) async fn find(service: &Service, caller: &Caller, username: &str) -> Result<Reply<Profile>, ApiError> {
    people::find(service, caller, username).await.map(|profile| Reply::json(&profile)).map_err(refusal)
}

pub(super) async fn itineraries(
    service: &Service,
    caller: &Caller,
    account: Uuid,
    query: AccountListQuery,
) -> Result<Reply<Page<ListedItinerary>>, ApiError> {
    app::list_of(service, caller, account, query).await.map(reply).map_err(refusal)
}

pub(super) async fn follow(service: &Service, caller: &Caller, account: Uuid) -> Result<Empty, ApiError> {
    people::follow(service, caller, account).await.map(|()| Empty::default()).map_err(refusal)
}

pub(super) async fn unfollow(service: &Service, caller: &Caller, account: Uuid) -> Result<Empty, ApiError> {
    people::unfollow(service, caller, account).await.map(|()| Empty::default()).map_err(refusal)
}

pub(super) async fn remove_follower(service: &Service, caller: &Caller, account: Uuid) -> Result<Empty, ApiError> {
    people::remove_follower(service, caller, account).await.map(|()| Empty::default()).map_err(refusal)
}

pub(super) async fn list(
    service: &Service,
    caller: &Caller,
    account: Uuid,
    side: Side,
    query: PageQuery,
) -> Result<Reply<Page<Profile>>, ApiError> {
    people::list(service, caller, account, side, query).await.map(|page| Reply::json(&page)).map_err(refusal)
}
