//! The page for an error of the authorisation endpoint.

use askama::Template;
use bytes::Bytes;
use http::{Response, StatusCode};
use itinerary_api::oauth_error::{OAuthError, OAuthErrorCode};

use super::{Frame, page};
use crate::sessions::Session;

#[derive(Template)]
#[template(path = "error.html")]
struct ErrorPage<'a> {
    frame: Frame,
    title: &'static str,
    advice: &'static str,
    error: &'a OAuthError,
}

pub(crate) fn refused(error: &OAuthError, session: Option<&Session>) -> Response<Bytes> {
    let (title, advice) = words(error);
    let mut response = page(error.status, &ErrorPage { frame: Frame::of(session), title, advice, error });
    response.headers_mut().extend(error.headers.iter().cloned());
    response
}

/// Title and advice for the traveller, who can usually only go back. The error below is for the app's developer.
fn words(error: &OAuthError) -> (&'static str, &'static str) {
    match (error.error, error.status) {
        (OAuthErrorCode::TemporarilyUnavailable, StatusCode::TOO_MANY_REQUESTS) => {
            ("One moment, please", "There were too many attempts in a short time. Wait a little, then try again.")
        }
        (OAuthErrorCode::TemporarilyUnavailable, _) => (
            "We will be right back",
            "Signing in is not possible at the moment. Nothing is lost; try again in a little while.",
        ),
        (_, StatusCode::FORBIDDEN) => (
            "This page is out of date",
            "You may have signed in or out since it was opened. Go back to the app and start again.",
        ),
        (OAuthErrorCode::InvalidClient, _) => (
            "We do not know this app",
            "It asked to be connected with your account, but we could not find out who it is.",
        ),
        _ => ("This app sent an invalid request", "Nothing was shared. Go back to the app and try again."),
    }
}
