//! Headers that every request carries, the repetition after a rejected token, and the loop of retries.

use progenitor_client::{ClientHooks, ClientInfo, Error, OperationInfo};
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderName, HeaderValue};
use reqwest::{Body, Method, Request, Response, ResponseBuilderExt, StatusCode};
use tracing::Instrument;
use uuid::Uuid;

use crate::error::{ApiError, refused};
use crate::generated::Client;
use crate::keeper::TokenError;
use crate::paths;
use crate::session::Session;

const SHAPE: HeaderName = HeaderName::from_static("service-itinerary-shape");
pub(crate) const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
const BEARER: &str = "Bearer ";
/// The operation whose response is a file behind a link.
pub(crate) const DOWNLOAD: &str = "document_download";
/// The media type of server-sent events.
pub(crate) const EVENT_STREAM: &str = "text/event-stream";
/// A body that is sent in a moment on any connection, in bytes.
const SMALL_BODY: usize = 64 * 1024;

/// Why a rejected token could not be refreshed. Travels with the response, because the hook that finds out cannot fail.
#[derive(Clone)]
struct Trouble(String);

/// The token was refreshed, but the request was not repeated: its body is a stream.
#[derive(Clone)]
struct Renewed;

/// Whether a response rejects a token that has been refreshed since, so that repeating the request can succeed.
pub(crate) fn was_renewed(answer: &Response) -> bool {
    answer.extensions().get::<Renewed>().is_some()
}

impl Client {
    /// Sends a hand-written request with the same hooks as the generated operations.
    pub(crate) async fn call(&self, mut request: Request, operation_id: &'static str) -> Result<Response, ApiError> {
        let info = OperationInfo { operation_id };
        self.pre(&mut request, &info).await?;
        let result = self.exec(request, &info).await;
        self.post(&result, &info).await?;
        Ok(result?)
    }
}

impl Client {
    /// Sends a request until it succeeds, fails for good, or must not be sent again. Returns the number of attempts, too.
    async fn send(&self, mut request: Request, operation: &'static str) -> (reqwest::Result<Response>, u32) {
        let sending = self.inner().sending();
        let timeout = request.timeout().copied().or(sending.timeout);
        let mut attempts = sending.retries.attempts(&request, operation, timeout);
        let result = loop {
            // A body that is a stream cannot be copied, so such a request is sent once.
            let copy = if attempts.may_go_on() || self.inner().can_renew() { request.try_clone() } else { None };
            let result = self.attempt(request, copy.as_ref(), operation).await;
            let Some(mut again) = copy else { break result };
            let Some(retry) = attempts.next(&result) else { break result };
            drop(result);
            attempts.wait(&retry).await;
            *again.timeout_mut() = attempts.time_left();
            self.renew(&mut again).await;
            request = again;
        };
        (result, attempts.retried() + 1)
    }

    /// Sends a request once, or twice if its token is rejected and can be refreshed.
    async fn attempt(&self, request: Request, copy: Option<&Request>, operation: &str) -> reqwest::Result<Response> {
        let sent = if self.inner().can_renew() { sent(&request) } else { None };
        let mut answer = self.execute(request, operation).await?;
        if answer.status() != StatusCode::UNAUTHORIZED {
            return Ok(answer);
        }
        let Some(refused) = sent else { return Ok(answer) };
        match self.inner().token_instead_of(&refused).await {
            Ok(Some(token)) => {
                // The service issues no token that is not valid in a header: keep its response.
                let Ok(token) = bearer(&token) else { return Ok(answer) };
                let Some(mut again) = copy.and_then(Request::try_clone) else {
                    answer.extensions_mut().insert(Renewed);
                    return Ok(answer);
                };
                again.headers_mut().insert(AUTHORIZATION, token);
                self.execute(again, operation).await
            }
            // The response says so already: 401.
            Ok(None) | Err(TokenError::SignInRequired { .. }) => Ok(answer),
            Err(error) => {
                answer.extensions_mut().insert(Trouble(error.to_string()));
                Ok(answer)
            }
        }
    }

    /// Sends a request. A response in JSON is read to its end, so that a connection that breaks in the middle of
    /// it counts as broken.
    async fn execute(&self, request: Request, operation: &str) -> reqwest::Result<Response> {
        let is_small = request.body().is_none_or(|body| body.as_bytes().is_some_and(|body| body.len() <= SMALL_BODY));
        let is_download = operation == DOWNLOAD;
        let answer = if is_download || !is_small || is_event_stream(&request) {
            self.inner().sending().transfers.client(self.client()).execute(request).await?
        } else {
            self.client().execute(request).await?
        };
        if is_json(&answer) && !is_download { read_whole(answer).await } else { Ok(answer) }
    }

    /// Replaces the token of a request that waited, because it may have expired by now.
    async fn renew(&self, request: &mut Request) {
        if request.headers().contains_key(AUTHORIZATION)
            && let Ok(Some(token)) = self.inner().token().await
            && let Ok(token) = bearer(&token)
        {
            request.headers_mut().insert(AUTHORIZATION, token);
        }
    }

    /// Sends a request of your own to the service, with the same access token, headers and refresh as the operations: for
    /// an operation that this version of the SDK does not have, or for JSON that must not pass through its types. Returns
    /// the response if its status is a success.
    ///
    /// ```no_run
    /// # async fn example(client: &itinerary_sdk::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// use itinerary_sdk::ClientInfo;
    ///
    /// let url = format!("{}/v1/itineraries?limit=5", client.baseurl());
    /// let page: serde_json::Value = client.send_request(client.client().get(url).build()?).await?.json().await?;
    /// println!("{}", page["data"]);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn send_request(&self, request: Request) -> Result<Response, ApiError> {
        let answer = self.call(request, "send_request").await?;
        if answer.status().is_success() {
            return Ok(answer);
        }
        // An error page of a proxy: its status says more than that it is not JSON.
        let is_json = answer.headers().get(CONTENT_TYPE).is_some_and(|value| value.as_bytes().ends_with(b"json"));
        Err(if is_json { refused(answer).await } else { ApiError::UnexpectedResponse(answer) })
    }
}

impl ClientHooks<Session> for Client {
    async fn pre<E>(&self, request: &mut Request, _info: &OperationInfo) -> Result<(), Error<E>> {
        let Some(path) = self.inner().path(request.url()).filter(|path| path.starts_with("/v1/")) else {
            return Ok(());
        };
        let names_itineraries = path.contains("/itineraries");
        let can_be_repeated = path.starts_with("/v1/itineraries") && is_post_or_patch(request);
        if let Some(token) = self.inner().token().await.map_err(|error| Error::Custom(error.to_string()))? {
            request.headers_mut().insert(AUTHORIZATION, bearer(&token)?);
        }
        if names_itineraries {
            request.headers_mut().insert(SHAPE, HeaderValue::from_static("clean"));
        }
        if can_be_repeated && !request.headers().contains_key(IDEMPOTENCY_KEY) {
            request.headers_mut().insert(IDEMPOTENCY_KEY, HeaderValue::try_from(Uuid::new_v4().to_string())?);
        }
        Ok(())
    }

    async fn exec(&self, request: Request, info: &OperationInfo) -> reqwest::Result<Response> {
        let operation = info.operation_id;
        // The path's template, because ids and links are nobody else's business.
        let span = tracing::info_span!(
            "itinerary_request",
            operation,
            method = %request.method(),
            path = paths::template(operation),
            status = tracing::field::Empty,
            attempts = tracing::field::Empty,
        );
        let (result, attempts) = self.send(request, operation).instrument(span.clone()).await;
        span.record("attempts", attempts);
        if let Ok(answer) = &result {
            span.record("status", answer.status().as_u16());
        }
        result
    }

    async fn post<E>(&self, result: &reqwest::Result<Response>, _info: &OperationInfo) -> Result<(), Error<E>> {
        match result.as_ref().ok().and_then(|answer| answer.extensions().get::<Trouble>()) {
            Some(Trouble(text)) => Err(Error::Custom(text.clone())),
            None => Ok(()),
        }
    }
}

/// The methods for which the service supports idempotency keys, under `/v1/itineraries`.
fn is_post_or_patch(request: &Request) -> bool {
    matches!(*request.method(), Method::POST | Method::PATCH)
}

/// Whether the response stays open, silent for as long as nothing happens.
fn is_event_stream(request: &Request) -> bool {
    request.headers().get(ACCEPT).is_some_and(|kind| kind == EVENT_STREAM)
}

fn is_json(answer: &Response) -> bool {
    answer.headers().get(CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"))
}

/// The same response with its body in memory.
async fn read_whole(mut answer: Response) -> reqwest::Result<Response> {
    let mut whole = hyper::Response::builder().url(answer.url().clone()).body(()).expect("a URL is a valid part");
    *whole.status_mut() = answer.status();
    *whole.version_mut() = answer.version();
    *whole.headers_mut() = std::mem::take(answer.headers_mut());
    let body = Body::from(answer.bytes().await?);
    Ok(Response::from(whole.map(|()| body)))
}

/// Marked as sensitive, so that it is not logged.
fn bearer(token: &str) -> Result<HeaderValue, reqwest::header::InvalidHeaderValue> {
    let mut value = HeaderValue::try_from(format!("{BEARER}{token}"))?;
    value.set_sensitive(true);
    Ok(value)
}

/// The token that a request was sent with.
fn sent(request: &Request) -> Option<String> {
    let value = request.headers().get(AUTHORIZATION)?.to_str().ok()?;
    value.strip_prefix(BEARER).map(str::to_owned)
}
