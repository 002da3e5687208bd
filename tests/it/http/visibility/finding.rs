//! Every list in which an itinerary may be, and who finds it there.

use std::fmt;

use itinerary_app::audit::Actor;
use itinerary_app::reports;
use itinerary_store::Mark;
use itinerary_tests::{RawResponse, World};
use reqwest::Method;
use serde_json::{Value, json};

use super::people::{People, Person, Role, VISIBILITIES};
use crate::http::lisbon_with;

/// An itinerary to find. It is the owner's copy of another's, so that it fits into every list.
pub(super) struct Subject {
    pub(super) visibility: &'static str,
    /// Whether moderation has hidden it.
    pub(super) hidden: bool,
    id: String,
    /// No other title begins with it.
    title: String,
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.visibility)?;
        f.write_str(if self.hidden { ", hidden" } else { "" })
    }
}

/// A list and its query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Way {
    pub(super) operation: &'static str,
    pub(super) query: &'static str,
    /// The mark of every person on every itinerary.
    pub(super) marked: Option<Mark>,
}

/// The possible marks.
pub(super) const MARKS: [Option<Mark>; 3] = [None, Some(Mark::Like), Some(Mark::Dislike)];

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(format!("{} {}", self.operation, self.query).trim_end())
    }
}

impl Way {
    /// Whether its query has this parameter, by name or with this value.
    pub(super) fn asks(&self, parameter: &str) -> bool {
        self.query.split('&').any(|part| part == parameter || part.split('=').next() == Some(parameter))
    }

    /// Whether it contains only itineraries of followed people.
    pub(super) fn follows(&self) -> bool {
        self.asks("following=true") || self.asks("filter=following")
    }

    /// The mark that it filters by.
    pub(super) fn wants(&self) -> Option<Mark> {
        let filters = [("filter=liked", Mark::Like), ("filter=disliked", Mark::Dislike)];
        filters.into_iter().find_map(|(filter, mark)| self.asks(filter).then_some(mark))
    }

    fn path(&self, people: &People) -> String {
        let path = match self.operation {
            "itinerary_list" => "/v1/itineraries".to_owned(),
            "account_itinerary_list" => format!("/v1/accounts/{}/itineraries", people.owner().account),
            "explore_list" => "/v1/explore".to_owned(),
            other => panic!("no way through {other}"),
        };
        format!("{path}?limit=100&{}", self.query)
    }
}

/// The queries of the lists. All itineraries are tagged `walks` and are in Portugal.
const QUERIES: [(&str, &[&str]); 3] = [
    (
        "itinerary_list",
        &[
            "",
            "filter=all",
            "filter=owned",
            "filter=shared",
            "filter=saved",
            "filter=liked",
            "filter=disliked",
            "updatedSince=2020-01-01T00:00:00Z",
            "filter=owned&updatedSince=2020-01-01T00:00:00Z",
            "filter=shared&updatedSince=2020-01-01T00:00:00Z",
            "filter=saved&updatedSince=2020-01-01T00:00:00Z",
            "filter=liked&updatedSince=2020-01-01T00:00:00Z",
            "filter=disliked&updatedSince=2020-01-01T00:00:00Z",
        ],
    ),
    ("account_itinerary_list", &["", "filter=owned"]),
    (
        "explore_list",
        &[
            "",
            "following=false",
            "regions=Portugal",
            "regions=Europe,Japan",
            "q=walks",
            "q=slow+wal",
            "q=walks&regions=Portugal",
            "following=true",
            "filter=following",
            "following=true&regions=Portugal",
            "following=true&q=walks",
            "filter=following&q=slow+wal&regions=Portugal",
        ],
    ),
];

/// Every list with every mark.
pub(super) fn ways() -> Vec<Way> {
    let ways = QUERIES.iter().flat_map(|(operation, queries)| queries.iter().map(move |query| (*operation, *query)));
    ways.flat_map(|(operation, query)| MARKS.map(|marked| Way { operation, query, marked })).collect()
}

/// What `GET` returns for an itinerary.
pub(super) struct Read {
    pub(super) etag: String,
    pub(super) itinerary: Value,
}

/// Whether one person finds one itinerary in one list.
pub(super) struct Finding {
    pub(super) way: Way,
    /// The index in [`Findings::subjects`].
    pub(super) subject: usize,
    pub(super) role: Role,
    /// Its entries: exactly one if it was found.
    pub(super) entries: Vec<Value>,
    /// Whether the response contains its id or title anywhere.
    pub(super) told: bool,
}

/// All findings, and what callers with the id get.
pub(super) struct Findings {
    pub(super) subjects: Vec<Subject>,
    pub(super) all: Vec<Finding>,
    /// The responses to `GET`, by mark, subject and role. `None` for 404.
    reads: Vec<(Option<Mark>, usize, Role, Option<Read>)>,
}

impl Findings {
    pub(super) fn subject(&self, finding: &Finding) -> &Subject {
        &self.subjects[finding.subject]
    }

    /// What the same person gets by id at the same time.
    pub(super) fn read(&self, finding: &Finding) -> Option<&Read> {
        let key = (finding.way.marked, finding.subject, finding.role);
        let read = self.reads.iter().find(|(marked, subject, role, _)| (*marked, *subject, *role) == key);
        read.expect("everyone has read everything").3.as_ref()
    }

    pub(super) fn words(&self, finding: &Finding) -> String {
        let Finding { way, role, entries, told, .. } = finding;
        let read = self.read(finding).map(|read| (&read.etag, &read.itinerary["role"]));
        let (subject, marked) = (self.subject(finding), way.marked);
        format!(
            "{way} by {} ({marked:?}), it is {subject}: told {told}, found {entries:?}, by id {read:?}",
            role.name()
        )
    }
}

/// Requests every list as everyone.
pub(super) async fn record(world: &World, people: &People) -> Findings {
    let mut findings = Findings { subjects: subjects(world, people).await, all: Vec::new(), reads: Vec::new() };
    for marked in MARKS {
        for (person, subject) in people.all.iter().flat_map(|person| findings.subjects.iter().map(move |s| (person, s)))
        {
            if let Some(mark) = marked {
                person.mark(world, &subject.id, mark).await;
            }
        }
        for person in &people.all {
            for (n, subject) in findings.subjects.iter().enumerate() {
                findings.reads.push((marked, n, person.role, read(world, person, &subject.id).await));
            }
            for way in ways().into_iter().filter(|way| way.marked == marked) {
                findings.all.extend(look(world, people, person, way, &findings.subjects).await);
            }
        }
    }
    findings
}

/// An itinerary of each visibility, and a hidden one for each visibility that Explore contains.
async fn subjects(world: &World, people: &People) -> Vec<Subject> {
    let mut subjects = Vec::new();
    let hidden = ["followers", "public"].map(|visibility| (visibility, true));
    for (visibility, hidden) in VISIBILITIES.map(|visibility| (visibility, false)).into_iter().chain(hidden) {
        let title = format!("Slow walks {}", ["one", "two", "three", "four", "five", "six"][subjects.len()]);
        let address = copy(world, people).await;
        let change = json!({ "title": title, "visibility": visibility, "destination": { "countryCode": "PT" } });
        let changed = send(world, Method::PATCH, &address, people.owner(), &change).await;
        let id = changed.json()["id"].as_str().expect("an id").to_owned();
        people.join(world, &id).await;
        if hidden {
            let there = reports::resolve(world.service(), id.parse().expect("an id"), true, Actor::Operator).await;
            assert!(there.expect("a database").is_some());
            // A change does not show it again.
            send(world, Method::PATCH, &address, people.owner(), &json!({ "tags": ["walks"] })).await;
        }
        subjects.push(Subject { visibility, hidden, id, title });
    }
    subjects
}

/// Saves the owner's copy of another's itinerary. Returns its address.
async fn copy(world: &World, people: &People) -> String {
    let body = lisbon_with(&json!({ "title": "The original" }));
    let made = send(world, Method::POST, "/v1/itineraries?allowDuplicate=true", &people.source, &body).await;
    let original = made.header("location");
    send(world, Method::PATCH, original, &people.source, &json!({ "visibility": "unlisted" })).await;
    let saved = send(world, Method::POST, &format!("{original}/saves"), people.owner(), &Value::Null).await;
    saved.header("location").to_owned()
}

/// Sends a write that must succeed.
async fn send(world: &World, method: Method, path: &str, person: &Person, body: &Value) -> RawResponse {
    let call = world.call(method, path).token(&person.token).header("If-Match", "*");
    let response = call.json(body).send().await;
    assert!(response.status.is_success(), "{path}: {}", response.text());
    response
}

/// What a person with the id gets.
async fn read(world: &World, person: &Person, id: &str) -> Option<Read> {
    let response = world.call(Method::GET, &format!("/v1/itineraries/{id}")).token(&person.token).send().await;
    if response.status != 200 {
        response.expect_error(404, "notFound");
        return None;
    }
    Some(Read { etag: response.header("etag").to_owned(), itinerary: response.json() })
}

/// Looks for all subjects in one list.
async fn look(world: &World, people: &People, person: &Person, way: Way, subjects: &[Subject]) -> Vec<Finding> {
    let response = world.call(Method::GET, &way.path(people)).token(&person.token).send().await;
    assert_eq!(response.status, 200, "{way} by {}: {}", person.role.name(), response.text());
    let (page, text) = (response.json(), response.text());
    assert_eq!(page["nextCursor"], Value::Null, "all of {way} is on one page");
    let data = page["data"].as_array().expect("a page");
    let find = |(subject, Subject { id, title, .. }): (usize, &Subject)| Finding {
        way,
        subject,
        role: person.role,
        entries: data.iter().filter(|entry| entry["id"] == **id).cloned().collect(),
        told: text.contains(&**id) || text.contains(&**title),
    };
    subjects.iter().enumerate().map(find).collect()
}

#[test]
fn every_list_of_itineraries_and_each_of_its_filters_is_a_way() {
    let document: Value = serde_json::from_str(include_str!("../../../../openapi/itinerary.json")).expect("a document");
    let mut lists = 0;
    let paths = document["paths"].as_object().expect("paths");
    for operation in paths.values().flat_map(|path| path.as_object().expect("operations").values()) {
        if operation["responses"].to_string().contains("/ListedItineraryPage\"") {
            let id = operation["operationId"].as_str().expect("an id");
            assert!(QUERIES.iter().any(|(of, _)| *of == id), "{id} lists itineraries");
            lists += 1;
        }
    }
    assert_eq!(lists, QUERIES.len());
    for (schema, operation) in [("ListFilter", "itinerary_list"), ("ExploreFilter", "explore_list")] {
        for filter in document["components"]["schemas"][schema]["enum"].as_array().expect("values") {
            let filter = format!("filter={}", filter.as_str().expect("a word"));
            assert!(ways().iter().any(|way| way.operation == operation && way.asks(&filter)), "{operation} {filter}");
        }
    }
}
