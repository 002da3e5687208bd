//! Ports to services outside, each with an embedded default.
//!
//! The interfaces of providers and their adapters are in `itinerary-providers`.

pub mod blobs;
pub mod coordinates;
pub mod extractor;
pub mod identity;
pub mod mail;
pub mod providers;
pub mod wallets;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use itinerary_providers::{Activities, ClientDocuments, Geocoder, Images, Misconfigured, Routes, WebhookSender};

use crate::error_chain::chain;
use blobs::{BlobError, Blobs};
use extractor::Extractor;
use identity::SignInProvider;
use mail::Mailer;
use wallets::Wallets;

/// Why the configured ports cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PortsError {
    #[error("the folder for files cannot be used: {}", chain(.0))]
    Files(#[from] BlobError),
    /// Without the URL, which may contain a secret by mistake.
    #[error(
        "files_url must be s3://BUCKET or s3://BUCKET/PREFIX, without user and password: credentials are read from the \
         variables AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
    )]
    FilesUrl,
    #[error("this build cannot keep files in S3: it was built without the feature s3")]
    NoS3,
    #[error("the file {0} for wallet passes cannot be read: {1}")]
    WalletFile(PathBuf, io::Error),
    #[error("wallet passes also need the setting {0}")]
    WalletSetting(&'static str),
    #[error("wallet passes cannot be signed: {0}")]
    Wallet(#[from] itinerary_wallet::Misconfigured),
    #[error("the file {0} with the secret of a provider in `oidc` cannot be read: {1}")]
    OidcSecret(PathBuf, io::Error),
    #[error("the file {0} with the secret of a provider in `oidc` is empty")]
    NoOidcSecret(PathBuf),
    #[error("the file {0} with the password for `mail_username` cannot be read: {1}")]
    MailPassword(PathBuf, io::Error),
    #[error("the file {0} with the password for `mail_username` is empty")]
    NoMailPassword(PathBuf),
    #[error("the address in `mail_from` cannot be used")]
    MailSender,
    #[error("no encrypted connection to `mail_host` can be made: {0}")]
    MailTls(String),
    #[error("a provider is misconfigured: {0}")]
    Provider(#[from] Misconfigured),
    #[error("the setting import_extractor must be the absolute path of a program: {0} is none")]
    Extractor(PathBuf),
    #[error("the setting import_extractor needs bubblewrap, whose program bwrap cannot make a sandbox here: {0}")]
    Sandbox(io::Error),
    #[error("the folder for files {0} does not exist: check `data`, or create it with the command migrate")]
    NoFiles(PathBuf),
}

/// The configured providers and the file store. Without a provider, the embedded default answers.
pub struct Ports {
    /// Finds places that the gazetteer does not have.
    pub geocoder: Option<Arc<dyn Geocoder>>,
    /// Travel times. Default: estimates.
    pub routes: Option<Arc<dyn Routes>>,
    /// Cover images. Default: drawn covers.
    pub images: Option<Arc<dyn Images>>,
    /// Activities. Default: places of the gazetteer.
    pub activities: Option<Arc<dyn Activities>>,
    /// Fetches metadata documents of OAuth clients.
    pub client_documents: Arc<dyn ClientDocuments>,
    /// The OpenID Connect providers with which travellers can sign in.
    pub sign_in_providers: Vec<SignInProvider>,
    /// Posts events to webhooks.
    pub webhooks: Arc<dyn WebhookSender>,
    /// Sends mails. Default: none, the server sends no mail.
    pub mailer: Option<Mailer>,
    pub blobs: Blobs,
    pub wallets: Wallets,
    /// Reads files that the server does not. Default: none.
    pub extractor: Option<Extractor>,
}
