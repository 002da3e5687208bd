//! A file that is being downloaded.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use futures::stream::{self, BoxStream, Stream, StreamExt};
use reqwest::Response;
use tokio::time::timeout;

use super::file::OpenFile;
use super::progress::Progress;

/// How long to wait for the next bytes.
const STALL: Duration = Duration::from_secs(30);

/// A file that is being downloaded: a stream of its bytes, which fails when the connection breaks before the end, or when
/// nothing arrives for 30 seconds.
#[must_use = "a download that is not read is not made"]
pub struct Download {
    blocks: BoxStream<'static, io::Result<Bytes>>,
    progress: Progress,
}

impl Download {
    /// The file in an answer's body, of which `size` bytes are announced.
    pub(super) fn new(answer: Response, size: u64) -> Self {
        let frames = stream::try_unfold(answer, |mut answer| async move {
            match timeout(STALL, answer.chunk()).await {
                Ok(Ok(frame)) => Ok(frame.map(|frame| (frame, answer))),
                // The address is the right to read the file: it stays out of logs.
                Ok(Err(error)) => Err(io::Error::other(error.without_url())),
                Err(_) => Err(io::Error::new(io::ErrorKind::TimedOut, "nothing arrived for 30 seconds")),
            }
        });
        Self { blocks: OpenFile::new(size, frames).blocks, progress: Progress { transferred: 0, total: size } }
    }

    /// The size of the file in bytes.
    pub fn size(&self) -> u64 {
        self.progress.total
    }

    /// How much of it has been read.
    pub fn progress(&self) -> Progress {
        self.progress
    }

    #[cfg(feature = "sealing")]
    pub(crate) fn into_blocks(self) -> BoxStream<'static, io::Result<Bytes>> {
        self.blocks
    }
}

impl Stream for Download {
    type Item = io::Result<Bytes>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let next = ready!(self.blocks.poll_next_unpin(cx));
        if let Some(Ok(bytes)) = &next {
            self.progress.transferred += bytes.len() as u64;
        }
        Poll::Ready(next)
    }
}

impl fmt::Debug for Download {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Download").field("progress", &self.progress).finish_non_exhaustive()
    }
}
