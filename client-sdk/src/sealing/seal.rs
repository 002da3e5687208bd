//! Sealing a file while it is read.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use age::Encryptor;
use age::stream::StreamWriter;
use bytes::Bytes;
use futures::TryStreamExt;
use futures::stream::{self, BoxStream};

use super::MAX_HEADER;
use crate::documents::OpenFile;

/// The size of age's chunks; the last one may be shorter.
const CHUNK: u64 = 64 * 1024;
/// The bytes that sealing adds to each chunk.
const TAG: u64 = 16;

/// Seals a file. Holds at most two of its chunks in memory.
pub(super) fn seal(file: OpenFile, encryptor: Encryptor) -> io::Result<OpenFile> {
    let output = Output::default();
    // Writes the header and the nonce; the size of the rest follows from the file's.
    let writer = encryptor.wrap_output(output.clone())?;
    let header = output.len();
    if header > MAX_HEADER {
        return Err(io::Error::other("the header would exceed 64 KiB: seal to fewer recipients"));
    }
    let size = header + file.size + TAG * file.size.div_ceil(CHUNK).max(1);
    let sealing = Sealing { plain: file.blocks, writer: Some(writer), output };
    let sealed = stream::try_unfold(sealing, |mut sealing| async move {
        let next = sealing.next().await?;
        Ok(next.map(|bytes| (bytes, sealing)))
    });
    Ok(OpenFile::new(size, sealed))
}

struct Sealing {
    plain: BoxStream<'static, io::Result<Bytes>>,
    /// `None` once the last chunk is sealed.
    writer: Option<StreamWriter<Output>>,
    output: Output,
}

impl Sealing {
    async fn next(&mut self) -> io::Result<Option<Bytes>> {
        loop {
            let sealed = self.output.take();
            if !sealed.is_empty() {
                return Ok(Some(sealed.into()));
            }
            let Some(mut writer) = self.writer.take() else { return Ok(None) };
            if let Some(block) = self.plain.try_next().await? {
                writer.write_all(&block)?;
                self.writer = Some(writer);
            } else {
                writer.finish()?;
            }
        }
    }
}

/// The sealed bytes that have not been taken yet. Shared, because age's writer owns its output.
#[derive(Clone, Default)]
struct Output(Arc<Mutex<Vec<u8>>>);

impl Output {
    fn len(&self) -> u64 {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len() as u64
    }

    fn take(&self) -> Vec<u8> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
