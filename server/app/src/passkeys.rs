//! Passkeys (WebAuthn): adding one to an account, and signing in with one.
//!
//! Passkeys are discoverable, and the authenticator verifies the user, so that one is enough to sign in. The state of a
//! ceremony (its challenge) is given to the caller, who has to bind it to a browser and to use it once.

use std::error::Error;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{NaiveDate, TimeDelta};
use itinerary_core::ids;
use itinerary_core::legible::is_legible;
use itinerary_platform::context::Service;
use itinerary_store::{Account, Hash, PasskeyOutcome, PasskeyRow, Result as Stored, StoreError, WaysIn};
use serde::Deserialize;
use serde_json::{Value, json};
use url::Url;
use uuid::Uuid;
use webauthn_rs::prelude::{
    DiscoverableAuthentication, DiscoverableKey, Passkey, PasskeyRegistration, PublicKeyCredential,
    RegisterPublicKeyCredential, Webauthn, WebauthnBuilder,
};

/// The longest name, in characters.
pub const NAME: usize = 100;

/// What a browser is asked to do.
#[derive(Clone, Debug)]
pub struct Ceremony {
    /// The options for `navigator.credentials`, with bytes as base64url.
    pub options: Value,
    /// What checks the response. The caller keeps it from the browser, and from a second use.
    pub state: Value,
}

/// Whether passkeys can be used: they belong to a host name, so not if the service's address has none.
pub fn are_available(service: &Service) -> bool {
    relying_party(service).is_some()
}

/// What this service accepts for signing in.
pub fn ways_in(service: &Service) -> WaysIn {
    let providers = service.ports.sign_in_providers.iter();
    WaysIn {
        passwords: service.config.sign_in.password_sign_in,
        passkeys: are_available(service),
        issuers: providers.map(|provider| provider.protocol.issuer().to_owned()).collect(),
    }
}

fn relying_party(service: &Service) -> Option<Webauthn> {
    let origin = Url::parse(&service.config.base_url).ok()?;
    let domain = origin.domain()?;
    WebauthnBuilder::new(domain, &origin).ok()?.rp_name(domain).build().ok()
}

/// Begins adding a passkey to an account. `None` if passkeys cannot be used.
pub async fn begin_registration(service: &Service, account: &Account) -> Stored<Option<Ceremony>> {
    let Some(party) = relying_party(service) else { return Ok(None) };
    let known = service.store.passkeys(account.id).await?;
    let known = known.into_iter().map(|row| row.credential_id.into()).collect();
    let begun = party.start_passkey_registration(account.id, &account.username, &account.display_name, Some(known));
    let Ok((options, state)) = begun else { return Ok(None) };
    let mut options = plain(&options)["publicKey"].take();
    // The library asks for passkeys that are found by their ids only.
    options["authenticatorSelection"]["residentKey"] = json!("required");
    options["authenticatorSelection"]["requireResidentKey"] = json!(true);
    Ok(Some(Ceremony { options, state: plain(&state) }))
}

/// Begins signing in. With `allowed`, the browser offers these passkeys only; the caller checks whose it was.
pub fn begin_authentication(service: &Service, allowed: &[PasskeyRow]) -> Option<Ceremony> {
    let (options, state) = relying_party(service)?.start_discoverable_authentication().ok()?;
    let mut options = plain(&options)["publicKey"].take();
    let allowed =
        allowed.iter().map(|row| json!({ "type": "public-key", "id": URL_SAFE_NO_PAD.encode(&row.credential_id) }));
    options["allowCredentials"] = allowed.collect();
    Some(Ceremony { options, state: plain(&state) })
}

fn plain(value: &impl serde::Serialize) -> Value {
    serde_json::to_value(value).expect("it is plain data")
}

/// The name of a passkey: as entered, or why not.
pub fn checked_name(name: &str) -> Result<&str, &'static str> {
    let name = name.trim();
    if name.is_empty() {
        return Err("Enter a name, such as the device that keeps the passkey.");
    }
    if name.chars().count() > NAME || !is_legible(name) {
        return Err("Use at most 100 characters, without invisible ones.");
    }
    Ok(name)
}

/// The day on which a passkey was last used.
pub fn last_used_on(passkey: &PasskeyRow) -> Option<NaiveDate> {
    let since_1970 = TimeDelta::try_days(passkey.last_used_day?)?;
    NaiveDate::default().checked_add_signed(since_1970)
}

/// The outcome of adding a passkey.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Registered {
    Added,
    /// The response is not one to this ceremony, or the authenticator did not verify the user.
    Invalid,
    /// An account has this passkey already.
    Exists,
    /// The account has the maximum number.
    TooMany,
    SignedOut,
}

/// Adds the passkey that a browser has made to the account of a session.
pub async fn register(
    service: &Service,
    account: &Account,
    session: &Hash,
    state: Value,
    response: &str,
    name: &str,
) -> Stored<Registered> {
    let Some(party) = relying_party(service) else { return Ok(Registered::Invalid) };
    let (Ok(state), Some(response)) = (PasskeyRegistration::deserialize(state), parsed(response)) else {
        return Ok(Registered::Invalid);
    };
    let response: RegisterPublicKeyCredential = response;
    let passkey = match party.finish_passkey_registration(&response, &state) {
        Ok(passkey) => passkey,
        Err(error) => {
            tracing::info!(error = &error as &dyn Error, "a passkey was not added");
            return Ok(Registered::Invalid);
        }
    };
    let now = service.clock.now();
    let row = PasskeyRow {
        id: ids::uuid(now, &*service.random),
        account_id: account.id,
        credential_id: passkey.cred_id().to_vec(),
        counter: counter_of(&passkey),
        passkey: plain(&passkey).to_string(),
        name: name.to_owned(),
        created_at: now,
        last_used_day: None,
    };
    Ok(match service.store.passkey_add(&row, session).await? {
        PasskeyOutcome::Added => Registered::Added,
        PasskeyOutcome::Exists => Registered::Exists,
        PasskeyOutcome::TooMany => Registered::TooMany,
        PasskeyOutcome::SignedOut => Registered::SignedOut,
    })
}

/// The signature counter in a stored passkey.
fn counter_of(passkey: &Passkey) -> i64 {
    plain(passkey)["cred"]["counter"].as_i64().unwrap_or_default()
}

fn parsed<'j, T: Deserialize<'j>>(response: &'j str) -> Option<T> {
    serde_json::from_str(response).ok()
}

/// The outcome of signing in with a passkey.
#[derive(Clone, Debug)]
pub enum Authenticated {
    /// A passkey of this account signed the challenge.
    Right(Box<Account>),
    /// An unknown passkey, a wrong signature, challenge, origin or counter, or a user who was not verified. Holds the
    /// account that has the passkey, for the log only.
    Refused(Option<Uuid>),
}

/// Whose passkey signed the challenge of this ceremony.
pub async fn authenticate(service: &Service, state: Value, response: &str) -> Stored<Authenticated> {
    let Some(party) = relying_party(service) else { return Ok(Authenticated::Refused(None)) };
    let (Ok(state), Some(response)) = (DiscoverableAuthentication::deserialize(state), parsed(response)) else {
        return Ok(Authenticated::Refused(None));
    };
    let response: PublicKeyCredential = response;
    let Some((row, account)) = service.store.passkey(response.get_credential_id()).await? else {
        return Ok(Authenticated::Refused(None));
    };
    let refused = Authenticated::Refused(Some(account.id));
    if response.get_user_unique_id().is_some_and(|id| id != account.id.as_bytes()) {
        return Ok(refused);
    }
    let mut passkey: Passkey = serde_json::from_str(&row.passkey)
        .map_err(|error| StoreError::Corrupt(format!("passkey {}: {error}", row.id)))?;
    let keys = [DiscoverableKey::from(&passkey)];
    let result = match party.finish_discoverable_authentication(&response, state, &keys) {
        Ok(result) => result,
        Err(error) => {
            tracing::info!(passkey = %row.id, error = &error as &dyn Error, "a passkey was refused");
            return Ok(refused);
        }
    };
    passkey.update_credential(&result);
    let day = (service.clock.now().date_naive() - NaiveDate::default()).num_days();
    let stored = plain(&passkey).to_string();
    let counter = i64::from(result.counter());
    // Fails if the passkey was used concurrently: of two copies of an authenticator, one is refused.
    let is_first = service.store.passkey_use(row.id, row.counter, counter, &stored, day).await?;
    Ok(if is_first { Authenticated::Right(Box::new(account)) } else { refused })
}
