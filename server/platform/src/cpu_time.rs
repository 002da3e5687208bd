//! How much processor time each account and address may take in a minute.
//!
//! Whoever causes work is charged for the processor time that threads have spent on it, once it is done. So a request may
//! exceed the share; the next one is rejected until the minute is over. Rate limits bound the number of requests, this
//! bounds what they cost together.
//!
//! Not measured here: reading requests and sending responses, SQLite's writer, the database server, and what has limits of
//! its own: passwords, images, and the files of documents.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use itinerary_core::clock::Clock;
use itinerary_store::thread_time;

use crate::fair_pool::Requester;

/// The length of a window.
const WINDOW: TimeDelta = TimeDelta::minutes(1);
/// Closed windows are removed when there are this many windows, and then whenever their number doubles.
const SWEEP_FROM: usize = 1024;

/// The processor time that accounts and addresses have taken in the current minute of each.
pub struct CpuTime {
    /// `None` for no limit.
    share: Option<Duration>,
    clock: Arc<dyn Clock>,
    windows: Mutex<Windows>,
    rejections: AtomicU64,
}

#[derive(Default)]
struct Windows {
    by_requester: HashMap<Requester, CpuWindow>,
    sweep_at: usize,
}

#[derive(Clone, Copy)]
struct CpuWindow {
    opened: DateTime<Utc>,
    spent: Duration,
}

impl CpuWindow {
    fn is_open(&self, now: DateTime<Utc>) -> bool {
        now - self.opened < WINDOW
    }
}

/// The share of this minute is used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the processor time of this minute is used up")]
pub struct ShareUsed {
    /// Whole seconds until the minute is over, at least 1.
    pub seconds: u32,
}

impl CpuTime {
    /// Each account and each address may take the share in a minute.
    pub fn new(share: Option<Duration>, clock: Arc<dyn Clock>) -> Self {
        Self { share, clock, windows: Mutex::default(), rejections: AtomicU64::new(0) }
    }

    /// Rejects whoever has used up the share of this minute. The server's own work is never rejected.
    pub fn admit(&self, requester: Requester) -> Result<(), ShareUsed> {
        let Some(share) = self.share.filter(|_| requester != Requester::Server) else { return Ok(()) };
        let now = self.clock.now();
        match self.windows().by_requester.get(&requester) {
            Some(window) if window.is_open(now) && window.spent >= share => {
                // After the clock was set back, no longer than a whole window.
                let left = (window.opened + WINDOW - now).min(WINDOW).num_milliseconds();
                self.rejections.fetch_add(1, Ordering::Relaxed);
                Err(ShareUsed { seconds: u32::try_from((left + 999) / 1000).unwrap_or(1).max(1) })
            }
            _ => Ok(()),
        }
    }

    /// How often somebody was rejected since the server started.
    pub fn rejections(&self) -> u64 {
        self.rejections.load(Ordering::Relaxed)
    }

    /// Adds to what a requester has taken. A window opens when something is charged and none is open.
    pub(crate) fn charge(&self, requester: Requester, spent: Duration) {
        if self.share.is_none() || requester == Requester::Server || spent.is_zero() {
            return;
        }
        let now = self.clock.now();
        let mut windows = self.windows();
        windows.sweep(now);
        let window = windows.by_requester.entry(requester).or_insert(CpuWindow { opened: now, spent: Duration::ZERO });
        if !window.is_open(now) {
            *window = CpuWindow { opened: now, spent: Duration::ZERO };
        }
        window.opened = window.opened.min(now);
        window.spent += spent;
    }

    /// Whom to charge for work.
    pub fn payer(self: &Arc<Self>, requester: Requester) -> AccountPayer {
        AccountPayer { cpu_time: Arc::clone(self), requester }
    }

    fn windows(&self) -> MutexGuard<'_, Windows> {
        self.windows.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Windows {
    fn sweep(&mut self, now: DateTime<Utc>) {
        if self.by_requester.len() < self.sweep_at.max(SWEEP_FROM) {
            return;
        }
        self.by_requester.retain(|_, window| window.is_open(now));
        self.sweep_at = self.by_requester.len() * 2;
    }
}

/// Who is charged for some work.
#[derive(Clone)]
pub struct AccountPayer {
    cpu_time: Arc<CpuTime>,
    requester: Requester,
}

impl AccountPayer {
    /// Does work in this thread, and charges for it.
    pub fn measure<T>(&self, work: impl FnOnce() -> T) -> T {
        if self.cpu_time.share.is_none() {
            return work();
        }
        let began = thread_time();
        let outcome = work();
        self.cpu_time.charge(self.requester, thread_time().saturating_sub(began));
        outcome
    }

    /// A future whose polls are charged for, and the long reads that it waits for.
    pub fn pays_for<F: Future>(self, work: F) -> impl Future<Output = F::Output> {
        let reads = Arc::new(self.clone());
        MeasuredFuture { payer: self, work: Box::pin(itinerary_store::paid_by(reads, work)) }
    }
}

impl itinerary_store::Payer for AccountPayer {
    fn pay(&self, spent: Duration) {
        self.cpu_time.charge(self.requester, spent);
    }
}

struct MeasuredFuture<F: Future> {
    payer: AccountPayer,
    work: Pin<Box<F>>,
}

impl<F: Future> Future for MeasuredFuture<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let Self { payer, work } = &mut *self;
        payer.measure(|| work.as_mut().poll(context))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHARE: Duration = Duration::from_secs(3);

    struct Fixed(Mutex<i64>);

    impl Clock for Fixed {
        fn now(&self) -> DateTime<Utc> {
            let second = *self.0.lock().expect("no panic");
            DateTime::from_timestamp(1_800_000_000 + second, 0).expect("a date in range")
        }
    }

    fn cpu_time(share: Option<Duration>) -> (Arc<Fixed>, Arc<CpuTime>) {
        let clock = Arc::new(Fixed(Mutex::new(0)));
        let cpu_time = CpuTime::new(share, Arc::<Fixed>::clone(&clock));
        (clock, Arc::new(cpu_time))
    }

    fn account(number: u128) -> Requester {
        Requester::Account(uuid::Uuid::from_u128(number))
    }

    #[test]
    fn an_exhausted_share_is_refused_until_the_minute_ends() {
        let (clock, cpu_time) = cpu_time(Some(SHARE));
        let at = |second: i64| *clock.0.lock().expect("no panic") = second;
        cpu_time.charge(account(1), Duration::from_secs(2));
        assert_eq!(cpu_time.admit(account(1)), Ok(()), "some is left");
        at(20);
        cpu_time.charge(account(1), Duration::from_secs(5));
        assert_eq!(cpu_time.admit(account(1)), Err(ShareUsed { seconds: 40 }));
        assert_eq!(cpu_time.admit(account(2)), Ok(()), "another account");
        assert_eq!(cpu_time.rejections(), 1);
        at(-100);
        assert_eq!(cpu_time.admit(account(1)), Err(ShareUsed { seconds: 60 }), "the clock is set back");
        at(60);
        assert_eq!(cpu_time.admit(account(1)), Ok(()));
        cpu_time.charge(account(1), Duration::from_secs(1));
        assert_eq!(cpu_time.admit(account(1)), Ok(()), "a new minute");
    }

    #[test]
    fn without_limits_and_for_the_server_nothing_is_counted() {
        let (_, unlimited) = cpu_time(None);
        unlimited.charge(account(1), SHARE);
        let (_, limited) = cpu_time(Some(SHARE));
        limited.charge(Requester::Server, SHARE);
        assert_eq!((unlimited.admit(account(1)), limited.admit(Requester::Server)), (Ok(()), Ok(())));
    }

    #[test]
    fn closed_windows_are_forgotten() {
        let (clock, cpu_time) = cpu_time(Some(SHARE));
        for number in 0..2_000 {
            *clock.0.lock().expect("no panic") = i64::try_from(number).expect("small");
            cpu_time.charge(account(number), Duration::from_millis(1));
        }
        assert!(cpu_time.windows().by_requester.len() <= SWEEP_FROM);
    }

    #[tokio::test]
    async fn polls_and_work_are_charged_with_what_the_thread_spent() {
        let (_, cpu_time) = cpu_time(Some(Duration::from_millis(20)));
        let spend = || {
            let began = thread_time();
            while thread_time().saturating_sub(began) < Duration::from_millis(12) {}
        };
        let both = [account(1), account(2)];
        let in_polls = async || {
            spend();
            tokio::task::yield_now().await;
        };
        cpu_time.payer(both[0]).pays_for(in_polls()).await;
        cpu_time.payer(both[1]).measure(spend);
        assert!(both.iter().all(|payer| cpu_time.admit(*payer).is_ok()), "once is within the share");
        cpu_time.payer(both[0]).pays_for(in_polls()).await;
        cpu_time.payer(both[1]).measure(spend);
        assert!(both.iter().all(|payer| cpu_time.admit(*payer).is_err()), "twice is not");
    }
}
