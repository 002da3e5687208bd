//! The OpenAPI document that the server publishes, and the reference pages (`/docs`) that are rendered from it.
//!
//! All pages are rendered when the first one is requested, and kept compressed: about 240 pages of 20 KB each take little
//! more than a megabyte.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::sync::{LazyLock, OnceLock};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use itinerary_api::policy::{LimitKind, Policy};
use itinerary_reference::{Facts, Limit, Reference, SCRIPT, STYLE};
use openssl::sha::sha256;
use serde_json::Value;
use tokio::sync::OnceCell;

/// The document that `cargo xtask openapi` writes.
static DOCUMENT: &str = include_str!("../../../openapi/itinerary.json");
/// The files for language models, which have addresses of their own besides those under `/docs`.
const LLMS: &str = "llms.txt";
const LLMS_FULL: &str = "llms-full.txt";
const TEXT: &str = "text/plain; charset=utf-8";
/// The server's address in the document.
const DOCUMENT_BASE_URL: &str = "http://127.0.0.1:8080";

/// What the server publishes about itself: the OpenAPI document with its address, and the pages that are rendered from it.
#[derive(Debug)]
pub(crate) struct Docs {
    base_url: String,
    document: Bytes,
    /// The document, compressed when it is first requested so.
    pub(crate) document_gzip: OnceLock<Bytes>,
    site: OnceCell<Site>,
}

/// All pages and their files, by path below `/docs`.
#[derive(Debug)]
pub(crate) struct Site {
    pub(crate) reference: Reference,
    files: HashMap<String, PublishedFile>,
}

/// A page or a file of the pages.
#[derive(Debug)]
pub(crate) struct PublishedFile {
    pub(crate) media_type: &'static str,
    /// Whether it is the overview, which also takes searches.
    pub(crate) is_overview: bool,
    /// The quoted ETag: the hash of the uncompressed file.
    pub(crate) etag: String,
    pub(crate) gzip: Bytes,
}

impl Docs {
    pub(crate) fn new(base_url: &str) -> Self {
        let (document_gzip, site) = (OnceLock::new(), OnceCell::new());
        Self { base_url: base_url.to_owned(), document: document(base_url), document_gzip, site }
    }

    /// The published OpenAPI document with this server's address.
    pub(crate) fn document(&self) -> &Bytes {
        &self.document
    }

    /// The pages of this server. Rendering takes a moment, in a thread of its own.
    pub(crate) async fn site(&self) -> &Site {
        let render = || async {
            let (document, base_url) = (self.document.clone(), self.base_url.clone());
            let site = tokio::task::spawn_blocking(move || Site::render(&document, &base_url));
            site.await.expect("the published document can be rendered")
        };
        self.site.get_or_init(render).await
    }
}

/// The document with this server's address.
fn document(base_url: &str) -> Bytes {
    // Keeps the order of the fields. No string of the document spans lines.
    static COMPACT: LazyLock<String> = LazyLock::new(|| DOCUMENT.lines().map(str::trim_start).collect());
    let quoted = Value::from(base_url).to_string();
    COMPACT.replace(DOCUMENT_BASE_URL, &quoted[1..quoted.len() - 1]).into()
}

impl Site {
    fn render(document: &[u8], base_url: &str) -> Self {
        let document: Value = serde_json::from_slice(document).expect("the published document is JSON");
        let limits = LIMITS.map(limit);
        let limit_of = |operation: &str| Policy::of(operation)?.kind.map(limit);
        let rendered =
            itinerary_reference::render(&document, &Facts { base_url, limits: &limits, limit_of: &limit_of });
        let html = rendered.pages.into_iter().map(|page| {
            let is_overview = page.path.is_empty();
            (page.path, PublishedFile { is_overview, ..PublishedFile::new("text/html; charset=utf-8", &page.html) })
        });
        let assets = [
            ("docs.css".to_owned(), PublishedFile::new("text/css; charset=utf-8", STYLE)),
            ("docs.js".to_owned(), PublishedFile::new("text/javascript; charset=utf-8", SCRIPT)),
            ("search.json".to_owned(), PublishedFile::new("application/json", &rendered.reference.search_index())),
            (LLMS.to_owned(), PublishedFile::new(TEXT, &rendered.llms)),
            (LLMS_FULL.to_owned(), PublishedFile::new(TEXT, &rendered.llms_full)),
        ];
        Self { reference: rendered.reference, files: html.chain(assets).collect() }
    }

    /// The file of a request's path; repeated and final slashes are ignored, as in the router.
    pub(crate) fn file(&self, path: &str) -> Option<&PublishedFile> {
        let segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
        match segments[..] {
            [name @ (LLMS | LLMS_FULL)] => self.files.get(name),
            [_, ref below @ ..] => self.files.get(&below.join("/")),
            [] => None,
        }
    }
}

impl PublishedFile {
    fn new(media_type: &'static str, text: &str) -> Self {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text.as_bytes()).expect("a vector takes everything");
        let gzip = encoder.finish().expect("a vector takes everything").into();
        let etag = format!("\"{}\"", URL_SAFE_NO_PAD.encode(sha256(text.as_bytes())));
        Self { media_type, is_overview: false, etag, gzip }
    }

    /// The uncompressed file.
    pub(crate) fn plain(&self) -> Bytes {
        let mut plain = Vec::new();
        GzDecoder::new(&self.gzip[..]).read_to_end(&mut plain).expect("it was compressed here");
        plain.into()
    }
}

/// All kinds, in the order of the overview.
const LIMITS: [LimitKind; 6] =
    [LimitKind::Read, LimitKind::Search, LimitKind::Write, LimitKind::Image, LimitKind::Document, LimitKind::Delivery];

fn limit(kind: LimitKind) -> Limit {
    let (name, about) = match kind {
        LimitKind::Read => ("read", "Reading and listing."),
        LimitKind::Search => ("search", "Explore, activity suggestions and optimising a day."),
        LimitKind::Write => ("write", "Creating, changing and deleting."),
        LimitKind::Image => ("image", "Uploading and setting images."),
        LimitKind::Document => ("document", "Uploading documents."),
        LimitKind::Delivery => ("delivery", "Testing webhooks and redelivering events."),
    };
    Limit { name, about, per_minute: kind.per_minute() }
}
