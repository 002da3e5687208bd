//! Sealing documents on this machine before they are uploaded, and opening them after they are downloaded, with
//! [age](https://age-encryption.org/v1). The service has no key; the caller keeps the keys.

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
use crate::error::{ApiError, ErrorExt};
use crate::generated::Client;
use crate::groups::Documents;
use crate::hooks;
use crate::types::UploadedDocument;
use crate::versioned::Versioned;

/// The longest accepted header of an age file. age parses it anew with each line, so a longer one is too expensive.
const MAX_HEADER: u64 = 64 * 1024;
/// The largest accepted work factor of a passphrase, 4 GiB of memory, like that of the `age` tool. age's own default
/// depends on the machine's current load.
const MAX_WORK: u8 = 22;

/// The recipients or the passphrase that can open a sealed document.
///
/// ```
/// use itinerary_sdk::Seal;
/// use itinerary_sdk::age::x25519::Identity;
///
/// let ada = Identity::generate();
/// let to_ada = Seal::recipient(ada.to_public());
/// let with_a_passphrase = Seal::passphrase("correct horse battery staple");
/// ```
pub enum Seal {
    /// Anyone with the identity of one of these recipients.
    Recipients(Vec<Box<dyn Recipient + Send + Sync>>),
    /// Anyone with the passphrase. Sealing takes about a second of computation, because people choose weak passphrases.
    Passphrase(SecretString),
}

impl Seal {
    /// Seals to one recipient, such as that of an [`age::x25519::Identity`].
    ///
    /// ```
    /// use itinerary_sdk::{Seal, age::x25519::Identity};
    ///
    /// let seal = Seal::recipient(Identity::generate().to_public());
    /// ```
    pub fn recipient(recipient: impl Recipient + Send + Sync + 'static) -> Self {
        Self::Recipients(vec![Box::new(recipient)])
    }

    /// Seals to several recipients of the same type; each of them can open the file.
    ///
    /// ```
    /// use itinerary_sdk::{Seal, age::x25519::Identity};
    ///
    /// let (ada, ben) = (Identity::generate(), Identity::generate());
    /// let seal = Seal::recipients([ada.to_public(), ben.to_public()]);
    /// ```
    pub fn recipients<R: Recipient + Send + Sync + 'static>(recipients: impl IntoIterator<Item = R>) -> Self {
        let boxed = |recipient: R| -> Box<dyn Recipient + Send + Sync> { Box::new(recipient) };
        Self::Recipients(recipients.into_iter().map(boxed).collect())
    }

    /// Seals with a passphrase.
    ///
    /// ```
    /// let seal = itinerary_sdk::Seal::passphrase("correct horse battery staple");
    /// ```
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

/// Omits secrets.
impl fmt::Debug for Seal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Recipients(recipients) => write!(f, "Recipients({})", recipients.len()),
            Self::Passphrase(_) => f.write_str("Passphrase"),
        }
    }
}

/// The key that opens a sealed document.
///
/// ```
/// use itinerary_sdk::Unseal;
/// use itinerary_sdk::age::x25519::Identity;
///
/// let key = Unseal::identity(Identity::generate());
/// let passphrase = Unseal::passphrase("correct horse battery staple");
/// ```
pub enum Unseal {
    /// Identities; the first that matches is used.
    Identities(Vec<Box<dyn Identity + Send + Sync>>),
    /// A passphrase. Opening takes about as much computation as sealing did; a work factor above 22 is rejected. For
    /// another limit, pass an [`age::scrypt::Identity`] as the identity.
    Passphrase(SecretString),
}

impl Unseal {
    /// Opens with one identity, such as an [`age::x25519::Identity`].
    ///
    /// ```
    /// use itinerary_sdk::{Unseal, age::x25519::Identity};
    ///
    /// let key = Unseal::identity(Identity::generate());
    /// ```
    ///
    /// Keep the identity as text, where only its owner can read it:
    ///
    /// ```
    /// use itinerary_sdk::Unseal;
    /// use itinerary_sdk::age::{secrecy::ExposeSecret, x25519::Identity};
    ///
    /// let kept: String = Identity::generate().to_string().expose_secret().to_owned();
    /// let key = Unseal::identity(kept.parse::<Identity>()?);
    /// # Ok::<(), &'static str>(())
    /// ```
    pub fn identity(identity: impl Identity + Send + Sync + 'static) -> Self {
        Self::Identities(vec![Box::new(identity)])
    }

    /// Opens with a passphrase.
    ///
    /// ```
    /// let key = itinerary_sdk::Unseal::passphrase("correct horse battery staple");
    /// ```
    pub fn passphrase(passphrase: impl Into<String>) -> Self {
        Self::Passphrase(SecretString::from(passphrase.into()))
    }
}

/// Omits secrets.
impl fmt::Debug for Unseal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Identities(identities) => write!(f, "Identities({})", identities.len()),
            Self::Passphrase(_) => f.write_str("Passphrase"),
        }
    }
}

/// Why sealing and uploading, or downloading and opening, failed.
///
/// ```
/// use itinerary_sdk::{ErrorExt, SealingError, code};
///
/// fn explain(error: &SealingError) -> String {
///     match error.code() {
///         "wrongKey" => "This document is for somebody else.".to_owned(),
///         code::SUBSCRIPTION_REQUIRED => "Uploading needs the Pro subscription.".to_owned(),
///         _ => error.to_string(),
///     }
/// }
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SealingError {
    /// The service rejected the request or could not be reached.
    #[error("{0}")]
    Api(#[source] Box<ApiError>),
    /// The file to seal could not be read, or its header would exceed 64 KiB.
    #[error("failed to read the file: {0}")]
    Read(#[source] io::Error),
    /// There are no recipients, or they cannot be combined.
    #[error("failed to seal the file: {0}")]
    Seal(#[source] EncryptError),
    /// The connection broke or stalled before the whole file arrived.
    #[error("failed to download the file: {0}")]
    Download(#[source] io::Error),
    /// The opened file could not be written.
    #[error("failed to write the opened file: {0}")]
    Write(#[source] io::Error),
    /// The file has another format, or its header is malformed or exceeds 64 KiB.
    #[error("the file is not an age file")]
    NotAge,
    /// None of the identities is a recipient, or the passphrase is wrong.
    #[error("the file is not sealed to this key")]
    WrongKey,
    /// The file is sealed with a passphrase, but identities were passed.
    #[error("the file is sealed with a passphrase, not to an identity")]
    NeedsPassphrase,
    /// The file is sealed to identities, but a passphrase was passed.
    #[error("the file is sealed to an identity, not with a passphrase")]
    NeedsIdentity,
    /// Checking the passphrase would take more computation than allowed. Each step of the work factor doubles it.
    #[error("the work factor of the passphrase is {required}, above the limit")]
    ExcessiveWork {
        /// The work factor of the file.
        required: u8,
    },
    /// The file ends too early, at the end of a chunk.
    #[error("the file is truncated")]
    Truncated,
    /// The file was altered after it was sealed, or ends within a chunk.
    #[error("the file is damaged or truncated")]
    Damaged,
    /// The runtime is shutting down, or an identity panicked.
    #[error("sealing was interrupted: {0}")]
    Interrupted(String),
}

impl ErrorExt for SealingError {
    fn code(&self) -> &str {
        match self {
            Self::Api(error) => error.code(),
            Self::Read(_) => "read",
            Self::Seal(_) => "seal",
            Self::Download(_) => "download",
            Self::Write(_) => "write",
            Self::NotAge => "notAge",
            Self::WrongKey => "wrongKey",
            Self::NeedsPassphrase => "needsPassphrase",
            Self::NeedsIdentity => "needsIdentity",
            Self::ExcessiveWork { .. } => "excessiveWork",
            Self::Truncated => "truncated",
            Self::Damaged => "damaged",
            Self::Interrupted(_) => "interrupted",
        }
    }

    fn api_error(&self) -> Option<&ApiError> {
        match self {
            Self::Api(error) => Some(error),
            _ => None,
        }
    }
}

impl From<ApiError> for SealingError {
    fn from(error: ApiError) -> Self {
        Self::Api(Box::new(error))
    }
}

impl Client {
    /// Seals a file while it is read, uploads it and returns the document with the itinerary's new version. The file is
    /// never in memory as a whole. Sealed, it can have at most 20 MB: its own size, 16 bytes for each 64 KiB and a few
    /// hundred bytes. See [`document_upload`](Client::document_upload) for the rest.
    ///
    /// `progress` is called for each block that is passed to the connection, the last time with the total.
    ///
    /// Sealing the same file again results in other bytes. Repeating an upload with the same idempotency key therefore
    /// never stores the document twice, but fails with [`IDEMPOTENCY_KEY_REUSED`](crate::code::IDEMPOTENCY_KEY_REUSED)
    /// if the first upload was stored; [`document_list`](Client::document_list) then has the document.
    ///
    /// ```no_run
    /// # async fn example(client: &itinerary_sdk::Client, trip: uuid::Uuid) -> Result<(), Box<dyn std::error::Error>> {
    /// use itinerary_sdk::{FileSource, Seal, UploadDetails};
    ///
    /// let (file, seal) = (FileSource::path("pass.pdf"), Seal::passphrase("correct horse battery staple"));
    /// client.seal_and_upload(trip, file, seal, UploadDetails::named("pass.pdf.age"), |_| ()).await?;
    /// # Ok(())
    /// # }
    /// ```
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

    /// Creates a link to a document, downloads its file and opens it while it arrives. Returns the number of bytes
    /// written. Reads binary and armored age files.
    ///
    /// All written bytes are authentic, but an error leaves the file incomplete: delete what was written unless this
    /// returns `Ok`. `progress` is called for each block that has arrived, the last time with the total.
    ///
    /// ```no_run
    /// # async fn example(client: &itinerary_sdk::Client, trip: uuid::Uuid, document: &str)
    /// # -> Result<(), Box<dyn std::error::Error>> {
    /// use itinerary_sdk::Unseal;
    ///
    /// let mut opened = Vec::new();
    /// let key = Unseal::passphrase("correct horse battery staple");
    /// client.download_and_open(trip, document, key, &mut opened, |_| ()).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn download_and_open(
        &self,
        itinerary: Uuid,
        document: impl Into<String>,
        key: Unseal,
        writer: impl AsyncWrite + Unpin,
        progress: impl FnMut(Progress) + Send + 'static,
    ) -> Result<u64, SealingError> {
        let link = self.document_link(itinerary, document).send().await?;
        let download = self.document_download(&link.url).await?;
        let total = download.size();
        unseal::unseal(Meter::new(progress).measure(total, download.into_blocks()), key, writer).await
    }
}

impl Documents<'_> {
    /// Same as [`Client::seal_and_upload`].
    pub async fn seal_and_upload(
        self,
        itinerary: Uuid,
        file: impl Into<FileSource>,
        seal: Seal,
        details: UploadDetails,
        progress: impl FnMut(Progress) + Send + 'static,
    ) -> Result<Versioned<UploadedDocument>, SealingError> {
        self.client.seal_and_upload(itinerary, file, seal, details, progress).await
    }

    /// Same as [`Client::download_and_open`].
    pub async fn download_and_open(
        self,
        itinerary: Uuid,
        document: impl Into<String>,
        key: Unseal,
        writer: impl AsyncWrite + Unpin,
        progress: impl FnMut(Progress) + Send + 'static,
    ) -> Result<u64, SealingError> {
        self.client.download_and_open(itinerary, document, key, writer, progress).await
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
        // A passphrase takes about a second of computation.
        let encryptor = tokio::task::spawn_blocking(move || seal.encryptor()).await;
        let encryptor = encryptor.map_err(|error| SealingError::Interrupted(error.to_string()))?;
        let OpenFile { size, blocks } =
            seal::seal(file, encryptor.map_err(SealingError::Seal)?).map_err(SealingError::Read)?;
        Ok(OpenFile { size, blocks: self.meter.clone().measure(size, blocks) })
    }
}
