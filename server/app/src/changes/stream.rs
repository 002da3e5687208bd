//! A stream of an account's changes, as server-sent events.
//!
//! It reads pages from its position until there are no more changes, then waits until it is woken (`watch.rs`). It
//! reads only when its client has taken what came before, and holds no connection to the database while it waits.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use itinerary_api::request_state::Caller;
use itinerary_platform::change_streams::{NoStream, OpenStream, PER_APP};
use itinerary_platform::context::Service;
use itinerary_platform::fair_pool::Requester;
use itinerary_store::Hash;
use tokio::time::{Instant, sleep_until};

use super::{Found, Position, Reader, now, read};
use crate::{Error, Result};

/// How long a stream is silent at most.
const SILENCE: Duration = Duration::from_secs(20);

/// A comment, which clients ignore.
const COMMENT: Bytes = Bytes::from_static(b":\n\n");

/// The number of changes that are read at once.
const PAGE: u32 = 100;

/// The times in milliseconds after which clients connect again: random, so that those of a server that stops do not all
/// come at once.
const RETRY_FROM: u32 = 2_000;
const RETRY_SPREAD: u32 = 6_000;

/// A stream of changes that its reader takes piece by piece.
pub struct ChangeStream {
    service: Arc<Service>,
    reader: Reader,
    open: OpenStream,
    position: Position,
    /// What comes first.
    first: Option<Bytes>,
    /// Whether there may be changes to read.
    is_behind: bool,
    /// When the next comment is due.
    comment_at: Instant,
}

impl ChangeStream {
    /// Opens a stream that begins after a cursor, or now. `token` is the hash of the caller's access token, with which
    /// it ends; `cursor` comes with the name of the parameter or header that has it.
    pub async fn open(
        service: Arc<Service>,
        caller: &Caller,
        token: Hash,
        cursor: Option<(&str, &str)>,
    ) -> Result<Self> {
        // Before the first page is read, so that it is woken for everything that comes afterwards.
        let open = service.change_streams.open(caller.account, &caller.client, token).map_err(refused)?;
        let reader = Reader::of(caller);
        let found = match cursor {
            Some((field, cursor)) => read(&service, reader, &reader.opened(&service, cursor, field)?, PAGE).await?,
            None => Found { changes: Vec::new(), reached: now(&service).await?, has_more: false },
        };
        let [a, b, c, d] = service.random.bytes::<4>();
        let retry = RETRY_FROM + u32::from_be_bytes([a, b, c, d]) % (RETRY_SPREAD + 1);
        let mut this = Self {
            reader,
            open,
            is_behind: found.has_more,
            position: found.reached.clone(),
            first: None,
            comment_at: Instant::now() + SILENCE,
            service,
        };
        // The id is also that of a client that loses its connection before the first event. Without events it moves on, so
        // that the cursor of an account without changes does not expire.
        let start = match cursor {
            Some((_, cursor)) if found.has_more || !found.changes.is_empty() => cursor.to_owned(),
            _ => reader.sealed(&this.service, &found.reached),
        };
        this.first = Some((format!("retry: {retry}\nid: {start}\n\n") + &this.events(&found)).into());
        Ok(this)
    }

    /// The next piece of the stream; `None` at its end.
    pub async fn next(&mut self) -> Option<Bytes> {
        self.comment_at = Instant::now() + SILENCE;
        if let Some(first) = self.first.take() {
            return Some(first);
        }
        while !self.open.is_ended() {
            if !self.is_behind {
                tokio::select! {
                    () = self.open.woken() => self.is_behind = true,
                    () = sleep_until(self.comment_at) => return Some(COMMENT),
                }
                continue;
            }
            let found = self.read().await?;
            self.is_behind = found.has_more;
            let events = self.events(&found);
            self.position = found.reached;
            // Not after the end of the token, which may have come while the page was read.
            if !events.is_empty() && !self.open.is_ended() {
                return Some(events.into());
            }
        }
        None
    }

    /// The next page. `None` if it cannot be read: the client connects again, and is told why.
    async fn read(&self) -> Option<Found> {
        let (service, reader, position) = (Arc::clone(&self.service), self.reader, self.position.clone());
        // In a task of its own: a client that leaves must not break off a statement.
        let reading = tokio::spawn(async move {
            let payer = service.cpu_time.payer(Requester::Account(reader.account));
            payer.pays_for(read(&service, reader, &position, PAGE)).await
        });
        let page = reading.await.inspect_err(|error| tracing::error!(%error, "reading changes panicked")).ok()?;
        page.inspect_err(|error| tracing::debug!(error = error.for_log(), "a stream of changes ends")).ok()
    }

    /// The events of a page.
    fn events(&self, found: &Found) -> String {
        found.changes.iter().fold(String::new(), |mut text, (at, change)| {
            let position = Position { epoch: found.reached.epoch.clone(), at: *at };
            let id = self.reader.sealed(&self.service, &position);
            let data = serde_json::to_string(change).expect("wire types are plain data");
            let name = change.kind.name();
            write!(text, "id: {id}\nevent: {name}\ndata: {data}\n\n").expect("a string takes everything");
            text
        })
    }
}

fn refused(why: NoStream) -> Error {
    match why {
        NoStream::App => Error::TooManyStreams(PER_APP),
        NoStream::Server => Error::NoRoomForStreams,
        NoStream::Stopping => Error::Stopping,
    }
}
