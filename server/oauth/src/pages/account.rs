use askama::Template;
use bytes::Bytes;
use http::{Method, Response, StatusCode};
use itinerary_api::extract::WebRequest;
use itinerary_app::{mails, personal_tokens};
use itinerary_model::Plan;
use itinerary_platform::context::Service;
use itinerary_store::StoreError;
use uuid::Uuid;

use super::confirm::has_password;
use super::{Frame, PageDate, or_unavailable, page, see_other};
use crate::forms::{self, Form, Guard};
use crate::sessions;

const NO_EMAIL: &str = "None yet: with one, you can set a new password if you forget yours";

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
    /// The e-mail address, or that there is none. `None` if there is no page for it.
    email: Option<String>,
    is_moderator: bool,
    guard: String,
    warnings: Vec<Warning>,
    notice: &'static str,
}

/// A message of a moderator.
struct Warning {
    id: Uuid,
    message: String,
    at: PageDate,
}

/// `/account`: name, plan, warnings of moderators, and links to what can be done with the account.
pub async fn account(service: &Service, request: &WebRequest) -> Response<Bytes> {
    or_unavailable(show(service, request).await)
}

async fn show(service: &Service, request: &WebRequest) -> Result<Response<Bytes>, StoreError> {
    let Some(session) = sessions::current(service, &request.headers).await? else {
        return Ok(see_other(&forms::with_next("/sign-in", Some("/account"))));
    };
    let account = &session.account;
    if request.method == Method::POST {
        let form = Form::from_body(request);
        if let Ok(id) = form.get("dismiss").parse()
            && Guard::session(&session).admits(service, &form)
        {
            service.store.warning_dismiss(id, account.id).await?;
        }
        return Ok(see_other("/account"));
    }
    let warnings = service.store.warnings(account.id).await?;
    let now = service.clock.now();
    let (tokens, expiring_tokens) =
        service.store.personal_token_counts(account.id, now, now + personal_tokens::EXPIRING).await?;
    let email = service.store.mail_address(account.id).await?.map(|row| row.address);
    let query = Form::from_query(request);
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
        is_moderator: account.moderator_since.is_some(),
        guard: Guard::session(&session).code(service),
        warnings: warnings
            .into_iter()
            .map(|row| Warning { id: row.id, message: row.message, at: PageDate::of(row.created_at) })
            .collect(),
        email: email.or_else(|| mails::is_on(service).then(|| NO_EMAIL.to_owned())),
        notice: if query.has("password") {
            "Your password is changed. You are signed out in every other browser."
        } else if query.has("email") {
            "Your e-mail address is verified."
        } else {
            ""
        },
    };
    Ok(page(StatusCode::OK, &template))
}
