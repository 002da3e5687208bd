//! The settings of wallet passes.

use std::path::PathBuf;

use clap::Args;

/// Certificates and keys for wallet passes. Without them, passes answer `featureUnavailable`.
#[derive(Clone, Debug, Args)]
pub struct WalletSettings {
    /// The pass type identifier of Apple Wallet passes, such as pass.example.trips. Default: none, no Apple passes
    #[arg(long = "wallet-apple-pass-type", value_name = "IDENTIFIER")]
    pub apple_pass_type: Option<String>,
    /// The Apple developer team
    #[arg(long = "wallet-apple-team", value_name = "IDENTIFIER")]
    pub apple_team: Option<String>,
    /// The organisation named on passes
    #[arg(long = "wallet-organisation", value_name = "NAME", default_value = "Itinerary Planning Service")]
    pub organisation: String,
    /// The pass type's certificate, a PEM or DER file
    #[arg(long = "wallet-apple-certificate", value_name = "FILE")]
    pub apple_certificate: Option<PathBuf>,
    /// The certificate's private key, a PEM file
    #[arg(long = "wallet-apple-key", value_name = "FILE")]
    pub apple_key: Option<PathBuf>,
    /// The key's password. Default: none
    #[arg(long = "wallet-apple-key-password", value_name = "PASSWORD", hide_env_values = true)]
    pub apple_key_password: Option<String>,
    /// Apple's intermediate certificate (WWDR), a PEM or DER file
    #[arg(long = "wallet-apple-intermediate", value_name = "FILE")]
    pub apple_intermediate: Option<PathBuf>,
    /// The Google Wallet issuer. Default: none, no Google passes
    #[arg(long = "wallet-google-issuer", value_name = "IDENTIFIER")]
    pub google_issuer: Option<String>,
    /// The key file of the issuer's service account, JSON
    #[arg(long = "wallet-google-service-account", value_name = "FILE")]
    pub google_service_account: Option<PathBuf>,
}
