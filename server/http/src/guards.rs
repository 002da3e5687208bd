//! The checks before an operation's handler, in order: token, pause, rate limit, scope, body, idempotency key.

use std::error::Error;
use std::net::{IpAddr, SocketAddr};
use std::sync::Once;
use std::time::Duration;

use bytes::Bytes;
use dropshot::Body;
use http::header::{self, HeaderMap};
use http::{Method, Request, Uri};
use itinerary_api::error::{ApiError, ErrorCode};
use itinerary_api::extract::{boolean, entity_tags};
use itinerary_api::policy::{BodyRule, Policy, Preload, Scopes, Surface};
use itinerary_api::request_state::{self, Caller, IdempotencyKey};
use itinerary_api::values::{EntityTags, limits};
use itinerary_app::api_error::paused;
use itinerary_app::itineraries::{self, Preloaded};
use itinerary_core::access::Act;
use itinerary_core::oauth::resource::Resource;
use itinerary_core::{fingerprint, ids, personal_token};
use itinerary_model::Plan;
use itinerary_platform::context::Service;
use itinerary_platform::reads::day_of;
use itinerary_store::{AccessToken, CallerReads, CallerRow, Pause, VisibleSections};
use percent_encoding::percent_decode_str;
use uuid::Uuid;

use super::body::{self, BodyError, BodyTime, content_length};
use super::headers::{IDEMPOTENCY_KEY, SHAPE};

/// The address that a request is counted for. An IPv6 address counts as its /64, which one customer owns as a whole.
///
/// `X-Forwarded-For` is only believed from trusted proxies. So it is read from its end, where the nearest proxy writes, up
/// to the first address that is not a trusted proxy. Anyone may have made up what precedes it.
pub(super) fn client_address(headers: &HeaderMap, remote: SocketAddr, trusted: &[IpAddr]) -> IpAddr {
    let is_trusted = |address: &IpAddr| trusted.iter().any(|proxy| proxy.to_canonical() == *address);
    let mut nearest = remote.ip().to_canonical();
    let headers = headers.get_all("x-forwarded-for").iter().rev();
    for written in headers.flat_map(|value| value.as_bytes().rsplit(|byte| *byte == b',')) {
        if !is_trusted(&nearest) {
            break;
        }
        let address = std::str::from_utf8(written).ok().and_then(|text| parse_address(text.trim()));
        // An unreadable entry, and everything before it, is ignored.
        let Some(address) = address else { break };
        nearest = address.to_canonical();
    }
    network(nearest)
}

/// Tells the operator, once, of a proxy that is not trusted: all of its clients share the limits of one address then.
/// Only for addresses of the own network, because anyone on the internet may send the header.
pub(super) fn warn_of_untrusted_proxy(headers: &HeaderMap, remote: SocketAddr, trusted: &[IpAddr]) {
    static TOLD: Once = Once::new();
    let is_near = match remote.ip().to_canonical() {
        IpAddr::V4(address) => address.is_loopback() || address.is_private(),
        IpAddr::V6(address) => address.is_loopback() || address.is_unique_local(),
    };
    if trusted.is_empty() && is_near && headers.contains_key("x-forwarded-for") {
        TOLD.call_once(|| {
            tracing::warn!(
                proxy = %remote.ip(),
                "a request has X-Forwarded-For, but `trusted_proxies` is not set: all clients behind this proxy count as \
                 one address"
            );
        });
    }
}

/// Parses an address with or without a port, which some proxies add.
fn parse_address(text: &str) -> Option<IpAddr> {
    text.parse().ok().or_else(|| text.parse::<SocketAddr>().ok().map(|address| address.ip()))
}

/// What counts as one address: an IPv6 address's /64, which one customer owns as a whole.
pub(super) fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::from([a, b, c, d, 0, 0, 0, 0])
        }
    }
}

/// Authenticates the bearer token, and rejects while integrations are paused.
pub(super) async fn authenticate(service: &Service, policy: &Policy, headers: &HeaderMap) -> Result<Caller, ApiError> {
    let token = access_token(headers)?;
    let row = service.store.caller(&token, service.clock.now()).await.map_err(itinerary_app::Error::from)?;
    accept(service, policy, &token, row).await
}

/// The same. If the operation reads an itinerary, the same statement reads it, provided that it is the caller's own.
/// `id` is the one in the path.
pub(super) async fn authenticate_and_read(
    service: &Service,
    policy: &Policy,
    headers: &HeaderMap,
    id: Option<Uuid>,
) -> Result<(Caller, Option<Preloaded>), ApiError> {
    let (Some(part), Some(id)) = (policy.preload, id) else {
        return Ok((authenticate(service, policy, headers).await?, None));
    };
    let token = access_token(headers)?;
    let known = entity_tags(headers, &header::IF_NONE_MATCH).ok().flatten();
    let known = known.as_ref().and_then(EntityTags::version);
    let read = service.store.caller_reads(&token, service.clock.now(), id, shown(part), known).await;
    let (row, own) = match read.map_err(itinerary_app::Error::from)? {
        Some(CallerReads { caller, own }) => (Some(caller), own),
        None => (None, None),
    };
    let caller = accept(service, policy, &token, row).await?;
    Ok((caller, own.map(|itinerary| Preloaded { id, known, itinerary })))
}

/// The fragments to read for an operation. The statement checks plan and scope.
fn shown(part: Preload) -> VisibleSections {
    match part {
        Preload::Whole => VisibleSections::All { pro: true, documents: true },
        Preload::Everyone => VisibleSections::Everyone,
        Preload::Members => VisibleSections::Members,
        Preload::Pro => VisibleSections::Pro,
        Preload::Documents => VisibleSections::Documents,
    }
}

/// Checks the row of a token. `None` is an unknown token.
async fn accept(
    service: &Service,
    policy: &Policy,
    token: &AccessToken,
    row: Option<CallerRow>,
) -> Result<Caller, ApiError> {
    let row = row.ok_or_else(|| unauthenticated(true))?;
    if !is_good_for(policy, row.resource.as_deref(), &service.config.base_url) {
        return Err(unauthenticated(true));
    }
    if let Some(Pause(seconds)) = row.paused {
        return Err(paused(seconds));
    }
    if let AccessToken::Personal(_) = token {
        record_use(service, &row).await;
    }
    Ok(caller(row))
}

/// Records the first use of a personal access token on a day. A failure does not fail the request.
async fn record_use(service: &Service, row: &CallerRow) {
    let today = day_of(service.clock.now());
    if row.last_used_day.is_some_and(|day| day >= today) {
        return;
    }
    if let Err(error) = service.store.personal_token_used(row.grant_id, today).await {
        tracing::warn!(error = &error as &dyn Error, "the use of a personal access token was not recorded");
    }
}

/// Whether a token is valid for the operation: one that was issued for the MCP endpoint is valid only there.
fn is_good_for(policy: &Policy, resource: Option<&str>, base_url: &str) -> bool {
    let Some(resource) = resource else { return true };
    resource.trim_end_matches('/') == base_url || policy.is_mcp() && resource == Resource::mcp_address(base_url)
}

fn caller(row: CallerRow) -> Caller {
    Caller {
        account: row.account_id,
        client: row.client_id,
        grant: row.grant_id,
        scopes: Scopes::from_list(&row.scope),
        pro: row.plan == Plan::Pro,
    }
}

/// The token of a request. A personal access token with a wrong checksum is rejected without a query.
pub(super) fn access_token(headers: &HeaderMap) -> Result<AccessToken, ApiError> {
    let token = bearer_token(headers)?;
    if !personal_token::has_prefix(token) {
        return Ok(AccessToken::OAuth(ids::hash(token)));
    }
    if !personal_token::is_well_formed(token) {
        return Err(unauthenticated(true));
    }
    Ok(AccessToken::Personal(ids::hash(token)))
}

fn bearer_token(headers: &HeaderMap) -> Result<&str, ApiError> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let (value, more) = (values.next(), values.next());
    let Some(value) = value else { return Err(unauthenticated(false)) };
    let credentials = value.to_str().ok().filter(|_| more.is_none()).and_then(|value| value.split_once(' '));
    match credentials {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => Ok(token.trim()),
        // The header has another scheme, or is repeated.
        _ => Err(unauthenticated(false)),
    }
}

fn unauthenticated(token_sent: bool) -> ApiError {
    let challenge = if token_sent { "Bearer error=\"invalid_token\"" } else { "Bearer" };
    ApiError::new(ErrorCode::Unauthenticated, "The access token is missing, invalid, expired or revoked.")
        .with_header(header::WWW_AUTHENTICATE, challenge)
}

/// Checks that the caller may change the itinerary with the id in the path. For clients that ask before they send a large
/// body, which would otherwise be read first.
pub(super) async fn check_change(service: &Service, id: Option<Uuid>) -> Result<(), ApiError> {
    let caller = request_state::with(|state| state.caller().cloned()).flatten();
    // Without a caller or an id, the request is rejected later.
    let (Some(caller), Some(id)) = (caller, id) else { return Ok(()) };
    Ok(itineraries::admit(service, &caller, id, Act::Change).await?)
}

/// Reads the body of a request. Checks its size, time and type.
pub(super) async fn take_body(
    service: &Service,
    policy: &Policy,
    request: &mut Request<Body>,
) -> Result<Bytes, ApiError> {
    const JSON: &[&str] = &["application/json", "application/merge-patch+json"];
    // The format of an image is detected from its content.
    const IMAGE: &[&str] = &["image/*", "application/json", "application/octet-stream"];
    let (limit, types) = match policy.body {
        BodyRule::None => {
            let body = std::mem::replace(request.body_mut(), Body::empty());
            body::leave_unread(request.headers(), body);
            return Ok(Bytes::new());
        }
        // The operation reads the form itself.
        BodyRule::Upload => {
            check_upload(policy, request.headers())?;
            return Ok(Bytes::new());
        }
        // The operation reads the files itself.
        BodyRule::Files => {
            check_files(request.headers())?;
            return Ok(Bytes::new());
        }
        BodyRule::ItineraryJson => (limits::JSON_BODY, JSON),
        BodyRule::Json(limit) => (limit, JSON),
        BodyRule::Image => (limits::IMAGE_BODY, IMAGE),
        BodyRule::Form(limit) => (limit, &["application/x-www-form-urlencoded"][..]),
    };
    // Only PATCH takes a merge patch.
    let types = if types == JSON && request.method() != Method::PATCH { &types[..1] } else { types };
    let body = std::mem::replace(request.body_mut(), Body::empty());
    let headers = request.headers();
    let described = check_coding(headers).and_then(|()| check_type(policy, headers, types));
    let is_too_large = content_length(headers).is_some_and(|length| length > limit as u64);
    if body::waits_for_continue(headers) && !is_too_large {
        // The client need not send what will be rejected.
        described.clone()?;
    }
    let bytes = body::read(headers, body, limit, body_time(policy, service.config.body_stall)).await;
    let bytes = bytes.map_err(|error| body_refused(error, policy.body))?;
    described?;
    Ok(bytes)
}

/// How long the body of an operation may take.
fn body_time(policy: &Policy, stall: Duration) -> BodyTime {
    if policy.token { BodyTime::for_json(stall) } else { BodyTime::without_token(stall) }
}

/// Rejects an upload whose headers say that it is too large or not a form.
fn check_upload(policy: &Policy, headers: &HeaderMap) -> Result<(), ApiError> {
    check_coding(headers)?;
    if content_length(headers).is_some_and(|length| length > limits::DOCUMENT + limits::DOCUMENT_REST) {
        return Err(body_refused(BodyError::TooLarge, BodyRule::Upload));
    }
    if headers.contains_key(header::CONTENT_TYPE) {
        check_type(policy, headers, &["multipart/form-data"])
    } else {
        Err(ApiError::new(ErrorCode::UnsupportedMediaType, "Content-Type must be multipart/form-data."))
    }
}

/// Rejects files whose headers say that they are too large. Their media type is not checked.
fn check_files(headers: &HeaderMap) -> Result<(), ApiError> {
    check_coding(headers)?;
    if content_length(headers).is_some_and(|length| length > limits::IMPORT_BODY) {
        return Err(body_refused(BodyError::TooLarge, BodyRule::Files));
    }
    Ok(())
}

pub(super) fn body_refused(error: BodyError, rule: BodyRule) -> ApiError {
    let error = match error {
        BodyError::TooLarge if rule == BodyRule::ItineraryJson => {
            let message = format!("The body must have at most {} bytes.", limits::JSON_BODY);
            ApiError::new(ErrorCode::ItineraryTooLarge, message)
        }
        BodyError::TooLarge if rule == BodyRule::Upload => {
            let message = format!("The file must have at most 20 MB ({} bytes).", limits::DOCUMENT);
            ApiError::new(ErrorCode::PayloadTooLarge, message)
        }
        BodyError::TooLarge if rule == BodyRule::Files => {
            let message = format!(
                "The body must have at most 20 MB ({} bytes), a single file at most 5 MB ({} bytes).",
                limits::IMPORT_BODY,
                limits::IMPORT_FILE
            );
            ApiError::new(ErrorCode::PayloadTooLarge, message)
        }
        BodyError::TooLarge => {
            ApiError::new(ErrorCode::PayloadTooLarge, "The body is larger than the operation allows.")
        }
        BodyError::TooManyPieces => {
            ApiError::new(ErrorCode::ValidationFailed, "The body arrives in too many small pieces. Send larger ones.")
        }
        BodyError::Stalled => ApiError::new(ErrorCode::RequestTimeout, "The body did not arrive in time."),
        BodyError::Broken => ApiError::new(ErrorCode::ValidationFailed, "The body is incomplete or malformed."),
    };
    // The rest of the body makes the connection useless for further requests.
    error.with_header(header::CONNECTION, "close")
}

/// Rejects a body in a content coding, such as gzip: none is supported.
fn check_coding(headers: &HeaderMap) -> Result<(), ApiError> {
    let codings = headers.get_all(header::CONTENT_ENCODING).iter();
    let mut codings = codings.flat_map(|value| value.as_bytes().split(|byte| *byte == b',')).map(<[u8]>::trim_ascii);
    if codings.all(|coding| coding.is_empty() || coding.eq_ignore_ascii_case(b"identity")) {
        return Ok(());
    }
    let message = "Content-Encoding must be identity or absent: send the body uncompressed.";
    // Says which codings are supported (RFC 9110 §12.5.3).
    Err(ApiError::new(ErrorCode::UnsupportedMediaType, message).with_header(header::ACCEPT_ENCODING, "identity"))
}

/// Checks the media type. A missing type counts as the expected one. OAuth has no error for it: another type there is
/// `invalid_request` (400).
fn check_type(policy: &Policy, headers: &HeaderMap, types: &[&str]) -> Result<(), ApiError> {
    let Some(value) = headers.get(header::CONTENT_TYPE) else { return Ok(()) };
    let essence = value.to_str().unwrap_or_default().split(';').next().unwrap_or_default().trim();
    let is = |known: &str| match known.strip_suffix('*') {
        Some(family) => essence.get(..family.len()).is_some_and(|start| start.eq_ignore_ascii_case(family)),
        None => known.eq_ignore_ascii_case(essence),
    };
    if types.iter().any(|known| is(known)) {
        return Ok(());
    }
    let message = format!("Content-Type must be {}.", types.join(" or "));
    let is_oauth = policy.surface == Surface::OAuth;
    Err(ApiError::new(if is_oauth { ErrorCode::ValidationFailed } else { ErrorCode::UnsupportedMediaType }, message))
}

/// The idempotency key of the request, if the operation supports keys.
pub(super) fn idempotency_key(
    policy: &Policy,
    headers: &HeaderMap,
    uri: &Uri,
    body: &[u8],
) -> Result<Option<IdempotencyKey>, ApiError> {
    if !policy.idempotent {
        return Ok(None);
    }
    let mut values = headers.get_all(IDEMPOTENCY_KEY).iter();
    let Some(value) = values.next() else { return Ok(None) };
    let refuse = || ApiError::invalid("Idempotency-Key", "must be a single UUID");
    let text = value.to_str().map_err(|_| refuse())?.trim();
    let text = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text);
    if values.next().is_some() || text.len() != uuid::fmt::Hyphenated::LENGTH {
        return Err(refuse());
    }
    let key = Uuid::try_parse(text).map_err(|_| refuse())?;
    let query = uri.query().unwrap_or_default().as_bytes();
    let meaning = |(name, value)| meaning(policy, name, value);
    let query: Vec<_> = form_urlencoded::parse(query).into_owned().filter_map(meaning).collect();
    let operation = format!("{} {}", policy.operation, canonical_path(uri.path()));
    Ok(Some(IdempotencyKey { key, operation, fingerprint: fingerprint::of(&query, body) }))
}

/// A query parameter without differences in spelling. `None` for unknown ones and those with their default value, which do
/// not change the meaning.
fn meaning(policy: &Policy, name: String, value: String) -> Option<(String, String)> {
    let (_, default) = policy.meaning.iter().find(|(known, _)| *known == name)?;
    let value = match (boolean(default), boolean(&value)) {
        (Some(_), Some(value)) => value.to_string(),
        _ => value,
    };
    (value != *default).then_some((name, value))
}

/// The path without differences in spelling: repeated slashes, escapes, and the case of the itinerary's UUID. Ids
/// inside an itinerary are case-sensitive.
fn canonical_path(path: &str) -> String {
    let segments = path.split('/').filter(|segment| !segment.is_empty()).enumerate();
    segments.fold(String::with_capacity(path.len()), |path, (n, segment)| {
        let segment = percent_decode_str(segment).decode_utf8_lossy();
        match n {
            0..=2 => path + "/" + &segment.to_ascii_lowercase(),
            _ => path + "/" + &segment,
        }
    })
}

/// Checks the requested itinerary shape, of which there is only one.
pub(super) fn check_shape(policy: &Policy, headers: &HeaderMap) -> Result<(), ApiError> {
    if policy.surface != Surface::Api || policy.is_mcp() {
        return Ok(());
    }
    if headers.get_all(SHAPE).iter().all(|value| value == "clean") {
        return Ok(());
    }
    Err(ApiError::invalid("Service-Itinerary-Shape", "must be `clean` or absent"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_trusted_proxies_are_believed() {
        let proxy: IpAddr = "10.0.0.1".parse().expect("an address");
        let remote = SocketAddr::new(proxy, 1);
        let with = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert("x-forwarded-for", value.parse().expect("a header"));
            headers
        };
        let address = |value: &str, trusted: &[IpAddr]| client_address(&with(value), remote, trusted).to_string();
        assert_eq!(address("1.2.3.4", &[]), "10.0.0.1");
        assert_eq!(address("1.2.3.4", &[proxy]), "1.2.3.4");
        assert_eq!(address("9.9.9.9, 1.2.3.4", &[proxy]), "1.2.3.4", "what the client made up is not believed");
        assert_eq!(address("1.2.3.4, 10.0.0.1", &[proxy]), "1.2.3.4");
        assert_eq!(address("9.9.9.9, x, 1.2.3.4", &[proxy]), "1.2.3.4");
        assert_eq!(address("9.9.9.9, x", &[proxy]), "10.0.0.1");
        assert_eq!(address("nonsense", &[proxy]), "10.0.0.1");
        assert_eq!(address("2001:db8:1:2:3:4:5:6", &[proxy]), "2001:db8:1:2::");
        assert_eq!(address("::ffff:1.2.3.4", &[proxy]), "1.2.3.4");
    }
}
