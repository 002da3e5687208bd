//! The invariants of every outcome.
//!
//! Inspects the response's JSON where possible, as a client does, so that a mistake in the types or the checks is not
//! repeated here.

use std::collections::{HashMap, HashSet};
use std::iter;

use itinerary_api::read;
use itinerary_api::types::{Attention, Itinerary, ItineraryPatch};
use itinerary_api::values::limits;
use itinerary_core::access::{Sections, Standing};
use itinerary_core::content::{Content, Fragments, Part};
use itinerary_core::edit::Edit;
use itinerary_core::entry::{Entry, ListItem};
use itinerary_core::{fill, render, validate};
use serde_json::Value;
use serde_json::value::RawValue;
use uuid::Uuid;

use crate::Refused;
use crate::start::{EVERYTHING, Sequence, head};

/// The sections whose entries may have a `belongsTo`.
const LINKED: [&str; 3] = ["expenses", "packing", "documents"];

/// A refusal has a message.
pub(crate) fn refused(refused: &Refused) {
    match refused {
        Refused::Invalid(error) => {
            assert!(!error.message.trim().is_empty(), "a refusal without words");
            assert_ne!(error.field.as_deref(), Some(""), "a field without a name");
        }
        Refused::TooLarge(size) => assert!(*size > limits::ITINERARY, "{size} bytes are not too many"),
        Refused::NotFound => {}
    }
}

/// The content with every entry parsed.
pub(crate) fn parsed(content: &Content) -> Content {
    fn parse<T: ListItem>(list: &mut [Entry<T>]) {
        for entry in list {
            entry.change(|_| ()).expect("what is stored can be read");
        }
    }
    let mut content = content.clone();
    parse(&mut content.everyone.days);
    parse(&mut content.members.flights);
    parse(&mut content.members.hotels);
    parse(&mut content.members.transports);
    parse(&mut content.members.reservations);
    parse(&mut content.pro.expenses);
    parse(&mut content.pro.packing);
    parse(&mut content.documents.documents);
    content
}

/// The stored content is within the size limit and is unchanged when it is read back.
pub(crate) fn stored(content: &Content, fragments: &Fragments) {
    let read = Content::parse(fragments).expect("what is stored can be read");
    assert_eq!(read, *content);
    for part in Part::ALL {
        assert!(read.list(part).indexes().eq(content.list(part).indexes()), "{part:?}");
    }
    let Fragments { everyone, members, pro, documents } = fragments;
    let size = everyone.len() + members.len() + pro.len() + documents.len();
    assert_eq!(fragments.size(), size);
    assert!(size <= limits::ITINERARY, "{size} bytes are too many");
    let card: Value = serde_json::from_str(&content.card()).expect("a card is JSON");
    assert_eq!(card["daysCount"], content.everyone.days.len());
    let folded = fill::folded(&content.everyone.destination.name);
    assert_eq!(folded, fill::folded(&folded), "what is folded stays as it is");
}

/// Every reader's response is consistent. Returns the owner's.
pub(crate) fn answered(content: &Content, fragments: &Fragments, attention: &[Attention], id: Uuid) -> Value {
    let response = render::itinerary(&head(id), fragments.clone(), EVERYTHING, Some(attention)).concat();
    serde_json::from_slice::<Itinerary>(&response).expect("an answer is an itinerary");
    let whole: Value = serde_json::from_slice(&response).expect("an answer is JSON");
    ids_are_unique(&whole);
    legs_join_neighbours(&whole);
    links_lead_somewhere(&whole, id);
    lists_are_the_same(fragments, &whole);
    others_see_less(fragments, &whole, id);
    can_be_sent_back(content, &response, id);
    whole
}

/// A list of the object; empty if it has none.
fn array<'a>(object: &'a Value, name: &str) -> &'a [Value] {
    object.get(name).map_or(&[], |list| list.as_array().expect(name))
}

fn text<'a>(object: &'a Value, name: &str) -> &'a str {
    object[name].as_str().expect(name)
}

/// The id and kind of everything that has an id.
fn ids(response: &Value) -> impl Iterator<Item = (&'static str, &str)> {
    let list = |kind, name| array(response, name).iter().map(move |item| (kind, text(item, "id")));
    let stops = array(response, "days").iter().flat_map(|day| array(day, "stops"));
    list("day", "days")
        .chain(stops.map(|stop| ("stop", text(stop, "id"))))
        .chain(list("flight", "flights"))
        .chain(list("hotel", "hotels"))
        .chain(list("transport", "transports"))
        .chain(list("reservation", "reservations"))
        .chain(list("expense", "expenses"))
        .chain(list("packing", "packing"))
}

fn ids_are_unique(response: &Value) {
    let mut seen = HashSet::new();
    for (kind, id) in ids(response) {
        assert!(seen.insert(id), "the {kind} {id} is there twice");
    }
}

fn legs_join_neighbours(response: &Value) {
    for day in array(response, "days") {
        let stops = array(day, "stops");
        let neighbours: HashSet<_> =
            stops.windows(2).map(|pair| (text(&pair[0], "id"), text(&pair[1], "id"))).collect();
        for leg in array(day, "legs") {
            assert!(neighbours.contains(&(text(leg, "from"), text(leg, "to"))), "{leg} joins no neighbours");
        }
    }
}

/// Everything that a `belongsTo` in this response may refer to.
fn targets(response: &Value) -> HashSet<(&str, &str)> {
    ids(response).filter(|(kind, _)| !["expense", "packing"].contains(kind)).collect()
}

fn links_lead_somewhere(response: &Value, id: Uuid) {
    let id = id.to_string();
    let targets = targets(response);
    for item in LINKED.iter().flat_map(|section| array(response, section)) {
        let Some(link) = item.get("belongsTo") else { continue };
        let (kind, target) = (text(link, "kind"), text(link, "id"));
        let is_there =
            if kind == "itinerary" { target.eq_ignore_ascii_case(&id) } else { targets.contains(&(kind, target)) };
        assert!(is_there, "{link} leads nowhere");
    }
}

/// The list operations return the same entries as the itinerary.
fn lists_are_the_same(fragments: &Fragments, whole: &Value) {
    for part in Part::ALL {
        let list = render::list(fragments.list(part).expect("the list is stored"));
        let list: Value = serde_json::from_slice(&list).expect("a list is JSON");
        assert_eq!(array(&list, "data"), array(whole, part.name()), "the {} differ", part.name());
    }
}

/// Readers who are shown less see the same, except for the missing sections.
fn others_see_less(fragments: &Fragments, whole: &Value, id: Uuid) {
    let owner = Standing::Owner;
    for (standing, pro, documents) in
        [(Standing::Reader, true, true), (owner, false, false), (owner, true, false), (owner, false, true)]
    {
        let view = Sections::of(standing, pro, documents);
        let mut expected = whole.as_object().expect("an object").clone();
        let hidden = [
            (view.members, &["origin", "flights", "hotels", "transports", "reservations"][..]),
            (view.pro, &["expenses", "packing"]),
            (view.documents, &["documents"]),
            (false, &["needsAttention"]),
        ];
        for name in hidden.iter().filter(|(shown, _)| !shown).flat_map(|(_, names)| *names) {
            expected.remove(*name);
        }
        let seen = render::itinerary(&head(id), fragments.clone(), view, None).concat();
        let seen: Value = serde_json::from_slice(&seen).expect("JSON");
        assert_eq!(seen, Value::Object(expected), "{view:?}");
    }
}

/// A response can be sent back and changes nothing.
fn can_be_sent_back(content: &Content, response: &[u8], id: Uuid) {
    let patch: Box<ItineraryPatch> = read::json(response).expect("what was read can be sent back");
    let mut again = content.clone();
    let sent = Edit::Itinerary(patch).apply(&mut again).expect("what was read can be sent back");
    fill::complete(&mut again, &Sequence::default()).expect("values");
    assert_eq!(validate::content(&again, id, &sent), Ok(()));
    assert_eq!(again, *content, "sending it back changed it");
}

/// The names of the sections that an edit changes.
pub(crate) fn named(edit: &Edit, body: &[u8]) -> HashSet<String> {
    if let Some(part) = edit.part() {
        return iter::once(part.name().to_owned()).collect();
    }
    let fields: HashMap<String, &RawValue> = serde_json::from_slice(body).expect("it was read already");
    fields.into_keys().collect()
}

/// The other sections are unchanged, except that links to removed entries are gone.
pub(crate) fn only_changed(before: &Value, after: &Value, named: &HashSet<String>) {
    let targets = targets(after);
    let sections = before.as_object().into_iter().chain(after.as_object()).flat_map(serde_json::Map::keys);
    for name in sections.filter(|name| !named.contains(*name) && *name != "needsAttention") {
        let mut expected = before.get(name).cloned();
        if LINKED.contains(&name.as_str()) {
            drop_links(expected.as_mut(), &targets);
        }
        assert_eq!(expected.as_ref(), after.get(name), "{name} was changed without being named");
    }
}

fn drop_links(section: Option<&mut Value>, targets: &HashSet<(&str, &str)>) {
    for item in section.and_then(Value::as_array_mut).into_iter().flatten().filter_map(Value::as_object_mut) {
        let dangles = item.get("belongsTo").is_some_and(|link| {
            let (kind, id) = (text(link, "kind"), text(link, "id"));
            kind != "itinerary" && !targets.contains(&(kind, id))
        });
        if dangles {
            item.remove("belongsTo");
        }
    }
}
