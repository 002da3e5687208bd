//! The page for unknown addresses and other errors of the request pipeline in a browser.

use askama::Template;
use bytes::Bytes;
use http::{HeaderMap, Response, StatusCode};
use itinerary_platform::context::Service;

use super::{Frame, page};
use crate::sessions;

#[derive(Template)]
#[template(path = "failure.html")]
struct FailurePage<'a> {
    frame: Frame,
    title: &'static str,
    advice: &'static str,
    /// Lets operators find the error in the log.
    request_id: Option<&'a str>,
}

/// The page for an error with this status at this path, with the header of the traveller who sent the cookies. Errors of
/// the server are shown without: the database may be what failed.
pub async fn failed_for(
    service: &Service,
    cookies: &HeaderMap,
    status: StatusCode,
    path: &str,
    request_id: &str,
) -> Response<Bytes> {
    let session = if status.is_client_error() { sessions::current_or_none(service, cookies).await } else { None };
    let frame = Frame::of(session.as_ref());
    let (title, advice) = words(status, path);
    let request_id = status.is_server_error().then_some(request_id);
    page(status, &FailurePage { frame, title, advice, request_id })
}

fn words(status: StatusCode, path: &str) -> (&'static str, &'static str) {
    match status {
        StatusCode::NOT_FOUND if path.trim_start_matches('/').starts_with("documents/") => (
            "This link has expired",
            "A link to a document works for ten minutes. Go back to the app and open the document again.",
        ),
        StatusCode::NOT_FOUND => {
            ("Page not found", "There is nothing at this address. It may be mistyped, or the page may be gone.")
        }
        StatusCode::METHOD_NOT_ALLOWED => (
            "This address cannot be opened in a browser",
            "It is for apps. If you came here from a form, go back and send it again.",
        ),
        StatusCode::PAYLOAD_TOO_LARGE => ("That was too much", "Go back, enter less, and send it again."),
        StatusCode::REQUEST_TIMEOUT => {
            ("The connection was too slow", "What you sent did not arrive in time. Go back and send it again.")
        }
        StatusCode::TOO_MANY_REQUESTS => {
            ("One moment, please", "There were too many attempts in a short time. Wait a little, then try again.")
        }
        StatusCode::BAD_GATEWAY | StatusCode::SERVICE_UNAVAILABLE => (
            "We will be right back",
            "The service does not answer at the moment. Nothing is lost; try again in a little while.",
        ),
        status if status.is_server_error() => {
            ("Something went wrong", "The error is on our side, and it was recorded. Try again in a little while.")
        }
        _ => ("This did not work", "Go back and try again."),
    }
}
