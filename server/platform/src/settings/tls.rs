//! TLS: the settings of the server's own certificate.

use std::path::PathBuf;

use clap::Args;

use super::SettingsError;

/// The server's certificate. Without it, the server speaks HTTP without TLS.
#[derive(Clone, Debug, Default, Args)]
pub struct TlsSettings {
    /// The certificate of the server for TLS, followed by its intermediate certificates, a PEM file; needs `tls_key`. The
    /// server reads both files again on SIGHUP and when they change. Default: none, no TLS
    #[arg(long = "tls-certificate", value_name = "FILE")]
    pub certificate: Option<PathBuf>,
    /// The private key of `tls_certificate`, a PEM file without a password
    #[arg(long = "tls-key", value_name = "FILE")]
    pub key: Option<PathBuf>,
}

impl TlsSettings {
    /// Whether the server speaks TLS itself.
    pub fn is_on(&self) -> bool {
        self.certificate.is_some()
    }

    /// Rejects a certificate without its key, and the reverse.
    pub(super) fn check(&self) -> Result<(), SettingsError> {
        match (&self.certificate, &self.key) {
            (Some(_), None) => Err(SettingsError::Needs("tls_certificate", "tls_key")),
            (None, Some(_)) => Err(SettingsError::Needs("tls_key", "tls_certificate")),
            _ => Ok(()),
        }
    }
}
