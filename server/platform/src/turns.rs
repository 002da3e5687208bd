//! Turns on a resource within this server, first come, first served.
//!
//! Writers of one resource wait for each other, instead of failing each other's compare-and-set. Servers do not exclude each
//! other: between them, the database decides.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::OwnedMutexGuard;
use tokio::time::{Instant, sleep};
use uuid::Uuid;

/// After turns have followed each other for so long, other servers are given a chance.
const STRETCH: Duration = Duration::from_millis(500);

/// The resources that are in use or waited for.
#[derive(Debug, Default)]
pub struct Turns(Mutex<Resources>);

/// Each with the time since which turns on it follow each other without a pause.
type Resources = HashMap<Uuid, Arc<tokio::sync::Mutex<Instant>>>;

/// A turn, which ends when it is dropped.
#[derive(Debug)]
pub struct Turn<'t> {
    turns: &'t Turns,
    resource: Uuid,
    guard: Option<OwnedMutexGuard<Instant>>,
}

impl Turns {
    /// Waits for a turn.
    pub async fn turn(&self, resource: Uuid) -> Turn<'_> {
        let new = || Arc::new(tokio::sync::Mutex::new(Instant::now()));
        let lock = Arc::clone(self.resources().entry(resource).or_insert_with(new));
        // Made before it waits, so that a wait that is given up is cleaned up too.
        let mut turn = Turn { turns: self, resource, guard: None };
        turn.guard = Some(lock.lock_owned().await);
        turn
    }

    fn resources(&self) -> std::sync::MutexGuard<'_, Resources> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Turn<'_> {
    /// Pauses before the next turn if turns have followed each other for a while. Servers that write one resource without a
    /// pause keep the order in which they happen to be, and the one that is a little later loses every time.
    pub async fn pause_if_due(&mut self, pause: Duration) {
        let Some(since) = &mut self.guard else { return };
        // The list, this turn, and who waits.
        let is_waited_for = Arc::strong_count(OwnedMutexGuard::mutex(since)) > 2;
        if is_waited_for && since.elapsed() >= STRETCH {
            sleep(pause).await;
            **since = Instant::now();
        }
    }
}

impl Drop for Turn<'_> {
    /// Forgets the resource if nobody else works or waits.
    fn drop(&mut self) {
        let mut resources = self.turns.resources();
        self.guard.take();
        if let Entry::Occupied(entry) = resources.entry(self.resource)
            && Arc::strong_count(entry.get()) == 1
        {
            entry.remove();
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::timeout;

    use super::*;

    const SHORT: Duration = Duration::from_millis(10);

    #[tokio::test]
    async fn turns_on_one_resource_follow_each_other() {
        let turns = Turns::default();
        let [one, other] = [1, 2].map(Uuid::from_u128);
        let first = turns.turn(one).await;
        let elsewhere = turns.turn(other).await;
        assert!(timeout(SHORT, turns.turn(one)).await.is_err());
        assert_eq!(turns.resources().len(), 2);
        drop(first);
        let second = turns.turn(one).await;
        drop((second, elsewhere));
        assert!(turns.resources().is_empty());
    }

    #[tokio::test]
    async fn a_wait_that_is_given_up_leaves_nothing() {
        let turns = Turns::default();
        let resource = Uuid::from_u128(1);
        let first = turns.turn(resource).await;
        let waiting = timeout(SHORT, turns.turn(resource));
        assert!(waiting.await.is_err());
        drop(first);
        assert!(turns.resources().is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn a_pause_is_due_after_a_while_if_somebody_waits() {
        let turns = Turns::default();
        let resource = Uuid::from_u128(1);
        let mut turn = turns.turn(resource).await;
        // How long a turn took in which the work took 200 ms.
        let mut took = Vec::new();
        for _ in 0..6 {
            let mut next = std::pin::pin!(turns.turn(resource));
            assert!(futures::poll!(&mut next).is_pending());
            let began = Instant::now();
            sleep(Duration::from_millis(200)).await;
            turn.pause_if_due(Duration::from_millis(300)).await;
            drop(turn);
            turn = next.await;
            took.push(began.elapsed().as_millis());
        }
        assert_eq!(took, [200, 200, 500, 200, 200, 500]);
        sleep(STRETCH).await;
        let began = Instant::now();
        turn.pause_if_due(SHORT).await;
        assert_eq!(began.elapsed(), Duration::ZERO, "nobody waits");
    }
}
