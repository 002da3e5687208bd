//! A write that is sent again after its connection broke is stored once.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use futures::TryStreamExt;
use futures::future::BoxFuture;
use itinerary_sdk::types::{ItineraryCreate, ItineraryPatch};
use itinerary_sdk::{Client, Created, Paged, RetryReason, RetryTimer};
use itinerary_tests::world::READ_WRITE;
use itinerary_tests::{World, api_test};
use tokio::io::{AsyncReadExt, copy, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};

use crate::http::lisbon;

/// Waits take no time.
pub(crate) struct NoWaits;

impl RetryTimer for NoWaits {
    fn now(&self) -> Instant {
        Instant::now()
    }

    fn sleep(&self, _: Duration) -> BoxFuture<'static, ()> {
        Box::pin(async {})
    }

    fn random(&self) -> f64 {
        0.0
    }
}

/// A proxy in front of a server. It breaks its first connection when the first byte of the response arrives, which is after
/// the write is stored.
async fn proxy(server: SocketAddr) -> String {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move {
        for number in 0.. {
            let (mut near, _) = listener.accept().await.expect("a connection");
            let mut far = TcpStream::connect(server).await.expect("a server");
            if number > 0 {
                tokio::spawn(async move { copy_bidirectional(&mut near, &mut far).await });
                continue;
            }
            let (mut requests, _) = near.split();
            let (mut responses, mut forward) = far.split();
            tokio::select! {
                _ = copy(&mut requests, &mut forward) => panic!("the client gave up"),
                first = responses.read_u8() => drop(first.expect("a response")),
            }
        }
    });
    format!("http://{address}")
}

/// A client behind a new proxy, and the number of its retries.
async fn client(world: &World, token: &str) -> (Client, Arc<AtomicUsize>) {
    let retries = Arc::new(AtomicUsize::new(0));
    let count = retries.clone();
    let builder = Client::builder(proxy(world.address()).await).http_client(world.http.clone()).access_token(token);
    let builder = builder.retry_timer(NoWaits).on_retry(move |retry| {
        assert_eq!(retry.reason, RetryReason::Connection);
        count.fetch_add(1, Ordering::SeqCst);
    });
    (builder.build().expect("a client"), retries)
}

#[api_test]
async fn a_write_whose_response_was_lost_is_stored_once(world: World) {
    let token = world.token_of_anyone("ana", READ_WRITE).await;
    let (first, retries) = client(&world, &token).await;
    let body: ItineraryCreate = serde_json::from_value(lisbon()).expect("an itinerary");
    let answer = first.itinerary_create(body).send_raw().await.expect("a retry");
    let created = Created::try_from(answer).expect("an itinerary");
    assert!(created.replayed && retries.load(Ordering::SeqCst) == 1);
    let list: Vec<_> = first.itinerary_list().stream().try_collect().await.expect("a list");
    assert_eq!(list.iter().map(|entry| entry.id).collect::<Vec<_>>(), [created.itinerary.id]);

    let (second, retries) = client(&world, &token).await;
    let patch = ItineraryPatch::default().title("Once");
    let change = second.itinerary_update(created.itinerary.id, &created.itinerary, patch);
    let changed = change.send().await.expect("a retry");
    assert_eq!((changed.title.as_str(), retries.load(Ordering::SeqCst)), ("Once", 1));
    let current = second.itinerary_view(changed.id).send().await.expect("an itinerary");
    assert_eq!(current.etag(), changed.etag(), "nothing was stored twice");
}
