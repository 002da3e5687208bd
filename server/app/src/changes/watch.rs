//! Watches the database for all open streams of this server: gives positions to new changes, wakes the streams that
//! they concern, and ends those whose token is not valid any more. One or two statements a second, whatever the number
//! of streams. The result is also passed to a callback, for webhooks.

use std::sync::Arc;
use std::time::Duration;

use itinerary_platform::context::Service;
use itinerary_store::{ChangesSince, StoreError};
use tokio::time::{MissedTickBehavior, interval};

use super::{sequence, settle};

/// The interval of the queries.
const EVERY: Duration = Duration::from_secs(1);

/// The maximum number of changes of one query.
const CHANGES: u32 = 1_000;

/// How far the changes have been read.
#[derive(Debug, Default)]
struct Watched {
    epoch: String,
    /// The position of the last change whose streams have been woken; `None` if all streams must be woken.
    position: Option<i64>,
}

/// Watches until it is dropped. Calls `on_changes` with the result of each query of the feed.
pub async fn watch(service: Arc<Service>, mut on_changes: impl FnMut(&ChangesSince)) {
    let (mut watched, mut is_failing) = (Watched::default(), false);
    let mut ticks = interval(EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let outcome = look(&service, &mut watched, &mut on_changes).await;
        if let Err(error) = &outcome {
            // Changes may be lost with the database: every stream checks its position afterwards.
            watched.position = None;
            if !is_failing {
                tracing::warn!(error = error as &dyn std::error::Error, "changes cannot be read");
            }
        }
        is_failing = outcome.is_err();
    }
}

async fn look(
    service: &Service,
    watched: &mut Watched,
    on_changes: &mut impl FnMut(&ChangesSince),
) -> Result<(), StoreError> {
    let has_streams = service.change_streams.number() > 0;
    if !has_streams {
        watched.position = None;
    }
    while !wake(service, watched, on_changes).await? {}
    if has_streams { end(service).await } else { Ok(()) }
}

/// Wakes the streams that the next changes concern. `false` if there are more changes.
async fn wake(
    service: &Service,
    watched: &mut Watched,
    on_changes: &mut impl FnMut(&ChangesSince),
) -> Result<bool, StoreError> {
    let since = placed(service, watched.position.unwrap_or(i64::MAX)).await?;
    on_changes(&since);
    let last = since.state.last;
    let is_known = watched.epoch == since.state.epoch;
    let Some(after) = watched.position.filter(|_| is_known) else {
        // What came before was not looked at.
        *watched = Watched { epoch: since.state.epoch, position: Some(last) };
        service.change_streams.wake_all();
        return Ok(true);
    };
    let reached = since.accounts.iter().map(|(_, position)| *position).max();
    since.accounts.iter().for_each(|(account, _)| service.change_streams.wake(*account));
    watched.position = Some(reached.unwrap_or(after));
    Ok(reached.is_none_or(|reached| reached >= last))
}

/// Whom the changes after a position concern, once all have positions.
async fn placed(service: &Service, after: i64) -> Result<ChangesSince, StoreError> {
    let mut since = service.store.changes_since(after, CHANGES).await?;
    if since.has_moved {
        settle(service).await?;
    }
    if since.has_moved || since.state.has_new {
        sequence(service).await?;
        since = service.store.changes_since(after, CHANGES).await?;
    }
    service.metrics.oldest_new_change(since.oldest_new);
    Ok(since)
}

/// Ends streams whose token has expired or was revoked, and all while integrations are paused.
async fn end(service: &Service) -> Result<(), StoreError> {
    let tokens = service.change_streams.tokens();
    let judged = service.store.tokens_ended(&tokens, service.clock.now()).await?;
    if judged.paused {
        service.change_streams.end_all();
    } else if !judged.ended.is_empty() {
        service.change_streams.end(&judged.ended);
    }
    Ok(())
}
