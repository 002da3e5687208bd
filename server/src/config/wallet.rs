//! Certificates and keys for wallet passes.

use std::path::PathBuf;

use serde::Deserialize;

/// What wallet passes are signed with. Without these, passes answer `featureUnavailable`.
#[derive(Clone, Debug, Default, clap::Args, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WalletSettings {
    /// The pass type identifier of Apple Wallet passes, such as pass.example.trips. Default: none, no Apple passes
    #[arg(long = "wallet-apple-pass-type", env = "ITINERARY_WALLET_APPLE_PASS_TYPE", value_name = "IDENTIFIER")]
    pub apple_pass_type: Option<String>,
    /// The Apple developer team
    #[arg(long = "wallet-apple-team", env = "ITINERARY_WALLET_APPLE_TEAM", value_name = "IDENTIFIER")]
    pub apple_team: Option<String>,
    /// The organisation that passes name. Default: Itinerary Planning Service
    #[arg(long = "wallet-organisation", env = "ITINERARY_WALLET_ORGANISATION", value_name = "NAME")]
    pub organisation: Option<String>,
    /// The pass type's certificate, a PEM file
    #[arg(long = "wallet-apple-certificate", env = "ITINERARY_WALLET_APPLE_CERTIFICATE", value_name = "FILE")]
    pub apple_certificate: Option<PathBuf>,
    /// The certificate's private key, a PEM file
    #[arg(long = "wallet-apple-key", env = "ITINERARY_WALLET_APPLE_KEY", value_name = "FILE")]
    pub apple_key: Option<PathBuf>,
    /// The key's password. Default: none
    #[arg(
        long = "wallet-apple-key-password",
        env = "ITINERARY_WALLET_APPLE_KEY_PASSWORD",
        value_name = "PASSWORD",
        hide_env_values = true
    )]
    pub apple_key_password: Option<String>,
    /// Apple's intermediate certificate (WWDR), a PEM file
    #[arg(long = "wallet-apple-intermediate", env = "ITINERARY_WALLET_APPLE_INTERMEDIATE", value_name = "FILE")]
    pub apple_intermediate: Option<PathBuf>,
    /// The Google Wallet issuer. Default: none, no Google passes
    #[arg(long = "wallet-google-issuer", env = "ITINERARY_WALLET_GOOGLE_ISSUER", value_name = "IDENTIFIER")]
    pub google_issuer: Option<String>,
    /// The key file of the issuer's service account, JSON
    #[arg(
        long = "wallet-google-service-account",
        env = "ITINERARY_WALLET_GOOGLE_SERVICE_ACCOUNT",
        value_name = "FILE"
    )]
    pub google_service_account: Option<PathBuf>,
}

impl WalletSettings {
    /// These settings, and `other` where nothing is said.
    #[must_use]
    pub(super) fn or(self, other: Self) -> Self {
        Self {
            apple_pass_type: self.apple_pass_type.or(other.apple_pass_type),
            apple_team: self.apple_team.or(other.apple_team),
            organisation: self.organisation.or(other.organisation),
            apple_certificate: self.apple_certificate.or(other.apple_certificate),
            apple_key: self.apple_key.or(other.apple_key),
            apple_key_password: self.apple_key_password.or(other.apple_key_password),
            apple_intermediate: self.apple_intermediate.or(other.apple_intermediate),
            google_issuer: self.google_issuer.or(other.google_issuer),
            google_service_account: self.google_service_account.or(other.google_service_account),
        }
    }
}
