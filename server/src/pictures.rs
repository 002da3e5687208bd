//! Turns for decoding and drawing images, off the threads that serve requests, and how much of it one account or address
//! may ask for.
//!
//! One image is worked on at a time, so that memory stays bounded. Accounts and addresses take turns. Nothing here stores
//! an image.

use std::net::IpAddr;
use std::time::Duration;

use bytes::Bytes;
use itinerary_pictures::{Rejected, Stored};
use tokio::time::Instant;
use uuid::Uuid;

use crate::app::Error;
use crate::context::Service;
use crate::fair_pool::{FairPool, PoolLimits, PoolState, Requester, Turn};
use crate::limits::Bucket;

/// How long a request waits for its turns, all together.
const LONGEST_WAIT: Duration = Duration::from_secs(10);
/// How many images may wait for one account or address. A page of Explore shows fewer covers.
const WAITING: usize = 64;

const MEGAPIXELS: &str = "At most 120 megapixels of images are decoded per minute for an account.";
const FIRST_READS: &str = "At most 120 covers per minute are drawn for one address.";

/// The pool in which images are decoded and drawn.
pub struct Pictures(FairPool);

impl Pictures {
    /// Without limits, any number may wait for one account or address.
    pub fn new(has_limits: bool) -> Self {
        let waiting_per_key = if has_limits { WAITING } else { usize::MAX };
        Self(FairPool::new(PoolLimits { slots: 1, running_per_key: 1, waiting_per_key }))
    }

    /// Waits for a turn. It lasts until it is dropped.
    pub async fn turn(&self, requester: Requester, deadline: Instant) -> Result<Turn, Error> {
        Ok(self.0.turn(requester, deadline).await?)
    }

    /// How many images are worked on and wait.
    pub fn state(&self) -> PoolState {
        self.0.state()
    }
}

/// When a request that begins now stops waiting for its turns.
pub fn longest_wait() -> Instant {
    Instant::now() + LONGEST_WAIT
}

/// Re-encodes an image for an account. Counts its megapixels before they are decoded.
pub async fn reencode(service: &Service, account: Uuid, bytes: Bytes, deadline: Instant) -> Result<Stored, Error> {
    let _upload = service.uploads.acquire(account).ok_or(Error::TooManyTransfers)?;
    let header = bytes.clone();
    let read = tokio::task::spawn_blocking(move || itinerary_pictures::megapixels(&header)).await;
    let megapixels = read.expect("it does not panic, and is not cancelled").map_err(|rejected| refused(&rejected))?;
    let counted = vec![Bucket::DecodedMegapixels(account); megapixels as usize];
    let counted = service.limits.reserve(counted, service.clock.now()).await;
    let counted = counted.map_err(|verdict| Error::OverLimit { verdict, limit: MEGAPIXELS })?;
    let deadline = deadline.min(longest_wait());
    match service.pictures.turn(Requester::Account(account), deadline).await {
        Ok(turn) => {
            let stored = turn.run(move || itinerary_pictures::reencode(&bytes)).await;
            stored.map_err(|rejected| refused(&rejected))
        }
        Err(busy) => {
            counted.give_back(service.clock.now()).await;
            Err(busy)
        }
    }
}

fn refused(rejected: &Rejected) -> Error {
    Error::Image(rejected.to_string())
}

/// Counts an image that is drawn or cut because somebody at this address reads it first.
pub async fn count_first_read(service: &Service, address: IpAddr) -> Result<(), Error> {
    let verdict = service.limits.take(&[Bucket::DrawnCover(address)], service.clock.now()).await;
    if verdict.allowed { Ok(()) } else { Err(Error::OverLimit { verdict, limit: FIRST_READS }) }
}
