//! The page of a secret link: an itinerary for everyone who has the link's address.
//!
//! It needs no account, and shows the same to everyone, except who is signed in and how they can like and save the trip. A
//! secret that is unknown, expired or revoked leads to the page for unknown addresses. Nothing is cached, and the address
//! is neither logged nor sent to other sites.

use bytes::Bytes;
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use http::{HeaderValue, Response, StatusCode};
use itinerary_api::extract::WebRequest;
use itinerary_api::types::ExportFormat;
use itinerary_app::Error;
use itinerary_app::itineraries::linked::{self, LinkMarking, Linked};
use itinerary_core::file_name;
use itinerary_export::html;
use itinerary_platform::context::Service;
use itinerary_platform::limits::Bucket;

use super::trip::{TripPage, cover, failed_with, over_limit};
use super::{Frame, page, protect, with_script};
use crate::forms;
use crate::sessions::{self, Session};

/// `/t/{secret}`: an itinerary as a link shows it.
pub async fn link(service: &Service, secret: &str, request: &WebRequest) -> Response<Bytes> {
    counted(service, request, Box::pin(show(service, secret, request))).await
}

/// `/t/{secret}/trip.ics` and `/t/{secret}/trip.gpx`: what the page shows, for calendars and devices.
pub async fn link_file(service: &Service, secret: &str, format: ExportFormat, request: &WebRequest) -> Response<Bytes> {
    counted(service, request, Box::pin(download(service, secret, format, request))).await
}

/// Answers a request, if the address may still read pages of links. No response is to be indexed.
async fn counted(
    service: &Service,
    request: &WebRequest,
    response: impl Future<Output = Result<Response<Bytes>, Error>>,
) -> Response<Bytes> {
    let verdict = service.limits.take(&[Bucket::SecretLink(request.address)], service.clock.now()).await;
    let mut response = if verdict.allowed {
        match response.await {
            Ok(response) => response,
            Err(error) => failed_with(service, request, error).await,
        }
    } else {
        over_limit(service, request, verdict).await
    };
    response.headers_mut().insert("x-robots-tag", HeaderValue::from_static("noindex"));
    response
}

async fn show(service: &Service, secret: &str, request: &WebRequest) -> Result<Response<Bytes>, Error> {
    let linked = linked::read(service, secret, request.address).await?;
    let session = sessions::current(service, &request.headers).await?;
    let own_page = format!("/trips/{}", linked.id());
    // Whoever may not see the trip's own page continues elsewhere.
    let sign_in = forms::with_next("/sign-in", Some(&*own_page).filter(|_| linked.is_open()));
    let marking = marking(service, &linked, session.as_ref(), &own_page).await?;
    let cover = cover(service, linked.itinerary());
    let (itinerary, article) = linked.article(service, format!("/t/{secret}"), cover, marking).await?;
    let template = TripPage {
        frame: Frame::of(session.as_ref()),
        alert: "",
        notice: "",
        title: html::title(&itinerary),
        description: html::description(&itinerary),
        open_address: None,
        is_public: false,
        sign_in: &sign_in,
        article: article.html,
    };
    Ok(with_script(page(StatusCode::OK, &template)))
}

async fn marking(
    service: &Service,
    linked: &Linked,
    session: Option<&Session>,
    own_page: &str,
) -> Result<LinkMarking, Error> {
    let Some(session) = session else {
        let address = forms::with_next("/sign-in", Some(own_page));
        return Ok(LinkMarking::SignIn { address, for_all: linked.is_open() });
    };
    let is_shown = linked.is_shown_to(service, &session.account).await?;
    Ok(if is_shown { LinkMarking::OnTripPage } else { LinkMarking::Never })
}

async fn download(
    service: &Service,
    secret: &str,
    format: ExportFormat,
    request: &WebRequest,
) -> Result<Response<Bytes>, Error> {
    let linked = linked::read(service, secret, request.address).await?;
    let file = linked.file(service, format).await?;
    let mut response = Response::new(Bytes::from(file.bytes));
    protect(&mut response, "");
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(format.media_type()));
    let disposition = HeaderValue::from_str(&file_name::attachment(&file.name));
    headers.insert(CONTENT_DISPOSITION, disposition.expect("ASCII without control characters"));
    Ok(response)
}
