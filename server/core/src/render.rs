//! Renders responses from stored fragments and a head that depends on the reader.
//!
//! Parses no JSON: the fields of the fragments, which are JSON objects, are joined as text.

use std::mem;

use bytes::Bytes;
use itinerary_api::types::{Attention, Author, Role, SavedFrom, Visibility};
use itinerary_api::values::Timestamp;
use memchr::{memchr, memmem};
use serde::Serialize;
use uuid::Uuid;

use crate::access::Sections;
use crate::content::Fragments;

/// The fields of an itinerary besides its content.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Head {
    pub id: Uuid,
    pub visibility: Visibility,
    /// The reader's role.
    pub role: Role,
    pub author: Author,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub saved_from: Option<SavedFrom>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub likes_count: i64,
    pub views_count: i64,
}

/// Fragments of at least this many bytes are not copied.
const LARGE: usize = 16 * 1024;

/// An itinerary as its reader sees it, as consecutive chunks of one JSON text. `needs_attention` is present in
/// responses to writes.
pub fn itinerary<T: AsRef<[u8]> + Into<Bytes>>(
    head: &Head,
    fragments: Fragments<T>,
    sections: Sections,
    needs_attention: Option<&[Attention]>,
) -> Vec<Bytes> {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Tail<'a> {
        needs_attention: &'a [Attention],
    }
    let Fragments { everyone, members, pro, documents } = fragments;
    let shown = [(true, everyone), (sections.members, members), (sections.pro, pro), (sections.documents, documents)];
    let small: usize = shown.iter().map(|(_, fragment)| fragment.as_ref().len()).filter(|length| *length < LARGE).sum();
    let mut json = Vec::with_capacity(small + 1024);
    serde_json::to_writer(&mut json, head).expect("a head is plain data");
    let mut pieces = Vec::new();
    for (_, fragment) in shown.into_iter().filter(|(shown, _)| *shown) {
        let length = fragment.as_ref().len();
        if length < LARGE {
            join(&mut json, fragment.as_ref());
        } else {
            // The next chunk starts with the closing brace that `join` expects.
            json.pop();
            json.push(b',');
            let inside = 1..length - 1;
            pieces.extend([mem::replace(&mut json, b"}".to_vec()).into(), fragment.into().slice(inside)]);
        }
    }
    if let Some(needs_attention) = needs_attention {
        let tail = serde_json::to_vec(&Tail { needs_attention }).expect("attention is plain data");
        join(&mut json, &tail);
    }
    pieces.push(json.into());
    pieces
}

/// Where the stored address of the cover is: in the public section of an itinerary, and in the card of a list entry. A quote
/// inside a text is escaped, so no text contains these.
const IN_ITINERARY: &[u8] = b"\"coverImage\":{\"url\":\"";
const IN_CARD: &[u8] = b"\"coverImageUrl\":\"";

/// The public section with this address of its cover. `None` if it has the address already, or no cover.
pub fn with_cover(everyone: &[u8], address: &str) -> Option<Vec<u8>> {
    with_address(everyone, IN_ITINERARY, address)
}

/// The same for a card.
pub fn card_with_cover(card: &str, address: &str) -> Option<String> {
    let card = with_address(card.as_bytes(), IN_CARD, address)?;
    Some(String::from_utf8(card).expect("text with another address is text"))
}

fn with_address(json: &[u8], key: &[u8], address: &str) -> Option<Vec<u8>> {
    let start = memmem::find(json, key)? + key.len();
    let length = memchr(b'"', &json[start..])?;
    let rest = &json[start + length..];
    (json[start..start + length] != *address.as_bytes()).then(|| [&json[..start], address.as_bytes(), rest].concat())
}

/// One list of an itinerary, from its stored JSON array.
pub fn list(array: &str) -> Vec<u8> {
    [b"{\"data\":", array.as_bytes(), b"}"].concat()
}

/// The author of a list entry; borrows what `SummaryAuthor` owns.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EntryAuthor<'a> {
    pub account_id: Uuid,
    pub username: &'a str,
    pub display_name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image_url: Option<&'a str>,
}

/// The fields of a list entry besides its stored card.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EntryHead<'a> {
    pub id: Uuid,
    pub visibility: Visibility,
    /// The reader's role.
    pub role: Role,
    pub author: EntryAuthor<'a>,
    pub updated_at: Timestamp,
    /// The ETag that reading the itinerary would return.
    pub etag: String,
    pub likes_count: i64,
    /// When it was first shown to others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published_at: Option<Timestamp>,
}

/// Capacity for the head of an entry, in bytes.
const HEAD: usize = 512;

/// A page of a list: each entry is a head and a stored card.
pub fn page<C: AsRef<str>>(entries: &[(EntryHead<'_>, C)], next_cursor: Option<&str>) -> Vec<u8> {
    let cards: usize = entries.iter().map(|(_, card)| card.as_ref().len()).sum();
    let mut json = Vec::with_capacity(cards + entries.len() * HEAD + 256);
    json.extend_from_slice(b"{\"data\":[");
    for (n, (head, card)) in entries.iter().enumerate() {
        if n > 0 {
            json.push(b',');
        }
        serde_json::to_writer(&mut json, head).expect("a head is plain data");
        join(&mut json, card.as_ref().as_bytes());
    }
    json.extend_from_slice(b"],\"nextCursor\":");
    serde_json::to_writer(&mut json, &next_cursor).expect("a cursor is text");
    json.push(b'}');
    json
}

/// Appends the fields of the object `more` to the non-empty object that `json` ends with.
fn join(json: &mut Vec<u8>, more: &[u8]) {
    let inside = more.strip_prefix(b"{").and_then(|rest| rest.strip_suffix(b"}")).unwrap_or_default();
    if inside.is_empty() {
        return;
    }
    let closing = json.pop();
    assert_eq!(closing, Some(b'}'), "only objects are joined");
    json.push(b',');
    json.extend_from_slice(inside);
    json.push(b'}');
}
