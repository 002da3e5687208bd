//! The OAuth endpoints. Their responses contain secrets or information about them, so no cache may store them.

use std::net::IpAddr;

use http::header::{self, HeaderMap};
use itinerary_api::oauth_error::OAuthError;
use itinerary_api::reply::Reply;
use itinerary_api::types::oauth::{Registration, RegistrationRequest, TokenResponse};
use itinerary_platform::context::Service;
use serde::Serialize;
use serde_json::{Map, Value};

/// Registers an app. The response names the limit that registrations count against.
pub(super) async fn register(
    service: &Service,
    address: IpAddr,
    body: &[u8],
) -> Result<Reply<Registration, 201>, OAuthError> {
    let request = RegistrationRequest::from_json(body)?;
    let (registration, verdict) = itinerary_oauth::register::register(service, address, request).await?;
    let reply = secret(&registration);
    Ok(verdict.headers().fold(reply, |reply, (name, value)| reply.with_header(name, &value.to_string())))
}

pub(super) async fn token(
    service: &Service,
    headers: &HeaderMap,
    form: &[(String, String)],
    address: IpAddr,
) -> Result<Reply<TokenResponse>, OAuthError> {
    Ok(secret(&itinerary_oauth::token::token(service, headers, form, address).await?))
}

pub(super) async fn revoke(
    service: &Service,
    headers: &HeaderMap,
    form: &[(String, String)],
    address: IpAddr,
) -> Result<Reply<Map<String, Value>>, OAuthError> {
    itinerary_oauth::revoke::revoke(service, headers, form, address).await?;
    Ok(secret(&Map::new()))
}

fn secret<T: Serialize, const STATUS: u16>(value: &T) -> Reply<T, STATUS> {
    Reply::json(value).with_header(header::CACHE_CONTROL, "no-store").with_header(header::PRAGMA, "no-cache")
}
