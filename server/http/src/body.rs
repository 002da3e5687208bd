//! Reads bodies: with a size limit, a deadline for each frame and for the whole, and draining of bodies that are rejected.
//!
//! hyper sends `100 Continue` when a body is first read. So the body of a client that waits for it is dropped, not drained,
//! if its request is rejected first.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use dropshot::Body;
use http::header::{self, HeaderMap};
use http_body::Body as _;
use http_body_util::BodyExt;
use tokio::time::Instant;

/// How many bytes of a rejected body are drained, so that a client that is still sending can read the response.
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

/// How long a body may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BodyTime {
    /// Between two frames.
    stall: Duration,
    /// In total, so that a slow drip cannot hold its connection for longer.
    whole: Duration,
}

impl BodyTime {
    /// The longest time of a body that anyone may send without a token.
    const ANONYMOUS: Duration = Duration::from_secs(30);

    /// JSON of the API: four times `stall` in total.
    pub(super) fn for_json(stall: Duration) -> Self {
        Self { stall, whole: stall * 4 }
    }

    /// A body that anyone may send, of an OAuth endpoint or a page: 30 seconds in total, and at most `stall`.
    pub(super) fn without_token(stall: Duration) -> Self {
        Self { stall, whole: stall.min(Self::ANONYMOUS) }
    }
}

/// Whether the client sends the body only after `100 Continue` (RFC 9110 §10.1.1).
pub(super) fn waits_for_continue(headers: &HeaderMap) -> bool {
    headers.get(header::EXPECT).is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"100-continue"))
}

/// Reads a body of at most `limit` bytes.
pub(super) async fn read(
    headers: &HeaderMap,
    mut body: Body,
    limit: usize,
    time: BodyTime,
) -> Result<Bytes, BodyError> {
    let declared = content_length(headers);
    if declared.is_some_and(|length| length > limit as u64) {
        leave_unread(headers, body);
        return Err(BodyError::TooLarge);
    }
    let mut first = Bytes::new();
    let mut whole: Option<BytesMut> = None;
    let deadline = Instant::now() + time.whole;
    loop {
        let next = deadline.min(Instant::now() + time.stall);
        let frame = tokio::time::timeout_at(next, body.frame()).await.map_err(|_| BodyError::Stalled)?;
        let Some(frame) = frame else { break };
        let Ok(data) = frame.map_err(|_| BodyError::Broken)?.into_data() else { continue };
        let so_far = whole.as_ref().map_or(first.len(), BytesMut::len);
        if so_far + data.len() > limit {
            drain(body);
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
pub(super) struct StreamedUpload {
    body: Option<Body>,
    /// Whether the client waits for `100 Continue`, which the first read sends.
    waits_for_continue: bool,
    limit: u64,
    received: u64,
    pieces: u64,
    stall: Duration,
    began: Instant,
}

impl StreamedUpload {
    /// A body of at most `limit` bytes. Allows `stall` between two frames.
    pub(super) fn new(headers: &HeaderMap, body: Body, limit: u64, stall: Duration) -> Self {
        let waits_for_continue = waits_for_continue(headers);
        Self { body: Some(body), waits_for_continue, limit, received: 0, pieces: 0, stall, began: Instant::now() }
    }

    /// Whether the client sends the body only once it is read.
    pub(super) fn waits_for_continue(&self) -> bool {
        self.waits_for_continue
    }

    /// The next bytes. `None` at the end.
    pub(super) async fn next(&mut self) -> Result<Option<Bytes>, BodyError> {
        let Some(body) = &mut self.body else { return Ok(None) };
        self.waits_for_continue = false;
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

impl Drop for StreamedUpload {
    fn drop(&mut self) {
        if let Some(body) = self.body.take().filter(|_| !self.waits_for_continue) {
            drain(body);
        }
    }
}

/// The length of the body, if the headers say it.
pub(super) fn content_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// Drains a body that will not be read, unless its client waits for `100 Continue`, which reading would send.
pub(super) fn leave_unread(headers: &HeaderMap, body: Body) {
    if !waits_for_continue(headers) {
        drain(body);
    }
}

/// Drains a body in the background, so that a client that is still sending can read its response.
fn drain(body: Body) {
    if !body.is_end_stream() {
        tokio::spawn(discard(body));
    }
}

/// Reads and discards, up to a limit of bytes and time.
async fn discard(mut body: Body) {
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

#[cfg(test)]
mod tests {
    use futures::stream;
    use http_body::Frame;
    use http_body_util::StreamBody;

    use super::*;

    /// A byte every five seconds, for ever.
    fn dripping() -> Body {
        let frames = stream::unfold((), |()| async {
            tokio::time::sleep(Duration::from_secs(5)).await;
            Some((Ok::<_, std::io::Error>(Frame::data(Bytes::from_static(b" "))), ()))
        });
        Body::wrap(StreamBody::new(sync_wrapper::SyncStream::new(Box::pin(frames))))
    }

    /// For how many seconds a dripping body is read.
    async fn seconds(time: BodyTime) -> u64 {
        let began = Instant::now();
        let outcome = read(&HeaderMap::new(), dripping(), 1000, time).await;
        assert_eq!(outcome, Err(BodyError::Stalled));
        began.elapsed().as_secs()
    }

    #[tokio::test(start_paused = true)]
    async fn a_dripping_body_ends() {
        let stall = Duration::from_secs(30);
        assert_eq!(seconds(BodyTime::for_json(stall)).await, 120);
        assert_eq!(seconds(BodyTime::without_token(stall)).await, 30);
        assert_eq!(
            seconds(BodyTime::without_token(Duration::from_mins(5))).await,
            30,
            "also with more time for pauses"
        );
        assert_eq!(seconds(BodyTime::without_token(Duration::from_secs(12))).await, 12);
    }
}
