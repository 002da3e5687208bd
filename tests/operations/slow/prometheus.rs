//! The alerts and the dashboard of docs/operating/monitoring: Debian's Prometheus reads them and scrapes two servers, and
//! every query has a response. `ITINERARY_REQUIRE_PROMETHEUS=1` fails the tests where Prometheus is not installed.

use std::collections::HashMap;
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use itinerary_tests::bodies::minimal;
use itinerary_tests::engines::Engine;
use itinerary_tests::program::{Program, free_address, make_account, make_token};
use itinerary_tests::{Postgres, Sqlite};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::process::Child;

use crate::program::monitoring::serve;

/// Series that a healthy server does not have, without providers, Redis, a replica and TLS.
const EMPTY: [&str; 6] = [
    "provider_calls_total",
    "outcome=\"failed\"",
    "status=\"429\"",
    "rate_limit_server_",
    "database_replica_used",
    "tls_certificate_expiry_timestamp_seconds",
];

const PATIENCE: Duration = Duration::from_secs(30);

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs/operating/monitoring")
}

/// Whether the programs are installed.
fn is_installed() -> bool {
    let runs = |program: &str| {
        let ran = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        ran.is_ok_and(|status| status.success())
    };
    if runs("prometheus") && runs("promtool") {
        return true;
    }
    let required = std::env::var_os("ITINERARY_REQUIRE_PROMETHEUS").is_some_and(|value| value == "1");
    assert!(!required, "ITINERARY_REQUIRE_PROMETHEUS=1, but Prometheus is not installed");
    let told = std::io::stderr().lock().write_all(b"skipped: Prometheus is not installed\n");
    told.expect("standard error can be written");
    false
}

/// A Prometheus, which ends when dropped.
struct Prometheus {
    url: String,
    _process: Child,
}

impl Prometheus {
    fn start(engine: &Engine, targets: &[&str]) -> Self {
        let address = free_address();
        let config = json!({
            "global": { "scrape_interval": "1s", "evaluation_interval": "1s" },
            "rule_files": [folder().join("alerts.yaml")],
            "scrape_configs": [{ "job_name": "itinerary", "static_configs": [{ "targets": targets }] }],
        });
        let file = engine.file("prometheus.yaml");
        // JSON is YAML.
        fs::write(&file, config.to_string()).expect("a file");
        let mut command = tokio::process::Command::new("prometheus");
        command
            .arg(format!("--config.file={}", file.display()))
            .arg(format!("--storage.tsdb.path={}", engine.file("tsdb").display()))
            .arg(format!("--web.listen-address={address}"))
            .arg("--log.level=warn");
        let process = command.stdout(Stdio::null()).kill_on_drop(true).spawn().expect("it starts");
        Self { url: format!("http://{address}/api/v1"), _process: process }
    }

    /// A response of the HTTP API. `None` while it starts.
    async fn get(&self, path: &str, query: &[(&str, &str)]) -> Option<Value> {
        let url = reqwest::Url::parse_with_params(&format!("{}/{path}", self.url), query).expect("a URL");
        let response: Value = reqwest::get(url).await.ok()?.json().await.ok()?;
        Some(response)
    }

    /// The result of a query, which must be valid.
    async fn query(&self, query: &str) -> Vec<Value> {
        let response = self.get("query", &[("query", query)]).await.expect("an answer");
        assert_eq!(response["status"], "success", "{query}: {response}");
        response["data"]["result"].as_array().expect("a list").clone()
    }

    /// Waits until a query has results.
    async fn wait_for(&self, query: &str) {
        let found = async {
            while self.get("query", &[("query", query)]).await.is_none_or(|it| it["data"]["result"] == json!([])) {
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        };
        tokio::time::timeout(PATIENCE, found).await.expect(query);
    }
}

/// The queries of the dashboard by panel, with all servers selected.
fn panels() -> Vec<(String, String)> {
    let text = fs::read_to_string(folder().join("dashboard.json")).expect("a file");
    let dashboard: Value = serde_json::from_str(&text).expect("JSON");
    let panels = dashboard["panels"].as_array().expect("panels");
    let of = |panel: &Value| {
        let title = panel["title"].as_str().expect("a title").to_owned();
        let targets = panel["targets"].as_array().expect("queries").clone();
        targets
            .into_iter()
            .map(move |target| (title.clone(), target["expr"].as_str().expect("a query").replace("$instance", ".*")))
    };
    panels.iter().flat_map(of).collect()
}

async fn load(server: &Program, token: &str) {
    for (path, status) in [("/v1/account", 200), ("/v1/itineraries", 200), ("/readyz", 200), ("/v1/explore", 200)] {
        assert_eq!(server.call(Method::GET, path).token(token).send().await.status, status, "{path}");
    }
    let create = server.call(Method::POST, "/v1/itineraries?allowDuplicate=true").token(token);
    assert_eq!(create.json(&minimal()).send().await.status, 201);
    assert_eq!(server.call(Method::GET, "/v1/account").token("wrong").send().await.status, 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_query_of_alerts_and_dashboard_is_answered() {
    if !is_installed() {
        return;
    }
    let (sqlite, postgres) = (Engine::on(Sqlite).expect("it is built in"), Engine::on(Postgres));
    let mut servers = Vec::new();
    for engine in [Some(&sqlite), postgres.as_ref()].into_iter().flatten() {
        make_account(engine, "ana").await;
        let token = make_token(engine, "ana").await;
        let (server, address) = serve(engine, &["--limits", "off"]).await;
        servers.push((server, address, token));
    }
    let targets: Vec<&str> = servers.iter().map(|(_, address, _)| address.as_str()).collect();
    let prometheus = Prometheus::start(&sqlite, &targets);
    let busy = async {
        loop {
            for (server, _, token) in &servers {
                load(server, token).await;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    let enough = async {
        prometheus.wait_for(&format!("count(oauth_access_tokens and images) == {}", servers.len())).await;
        prometheus.wait_for("rate(http_request_duration_seconds_count{status=\"401\"}[5m]) > 0").await;
        prometheus.wait_for("count(count_over_time(up{job=\"itinerary\"}[5m]) > 4)").await;
    };
    tokio::select! {
        () = enough => {}
        () = busy => unreachable!("it has no end"),
    }

    let mut queried = HashMap::new();
    for (title, query) in panels() {
        let result = prometheus.query(&query).await;
        let may_be_empty = EMPTY.iter().any(|part| query.contains(part))
            || (postgres.is_none() && query.contains("database_connections"));
        assert!(!result.is_empty() || may_be_empty, "{title}: nothing for {query}");
        *queried.entry(title).or_insert(0) += 1;
    }
    assert!(queried.len() >= 20, "{queried:?}");

    let rules = prometheus.get("rules", &[]).await.expect("an answer");
    let rules = rules["data"]["groups"][0]["rules"].as_array().expect("rules").clone();
    assert!(rules.len() >= 15, "{rules:?}");
    for rule in rules {
        assert_eq!(rule["health"], "ok", "{rule}");
        // On a slow machine under load an alert may be pending.
        assert_ne!(rule["state"], "firing", "{rule}");
        // Without its threshold it has data.
        let query = rule["query"].as_str().expect("a query");
        prometheus.query(query).await;
        let name = rule["name"].as_str().expect("a name");
        let (may_be_empty, all) = (EMPTY.iter().any(|part| query.contains(part)), without_threshold(query));
        let is_about_absence = ["ItineraryAbsent", "ItineraryNotReady", "ItineraryErrors"].contains(&name);
        let only_postgres = postgres.is_none() && query.contains("database_connections");
        if !(may_be_empty || is_about_absence || only_postgres || name == "ItineraryProviderFailing") {
            assert!(!prometheus.query(&all).await.is_empty(), "{name}: nothing for {all}");
        }
    }
}

/// The left side of the first comparison.
fn without_threshold(query: &str) -> String {
    let end = [" > ", " == "].iter().filter_map(|sign| query.find(sign)).min().unwrap_or(query.len());
    query[..end].to_owned()
}

// promtool knows the syntax of rules, and tests which figures fire an alert.
#[test]
fn the_alerts_fire_when_they_should() {
    if !is_installed() {
        return;
    }
    for arguments in [["check", "rules", "alerts.yaml"], ["test", "rules", "alerts_test.yaml"]] {
        let ran = Command::new("promtool").args(arguments).current_dir(folder()).output().expect("it runs");
        let said = String::from_utf8_lossy(&ran.stdout).into_owned() + &String::from_utf8_lossy(&ran.stderr);
        assert!(ran.status.success(), "{said}");
    }
}
