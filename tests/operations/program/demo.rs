//! The command `demo` with a large population.

use std::collections::BTreeSet;
use std::time::Duration;

use itinerary_tests::app::ids;
use itinerary_tests::engines::Engine;
use itinerary_tests::program::{Program, command, fail, make_token, run, succeed, words};
use itinerary_tests::{Database, api_test};
use reqwest::Method;
use serde_json::Value;

/// All pages of a list: the ids, in order.
async fn all(server: &Program, token: &str, path: &str) -> Vec<String> {
    let (mut found, mut next) = (Vec::new(), path.to_owned());
    loop {
        let response = server.call(Method::GET, &next).token(token).send().await;
        assert_eq!(response.status, 200, "{next}: {}", response.text());
        let page = response.json();
        found.extend(ids(&page));
        let Some(cursor) = page["nextCursor"].as_str() else { return found };
        next = format!("{path}&cursor={cursor}");
    }
}

async fn get(server: &Program, token: &str, path: &str) -> Value {
    let response = server.call(Method::GET, path).token(token).send().await;
    assert_eq!(response.status, 200, "{path}: {}", response.text());
    response.json()
}

// The rows are those that the API itself would have stored: every list and counter agrees with them.
#[api_test]
async fn a_large_population_is_complete(database: Database) {
    let Some(engine) = Engine::on(database) else { return };
    let demo = ["--json", "demo", "--accounts", "150", "--itineraries", "900"];
    let said: Value = serde_json::from_str(&succeed(command(words(&engine, &demo)), "").await).expect("JSON");
    assert_eq!((said["accounts"].as_u64(), said["itineraries"].as_u64()), (Some(150), Some(900)), "{said}");
    let public = usize::try_from(said["publicItineraries"].as_u64().expect("a number")).expect("it fits");
    assert!((250..550).contains(&public), "{public}");
    assert!(fail(command(words(&engine, &demo))).await.contains("not empty"));

    // Not while the walks below are under way.
    succeed(command(words(&engine, &["jobs", "run", "rank-explore"])), "").await;
    let server = Program::serve(&engine, &["--limits", "off"]).await;
    let token = make_token(&engine, "traveller-138").await;
    let feed = all(&server, &token, "/v1/explore?limit=100").await;
    assert_eq!((feed.len(), feed.iter().collect::<BTreeSet<_>>().len()), (public, public));
    let regions = ["Africa", "Asia", "Europe", "North%20America", "Oceania", "South%20America"];
    let mut found = 0;
    for region in regions {
        found += all(&server, &token, &format!("/v1/explore?limit=100&regions={region}")).await.len();
    }
    assert!(found <= public && found > public / 2, "{found} of {public}");
    // The title of every copy, and of no built-in itinerary, has this word.
    assert_eq!(all(&server, &token, "/v1/explore?limit=100&q=journey").await.len(), public - 60);

    let largest = make_token(&engine, "traveller-1").await;
    let own = all(&server, &largest, "/v1/itineraries?limit=100").await;
    assert!(own.len() > 40, "{}", own.len());
    let mut sizes = Vec::new();
    for id in own.iter().take(60) {
        sizes.push(get(&server, &largest, &format!("/v1/itineraries/{id}")).await.to_string().len());
    }
    assert!(sizes.iter().min().expect("a size") < &2_500 && sizes.iter().max().expect("a size") > &5_000, "{sizes:?}");
    let account = get(&server, &largest, "/v1/account").await;
    let id = account["accountId"].as_str().expect("an id");
    let profile = get(&server, &largest, &format!("/v1/accounts/{id}")).await;
    let followers = get(&server, &largest, &format!("/v1/accounts/{id}/followers?limit=100")).await;
    let listed = followers["data"].as_array().expect("a page").len();
    assert!(listed > 10, "{listed}");
    assert_eq!(profile["followersCount"].as_u64(), Some(listed as u64), "{profile}");
}

// The command and the server need not have the same address.
#[api_test]
async fn covers_have_the_address_of_the_server(database: Database) {
    let Some(engine) = Engine::on(database) else { return };
    let mut demo = command(words(&engine, &["demo"]));
    demo.env("ITINERARY_BASE_URL", "https://other.example");
    succeed(demo, "").await;
    let server = Program::serve(&engine, &["--limits", "off"]).await;
    let token = make_token(&engine, "ines.duarte").await;
    let feed = get(&server, &token, "/v1/explore?limit=100").await;
    let covers: Vec<&str> = feed["data"].as_array().expect("a page").iter().filter_map(cover).collect();
    assert!(covers.len() > 10, "{}", covers.len());
    for address in covers {
        let path = address.strip_prefix(&server.base_url).unwrap_or_else(|| panic!("{address}"));
        assert_eq!(server.call(Method::GET, path).send().await.status, 200, "{address}");
    }
}

fn cover(entry: &Value) -> Option<&str> {
    entry["coverImageUrl"].as_str()
}

// What an interrupted command leaves is recognised.
#[api_test]
async fn an_interrupted_demo_says_what_to_do(database: Database) {
    let Some(engine) = Engine::on(database) else { return };
    let demo = words(&engine, &["demo", "--accounts", "2000", "--itineraries", "1000000"]);
    let mut running = command(demo.clone()).spawn().expect("it starts");
    let began = std::time::Instant::now();
    loop {
        assert!(began.elapsed() < Duration::from_mins(1), "it stores nothing");
        tokio::time::sleep(Duration::from_millis(200)).await;
        // It fails until the database has its schema.
        let listed = run(command(words(&engine, &["--quiet", "account", "list"])), "").await;
        if String::from_utf8_lossy(&listed.stdout).lines().count() >= 2_000 {
            break;
        }
    }
    running.kill().await.expect("it is killed");
    let said = fail(command(demo)).await;
    assert!(said.contains("interrupted") && said.contains("Delete it"), "{said}");
}
