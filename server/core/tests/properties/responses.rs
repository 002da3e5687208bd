//! Responses are joined from fragments: they contain the head and the visible content, each field once.

use chrono::{DateTime, Utc};
use itinerary_api::types::{
    Attention, Author, Itinerary, ListedItinerary, Page, Role, SavedFrom, SummaryAuthor, Visibility,
};
use itinerary_api::values::Timestamp;
use itinerary_core::access::Sections;
use itinerary_core::content::Part;
use itinerary_core::render::{self, EntryAuthor, EntryHead, Head};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::{Strategy, any};
use proptest::strategy::BoxedStrategy;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::plain::Content;
use crate::repeats;
use crate::strategies::content::raw;
use crate::strategies::objects::object;
use crate::strategies::resources::{ATTENTION, AUTHOR, SAVED_FROM, SUMMARY_AUTHOR};
use crate::strategies::values::{any_text, role, timestamp, visibility};
use crate::support::{check, json as value, typed, whole};

fn read<T: serde::de::DeserializeOwned + std::fmt::Debug>(strategy: BoxedStrategy<Value>) -> BoxedStrategy<T> {
    strategy.prop_map(|value| typed(&value)).boxed()
}

fn instant() -> BoxedStrategy<DateTime<Utc>> {
    read::<Timestamp>(timestamp()).prop_map(|time| time.0).boxed()
}

/// Heads of arbitrary content, times and visibility.
fn head() -> impl Strategy<Value = Head> {
    (
        (any::<u128>(), read::<Visibility>(visibility()), read::<Role>(role()), read::<Author>(object(AUTHOR))),
        (option::of(read::<SavedFrom>(object(SAVED_FROM))), instant(), instant(), any::<i64>(), any::<i64>()),
    )
        .prop_map(|((id, visibility, role, author), (saved_from, created, updated, likes_count, views_count))| {
            Head {
                id: Uuid::from_u128(id),
                visibility,
                role,
                author,
                saved_from,
                created_at: Timestamp(created),
                updated_at: Timestamp(updated),
                likes_count,
                views_count,
            }
        })
}

/// The head of an entry, and the author that it shows.
#[derive(Clone, Debug)]
struct ListedHead {
    head: EntryHead<'static>,
    author: SummaryAuthor,
}

impl ListedHead {
    fn head(&self) -> EntryHead<'_> {
        let SummaryAuthor { account_id, username, display_name, image_url } = &self.author;
        let author = EntryAuthor { account_id: *account_id, username, display_name, image_url: image_url.as_deref() };
        EntryHead { author, ..self.head.clone() }
    }
}

fn listed() -> impl Strategy<Value = ListedHead> {
    let nobody = EntryAuthor { account_id: Uuid::nil(), username: "", display_name: "", image_url: None };
    let author = read::<SummaryAuthor>(object(SUMMARY_AUTHOR));
    (
        (any::<u128>(), read::<Visibility>(visibility()), read::<Role>(role()), author),
        (instant(), any_text(), any::<i64>(), option::of(instant())),
    )
        .prop_map(move |((id, visibility, role, author), (updated, etag, likes_count, published))| ListedHead {
            head: EntryHead {
                id: Uuid::from_u128(id),
                visibility,
                role,
                author: nobody,
                updated_at: Timestamp(updated),
                etag: etag.as_str().map(str::to_owned).expect("text"),
                likes_count,
                published_at: published.map(Timestamp),
            },
            author,
        })
}

/// All combinations of sections, including those that no reader has today.
fn views() -> impl Iterator<Item = Sections> {
    (0..16u8).map(|bits| Sections {
        members: bits & 1 != 0,
        pro: bits & 2 != 0,
        documents: bits & 4 != 0,
        source: bits & 8 != 0,
    })
}

/// The fields that are not null.
fn fields(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields.into_iter().filter(|(_, value)| !value.is_null()).collect(),
        other => panic!("no object: {other}"),
    }
}

/// The response as the contract describes it.
fn expected(head: &Head, content: &Content, view: Sections, needs_attention: Option<&[Attention]>) -> Value {
    let all = whole(content);
    let everyone =
        ["title", "summary", "destination", "startDate", "travellers", "tags", "coverImage", "currency", "days"];
    let mut response = fields(json!({
        "id": head.id, "visibility": head.visibility, "role": head.role, "author": head.author,
        "savedFrom": head.saved_from, "createdAt": head.created_at, "updatedAt": head.updated_at,
        "likesCount": head.likes_count, "viewsCount": head.views_count, "needsAttention": needs_attention,
    }));
    let mut show = |names: &[&str]| {
        let there = names.iter().filter_map(|name| Some(((*name).to_owned(), all.get(*name)?.clone())));
        response.extend(there.collect::<Vec<_>>());
    };
    show(&everyone);
    if view.members {
        show(&["origin", "flights", "hotels", "transports", "reservations"]);
    }
    if view.pro {
        show(&["expenses", "packing"]);
    }
    if view.documents {
        show(&["documents"]);
    }
    Value::Object(response)
}

#[test]
fn an_itinerary_is_shown_as_its_reader_may_see_it() {
    let attention = vec(read::<Attention>(object(ATTENTION)), 0..3);
    check(40, (raw(), head(), attention), |(content, head, attention)| {
        let fragments = content.fragments();
        for view in views() {
            for needs_attention in [None, Some(&*attention)] {
                let response = render::itinerary(&head, fragments.clone(), view, needs_attention).concat();
                let parsed: Value = serde_json::from_slice(&response).expect("JSON");
                assert_eq!(parsed, expected(&head, &content, view, needs_attention), "{view:?}");
                assert_eq!(repeats::none(&response), Ok(()), "{view:?}");
            }
        }
    });
}

// The response matches the schema of the document.
#[test]
fn a_response_is_an_itinerary() {
    check(40, (raw(), head(), 0..8usize), |(content, head, view)| {
        let view = views().nth(view).expect("one of eight");
        let response = render::itinerary(&head, content.fragments(), view, Some(&[])).concat();
        let itinerary: Itinerary = serde_json::from_slice(&response).expect("an itinerary");
        let parsed: Value = serde_json::from_slice(&response).expect("JSON");
        assert_eq!(value(&itinerary), parsed);
    });
}

#[test]
fn a_list_is_shown_as_it_is_in_the_whole() {
    check(60, raw(), |content| {
        let (fragments, all) = (content.fragments(), whole(&content));
        for part in Part::ALL {
            let stored = fragments.list(part).expect("every part is there");
            let response = render::list(stored);
            let parsed: Value = serde_json::from_slice(&response).expect("JSON");
            let expected = all.get(part.name()).cloned().unwrap_or_else(|| json!([]));
            assert_eq!(parsed, json!({"data": expected}), "{part:?}");
            assert_eq!(repeats::none(&response), Ok(()), "{part:?}");
        }
    });
}

#[test]
fn a_page_shows_each_entry_and_the_cursor() {
    check(40, (vec((raw(), listed()), 0..3), option::of(any_text())), |(entries, cursor)| {
        let cursor = cursor.as_ref().and_then(Value::as_str);
        let cards: Vec<_> = entries.iter().map(|(content, _)| content.stored().card()).collect();
        let shown: Vec<_> = entries.iter().zip(&cards).map(|((_, listed), card)| (listed.head(), &**card)).collect();
        let response = render::page(&shown, cursor);
        let expected: Vec<_> = entries.iter().map(|(content, listed)| entry(content, listed)).collect();
        let parsed: Value = serde_json::from_slice(&response).expect("JSON");
        assert_eq!(parsed, json!({"data": expected, "nextCursor": cursor}));
        assert_eq!(repeats::none(&response), Ok(()));
        let page: Page<ListedItinerary> = serde_json::from_slice(&response).expect("a page");
        assert_eq!(value(&page), parsed);
    });
}

fn entry(content: &Content, ListedHead { head, author }: &ListedHead) -> Value {
    let all = whole(content);
    let days = all["days"].as_array().expect("a list");
    let stops: usize = days.iter().map(|day| day["stops"].as_array().expect("a list").len()).sum();
    Value::Object(fields(json!({
        "id": head.id, "visibility": head.visibility, "role": head.role, "author": author,
        "updatedAt": head.updated_at, "etag": head.etag, "likesCount": head.likes_count,
        "publishedAt": head.published_at, "title": all["title"], "summary": all["summary"],
        "destination": all["destination"], "startDate": all["startDate"], "tags": all["tags"],
        "coverImageUrl": all["coverImage"]["url"], "daysCount": days.len(), "stopsCount": stops,
    })))
}
