//! How a feed is followed: pages until there are no more changes, then the service's event stream until it ends, and so on.
//!
//! The position moves only to what the service has sent as a cursor, so nothing is skipped. Pages are read before each
//! stream because their cursor advances although nothing of the caller's has changed, so it does not expire.

use std::collections::VecDeque;
use std::io;
use std::time::Duration;

use bytes::Bytes;
use futures::stream::{self, BoxStream, Stream, StreamExt};
use progenitor_client::ClientInfo;
use reqwest::header::{ACCEPT, CONTENT_TYPE};
use reqwest::{Response, StatusCode};
use sse_stream::{Sse, SseByteStream};
use tokio::time::timeout;

use super::FeedError;
use crate::error::{ApiError, Error, ErrorExt, refused};
use crate::generated::Client;
use crate::hooks::EVENT_STREAM;
use crate::retry::{Retry, RetryReason};
use crate::types::{Change, ChangePage};

const OPERATION: &str = "change_list";
/// The largest page that the service has.
const PAGE: i32 = 100;
/// The service sends a comment every 20 seconds, so a connection that is silent for so long is dead.
const SILENCE: Duration = Duration::from_mins(1);
/// The time limit of opening a stream, if the client has none.
const OPENING: Duration = Duration::from_mins(1);
/// The time limit of a stream. Access tokens, with which streams end, are valid for an hour.
const LONGEST_STREAM: Duration = Duration::from_hours(24);
/// The wait between connections until the service names one.
const DEFAULT_RETRY: Duration = Duration::from_secs(2);
const LONGEST_WAIT: Duration = Duration::from_mins(1);
/// After so many doublings, every wait is the longest.
const MAX_DOUBLINGS: u32 = 5;

/// A change, or only a new position.
pub(super) struct Step {
    pub(super) change: Option<Change>,
    pub(super) cursor: String,
}

/// What comes next.
enum Phase {
    Page,
    Stream,
    Events(BoxStream<'static, Result<Sse, sse_stream::Error>>),
}

struct Follower {
    client: Client,
    phase: Phase,
    /// After what is pending.
    cursor: String,
    pending: VecDeque<Step>,
    /// Failures since the last event.
    failures: u32,
    retry: Duration,
}

/// Follows the changes after a cursor.
pub(super) fn follow(client: Client, cursor: String) -> impl Stream<Item = Result<Step, FeedError>> + Send {
    let follower =
        Follower { client, phase: Phase::Page, cursor, pending: VecDeque::new(), failures: 0, retry: DEFAULT_RETRY };
    stream::try_unfold(follower, |mut follower| async move {
        let step = follower.next().await?;
        Ok(Some((step, follower)))
    })
}

impl Follower {
    async fn next(&mut self) -> Result<Step, FeedError> {
        loop {
            if let Some(step) = self.pending.pop_front() {
                return Ok(step);
            }
            match &mut self.phase {
                Phase::Page => {
                    let request = self.client.change_list().cursor(&self.cursor).limit(PAGE);
                    match request.send().await {
                        Ok(page) => self.take_page(page),
                        Err(error) => self.recover(error).await?,
                    }
                }
                Phase::Stream => match open(&self.client, &self.cursor).await {
                    Ok(answer) => self.phase = Phase::Events(SseByteStream::new(Box::pin(bytes(answer))).boxed()),
                    Err(error) => self.recover(error).await?,
                },
                Phase::Events(events) => match events.next().await {
                    Some(Ok(event)) => {
                        let change = change(&event);
                        let change = change.map_err(|(data, error)| ApiError::InvalidResponsePayload(data, error))?;
                        self.take_event(event, change);
                    }
                    end => {
                        tracing::debug!(error = ?end.and_then(Result::err), "a stream of changes ended");
                        self.reconnect().await;
                    }
                },
            }
        }
    }

    /// A page has one cursor, after its last change.
    fn take_page(&mut self, page: ChangePage) {
        let before = std::mem::replace(&mut self.cursor, page.next_cursor);
        let last = page.data.len().saturating_sub(1);
        let cursor = |index: usize| if index == last { self.cursor.clone() } else { before.clone() };
        let steps = page.data.into_iter().enumerate();
        self.pending.extend(steps.map(|(index, change)| Step { change: Some(change), cursor: cursor(index) }));
        if self.pending.is_empty() {
            self.pending.push_back(Step { change: None, cursor: self.cursor.clone() });
        }
        self.phase = if page.has_more == Some(true) { Phase::Page } else { Phase::Stream };
    }

    fn take_event(&mut self, event: Sse, change: Option<Change>) {
        self.failures = 0;
        if let Some(milliseconds) = event.retry {
            self.retry = Duration::from_millis(milliseconds).min(LONGEST_WAIT);
        }
        if let Some(id) = event.id.filter(|id| !id.is_empty()) {
            self.cursor = id;
        }
        self.pending.push_back(Step { change, cursor: self.cursor.clone() });
    }

    /// Waits before the next connection after a stream has ended: for the time that the service asks for, or longer if
    /// nothing arrived in the stream.
    async fn reconnect(&mut self) {
        let wait = if self.failures == 0 { self.retry } else { self.backoff() };
        // Reset by the next event.
        self.failures += 1;
        self.phase = Phase::Page;
        self.client.inner().sending().retries.timer.sleep(wait).await;
    }

    /// Waits before the next request after one has failed. Fails if waiting does not help.
    async fn recover(&mut self, error: ApiError) -> Result<(), FeedError> {
        let client = self.client.clone();
        let retries = &client.inner().sending().retries;
        let Some(reason) = reason(&error).filter(|_| retries.enabled) else { return Err(error.into()) };
        let wait = self.backoff().max(error.retry_after().unwrap_or_default());
        self.failures += 1;
        self.phase = Phase::Page;
        retries.wait(&Retry { operation: OPERATION, number: self.failures, wait, reason }).await;
        Ok(())
    }

    fn backoff(&self) -> Duration {
        let longest = self.retry.saturating_mul(1 << self.failures.min(MAX_DOUBLINGS)).min(LONGEST_WAIT);
        self.client.inner().sending().retries.spread(longest)
    }
}

/// The change that an event contains, if any.
fn change(event: &Sse) -> Result<Option<Change>, (Bytes, serde_json::Error)> {
    let Some(data) = event.data.as_deref().filter(|data| !data.is_empty()) else { return Ok(None) };
    serde_json::from_str(data).map(Some).map_err(|error| (data.to_owned().into(), error))
}

/// Opens the event stream after a cursor.
async fn open(client: &Client, cursor: &str) -> Result<Response, ApiError> {
    let request = client.client().get(format!("{}/v1/changes", client.baseurl()));
    let request = request.header(ACCEPT, EVENT_STREAM).header("last-event-id", cursor);
    let request = request.timeout(LONGEST_STREAM).build()?;
    let limit = client.inner().sending().timeout.unwrap_or(OPENING);
    let answer = timeout(limit, client.call(request, OPERATION)).await;
    let answer = answer.map_err(|_| Error::Custom("the service did not open the stream of changes".to_owned()))??;
    if answer.status() != StatusCode::OK {
        return Err(refused(answer).await);
    }
    let kind = answer.headers().get(CONTENT_TYPE).map(|kind| kind.as_bytes().starts_with(EVENT_STREAM.as_bytes()));
    if kind == Some(true) { Ok(answer) } else { Err(Error::UnexpectedResponse(answer)) }
}

/// Why a request may succeed later; `None` if it will not.
fn reason(error: &ApiError) -> Option<RetryReason> {
    match error {
        Error::CommunicationError(_) | Error::ResponseBodyError(_) => Some(RetryReason::Connection),
        // The tokens could not be refreshed, for another reason than that the sign-in has ended.
        Error::Custom(_) if !error.needs_sign_in() => Some(RetryReason::Connection),
        _ => {
            let status = error.status()?.as_u16();
            matches!(status, 429 | 502..=504).then_some(RetryReason::Status(status))
        }
    }
}

/// The bytes of a stream, which fails if it is silent for too long.
fn bytes(answer: Response) -> impl Stream<Item = io::Result<Bytes>> + Send {
    stream::try_unfold(answer, |mut answer| async move {
        let chunk = timeout(SILENCE, answer.chunk()).await?.map_err(io::Error::other)?;
        Ok(chunk.map(|chunk| (chunk, answer)))
    })
}
