//! What a change replaced: enough to rebuild the version before it from the version after it.
//!
//! Holds the former JSON of changed fields and entries, packed. Entries that stayed the same are not repeated.

use std::collections::{BTreeMap, HashMap};
use std::io::{Read, Write};

use flate2::read::DeflateDecoder;
use itinerary_api::types::Visibility;
use itinerary_api::values::limits;
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::content::{Content, Everyone, Part};
use crate::deflate;
use crate::edit::clear_dangling_links;
use crate::entry::AnyEntries;

/// The first byte of packed data: how the JSON after it is packed.
const PLAIN: u8 = 0;
const DEFLATED: u8 = 1;

/// Shorter JSON is stored as it is.
const WORTH_PACKING: usize = 256;

/// The maximum size of unpacked data: an itinerary, and the ids of its entries in their order.
const MOST: u64 = 4 * limits::ITINERARY as u64;

/// What a change replaced.
#[derive(Serialize)]
struct Replaced<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    visibility: Option<Visibility>,
    /// Former values by name; null for an absent field.
    #[serde(skip_serializing_if = "Map::is_empty")]
    fields: Map<String, Value>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    lists: BTreeMap<&'static str, ReplacedList<'a>>,
}

/// What a change replaced of a list.
#[derive(Serialize)]
struct ReplacedList<'a> {
    /// The former ids in order, if they or their order changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    order: Option<Vec<&'a str>>,
    /// The former entries that changed or were removed.
    entries: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
struct StoredReplaced<'a> {
    visibility: Option<Visibility>,
    #[serde(default)]
    fields: Map<String, Value>,
    #[serde(borrow, default)]
    lists: HashMap<&'a str, StoredList<'a>>,
}

#[derive(Deserialize)]
struct StoredList<'a> {
    #[serde(borrow)]
    order: Option<Vec<&'a str>>,
    #[serde(borrow)]
    entries: Vec<&'a RawValue>,
}

/// An itinerary's content with its visibility.
#[derive(Clone, Debug, PartialEq)]
pub struct Version {
    pub visibility: Visibility,
    pub content: Content,
}

/// What the change from one content to another replaced, packed. `was_visible` is the former visibility, if it changed. In
/// both, all items have ids, and `before` is as it was stored.
pub fn replaced(before: &Content, after: &Content, was_visible: Option<Visibility>) -> serde_json::Result<Vec<u8>> {
    let mut fields = Map::new();
    note_fields(before, after, &mut fields)?;
    let mut lists = BTreeMap::new();
    for part in Part::ALL {
        let list = replaced_list(before.list(part), after.list(part))?;
        lists.extend(list.map(|list| (part.name(), list)));
    }
    Ok(pack(&serde_json::to_vec(&Replaced { visibility: was_visible, fields, lists })?))
}

/// Rebuilds the version before a change from the version after it.
pub fn undo(version: &mut Version, packed: &[u8]) -> serde_json::Result<()> {
    let json = unpack(packed)?;
    let StoredReplaced { visibility, mut fields, mut lists } = serde_json::from_slice(&json)?;
    version.visibility = visibility.unwrap_or(version.visibility);
    put_back_fields(&mut version.content, &mut fields)?;
    for part in Part::ALL {
        if let Some(list) = lists.remove(part.name()) {
            put_back_list(version.content.list_mut(part), &list)?;
        }
    }
    Ok(())
}

/// Gives a content what a former version had, except its cover and its documents, and without `pro` except the Pro sections.
/// Clears links to items that do not exist.
pub fn restore(content: &mut Content, former: Content, pro: bool) -> serde_json::Result<()> {
    let cover_image = content.everyone.cover_image.take();
    content.everyone = Everyone { cover_image, ..former.everyone };
    content.members = former.members;
    if pro {
        content.pro = former.pro;
    }
    clear_dangling_links(content)
}

/// Calls a macro with each field that is not a list: its name, and where it is.
macro_rules! fields {
    ($each:ident) => {
        $each!("title", everyone.title);
        $each!("summary", everyone.summary);
        $each!("destination", everyone.destination);
        $each!("startDate", everyone.start_date);
        $each!("travellers", everyone.travellers);
        $each!("tags", everyone.tags);
        $each!("coverImage", everyone.cover_image);
        $each!("currency", everyone.currency);
        $each!("origin", members.origin);
    };
}

fn note_fields(before: &Content, after: &Content, fields: &mut Map<String, Value>) -> serde_json::Result<()> {
    macro_rules! note {
        ($name:literal, $fragment:ident.$field:ident) => {
            if before.$fragment.$field != after.$fragment.$field {
                fields.insert($name.to_owned(), serde_json::to_value(&before.$fragment.$field)?);
            }
        };
    }
    fields!(note);
    Ok(())
}

fn put_back_fields(content: &mut Content, fields: &mut Map<String, Value>) -> serde_json::Result<()> {
    macro_rules! put_back {
        ($name:literal, $fragment:ident.$field:ident) => {
            put_back(&mut content.$fragment.$field, fields.remove($name))?;
        };
    }
    fields!(put_back);
    Ok(())
}

fn put_back<T: DeserializeOwned>(field: &mut T, former: Option<Value>) -> serde_json::Result<()> {
    if let Some(former) = former {
        *field = serde_json::from_value(former)?;
    }
    Ok(())
}

/// What changed of a list; `None` if nothing did.
fn replaced_list<'a>(
    before: &'a dyn AnyEntries,
    after: &dyn AnyEntries,
) -> serde_json::Result<Option<ReplacedList<'a>>> {
    let is_same_order = ids(before).eq(ids(after));
    let indexes: HashMap<_, _> =
        if is_same_order { HashMap::new() } else { ids(after).enumerate().map(|(n, id)| (id, n)).collect() };
    let mut entries = Vec::new();
    for (n, id) in ids(before).enumerate() {
        let former = before.stored(n)?;
        let index = if is_same_order { Some(n) } else { indexes.get(id).copied() };
        let is_same = match index {
            Some(index) => is_same(&after.raw(index)?, former),
            None => false,
        };
        if !is_same {
            entries.push(former);
        }
    }
    if is_same_order && entries.is_empty() {
        return Ok(None);
    }
    Ok(Some(ReplacedList { order: (!is_same_order).then(|| ids(before).collect()), entries }))
}

/// An entry that a change did not touch is still in the same place in memory.
fn is_same(one: &RawValue, other: &RawValue) -> bool {
    std::ptr::eq(one, other) || one.get() == other.get()
}

fn put_back_list(list: &mut dyn AnyEntries, former: &StoredList) -> serde_json::Result<()> {
    let mut entries = HashMap::new();
    for (n, id) in ids(list).enumerate() {
        entries.insert(id.to_owned(), list.raw(n)?.get().to_owned());
    }
    let order: Vec<_> = match &former.order {
        Some(order) => order.iter().map(|id| (*id).to_owned()).collect(),
        None => ids(list).map(str::to_owned).collect(),
    };
    for entry in &former.entries {
        entries.insert(id_of(entry)?, entry.get().to_owned());
    }
    let missing = || serde_json::Error::custom("an entry of a former version is missing");
    let former: Vec<_> =
        order.iter().map(|id| entries.remove(id).ok_or_else(missing)).collect::<serde_json::Result<_>>()?;
    list.replace(&format!("[{}]", former.join(",")))
}

fn ids(list: &dyn AnyEntries) -> impl Iterator<Item = &str> {
    list.indexes().map(|index| index.id.as_deref().unwrap_or_default())
}

fn id_of(entry: &RawValue) -> serde_json::Result<String> {
    #[derive(Deserialize)]
    struct Identified {
        id: String,
    }
    serde_json::from_str(entry.get()).map(|Identified { id }| id)
}

fn pack(json: &[u8]) -> Vec<u8> {
    if json.len() < WORTH_PACKING {
        return [&[PLAIN], json].concat();
    }
    let mut encoder = deflate::encoder(vec![DEFLATED]);
    encoder.write_all(json).expect("writing to memory does not fail");
    deflate::finish(encoder)
}

fn unpack(packed: &[u8]) -> serde_json::Result<Vec<u8>> {
    match packed.split_first() {
        Some((&PLAIN, json)) => Ok(json.to_vec()),
        Some((&DEFLATED, data)) => {
            let mut json = Vec::new();
            DeflateDecoder::new(data).take(MOST).read_to_end(&mut json).map_err(serde_json::Error::custom)?;
            Ok(json)
        }
        _ => Err(serde_json::Error::custom("unknown packing of a former version")),
    }
}
