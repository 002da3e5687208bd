//! Reporting the progress of a transfer to a callback.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use futures::stream::{BoxStream, StreamExt};

use crate::documents::Progress;

type Callback = dyn FnMut(Progress) + Send;

/// Reports progress to a callback. Never reports less than before, although a repeated upload starts at 0.
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
        // A panicking callback leaves no state behind that could be inconsistent.
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
