//! Opening a sealed file while it arrives. The file is untrusted: its header is bounded, and only authenticated bytes are
//! written.
//!
//! A separate thread opens the file, because age's asynchronous reader of armored files loses bytes when the connection
//! pauses within a line.

use std::cell::Cell;
use std::io::{self, Cursor, Read};
use std::rc::Rc;

use age::armor::ArmoredReader;
use age::stream::StreamReader;
use age::{DecryptError, Decryptor, Identity};
use bytes::{Buf, Bytes};
use futures::stream::{BoxStream, StreamExt};
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::{MAX_HEADER, MAX_WORK, SealingError, Unseal};
use crate::documents::{BLOCK, LARGEST};

const BINARY: &[u8] = b"age-encryption.org/v1\n";
const ARMORED: &[u8] = b"-----BEGIN AGE ENCRYPTED FILE-----";
/// The number of blocks in the queue between network and decryption.
const WAITING: usize = 2;

/// Opens a file and writes its contents. Returns the number of bytes written.
pub(super) async fn unseal(
    sealed: BoxStream<'static, io::Result<Bytes>>,
    key: Unseal,
    writer: impl AsyncWrite + Unpin,
) -> Result<u64, SealingError> {
    let (arrived, arriving) = channel(WAITING);
    let (opened, to_write) = channel(WAITING);
    let opening = tokio::task::spawn_blocking(move || open(arriving, key, &opened));
    let ((), written) = futures::join!(receive(sealed, arrived), write(to_write, writer));
    let result = opening.await.map_err(|error| SealingError::Interrupted(error.to_string()))?;
    // If writing failed, the opening thread was stopped.
    let written = written.map_err(SealingError::Write)?;
    result.map(|()| written)
}

/// Passes blocks on until the receiver is dropped.
async fn receive(mut sealed: BoxStream<'static, io::Result<Bytes>>, arrived: Sender<io::Result<Bytes>>) {
    loop {
        let frame = tokio::select! {
            frame = sealed.next() => frame,
            () = arrived.closed() => return,
        };
        let Some(frame) = frame else { return };
        if arrived.send(frame).await.is_err() {
            return;
        }
    }
}

async fn write(mut opened: Receiver<Vec<u8>>, mut writer: impl AsyncWrite + Unpin) -> io::Result<u64> {
    let mut written = 0;
    while let Some(block) = opened.recv().await {
        writer.write_all(&block).await?;
        written += block.len() as u64;
    }
    writer.flush().await?;
    Ok(written)
}

/// Opens a file, on a thread that may block.
fn open(arriving: Receiver<io::Result<Bytes>>, key: Unseal, opened: &Sender<Vec<u8>>) -> Result<(), SealingError> {
    let budget = Rc::new(Cell::new(MAX_HEADER));
    let mut file = Arriving { frames: arriving, frame: Bytes::new(), budget: Rc::clone(&budget) };
    let start = start(&mut file)?;
    // age buffers each line of an armored file.
    let payload = if start == ARMORED { LARGEST } else { u64::MAX };
    let file = ArmoredReader::new(Read::chain(Cursor::new(start), file));
    let decryptor = Decryptor::new_buffered(file).map_err(refused)?;
    budget.set(payload);
    let mut reader = key.unlock(decryptor)?;
    loop {
        let mut block = vec![0; BLOCK];
        let read = reader.read(&mut block).map_err(broken)?;
        block.truncate(read);
        if read == 0 || opened.blocking_send(block).is_err() {
            return Ok(());
        }
    }
}

/// The first bytes of the file. Fails unless they are those of an age file.
fn start(file: &mut impl Read) -> Result<Vec<u8>, SealingError> {
    let mut start = Vec::with_capacity(ARMORED.len());
    file.take(ARMORED.len() as u64).read_to_end(&mut start).map_err(broken)?;
    let begins = |magic: &[u8]| !start.is_empty() && start.iter().zip(magic).all(|(a, b)| a == b);
    if !begins(BINARY) && !begins(ARMORED) {
        return Err(SealingError::NotAge);
    }
    if start.len() < ARMORED.len() { Err(SealingError::Truncated) } else { Ok(start) }
}

impl Unseal {
    fn unlock<R: Read>(self, decryptor: Decryptor<R>) -> Result<StreamReader<R>, SealingError> {
        let (is_passphrase, has_passphrase) = (decryptor.is_scrypt(), matches!(self, Self::Passphrase(_)));
        let identities = match self {
            Self::Identities(identities) => identities,
            Self::Passphrase(passphrase) => {
                let mut identity = age::scrypt::Identity::new(passphrase);
                identity.set_max_work_factor(MAX_WORK);
                vec![Box::new(identity) as _]
            }
        };
        let identities = identities.iter().map(|identity| &**identity as &dyn Identity);
        decryptor.decrypt(identities).map_err(|error| match error {
            DecryptError::NoMatchingKeys if is_passphrase => SealingError::NeedsPassphrase,
            DecryptError::NoMatchingKeys if has_passphrase => SealingError::NeedsIdentity,
            error => refused(error),
        })
    }
}

fn refused(error: DecryptError) -> SealingError {
    match error {
        DecryptError::Io(error) => broken(error),
        DecryptError::InvalidHeader | DecryptError::UnknownFormat => SealingError::NotAge,
        DecryptError::NoMatchingKeys | DecryptError::DecryptionFailed | DecryptError::KeyDecryptionFailed => {
            SealingError::WrongKey
        }
        DecryptError::ExcessiveWork { required, .. } => SealingError::ExcessiveWork { required },
        _ => SealingError::Damaged,
    }
}

/// Tells a failure of the connection from a damaged file.
fn broken(error: io::Error) -> SealingError {
    match error.downcast::<Fault>() {
        Ok(Fault::Transfer(error)) => SealingError::Download(error),
        Ok(Fault::TooLong) => SealingError::NotAge,
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => SealingError::Truncated,
        Err(_) => SealingError::Damaged,
    }
}

/// Failures of the transfer, and limits that age does not check.
#[derive(Debug, thiserror::Error)]
enum Fault {
    #[error("the transfer failed: {0}")]
    Transfer(#[source] io::Error),
    #[error("the header, or the armored file, is too long")]
    TooLong,
}

/// The bytes of a file as they arrive.
struct Arriving {
    frames: Receiver<io::Result<Bytes>>,
    frame: Bytes,
    /// The number of bytes that may still arrive. A block that exceeds it is the last one.
    budget: Rc<Cell<u64>>,
}

impl Read for Arriving {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.frame.is_empty() {
            match self.frames.blocking_recv() {
                None => return Ok(0),
                Some(_) if self.budget.get() == 0 => return Err(io::Error::other(Fault::TooLong)),
                Some(Ok(frame)) => {
                    self.budget.set(self.budget.get().saturating_sub(frame.len() as u64));
                    self.frame = frame;
                }
                Some(Err(error)) => return Err(io::Error::other(Fault::Transfer(error))),
            }
        }
        let read = self.frame.len().min(buffer.len());
        self.frame.copy_to_slice(&mut buffer[..read]);
        Ok(read)
    }
}
