//! OAuth: discovery, registration, the traveller's approval, tokens and their end.

mod authentication;
mod authorise;
mod bearer;
mod clients;
mod consent;
mod discovery;
mod refresh;
mod register;
mod resource;
mod revoke;
mod token;

use std::future::Future;
use std::sync::Arc;

use reqwest::Method;

use crate::context::Context;
use crate::outcome::Checked;
use crate::response::ReceivedResponse;
use crate::row::{Row, row};

use clients::{Clients, Scene};

/// The scopes of most requests.
const READ_WRITE: &str = "itineraries:read itineraries:write";

pub(crate) fn rows() -> Vec<Row> {
    let clients = Arc::new(Clients::default());
    let rows = [
        discovery::rows(),
        register::rows(&clients),
        authorise::rows(&clients),
        consent::rows(&clients),
        token::rows(&clients),
        authentication::rows(&clients),
        refresh::rows(&clients),
        revoke::rows(&clients),
        resource::rows(&clients),
        bearer::rows(&clients),
    ];
    rows.into_iter().flatten().collect()
}

/// A row whose check needs the registered clients.
fn scene<C, F>(clients: &Arc<Clients>, (id, section, promise): (&str, &str, &str), check: C) -> Row
where
    C: Fn(Scene) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = Checked> + Send + 'static,
{
    let clients = Arc::clone(clients);
    row(id, section, promise, move |context| {
        let (clients, check) = (Arc::clone(&clients), check.clone());
        async move { check(clients.scene(context).await?).await }
    })
}

/// Expects the error shape of section 7.2 and no redirect.
fn refusal(response: &ReceivedResponse, status: u16, error: &str) -> Checked {
    refusal_of(response, status, &[error])
}

/// The same with several acceptable errors.
fn refusal_of(response: &ReceivedResponse, status: u16, errors: &[&str]) -> Checked {
    let expected = format!("status {status} with the error {}", errors.join(" or "));
    response.ensure(response.status == status, &expected)?;
    let body = response.json_with(status)?;
    response.ensure(errors.iter().any(|error| body["error"] == *error), expected)?;
    let description = body["error_description"].as_str().unwrap_or_default();
    // RFC 6749, 5.2.
    let is_plain = !description.is_empty()
        && description.bytes().all(|byte| matches!(byte, b' '..=b'~' if !b"\"\\".contains(&byte)));
    response.ensure(is_plain, "an error_description in printable ASCII without quotation marks and backslashes")?;
    response.ensure(response.header("location").is_empty(), "no redirect").map(drop)
}

/// Calls the API with this token.
async fn call_with(context: &Context, token: &str) -> Checked<ReceivedResponse> {
    context.call(Method::GET, "/v1/account").token(token).send().await
}

/// Expects the token to work.
async fn alive(context: &Context, token: &str) -> Checked {
    call_with(context, token).await?.status(200).map(drop)
}

/// Expects the token not to work any more.
async fn ended(context: &Context, token: &str) -> Checked {
    call_with(context, token).await?.error(401, "unauthenticated").map(drop)
}
