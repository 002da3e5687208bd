//! A page for somebody who cannot go on, with advice: usually to ask the person who runs the service.

use askama::Template;
use bytes::Bytes;
use http::{Response, StatusCode};
use itinerary_platform::context::Service;
use itinerary_platform::settings::Contact;

use super::{Frame, page};
use crate::forms;

#[derive(Template)]
#[template(path = "advice.html")]
struct AdvicePage<'a> {
    frame: Frame,
    title: &'static str,
    advice: &'static str,
    contact: Option<&'a Contact>,
    /// Where one continues, instead of signing in: an address and its name.
    link: Option<(&'static str, &'static str)>,
    sign_in: String,
}

/// The page with this title and advice, and the operator's contact. `next` is where to continue after sign-in.
pub(super) fn advice(
    service: &Service,
    status: StatusCode,
    title: &'static str,
    advice: &'static str,
    next: Option<&str>,
) -> Response<Bytes> {
    let template = AdvicePage {
        frame: Frame::bare(),
        title,
        advice,
        contact: service.config.sign_in.contact.as_ref(),
        link: None,
        sign_in: forms::with_next("/sign-in", next),
    };
    page(status, &template)
}

/// The page with this title and advice, for somebody who can go on by themselves at a page of this server.
pub(super) fn advice_with_link(
    status: StatusCode,
    title: &'static str,
    advice: &'static str,
    link: (&'static str, &'static str),
) -> Response<Bytes> {
    let template =
        AdvicePage { frame: Frame::bare(), title, advice, contact: None, link: Some(link), sign_in: String::new() };
    page(status, &template)
}
