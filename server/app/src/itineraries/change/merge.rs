//! Attempts of a write that prefers merging. Merges into one itinerary take turns within a server.

use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use futures::future::join;
use itinerary_api::values::EntityTags;
use itinerary_store::ContentSelection;
use tokio::time::{Instant, timeout};

use super::{Attempts, Render};
use crate::itineraries::content_change::ContentChange;
use crate::itineraries::load;
use crate::{Error, Rendered, Result, backoff};

/// The time after which a merge is no longer retried if concurrent writes win.
const MERGE_TIME: Duration = Duration::from_secs(2);
/// The longest wait for a turn.
const MERGE_WAIT: Duration = Duration::from_secs(10);

impl Attempts<'_> {
    /// Attempts until no concurrent write wins, for a limited time.
    pub(super) async fn merge<T>(&mut self, change: &mut ContentChange, render: &Render<'_, T>) -> Result<Rendered<T>> {
        let service = self.service;
        let mut waiting = pin!(timeout(MERGE_WAIT, service.merges.turn(self.id)));
        // Without a turn in time, it competes with the others.
        let mut turn = match futures::poll!(&mut waiting) {
            Poll::Ready(turn) => turn,
            Poll::Pending => join(waiting, self.remember_base()).await.0,
        };
        let until = Instant::now() + MERGE_TIME;
        for number in 1.. {
            let began = Instant::now();
            match (self.attempt(change, render).await, &mut turn) {
                // With the turn, it competes with one merge of each other server. These retry at once, so pausing would mean
                // losing again.
                (Err(Error::Modified { .. }), Ok(_)) if Instant::now() < until => {}
                (Err(Error::Modified { .. }), Err(_)) if Instant::now() < until => backoff(service, number).await,
                (outcome, turn) => {
                    if let Ok(turn) = turn {
                        // Long enough for a merge of another server that has just lost. Its base is older, so it may take
                        // longer than this one.
                        turn.pause_if_due(began.elapsed() * 4).await;
                    }
                    return outcome;
                }
            }
        }
        unreachable!("the loop ends by returning")
    }

    /// Rebuilds the version in `If-Match` while waiting for the turn, because it may no longer be kept afterwards. Errors
    /// are ignored: the attempt returns them.
    async fn remember_base(&mut self) {
        let (service, reader, tags) = (self.service, self.writer.reader, self.if_match.as_ref());
        let Ok((loaded, stored)) = load(service, reader, self.id, ContentSelection::Everything).await else { return };
        let (Ok(content), Some(version)) = (
            service.contents.get_or_parse(self.id, &stored, service.clock.now()),
            tags.and_then(EntityTags::only_version),
        ) else {
            return;
        };
        let base = loaded.rebuilt(service, reader.account, &content, version).await;
        self.base = base.ok().flatten().map(Arc::new);
    }
}
