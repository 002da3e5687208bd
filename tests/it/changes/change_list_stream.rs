//! The stream of changes: what it sends, how it continues, and when it ends.

use std::time::{Duration, Instant};

use chrono::TimeDelta;
use itinerary_server::jobs;
use itinerary_tests::app::App;
use itinerary_tests::bodies::on_day;
use itinerary_tests::engines::Removable;
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::Follower;

/// The longest time from a change to its event, and from a revocation to the end, with room for slow machines.
const SOON: Duration = Duration::from_secs(10);

/// An event of a stream.
#[derive(Clone, Debug)]
struct Event {
    id: String,
    name: String,
    data: Value,
}

/// An open stream.
struct Stream {
    response: reqwest::Response,
    text: String,
}

impl Stream {
    /// Opens a stream, which must succeed, and reads its first block.
    async fn open(reader: &Follower<'_>, query: &str, last: Option<&str>) -> (Self, String) {
        let base = reader.app.world.base_url.clone();
        Self::open_at(&base, reader, query, last).await
    }

    /// The same at a server.
    async fn open_at(base_url: &str, reader: &Follower<'_>, query: &str, last: Option<&str>) -> (Self, String) {
        let request = reader.app.world.http.get(format!("{base_url}/v1/changes{query}"));
        let request = request.bearer_auth(&reader.app.token).header("Accept", "text/event-stream");
        let request = last.into_iter().fold(request, |request, id| request.header("Last-Event-ID", id));
        let response = request.send().await.expect("a response");
        assert_eq!(response.status(), 200);
        let mut this = Self { response, text: String::new() };
        let first = this.block().await.expect("it begins at once");
        (this, first)
    }

    /// The next block. `None` at the end.
    async fn block(&mut self) -> Option<String> {
        loop {
            if let Some(end) = self.text.find("\n\n") {
                let block: String = self.text.drain(..end + 2).collect();
                return Some(block.trim_end().to_owned());
            }
            let chunk = self.response.chunk().await.ok().flatten()?;
            self.text.push_str(std::str::from_utf8(&chunk).expect("text in whole characters"));
        }
    }

    /// The next event, which must come soon.
    async fn event(&mut self) -> Event {
        let next = async {
            loop {
                let block = self.block().await.expect("the stream goes on");
                if !block.starts_with(':') {
                    return block;
                }
            }
        };
        let block = timeout(SOON, next).await.expect("an event soon");
        let field = |name: &str| {
            let line = block.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
            line.unwrap_or_else(|| panic!("no {name}: {block}")).to_owned()
        };
        let data = serde_json::from_str(&field("data")).expect("JSON");
        Event { id: field("id"), name: field("event"), data }
    }

    /// Whether nothing but comments comes within a moment in which a change would have come.
    async fn is_silent(&mut self) -> bool {
        timeout(Duration::from_millis(2_500), self.block())
            .await
            .map_or(true, |block| block.is_some_and(|it| it == ":"))
    }

    /// Waits for the end, which must come soon. Fails if an event comes before.
    async fn ends(&mut self) {
        let began = Instant::now();
        let end = timeout(SOON, self.block()).await.expect("it ends soon");
        assert_eq!(end, None, "after {:?}", began.elapsed());
    }
}

#[api_test]
async fn a_change_is_an_event_with_its_cursor_type_and_data(world: World) {
    let mut ana = Follower::of(&world, "ana").await;
    let (mut stream, first) = Stream::open(&ana, "", None).await;
    let headers = stream.response.headers().clone();
    let header = |name: &str| headers.get(name).map_or("", |value| value.to_str().expect("text")).to_owned();
    assert_eq!(header("content-type"), "text/event-stream");
    assert_eq!(header("vary"), "Accept, Authorization, Service-Itinerary-Shape, Accept-Encoding");
    assert_eq!(
        (header("x-accel-buffering"), header("cache-control")),
        ("no".to_owned(), "private, no-cache".to_owned())
    );
    assert_eq!((header("ratelimit-limit"), header("ratelimit-remaining")), ("120".to_owned(), "118".to_owned()));
    let retry = first.lines().find_map(|line| line.strip_prefix("retry: ")).expect("a time");
    assert!((2_000..=8_000).contains(&retry.parse::<u32>().expect("a number")), "{first}");
    let begun = first.lines().find_map(|line| line.strip_prefix("id: ")).expect("a cursor").to_owned();

    let at = ana.app.created(&on_day(1)).await;
    let event = stream.event().await;
    let data = json!({
        "type": "itinerary.updated", "itineraryId": at.id, "etag": at.etag, "at": "2027-01-10T12:00:00.000Z",
    });
    assert_eq!((event.name.as_str(), &event.data), ("itinerary.updated", &data));
    assert_eq!(ana.app.delete(&at).await.status, 204);
    let deleted = stream.event().await;
    assert_eq!((deleted.name.as_str(), &deleted.data["itineraryId"]), ("itinerary.deleted", &json!(at.id)));

    // Ids are cursors of the list, too.
    ana.cursor = event.id;
    assert_eq!(ana.changes().await, [deleted.data]);
    ana.cursor = begun;
    assert_eq!(ana.changes().await.len(), 1, "of the itinerary that is gone, only that");
    ana.cursor = deleted.id;
    assert!(ana.changes().await.is_empty());
    let json = ana.app.call(Method::GET, "/v1/changes").send().await;
    assert_eq!(json.header("vary"), header("vary"), "caches tell the two apart");
}

#[api_test(limits = false)]
async fn a_stream_continues_after_a_cursor_or_the_last_event(world: World) {
    let ana = Follower::of(&world, "ana").await;
    let mut made = Vec::new();
    for day in 1..=6 {
        made.push(ana.app.created(&on_day(day)).await.id);
    }
    let query = format!("?cursor={}", ana.cursor);
    let (mut stream, _) = Stream::open(&ana, &query, None).await;
    let mut events = Vec::new();
    for id in &made {
        events.push(stream.event().await);
        assert_eq!(events.last().expect("one").data["itineraryId"], json!(id));
    }
    let (mut after, _) = Stream::open(&ana, &query, Some(&events[3].id)).await;
    for id in &made[4..] {
        assert_eq!(after.event().await.data["itineraryId"], json!(id), "the last event wins over the cursor");
    }
    let new = ana.app.created(&on_day(7)).await;
    for stream in [&mut stream, &mut after] {
        assert_eq!(stream.event().await.data["itineraryId"], json!(new.id), "and goes on");
    }
}

// Between reading what was and hearing of what comes, nothing is missed.
// Its cursor would expire otherwise, although it has been connected all the time.
#[api_test]
async fn the_id_of_a_stream_without_changes_moves_on(world: World) {
    let (ana, mut ben) = (Follower::of(&world, "ana").await, Follower::of(&world, "ben").await);
    ana.app.created(&on_day(1)).await;
    let (_, first) = Stream::open(&ben, &format!("?cursor={}", ben.cursor), None).await;
    world.clock.advance(TimeDelta::days(31));
    jobs::expire(world.service()).await.expect("a database");
    ben.returns().await;
    first.lines().find_map(|line| line.strip_prefix("id: ")).expect("a cursor").clone_into(&mut ben.cursor);
    assert!(ben.changes().await.is_empty(), "it has not expired");
}

#[api_test(limits = false)]
async fn nothing_is_missed_between_catching_up_and_going_on(world: World) {
    let ana = Follower::of(&world, "ana").await;
    let query = format!("?cursor={}", ana.cursor);
    let making = async {
        let mut made = Vec::new();
        for day in 1..=12 {
            made.push(json!(ana.app.created(&on_day(day)).await.id));
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        made
    };
    let reading = async {
        let mut streams = Vec::new();
        for _ in 0..6 {
            streams.push(Stream::open(&ana, &query, None).await.0);
            tokio::time::sleep(Duration::from_millis(150)).await;
        }
        streams
    };
    let (made, streams) = tokio::join!(making, reading);
    for mut stream in streams {
        for id in &made {
            assert_eq!(stream.event().await.data["itineraryId"], *id);
        }
    }
}

#[api_test]
async fn members_hear_of_sharing_and_others_of_nothing(world: World) {
    let (ana, ben) = (Follower::of(&world, "ana").await, Follower::of(&world, "ben").await);
    let cleo = Follower::of(&world, "cleo").await;
    ben.follows(&ana).await;
    let at = ana.app.created(&on_day(1)).await;
    let (mut bens, _) = Stream::open(&ben, "", None).await;
    let (mut cleos, _) = Stream::open(&cleo, "", None).await;
    ana.shares(&at.id, &ben, "viewer").await;
    assert_eq!(bens.event().await.name, "itinerary.shared");
    ana.shares(&at.id, &ben, "editor").await;
    let event = bens.event().await;
    assert_eq!(
        (event.name.as_str(), &event.data["etag"]),
        ("itinerary.updated", &json!(ben.app.viewed(&at.id).await.etag))
    );
    let remove = format!("/v1/itineraries/{}/members/{}", at.id, ben.id);
    ana.does(Method::DELETE, &remove, json!({})).await;
    assert_eq!(bens.event().await.name, "itinerary.unshared");
    assert!(cleos.is_silent().await);
}

#[api_test]
async fn a_stream_ends_with_its_token_its_grant_and_a_pause(world: World) {
    let ana = Follower::of(&world, "ana").await;
    let ben = Follower::of(&world, "ben").await;
    let (mut stream, _) = Stream::open(&ana, "", None).await;
    let (mut other, _) = Stream::open(&ben, "", None).await;
    world
        .sql("UPDATE grants SET revoked_at = 1 WHERE account_id IN (SELECT id FROM accounts WHERE username = 'ana')")
        .await;
    stream.ends().await;
    assert!(other.is_silent().await, "another's goes on");
    world.service().store.pause_set(Some(30), world.service().clock.now()).await.expect("a database");
    other.ends().await;
    world.service().store.pause_set(None, world.service().clock.now()).await.expect("a database");
    let token = world.personal_token(ben.id, "sync", "itineraries:read").await;
    let personal =
        Follower { app: App { world: &world, token }, cursor: String::new(), name: "ben".to_owned(), id: ben.id };
    let (mut revoked, _) = Stream::open(&personal, "", None).await;
    assert!(revoked.is_silent().await, "a personal access token is valid");
    assert_eq!(world.service().store.personal_tokens_revoke(ben.id).await.expect("a database"), 1);
    revoked.ends().await;
    let (mut expiring, _) = Stream::open(&ben, "", None).await;
    world.clock.advance(TimeDelta::hours(2));
    expiring.ends().await;
    let refused = ben.app.call(Method::GET, "/v1/changes").header("Accept", "text/event-stream").send().await;
    refused.expect_error(401, "unauthenticated");
    assert_eq!(world.service().change_streams.number(), 0);
}

#[api_test]
async fn an_app_has_five_streams_which_do_not_count_as_responses(world: World) {
    let ana = Follower::of(&world, "ana").await;
    let mut streams = Vec::new();
    for _ in 0..5 {
        streams.push(Stream::open(&ana, "", None).await.0);
    }
    let service = world.service();
    assert_eq!((service.change_streams.number(), service.responses.under_way(ana.id)), (5, 0));
    let another = || ana.app.call(Method::GET, "/v1/changes").header("Accept", "text/event-stream").send();
    let refused = another().await;
    refused.expect_error(429, "rateLimited");
    assert_eq!(refused.header("retry-after"), "5");
    assert_eq!(ana.page("").await["hasMore"], json!(false), "the list has no such limit");
    streams.pop();
    let closed = async {
        while service.change_streams.number() == 5 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(SOON, closed).await.expect("a client that leaves is noticed");
    streams.push(Stream::open(&ana, "", None).await.0);
}

#[api_test]
async fn a_stream_is_refused_like_the_list(world: World) {
    let mut ana = Follower::of(&world, "ana").await;
    let stream =
        |query: String| ana.app.call(Method::GET, &format!("/v1/changes{query}")).header("Accept", "text/event-stream");
    stream("?cursor=x".to_owned()).send().await.expect_invalid("cursor");
    for bad in ["x", "not a cursor", "\u{e9}"] {
        stream(String::new()).header("Last-Event-ID", bad).send().await.expect_invalid("Last-Event-ID");
    }
    let cursor = ana.cursor.clone();
    world.sql("UPDATE change_feed SET epoch = 'another'").await;
    stream(format!("?cursor={cursor}")).send().await.expect_error(410, "cursorExpired");
    stream(String::new()).header("Last-Event-ID", &cursor).send().await.expect_error(410, "cursorExpired");
    assert_eq!(world.service().change_streams.number(), 0);
    let head = ana.app.call(Method::HEAD, "/v1/changes").header("Accept", "text/event-stream").send().await;
    assert_eq!((head.status.as_u16(), head.header("content-type")), (200, "text/event-stream"));
    ana.cursor.clear();
}

#[api_test]
async fn streams_of_all_servers_hear_of_a_change(world: World) {
    let ana = Follower::of(&world, "ana").await;
    let other = world.replica().await;
    let address = other.service.config.base_url.clone();
    let (mut there, _) = Stream::open_at(&address, &ana, "", None).await;
    let (mut here, _) = Stream::open(&ana, "", None).await;
    for day in 1..=2 {
        let at = ana.app.created(&on_day(day)).await;
        for stream in [&mut there, &mut here] {
            assert_eq!(stream.event().await.data["itineraryId"], json!(at.id));
        }
    }
    let began = Instant::now();
    let (stopped, ()) = tokio::join!(other.stop(), there.ends());
    assert_eq!(stopped.cut_off, 0);
    assert!(began.elapsed() < Duration::from_secs(4), "{:?}", began.elapsed());
    assert!(here.is_silent().await, "the other server goes on");
}

// What was not read while the database was away is read afterwards.
#[api_test(postgres)]
async fn a_stream_outlives_a_database_that_is_away(world: World) {
    let ana = Follower::of(&world, "ana").await;
    let (mut stream, _) = Stream::open(&ana, "", None).await;
    let database = Removable::of(&world);
    for day in 1..=2 {
        database.take_away().await;
        tokio::time::sleep(Duration::from_millis(2_200)).await;
        database.bring_back().await;
        let made = loop {
            let made = ana.app.create(&on_day(day)).await;
            if made.status == 201 {
                break made;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        };
        assert_eq!(stream.event().await.data["itineraryId"], made.json()["id"]);
    }
}
