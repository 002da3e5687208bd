//! Password hashing with Argon2id, in a time that does not reveal whether an account exists.
//!
//! Each hash takes 19 MiB and a core for a moment, so hashing is queued, first come, first served. The queue is limited
//! in total, for each account and for each address, so that nobody can keep others from signing in. A new password
//! must have a length within limits, and be neither the username nor one of the most common passwords.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use argon2::{Algorithm, Argon2, Params, Version};
use itinerary_store::NO_PASSWORD;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::task::spawn_blocking;

/// The minimum length of a password, in characters.
pub(crate) const SHORTEST: usize = 8;
/// The maximum length of a password, in characters.
pub(crate) const LONGEST: usize = 200;

/// Passwords that attackers try first, in lower case and in order, from published lists of leaked passwords. Shorter
/// ones are rejected anyway.
const COMMON: &str = include_str!("passwords/common.txt");

/// Why a password may not be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unacceptable {
    /// It has fewer than 8 or more than 200 characters.
    Length,
    /// It is the username.
    Username,
    /// It is one of the most common passwords.
    Common,
}

/// Checks whether the account with this username may choose a password. Case is ignored in the comparisons.
pub fn check(password: &str, username: &str) -> Result<(), Unacceptable> {
    if !(SHORTEST..=LONGEST).contains(&password.chars().count()) {
        return Err(Unacceptable::Length);
    }
    let folded = password.trim().to_lowercase();
    if folded == username.trim().to_lowercase() {
        return Err(Unacceptable::Username);
    }
    if COMMON.lines().any(|common| common == folded) {
        return Err(Unacceptable::Common);
    }
    Ok(())
}

/// The maximum number waiting: about a second of work for two cores. Further requests get 429, because the queue would
/// only grow.
const WAITING: usize = 64;
/// The maximum number waiting or hashing for sign-ins to one account.
const OF_ACCOUNT: usize = 4;
/// The maximum number waiting or hashing for one address.
const OF_ADDRESS: usize = 16;

/// The cost of new hashes. Checking a password costs what its stored hash says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HashingCost {
    /// Memory in KiB.
    pub memory: u32,
    /// Passes over the memory.
    pub passes: u32,
}

impl HashingCost {
    /// The lowest cost that Argon2 allows, for tests.
    pub const LEAST: Self = Self { memory: Params::MIN_M_COST, passes: Params::MIN_T_COST };

    fn argon2(self) -> Argon2<'static> {
        let params = Params::new(self.memory, self.passes, 1, None).expect("a cost that Argon2 allows");
        Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
    }
}

impl Default for HashingCost {
    /// OWASP's recommendation: 19 MiB and two passes.
    fn default() -> Self {
        Self { memory: 19 * 1024, passes: 2 }
    }
}

/// An account or address whose places in the queue are limited.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum HashingKey {
    /// Sign-ins to an account, by its folded name, whether or not it exists.
    Account(String),
    /// Requests from an address.
    Address(IpAddr),
}

impl HashingKey {
    fn most(&self) -> usize {
        match self {
            Self::Account(_) => OF_ACCOUNT,
            Self::Address(_) => OF_ADDRESS,
        }
    }
}

/// The queue for hashing.
pub struct Queue {
    turns: Semaphore,
    places: Semaphore,
    /// The places in the queue that each key holds.
    keys: Mutex<HashMap<HashingKey, usize>>,
    /// If false (`--limits off`), keys are not limited.
    enforced: bool,
    at_once: usize,
    rejections: AtomicU64,
    argon2: Argon2<'static>,
}

impl Queue {
    /// `at_once` is the number of concurrent hashes. `enforced` is whether keys are limited.
    pub fn new(at_once: usize, cost: HashingCost, enforced: bool) -> Self {
        Self {
            turns: Semaphore::new(at_once),
            places: Semaphore::new(at_once + WAITING),
            keys: Mutex::default(),
            enforced,
            at_once,
            rejections: AtomicU64::new(0),
            argon2: cost.argon2(),
        }
    }

    /// Waits for a turn that does not count towards a key's limit. `None` if too many are waiting.
    pub async fn turn(&self) -> Option<HashingTurn<'_>> {
        self.turn_of(Vec::new()).await
    }

    /// Waits for a turn. `None` if too many are waiting, in total or for one of these keys.
    pub async fn turn_of(&self, keys: Vec<HashingKey>) -> Option<HashingTurn<'_>> {
        let place = self.places.try_acquire().ok();
        let Some((place, held_places)) = place.zip(self.held_places(keys)) else {
            self.rejections.fetch_add(1, Ordering::Relaxed);
            return None;
        };
        let turn = self.turns.acquire().await.expect("the semaphore is never closed");
        Some(HashingTurn { argon2: &self.argon2, _permits: [place, turn], _held_places: held_places })
    }

    pub fn state(&self) -> QueueState {
        let limit = self.at_once + WAITING;
        let running = self.at_once.saturating_sub(self.turns.available_permits());
        let both = limit.saturating_sub(self.places.available_permits());
        let rejections = self.rejections.load(Ordering::Relaxed);
        QueueState { running, waiting: both.saturating_sub(running), limit, rejections }
    }

    fn held_places(&self, keys: Vec<HashingKey>) -> Option<HeldPlaces<'_>> {
        let mut places = self.held();
        if self.enforced && keys.iter().any(|key| places.get(key).is_some_and(|held| *held >= key.most())) {
            return None;
        }
        for key in &keys {
            *places.entry(key.clone()).or_default() += 1;
        }
        Some(HeldPlaces { queue: self, keys })
    }

    fn held(&self) -> MutexGuard<'_, HashMap<HashingKey, usize>> {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How full the queue is.
#[derive(Clone, Copy, Debug)]
pub struct QueueState {
    pub running: usize,
    pub waiting: usize,
    /// The maximum number that wait or run.
    pub limit: usize,
    pub rejections: u64,
}

/// The places that a turn counts for; released when dropped.
struct HeldPlaces<'a> {
    queue: &'a Queue,
    keys: Vec<HashingKey>,
}

impl Drop for HeldPlaces<'_> {
    fn drop(&mut self) {
        let mut places = self.queue.held();
        for key in &self.keys {
            match places.get_mut(key) {
                Some(held) if *held > 1 => *held -= 1,
                _ => drop(places.remove(key)),
            }
        }
    }
}

/// A turn to hash or check one password.
pub struct HashingTurn<'a> {
    argon2: &'a Argon2<'static>,
    _permits: [SemaphorePermit<'a>; 2],
    _held_places: HeldPlaces<'a>,
}

impl HashingTurn<'_> {
    /// The password's hash with salt and parameters, as it is stored.
    pub async fn hash(&self, password: &str, salt: [u8; 16]) -> String {
        let (argon2, password) = (self.argon2.clone(), password.to_owned());
        blocking(move || hash(&argon2, &password, &salt)).await
    }

    /// Whether the password matches the stored hash. Without a hash, and for an account without a password, does the same
    /// work and returns false.
    pub async fn verify(&self, password: &str, stored: Option<&str>) -> bool {
        let stored = stored.filter(|stored| *stored != NO_PASSWORD);
        let (argon2, password, stored) = (self.argon2.clone(), password.to_owned(), stored.map(str::to_owned));
        blocking(move || {
            let Some(stored) = stored else {
                hash(&argon2, &password, b"no account at all");
                return false;
            };
            match PasswordHash::new(&stored) {
                Ok(stored) => argon2.verify_password(password.as_bytes(), &stored).is_ok(),
                Err(error) => {
                    tracing::error!(%error, "a stored password hash is malformed");
                    false
                }
            }
        })
        .await
    }
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    spawn_blocking(work).await.expect("hashing does not panic, and is not cancelled")
}

fn hash(argon2: &Argon2<'_>, password: &str, salt: &[u8]) -> String {
    let hash = argon2.hash_password_with_salt(password.as_bytes(), salt);
    hash.expect("salt and parameters are of a good size").to_string()
}

#[cfg(test)]
mod tests {
    use std::task::Poll;

    use super::*;

    #[tokio::test]
    async fn a_queue_has_an_end() {
        let queue = Queue::new(1, HashingCost::LEAST, true);
        let first = queue.turn().await.expect("a turn");
        let mut waiting: Vec<_> = (0..WAITING).map(|_| Box::pin(queue.turn())).collect();
        for wait in &mut waiting {
            assert!(futures::poll!(wait.as_mut()).is_pending(), "it waits for the first");
        }
        assert!(queue.turn().await.is_none(), "one too many");
        drop(first);
        assert!(waiting.remove(0).await.is_some(), "the next in line has its turn");
    }

    fn sign_in(name: &str, address: u8) -> Vec<HashingKey> {
        vec![HashingKey::Account(name.to_owned()), HashingKey::Address(IpAddr::from([192, 0, 2, address]))]
    }

    /// The turns of the requests that the queue accepts.
    async fn waiting(
        queue: &Queue,
        coming: impl Iterator<Item = Vec<HashingKey>>,
    ) -> Vec<impl Future<Output = Option<HashingTurn<'_>>>> {
        let mut waiting = Vec::new();
        for keys in coming {
            let mut turn = Box::pin(queue.turn_of(keys));
            match futures::poll!(turn.as_mut()) {
                Poll::Pending => waiting.push(turn),
                Poll::Ready(outcome) => assert!(outcome.is_none(), "no turn is free"),
            }
        }
        waiting
    }

    #[tokio::test]
    async fn nobody_fills_the_queue_alone() {
        let queue = Queue::new(1, HashingCost::LEAST, true);
        let running = queue.turn().await.expect("a turn");
        let of_ana = waiting(&queue, (0..48).map(|n| sign_in("ana", n))).await;
        assert_eq!(of_ana.len(), OF_ACCOUNT, "of one account");
        let of_address = waiting(&queue, (0..48).map(|n| sign_in(&format!("guess-{n}"), 100))).await;
        assert_eq!(of_address.len(), OF_ADDRESS, "from one address");
        let of_ben = waiting(&queue, [sign_in("ben", 200)].into_iter()).await;
        assert_eq!(of_ben.len(), 1, "others still get in");
        drop((running, of_ana, of_address));
        drop(of_ben);
        assert!(queue.held().is_empty(), "nothing is remembered of those who have gone");
    }

    #[tokio::test]
    async fn keys_are_not_limited_without_limits() {
        let queue = Queue::new(1, HashingCost::LEAST, false);
        let _running = queue.turn().await.expect("a turn");
        assert_eq!(waiting(&queue, (0..WAITING).map(|_| sign_in("ana", 1))).await.len(), WAITING);
    }

    #[test]
    fn passwords_have_8_to_200_characters() {
        for good in ["pass word", "éééééééé", &"🙂".repeat(200)] {
            assert_eq!(check(good, "ana"), Ok(()), "{good}");
        }
        for bad in ["1234567", "ééééééé", &"x".repeat(201)] {
            assert_eq!(check(bad, "ana"), Err(Unacceptable::Length), "{bad}");
        }
    }

    #[test]
    fn usernames_and_common_passwords_are_refused() {
        assert_eq!(check("Ana.Silva", "ana.silva"), Err(Unacceptable::Username));
        assert_eq!(check("ana.silva.2027", "ana.silva"), Ok(()));
        for common in ["12345678", "Password1", "QWERTYUIOP", " iloveyou "] {
            assert_eq!(check(common, "ana"), Err(Unacceptable::Common), "{common}");
        }
        assert_eq!(check("password of ana", "ana"), Ok(()));
    }

    #[test]
    fn list_of_common_passwords_is_in_order_without_useless_lines() {
        let listed: Vec<&str> = COMMON.lines().collect();
        assert!(listed.len() > 100 && listed.is_sorted_by(|a, b| a < b));
        for common in listed {
            assert!(common.chars().count() >= SHORTEST && common.to_lowercase() == common, "{common}");
        }
    }

    #[test]
    fn the_hash_is_argon2id_with_its_salt() {
        let argon2 = HashingCost::default().argon2();
        let first = hash(&argon2, "correct horse", &[1; 16]);
        assert!(first.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{first}");
        assert_ne!(first, hash(&argon2, "correct horse", &[2; 16]));
    }

    #[tokio::test]
    async fn a_password_is_checked_at_the_cost_of_its_stored_hash() {
        let stored = hash(&HashingCost { memory: 64, passes: 3 }.argon2(), "correct horse", &[1; 16]);
        let queue = Queue::new(1, HashingCost::LEAST, true);
        let turn = queue.turn().await.expect("a turn");
        assert!(turn.verify("correct horse", Some(&stored)).await);
        assert!(!turn.verify("another horse", Some(&stored)).await);
        assert!(!turn.verify("correct horse", None).await);
        assert!(!turn.verify("correct horse", Some(NO_PASSWORD)).await && !turn.verify("!", Some(NO_PASSWORD)).await);
    }
}
