//! Cover images from Openverse, by `GET /v1/images/`.
//!
//! Follows <https://api.openverse.org/v1/> and its serialisers, <https://github.com/WordPress/openverse>. A search
//! leads to files on foreign hosts, which are downloaded from public addresses only. Openverse does not verify
//! licences: the attribution and the page are kept so that a reader can.

use async_trait::async_trait;
use serde::Deserialize;
use tokio::time::Instant;
use url::Url;

use crate::endpoint::json;
use crate::http::Request;
use crate::text::{clean, web_link};
use crate::{Endpoint, Failure, Images, Picture};

const PAGE_SIZE: usize = 5;
/// The longest query that Openverse accepts.
const MAX_QUERY_CHARS: usize = 200;
/// Downloads are large, so only the first results are tried.
const MAX_RESULTS_TRIED: usize = 3;
/// Licences that allow commercial use and adaptation, by Openverse's code.
const LICENSES: [(&str, &str); 4] =
    [("by", "CC BY"), ("by-sa", "CC BY-SA"), ("cc0", "CC0"), ("pdm", "Public Domain Mark")];

/// The image search Openverse. Needs no key.
#[derive(Clone)]
pub struct Openverse {
    endpoint: Endpoint,
}

impl Openverse {
    /// An adapter for a server, such as `https://api.openverse.org`.
    pub fn new(endpoint: Endpoint) -> Self {
        Self { endpoint }
    }

    fn url(&self, query: &str) -> Url {
        let mut url = self.endpoint.url(&["v1", "images", ""]);
        url.query_pairs_mut()
            .append_pair("q", query)
            .append_pair("license_type", "commercial,modification")
            .append_pair("page_size", &PAGE_SIZE.to_string());
        url
    }

    /// Downloads the original, or else the thumbnail, which Openverse itself serves.
    async fn download(&self, candidate: &ImageCandidate, deadline: Instant) -> Result<Picture, Failure> {
        let mut failure = Failure::malformed("no result has a usable URL");
        for (index, url) in candidate.urls.iter().enumerate() {
            // Leaves time for the thumbnail if the original's host hangs.
            let is_last = index + 1 == candidate.urls.len();
            let until = if is_last { deadline } else { halfway(deadline) };
            match self.endpoint.download(&Request::image(url.clone()), until).await {
                Ok(bytes) if is_image(&bytes) => {
                    return Ok(Picture { bytes, source: candidate.source.clone(), page: candidate.page.clone() });
                }
                Ok(_) => failure = Failure::malformed("the file is not a JPEG, PNG or WebP image"),
                Err(error) => failure = error,
            }
        }
        Err(failure)
    }
}

#[async_trait]
impl Images for Openverse {
    async fn find(&self, query: &str, deadline: Instant) -> Result<Option<Picture>, Failure> {
        let Some(query) = clean(query, MAX_QUERY_CHARS) else {
            return Ok(None);
        };
        let request = Request::get(self.url(&query));
        let candidates = self.endpoint.call(&request, deadline, parse).await?;
        let mut last = Ok(None);
        for candidate in &candidates {
            match self.download(candidate, deadline).await {
                Ok(picture) => return Ok(Some(picture)),
                Err(failure) => last = Err(failure),
            }
        }
        last
    }

    fn name(&self) -> &'static str {
        "openverse"
    }
}

fn halfway(deadline: Instant) -> Instant {
    let now = Instant::now();
    now + deadline.saturating_duration_since(now) / 2
}

#[derive(Deserialize)]
struct SearchResponse {
    results: Vec<Hit>,
}

#[derive(Deserialize)]
struct Hit {
    title: Option<String>,
    creator: Option<String>,
    license: String,
    license_version: Option<String>,
    url: Option<String>,
    thumbnail: Option<String>,
    foreign_landing_url: Option<String>,
    #[serde(default)]
    mature: bool,
}

struct ImageCandidate {
    urls: Vec<Url>,
    source: String,
    page: Option<String>,
}

fn parse(body: &[u8]) -> Result<Vec<ImageCandidate>, Failure> {
    let response: SearchResponse = json(body)?;
    Ok(response.results.iter().filter_map(candidate).take(MAX_RESULTS_TRIED).collect())
}

fn candidate(hit: &Hit) -> Option<ImageCandidate> {
    let urls: Vec<_> = [&hit.url, &hit.thumbnail].into_iter().flatten().filter_map(|url| url.parse().ok()).collect();
    if hit.mature || urls.is_empty() {
        return None;
    }
    Some(ImageCandidate { urls, source: source(hit)?, page: hit.foreign_landing_url.as_deref().and_then(web_link) })
}

/// The longest parts of an image's source, which holds 200 characters.
const MAX_TITLE_CHARS: usize = 80;
const MAX_CREATOR_CHARS: usize = 60;
const MAX_VERSION_CHARS: usize = 10;

/// Title, author and licence, as the licences require. `None` for a licence that does not allow the use.
fn source(hit: &Hit) -> Option<String> {
    let (_, license) = LICENSES.iter().find(|(code, _)| *code == hit.license)?;
    // The licence comes last and must not be truncated.
    let known = |text: &Option<String>, most| text.as_deref().and_then(|text| clean(text, most));
    let title = known(&hit.title, MAX_TITLE_CHARS).map_or_else(|| "image".to_owned(), |title| format!("\"{title}\""));
    let creator = known(&hit.creator, MAX_CREATOR_CHARS).map_or_else(String::new, |creator| format!(" by {creator}"));
    let version =
        known(&hit.license_version, MAX_VERSION_CHARS).map_or_else(String::new, |version| format!(" {version}"));
    Some(format!("openverse: {title}{creator}, {license}{version}"))
}

/// Whether a file starts like an image of the three formats that the server stores. An error page does not.
fn is_image(bytes: &[u8]) -> bool {
    let is_webp = bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP");
    is_webp || bytes.starts_with(&[0xff, 0xd8, 0xff]) || bytes.starts_with(b"\x89PNG\r\n\x1a\n")
}
