//! The server that a command talks to, and requests whose JSON is passed on as it is.

use std::io;

use bytes::Bytes;
use futures::{Stream, TryStreamExt as _};
use itinerary_sdk::types::Itinerary;
use itinerary_sdk::{Client, ClientInfo as _, TokenStore as _};
use reqwest::Method;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use url::Url;
use uuid::Uuid;

use crate::arguments::Global;
use crate::failure::{Exit, Failure};
use crate::profile::Profile;

pub(crate) const USER_AGENT: &str = concat!("itinerary-cli/", env!("CARGO_PKG_VERSION"));
/// No response of the API is larger.
const LARGEST: usize = 64 << 20;
/// A page may be empty although another one follows. This ends lists whose pages never end.
const MOST_PAGES: usize = 1000;
/// The service's limit.
pub(crate) const LARGEST_PAGE: u8 = 100;

/// A signed-in client.
pub(crate) struct Service {
    pub(crate) client: Client,
    pub(crate) profile: Profile,
}

/// A response: its text, its parsed value, its `ETag`, and whether the service merged the request with other changes.
pub(crate) struct Answer<T> {
    pub(crate) raw: String,
    pub(crate) value: T,
    pub(crate) etag: String,
    pub(crate) is_merged: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Page {
    data: Vec<Box<RawValue>>,
    next_cursor: Option<String>,
}

/// The server's address: the argument, or that of the profile.
pub(crate) fn server(global: &Global, profile: &Profile) -> Result<String, Failure> {
    match global.server.clone().map_or_else(|| profile.server(), |server| Ok(Some(server)))? {
        Some(server) => Ok(server.trim().trim_end_matches('/').to_owned()),
        None => Err(Failure::new(
            Exit::SignIn,
            "not signed in: sign in with `itinerary login --server https://trips.example`",
        )),
    }
}

impl Service {
    /// A client with the given token, or with the tokens of the sign-in.
    pub(crate) async fn open(global: &Global) -> Result<Self, Failure> {
        let profile = Profile::open(&global.profile)?;
        let server = server(global, &profile)?;
        let mut builder = Client::builder(&server).user_agent(USER_AGENT);
        if global.allow_insecure_http {
            builder = builder.allow_insecure_http();
        }
        builder = if let Some(token) = &global.token {
            builder.access_token(token.trim())
        } else {
            let store = profile.tokens(&server)?;
            if store.load().await?.is_none() {
                let message = format!("not signed in to {server}: sign in with `itinerary login --server {server}`");
                return Err(Failure::new(Exit::SignIn, message));
            }
            builder.token_store(store)
        };
        Ok(Self { client: builder.build()?, profile })
    }

    pub(crate) fn base_url(&self) -> &str {
        self.client.baseurl()
    }

    /// A request to a path of the API.
    pub(crate) fn request(&self, method: Method, path: &str, query: &[(&str, String)]) -> reqwest::RequestBuilder {
        self.client.client().request(method, format!("{}{path}", self.base_url())).query(query)
    }

    /// Sends a request and reads its JSON.
    pub(crate) async fn send<T: DeserializeOwned>(
        &self,
        request: reqwest::RequestBuilder,
    ) -> Result<Answer<T>, Failure> {
        let answer = self.client.send_request(request.build()?).await?;
        let etag = answer.headers().get("etag").and_then(|etag| etag.to_str().ok()).unwrap_or_default().to_owned();
        let is_merged = answer.headers().contains_key("preference-applied");
        let raw = String::from_utf8(bytes(Box::pin(answer.bytes_stream())).await?).map_err(io::Error::other)?;
        let value = serde_json::from_str(&raw).map_err(|error| {
            Failure::new(Exit::Failure, format!("the server sent JSON that is not the API's: {error}"))
        })?;
        Ok(Answer { raw, value, etag, is_merged })
    }

    pub(crate) async fn trip(&self, id: Uuid) -> Result<Answer<Itinerary>, Failure> {
        self.send(self.request(Method::GET, &format!("/v1/itineraries/{id}"), &[])).await
    }

    /// Reads at most `limit` entries of a paged list, and whether there are more.
    pub(crate) async fn list(
        &self,
        path: &str,
        query: &[(&str, String)],
        limit: usize,
    ) -> Result<(Vec<Box<RawValue>>, bool), Failure> {
        let (mut entries, mut cursor) = (Vec::new(), None::<String>);
        for _ in 0..MOST_PAGES {
            let page = (limit - entries.len()).min(LARGEST_PAGE.into());
            let request = self.request(Method::GET, path, query).query(&[("limit", page.to_string())]);
            let request = cursor.iter().fold(request, |request, cursor| request.query(&[("cursor", cursor)]));
            let Page { mut data, next_cursor } = self.send(request).await?.value;
            data.truncate(page);
            entries.append(&mut data);
            cursor = next_cursor;
            if cursor.is_none() || entries.len() >= limit {
                break;
            }
        }
        Ok((entries, cursor.is_some()))
    }

    /// The page of a trip for people.
    pub(crate) fn address(&self, id: Uuid) -> String {
        // Through Url, so that an address of a strange server is printable.
        let address = format!("{}/trips/{id}", self.base_url());
        Url::parse(&address).map_or(address, String::from)
    }
}

/// The body of a response, which must not be endless.
pub(crate) async fn bytes(mut stream: impl Stream<Item = reqwest::Result<Bytes>> + Unpin) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    while let Some(chunk) = stream.try_next().await? {
        if bytes.len() + chunk.len() > LARGEST {
            return Err(Failure::new(Exit::Failure, "the server's response is larger than 64 MiB"));
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}
