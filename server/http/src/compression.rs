//! Compresses JSON responses and the pages' static files with gzip if the client accepts it.
//!
//! Uses the fastest level, which takes less time than sending the bytes that it saves. OAuth responses and HTML pages
//! are not compressed, because they contain secrets beside text that others choose: from the lengths of compressed
//! responses, an attacker who can choose such a text could guess a form's code (BREACH).
//!
//! A compressed response keeps its ETag: a tag names what a client reads, whatever the coding; `Vary` tells caches of
//! it.

use std::io::Write;

use bytes::Bytes;
use dropshot::Body;
use flate2::Crc;
use http::Response;
use http::header::{self, HeaderMap, HeaderValue};
use http_body::Body as _;
use http_body_util::BodyExt;
use itinerary_api::policy::Surface;
use itinerary_core::deflate;

use crate::docs::Docs;

/// A shorter response fits into one packet uncompressed.
const SHORTEST: u64 = 1024;
/// After this many bytes, yields to other tasks.
const TURN: usize = 64 * 1024;
/// The header of a gzip file (RFC 1952): deflate, no name, no time, fastest level, unknown system.
const GZIP: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255];

/// Whether a request accepts gzip.
pub(super) fn accepts_gzip(headers: &HeaderMap) -> bool {
    headers.get_all(header::ACCEPT_ENCODING).iter().any(|value| value.to_str().is_ok_and(names_gzip))
}

/// Whether `Accept-Encoding` names gzip with a non-zero quality.
fn names_gzip(value: &str) -> bool {
    value.split(',').any(|coding| {
        let (name, quality) = coding.split_once(';').unwrap_or((coding, ""));
        let quality = quality.trim().to_ascii_lowercase();
        let quality = quality.strip_prefix("q=").and_then(|quality| quality.trim().parse::<f32>().ok());
        name.trim().eq_ignore_ascii_case("gzip") && quality.is_none_or(|quality| quality > 0.0)
    })
}

/// Whether the length of the compressed response reveals no secret: JSON for callers who send their token themselves,
/// and what everyone may read, which is marked for shared caches.
pub(super) fn is_safe(surface: Surface, headers: &HeaderMap) -> bool {
    match surface {
        Surface::Api | Surface::Discovery => {
            headers.get(header::CONTENT_TYPE).is_some_and(|it| it == "application/json")
        }
        Surface::Page => is_public(headers),
        Surface::File | Surface::OAuth | Surface::Operations => false,
    }
}

/// Whether shared caches may keep the response.
pub(super) fn is_public(headers: &HeaderMap) -> bool {
    headers.get(header::CACHE_CONTROL).is_some_and(|rule| rule.as_bytes().starts_with(b"public"))
}

/// Compresses a response if it is long enough.
pub(super) async fn compress(docs: &Docs, response: &mut Response<Body>) {
    let is_long = response.body().size_hint().exact().is_some_and(|size| size > SHORTEST);
    if !is_long || response.headers().contains_key(header::CONTENT_ENCODING) {
        return;
    }
    let body = std::mem::replace(response.body_mut(), Body::empty());
    let Some(pieces) = pieces(body).await else { return };
    let compressed = match &pieces[..] {
        // Anyone may request the published document as often as they like.
        [piece] if piece.as_ptr() == docs.document().as_ptr() => document_gzip(docs).await,
        pieces => gzip(pieces).await,
    };
    *response.body_mut() = compressed.into();
    response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
}

/// The pieces of a response that is completely in memory.
async fn pieces(mut body: Body) -> Option<Vec<Bytes>> {
    let mut pieces = Vec::with_capacity(4);
    while let Some(frame) = body.frame().await {
        pieces.push(frame.ok()?.into_data().ok()?);
    }
    Some(pieces)
}

/// The published document, compressed once.
async fn document_gzip(docs: &Docs) -> Bytes {
    if let Some(bytes) = docs.document_gzip.get() {
        return bytes.clone();
    }
    let bytes = gzip(std::slice::from_ref(docs.document())).await;
    docs.document_gzip.get_or_init(|| bytes).clone()
}

async fn gzip(pieces: &[Bytes]) -> Bytes {
    let length: usize = pieces.iter().map(Bytes::len).sum();
    let mut file = Vec::with_capacity(length / 4 + GZIP.len());
    file.extend_from_slice(&GZIP);
    let mut encoder = deflate::encoder(file);
    let mut sum = Crc::new();
    let mut turn = 0;
    for chunk in pieces.iter().flat_map(|piece| piece.chunks(TURN)) {
        if turn + chunk.len() > TURN {
            tokio::task::yield_now().await;
            turn = 0;
        }
        turn += chunk.len();
        sum.update(chunk);
        encoder.write_all(chunk).expect("a vector takes everything");
    }
    let mut file = deflate::finish(encoder);
    file.extend_from_slice(&sum.sum().to_le_bytes());
    file.extend_from_slice(&sum.amount().to_le_bytes());
    file.into()
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::GzDecoder;

    use super::*;

    #[tokio::test]
    async fn gzip_round_trip_returns_the_original() {
        let long = vec![b'a'; 3 * TURN + 7];
        for pieces in [vec![&b"{\"a\":"[..], b"1}"], vec![b"{}"], vec![], vec![&long, b"b", &long]] {
            let pieces: Vec<Bytes> = pieces.into_iter().map(Bytes::copy_from_slice).collect();
            let mut plain = Vec::new();
            GzDecoder::new(&gzip(&pieces).await[..]).read_to_end(&mut plain).expect("gzip");
            assert_eq!(plain, pieces.concat());
        }
    }

    #[test]
    fn gzip_is_asked_for_by_its_name() {
        for (value, asked) in [
            ("gzip", true),
            ("deflate, GZIP;q=0.5", true),
            ("br, gzip; q=1.0", true),
            ("gzip;q=0", false),
            ("gzip;q=0.000, br", false),
            ("identity", false),
            ("", false),
        ] {
            assert_eq!(names_gzip(value), asked, "{value}");
        }
    }
}
