//! Pages for people: plain HTML that works without scripts, one style sheet, nothing from other sites but the tiles of a
//! street map, if the operator has set one.
//!
//! The headers of every page forbid scripts, framing and caching, and send no referrer to other sites.

mod account;
mod advice;
mod apps;
mod blocks;
mod calendar;
mod cards;
mod confirm;
mod consent;
mod data;
mod delete;
mod email;
mod failure;
mod forgot_password;
mod home;
mod invitations;
mod link;
mod moderation;
mod one_time_codes;
mod passkey;
mod passkeys;
mod password;
mod provider;
mod refusal;
mod reset_password;
mod second_step;
mod security_log;
mod sign_in;
mod sign_in_methods;
mod sign_out;
mod sign_up;
mod site_files;
mod suspended;
mod tokens;
mod trip;
mod trip_history;
mod trips;

use askama::Template;
use bytes::Bytes;
use chrono::{DateTime, Utc};
use form_urlencoded::Serializer;
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, LOCATION, REFERRER_POLICY, SET_COOKIE,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use http::{HeaderValue, Response, StatusCode};
use itinerary_core::cursor;
use itinerary_platform::context::Service;
use itinerary_platform::settings::SignUpMode;
use itinerary_store::StoreError;
use uuid::Uuid;

use super::sessions::Session;
use super::store_failed;

pub use account::account;
pub use apps::apps;
pub use blocks::blocks;
pub use calendar::calendar;
pub use confirm::confirm;
pub(super) use consent::{Asked, DECISION_FIELD, REQUEST_FIELD, consent};
pub use data::{data, data_download};
pub use delete::delete;
pub use email::{email, verify_email};
pub use failure::failed_for;
pub use forgot_password::forgot_password;
pub use home::{home, icon, script, style};
pub use invitations::invitations;
pub use link::{link, link_file};
pub use moderation::{moderation, moderation_invitations, moderation_itinerary};
pub use one_time_codes::one_time_codes;
pub use passkeys::passkeys;
pub use password::password;
pub use provider::{provider_account, provider_callback, provider_sign_in};
pub(crate) use refusal::refused;
pub use reset_password::reset_password;
pub use security_log::security_log;
pub use sign_in::sign_in;
pub use sign_in_methods::sign_in_methods;
pub use sign_out::sign_out;
pub use sign_up::sign_up;
pub use site_files::{favicon, logo, passkeys_script, robots};
pub use suspended::appeal;
pub use tokens::tokens;
pub use trip::{trip, trip_file, trip_like, trip_save, trip_style};
pub use trip_history::trip_history;
pub use trips::trips;

/// Where a traveller continues after sign-in by default.
const AFTER_SIGN_IN: &str = "/";

/// The message above a form of another or an expired session.
const OUT_OF_DATE: &str = "This page was out of date. Please try once more.";
/// The rules of a new password, which [`itinerary_app::accounts`] checks.
const PASSWORD_RULES: &str = "8 to 200 characters. Not your username, and none that many people use.";
/// The message at a field that asks for the password again.
const WRONG_PASSWORD: &str = "Wrong password.";

/// Whether everyone can create an account, so that pages link to it.
fn can_sign_up(service: &Service) -> bool {
    let settings = &service.config.sign_in;
    settings.sign_up == SignUpMode::Open && (settings.password_sign_in || makes_accounts(service))
}

/// Whether an account can be created with an identity at a provider.
fn makes_accounts(service: &Service) -> bool {
    service.ports.sign_in_providers.iter().any(|provider| provider.settings.create_accounts)
}

/// The header of every page: who is signed in.
struct Frame {
    viewer: Option<String>,
}

impl Frame {
    fn of(session: Option<&Session>) -> Self {
        Self { viewer: session.map(|session| session.account.display_name.clone()) }
    }

    /// For a page that does not show who is signed in.
    fn bare() -> Self {
        Self { viewer: None }
    }
}

/// A field of a form.
struct InputField<'a> {
    name: &'static str,
    label: &'static str,
    kind: &'static str,
    autocomplete: &'static str,
    hint: &'static str,
    value: &'a str,
    error: Option<String>,
    /// Whether the field has the focus when the page opens.
    focus: bool,
}

impl InputField<'_> {
    /// An empty password field. A password is never sent back.
    const fn password(name: &'static str, label: &'static str, autocomplete: &'static str) -> Self {
        Self { name, label, kind: "password", autocomplete, hint: "", value: "", error: None, focus: false }
    }

    /// The field with an error. It has the focus, so that it can be corrected at once.
    fn with_error(self, error: Option<&str>) -> Self {
        Self { error: error.map(str::to_owned), focus: error.is_some(), ..self }
    }
}

/// The longest name of an app on a page, in characters.
const APP_NAME: usize = 60;

/// An app's name apart from the page's own words: in quotes, on one line, not too long. Anyone may register any name.
fn quoted(name: &str) -> String {
    let words: Vec<_> = name.split_whitespace().collect();
    let line = words.join(" ").replace(['"', '“', '”', '„', '‟', '«', '»'], "'");
    match line.char_indices().nth(APP_NAME) {
        Some((end, _)) => format!("“{}…”", line[..end].trim_end()),
        None => format!("“{line}”"),
    }
}

/// A day, for people and for machines.
struct PageDate {
    text: String,
    machine: String,
}

impl PageDate {
    fn of(at: DateTime<Utc>) -> Self {
        Self { text: at.format("%-d %B %Y").to_string(), machine: at.format("%Y-%m-%d").to_string() }
    }
}

/// A time in UTC, for people and for machines. `page.js` shows it in the reader's time zone.
struct PageTime {
    text: String,
    machine: String,
}

impl PageTime {
    fn of(at: DateTime<Utc>) -> Self {
        Self {
            text: at.format("%-d %B %Y, %H:%M UTC").to_string(),
            machine: at.format("%Y-%m-%dT%H:%M:%SZ").to_string(),
        }
    }
}

/// The number of entries on a page of a list.
const SHOWN: u32 = 20;

/// The position after which the next page of a list starts.
type After = (DateTime<Utc>, Uuid);

/// Cuts off the row that only tells that there are more than `shown`. Returns the address of the next page, if any.
fn next_page<T>(
    service: &Service,
    list: &str,
    page: &str,
    shown: u32,
    rows: &mut Vec<T>,
    position: impl FnOnce(&T) -> After,
) -> Option<String> {
    let has_more = rows.len() > shown as usize;
    rows.truncate(shown as usize);
    let after = position(rows.last().filter(|_| has_more)?);
    let cursor = cursor::seal(&service.key, list, &after, &*service.random);
    Some(format!("{page}?{}", Serializer::new(String::new()).append_pair("after", &cursor).finish()))
}

/// Renders a page with a status.
fn page(status: StatusCode, template: &impl Template) -> Response<Bytes> {
    page_posting_to(status, template, "")
}

/// Renders a page whose form may also lead to these origins.
fn page_posting_to(status: StatusCode, template: &impl Template, origins: &str) -> Response<Bytes> {
    let html = template.render().expect("templates are rendered to memory");
    let mut response = Response::new(Bytes::from(html));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    protect(&mut response, origins);
    response
}

/// Allows the page to load scripts of this site: `/page.js`, `/passkeys.js`. Most pages have no script, and their policy forbids any.
fn with_script(mut response: Response<Bytes>) -> Response<Bytes> {
    if let Some(policy) = response.headers_mut().get_mut(CONTENT_SECURITY_POLICY) {
        let allowed = policy.to_str().map(|policy| format!("{policy}; script-src 'self'"));
        *policy = HeaderValue::from_str(&allowed.expect("ASCII")).expect("ASCII");
    }
    response
}

/// Allows the page to load images of this origin too.
fn with_images_of(mut response: Response<Bytes>, origin: &str) -> Response<Bytes> {
    if let Some(policy) = response.headers_mut().get_mut(CONTENT_SECURITY_POLICY) {
        let own = policy.to_str().expect("ASCII");
        let allowed = own.replace(IMAGES, &format!("{IMAGES} {origin}"));
        *policy = HeaderValue::from_str(&allowed).expect("origins were checked to be plain ASCII");
    }
    response
}

/// Redirects with `GET` to another address.
pub(super) fn see_other(address: &str) -> Response<Bytes> {
    let mut response = Response::new(Bytes::new());
    *response.status_mut() = StatusCode::SEE_OTHER;
    let location = HeaderValue::from_str(address).expect("addresses to go on to were checked to be plain ASCII");
    response.headers_mut().insert(LOCATION, location);
    protect(&mut response, "");
    response
}

/// The images that every page may load.
const IMAGES: &str = "img-src 'self'";

/// Adds the headers of every page. `origins` are other origins that its form may lead to.
pub(super) fn protect(response: &mut Response<Bytes>, origins: &str) {
    let policy = format!(
        "default-src 'none'; style-src 'self'; {IMAGES}; form-action 'self'{}{origins}; frame-ancestors 'none'; \
         base-uri 'none'",
        if origins.is_empty() { "" } else { " " }
    );
    let headers = response.headers_mut();
    headers.insert(
        CONTENT_SECURITY_POLICY,
        HeaderValue::from_str(&policy).expect("origins were checked to be plain ASCII"),
    );
    headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
}

/// Adds a cookie to the response, if there is one.
fn with_cookie(mut response: Response<Bytes>, cookie: Option<HeaderValue>) -> Response<Bytes> {
    if let Some(cookie) = cookie {
        response.headers_mut().append(SET_COOKIE, cookie);
    }
    response
}

/// The response, or a page that says that the service is temporarily unavailable.
fn or_unavailable(outcome: Result<Response<Bytes>, StoreError>) -> Response<Bytes> {
    outcome.unwrap_or_else(|error| refused(&store_failed(error), None))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stays_within_its_quotes_on_one_line() {
        for (name, shown) in [
            ("Trip Notes", "“Trip Notes”".to_owned()),
            ("Trip  \u{2003} Notes", "“Trip Notes”".to_owned()),
            ("Notes”? It is safe. “x", "“Notes'? It is safe. 'x”".to_owned()),
            (&"é".repeat(60), format!("“{}”", "é".repeat(60))),
            (&"é".repeat(61), format!("“{}…”", "é".repeat(60))),
        ] {
            assert_eq!(quoted(name), shown);
        }
    }
}
