//! Signing with a passkey: the form that asks for one, and the check of what the browser sends.
//!
//! Whether a passkey is unknown, or its signature, challenge, origin or counter is wrong, the response is the same.

use itinerary_api::extract::WebRequest;
use itinerary_app::audit::{self, Actor, Event};
use itinerary_app::passkeys::Authenticated;
use itinerary_app::{accounts, passkeys};
use itinerary_platform::context::Service;
use itinerary_platform::limits::Bucket;
use itinerary_store::{PasskeyRow, StoreError};

use super::sign_in::Attempt;
use crate::ceremonies::{self, CREDENTIAL, PasskeyForm, Purpose};
use crate::forms::{Form, Guard};

/// The message after a passkey was refused.
pub(super) const REFUSED: &str = "This passkey was not accepted. Try again, or choose another way.";

/// Whether the form was submitted with a passkey.
pub(super) fn is_in(form: &Form) -> bool {
    !form.get(CREDENTIAL).is_empty()
}

/// A form that asks for a passkey; with `allowed`, for one of these. `None` if passkeys cannot be used.
pub(super) fn form(service: &Service, guard: &Guard, purpose: Purpose, allowed: &[PasskeyRow]) -> Option<PasskeyForm> {
    let ceremony = passkeys::begin_authentication(service, allowed)?;
    Some(PasskeyForm::new(service, guard, purpose, ceremony))
}

/// Whose passkey was used, `None` if the page is out of date. Failures count like wrong passwords from the address.
pub(super) async fn attempt(
    service: &Service,
    request: &WebRequest,
    guard: &Guard,
    purpose: Purpose,
    form: &Form,
) -> Result<Option<Attempt>, StoreError> {
    let failures = vec![Bucket::SignInFromAddress(request.address)];
    let guess = match service.limits.reserve(failures, service.clock.now()).await {
        Ok(guess) => guess,
        Err(full) => return Ok(Some(Attempt::TooMany(full.status(), full.reset))),
    };
    let Some(state) = ceremonies::used(service, guard, purpose, form).await? else {
        guess.give_back(service.clock.now()).await;
        return Ok(None);
    };
    let account = match passkeys::authenticate(service, state, form.get(CREDENTIAL)).await? {
        Authenticated::Right(account) => account,
        Authenticated::Refused(account) => {
            audit::record(service, Event::SignInFailed, account, Actor::Traveller(request.address), "Passkey").await;
            return Ok(Some(Attempt::Wrong));
        }
    };
    guess.give_back(service.clock.now()).await;
    let name = accounts::folded(&account.username);
    let successes = [Bucket::SignedInToAccount(name), Bucket::SignedInFromAddress(request.address)];
    let verdict = service.limits.take(&successes, service.clock.now()).await;
    if !verdict.allowed {
        return Ok(Some(Attempt::TooMany(verdict.status(), verdict.reset)));
    }
    Ok(Some(Attempt::Right(account)))
}
