//! The page on which a traveller lets an app in, or does not.

use askama::Template;
use bytes::Bytes;
use http::{Response, StatusCode};
use itinerary_core::oauth::authorise::AuthoriseRequest;
use itinerary_core::oauth::redirect;
use itinerary_core::oauth::scopes::consent_words;
use itinerary_store::Client;

use super::{Frame, page_posting_to};
use crate::context::Service;
use crate::oauth::forms::{Guard, with_next};
use crate::oauth::sessions::Session;

/// The field of the form that carries the sealed request.
pub(in crate::oauth) const REQUEST_FIELD: &str = "request";
/// The field of the form that carries the decision.
pub(in crate::oauth) const DECISION_FIELD: &str = "decision";

#[derive(Template)]
#[template(path = "consent.html")]
struct ConsentPage<'a> {
    frame: Frame,
    guard: String,
    request_field: &'static str,
    decision_field: &'static str,
    sealed: &'a str,
    client: &'a str,
    host: &'a str,
    on_this_machine: bool,
    scopes: Vec<(&'static str, &'static str)>,
    username: &'a str,
    sign_out: String,
}

/// The page for a request, which travels with the form sealed. `here` is the page's own address.
pub(in crate::oauth) fn consent(
    service: &Service,
    session: &Session,
    client: &Client,
    request: &AuthoriseRequest,
    sealed: &str,
    here: &str,
) -> Response<Bytes> {
    let template = ConsentPage {
        frame: Frame::of(Some(session)),
        guard: Guard::session(session).code(service),
        request_field: REQUEST_FIELD,
        decision_field: DECISION_FIELD,
        sealed,
        client: &client.name,
        host: redirect::host(&request.redirect_uri),
        on_this_machine: redirect::is_loopback(&request.redirect_uri),
        scopes: request.scopes.scopes().map(consent_words).collect(),
        username: &session.account.username,
        sign_out: with_next("/sign-out", Some(here)),
    };
    page_posting_to(StatusCode::OK, &template, &form_targets(&request.redirect_uri))
}

/// Where the consent form may lead besides this service. Some browsers hold the redirects after a form to the page's
/// `form-action`, to the last one of a chain: the app's own address, and wherever on https it sends its traveller then.
fn form_targets(redirect_uri: &str) -> String {
    // An IPv6 address cannot be written in a policy; `https:` allows it.
    match redirect::origin(redirect_uri) {
        origin if origin.contains('[') => "https:".to_owned(),
        origin => format!("{origin} https:"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_may_lead_to_the_app() {
        assert_eq!(form_targets("https://app.example:8443/cb?x=1"), "https://app.example:8443 https:");
        assert_eq!(form_targets("http://127.0.0.1:51004/cb"), "http://127.0.0.1:51004 https:");
        assert_eq!(form_targets("https://[2001:db8::1]/cb"), "https:");
    }
}
