//! The scenario of the examples: Inês plans a weekend in Lisbon and shares it with Tomás, who follows her.
//!
//! Each operation runs on a server of its own, with an itinerary that holds only what the operation needs, so that the
//! example of its response stays short.

use std::sync::LazyLock;

use itinerary_app::accounts;
use itinerary_core::clock::Clock;
use itinerary_gazetteer::embedded;
use itinerary_model::{MemberRole, Plan};
use itinerary_server::gazetteer;
use itinerary_store::NewPlace;
use itinerary_tests::browser::Browser;
use itinerary_tests::world::PASSWORD;
use itinerary_tests::{RawResponse, Sqlite, World};
use reqwest::Method;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::recorded::Recorded;
use crate::http::samples::{self, Body, COMPANION, Sample};
use crate::http::{hook, insert_companion, link, lisbon};
use crate::mcp::Assistant;
use crate::sign_in::{App, VERIFIER};
use crate::wallet::chain::Operator;
use itinerary_tests::sealed_files::SEALED;

const ALL_SCOPES: &str = "itineraries:read itineraries:write documents:read documents:write";

/// Where the app of the examples is sent back to.
const CALLBACK: &str = "https://notes.example/callback";

/// Replace the ids of the itinerary and of the two travellers.
const ITINERARY: &str = "0197a1f0-6a3e-7c1d-9d3f-2b8a4c5d6e7f";
const INES: &str = "018f3a52-91c4-7b06-a5d1-7c20e94f8b3d";
const TOMAS: &str = "01912c7e-05b8-7e4a-8f63-d19a5b02c7e6";

/// The operations that run on a published itinerary of Tomás'.
const OF_ANOTHER: [&str; 12] = [
    "marks_view",
    "like_set",
    "like_clear",
    "dislike_set",
    "dislike_clear",
    "itinerary_save",
    "report_create",
    "explore_list",
    "account_itinerary_list",
    "invitation_list",
    "invitation_accept",
    "invitation_decline",
];

/// The places that the server knows: the city, two airports, and two sights of the many.
static PLACES: LazyLock<Vec<NewPlace>> = LazyLock::new(|| {
    let names = ["São Jorge Castle", "Lisbon Cathedral"];
    let codes = ["LIS", "LHR"].map(|code| Some(code.to_owned()));
    let places = embedded().filter(|place| {
        let is_city = place.names[0] == "Lisbon" && place.country == "PT" && place.population > 0;
        is_city || names.contains(&&*place.names[0]) || place.code.is_some() && codes.contains(&place.code)
    });
    places.map(gazetteer::new_place).collect()
});

/// The files that an operator signs passes with.
static OPERATOR: LazyLock<Operator> = LazyLock::new(Operator::new);

/// The scenario just before an operation.
pub(super) struct Story {
    world: World,
    sample: &'static Sample,
    ines: Uuid,
    tomas: Uuid,
    token: String,
    itinerary: String,
    document: String,
    /// A cursor of before the itinerary was made.
    cursor: String,
}

impl Story {
    /// Prepares the scenario.
    pub(super) async fn begin(sample: &'static Sample) -> Self {
        let world = World::start_with(Sqlite, |config| {
            config.limits = false;
            if sample.operation.starts_with("wallet") {
                config.wallet = OPERATOR.settings.clone();
            }
        });
        let world = world.await.expect("SQLite is there");
        let store = &world.service().store;
        let ines = accounts::create(world.service(), "ines", "Inês Duarte", PASSWORD).await.expect("a good name");
        world.set_plan("ines", Plan::Pro).await;
        let tomas: Uuid = COMPANION.parse().expect("a UUID");
        insert_companion(&world).await;
        for (follower, followed) in [(tomas, ines), (ines, tomas)] {
            store.follow_set(follower, followed, world.clock.now()).await.expect("a database");
        }
        let token = world.token("ines", ALL_SCOPES).await;
        let (itinerary, document, cursor) = Default::default();
        let mut scene = Self { world, sample, ines, tomas, token, itinerary, document, cursor };
        if sample.operation == "change_list" {
            let begun = scene.response("").await.json();
            begun["nextCursor"].as_str().expect("a cursor").clone_into(&mut scene.cursor);
        }
        // Refreshing finds what was not there before.
        let places_come_late = sample.operation == "itinerary_places_refresh";
        if !places_come_late {
            scene.know_places().await;
        }
        if scene.has_itinerary() {
            scene.plan().await;
        }
        if places_come_late {
            scene.know_places().await;
        }
        if sample.operation == "block_list" {
            let blocked = scene.world.service().store.block_set(ines, tomas, scene.world.clock.now()).await;
            blocked.expect("a database");
        }
        if sample.path.starts_with("/v1/webhooks") && sample.operation != "webhook_create" {
            hook(&scene.world, &scene.token).await;
        }
        if ["link_list", "link_delete"].contains(&sample.operation) {
            link(&scene.world, &scene.itinerary).await;
        }
        if sample.operation == "marks_view" {
            scene.sent(Method::PUT, "/like", None).await;
        }
        scene
    }

    /// Whether the operation is about an itinerary, or lists some.
    fn has_itinerary(&self) -> bool {
        let Sample { operation, path, .. } = self.sample;
        path.contains("{id}")
            || OF_ANOTHER.contains(operation)
            || ["itinerary_list", "change_list", "mcp"].contains(operation)
    }

    async fn know_places(&self) {
        self.world.service().store.gazetteer_put(&PLACES).await.expect("a database");
    }

    /// Makes the itinerary that the operation is about, and a document in it.
    async fn plan(&mut self) {
        let mut body = lisbon();
        body["title"] = "A weekend in Lisbon".into();
        body["startDate"] = "2027-05-15".into();
        body["travellers"] = 2.into();
        body["tags"] = json!(["city", "food"]);
        for part in self.parts() {
            body[part] = samples::whole()[part].take();
        }
        if let Some(days) = body["days"].as_array_mut() {
            self.shorten(days);
        }
        let is_of_another = OF_ANOTHER.contains(&self.sample.operation);
        let owner = if is_of_another { self.world.token("tomas", ALL_SCOPES).await } else { self.token.clone() };
        let made = self.world.call(Method::POST, "/v1/itineraries").token(&owner).json(&body).send().await;
        assert_eq!(made.status, 201, "{}", made.text());
        self.itinerary = id(&made);
        if is_of_another {
            let change = self.world.call(Method::PATCH, made.header("location")).token(&owner).header("If-Match", "*");
            let published = change.json(&json!({ "visibility": "public" })).send().await;
            assert_eq!(published.status, 200, "{}", published.text());
            if self.sample.operation.starts_with("invitation") {
                let (store, id) = (&self.world.service().store, self.itinerary.parse().expect("a UUID"));
                store.follow_clear(self.ines, self.tomas).await.expect("a database");
                store.member_set(id, self.ines, MemberRole::Editor, self.world.clock.now()).await.expect("a database");
            }
        } else {
            let (store, id) = (&self.world.service().store, self.itinerary.parse().expect("a UUID"));
            store.member_set(id, self.tomas, MemberRole::Viewer, self.world.clock.now()).await.expect("a database");
        }
        if self.sample.path.contains("{documentId}") || self.sample.operation == "document_list" {
            self.document = id(&self.sent(Method::POST, "/documents", Some(SEALED)).await);
        }
    }

    /// The parts of the itinerary that the operation is about; before the first one is added there are none.
    fn parts(&self) -> Vec<&'static str> {
        let Sample { operation, path, .. } = self.sample;
        let is_about = |part: &&str| match *part {
            "hotels" if path.contains("/wallet-passes") => true,
            "days" if path.ends_with("/{id}") || path.ends_with("/refresh") || !path.contains("{id}") => true,
            part => path.contains(&format!("/{part}")) && !(path.ends_with(part) && operation.ends_with("_add")),
        };
        ["days", "flights", "hotels", "transports", "reservations", "expenses", "packing"]
            .into_iter()
            .filter(is_about)
            .collect()
    }

    /// Leaves of the days what the operation needs.
    fn shorten(&self, days: &mut Vec<Value>) {
        match self.sample.operation {
            "day_list" | "day_optimise" => {}
            operation => {
                days.truncate(if matches!(operation, "stop_move" | "day_move") { 2 } else { 1 });
                days[0]["stops"].as_array_mut().expect("a list").truncate(1);
                days[0]["legs"] = json!([]);
            }
        }
    }

    /// Sends something about the itinerary that must be good.
    async fn sent(&self, method: Method, path: &str, form: Option<&'static str>) -> RawResponse {
        let call = self.world.call(method, &format!("/v1/itineraries/{}{path}", self.itinerary)).token(&self.token);
        let call = form.into_iter().fold(call, |call, form| call.body("multipart/form-data; boundary=b", form));
        let answer = call.send().await;
        assert!(answer.status.is_success(), "{}", answer.text());
        answer
    }

    /// Runs the operation; returns its request and its responses, as far as they have JSON bodies.
    pub(super) async fn exchange(self) -> Option<Value> {
        let (request, answers) = match self.sample.operation {
            "oauth_token" | "oauth_revoke" => self.tokens().await,
            "mcp" => (self.request(), self.messages().await),
            "itinerary_create" => (self.request(), vec![self.response("?dryRun=true").await, self.response("").await]),
            // The copy that is there is the second answer.
            "itinerary_save" => (None, vec![self.response("").await, self.response("").await]),
            "wallet_pass_view" => (None, vec![self.response("?format=google").await]),
            // An export is a file.
            "itinerary_export" => (None, Vec::new()),
            "change_list" => (None, vec![self.response(&format!("?cursor={}", self.cursor)).await]),
            "account_find" => (None, vec![self.response("?username=tomas").await]),
            "openapi_document" => (None, vec![beginning(self.response("").await)]),
            _ => (self.request(), vec![self.response("").await]),
        };
        let mut recorded = Recorded::new(&self.world);
        recorded.name(self.ines, INES);
        recorded.name(self.tomas, TOMAS);
        for fixed in [samples::WEBHOOK, samples::DELIVERY, samples::LINK] {
            recorded.name(fixed.parse().expect("a UUID"), fixed);
        }
        let created = answers.last().filter(|_| self.sample.operation == "itinerary_create").map(id);
        let itinerary = created.as_ref().unwrap_or(&self.itinerary);
        recorded.name(itinerary.parse().unwrap_or_default(), ITINERARY);
        let mut exchange = Map::new();
        exchange.extend(request.map(|request| ("request".to_owned(), recorded.value(request))));
        let answers = answers.iter().filter(|answer| !answer.body.is_empty());
        let responses: Map<_, _> =
            answers.map(|answer| (answer.status.as_str().to_owned(), recorded.response(answer))).collect();
        if !responses.is_empty() {
            exchange.insert("responses".to_owned(), responses.into());
        }
        (!exchange.is_empty()).then_some(exchange.into())
    }

    fn request(&self) -> Option<Value> {
        match self.sample.body {
            Body::Json(text) => Some(serde_json::from_str(text).expect("JSON")),
            Body::Nothing | Body::Form(_) | Body::Upload(_) => None,
        }
    }

    async fn response(&self, query: &str) -> RawResponse {
        let path = self.sample.path_to_document(&self.itinerary, &self.document);
        let call = self.sample.call_to(&self.world, &format!("{path}{query}"));
        let call = if self.sample.policy().token { call.token(&self.token) } else { call };
        let answer = call.send().await;
        assert!(answer.status.is_success(), "{}: {}", self.sample.operation, answer.text());
        answer
    }

    /// A message to the MCP endpoint, one that is no message, and one that names no method of its version.
    async fn messages(&self) -> Vec<RawResponse> {
        let assistant = Assistant { world: &self.world, token: self.token.clone() };
        let unknown = assistant.modern("trips/list", &json!({})).await;
        vec![self.response("").await, assistant.send_text("{").await, unknown]
    }

    /// Redeems a code or, for `oauth_revoke`, revokes what the code gave.
    async fn tokens(&self) -> (Option<Value>, Vec<RawResponse>) {
        let metadata = json!({ "redirect_uris": [CALLBACK], "token_endpoint_auth_method": "none" });
        let app = App::registered(&self.world, metadata).await;
        let browser = Browser::new(&self.world);
        browser.sign_in("ines", PASSWORD).await;
        let code = app.code_with(&browser, &[("redirect_uri", CALLBACK)]).await;
        let redemption = [
            ("grant_type", "authorization_code"),
            ("code", &*code),
            ("code_verifier", VERIFIER),
            ("redirect_uri", CALLBACK),
            ("client_id", &*app.id),
        ];
        let redeemed = self.world.call(Method::POST, "/oauth/token").form(&redemption).send().await;
        assert_eq!(redeemed.status, 200, "{}", redeemed.text());
        if self.sample.operation == "oauth_token" {
            return (Some(form(&redemption)), vec![redeemed]);
        }
        let tokens = redeemed.json();
        let token = tokens["refresh_token"].as_str().expect("a token");
        let revocation = [("token", token), ("client_id", &*app.id)];
        let revoked = self.world.call(Method::POST, "/oauth/revoke").form(&revocation).send().await;
        assert_eq!(revoked.status, 200, "{}", revoked.text());
        (Some(form(&revocation)), vec![revoked])
    }
}

/// A form as an object, as examples of forms are.
fn form(fields: &[(&str, &str)]) -> Value {
    fields.iter().map(|(name, value)| ((*name).to_owned(), Value::from(*value))).collect::<Map<_, _>>().into()
}

/// The first lines of the document: all of it would hold this example, too.
fn beginning(mut answer: RawResponse) -> RawResponse {
    let document = answer.json();
    let info = &document["info"];
    let beginning = json!({
        "openapi": document["openapi"],
        "info": { "title": info["title"], "version": info["version"], "license": info["license"] },
        "paths": {},
    });
    answer.body = beginning.to_string().into_bytes();
    answer
}

fn id(answer: &RawResponse) -> String {
    answer.json()["id"].as_str().unwrap_or_else(|| panic!("no id: {}", answer.text())).to_owned()
}
