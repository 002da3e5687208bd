//! Headers that every request carries, and the one retry after a rejected token.

use progenitor_client::{ClientHooks, ClientInfo, Error, OperationInfo};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderName, HeaderValue};
use reqwest::{Method, Request, Response, StatusCode};
use uuid::Uuid;

use crate::error::{ApiError, refused};
use crate::generated::Client;
use crate::keeper::TokenError;
use crate::session::Session;

const SHAPE: HeaderName = HeaderName::from_static("service-itinerary-shape");
pub(crate) const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
const BEARER: &str = "Bearer ";

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
    /// Sends a request of your own to the service, with the same access token, headers and refresh as the operations: for
    /// an operation that this version of the SDK does not have, or for JSON that must not pass through its types. Returns
    /// the response if its status is a success.
    pub async fn send_request(&self, request: Request) -> Result<Response, ApiError> {
        let answer = self.call(request, "send_request").await?;
        if answer.status().is_success() {
            return Ok(answer);
        }
        // An error page of a proxy: its status says more than that it is not JSON.
        let is_json = answer.headers().get(CONTENT_TYPE).is_some_and(|value| value.as_bytes().ends_with(b"json"));
        Err(if is_json { refused(answer).await } else { Error::UnexpectedResponse(answer) })
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

    async fn exec(&self, request: Request, _info: &OperationInfo) -> reqwest::Result<Response> {
        let (again, sent) = (request.try_clone(), sent(&request));
        let mut answer = self.client().execute(request).await?;
        if answer.status() != StatusCode::UNAUTHORIZED {
            return Ok(answer);
        }
        let Some(refused) = sent else { return Ok(answer) };
        match self.inner().token_instead_of(&refused).await {
            Ok(Some(token)) => {
                // The service issues no token that is not valid in a header: keep its response.
                let Ok(token) = bearer(&token) else { return Ok(answer) };
                let Some(mut again) = again else {
                    answer.extensions_mut().insert(Renewed);
                    return Ok(answer);
                };
                again.headers_mut().insert(AUTHORIZATION, token);
                self.client().execute(again).await
            }
            // The response says so already: 401.
            Ok(None) | Err(TokenError::SignInRequired { .. }) => Ok(answer),
            Err(error) => {
                answer.extensions_mut().insert(Trouble(error.to_string()));
                Ok(answer)
            }
        }
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
