//! Ceremonies of passkeys between a page and the form that it submits.
//!
//! The page carries the state of a ceremony, sealed for one browser and one use. It is good once, for five minutes.

use chrono::{DateTime, Duration, Utc};
use itinerary_app::passkeys::Ceremony;
use itinerary_core::ids;
use itinerary_platform::context::Service;
use itinerary_store::{ConsentAnswer, StoreError};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use super::forms::{Form, Guard};

/// How long a page can be submitted.
const LIFETIME: Duration = Duration::minutes(5);
/// The field with the sealed state.
const CEREMONY: &str = "ceremony";
/// The field with what the browser's authenticator responds.
pub(crate) const CREDENTIAL: &str = "credential";

/// What a passkey is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    SignIn,
    /// To complete a sign-in by password.
    SecondStep,
    /// To prove that the session's traveller is still there.
    Confirm,
    /// To add one to the session's account.
    Add,
}

impl Purpose {
    fn name(self) -> &'static str {
        match self {
            Self::SignIn => "passkey to sign in",
            Self::SecondStep => "passkey as a second step",
            Self::Confirm => "passkey to confirm",
            Self::Add => "passkey to add",
        }
    }
}

#[derive(Serialize, Deserialize)]
struct Pending {
    id: Uuid,
    state: Value,
    expires_at: DateTime<Utc>,
}

/// What a form for a passkey needs.
#[derive(Debug)]
pub(crate) struct PasskeyForm {
    /// The options for the browser, as JSON.
    pub(crate) options: String,
    /// The sealed state.
    pub(crate) ceremony: String,
}

impl PasskeyForm {
    pub(crate) fn new(service: &Service, guard: &Guard, purpose: Purpose, ceremony: Ceremony) -> Self {
        let now = service.clock.now();
        let Ceremony { options, state } = ceremony;
        let pending = Pending { id: ids::uuid(now, &*service.random), state, expires_at: now + LIFETIME };
        let plain = serde_json::to_vec(&pending).expect("it is plain data");
        let ceremony = service.key.seal(&guard.seals(purpose.name()), &plain, &*service.random);
        Self { options: options.to_string(), ceremony }
    }
}

/// Opens the state in a submitted form, and uses it up. `None` if it is not one of this browser and purpose, has expired
/// or was used.
pub(crate) async fn used(
    service: &Service,
    guard: &Guard,
    purpose: Purpose,
    form: &Form,
) -> Result<Option<Value>, StoreError> {
    let plain = service.key.open(&guard.seals(purpose.name()), form.get(CEREMONY));
    let pending: Option<Pending> = plain.and_then(|plain| serde_json::from_slice(&plain).ok());
    let Some(pending) = pending.filter(|pending| service.clock.now() < pending.expires_at) else { return Ok(None) };
    let answer = ConsentAnswer { page: pending.id, expires_at: pending.expires_at };
    Ok(service.store.consent_answer(answer).await?.then_some(pending.state))
}
