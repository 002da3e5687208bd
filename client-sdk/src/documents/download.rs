//! Downloading a file as a stream.

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

/// The longest wait for the next bytes.
const STALL: Duration = Duration::from_secs(30);

/// A file that is being downloaded: a stream of its bytes. Fails if the connection breaks before the end, or if nothing
/// arrives for 30 seconds.
///
/// ```no_run
/// # async fn example(client: &itinerary_sdk::Client, trip: uuid::Uuid, document: &str)
/// # -> Result<(), Box<dyn std::error::Error>> {
/// use futures::TryStreamExt;
///
/// let link = client.document_link(trip, document).send().await?;
/// let download = client.document_download(&link.url).await?;
/// println!("{} bytes", download.size());
/// let blocks: Vec<_> = download.try_collect().await?;
/// # Ok(())
/// # }
/// ```
#[must_use = "the file is downloaded only as far as it is read"]
pub struct Download {
    blocks: BoxStream<'static, io::Result<Bytes>>,
    progress: Progress,
}

impl Download {
    /// The body of a response that announces `size` bytes.
    pub(super) fn new(answer: Response, size: u64) -> Self {
        let frames = stream::try_unfold(answer, |mut answer| async move {
            match timeout(STALL, answer.chunk()).await {
                Ok(Ok(frame)) => Ok(frame.map(|frame| (frame, answer))),
                // Anyone with the URL can download the file, so it must not be logged.
                Ok(Err(error)) => Err(io::Error::other(error.without_url())),
                Err(_) => Err(io::Error::new(io::ErrorKind::TimedOut, "no data arrived for 30 seconds")),
            }
        });
        Self { blocks: OpenFile::new(size, frames).blocks, progress: Progress { transferred: 0, total: size } }
    }

    /// Returns the size of the file in bytes.
    ///
    /// ```no_run
    /// # async fn example(client: &itinerary_sdk::Client, link: &str) -> Result<(), itinerary_sdk::ApiError> {
    /// println!("{} bytes", client.document_download(link).await?.size());
    /// # Ok(())
    /// # }
    /// ```
    pub fn size(&self) -> u64 {
        self.progress.total
    }

    /// Returns how many bytes have been read, of how many.
    ///
    /// ```no_run
    /// # async fn example(client: &itinerary_sdk::Client, link: &str) -> Result<(), Box<dyn std::error::Error>> {
    /// use itinerary_sdk::TryStreamExt;
    ///
    /// let mut download = client.document_download(link).await?;
    /// while let Some(block) = download.try_next().await? {
    ///     println!("{} of {} bytes", download.progress().transferred, download.progress().total);
    /// }
    /// # Ok(())
    /// # }
    /// ```
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
