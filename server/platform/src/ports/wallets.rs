//! The signers of wallet passes, from the configuration.

use std::fs;
use std::path::Path;

use itinerary_wallet::{Apple, AppleSettings, Google};

use super::PortsError;
use crate::settings::WalletSettings;

/// The signers of passes. `None` for a wallet that is not configured.
pub struct Wallets {
    pub apple: Option<Apple>,
    pub google: Option<Google>,
}

impl Wallets {
    /// Reads and checks the certificates and keys.
    pub fn configured(settings: &WalletSettings, base_url: &str) -> Result<Self, PortsError> {
        Ok(Self { apple: apple(settings)?, google: google(settings, base_url)? })
    }
}

fn apple(settings: &WalletSettings) -> Result<Option<Apple>, PortsError> {
    let files = [&settings.apple_certificate, &settings.apple_key, &settings.apple_intermediate];
    let is_absent = settings.apple_pass_type.is_none() && settings.apple_team.is_none();
    if is_absent && files.iter().all(|file| file.is_none()) {
        return Ok(None);
    }
    let missing = PortsError::WalletSetting;
    let pass_type = settings.apple_pass_type.as_deref().ok_or_else(|| missing("wallet.apple_pass_type"))?;
    let team = settings.apple_team.as_deref().ok_or_else(|| missing("wallet.apple_team"))?;
    let certificate = settings.apple_certificate.as_deref().ok_or_else(|| missing("wallet.apple_certificate"))?;
    let key = settings.apple_key.as_deref().ok_or_else(|| missing("wallet.apple_key"))?;
    let intermediate = settings.apple_intermediate.as_deref().ok_or_else(|| missing("wallet.apple_intermediate"))?;
    let apple = Apple::new(AppleSettings {
        pass_type_identifier: pass_type,
        team_identifier: team,
        organization_name: &settings.organisation,
        certificate: &read(certificate)?,
        key: &read(key)?,
        key_password: settings.apple_key_password.as_deref(),
        intermediate: &read(intermediate)?,
    })?;
    tracing::info!(expires = %apple.expires(), "Apple Wallet passes can be signed");
    Ok(Some(apple))
}

/// The PNG that passes for Google Wallet name by its address, `/logo.png`.
pub fn logo() -> &'static [u8] {
    itinerary_wallet::logo()
}

fn google(settings: &WalletSettings, base_url: &str) -> Result<Option<Google>, PortsError> {
    let (issuer, account) = (settings.google_issuer.as_deref(), settings.google_service_account.as_deref());
    let (issuer, account) = match (issuer, account) {
        (None, None) => return Ok(None),
        (None, Some(_)) => return Err(PortsError::WalletSetting("wallet.google_issuer")),
        (Some(_), None) => return Err(PortsError::WalletSetting("wallet.google_service_account")),
        (Some(issuer), Some(account)) => (issuer, account),
    };
    let logo = format!("{}/logo.png", base_url.trim_end_matches('/'));
    let google = Google::new(issuer, &read(account)?, [base_url], &logo)?;
    Ok(Some(google.with_issuer_name(&settings.organisation)))
}

fn read(file: &Path) -> Result<Vec<u8>, PortsError> {
    fs::read(file).map_err(|error| PortsError::WalletFile(file.to_owned(), error))
}
