//! Answers put together from stored fragments and the head that depends on the reader.
//!
//! Nothing here parses JSON: fragments are objects whose insides are joined.

use std::mem;

use bytes::Bytes;
use itinerary_api::types::{Attention, Author, Role, SavedFrom, Visibility};
use itinerary_api::values::Timestamp;
use serde::Serialize;
use uuid::Uuid;

use crate::access::Sections;
use crate::content::Fragments;

/// What an answer says of an itinerary besides its content.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Head {
    /// Its id.
    pub id: Uuid,
    /// Who may see it.
    pub visibility: Visibility,
    /// What the reader may do with it.
    pub role: Role,
    /// Its owner.
    pub author: Author,
    /// Where it was saved from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub saved_from: Option<SavedFrom>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// How many people like it.
    pub likes_count: i64,
    /// How often it was read.
    pub views_count: i64,
}

/// Fragments of at least this many bytes are not copied.
const LARGE: usize = 16 * 1024;

/// An itinerary as this reader sees it, as consecutive chunks of one JSON text. `needs_attention` is for answers to
/// writes.
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
            // The next chunk starts with the closing brace, as `join` expects.
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

/// One list of an itinerary, from the JSON array that is stored.
pub fn list(array: &str) -> Vec<u8> {
    [b"{\"data\":", array.as_bytes(), b"}"].concat()
}

/// The owner of an itinerary in a list: a `SummaryAuthor`, not copied.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EntryAuthor<'a> {
    /// The account.
    pub account_id: Uuid,
    /// The username.
    pub username: &'a str,
    /// The name under which others see the traveller.
    pub display_name: &'a str,
    /// The picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image_url: Option<&'a str>,
}

/// What a list entry says of an itinerary besides its card.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EntryHead<'a> {
    /// Its id.
    pub id: Uuid,
    /// Who may see it.
    pub visibility: Visibility,
    /// What the reader may do with it.
    pub role: Role,
    /// Its owner.
    pub author: EntryAuthor<'a>,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// The tag that reading it would answer with.
    pub etag: String,
    /// How many people like it.
    pub likes_count: i64,
    /// When it was first shown to others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published_at: Option<Timestamp>,
}

/// The bytes that the head of an entry takes, or a few more.
const HEAD: usize = 512;

/// A page of a list: each entry is a head and a stored card.
pub fn page(entries: &[(EntryHead<'_>, &str)], next_cursor: Option<&str>) -> Vec<u8> {
    let cards: usize = entries.iter().map(|(_, card)| card.len()).sum();
    let mut json = Vec::with_capacity(cards + entries.len() * HEAD + 256);
    json.extend_from_slice(b"{\"data\":[");
    for (n, (head, card)) in entries.iter().enumerate() {
        if n > 0 {
            json.push(b',');
        }
        serde_json::to_writer(&mut json, head).expect("a head is plain data");
        join(&mut json, card.as_bytes());
    }
    json.extend_from_slice(b"],\"nextCursor\":");
    serde_json::to_writer(&mut json, &next_cursor).expect("a cursor is text");
    json.push(b'}');
    json
}

/// Appends the fields of the object `more` to the object that `json` ends with, which is not empty.
fn join(json: &mut Vec<u8>, more: &[u8]) {
    let inside = more.strip_prefix(b"{").and_then(|rest| rest.strip_suffix(b"}")).unwrap_or_default();
    if inside.is_empty() {
        return;
    }
    let closing = json.pop();
    debug_assert_eq!(closing, Some(b'}'), "only objects are joined");
    json.push(b',');
    json.extend_from_slice(inside);
    json.push(b'}');
}
