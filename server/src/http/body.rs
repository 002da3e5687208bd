//! Reads bodies: with a size limit, a deadline for each frame, and draining of bodies that are too large.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use dropshot::Body;
use http_body::Body as _;
use http_body_util::BodyExt;
use tokio::time::Instant;

/// How many bytes of a rejected body are drained, so that a client that is still sending can read the answer.
const DRAIN_BYTES: usize = 16 * 1024 * 1024;
const DRAIN_TIME: Duration = Duration::from_secs(3);

/// Why a body was not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum BodyError {
    /// Larger than the limit. The rest is drained in the background.
    #[error("the body is too large")]
    TooLarge,
    /// No frame arrived in time.
    #[error("the body stalled")]
    Stalled,
    /// The connection broke, or the framing is invalid.
    #[error("the body broke off")]
    Broken,
    /// Too many small frames, each of which costs as much as a large one.
    #[error("the body has too many small pieces")]
    TooManyPieces,
}

/// A whole body may take this many times `stall`, so that a slow drip cannot hold its connection for longer.
const WHOLE: u32 = 4;

/// Reads a body of at most `limit` bytes. Allows `stall` between two frames, and four times that in total.
pub(super) async fn read(
    declared: Option<u64>,
    mut body: Body,
    limit: usize,
    stall: Duration,
) -> Result<Bytes, BodyError> {
    if declared.is_some_and(|length| length > limit as u64) {
        tokio::spawn(drain(body));
        return Err(BodyError::TooLarge);
    }
    let mut first = Bytes::new();
    let mut whole: Option<BytesMut> = None;
    let deadline = Instant::now() + stall * WHOLE;
    loop {
        let next = deadline.min(Instant::now() + stall);
        let frame = tokio::time::timeout_at(next, body.frame()).await.map_err(|_| BodyError::Stalled)?;
        let Some(frame) = frame else { break };
        let Ok(data) = frame.map_err(|_| BodyError::Broken)?.into_data() else { continue };
        let so_far = whole.as_ref().map_or(first.len(), BytesMut::len);
        if so_far + data.len() > limit {
            tokio::spawn(drain(body));
            return Err(BodyError::TooLarge);
        }
        // The usual body of one frame is not copied.
        match &mut whole {
            Some(whole) => whole.extend_from_slice(&data),
            None if first.is_empty() => first = data,
            None => {
                let mut joined =
                    BytesMut::with_capacity(declared.map_or(0, |d| usize::try_from(d).unwrap_or(0)).max(64));
                joined.extend_from_slice(&first);
                joined.extend_from_slice(&data);
                whole = Some(joined);
            }
        }
    }
    Ok(whole.map_or(first, BytesMut::freeze))
}

/// An upload may have this many frames, plus one for each `BYTES_A_PIECE` bytes, because a small frame costs as much
/// CPU as a large one.
const FREE_PIECES: u64 = 4096;
const BYTES_A_PIECE: u64 = 64;

/// The lowest average rate of an upload after its first `stall`, in bytes per second.
const SLOWEST_UPLOAD: u64 = 16 * 1024;

/// A large body that is read frame by frame. Drained if dropped before its end.
pub(super) struct Upload {
    body: Option<Body>,
    limit: u64,
    received: u64,
    pieces: u64,
    stall: Duration,
    began: Instant,
}

impl Upload {
    /// A body of at most `limit` bytes. Allows `stall` between two frames.
    pub(super) fn new(body: Body, limit: u64, stall: Duration) -> Self {
        Self { body: Some(body), limit, received: 0, pieces: 0, stall, began: Instant::now() }
    }

    /// The next bytes. `None` at the end.
    pub(super) async fn next(&mut self) -> Result<Option<Bytes>, BodyError> {
        let Some(body) = &mut self.body else { return Ok(None) };
        let slowest = self.began + self.stall + Duration::from_secs(self.received / SLOWEST_UPLOAD);
        let deadline = slowest.max(Instant::now()).min(Instant::now() + self.stall);
        loop {
            let frame = tokio::time::timeout_at(deadline, body.frame()).await.map_err(|_| BodyError::Stalled)?;
            let Some(frame) = frame else {
                self.body = None;
                return Ok(None);
            };
            let Ok(frame) = frame else {
                self.body = None;
                return Err(BodyError::Broken);
            };
            let Ok(data) = frame.into_data() else { continue };
            self.received += data.len() as u64;
            self.pieces += 1;
            if self.pieces > FREE_PIECES + self.received / BYTES_A_PIECE {
                return Err(BodyError::TooManyPieces);
            }
            return if self.received > self.limit { Err(BodyError::TooLarge) } else { Ok(Some(data)) };
        }
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        if let Some(body) = self.body.take() {
            leave_unread(body);
        }
    }
}

/// Drains a body that will not be read, in the background, so that a client that is still sending can read its answer.
pub(super) fn leave_unread(body: Body) {
    if !body.is_end_stream() {
        tokio::spawn(drain(body));
    }
}

/// Reads and discards, up to a limit of bytes and time.
async fn drain(mut body: Body) {
    let reading = async {
        let mut left = DRAIN_BYTES;
        while let Some(Ok(frame)) = body.frame().await {
            let length = frame.data_ref().map_or(0, Bytes::len);
            left = match left.checked_sub(length) {
                Some(left) => left,
                None => break,
            };
        }
    };
    // At the deadline, dropping the body closes the connection.
    let _ = tokio::time::timeout(DRAIN_TIME, reading).await;
}
