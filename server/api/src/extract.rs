//! The extractors of the endpoint trait, whose errors name the invalid field.
//!
//! Their metadata is that of dropshot's extractors, so the document is the same. The request pipeline has already read
//! the body within its size limit, media type and deadline.

mod params;

use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::net::IpAddr;

use async_trait::async_trait;
use bytes::Bytes;
use dropshot::{
    ApiEndpointBodyContentType, Body, ClientErrorStatusCode, ExclusiveExtractor, ExtensionMode, ExtractorMetadata,
    HttpError, MultipartBody, Path, Query, RequestContext, ServerContext, SharedExtractor, TypedBody, UntypedBody,
};
use http::header::{self, HeaderMap, HeaderName};
use http::{Method, Uri};
use http_body_util::BodyExt;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

pub use params::boolean;

use crate::policy::Policy;
use crate::read::{self, FieldError};
use crate::request_state::{self, Caller, Conditions, IdempotencyKey, RequestState};
use crate::values::EntityTags;

/// A type that can be read from a request and described in the document.
pub trait Input: DeserializeOwned + JsonSchema + Send + Sync + 'static {}
impl<T: DeserializeOwned + JsonSchema + Send + Sync + 'static> Input for T {}

/// Refuses the request: leaves the error for the request pipeline, which renders it. What dropshot renders is
/// discarded.
fn refuse(error: FieldError) -> HttpError {
    request_state::refuse(error.into());
    HttpError::for_client_error_with_status(None, ClientErrorStatusCode::UNPROCESSABLE_ENTITY)
}

fn no_parameters() -> ExtractorMetadata {
    ExtractorMetadata { extension_mode: ExtensionMode::None, parameters: Vec::new() }
}

/// Path parameters, checked as they are read.
pub struct PathParams<T>(pub T);

#[async_trait]
impl<T: Input> SharedExtractor for PathParams<T> {
    async fn from_request<C: ServerContext>(rqctx: &RequestContext<C>) -> Result<Self, HttpError> {
        let variables = <Path<BTreeMap<String, String>> as SharedExtractor>::from_request(rqctx).await?.into_inner();
        params::parse(variables).map(Self).map_err(refuse)
    }

    fn metadata(kind: ApiEndpointBodyContentType) -> ExtractorMetadata {
        <Path<T> as SharedExtractor>::metadata(kind)
    }
}

/// Query parameters. Unknown ones are ignored; a known one that appears more than once is rejected.
pub struct QueryParams<T>(pub T);

#[async_trait]
impl<T: Input> SharedExtractor for QueryParams<T> {
    async fn from_request<C: ServerContext>(rqctx: &RequestContext<C>) -> Result<Self, HttpError> {
        let query = rqctx.request.uri().query().unwrap_or_default().as_bytes();
        params::parse(form_urlencoded::parse(query).into_owned()).map(Self).map_err(refuse)
    }

    fn metadata(kind: ApiEndpointBodyContentType) -> ExtractorMetadata {
        <Query<T> as SharedExtractor>::metadata(kind)
    }
}

/// Path parameters that the handler reads from the request's address itself.
pub struct DescribedPath<T>(PhantomData<T>);

#[async_trait]
impl<T: Input> SharedExtractor for DescribedPath<T> {
    async fn from_request<C: ServerContext>(_: &RequestContext<C>) -> Result<Self, HttpError> {
        Ok(Self(PhantomData))
    }

    fn metadata(kind: ApiEndpointBodyContentType) -> ExtractorMetadata {
        <Path<T> as SharedExtractor>::metadata(kind)
    }
}

/// Query parameters that the document describes and the handler reads itself.
pub struct Described<T>(PhantomData<T>);

#[async_trait]
impl<T: Input> SharedExtractor for Described<T> {
    async fn from_request<C: ServerContext>(_: &RequestContext<C>) -> Result<Self, HttpError> {
        Ok(Self(PhantomData))
    }

    fn metadata(kind: ApiEndpointBodyContentType) -> ExtractorMetadata {
        <Query<T> as SharedExtractor>::metadata(kind)
    }
}

#[async_trait]
impl SharedExtractor for Caller {
    async fn from_request<C: ServerContext>(_: &RequestContext<C>) -> Result<Self, HttpError> {
        request_state::with(|state| state.caller().cloned())
            .flatten()
            .ok_or_else(|| HttpError::for_internal_error("the operation's policy asks for no token".to_owned()))
    }

    fn metadata(_: ApiEndpointBodyContentType) -> ExtractorMetadata {
        no_parameters()
    }
}

/// The entity tags of a request's header; `None` if it was not sent.
pub fn entity_tags(headers: &HeaderMap, name: &HeaderName) -> Result<Option<EntityTags>, FieldError> {
    let values: Vec<_> = headers.get_all(name).iter().map(|value| String::from_utf8_lossy(value.as_bytes())).collect();
    if values.is_empty() {
        return Ok(None);
    }
    let field = if *name == header::IF_MATCH { "If-Match" } else { "If-None-Match" };
    EntityTags::parse(&values.join(", ")).map(Some).map_err(|message| FieldError::new(field, message))
}

/// Whether a request has the preference `merge` (RFC 7240). Preferences that are not understood are ignored, also
/// malformed ones.
fn prefers_merge(headers: &HeaderMap) -> bool {
    let values = headers.get_all("prefer").iter().filter_map(|value| value.to_str().ok());
    values.flat_map(preferences).any(|preference| preference.eq_ignore_ascii_case("merge"))
}

/// The names of the preferences in a header, without their values and parameters.
fn preferences(value: &str) -> impl Iterator<Item = &str> {
    let mut is_quoted = false;
    let separate = move |c: char| {
        is_quoted ^= c == '"';
        c == ',' && !is_quoted
    };
    value.split(separate).map(|preference| preference.split([';', '=']).next().unwrap_or_default().trim())
}

/// The document has `If-Match`, `Prefer` and `Idempotency-Key` from the policy table.
#[async_trait]
impl SharedExtractor for Conditions {
    async fn from_request<C: ServerContext>(rqctx: &RequestContext<C>) -> Result<Self, HttpError> {
        let headers = rqctx.request.headers();
        let if_match = entity_tags(headers, &header::IF_MATCH).map_err(refuse)?;
        let merges = Policy::of(&rqctx.endpoint.operation_id).is_some_and(|policy| policy.merge);
        Ok(Self { if_match, prefers_merge: merges && prefers_merge(headers), key: key() })
    }

    fn metadata(_: ApiEndpointBodyContentType) -> ExtractorMetadata {
        no_parameters()
    }
}

/// The tags of `If-None-Match`.
pub struct IfNoneMatch(pub Option<EntityTags>);

#[async_trait]
impl SharedExtractor for IfNoneMatch {
    async fn from_request<C: ServerContext>(rqctx: &RequestContext<C>) -> Result<Self, HttpError> {
        entity_tags(rqctx.request.headers(), &header::IF_NONE_MATCH).map(Self).map_err(refuse)
    }

    fn metadata(_: ApiEndpointBodyContentType) -> ExtractorMetadata {
        no_parameters()
    }
}

fn key() -> Option<IdempotencyKey> {
    request_state::with(|state| state.idempotency_key().cloned()).flatten()
}

/// The idempotency key of a request that names no version.
pub struct Keyed(pub Option<IdempotencyKey>);

#[async_trait]
impl SharedExtractor for Keyed {
    async fn from_request<C: ServerContext>(_: &RequestContext<C>) -> Result<Self, HttpError> {
        Ok(Self(key()))
    }

    fn metadata(_: ApiEndpointBodyContentType) -> ExtractorMetadata {
        no_parameters()
    }
}

async fn bytes(request: hyper::Request<Body>) -> Result<Bytes, HttpError> {
    let body = request.into_body().collect().await;
    Ok(body
        .map_err(|error| HttpError::for_internal_error(format!("the request pipeline read the body: {error}")))?
        .to_bytes())
}

/// A required JSON body, checked as it is read.
pub struct JsonBody<T>(pub T);

#[async_trait]
impl<T: Input> ExclusiveExtractor for JsonBody<T> {
    async fn from_request<C: ServerContext>(
        _: &RequestContext<C>,
        request: hyper::Request<Body>,
    ) -> Result<Self, HttpError> {
        read::json(&bytes(request).await?).map(Self).map_err(refuse)
    }

    fn metadata(kind: ApiEndpointBodyContentType) -> ExtractorMetadata {
        <TypedBody<T> as ExclusiveExtractor>::metadata(kind)
    }
}

/// A JSON body; an empty one is `T::default()`.
pub struct OptionalJsonBody<T>(pub T);

#[async_trait]
impl<T: Input + Default> ExclusiveExtractor for OptionalJsonBody<T> {
    async fn from_request<C: ServerContext>(
        _: &RequestContext<C>,
        request: hyper::Request<Body>,
    ) -> Result<Self, HttpError> {
        match bytes(request).await? {
            body if body.is_empty() => Ok(Self(T::default())),
            body => read::json(&body).map(Self).map_err(refuse),
        }
    }

    fn metadata(kind: ApiEndpointBodyContentType) -> ExtractorMetadata {
        <TypedBody<T> as ExclusiveExtractor>::metadata(kind)
    }
}

/// A body of any media type, possibly empty. The handler decides by its content.
pub struct BytesBody {
    /// The complete body; the request pipeline has checked its size.
    pub bytes: Bytes,
    /// Whether the media type is JSON; `None` if it is neither JSON nor an image.
    pub is_json: Option<bool>,
}

#[async_trait]
impl ExclusiveExtractor for BytesBody {
    async fn from_request<C: ServerContext>(
        _: &RequestContext<C>,
        request: hyper::Request<Body>,
    ) -> Result<Self, HttpError> {
        let media_type = request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let essence = media_type.and_then(|value| value.split(';').next()).map(|value| value.trim().to_lowercase());
        let is_json = match essence.as_deref() {
            Some("application/json") => Some(true),
            Some(other) if other.starts_with("image/") => Some(false),
            _ => None,
        };
        Ok(Self { bytes: bytes(request).await?, is_json })
    }

    fn metadata(kind: ApiEndpointBodyContentType) -> ExtractorMetadata {
        <UntypedBody as ExclusiveExtractor>::metadata(kind)
    }
}

/// A multipart form that the handler reads as a stream.
pub struct UploadBody {
    /// Method, URI and headers, which name the form's boundary.
    pub head: http::request::Parts,
    /// The body. Nothing of it has been read.
    pub body: Body,
}

#[async_trait]
impl ExclusiveExtractor for UploadBody {
    async fn from_request<C: ServerContext>(
        _: &RequestContext<C>,
        request: hyper::Request<Body>,
    ) -> Result<Self, HttpError> {
        let (head, body) = request.into_parts();
        Ok(Self { head, body })
    }

    fn metadata(kind: ApiEndpointBodyContentType) -> ExtractorMetadata {
        <MultipartBody as ExclusiveExtractor>::metadata(kind)
    }
}

/// A JSON body that the document describes as a `T` and the handler reads itself, because its errors have another
/// shape.
pub struct JsonBytes<T> {
    /// The complete body; the request pipeline has checked its size.
    pub bytes: Bytes,
    described_by: PhantomData<T>,
}

#[async_trait]
impl<T: Input> ExclusiveExtractor for JsonBytes<T> {
    async fn from_request<C: ServerContext>(
        _: &RequestContext<C>,
        request: hyper::Request<Body>,
    ) -> Result<Self, HttpError> {
        Ok(Self { bytes: bytes(request).await?, described_by: PhantomData })
    }

    fn metadata(kind: ApiEndpointBodyContentType) -> ExtractorMetadata {
        <TypedBody<T> as ExclusiveExtractor>::metadata(kind)
    }
}

/// A form that the document describes as a `T` and the handler reads itself: OAuth has rules for repeated and empty
/// fields.
pub struct FormBody<T> {
    /// The decoded names and values in the order in which they were sent.
    pub pairs: Vec<(String, String)>,
    /// The client's address, as the trusted proxies report it.
    pub address: IpAddr,
    described_by: PhantomData<T>,
}

#[async_trait]
impl<T: Input> ExclusiveExtractor for FormBody<T> {
    async fn from_request<C: ServerContext>(
        rqctx: &RequestContext<C>,
        request: hyper::Request<Body>,
    ) -> Result<Self, HttpError> {
        let body = bytes(request).await?;
        let pairs = form_urlencoded::parse(&body).into_owned().collect();
        Ok(Self { pairs, address: address(rqctx), described_by: PhantomData })
    }

    fn metadata(kind: ApiEndpointBodyContentType) -> ExtractorMetadata {
        <TypedBody<T> as ExclusiveExtractor>::metadata(kind)
    }
}

fn address<C: ServerContext>(rqctx: &RequestContext<C>) -> IpAddr {
    request_state::with(RequestState::address).unwrap_or_else(|| rqctx.request.remote_addr().ip())
}

/// A complete request of a browser.
#[derive(Clone, Debug)]
pub struct WebRequest {
    /// `GET` or `POST`; the request pipeline has turned `HEAD` into `GET`.
    pub method: Method,
    /// The requested path and query.
    pub uri: Uri,
    /// All headers of the request, cookies included.
    pub headers: HeaderMap,
    /// The complete body; the request pipeline has checked its size.
    pub body: Bytes,
    /// The client's address, as the trusted proxies report it.
    pub address: IpAddr,
}

#[async_trait]
impl ExclusiveExtractor for WebRequest {
    async fn from_request<C: ServerContext>(
        rqctx: &RequestContext<C>,
        request: hyper::Request<Body>,
    ) -> Result<Self, HttpError> {
        let address = address(rqctx);
        let (method, uri, headers) = (request.method().clone(), request.uri().clone(), request.headers().clone());
        Ok(Self { method, uri, headers, body: bytes(request).await?, address })
    }

    fn metadata(_: ApiEndpointBodyContentType) -> ExtractorMetadata {
        no_parameters()
    }
}

/// The client's address, as the trusted proxies report it.
pub struct ClientAddress(pub IpAddr);

#[async_trait]
impl SharedExtractor for ClientAddress {
    async fn from_request<C: ServerContext>(rqctx: &RequestContext<C>) -> Result<Self, HttpError> {
        Ok(Self(address(rqctx)))
    }

    fn metadata(_: ApiEndpointBodyContentType) -> ExtractorMetadata {
        no_parameters()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merge_is_one_of_the_preferences() {
        for (header, expected) in [
            ("merge", true),
            ("Merge", true),
            ("respond-async, merge", true),
            ("wait=10 , merge;x=1", true),
            ("respond-async", false),
            ("merged", false),
            ("note=\"a,merge,b\"", false),
            ("", false),
        ] {
            let headers = HeaderMap::from_iter([(HeaderName::from_static("prefer"), header.parse().expect(header))]);
            assert_eq!(prefers_merge(&headers), expected, "{header}");
        }
    }
}
