//! The feed of changes against a server: it outlasts restarts, and ends when it must.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};

use futures::TryStreamExt;
use itinerary_sdk::types::{ChangeType, ItineraryCreate, ItineraryPatch, MemberChange, MemberRole};
use itinerary_sdk::{ChangeFeed, Client, ErrorExt, FeedChange, FeedError, Paged, Uuid, code};
use itinerary_tests::world::READ_WRITE;
use itinerary_tests::{World, api_test};
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::yield_now;

use super::NoWaits;

/// An address that stays the same while servers come and go.
struct Front {
    base_url: String,
    server: Arc<Mutex<SocketAddr>>,
}

impl Front {
    async fn of(world: &World) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port");
        let base_url = format!("http://{}", listener.local_addr().expect("an address"));
        let server = Arc::new(Mutex::new(world.address()));
        let target = server.clone();
        tokio::spawn(async move {
            loop {
                let (mut near, _) = listener.accept().await.expect("a connection");
                let server = *target.lock().expect("no panic");
                tokio::spawn(async move {
                    let mut far = TcpStream::connect(server).await?;
                    copy_bidirectional(&mut near, &mut far).await
                });
            }
        });
        Self { base_url, server }
    }

    /// Another server takes the place of the last one.
    fn leads_to(&self, world: &World) {
        *self.server.lock().expect("no panic") = world.address();
    }

    /// A client with retries that take no time.
    fn client(&self, world: &World, token: &str) -> Client {
        let builder = Client::builder(&self.base_url).http_client(world.http.clone()).access_token(token);
        builder.retry_timer(NoWaits).build().expect("a client")
    }
}

async fn create(client: &Client) -> Uuid {
    let trip = ItineraryCreate::to("Lisbon", (38.72, -9.14)).start_date("2027-05-15");
    client.itineraries().create(trip).allow_duplicate(true).send().await.expect("created").id
}

async fn next(feed: &mut ChangeFeed) -> (ChangeType, Uuid) {
    let FeedChange { change, .. } = feed.try_next().await.expect("no error").expect("a feed goes on");
    (*change.type_.known().expect("a known type"), change.itinerary_id)
}

/// The next change, which `make` makes once the event stream is open.
async fn next_in_stream<T>(
    world: &World,
    feed: &mut ChangeFeed,
    make: impl Future<Output = T>,
) -> ((ChangeType, Uuid), T) {
    let make = async {
        while world.service().change_streams.number() == 0 {
            yield_now().await;
        }
        make.await
    };
    tokio::join!(next(feed), make)
}

#[api_test(limits = false)]
async fn a_feed_goes_on_after_a_restart(world: World) {
    let token = world.token_of_anyone("ana", READ_WRITE).await;
    let front = Front::of(&world).await;
    let client = front.client(&world, &token);
    let cursor = client.changes().now().await.expect("a cursor");
    let early = [create(&client).await, create(&client).await];
    let mut feed = client.changes().from(&cursor);
    for id in early {
        assert_eq!(next(&mut feed).await, (ChangeType::ItineraryUpdated, id));
    }
    let (seen, id) = next_in_stream(&world, &mut feed, create(&client)).await;
    assert_eq!(seen, (ChangeType::ItineraryUpdated, id));
    let stored = feed.cursor().to_owned();

    let world = world.restart().await;
    front.leads_to(&world);
    let missed = create(&client).await;
    assert_eq!(next(&mut feed).await, (ChangeType::ItineraryUpdated, missed));
    let (seen, last) = next_in_stream(&world, &mut feed, create(&client)).await;
    assert_eq!(seen.1, last);
    // A program that starts again continues from the cursor that it has stored.
    let mut again = client.changes().from(stored);
    assert_eq!([next(&mut again).await.1, next(&mut again).await.1], [missed, last]);
}

#[api_test(limits = false)]
async fn pages_go_on_after_a_restart(world: World) {
    let token = world.token_of_anyone("ana", READ_WRITE).await;
    let front = Front::of(&world).await;
    let client = front.client(&world, &token);
    let cursor = client.changes().now().await.expect("a cursor");
    let mut made = Vec::new();
    for _ in 0..3 {
        made.push(create(&client).await);
    }
    let mut pages = client.changes().list().cursor(cursor).limit(1).pages();
    let first = pages.try_next().await.expect("no error").expect("a page");
    let world = world.restart().await;
    front.leads_to(&world);
    let rest: Vec<_> = pages.try_collect().await.expect("two pages");
    let ids: Vec<_> = [first].iter().chain(&rest).flat_map(|page| &page.data).map(|it| it.itinerary_id).collect();
    assert_eq!(ids, made);
}

#[api_test(limits = false)]
async fn a_feed_ends_when_its_token_is_revoked(world: World) {
    let token = world.token_of_anyone("ana", READ_WRITE).await;
    let client = Front::of(&world).await.client(&world, &token);
    let mut feed = client.changes().from(client.changes().now().await.expect("a cursor"));
    next_in_stream(&world, &mut feed, create(&client)).await;
    world.sql("UPDATE grants SET revoked_at = 1").await;
    let error = feed.try_next().await.expect_err("the token is not valid any more");
    assert!(matches!(&error, FeedError::Api(_)) && error.needs_sign_in(), "{error}");
    assert_eq!(feed.try_next().await.expect("the end"), None);
}

#[api_test]
async fn a_feed_ends_when_its_cursor_expires(world: World) {
    let client = world.client("ana").await;
    let cursor = client.changes().now().await.expect("a cursor");
    world.sql("UPDATE change_feed SET epoch = 'another'").await;
    let error = client.changes().from(cursor).try_next().await.expect_err("expired");
    assert!(matches!(&error, FeedError::CursorExpired(_)) && error.is(code::CURSOR_EXPIRED), "{error}");
    let mut feed = client.changes().from("not a cursor");
    assert_eq!(feed.try_next().await.expect_err("malformed").field(), Some("cursor"));
}

#[api_test(limits = false)]
async fn each_member_follows_their_own_changes(world: World) {
    let (ana, ben) = (world.client("ana").await, world.client("ben").await);
    let ids = [ana.account_self().send().await, ben.account_self().send().await];
    let [ana_id, ben_id] = ids.map(|account| account.expect("an account").account_id);
    ben.follow_set(ana_id).send().await.expect("followed");
    let mut feed = ben.changes().from(ben.changes().now().await.expect("a cursor"));
    let id = create(&ana).await;
    let invite = async || {
        let change = MemberChange { role: MemberRole::Viewer.into() };
        ana.member_set(id, ben_id, change).send().await.expect("a member");
    };
    let (seen, ()) = next_in_stream(&world, &mut feed, invite()).await;
    assert_eq!(seen, (ChangeType::ItineraryShared, id));
    let patch = ItineraryPatch::default().title("May");
    let updated = ana.itinerary_update(id, "*", patch).send().await.expect("updated");
    assert_eq!(next(&mut feed).await, (ChangeType::ItineraryUpdated, id));
    ana.member_remove(id, ben_id).send().await.expect("removed");
    assert_eq!(next(&mut feed).await, (ChangeType::ItineraryUnshared, id));
    invite().await;
    assert_eq!(next(&mut feed).await, (ChangeType::ItineraryShared, id));
    ana.itinerary_delete(id, &updated).send().await.expect("deleted");
    assert_eq!(next(&mut feed).await, (ChangeType::ItineraryDeleted, id));
}
