//! Passwords: hashed with Argon2id, and checked in a time that does not tell whether there is such an account.
//!
//! Each hash takes 19 MiB and a core for a moment, so they take turns. What is a good password is decided by its length
//! alone.

use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use argon2::{Algorithm, Argon2, Params, Version};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::task::spawn_blocking;

/// The fewest characters of a password.
pub const SHORTEST: usize = 8;
/// The most characters of a password.
pub const LONGEST: usize = 200;

/// Whether a password may be chosen: 8 to 200 characters, whatever they are.
pub fn is_acceptable(password: &str) -> bool {
    (SHORTEST..=LONGEST).contains(&password.chars().count())
}

/// How many may wait for a turn: about a second of work for each core. Whoever comes then is told to come back, which is
/// better than a queue that grows faster than it moves.
const WAITING: usize = 32;

/// What a new hash costs. Checking a password costs what its stored hash says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// Memory, in KiB.
    pub memory: u32,
    /// Passes over the memory.
    pub passes: u32,
}

impl Cost {
    /// The least that Argon2 allows: for tests.
    pub const LEAST: Self = Self { memory: Params::MIN_M_COST, passes: Params::MIN_T_COST };

    fn argon2(self) -> Argon2<'static> {
        let params = Params::new(self.memory, self.passes, 1, None).expect("a cost that Argon2 allows");
        Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
    }
}

impl Default for Cost {
    /// OWASP's recommendation: 19 MiB and two passes.
    fn default() -> Self {
        Self { memory: 19 * 1024, passes: 2 }
    }
}

/// Those who hash, and those who wait.
pub struct Queue {
    turns: Semaphore,
    places: Semaphore,
    argon2: Argon2<'static>,
}

impl Queue {
    /// A queue in which so many hash at once, at this cost.
    pub fn new(at_once: usize, cost: Cost) -> Self {
        Self { turns: Semaphore::new(at_once), places: Semaphore::new(at_once + WAITING), argon2: cost.argon2() }
    }

    /// Waits for a turn; `None` when too many are waiting.
    pub async fn turn(&self) -> Option<Turn<'_>> {
        let place = self.places.try_acquire().ok()?;
        let turn = self.turns.acquire().await.expect("the semaphore is never closed");
        Some(Turn { argon2: &self.argon2, _permits: [place, turn] })
    }
}

/// A turn to hash a password or to check one.
pub struct Turn<'a> {
    argon2: &'a Argon2<'static>,
    _permits: [SemaphorePermit<'a>; 2],
}

impl Turn<'_> {
    /// The password's hash with its salt and parameters, as it is stored.
    pub async fn hash(&self, password: &str, salt: [u8; 16]) -> String {
        let (argon2, password) = (self.argon2.clone(), password.to_owned());
        blocking(move || hash(&argon2, &password, &salt)).await
    }

    /// Whether the password is the one whose hash is stored. Without a stored hash it is not, after as much work.
    pub async fn verify(&self, password: &str, stored: Option<&str>) -> bool {
        let (argon2, password, stored) = (self.argon2.clone(), password.to_owned(), stored.map(str::to_owned));
        blocking(move || {
            let Some(stored) = stored else {
                hash(&argon2, &password, b"no account at all");
                return false;
            };
            match PasswordHash::new(&stored) {
                Ok(stored) => argon2.verify_password(password.as_bytes(), &stored).is_ok(),
                Err(error) => {
                    tracing::error!(%error, "a stored password hash is not understood");
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
    use super::*;

    #[tokio::test]
    async fn a_queue_has_an_end() {
        let queue = Queue::new(1, Cost::LEAST);
        let first = queue.turn().await.expect("a turn");
        let mut waiting: Vec<_> = (0..WAITING).map(|_| Box::pin(queue.turn())).collect();
        for wait in &mut waiting {
            assert!(futures::poll!(wait.as_mut()).is_pending(), "it waits for the first");
        }
        assert!(queue.turn().await.is_none(), "one too many");
        drop(first);
        assert!(waiting.remove(0).await.is_some(), "the next in line has its turn");
    }

    #[test]
    fn passwords_have_8_to_200_characters() {
        assert!(is_acceptable("pass word") && is_acceptable("éééééééé") && is_acceptable(&"🙂".repeat(200)));
        assert!(!is_acceptable("1234567") && !is_acceptable("ééééééé") && !is_acceptable(&"x".repeat(201)));
    }

    #[test]
    fn the_hash_is_argon2id_with_its_salt() {
        let argon2 = Cost::default().argon2();
        let first = hash(&argon2, "correct horse", &[1; 16]);
        assert!(first.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{first}");
        assert_ne!(first, hash(&argon2, "correct horse", &[2; 16]));
    }

    #[tokio::test]
    async fn a_password_is_checked_at_the_cost_of_its_stored_hash() {
        let stored = hash(&Cost { memory: 64, passes: 3 }.argon2(), "correct horse", &[1; 16]);
        let queue = Queue::new(1, Cost::LEAST);
        let turn = queue.turn().await.expect("a turn");
        assert!(turn.verify("correct horse", Some(&stored)).await);
        assert!(!turn.verify("another horse", Some(&stored)).await);
        assert!(!turn.verify("correct horse", None).await);
    }
}
