//! The consent page, on which a traveller approves or denies an app's request.

use askama::Template;
use bytes::Bytes;
use http::{Response, StatusCode};
use itinerary_core::oauth::authorise::AuthoriseRequest;
use itinerary_core::oauth::scopes::{ScopeList, consent_words};
use itinerary_core::oauth::{client_document, redirect};
use itinerary_platform::context::Service;
use itinerary_store::Client;

use super::{Frame, page_posting_to, quoted};
use crate::forms::{Guard, with_next};
use crate::reference_client;
use crate::sessions::Session;

/// The form field with the sealed request.
pub(crate) const REQUEST_FIELD: &str = "request";
/// The form field with the decision.
pub(crate) const DECISION_FIELD: &str = "decision";

#[derive(Template)]
#[template(path = "consent.html")]
struct ConsentPage<'a> {
    frame: Frame,
    guard: String,
    request_field: &'static str,
    decision_field: &'static str,
    sealed: &'a str,
    /// The app's name, quoted.
    client: String,
    /// The host of the client's metadata document, if it has one.
    publisher: Option<&'a str>,
    host: &'a str,
    /// Whether the app is the reference pages of this server.
    is_reference: bool,
    on_this_machine: bool,
    /// The scopes granted before, if the app asks for more.
    kept: Vec<(&'static str, &'static str)>,
    /// The new scopes.
    scopes: Vec<(&'static str, &'static str)>,
    username: &'a str,
    sign_out: String,
}

/// The data of the consent page.
pub(crate) struct Asked<'a> {
    pub request: &'a AuthoriseRequest,
    /// The scopes that the client already has.
    pub(crate) granted: &'a ScopeList,
    /// The sealed request that the form carries.
    pub(crate) sealed: &'a str,
}

/// Renders the page for a request. `here` is the page's own address.
pub(crate) fn consent(
    service: &Service,
    session: &Session,
    client: &Client,
    asked: &Asked<'_>,
    here: &str,
) -> Response<Bytes> {
    let Asked { request, granted, sealed } = asked;
    let (new, kept) = request.scopes.step_up(granted);
    let is_reference = reference_client::leads_to_reference(service, client, &request.redirect_uri);
    let template = ConsentPage {
        frame: Frame::of(Some(session)),
        guard: Guard::session(session).code(service),
        request_field: REQUEST_FIELD,
        decision_field: DECISION_FIELD,
        sealed,
        client: quoted(&client.name),
        publisher: client_document::host(&client.id),
        host: redirect::host(&request.redirect_uri),
        is_reference,
        on_this_machine: !is_reference && redirect::is_loopback(&request.redirect_uri),
        kept: kept.into_iter().map(consent_words).collect(),
        scopes: new.into_iter().map(consent_words).collect(),
        username: &session.account.username,
        sign_out: with_next("/sign-out", Some(here)),
    };
    page_posting_to(StatusCode::OK, &template, &form_targets(&request.redirect_uri))
}

/// Other origins for the page's `form-action`. Some browsers apply it to every redirect that follows the form: to the
/// app's redirect URI, and to wherever the app redirects over https.
fn form_targets(redirect_uri: &str) -> String {
    // A policy cannot contain an IPv6 address; `https:` allows it.
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
