//! Decoding images, and how much decoding and drawing one account or address may ask for.

use std::net::IpAddr;
use std::time::Duration;

use bytes::Bytes;
use itinerary_pictures::{Rejected, Stored};
use itinerary_platform::context::Service;
use itinerary_platform::fair_pool::Requester;
use itinerary_platform::limits::Bucket;
use tokio::time::Instant;
use uuid::Uuid;

use crate::Error;

/// How long a request waits for its turns, all together.
const LONGEST_WAIT: Duration = Duration::from_secs(10);
const MEGAPIXELS: &str = "At most 120 megapixels of images are decoded per minute for an account.";
const FIRST_READS: &str = "At most 120 covers per minute are drawn for one address.";

/// When a request that begins now stops waiting for its turns.
pub(super) fn longest_wait() -> Instant {
    Instant::now() + LONGEST_WAIT
}

/// Re-encodes an image for an account. Counts its megapixels before they are decoded.
pub(super) async fn reencode(
    service: &Service,
    account: Uuid,
    bytes: Bytes,
    deadline: Instant,
) -> Result<Stored, Error> {
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
            Err(busy.into())
        }
    }
}

fn refused(rejected: &Rejected) -> Error {
    Error::Image(rejected.to_string())
}

/// Counts an image that is drawn or cut because somebody at this address reads it first.
pub(super) async fn count_first_read(service: &Service, address: IpAddr) -> Result<(), Error> {
    let verdict = service.limits.take(&[Bucket::DrawnCover(address)], service.clock.now()).await;
    if verdict.allowed { Ok(()) } else { Err(Error::OverLimit { verdict, limit: FIRST_READS }) }
}
