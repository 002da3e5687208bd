use askama::Template;
use bytes::Bytes;
use http::{Response, StatusCode};
use itinerary_api::extract::WebRequest;
use itinerary_app::personal_tokens;
use itinerary_model::Plan;
use itinerary_platform::context::Service;
use itinerary_store::StoreError;

use super::confirm::has_password;
use super::{Frame, or_unavailable, page, see_other};
use crate::forms::{self, Form};
use crate::sessions;

#[derive(Template)]
#[template(path = "account.html")]
struct AccountPage<'a> {
    frame: Frame,
    username: &'a str,
    display_name: &'a str,
    is_pro: bool,
    since: String,
    apps: i64,
    invitations: i64,
    tokens: i64,
    expiring_tokens: i64,
    has_password: bool,
    notice: &'static str,
}

/// `/account`: name, plan, and links to what can be done with the account.
pub async fn account(service: &Service, request: &WebRequest) -> Response<Bytes> {
    or_unavailable(show(service, request).await)
}

async fn show(service: &Service, request: &WebRequest) -> Result<Response<Bytes>, StoreError> {
    let Some(session) = sessions::current(service, &request.headers).await? else {
        return Ok(see_other(&forms::with_next("/sign-in", Some("/account"))));
    };
    let account = &session.account;
    let now = service.clock.now();
    let (tokens, expiring_tokens) =
        service.store.personal_token_counts(account.id, now, now + personal_tokens::EXPIRING).await?;
    let template = AccountPage {
        frame: Frame::of(Some(&session)),
        username: &account.username,
        display_name: &account.display_name,
        is_pro: account.plan == Plan::Pro,
        since: account.created_at.format("%-d %B %Y").to_string(),
        apps: service.store.grant_count(account.id, now).await?,
        invitations: service.store.invitation_count(account.id).await?,
        tokens,
        expiring_tokens,
        has_password: has_password(service, account),
        notice: match Form::from_query(request).get("password") {
            "" => "",
            _ => "Your password is changed. You are signed out in every other browser.",
        },
    };
    Ok(page(StatusCode::OK, &template))
}
