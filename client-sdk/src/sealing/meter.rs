//! Reporting progress to a callback while a file passes.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use futures::stream::{BoxStream, StreamExt};

use crate::documents::Progress;

type Callback = dyn FnMut(Progress) + Send;

/// Reports progress to a callback, and never a step back: an upload that is sent again begins at 0.
#[derive(Clone)]
pub(super) struct Meter(Arc<Mutex<State>>);

struct State {
    callback: Box<Callback>,
    reported: u64,
}

impl Meter {
    pub(super) fn new(callback: impl FnMut(Progress) + Send + 'static) -> Self {
        Self(Arc::new(Mutex::new(State { callback: Box::new(callback), reported: 0 })))
    }

    fn report(&self, progress: Progress) {
        // A callback that panicked once is called again: there is nothing here that it can have left half done.
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if progress.transferred > state.reported {
            state.reported = progress.transferred;
            (state.callback)(progress);
        }
    }

    /// Measures a stream of `total` bytes.
    pub(super) fn measure(
        self,
        total: u64,
        stream: BoxStream<'static, io::Result<Bytes>>,
    ) -> BoxStream<'static, io::Result<Bytes>> {
        let mut transferred = 0;
        let measured = stream.inspect(move |item| {
            if let Ok(bytes) = item {
                transferred += bytes.len() as u64;
                self.report(Progress { transferred, total });
            }
        });
        measured.boxed()
    }
}
