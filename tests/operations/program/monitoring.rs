//! The metrics are those of docs/operating/monitoring.md, on both databases.

use std::collections::BTreeSet;

use itinerary_tests::engines::Engine;
use itinerary_tests::program::{Program, free_address, make_account, make_token};
use itinerary_tests::{Database, Sqlite, api_test};
use reqwest::Method;

const PAGE: &str = include_str!("../../../docs/operating/monitoring.md");

/// A server with metrics, and the address of these.
pub(crate) async fn serve(engine: &Engine, more: &[&str]) -> (Program, String) {
    let address = free_address();
    let flags = [&["--metrics-listen", &address], more].concat();
    (Program::serve(engine, &flags).await, address)
}

pub(crate) async fn scrape(address: &str) -> String {
    let response = reqwest::get(format!("http://{address}/metrics")).await.expect("an answer");
    assert_eq!(response.status(), 200);
    response.text().await.expect("text")
}

/// The value of the first line that begins so.
pub(crate) fn value(metrics: &str, series: &str) -> Option<f64> {
    let line = metrics.lines().find(|line| line.starts_with(&format!("{series} ")))?;
    line.rsplit(' ').next()?.parse().ok()
}

/// Scrapes until the figures from the database are there too: every job has ended once.
pub(crate) async fn scrape_all(address: &str) -> String {
    let whole = async {
        loop {
            let metrics = scrape(address).await;
            let series = |name: &str| metrics.lines().filter(|line| line.starts_with(&format!("{name}{{"))).count();
            let jobs = series("job_period_seconds");
            if jobs > 0 && series("job_last_items") == jobs {
                return metrics;
            }
            tokio::time::sleep(std::time::Duration::from_millis(200)).await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_mins(1), whole).await.expect("it reads them every ten seconds")
}

/// The names in the page's table for an engine.
fn documented(database: Database) -> BTreeSet<String> {
    let rows = PAGE.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` |"));
    let other = if matches!(database, Sqlite) { "PostgreSQL only" } else { "SQLite only" };
    let rows =
        rows.filter(|(_, rest)| rest.contains("counter") || rest.contains("gauge") || rest.contains("histogram"));
    rows.filter(|(_, rest)| !rest.contains(other) && !rest.contains("Only with"))
        .map(|(name, _)| name.to_owned())
        .collect()
}

#[api_test]
async fn the_metrics_are_those_of_the_page(database: Database) {
    let Some(engine) = Engine::on(database) else { return };
    make_account(&engine, "ana").await;
    let token = make_token(&engine, "ana").await;
    let (server, address) = serve(&engine, &[]).await;
    for _ in 0..3 {
        assert_eq!(server.call(Method::GET, "/v1/account").token(&token).send().await.status, 200);
    }
    let metrics = scrape_all(&address).await;
    let types = metrics.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split_once(' '));
    let published: BTreeSet<String> =
        types.map(|(name, kind)| if kind == "counter" { format!("{name}_total") } else { name.to_owned() }).collect();
    // It has no series until a provider is called.
    let published: BTreeSet<String> = published.into_iter().chain(["provider_calls_total".to_owned()]).collect();
    assert_eq!(published, documented(database));

    assert_eq!(value(&metrics, "oauth_access_tokens"), Some(1.0));
    assert_eq!(value(&metrics, "oauth_grants"), Some(1.0));
    assert_eq!(value(&metrics, "http_requests_in_flight"), Some(0.0));
    // The client keeps its connections.
    assert!(value(&metrics, "http_connections").is_some_and(|open| open >= 1.0));
    assert!(value(&metrics, "process_resident_memory_bytes").is_some_and(|bytes| bytes > 1e6));
    if matches!(database, Sqlite) {
        assert!(value(&metrics, "sqlite_wal_bytes").is_some_and(|bytes| bytes > 0.0));
        assert!(value(&metrics, "sqlite_writer_group_size_count").is_some_and(|commits| commits > 0.0));
    } else {
        assert!(value(&metrics, "database_connections_limit").is_some_and(|limit| limit >= 6.0));
        assert!(value(&metrics, "database_connections_idle").is_some_and(|idle| idle >= 1.0));
    }
    for label in metrics.lines().filter(|line| !line.starts_with('#')) {
        assert!(!label.contains("\"ana\"") && !label.contains(&token), "{label}");
    }
}
