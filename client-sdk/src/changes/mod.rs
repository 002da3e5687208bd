//! The changes of a traveller's itineraries, as a stream that goes on until it is dropped.
//!
//! It does not store cursors: the caller does, after it has processed a change.

mod follow;

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures::stream::{BoxStream, Stream, StreamExt};

use self::follow::{Step, follow};
use crate::code;
use crate::error::{ApiError, ErrorExt};
use crate::groups::Changes;
use crate::types::Change;

/// A change with the cursor after it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FeedChange {
    /// What has changed.
    pub change: Change,
    /// Where to continue once the change is processed. Of several changes that arrive together, all but the last may have
    /// the cursor before them, so some may be repeated and none is missed.
    pub cursor: String,
}

/// Why a [`ChangeFeed`] ended. Its code (`ErrorExt::code`) is that of the request that failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FeedError {
    /// The cursor is older than 30 days, or from before the service was restored, so that changes may be missing. Take a
    /// new cursor, list the itineraries again, and continue from it.
    #[error("changes may be missing: {0}")]
    CursorExpired(#[source] ApiError),
    /// A request failed for another reason that does not pass by itself: for example, the sign-in has ended.
    #[error(transparent)]
    Api(ApiError),
}

impl From<ApiError> for FeedError {
    fn from(error: ApiError) -> Self {
        if error.is(code::CURSOR_EXPIRED) { Self::CursorExpired(error) } else { Self::Api(error) }
    }
}

impl ErrorExt for FeedError {
    fn code(&self) -> &str {
        match self {
            Self::CursorExpired(error) | Self::Api(error) => error.code(),
        }
    }

    fn api_error(&self) -> Option<&ApiError> {
        match self {
            Self::CursorExpired(error) | Self::Api(error) => Some(error),
        }
    }
}

/// What changes in the itineraries that the caller owns or is a member of, as a [`Stream`]. Returned by
/// [`Changes::from`](crate::groups::Changes::from).
#[must_use = "nothing is requested until the stream is polled"]
pub struct ChangeFeed {
    steps: BoxStream<'static, Result<Step, FeedError>>,
    cursor: String,
}

impl ChangeFeed {
    /// Returns where to continue after the changes that the stream has returned. It also advances while nothing of the
    /// caller's changes, about once an hour, so a program that stores it from time to time has a cursor that does not expire.
    ///
    /// ```
    /// # fn example(client: &itinerary_sdk::Client, stored: &str) {
    /// let feed = client.changes().from(stored);
    /// assert_eq!(feed.cursor(), stored);
    /// # }
    /// ```
    pub fn cursor(&self) -> &str {
        &self.cursor
    }
}

impl Stream for ChangeFeed {
    type Item = Result<FeedChange, FeedError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            let Step { change, cursor } = match ready!(self.steps.poll_next_unpin(cx)) {
                Some(Ok(step)) => step,
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => return Poll::Ready(None),
            };
            self.cursor.clone_from(&cursor);
            if let Some(change) = change {
                return Poll::Ready(Some(Ok(FeedChange { change, cursor })));
            }
        }
    }
}

impl fmt::Debug for ChangeFeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChangeFeed").field("cursor", &self.cursor).finish_non_exhaustive()
    }
}

impl Changes<'_> {
    /// Returns a cursor for the changes from now on. To begin a local copy, take it before listing the itineraries.
    ///
    /// ```no_run
    /// # async fn example(client: &itinerary_sdk::Client) -> Result<(), itinerary_sdk::ApiError> {
    /// let cursor = client.changes().now().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn now(self) -> Result<String, ApiError> {
        Ok(self.list().send().await?.next_cursor)
    }

    /// Follows the changes after a cursor, until the stream is dropped: first those that have been made, then each new one
    /// within about two seconds.
    ///
    /// Changes are in the service's order. Each arrives at least once; several of one itinerary may arrive as the last one.
    /// The stream connects again when a connection ends, with new tokens if the client has a token store, and waits as long
    /// as the service asks; it also outlasts times in which the service cannot be reached, unless the client was built with
    /// [`no_retries`](crate::ClientBuilder::no_retries). It ends after the first error, which waiting does not resolve, such
    /// as [`FeedError::CursorExpired`]. An app can follow an account five times at once.
    ///
    /// Store the cursor of a change after the change is processed, and pass it here at the next start.
    ///
    /// ```no_run
    /// use itinerary_sdk::prelude::*;
    ///
    /// # async fn example(client: &Client, stored: String) -> Result<(), itinerary_sdk::FeedError> {
    /// let mut feed = client.changes().from(stored);
    /// while let Some(next) = feed.try_next().await? {
    ///     println!("{} {}", next.change.type_, next.change.itinerary_id);
    ///     let stored = next.cursor;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn from(self, cursor: impl Into<String>) -> ChangeFeed {
        let cursor = cursor.into();
        ChangeFeed { steps: follow(self.client.clone(), cursor.clone()).boxed(), cursor }
    }
}
