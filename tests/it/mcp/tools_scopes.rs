//! No tool allows what its operation does not: same responses by scope, role, plan and visibility.

use chrono::TimeDelta;
use itinerary_tests::app::App;
use itinerary_tests::bodies::with;
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::{Value, json};
use uuid::Uuid;

use super::Assistant;
use super::tools::lisbon;

/// A tool and its operation, with the same arguments for the trip `{id}`.
struct Pair {
    tool: &'static str,
    arguments: Value,
    method: Method,
    path: &'static str,
    body: Option<Value>,
    /// The scope that the operation needs.
    scope: Option<&'static str>,
}

fn pair(
    tool: &'static str,
    arguments: Value,
    (method, path): (Method, &'static str),
    body: Option<Value>,
    scope: &'static str,
) -> Pair {
    let scope = Some(scope).filter(|scope| !scope.is_empty());
    Pair { tool, arguments, method, path, body, scope }
}

const READ: &str = "itineraries:read";
const WRITE: &str = "itineraries:write";

fn pairs() -> Vec<Pair> {
    let stop = json!({ "name": "Bakery" });
    vec![
        pair("add_day", json!({}), (Method::POST, "/v1/itineraries/{id}/days"), Some(json!({})), WRITE),
        pair(
            "add_stop",
            json!({ "day": "saturday", "stop": stop }),
            (Method::POST, "/v1/itineraries/{id}/days/saturday/stops"),
            Some(stop),
            WRITE,
        ),
        pair("delete_itinerary", json!({}), (Method::DELETE, "/v1/itineraries/{id}"), None, WRITE),
        pair("explore_itineraries", json!({}), (Method::GET, "/v1/explore"), None, ""),
        pair("get_itinerary", json!({}), (Method::GET, "/v1/itineraries/{id}"), None, READ),
        pair("list_itineraries", json!({}), (Method::GET, "/v1/itineraries"), None, READ),
        pair(
            "move_stop",
            json!({ "stopId": "castle", "position": 2 }),
            (Method::POST, "/v1/itineraries/{id}/days/saturday/stops/castle/move"),
            Some(json!({ "position": 1 })),
            WRITE,
        ),
        pair(
            "optimise_day",
            json!({ "day": "saturday" }),
            (Method::POST, "/v1/itineraries/{id}/days/saturday/optimise"),
            Some(json!({})),
            WRITE,
        ),
        pair(
            "plan_itinerary",
            with(lisbon(), json!({ "allowDuplicate": true })),
            (Method::POST, "/v1/itineraries?allowDuplicate=true"),
            Some(lisbon()),
            WRITE,
        ),
        pair("refresh_places", json!({}), (Method::POST, "/v1/itineraries/{id}/places/refresh"), None, WRITE),
        pair(
            "remove_item",
            json!({ "kind": "hotel", "id": "salvador" }),
            (Method::DELETE, "/v1/itineraries/{id}/hotels/salvador"),
            None,
            WRITE,
        ),
        pair(
            "set_flight",
            json!({ "flight": { "flightNumber": "TP1" } }),
            (Method::POST, "/v1/itineraries/{id}/flights"),
            Some(json!({ "flightNumber": "TP1" })),
            WRITE,
        ),
        pair(
            "set_hotel",
            json!({ "hotelId": "salvador", "hotel": { "roomNumber": "1" } }),
            (Method::PATCH, "/v1/itineraries/{id}/hotels/salvador"),
            Some(json!({ "roomNumber": "1" })),
            WRITE,
        ),
        pair(
            "suggest_activities",
            json!({ "stopId": "castle" }),
            (Method::GET, "/v1/itineraries/{id}/days/saturday/stops/castle/activities"),
            None,
            READ,
        ),
        pair(
            "update_itinerary",
            json!({ "visibility": "unlisted" }),
            (Method::PATCH, "/v1/itineraries/{id}"),
            Some(json!({ "visibility": "unlisted" })),
            WRITE,
        ),
        pair(
            "update_stop",
            json!({ "stopId": "castle", "stop": { "durationMinutes": 5 } }),
            (Method::PATCH, "/v1/itineraries/{id}/days/saturday/stops/castle"),
            Some(json!({ "durationMinutes": 5 })),
            WRITE,
        ),
    ]
}

impl Pair {
    /// Calls the tool. Returns `done` or the error's code.
    async fn by_tool(&self, assistant: &Assistant<'_>, id: &str) -> String {
        let mut arguments = self.arguments.clone();
        let shown = ["explore_itineraries", "list_itineraries", "plan_itinerary"];
        if !shown.contains(&self.tool) {
            arguments["itineraryId"] = json!(id);
            if self.method != Method::GET {
                arguments["ifMatch"] = json!("*");
            }
        }
        let response = assistant.legacy("tools/call", &json!({ "name": self.tool, "arguments": arguments })).await;
        let json = response.json();
        match response.status.as_u16() {
            200 if json["result"]["isError"] == true => code(&json["result"]["_meta"]["code"]),
            200 => {
                assert!(json["result"]["structuredContent"].is_object(), "{}: {json}", self.tool);
                "done".to_owned()
            }
            // Rejected before the tool is run.
            _ => code(&json["error"]["code"]),
        }
    }

    /// Calls the operation. Returns `done` or the error's code.
    async fn by_operation(&self, app: &App<'_>, id: &str) -> String {
        let mut call = app.call(self.method.clone(), &self.path.replace("{id}", id)).header("If-Match", "*");
        if let Some(body) = &self.body {
            call = call.json(body);
        }
        let response = call.send().await;
        if response.status.is_success() { "done".to_owned() } else { code(&response.json()["error"]["code"]) }
    }
}

#[track_caller]
fn code(code: &Value) -> String {
    code.as_str().unwrap_or_else(|| panic!("no code: {code}")).to_owned()
}

/// A new trip of the owner with these members.
async fn trip(world: &World, owner: &App<'_>, visibility: &str, members: &[(Uuid, &str)]) -> String {
    let made = owner.create_call("?allowDuplicate=true", &lisbon()).send().await;
    let stored = itinerary_tests::app::Stored::of(&made);
    if visibility != "private" {
        owner.patched(&stored, &json!({ "visibility": visibility })).await;
    }
    for (account, role) in members {
        world.member(&stored.id, *account, role).await;
    }
    stored.id
}

// By role and visibility, a tool has the same outcome as its operation.
#[api_test]
async fn every_tool_answers_every_role_as_its_operation_does(world: World) {
    world.account("owner").await;
    let mut members = Vec::new();
    for (name, role) in [("editor", "editor"), ("viewer", "viewer")] {
        members.push((world.account(name).await, role));
    }
    world.account("stranger").await;
    let mut seen = std::collections::BTreeSet::new();
    for pair in pairs() {
        for name in ["owner", "editor", "viewer", "stranger"] {
            for visibility in ["private", "public"] {
                world.clock.advance(TimeDelta::minutes(1));
                // A token is valid for an hour.
                let (owner, app) = (App::of(&world, "owner").await, App::of(&world, name).await);
                let assistant = Assistant::of(&world, name).await;
                let (one, other) = (
                    trip(&world, &owner, visibility, &members).await,
                    trip(&world, &owner, visibility, &members).await,
                );
                let operation = pair.by_operation(&app, &one).await;
                let tool = pair.by_tool(&assistant, &other).await;
                assert_eq!(tool, operation, "{} by {name}, {visibility}", pair.tool);
                seen.insert(tool);
            }
        }
    }
    assert!(["done", "forbidden", "notFound"].iter().all(|code| seen.contains(*code)), "{seen:?}");
}

// A missing scope is a 403 that names it, before the tool is run. Tools that look something up also need the scope for
// reading.
#[api_test]
async fn every_tool_needs_its_scope(world: World) {
    world.account("owner").await;
    for pair in pairs() {
        let looks_up = ["move_stop", "update_stop"].contains(&pair.tool);
        for scopes in ["documents:read", READ, WRITE, "itineraries:read itineraries:write"] {
            world.clock.advance(TimeDelta::minutes(1));
            let owner = App::of(&world, "owner").await;
            let assistant = Assistant::with_scope(&world, "owner", scopes).await;
            let id = trip(&world, &owner, "private", &[]).await;
            let granted = |scope: &str| scopes.split(' ').any(|one| one == scope);
            let missing = match pair.scope {
                Some(scope) if !granted(scope) => Some(scope),
                _ if looks_up && !granted(READ) => Some(READ),
                _ => None,
            };
            let expected = if missing.is_some() { "forbidden" } else { "done" };
            assert_eq!(pair.by_tool(&assistant, &id).await, expected, "{} with {scopes}", pair.tool);
            if missing.is_some() {
                let etag = owner.viewed(&id).await.etag;
                assert_eq!(etag, "\"v1.m\"", "{} with {scopes}: nothing was done", pair.tool);
            }
        }
    }
}
