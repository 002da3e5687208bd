//! Personal access tokens: the list, making one, and revoking one. The page asks again who is there.

use askama::Template;
use bytes::Bytes;
use chrono::{DateTime, NaiveDate, NaiveTime, TimeDelta, Utc};
use http::{Method, Response, StatusCode};
use itinerary_api::extract::WebRequest;
use itinerary_api::policy::Scope;
use itinerary_app::audit::Event;
use itinerary_app::personal_tokens::{self, MadeToken, TokenError};
use itinerary_core::oauth::scopes::{ScopeList, consent_words};
use itinerary_platform::context::Service;
use itinerary_store::{PERSONAL_TOKENS, PersonalToken, StoreError};
use uuid::Uuid;

use super::confirm::required;
use super::{Frame, InputField, OUT_OF_DATE, PageDate, or_unavailable, page, quoted, see_other, with_script};
use crate::audited::{audited, audited_app};
use crate::forms::{self, Form, Guard};
use crate::sessions::{self, Session};

const HERE: &str = "/account/tokens";
/// Where the browser is redirected after a token was revoked, so that reloading does not repeat it.
const REVOKED: &str = "/account/tokens?revoked=1";
/// The lifetimes that the form offers, in days.
const LIFETIMES: [i64; 3] = [30, 90, 365];
/// The lifetime that is chosen first.
const LIFETIME: &str = "90";
/// The choice of a last day instead of a lifetime.
const UNTIL: &str = "date";

#[derive(Template)]
#[template(path = "tokens.html")]
struct TokensPage<'a> {
    frame: Frame,
    guard: String,
    alert: &'a str,
    notice: &'static str,
    /// The token that was just made.
    made: Option<&'a str>,
    tokens: Vec<Token>,
    maximum: i64,
    name: InputField<'a>,
    scopes: Vec<ScopeChoice>,
    scopes_error: Option<&'a str>,
    lifetimes: [(i64, bool); 3],
    until: bool,
    date: &'a str,
    expiry_error: Option<&'a str>,
}

/// A token in the list.
struct Token {
    id: String,
    name: String,
    allowed: Vec<&'static str>,
    since: PageDate,
    used: Option<PageDate>,
    expires: PageDate,
    state: &'static str,
}

struct ScopeChoice {
    name: &'static str,
    title: &'static str,
    detail: &'static str,
    checked: bool,
}

/// A message at a field of the form.
#[derive(Default)]
struct Errors<'a> {
    name: Option<&'a str>,
    scopes: Option<&'a str>,
    expiry: Option<&'a str>,
}

/// `/account/tokens`: the list, making and revoking tokens.
pub async fn tokens(service: &Service, request: &WebRequest) -> Response<Bytes> {
    or_unavailable(respond(service, request).await)
}

async fn respond(service: &Service, request: &WebRequest) -> Result<Response<Bytes>, StoreError> {
    let Some(session) = sessions::current(service, &request.headers).await? else {
        return Ok(see_other(&forms::with_next("/sign-in", Some(HERE))));
    };
    let view = View { service, session: &session };
    let is_submitted = request.method == Method::POST;
    let form = if is_submitted { Form::from_body(request) } else { Form::default() };
    // Whoever sees a token misused should not have to wait for a provider.
    if !form.has("revoke")
        && let Some(confirm) = required(service, &session, HERE).await?
    {
        return Ok(confirm);
    }
    if !is_submitted {
        let notice = match Form::from_query(request).get("revoked") {
            "" => "",
            _ => "The token is revoked and can no longer be used.",
        };
        return view.show(StatusCode::OK, &Form::default(), ("", notice), &Errors::default(), None).await;
    }
    if !Guard::session(&session).admits(service, &form) {
        return view.show(StatusCode::FORBIDDEN, &form, (OUT_OF_DATE, ""), &Errors::default(), None).await;
    }
    if form.has("revoke") {
        if let Ok(id) = form.get("revoke").parse::<Uuid>() {
            // Changes nothing if the token is gone or belongs to another account.
            if service.store.personal_token_revoke(session.account.id, id).await? {
                audited_app(service, request, session.account.id, Event::TokenRevoked, &format!("pat_{id}")).await;
            }
        }
        return Ok(see_other(REVOKED));
    }
    view.make(request, &form).await
}

/// What the page shows, and to whom.
struct View<'a> {
    service: &'a Service,
    session: &'a Session,
}

impl View<'_> {
    async fn make(&self, request: &WebRequest, form: &Form) -> Result<Response<Bytes>, StoreError> {
        let Some(expires_at) = expiry(form, self.service.clock.now()) else {
            let errors = Errors { expiry: Some("Choose a date after today and within a year."), ..Errors::default() };
            return self.show(StatusCode::UNPROCESSABLE_ENTITY, form, ("", ""), &errors, None).await;
        };
        let chosen: Vec<_> = Scope::ALL.iter().map(|scope| scope.as_str()).filter(|scope| form.has(scope)).collect();
        let (account, session) = (self.session.account.id, Some(&self.session.hash));
        let (name, scopes) = (form.get("name"), chosen.join(" "));
        let made = personal_tokens::create(self.service, account, session, name, &scopes, expires_at).await;
        match made {
            Ok(made) => {
                audited(self.service, request, account, Event::TokenMade, form.get("name").trim()).await;
                self.show(StatusCode::OK, &Form::default(), ("", ""), &Errors::default(), Some(&made)).await
            }
            Err(TokenError::Invalid { field, message }) => {
                let message = Some(&*message);
                let errors = match field {
                    "name" => Errors { name: message, ..Errors::default() },
                    "scopes" => Errors { scopes: message, ..Errors::default() },
                    _ => Errors { expiry: message, ..Errors::default() },
                };
                self.show(StatusCode::UNPROCESSABLE_ENTITY, form, ("", ""), &errors, None).await
            }
            Err(TokenError::Full) => {
                let alert = format!("You have {PERSONAL_TOKENS} tokens. Revoke one, then make another.");
                self.show(StatusCode::UNPROCESSABLE_ENTITY, form, (&alert, ""), &Errors::default(), None).await
            }
            Err(TokenError::NoAccount) => Ok(see_other(&forms::with_next("/sign-in", Some(HERE)))),
            Err(TokenError::Store(error)) => Err(error),
        }
    }

    async fn show(
        &self,
        status: StatusCode,
        form: &Form,
        (alert, notice): (&str, &'static str),
        errors: &Errors<'_>,
        made: Option<&MadeToken>,
    ) -> Result<Response<Bytes>, StoreError> {
        let Self { service, session } = self;
        let now = service.clock.now();
        let tokens = service.store.personal_tokens(session.account.id).await?;
        let lifetime = if form.has("lifetime") { form.get("lifetime") } else { LIFETIME };
        let scopes = Scope::ALL.iter().map(|scope| {
            let (title, detail) = consent_words(*scope);
            ScopeChoice { name: scope.as_str(), title, detail, checked: form.has(scope.as_str()) }
        });
        let template = TokensPage {
            frame: Frame::of(Some(session)),
            guard: Guard::session(session).code(service),
            alert,
            notice,
            made: made.map(|made| made.token.as_str()),
            tokens: tokens.iter().map(|token| Token::of(token, now)).collect(),
            maximum: PERSONAL_TOKENS,
            name: InputField {
                name: "name",
                label: "Name",
                kind: "text",
                autocomplete: "off",
                hint: "The program that will use the token, at most 100 characters.",
                value: form.get("name"),
                error: None,
                focus: false,
            }
            .with_error(errors.name),
            scopes: scopes.collect(),
            scopes_error: errors.scopes,
            lifetimes: LIFETIMES.map(|days| (days, lifetime == days.to_string())),
            until: lifetime == UNTIL,
            date: form.get("date"),
            expiry_error: errors.expiry,
        };
        Ok(with_script(page(status, &template)))
    }
}

/// The expiry that the form asks for, if it is well-formed. Making the token checks its range.
fn expiry(form: &Form, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    if form.get("lifetime") == UNTIL {
        let date = NaiveDate::parse_from_str(form.get("date"), "%Y-%m-%d").ok()?;
        return personal_tokens::end_of(date);
    }
    let days = LIFETIMES.into_iter().find(|days| form.get("lifetime") == days.to_string())?;
    Some(now + TimeDelta::days(days))
}

impl Token {
    fn of(token: &PersonalToken, now: DateTime<Utc>) -> Self {
        let used = personal_tokens::last_used_on(token).map(|day| day.and_time(NaiveTime::MIN).and_utc());
        Self {
            id: token.id.to_string(),
            name: quoted(&token.name),
            allowed: ScopeList::known(&token.scope).scopes().map(|scope| consent_words(scope).0).collect(),
            since: PageDate::of(token.created_at),
            used: used.map(PageDate::of),
            expires: PageDate::of(token.expires_at),
            state: match token {
                _ if token.expires_at <= now => "Expired",
                _ if personal_tokens::is_expiring(token, now) => "Expires within a week",
                _ => "",
            },
        }
    }
}
