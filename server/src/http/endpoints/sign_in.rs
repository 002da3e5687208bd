//! The operations of the sign-in flow, as they are decided in `oauth`.

use std::net::IpAddr;

use dropshot::Body;
use http::Response;
use http::header::{self, HeaderMap};
use itinerary_api::extract::{FormBody, WebRequest};
use itinerary_api::oauth_error::OAuthError;
use itinerary_api::reply::Reply;
use itinerary_api::types::oauth::{Registration, RegistrationRequest, RevocationRequest, TokenRequest, TokenResponse};
use serde::Serialize;
use serde_json::{Map, Value};

use super::pages::send;
use crate::context::Service;
use crate::oauth;

/// An answer that holds secrets, or tells of them: no cache may keep it.
fn secret<T: Serialize, const STATUS: u16>(value: &T) -> Reply<T, STATUS> {
    Reply::json(value).with_header(header::CACHE_CONTROL, "no-store").with_header(header::PRAGMA, "no-cache")
}

pub(super) async fn register(
    service: &Service,
    address: IpAddr,
    body: &[u8],
) -> Result<Reply<Registration, 201>, OAuthError> {
    let request = RegistrationRequest::from_json(body)?;
    oauth::register::register(service, address, request).await.map(|registration| secret(&registration))
}

pub(super) async fn authorise(service: &Service, request: &WebRequest) -> Response<Body> {
    send(oauth::authorise::authorise(service, request).await)
}

pub(super) async fn decide(service: &Service, request: &WebRequest) -> Response<Body> {
    send(oauth::authorise::decide(service, request).await)
}

pub(super) async fn token(
    service: &Service,
    headers: &HeaderMap,
    form: &FormBody<TokenRequest>,
) -> Result<Reply<TokenResponse>, OAuthError> {
    oauth::token::token(service, headers, &form.pairs, form.address).await.map(|tokens| secret(&tokens))
}

pub(super) async fn revoke(
    service: &Service,
    headers: &HeaderMap,
    form: &FormBody<RevocationRequest>,
) -> Result<Reply<Map<String, Value>>, OAuthError> {
    oauth::revoke::revoke(service, headers, &form.pairs, form.address).await.map(|()| secret(&Map::new()))
}
