//! Passwords: hashed with Argon2id, and checked in a time that does not tell whether there is such an account.
//!
//! Each hash takes 19 MiB and a core for a moment, so they take turns. What is a good password is decided by its length
//! alone.

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::task::spawn_blocking;

use crate::context::Service;

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

/// Those who hash, and those who wait.
pub struct Queue {
    turns: Semaphore,
    places: Semaphore,
}

impl Queue {
    /// A queue in which so many hash at once.
    pub fn new(at_once: usize) -> Self {
        Self { turns: Semaphore::new(at_once), places: Semaphore::new(at_once + WAITING) }
    }

    async fn wait(&self) -> Option<[SemaphorePermit<'_>; 2]> {
        let place = self.places.try_acquire().ok()?;
        let turn = self.turns.acquire().await.expect("the semaphore is never closed");
        Some([place, turn])
    }
}

/// A turn to hash a password or to check one.
pub struct Turn<'a> {
    service: &'a Service,
    _permits: [SemaphorePermit<'a>; 2],
}

/// Waits for a turn; `None` when too many are waiting.
pub async fn turn(service: &Service) -> Option<Turn<'_>> {
    let permits = service.hashing.wait().await?;
    Some(Turn { service, _permits: permits })
}

impl Turn<'_> {
    /// The password's hash with its salt and parameters, as it is stored.
    pub async fn hash(&self, password: &str) -> String {
        let (password, salt) = (password.to_owned(), self.service.random.bytes::<16>());
        blocking(move || hash(&password, &salt)).await
    }

    /// Whether the password is the one whose hash is stored. Without a stored hash it is not, after as much work.
    pub async fn verify(&self, password: &str, stored: Option<&str>) -> bool {
        let (password, stored) = (password.to_owned(), stored.map(str::to_owned));
        blocking(move || {
            let Some(stored) = stored else {
                hash(&password, b"no account at all");
                return false;
            };
            match PasswordHash::new(&stored) {
                Ok(stored) => Argon2::default().verify_password(password.as_bytes(), &stored).is_ok(),
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

fn hash(password: &str, salt: &[u8]) -> String {
    let hash = Argon2::default().hash_password_with_salt(password.as_bytes(), salt);
    hash.expect("salt and parameters are of a good size").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_queue_has_an_end() {
        let queue = Queue::new(1);
        let first = queue.wait().await.expect("a turn");
        let mut waiting: Vec<_> = (0..WAITING).map(|_| Box::pin(queue.wait())).collect();
        for wait in &mut waiting {
            assert!(futures::poll!(wait.as_mut()).is_pending(), "it waits for the first");
        }
        assert!(queue.wait().await.is_none(), "one too many");
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
        let first = hash("correct horse", &[1; 16]);
        assert!(first.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{first}");
        assert_ne!(first, hash("correct horse", &[2; 16]));
    }
}
