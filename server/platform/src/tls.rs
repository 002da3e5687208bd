//! TLS: the server's certificate, which is replaced while the server runs.
//!
//! A new certificate and key are checked before they replace the old ones. Connections keep the certificate of their
//! handshake.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use itinerary_core::clock::Clock;
use openssl::asn1::Asn1Time;
use openssl::sha::sha256;
use openssl::x509::X509;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::{CryptoProvider, aws_lc_rs};
use tokio_rustls::rustls::pki_types::pem::{self, PemObject};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::{ClientHello, ResolvesServerCert};
use tokio_rustls::rustls::sign::CertifiedKey;
use tokio_rustls::rustls::version::{TLS12, TLS13};
use tokio_rustls::rustls::{self, ServerConfig};

use crate::settings::TlsSettings;

/// How often the files are compared with what was read last.
const CHECK_EVERY: Duration = Duration::from_mins(1);

/// Why a certificate and its key cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    #[error("the file {0} cannot be read: {1}")]
    Unreadable(PathBuf, io::Error),
    #[error("the file {0} has no certificate in PEM format")]
    NoCertificate(PathBuf),
    #[error("the certificate in {0} is invalid: {1}")]
    Certificate(PathBuf, String),
    #[error("the file {0} has no private key in PEM format without a password")]
    NoKey(PathBuf),
    #[error("the private key in {0} cannot be used: {1}")]
    Key(PathBuf, rustls::Error),
    #[error("the private key in {0} does not belong to the first certificate in {1}")]
    Mismatch(PathBuf, PathBuf),
    #[error("the TLS library does not work: {0}")]
    Library(rustls::Error),
}

/// The server's certificate and key, from their files.
pub struct Identity {
    certificate: PathBuf,
    key: PathBuf,
    clock: Arc<dyn Clock>,
    provider: Arc<CryptoProvider>,
    current: RwLock<Arc<CertifiedKey>>,
    /// Until when the current certificate is valid, in Unix time.
    expires: AtomicI64,
    /// What the files contained when they were last read.
    tried: Mutex<Tried>,
}

/// The hash of the files' contents, or why they cannot be read.
type Tried = Result<[u8; 32], String>;

impl Identity {
    /// Reads and checks the files. `None` if TLS is off.
    pub fn load(settings: &TlsSettings, clock: &Arc<dyn Clock>) -> Result<Option<Arc<Self>>, TlsError> {
        let (Some(certificate), Some(key)) = (settings.certificate.clone(), settings.key.clone()) else {
            return Ok(None);
        };
        let provider = Arc::new(aws_lc_rs::default_provider());
        let files = CertificateFiles::read(&certificate, &key)?;
        let checked = files.check(&certificate, &key, &provider)?;
        checked.log(clock.as_ref(), &certificate);
        Ok(Some(Arc::new(Self {
            certificate,
            key,
            clock: Arc::clone(clock),
            provider,
            expires: AtomicI64::new(checked.expires()),
            current: RwLock::new(Arc::new(checked.key)),
            tried: Mutex::new(Ok(files.hash())),
        })))
    }

    /// Until when the certificate in use is valid, in Unix time.
    pub fn expires(&self) -> i64 {
        self.expires.load(Ordering::Relaxed)
    }

    /// Negotiates TLS 1.2 or 1.3, and HTTP/1.1 alone.
    pub fn acceptor(self: &Arc<Self>) -> Result<TlsAcceptor, TlsError> {
        let builder = ServerConfig::builder_with_provider(Arc::clone(&self.provider));
        let builder = builder.with_protocol_versions(&[&TLS13, &TLS12]).map_err(TlsError::Library)?;
        let mut config = builder.with_no_client_auth().with_cert_resolver(Arc::clone(self) as _);
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        // Clients resume sessions by tickets, so the server keeps no state for those that do not come back.
        config.ticketer = aws_lc_rs::Ticketer::new().map_err(TlsError::Library)?;
        Ok(TlsAcceptor::from(Arc::new(config)))
    }

    /// Reads the files every minute and replaces certificate and key if they have changed. Never ends.
    pub async fn keep_current(self: Arc<Self>) {
        loop {
            tokio::time::sleep(CHECK_EVERY).await;
            Arc::clone(&self).reload(false).await;
        }
    }

    /// Reads the files, and replaces certificate and key if the new ones are valid; otherwise the old ones stay in use.
    /// Files that were tried before are tried again only `always`.
    pub async fn reload(self: Arc<Self>, always: bool) {
        // Reading files may block.
        let _ = tokio::task::spawn_blocking(move || self.reload_now(always)).await;
    }

    fn reload_now(&self, always: bool) {
        let mut tried = self.tried.lock().unwrap_or_else(PoisonError::into_inner);
        let files = CertificateFiles::read(&self.certificate, &self.key);
        let now = files.as_ref().map(CertificateFiles::hash).map_err(ToString::to_string);
        if *tried == now && !always {
            return;
        }
        *tried = now;
        match files.and_then(|files| files.check(&self.certificate, &self.key, &self.provider)) {
            Ok(checked) => {
                checked.log(self.clock.as_ref(), &self.certificate);
                self.expires.store(checked.expires(), Ordering::Relaxed);
                *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(checked.key);
            }
            Err(error) => tracing::error!(
                error = &error as &dyn std::error::Error,
                "the new certificate cannot be used; the previous one stays in use"
            ),
        }
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Identity").field("certificate", &self.certificate).finish_non_exhaustive()
    }
}

impl ResolvesServerCert for Identity {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner)))
    }
}

/// The contents of the files.
struct CertificateFiles {
    certificate: Vec<u8>,
    key: Vec<u8>,
}

impl CertificateFiles {
    fn read(certificate: &Path, key: &Path) -> Result<Self, TlsError> {
        let read = |path: &Path| std::fs::read(path).map_err(|error| TlsError::Unreadable(path.to_owned(), error));
        Ok(Self { certificate: read(certificate)?, key: read(key)? })
    }

    fn hash(&self) -> [u8; 32] {
        sha256(&[sha256(&self.certificate), sha256(&self.key)].concat())
    }

    fn check(&self, certificate: &Path, key: &Path, provider: &CryptoProvider) -> Result<CheckedCertificate, TlsError> {
        let invalid = |error: &dyn fmt::Display| TlsError::Certificate(certificate.to_owned(), error.to_string());
        let chain: Result<Vec<_>, pem::Error> = CertificateDer::pem_slice_iter(&self.certificate).collect();
        let chain = chain.map_err(|error| invalid(&error))?;
        let Some(first) = chain.first() else { return Err(TlsError::NoCertificate(certificate.to_owned())) };
        let parsed = X509::from_der(first).map_err(|error| invalid(&error))?;
        let private = PrivateKeyDer::from_pem_slice(&self.key).map_err(|_| TlsError::NoKey(key.to_owned()))?;
        let private = provider.key_provider.load_private_key(private);
        let private = private.map_err(|error| TlsError::Key(key.to_owned(), error))?;
        let pair = CertifiedKey::new(chain, private);
        pair.keys_match().map_err(|error| match error {
            rustls::Error::InconsistentKeys(_) => TlsError::Mismatch(key.to_owned(), certificate.to_owned()),
            error => invalid(&error),
        })?;
        Ok(CheckedCertificate { key: pair, certificate: parsed })
    }
}

/// A certificate with its key.
struct CheckedCertificate {
    key: CertifiedKey,
    certificate: X509,
}

impl CheckedCertificate {
    /// Until when it is valid, in Unix time; 0 if it does not say so in a form that can be read.
    fn expires(&self) -> i64 {
        let start = Asn1Time::from_unix(0);
        let since = start.and_then(|start| start.diff(self.certificate.not_after()));
        since.map_or(0, |since| i64::from(since.days) * 86_400 + i64::from(since.secs))
    }

    /// Logs until when the certificate is valid. An expired one is used: some clients can be told to accept it, and none
    /// could be served without it.
    fn log(&self, clock: &dyn Clock, file: &Path) {
        let (from, to) = (self.certificate.not_before(), self.certificate.not_after());
        let file = file.display();
        match Asn1Time::from_unix(clock.now().timestamp()) {
            Ok(now) if to < now => tracing::warn!(%file, expired = %to, "the certificate has expired"),
            Ok(now) if from > now => tracing::warn!(%file, valid_from = %from, "the certificate is not valid yet"),
            _ => tracing::info!(%file, expires = %to, "certificate loaded"),
        }
    }
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, Utc};
    use openssl::ec::{EcGroup, EcKey};
    use openssl::hash::MessageDigest;
    use openssl::nid::Nid;
    use openssl::pkey::PKey;

    use super::*;

    struct Fixed;

    impl Clock for Fixed {
        fn now(&self) -> DateTime<Utc> {
            DateTime::from_timestamp(1_800_000_000, 0).expect("a time")
        }
    }

    /// Writes a new certificate and its key. Returns the certificate as DER.
    fn write(settings: &TlsSettings) -> Vec<u8> {
        let group = EcGroup::from_curve_name(Nid::X9_62_PRIME256V1).expect("a curve");
        let key = PKey::from_ec_key(EcKey::generate(&group).expect("a key")).expect("a key");
        let mut builder = X509::builder().expect("a builder");
        builder.set_version(2).expect("version 3");
        builder.set_pubkey(&key).expect("a key");
        builder.set_not_before(&Asn1Time::from_unix(0).expect("a time")).expect("a beginning");
        builder.set_not_after(&Asn1Time::from_unix(2_000_000_000).expect("a time")).expect("an end");
        builder.sign(&key, MessageDigest::sha256()).expect("a signature");
        let certificate = builder.build();
        let path = |path: &Option<PathBuf>| path.clone().expect("a path");
        std::fs::write(path(&settings.certificate), certificate.to_pem().expect("PEM")).expect("a file");
        std::fs::write(path(&settings.key), key.private_key_to_pem_pkcs8().expect("PEM")).expect("a file");
        certificate.to_der().expect("DER")
    }

    fn served(identity: &Identity) -> Vec<u8> {
        identity.current.read().expect("no panic").cert[0].to_vec()
    }

    #[tokio::test(start_paused = true)]
    async fn changed_files_are_noticed_within_a_minute() {
        let folder = std::env::temp_dir().join(format!("itinerary-tls-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let at = |name: &str| Some(folder.join(name));
        let settings = TlsSettings { certificate: at("site.crt"), key: at("site.key") };
        let first = write(&settings);
        let identity = Identity::load(&settings, &(Arc::new(Fixed) as _)).expect("it is usable").expect("TLS is on");
        let mut watching = tokio::task::JoinSet::new();
        watching.spawn(Arc::clone(&identity).keep_current());
        tokio::time::sleep(CHECK_EVERY * 3).await;
        assert_eq!(served(&identity), first);
        let second = write(&settings);
        // Half of a pair is rejected, and tried again when the other half is there.
        let key = std::fs::read(folder.join("site.key")).expect("a file");
        std::fs::write(folder.join("site.key"), "").expect("a file");
        tokio::time::sleep(CHECK_EVERY * 2).await;
        assert_eq!(served(&identity), first);
        std::fs::write(folder.join("site.key"), key).expect("a file");
        tokio::time::sleep(CHECK_EVERY * 2).await;
        assert_eq!(served(&identity), second);
        std::fs::remove_dir_all(&folder).expect("it is there");
    }
}
