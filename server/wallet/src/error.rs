//! Errors. No message contains key material.

/// Invalid settings.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Misconfigured {
    /// The pass type identifier is invalid.
    #[error("the pass type identifier is `{0}`; it must start with `pass.`")]
    PassTypeIdentifier(String),
    /// The team identifier is invalid.
    #[error("the team identifier is `{0}`; it must be letters and digits")]
    TeamIdentifier(String),
    /// The organization name is blank.
    #[error("the organization name is empty")]
    OrganizationName,
    /// The certificate cannot be read.
    #[error("the pass certificate must be an X.509 certificate in PEM or DER form")]
    Certificate,
    /// The intermediate certificate cannot be read.
    #[error("the intermediate certificate must be an X.509 certificate in PEM or DER form")]
    Intermediate,
    /// The private key cannot be read.
    #[error("the private key must be in PEM form, and unencrypted or accompanied by its password")]
    Key,
    /// The private key does not match the certificate.
    #[error("the private key does not belong to the pass certificate")]
    KeyOfAnotherCertificate,
    /// The certificate's subject has another UID.
    #[error("the pass certificate is for the pass type `{certificate}`, not for `{configured}`")]
    AnotherPassType { certificate: String, configured: String },
    /// The certificate's subject has another OU.
    #[error("the pass certificate is for the team `{certificate}`, not for `{configured}`")]
    AnotherTeam { certificate: String, configured: String },
    /// The intermediate certificate did not sign the certificate.
    #[error("the intermediate certificate did not issue the pass certificate; use the one that its issuer field names")]
    AnotherIssuer,
    /// The issuer id is invalid.
    #[error("the Google Wallet issuer id is `{0}`; it must be digits")]
    IssuerId(String),
    /// The service account's key file cannot be read.
    #[error(
        "the service account must be a JSON key file with `type` `service_account`, `client_email` and `private_key`"
    )]
    ServiceAccount,
    /// The service account's key cannot be used for RS256.
    #[error("the service account's `private_key` must be an RSA key of at least 2,048 bits in PEM form")]
    ServiceAccountKey,
}

/// Errors of making a pass.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// A value is invalid for a pass.
    #[error("{0}")]
    Invalid(&'static str),
    /// The certificates are not valid now, so devices would reject the pass.
    #[error("the pass certificates are valid from {begin} to {end} only; renew them")]
    Expired {
        /// When both certificates have become valid.
        begin: chrono::DateTime<chrono::Utc>,
        /// When the first of them expires.
        end: chrono::DateTime<chrono::Utc>,
    },
    /// OpenSSL failed to sign.
    #[error("the pass could not be signed: {0}")]
    Sign(#[from] openssl::error::ErrorStack),
    /// The JSON could not be written.
    #[error("the pass could not be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// The archive could not be written.
    #[error("the pass could not be archived: {0}")]
    Archive(#[from] zip::result::ZipError),
}
