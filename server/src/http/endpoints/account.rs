//! The operations on the own account.

use itinerary_api::error::ApiError;
use itinerary_api::reply::Reply;
use itinerary_api::scope::Caller;
use itinerary_api::types::{self, Place};
use itinerary_api::values::Timestamp;
use itinerary_store::{Account, Plan};

use crate::app::Error;
use crate::context::Service;
use crate::http::answers::refusal;

pub(super) async fn view_self(service: &Service, caller: &Caller) -> Result<Reply<types::Account>, ApiError> {
    let account = service.store.account(caller.account).await.map_err(Error::from);
    let account = account.and_then(|account| account.ok_or(Error::NotFound)).map_err(refusal)?;
    Ok(Reply::json(&wire(account, caller).map_err(refusal)?))
}

fn wire(account: Account, caller: &Caller) -> Result<types::Account, Error> {
    let home_place: Option<Place> = account
        .home_place
        .map(|json| serde_json::from_str(&json))
        .transpose()
        .map_err(|error| Error::Corrupt(error.to_string()))?;
    let plan = match account.plan {
        Plan::Free => types::Plan::Free,
        Plan::Pro => types::Plan::Pro,
    };
    Ok(types::Account {
        account_id: account.id,
        username: account.username,
        display_name: account.display_name,
        image_url: account.image_url,
        is_pro: plan == types::Plan::Pro,
        plan,
        home_place,
        scopes: caller.scopes.iter().map(|scope| scope.to_string()).collect(),
        created_at: Timestamp(account.created_at),
    })
}
