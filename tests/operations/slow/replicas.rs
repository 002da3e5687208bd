//! A read replica, a real one that follows by streaming replication: reads that may lag come from it, except those of an
//! account that has just written; when it is behind or away, the database answers.

use std::fs::File;
use std::path::Path;
use std::time::{Duration, Instant};

use itinerary_tests::engines::Engine;
use itinerary_tests::postgres::Cluster;
use itinerary_tests::program::{Program, command, free_address, make_account, make_token, succeed, words};
use itinerary_tests::sql;
use reqwest::Method;
use serde_json::json;

use crate::program::monitoring::{scrape, value};

/// The longest time until the servers notice that the replica has changed, with the lag of [`LAG`].
const PATIENCE: Duration = Duration::from_secs(30);

/// The permitted lag, in seconds: long enough to look at what the replica does not have yet.
const LAG: &str = "8";

/// For at least this long after it is paused, the replica is not too far behind to be read.
const READ: Duration = Duration::from_secs(4);

struct Stage {
    servers: [Program; 2],
    engine: Engine,
    replica: Cluster,
    replica_url: String,
    ben: String,
    published: usize,
}

async fn serve(engine: &Engine, replica_url: &str, metrics: &str, log: &Path) -> Program {
    let address = free_address();
    let flags = ["serve", "--listen", &address, "--limits", "off", "--database-replica-url", replica_url];
    let more = ["--database-replica-lag-seconds", LAG, "--metrics-listen", metrics];
    let mut command = command(words(engine, &[&flags[..], &more].concat()));
    command.env("RUST_LOG", "info,access=off").stderr(File::create(log).expect("a file for the log"));
    Program::start(command).await
}

impl Stage {
    /// Ben publishes an itinerary with a word of its own; returns the word.
    async fn publish(&mut self) -> String {
        self.published += 1;
        let word = format!("voyage{}", self.published);
        let body = json!({
            "destination": { "name": "Lisbon", "coordinate": { "latitude": 38.7223, "longitude": -9.1393 } },
            "title": word,
        });
        let call = self.servers[0].call(Method::POST, "/v1/itineraries?allowDuplicate=true").token(&self.ben);
        let made = call.json(&body).send().await;
        assert_eq!(made.status, 201, "{}", made.text());
        let path = format!("/v1/itineraries/{}", made.json()["id"].as_str().expect("an id"));
        let call = self.servers[0].call(Method::PATCH, &path).token(&self.ben).header("If-Match", made.header("etag"));
        let shown = call.json(&json!({ "visibility": "public" })).send().await;
        assert_eq!(shown.status, 200, "{}", shown.text());
        word
    }

    /// Ben shares a private itinerary with the account of a token. Returns the path of the membership.
    async fn share(&self, with: &str) -> String {
        let account = self.servers[0].call(Method::GET, "/v1/account").token(with).send().await.json();
        let body = json!({
            "destination": { "name": "Lisbon", "coordinate": { "latitude": 38.7223, "longitude": -9.1393 } },
            "title": "shared",
        });
        let made = self.servers[0].call(Method::POST, "/v1/itineraries").token(&self.ben).json(&body).send().await;
        assert_eq!(made.status, 201, "{}", made.text());
        let (made, member) = (made.json(), account["accountId"].as_str().expect("an id"));
        let path = format!("/v1/itineraries/{}/members/{member}", made["id"].as_str().expect("an id"));
        let role = json!({ "role": "viewer" });
        let set = self.servers[0].call(Method::PUT, &path).token(&self.ben).json(&role).send().await;
        assert!(set.status.is_success(), "{}", set.text());
        let invitation = format!("/v1/invitations/{}", made["id"].as_str().expect("an id"));
        let accepted = self.servers[0].call(Method::PUT, &invitation).token(with).send().await;
        assert!(accepted.status.is_success(), "{}", accepted.text());
        path
    }

    /// Whether a traveller finds a word in Explore, through this server.
    async fn finds(&self, server: usize, token: &str, word: &str) -> bool {
        let path = format!("/v1/explore?q={word}");
        let found = self.servers[server].call(Method::GET, &path).token(token).send().await;
        assert_eq!(found.status, 200, "{}", found.text());
        !found.json()["data"].as_array().expect("a list").is_empty()
    }

    async fn pause(&self) {
        sql::run(&self.replica_url, "SELECT pg_wal_replay_pause()").await;
        // The pause is a request to the replaying process.
        while sql::ask(&self.replica_url, "SELECT pg_get_wal_replay_pause_state()").await != "paused" {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    async fn resume(&self) {
        sql::run(&self.replica_url, "SELECT pg_wal_replay_resume()").await;
    }

    /// Waits until both servers read from the replica, and pauses it. Returns a word that it does not have.
    async fn pause_when_read(&mut self, token: &str) -> String {
        let began = Instant::now();
        loop {
            tokio::time::sleep(Duration::from_millis(300)).await;
            self.pause().await;
            let word = self.publish().await;
            if !self.finds(0, token, &word).await && !self.finds(1, token, &word).await {
                return word;
            }
            self.resume().await;
            assert!(began.elapsed() < PATIENCE, "the replica is not read");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn reads_that_may_lag_come_from_the_replica() {
    let Some(cluster) = Cluster::for_tests(&["wal_level=replica", "max_wal_senders=4", "fsync=off"]) else { return };
    let engine = Engine::at(cluster.create_database("template0"));
    let mut tokens = Vec::new();
    for name in ["ana", "ben", "cleo", "ela"] {
        make_account(&engine, name).await;
        tokens.push(make_token(&engine, name).await);
    }
    let [ana, ben, cleo, ela] = <[String; 4]>::try_from(tokens).expect("four");
    let revoked = succeed(command(words(&engine, &["account", "token", "ela", "--days", "7"])), "").await;
    let revoked = revoked.trim_end().to_owned();
    let replica = cluster.replica();
    let replica_url = engine.url().replace(&cluster.port().to_string(), &replica.port().to_string());
    let logs = [engine.file("one.log"), engine.file("two.log")];
    let metrics = [free_address(), free_address()];
    let servers = [
        serve(&engine, &replica_url, &metrics[0], &logs[0]).await,
        serve(&engine, &replica_url, &metrics[1], &logs[1]).await,
    ];
    let began = Instant::now();
    while value(&scrape(&metrics[0]).await, "database_replica_used") != Some(1.0) {
        assert!(began.elapsed() < PATIENCE, "the replica is not used");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let mut stage = Stage { servers, engine, replica, replica_url, ben, published: 0 };

    let membership = stage.share(&ela).await;
    let word = stage.pause_when_read(&ana).await;
    let paused = Instant::now();
    let get = async |path: &str, token: &str| stage.servers[1].call(Method::GET, path).token(token).send().await;
    let ben_id = get("/v1/account", &stage.ben).await.json()["accountId"].as_str().expect("an id").to_owned();
    let ana_id = get("/v1/account", &ana).await.json()["accountId"].as_str().expect("an id").to_owned();
    // The author's own list is current, others' views of it may lag.
    let own = get("/v1/itineraries", &stage.ben).await.json();
    assert_eq!(own["data"][0]["title"], word);
    let of_ben = get(&format!("/v1/accounts/{ben_id}/itineraries"), &cleo).await.json();
    assert!(!of_ben.to_string().contains(&word) || paused.elapsed() > READ, "{of_ben}");
    // A removed member reads the database at once: the replica still has the membership.
    let of_ben = format!("/v1/accounts/{ben_id}/itineraries");
    assert!(get(&of_ben, &ela).await.text().contains("shared"));
    let removed = stage.servers[0].call(Method::DELETE, &membership).token(&stage.ben).send().await;
    assert!(removed.status.is_success(), "{}", removed.text());
    assert!(!get(&of_ben, &ela).await.text().contains("shared"));
    // Who has written reads the database, through every server.
    let follow = stage.servers[0].call(Method::PUT, &format!("/v1/accounts/{ben_id}/follow")).token(&ana).send().await;
    assert!(follow.status.is_success(), "{}", follow.text());
    assert!(stage.finds(0, &ana, &word).await && stage.finds(1, &ana, &word).await);
    assert_eq!(get(&format!("/v1/accounts/{ben_id}"), &ana).await.json()["following"], true);
    let followers = get(&format!("/v1/accounts/{ben_id}/followers"), &ana).await.json();
    assert_eq!(followers["data"][0]["accountId"], ana_id);
    let following = get(&format!("/v1/accounts/{ana_id}/following"), &ana).await.json();
    assert_eq!(following["data"][0]["accountId"], ben_id);
    // A token that has been revoked is refused at once, where the replica would be read.
    assert_eq!(get("/v1/explore", &revoked).await.status, 200);
    succeed(command(words(&stage.engine, &["account", "tokens", "ela", "revoke", "--all"])), "").await;
    assert_eq!(get("/v1/explore", &revoked).await.status, 401);
    // A new token is known at once.
    make_account(&stage.engine, "dora").await;
    let dora = make_token(&stage.engine, "dora").await;
    assert_eq!(get("/v1/account", &dora).await.status, 200);
    let still_read = !stage.finds(1, &cleo, &word).await;
    assert!(still_read || paused.elapsed() > READ, "others still read the replica");

    // Too far behind, it is not read, and the log says so at the next reading of its position.
    let told = |text: &str| {
        let log = std::fs::read_to_string(&logs[0]).expect("the log");
        log.lines().filter(|line| line.contains(text)).count()
    };
    while told("it is more than 8 seconds behind") == 0
        || !(stage.finds(0, &cleo, &word).await && stage.finds(1, &cleo, &word).await)
    {
        assert!(paused.elapsed() < PATIENCE, "a replica that is behind is still read");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    assert_eq!(sql::ask(&stage.replica_url, "SELECT pg_get_wal_replay_pause_state()").await, "paused");

    // It is read again when it has caught up; a walk through the pages repeats and omits nothing.
    stage.resume().await;
    let word = stage.pause_when_read(&cleo).await;
    stage.resume().await;
    while !(stage.finds(0, &cleo, &word).await && stage.finds(1, &cleo, &word).await) {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let (mut titles, mut path) = (Vec::new(), format!("/v1/accounts/{ben_id}/itineraries?limit=1"));
    for n in 0.. {
        let page = stage.servers[n % 2].call(Method::GET, &path).token(&cleo).send().await;
        assert_eq!(page.status, 200, "{}", page.text());
        let page = page.json();
        titles.push(page["data"][0]["title"].as_str().expect("a title").to_owned());
        let Some(cursor) = page["nextCursor"].as_str() else { break };
        path = format!("/v1/accounts/{ben_id}/itineraries?limit=1&cursor={cursor}");
        if n == 0 {
            // From here on, the pages come from the database.
            let follow = stage.servers[0].call(Method::PUT, &format!("/v1/accounts/{ben_id}/follow")).token(&cleo);
            assert!(follow.send().await.status.is_success());
        }
    }
    titles.sort_by_key(|title| title.trim_start_matches("voyage").parse::<usize>().expect("a number"));
    let all: Vec<String> = (1..=stage.published).map(|n| format!("voyage{n}")).collect();
    assert_eq!(titles, all);

    // Without it, the database answers everything at once.
    stage.replica.stop();
    let word = stage.publish().await;
    for server in [0, 1, 0, 1] {
        assert!(stage.finds(server, &dora, &word).await);
    }
    assert_eq!(value(&scrape(&metrics[0]).await, "database_replica_used"), Some(0.0));
    assert!(told("the read replica answers reads that may lag") <= 4, "a line for each change");
    assert!(told("cannot be reached") + told("was lost") > 0, "the log does not say why it is not read");
}
