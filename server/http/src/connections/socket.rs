//! A connection's socket with a watchdog: a write fails if the client reads nothing of a response for too long.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

use super::link::Link;

/// A stream that fails when its reader stalls.
pub(super) struct Socket<S> {
    stream: S,
    link: Arc<Link>,
    stall: Duration,
    /// Set while the kernel accepts no bytes.
    deadline: Option<Pin<Box<Sleep>>>,
}

impl<S> Socket<S> {
    /// `stall`: how long the kernel may accept no bytes.
    pub(super) fn new(stream: S, link: Arc<Link>, stall: Duration) -> Self {
        Self { stream, link, stall, deadline: None }
    }

    /// Passes on the outcome of a write, and measures how long the kernel accepts no bytes.
    fn watch(&mut self, cx: &mut Context<'_>, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if written.is_ready() {
            if self.deadline.take().is_some() {
                self.link.set_stalled(false);
            }
            return written;
        }
        let stall = self.stall;
        if self.deadline.is_none() {
            self.link.set_stalled(true);
        }
        let deadline = self.deadline.get_or_insert_with(|| Box::pin(sleep(stall)));
        ready!(deadline.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Socket<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, buffer))?;
        if buffer.filled().len() > before {
            self.link.read();
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Socket<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.watch(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, bytes);
        self.watch(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    // hyper flushes when it has nothing left to write.
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.stream).poll_flush(cx))?;
        if self.link.flushed() {
            cx.waker().wake_by_ref();
        }
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    use super::*;

    const STALL: Duration = Duration::from_secs(30);

    fn socket<S>(stream: S) -> Socket<S> {
        Socket::new(stream, Arc::new(Link::new(([127, 0, 0, 1], 9).into())), STALL)
    }

    #[tokio::test(start_paused = true)]
    async fn a_response_of_which_nothing_is_taken_fails() {
        let (near, far) = duplex(16);
        let mut socket = socket(near);
        let began = tokio::time::Instant::now();
        let error = socket.write_all(&[0; 64]).await.expect_err("nobody reads");
        assert_eq!((error.kind(), began.elapsed().as_secs()), (io::ErrorKind::TimedOut, 30));
        drop(far);
    }

    #[tokio::test(start_paused = true)]
    async fn a_response_that_is_taken_slowly_goes_on() {
        let (near, mut far) = duplex(16);
        let mut socket = socket(near);
        let reader = tokio::spawn(async move {
            let mut read = 0;
            while read < 64 {
                tokio::time::sleep(STALL * 9 / 10).await;
                read += far.read(&mut [0; 16]).await.expect("bytes");
            }
        });
        socket.write_all(&[0; 64]).await.expect("somebody reads");
        reader.await.expect("the reader ends");
    }
}
