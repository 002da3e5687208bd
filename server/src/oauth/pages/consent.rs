//! The page on which a traveller lets an app in, or does not.

use askama::Template;
use bytes::Bytes;
use http::{Response, StatusCode};
use itinerary_core::oauth::authorise::AuthoriseRequest;
use itinerary_core::oauth::scopes::{ScopeList, consent_words};
use itinerary_core::oauth::{client_document, redirect};
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
    /// The host of the metadata document, if the client has one.
    publisher: Option<&'a str>,
    host: &'a str,
    on_this_machine: bool,
    /// What the traveller has allowed before, if the app asks for more.
    kept: Vec<(&'static str, &'static str)>,
    /// What is asked for besides.
    scopes: Vec<(&'static str, &'static str)>,
    username: &'a str,
    sign_out: String,
}

/// What the traveller is asked.
pub(in crate::oauth) struct Asked<'a> {
    /// The request.
    pub(in crate::oauth) request: &'a AuthoriseRequest,
    /// What the traveller has allowed the client before.
    pub(in crate::oauth) granted: &'a ScopeList,
    /// The request as it travels with the form.
    pub(in crate::oauth) sealed: &'a str,
}

/// The page for a request. `here` is the page's own address.
pub(in crate::oauth) fn consent(
    service: &Service,
    session: &Session,
    client: &Client,
    asked: &Asked<'_>,
    here: &str,
) -> Response<Bytes> {
    let Asked { request, granted, sealed } = asked;
    let (new, kept) = request.scopes.step_up(granted);
    let template = ConsentPage {
        frame: Frame::of(Some(session)),
        guard: Guard::session(session).code(service),
        request_field: REQUEST_FIELD,
        decision_field: DECISION_FIELD,
        sealed,
        client: &client.name,
        publisher: client_document::host(&client.id),
        host: redirect::host(&request.redirect_uri),
        on_this_machine: redirect::is_loopback(&request.redirect_uri),
        kept: kept.into_iter().map(consent_words).collect(),
        scopes: new.into_iter().map(consent_words).collect(),
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
