//! The pages for people, as they are made in `oauth::pages`.

use std::sync::Arc;

use dropshot::Body;
use http::Response;
use itinerary_api::extract::WebRequest;

use crate::context::Service;
use crate::oauth::pages;

/// A page on its way out.
pub(super) fn send(page: Response<bytes::Bytes>) -> Response<Body> {
    page.map(Body::from)
}

macro_rules! pages {
    ($($page:ident),*) => {
        $(pub(super) async fn $page(service: &Service, request: &WebRequest) -> Response<Body> {
            send(pages::$page(service, request).await)
        })*
    };
}

pages!(home, style, icon, sign_up, sign_in, sign_out, account, apps, password, data, delete);

pub(super) async fn data_download(service: &Arc<Service>, request: &WebRequest) -> Response<Body> {
    pages::data_download(service, request).await
}
