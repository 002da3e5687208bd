//! The second step of signing in with a password, for accounts with one-time codes: a code, a recovery code or a passkey.
//!
//! There is no session before it. The page carries, sealed for the browser, whose password was right. A sign-in by a
//! provider has no second step: asking for one is the provider's matter. A passkey is two factors by itself.

use askama::Template;
use bytes::Bytes;
use chrono::{DateTime, Duration, Utc};
use http::{Response, StatusCode};
use itinerary_api::extract::WebRequest;
use itinerary_app::audit::Event;
use itinerary_app::mails::{self, Notice};
use itinerary_app::one_time_codes::{self, UsedCode};
use itinerary_core::ids;
use itinerary_platform::context::Service;
use itinerary_platform::limits::Bucket;
use itinerary_platform::settings::Contact;
use itinerary_store::{Account, StoreError};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::passkey;
use super::sign_in::{self, Attempt};
use super::{Frame, InputField, page, with_cookie, with_script};
use crate::audited::audited;
use crate::ceremonies::{PasskeyForm, Purpose};
use crate::forms::{Form, Guard};

/// How long a traveller may look for their telephone.
const LIFETIME: Duration = Duration::minutes(10);
/// The field with the sealed first step.
const FIRST_STEP: &str = "first_step";
/// The field with the code.
pub(super) const CODE: &str = "code";

pub(super) const WRONG: &str = "This code is wrong, or was used before. Enter the one that your app shows now.";
/// The message after too many wrong codes, whose window is an hour.
const TOO_MANY: &str = "Too many wrong codes. Please wait up to an hour, then try again.";

/// A password that was right.
#[derive(Serialize, Deserialize)]
struct FirstStep {
    account: Uuid,
    /// Names the hash of the password, so that a new one ends this.
    password: String,
    expires_at: DateTime<Utc>,
}

#[derive(Template)]
#[template(path = "second_step.html")]
struct SecondStepPage<'a> {
    frame: Frame,
    guard: String,
    alert: &'a str,
    next: &'a str,
    first_step: String,
    fields: [InputField<'a>; 1],
    passkey: Option<PasskeyForm>,
    contact: Option<&'a Contact>,
}

/// The field for a code.
pub(super) fn field<'a>(error: Option<&str>) -> InputField<'a> {
    InputField {
        name: CODE,
        label: "Code",
        kind: "text",
        autocomplete: "one-time-code",
        hint: "The six digits that your authenticator app shows, or one of your recovery codes.",
        value: "",
        error: error.map(str::to_owned),
        focus: true,
    }
}

/// Whether the form is that of the second step.
pub(super) fn is_in(form: &Form) -> bool {
    form.has(FIRST_STEP)
}

/// The page after the right password of an account with one-time codes.
pub(super) async fn ask(
    service: &Service,
    guard: &Guard,
    form: &Form,
    account: &Account,
) -> Result<Response<Bytes>, StoreError> {
    show(service, guard, form, account, StatusCode::OK, "", None).await
}

/// Checks the second step and begins a session. `None` if the page is out of date.
pub(super) async fn submit(
    service: &Service,
    request: &WebRequest,
    guard: &Guard,
    form: &Form,
) -> Result<Option<Response<Bytes>>, StoreError> {
    let Some(account) = first_step(service, guard, form).await? else { return Ok(None) };
    let outcome = if passkey::is_in(form) {
        match passkey::attempt(service, request, guard, Purpose::SecondStep, form).await? {
            None => return Ok(None),
            Some(Attempt::Right(owner)) if owner.id != account.id => Attempt::Wrong,
            Some(outcome) => outcome,
        }
    } else {
        attempt(service, request, &account, account.id, form.get(CODE)).await?
    };
    let wrong = StatusCode::UNPROCESSABLE_ENTITY;
    let page = match outcome {
        Attempt::Right(_) => {
            let how = if passkey::is_in(form) { "Password and passkey" } else { "Password and code" };
            return sign_in::enter(service, request, form, &account, how).await;
        }
        Attempt::Wrong if passkey::is_in(form) => {
            show(service, guard, form, &account, wrong, passkey::REFUSED, None).await?
        }
        Attempt::Wrong => show(service, guard, form, &account, wrong, "", Some(WRONG)).await?,
        Attempt::TooMany(status, seconds) => {
            let page = show(service, guard, form, &account, status, alert(status), None).await?;
            sign_in::too_many(page, seconds)
        }
    };
    Ok(Some(page))
}

/// Why a code was not checked.
pub(super) fn alert(status: StatusCode) -> &'static str {
    if status == StatusCode::TOO_MANY_REQUESTS { TOO_MANY } else { sign_in::NOT_COUNTED }
}

/// The account whose password was right, if it still is and codes are still on.
async fn first_step(service: &Service, guard: &Guard, form: &Form) -> Result<Option<Account>, StoreError> {
    let plain = service.key.open(&guard.seals("first step"), form.get(FIRST_STEP));
    let step: Option<FirstStep> = plain.and_then(|plain| serde_json::from_slice(&plain).ok());
    let Some(step) = step.filter(|step| service.clock.now() < step.expires_at) else { return Ok(None) };
    let Some(account) = service.store.account(step.account).await? else { return Ok(None) };
    let is_valid = ids::short_hash(&account.password_hash) == step.password
        && service.config.sign_in.password_sign_in
        && one_time_codes::are_on(service, account.id).await?;
    Ok(is_valid.then_some(account))
}

/// Checks a code and uses it. Wrong ones count like wrong passwords, and from all addresses for `of`: the account, or the
/// session that is asked again. Recovery codes do not count there: nobody can guess one, and whoever knows the password must
/// not be able to lock out the owner who has one.
pub(super) async fn attempt(
    service: &Service,
    request: &WebRequest,
    account: &Account,
    of: Uuid,
    code: &str,
) -> Result<Attempt, StoreError> {
    let mut failures = vec![
        Bucket::SignInToAccount(account.username.clone(), request.address),
        Bucket::SignInFromAddress(request.address),
    ];
    if !one_time_codes::is_recovery_code(code) {
        failures.push(Bucket::SecondStep(of));
    }
    let guess = match service.limits.reserve(failures, service.clock.now()).await {
        Ok(guess) => guess,
        Err(full) => return Ok(Attempt::TooMany(full.status(), full.reset)),
    };
    let Some(used) = one_time_codes::check(service, account, code).await? else {
        audited(service, request, account.id, Event::SignInFailed, "Code").await;
        return Ok(Attempt::Wrong);
    };
    if used == UsedCode::Recovery {
        audited(service, request, account.id, Event::RecoveryCodeUsed, "").await;
        mails::notify(service, account.id, Notice::RecoveryCodeUsed).await;
    }
    guess.give_back(service.clock.now()).await;
    Ok(Attempt::Right(Box::new(account.clone())))
}

async fn show(
    service: &Service,
    guard: &Guard,
    form: &Form,
    account: &Account,
    status: StatusCode,
    alert: &str,
    error: Option<&str>,
) -> Result<Response<Bytes>, StoreError> {
    let passkeys = service.store.passkeys(account.id).await?;
    let passkey =
        if passkeys.is_empty() { None } else { passkey::form(service, guard, Purpose::SecondStep, &passkeys) };
    let step = FirstStep {
        account: account.id,
        password: ids::short_hash(&account.password_hash),
        expires_at: service.clock.now() + LIFETIME,
    };
    // A wrong code does not extend the time limit of the first step.
    let sealed = Some(form.get(FIRST_STEP)).filter(|sealed| !sealed.is_empty()).map(str::to_owned);
    let first_step = sealed.unwrap_or_else(|| {
        let plain = serde_json::to_vec(&step).expect("it is plain data");
        service.key.seal(&guard.seals("first step"), &plain, &*service.random)
    });
    let template = SecondStepPage {
        frame: Frame::bare(),
        guard: guard.code(service),
        alert,
        next: form.next().unwrap_or_default(),
        first_step,
        fields: [field(error)],
        passkey,
        contact: service.config.sign_in.contact.as_ref(),
    };
    Ok(with_cookie(with_script(page(status, &template)), guard.cookie.clone()))
}
