//! Sealing documents on this machine before they are uploaded, and opening them after they are downloaded, with
//! [age](https://age-encryption.org/v1). The service has no key. Keeping keys is the caller's business.

mod meter;
mod seal;
#[cfg(test)]
mod tests;
mod unseal;

use std::fmt;
use std::io;
use std::sync::Arc;

use age::secrecy::SecretString;
use age::{EncryptError, Encryptor, Identity, Recipient};
use tokio::io::AsyncWrite;
use uuid::Uuid;

use self::meter::Meter;
use crate::documents::{FileSource, OpenFile, Progress, UploadDetails, uploaded};
use crate::error::ApiError;
use crate::generated::Client;
use crate::hooks;
use crate::types::UploadedDocument;
use crate::versioned::Versioned;

/// The longest header of an age file. age parses it anew with each of its lines, so a longer one costs too much.
const MAX_HEADER: u64 = 64 * 1024;
/// The largest work factor of a passphrase, 4 GiB of memory: that of the `age` tool. age's own default depends on how busy
/// the machine is at the moment.
const MAX_WORK: u8 = 22;

/// Who can open a document.
pub enum Seal {
    /// Whoever has the identity of one of these recipients.
    Recipients(Vec<Box<dyn Recipient + Send + Sync>>),
    /// Whoever knows the passphrase, one that a person chose. Sealing takes about a second of computing.
    Passphrase(SecretString),
}

impl Seal {
    /// Whoever has this recipient's identity, such as an [`age::x25519::Identity`].
    pub fn recipient(recipient: impl Recipient + Send + Sync + 'static) -> Self {
        Self::Recipients(vec![Box::new(recipient)])
    }

    /// Whoever knows this passphrase.
    pub fn passphrase(passphrase: impl Into<String>) -> Self {
        Self::Passphrase(SecretString::from(passphrase.into()))
    }

    fn encryptor(&self) -> Result<Encryptor, EncryptError> {
        match self {
            Self::Recipients(recipients) => {
                Encryptor::with_recipients(recipients.iter().map(|recipient| &**recipient as &dyn Recipient))
            }
            Self::Passphrase(passphrase) => Ok(Encryptor::with_user_passphrase(passphrase.clone())),
        }
    }
}

/// Shows nothing secret.
impl fmt::Debug for Seal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Recipients(recipients) => write!(f, "Recipients({})", recipients.len()),
            Self::Passphrase(_) => f.write_str("Passphrase"),
        }
    }
}

/// What opens a document.
pub enum Unseal {
    /// The first of these identities that fits.
    Identities(Vec<Box<dyn Identity + Send + Sync>>),
    /// A passphrase. Opening takes about as much computing as sealing did; a work factor over 22 is refused. For another
    /// limit, give an [`age::scrypt::Identity`] as the identity.
    Passphrase(SecretString),
}

impl Unseal {
    /// This identity, such as an [`age::x25519::Identity`].
    pub fn identity(identity: impl Identity + Send + Sync + 'static) -> Self {
        Self::Identities(vec![Box::new(identity)])
    }

    /// This passphrase.
    pub fn passphrase(passphrase: impl Into<String>) -> Self {
        Self::Passphrase(SecretString::from(passphrase.into()))
    }
}

/// Shows nothing secret.
impl fmt::Debug for Unseal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Identities(identities) => write!(f, "Identities({})", identities.len()),
            Self::Passphrase(_) => f.write_str("Passphrase"),
        }
    }
}

/// Why a document was not sealed and uploaded, or not downloaded and opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SealingError {
    /// The service refused, or could not be reached.
    #[error("{0}")]
    Api(#[source] Box<ApiError>),
    /// The file to seal could not be opened, or its header would be over 64 KiB.
    #[error("failed to read the file: {0}")]
    Read(#[source] io::Error),
    /// The file cannot be sealed to these recipients: there are none, or they do not go together.
    #[error("failed to seal the file: {0}")]
    Seal(#[source] EncryptError),
    /// The connection broke, or stalled, before the file had arrived.
    #[error("failed to download the file: {0}")]
    Download(#[source] io::Error),
    /// What was opened could not be written.
    #[error("failed to write the opened file: {0}")]
    Write(#[source] io::Error),
    /// The file is sealed in another format, or its header is malformed or over 64 KiB.
    #[error("the file is not an age file")]
    NotAge,
    /// None of the identities is a recipient, or the passphrase is another.
    #[error("the file is not sealed to this key")]
    WrongKey,
    /// The file is sealed with a passphrase; identities were given.
    #[error("the file is sealed with a passphrase, not to an identity")]
    NeedsPassphrase,
    /// The file is sealed to identities; a passphrase was given.
    #[error("the file is sealed to an identity, not with a passphrase")]
    NeedsIdentity,
    /// Checking the passphrase takes more computing than is allowed. Each step of the work factor doubles it.
    #[error("the work factor of the passphrase is {required}, which is too much")]
    ExcessiveWork {
        /// The file's work factor.
        required: u8,
    },
    /// The file ends too early.
    #[error("the file is truncated")]
    Truncated,
    /// The file was changed after it was sealed, or ends within a chunk.
    #[error("the file is damaged or truncated")]
    Damaged,
    /// The process is shutting down, or an identity panicked.
    #[error("sealing was interrupted: {0}")]
    Interrupted(String),
}

impl From<ApiError> for SealingError {
    fn from(error: ApiError) -> Self {
        Self::Api(Box::new(error))
    }
}

impl Client {
    /// Seals a file while it is read, uploads it, and gives the document with the itinerary's new version. The file is not
    /// held in memory as a whole; sealed it has at most 20 MB, which is its own size, 16 bytes for each 64 KiB and some
    /// hundred bytes. See [`document_upload`](Client::document_upload) for the rest.
    ///
    /// `progress` is called for each block that is handed to the connection, and the last time with the total.
    ///
    /// Sealing the same file again makes other bytes. So a repetition with the same idempotency key never stores the
    /// document twice, but it is refused with [`IDEMPOTENCY_KEY_REUSED`](crate::code::IDEMPOTENCY_KEY_REUSED) when the
    /// first upload was stored; [`document_list`](Client::document_list) has the document then.
    pub async fn seal_and_upload(
        &self,
        itinerary: Uuid,
        file: impl Into<FileSource>,
        seal: Seal,
        details: UploadDetails,
        progress: impl FnMut(Progress) + Send + 'static,
    ) -> Result<Versioned<UploadedDocument>, SealingError> {
        let mut sealed = Sealed { file: file.into(), seal: Arc::new(seal), meter: Meter::new(progress) };
        let mut answer = self.send_document(itinerary, &details, sealed.open().await?).await?;
        if sealed.file.is_repeatable() && hooks::was_renewed(&answer) {
            answer = self.send_document(itinerary, &details, sealed.open().await?).await?;
        }
        Ok(uploaded(answer).await?)
    }

    /// Asks for a link to a document, downloads its file and opens it while it arrives. Returns how many bytes were
    /// written. Reads age files, binary and armored.
    ///
    /// What is written is authentic, but an error in between leaves it incomplete: use what was written when this returns
    /// `Ok`, and delete it otherwise. `progress` is called for each block that has arrived, and the last time with the
    /// total.
    pub async fn download_and_open(
        &self,
        itinerary: Uuid,
        document: impl TryInto<Uuid>,
        key: Unseal,
        writer: impl AsyncWrite + Unpin,
        progress: impl FnMut(Progress) + Send + 'static,
    ) -> Result<u64, SealingError> {
        let link = self.document_link().id(itinerary).document_id(document).send().await?;
        let download = self.document_download(&link.url).await?;
        let total = download.size();
        unseal::unseal(Meter::new(progress).measure(total, download.into_blocks()), key, writer).await
    }
}

/// A file that is sealed each time it is opened.
struct Sealed {
    file: FileSource,
    seal: Arc<Seal>,
    meter: Meter,
}

impl Sealed {
    async fn open(&mut self) -> Result<OpenFile, SealingError> {
        let file = self.file.open().await.map_err(SealingError::Read)?;
        let seal = Arc::clone(&self.seal);
        // A passphrase takes about a second of computing.
        let encryptor = tokio::task::spawn_blocking(move || seal.encryptor()).await;
        let encryptor = encryptor.map_err(|error| SealingError::Interrupted(error.to_string()))?;
        let OpenFile { size, blocks } =
            seal::seal(file, encryptor.map_err(SealingError::Seal)?).map_err(SealingError::Read)?;
        Ok(OpenFile { size, blocks: self.meter.clone().measure(size, blocks) })
    }
}
