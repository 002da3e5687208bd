//! Fair turns for work that occupies a core for a noticeable time.
//!
//! A pool runs a bounded number of closures at once, on blocking threads. Waiting requests are queued by key: the account,
//! or the address of an anonymous reader. A free slot goes to the next key in turn, and within a key to the request that
//! has waited longest. However many requests one key sends, another key's request waits for at most one turn of each key
//! that is waiting.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;
use tokio::time::{Instant, timeout_at};
use uuid::Uuid;

/// A key by which a pool queues requests: equal keys share a queue.
pub trait PoolKey: Eq + Hash + Clone + Send + Sync + 'static {}

impl<K: Eq + Hash + Clone + Send + Sync + 'static> PoolKey for K {}

/// On whose behalf work is done: the usual key of a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Requester {
    Account(Uuid),
    /// An anonymous reader; for IPv6 the network, as for rate limits.
    Address(IpAddr),
    /// The server's own jobs and commands.
    Server,
}

/// The limits of a pool. Each is at least 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolLimits {
    /// How much work runs at once.
    pub slots: usize,
    /// How much of it may be for one key.
    pub running_per_key: usize,
    /// How many requests of one key may wait. `usize::MAX` refuses nobody.
    pub waiting_per_key: usize,
}

/// Why there was no turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Busy {
    /// As many requests of this key are waiting as may wait.
    #[error("too many requests of one account or address are waiting")]
    TooManyWaiting,
    /// The deadline passed.
    #[error("no turn before the deadline")]
    DeadlinePassed,
}

/// How full a pool is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FairPoolState {
    pub running: usize,
    pub waiting: usize,
}

/// A pool of fair turns.
pub struct FairPool<K: PoolKey = Requester>(Arc<PoolInner<K>>);

struct PoolInner<K: PoolKey> {
    limits: PoolLimits,
    queues: Mutex<Queues<K>>,
}

struct Queues<K: PoolKey> {
    free: usize,
    /// The keys that have work running or waiting.
    by_key: HashMap<K, KeyQueue<K>>,
    /// The keys that have requests waiting, the next to be served first.
    order: VecDeque<K>,
}

struct KeyQueue<K: PoolKey> {
    running: usize,
    waiting: VecDeque<oneshot::Sender<Turn<K>>>,
}

/// A slot of a pool, which is free again when this is dropped.
pub struct Turn<K: PoolKey = Requester> {
    /// `None` if the turn could not be handed over.
    slot: Option<(Arc<PoolInner<K>>, K)>,
}

impl<K: PoolKey> FairPool<K> {
    pub fn new(limits: PoolLimits) -> Self {
        let queues = Queues { free: limits.slots, by_key: HashMap::new(), order: VecDeque::new() };
        Self(Arc::new(PoolInner { limits, queues: Mutex::new(queues) }))
    }

    /// Runs work on a blocking thread when it is the key's turn. If the future is dropped, work that has begun continues
    /// and keeps its slot.
    pub async fn run<T: Send + 'static>(
        &self,
        key: K,
        deadline: Instant,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Busy> {
        let turn = self.turn(key, deadline).await?;
        Ok(turn.run(work).await)
    }

    /// Waits for a turn until the deadline.
    pub async fn turn(&self, key: K, deadline: Instant) -> Result<Turn<K>, Busy> {
        let turn = PoolInner::enqueue(&self.0, key)?;
        let turn = timeout_at(deadline, turn).await.map_err(|_| Busy::DeadlinePassed)?;
        Ok(turn.expect("requests stay queued until they get a turn or give up"))
    }

    pub fn state(&self) -> FairPoolState {
        let queues = self.0.lock();
        let open = |queue: &KeyQueue<K>| queue.waiting.iter().filter(|request| !request.is_closed()).count();
        let waiting = queues.by_key.values().map(open).sum();
        FairPoolState { running: self.0.limits.slots - queues.free, waiting }
    }
}

impl<K: PoolKey> PoolInner<K> {
    fn lock(&self) -> MutexGuard<'_, Queues<K>> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn enqueue(self: &Arc<Self>, key: K) -> Result<oneshot::Receiver<Turn<K>>, Busy> {
        let (sender, receiver) = oneshot::channel();
        let mut queues = self.lock();
        let queue = queues.by_key.entry(key.clone()).or_insert_with(KeyQueue::new);
        if queue.waiting.len() >= self.limits.waiting_per_key {
            queue.waiting.retain(|request| !request.is_closed());
        }
        let is_first = queue.waiting.is_empty();
        if queue.waiting.len() >= self.limits.waiting_per_key {
            return Err(Busy::TooManyWaiting);
        }
        queue.waiting.push_back(sender);
        if is_first && !queues.order.contains(&key) {
            queues.order.push_back(key);
        }
        self.hand_out(&mut queues);
        Ok(receiver)
    }

    /// Gives free slots to those whose turn it is.
    fn hand_out(self: &Arc<Self>, queues: &mut Queues<K>) {
        while queues.free > 0 {
            let may_run =
                |key: &K| queues.by_key.get(key).is_none_or(|queue| queue.running < self.limits.running_per_key);
            let Some(next) = queues.order.iter().position(may_run) else { return };
            let Some(key) = queues.order.remove(next) else { return };
            let Some(queue) = queues.by_key.get_mut(&key) else { continue };
            if queue.serve(self, &key) {
                queues.free -= 1;
            }
            if !queue.waiting.is_empty() {
                queues.order.push_back(key);
            } else if queue.running == 0 {
                queues.by_key.remove(&key);
            }
        }
    }

    fn release(self: &Arc<Self>, key: &K) {
        let mut queues = self.lock();
        queues.free += 1;
        if let Some(queue) = queues.by_key.get_mut(key) {
            queue.running -= 1;
            if queue.running == 0 && queue.waiting.is_empty() {
                queues.by_key.remove(key);
            }
        }
        self.hand_out(&mut queues);
    }
}

impl<K: PoolKey> KeyQueue<K> {
    fn new() -> Self {
        Self { running: 0, waiting: VecDeque::new() }
    }

    /// Gives a turn to the first request that has not given up. Returns false if there is none.
    fn serve(&mut self, pool: &Arc<PoolInner<K>>, key: &K) -> bool {
        while let Some(request) = self.waiting.pop_front() {
            match request.send(Turn { slot: Some((Arc::clone(pool), key.clone())) }) {
                Ok(()) => {
                    self.running += 1;
                    return true;
                }
                // It gave up. No slot has been taken, so dropping the turn must not release one.
                Err(mut turn) => turn.slot = None,
            }
        }
        false
    }
}

impl<K: PoolKey> Turn<K> {
    /// Runs work on a blocking thread, and ends the turn.
    pub async fn run<T: Send + 'static>(self, work: impl FnOnce() -> T + Send + 'static) -> T {
        self.run_part(work).await.0
    }

    /// Runs work on a blocking thread, and keeps the turn for more.
    pub async fn run_part<T: Send + 'static>(self, work: impl FnOnce() -> T + Send + 'static) -> (T, Self) {
        // The turn moves into the thread, which continues if the future is dropped.
        let done = tokio::task::spawn_blocking(move || (work(), self)).await;
        done.expect("it does not panic, and is not cancelled")
    }
}

impl<K: PoolKey> Drop for Turn<K> {
    fn drop(&mut self) {
        if let Some((pool, key)) = self.slot.take() {
            pool.release(&key);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::pin::Pin;
    use std::sync::mpsc;
    use std::task::Poll;
    use std::time::Duration;

    use super::*;

    type Pool = FairPool<&'static str>;
    type Request<'p> = Pin<Box<dyn Future<Output = Result<Turn<&'static str>, Busy>> + 'p>>;

    fn pool(slots: usize, running_per_key: usize, waiting_per_key: usize) -> Pool {
        FairPool::new(PoolLimits { slots, running_per_key, waiting_per_key })
    }

    fn far() -> Instant {
        Instant::now() + Duration::from_hours(1)
    }

    /// Requests of these keys, which all wait.
    fn waiting<'p>(pool: &'p Pool, keys: &[&'static str]) -> Vec<(&'static str, Request<'p>)> {
        let mut requests = Vec::new();
        for key in keys {
            let mut request: Request<'p> = Box::pin(pool.turn(key, far()));
            assert!(poll(&mut request).is_pending(), "{key} waits");
            requests.push((*key, request));
        }
        requests
    }

    fn poll<T>(future: &mut (impl Future<Output = T> + Unpin)) -> Poll<T> {
        Pin::new(future).poll(&mut std::task::Context::from_waker(std::task::Waker::noop()))
    }

    /// Ends the running turn, then each turn that follows, and returns the keys in the order in which they were served.
    fn serve_all(running: Turn<&'static str>, mut requests: Vec<(&'static str, Request<'_>)>) -> Vec<&'static str> {
        drop(running);
        let mut served = Vec::new();
        while let Some((index, turn)) = requests.iter_mut().enumerate().find_map(|(index, (_, request))| {
            let Poll::Ready(turn) = poll(request) else { return None };
            Some((index, turn))
        }) {
            served.push(requests.remove(index).0);
            drop(turn.expect("a turn"));
        }
        served
    }

    #[tokio::test]
    async fn keys_take_turns_and_each_is_first_come_first_served() {
        let pool = pool(1, 1, 9);
        let running = pool.turn("ana", far()).await.expect("the pool is idle");
        let requests = waiting(&pool, &["ana", "ana", "ana", "ben", "ben", "cleo"]);
        assert_eq!(pool.state(), FairPoolState { running: 1, waiting: 6 });
        assert_eq!(serve_all(running, requests), ["ana", "ben", "cleo", "ana", "ben", "ana"]);
        assert_eq!(pool.state(), FairPoolState { running: 0, waiting: 0 });
        assert!(pool.0.lock().by_key.is_empty() && pool.0.lock().order.is_empty(), "nothing is remembered");
    }

    #[tokio::test]
    async fn a_key_has_only_its_share_of_the_slots() {
        let pool = pool(3, 2, 9);
        let ana = [pool.turn("ana", far()).await.expect("1st"), pool.turn("ana", far()).await.expect("2nd")];
        let mut third = waiting(&pool, &["ana"]);
        let ben = pool.turn("ben", far()).await.expect("the slot that ana may not have");
        drop(ben);
        assert!(poll(&mut third[0].1).is_pending(), "the free slot is kept for others");
        drop(ana);
        assert!(poll(&mut third[0].1).is_ready());
    }

    #[tokio::test]
    async fn a_key_with_too_many_waiting_is_refused_alone() {
        let pool = pool(1, 1, 2);
        let running = pool.turn("ana", far()).await.expect("the pool is idle");
        let mut of_ana = waiting(&pool, &["ana", "ana"]);
        assert_eq!(pool.turn("ana", far()).await.err(), Some(Busy::TooManyWaiting));
        let of_ben = waiting(&pool, &["ben"]);
        of_ana.pop();
        of_ana.extend(waiting(&pool, &["ana"]));
        of_ana.extend(of_ben);
        assert_eq!(serve_all(running, of_ana), ["ana", "ben", "ana"], "one that gave up made room");
    }

    #[tokio::test(start_paused = true)]
    async fn waiting_ends_at_the_deadline() {
        let pool = pool(1, 1, 9);
        let running = pool.turn("ana", far()).await.expect("the pool is idle");
        let began = Instant::now();
        let deadline = began + Duration::from_secs(10);
        assert_eq!(pool.turn("ben", deadline).await.err(), Some(Busy::DeadlinePassed));
        assert_eq!(began.elapsed(), Duration::from_secs(10));
        let cleo = waiting(&pool, &["cleo"]);
        assert_eq!(pool.state().waiting, 1, "ben has gone");
        assert_eq!(serve_all(running, cleo), ["cleo"]);
    }

    #[tokio::test]
    async fn a_turn_that_nobody_takes_is_released() {
        let pool = pool(1, 1, 9);
        let running = pool.turn("ana", far()).await.expect("the pool is idle");
        let ben = waiting(&pool, &["ben"]);
        drop(running);
        assert_eq!(pool.state().running, 1, "ben has a turn");
        drop(ben);
        assert_eq!(pool.state().running, 0);
    }

    #[tokio::test]
    async fn a_turn_lasts_as_long_as_its_work() {
        let pool = Arc::new(pool(1, 1, 9));
        let (begun, has_begun) = oneshot::channel();
        let (finish, may_finish) = mpsc::channel::<()>();
        let first = Arc::clone(&pool);
        let first = tokio::spawn(async move {
            let work = move || {
                begun.send(()).expect("the test waits");
                may_finish.recv().expect("the test says when");
            };
            first.run("ana", far(), work).await
        });
        has_begun.await.expect("it begins");
        first.abort();
        assert!(first.await.is_err_and(|error| error.is_cancelled()));
        assert_eq!(pool.state().running, 1, "it still works");
        finish.send(()).expect("it waits");
        assert_eq!(pool.run("ben", far(), || 1).await, Ok(1));
    }
}
