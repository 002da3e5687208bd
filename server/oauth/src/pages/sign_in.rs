//! Sign-in with username and password, or with a passkey. Passwords may be followed by a second step
//! (`second_step.rs`).
//!
//! Each check of a password takes some 30 ms of a processor, so all are limited: failures to 10 a minute for each account
//! and address and 30 for each address, successes to 20 a minute for each account and 120 for each address. A wrong name
//! gets the same response as a wrong password, after the same time.

use askama::Template;
use bytes::Bytes;
use http::header::RETRY_AFTER;
use http::{HeaderValue, Method, Response, StatusCode};
use itinerary_api::extract::WebRequest;
use itinerary_app::audit::{self, Actor, Event};
use itinerary_app::{accounts, mails, one_time_codes};
use itinerary_platform::context::Service;
use itinerary_platform::limits::Bucket;
use itinerary_platform::passwords::HashingKey;
use itinerary_platform::settings::Contact;
use itinerary_store::{Account, StoreError};

use super::provider::{ProviderButtons, form_targets};
use super::suspended::suspended;
use super::{
    AFTER_SIGN_IN, Frame, InputField, OUT_OF_DATE, or_unavailable, page_posting_to, passkey, second_step, see_other,
    with_cookie, with_script,
};
use crate::audited::audited;
use crate::ceremonies::{PasskeyForm, Purpose};
use crate::devices;
use crate::forms::{self, Form, Guard};
use crate::sessions::{self, Session};

#[derive(Template)]
#[template(path = "sign_in.html")]
struct SignInPage<'a> {
    frame: Frame,
    guard: String,
    next: &'a str,
    /// The page for creating an account, if everyone can.
    sign_up: Option<String>,
    contact: Option<&'a Contact>,
    /// Whether a new password can be set by mail.
    by_mail: bool,
    alert: &'a str,
    /// Why the traveller was led here.
    reason: &'static str,
    /// Username and password, unless passwords are not accepted.
    fields: Vec<InputField<'a>>,
    /// Unless passkeys cannot be used.
    passkey: Option<PasskeyForm>,
    providers: ProviderButtons,
}

/// `/sign-in`: the form, and signing in.
pub async fn sign_in(service: &Service, request: &WebRequest) -> Response<Bytes> {
    or_unavailable(match request.method {
        Method::POST => submit(service, request).await,
        _ => begin(service, request).await,
    })
}

const NO_PASSWORDS: &str = "Passwords are not accepted here. Continue with one of these.";
const WRONG: &str = "Wrong username or password.";
/// The message after a reset link was used.
const RESET: &str = "Your new password is set. Sign in with it.";
/// The message after too many failures.
const TOO_MANY: &str = "Too many attempts. Please wait a minute, then try again.";
pub(super) const NOT_COUNTED: &str = "Passwords cannot be checked right now. Please try again in a moment.";
/// The `Retry-After` while too many sign-ins are being checked, in seconds.
pub(super) const BUSY_SECONDS: u32 = 2;

/// Shows the form. Redirects a traveller who is already signed in.
async fn begin(service: &Service, request: &WebRequest) -> Result<Response<Bytes>, StoreError> {
    let form = Form::from_query(request);
    if sessions::current(service, &request.headers).await?.is_some() {
        return Ok(see_other(form.next().unwrap_or(AFTER_SIGN_IN)));
    }
    let guard = Guard::visitor(service, &request.headers);
    Ok(show(service, &guard, StatusCode::OK, &form, "", None))
}

/// Why one must sign in before the page at this address.
fn reason(next: &str) -> &'static str {
    let path = next.split_once('?').map_or(next, |(path, _)| path);
    match path {
        "/oauth/authorise" => "An app asks for access to your account. After you sign in, you decide what it may do.",
        "/trips" => "Sign in to see your trips.",
        "/account" => "Sign in to see your account.",
        "/account/apps" => "Sign in to see which apps are connected to your account.",
        "/account/blocks" => "Sign in to see whom you have blocked.",
        "/account/calendar" => "Sign in to turn your calendar address on or off.",
        "/account/data" => "Sign in to download your data.",
        "/account/delete" => "Sign in to delete your account.",
        "/account/email" => "Sign in to see your e-mail address.",
        "/verify-email" => "Sign in to verify your e-mail address.",
        "/account/invitations" => "Sign in to see your invitations.",
        "/account/one-time-codes" => "Sign in to turn one-time codes on or off.",
        "/account/passkeys" => "Sign in to see your passkeys.",
        "/account/security-log" => "Sign in to see the security log of your account.",
        "/account/password" => "Sign in to change your password.",
        "/account/tokens" => "Sign in to see your personal access tokens.",
        "/account/sign-in-methods" => "Sign in to see how you sign in.",
        path if path.starts_with("/trips/") => {
            "You are signing in to see a trip. Trips that are not open to everyone are shown to their owner and to the \
             people they are shared with."
        }
        _ => "",
    }
}

fn show(
    service: &Service,
    guard: &Guard,
    status: StatusCode,
    form: &Form,
    alert: &str,
    error: Option<&str>,
) -> Response<Bytes> {
    let password = InputField::password("password", "Password", "current-password").with_error(error);
    let fields = [
        InputField {
            name: "username",
            label: "Username",
            kind: "text",
            autocomplete: "username webauthn",
            hint: "",
            value: form.get("username"),
            error: None,
            focus: false,
        },
        password,
    ];
    let template = SignInPage {
        frame: Frame::bare(),
        guard: guard.code(service),
        next: form.next().unwrap_or_default(),
        sign_up: super::can_sign_up(service).then(|| forms::with_next("/sign-up", form.next())),
        contact: service.config.sign_in.contact.as_ref(),
        by_mail: mails::is_on(service),
        alert,
        reason: if form.has("reset") { RESET } else { form.next().map_or("", reason) },
        fields: if service.config.sign_in.password_sign_in { fields.into() } else { Vec::new() },
        passkey: passkey::form(service, guard, Purpose::SignIn, &[]),
        providers: ProviderButtons::new(service, guard, form, |_| true),
    };
    let has_script = template.passkey.is_some();
    let page = page_posting_to(status, &template, &form_targets(service));
    with_cookie(if has_script { with_script(page) } else { page }, guard.cookie.clone())
}

async fn submit(service: &Service, request: &WebRequest) -> Result<Response<Bytes>, StoreError> {
    let form = Form::from_body(request);
    let guard = Guard::visitor(service, &request.headers);
    let again = |status, alert| show(service, &guard, status, &form, alert, None);
    let wrong = || show(service, &guard, StatusCode::UNPROCESSABLE_ENTITY, &form, "", Some(WRONG));
    let is_first_step = !passkey::is_in(&form) && !second_step::is_in(&form);
    if is_first_step && !service.config.sign_in.password_sign_in {
        return Ok(again(StatusCode::FORBIDDEN, NO_PASSWORDS));
    }
    if !guard.admits(service, &form) {
        return Ok(again(StatusCode::FORBIDDEN, OUT_OF_DATE));
    }
    if second_step::is_in(&form) {
        let outcome = second_step::submit(service, request, &guard, &form).await?;
        return Ok(outcome.unwrap_or_else(|| again(StatusCode::FORBIDDEN, OUT_OF_DATE)));
    }
    if passkey::is_in(&form) {
        return by_passkey(service, request, &guard, &form).await;
    }
    match attempt(service, request, &form).await? {
        Attempt::Right(account) if one_time_codes::are_on(service, account.id).await? => {
            second_step::ask(service, &guard, &form, &account).await
        }
        Attempt::Right(account) => {
            let entered = enter(service, request, &form, &account, "Password").await?;
            Ok(entered.unwrap_or_else(wrong))
        }
        Attempt::Wrong => Ok(wrong()),
        Attempt::TooMany(status, seconds) => Ok(too_many(again(status, alert(status)), seconds)),
    }
}

/// Begins a session of somebody who has proved who they are, and goes on; `how` is for the log. Shows why the account is
/// suspended, if it is. `None` if the account has changed since it was found.
pub(super) async fn enter(
    service: &Service,
    request: &WebRequest,
    form: &Form,
    account: &Account,
    how: &str,
) -> Result<Option<Response<Bytes>>, StoreError> {
    if account.suspended_at.is_some()
        && let Some(page) = suspended(service, request, account.id).await?
    {
        return Ok(Some(page));
    }
    let Some(cookie) = sessions::begin_checked(service, &request.headers, account).await? else { return Ok(None) };
    audited(service, request, account.id, Event::SignedIn, how).await;
    let known = devices::signed_in(service, &request.headers, account.id).await;
    let response = with_cookie(see_other(form.next().unwrap_or(AFTER_SIGN_IN)), Some(cookie));
    Ok(Some(with_cookie(response, known)))
}

async fn by_passkey(
    service: &Service,
    request: &WebRequest,
    guard: &Guard,
    form: &Form,
) -> Result<Response<Bytes>, StoreError> {
    let again = |status, alert| show(service, guard, status, form, alert, None);
    let refused = || again(StatusCode::UNPROCESSABLE_ENTITY, passkey::REFUSED);
    match passkey::attempt(service, request, guard, Purpose::SignIn, form).await? {
        None => Ok(again(StatusCode::FORBIDDEN, OUT_OF_DATE)),
        Some(Attempt::Right(account)) => {
            let entered = enter(service, request, form, &account, "Passkey").await?;
            Ok(entered.unwrap_or_else(refused))
        }
        Some(Attempt::Wrong) => Ok(refused()),
        Some(Attempt::TooMany(status, seconds)) => Ok(too_many(again(status, alert(status)), seconds)),
    }
}

/// Why a password was not checked.
pub(super) fn alert(status: StatusCode) -> &'static str {
    if status == StatusCode::TOO_MANY_REQUESTS { TOO_MANY } else { NOT_COUNTED }
}

/// Adds `Retry-After` to the response.
pub(super) fn too_many(mut response: Response<Bytes>, seconds: u32) -> Response<Bytes> {
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
    response
}

/// The outcome of checking a password, a code or a passkey.
pub(super) enum Attempt {
    /// It belongs to this account.
    Right(Box<Account>),
    Wrong,
    /// Not checked after too many failures, or because attempts cannot be counted. Holds the status of the response and the
    /// seconds until the next attempt.
    TooMany(StatusCode, u32),
}

/// Checks the password of the signed-in traveller before an irreversible action. Failures count like those of sign-in.
pub(super) async fn confirm(
    service: &Service,
    request: &WebRequest,
    session: &Session,
    password: &str,
) -> Result<Attempt, StoreError> {
    let form = Form::from_pairs([("username", session.account.username.as_str()), ("password", password)]);
    attempt(service, request, &form).await
}

async fn attempt(service: &Service, request: &WebRequest, form: &Form) -> Result<Attempt, StoreError> {
    let username = Some(accounts::folded(form.get("username"))).filter(|name| accounts::is_username(name));
    // A malformed username has no account; its failures count only for the address.
    let name = username.clone().unwrap_or_default();
    let failures = [Bucket::SignInToAccount(name.clone(), request.address), Bucket::SignInFromAddress(request.address)];
    let successes = [Bucket::SignedInToAccount(name), Bucket::SignedInFromAddress(request.address)];
    let buckets = [failures.as_slice(), &successes].concat();
    let peeked = service.limits.peek(&buckets, service.clock.now()).await;
    if !peeked.allowed {
        return Ok(Attempt::TooMany(peeked.status(), peeked.reset));
    }
    let account = match &username {
        Some(username) => service.store.account_by_username(username).await?,
        None => None,
    };
    let keys = username.map(HashingKey::Account).into_iter().chain([HashingKey::Address(request.address)]).collect();
    let Some(turn) = service.hashing.turn_of(keys).await else {
        return Ok(Attempt::TooMany(StatusCode::TOO_MANY_REQUESTS, BUSY_SECONDS));
    };
    // Counted before it is checked, so that concurrent guesses cannot exceed the limit.
    let guess = match service.limits.reserve(failures.into(), service.clock.now()).await {
        Ok(guess) => guess,
        Err(full) => return Ok(Attempt::TooMany(full.status(), full.reset)),
    };
    let stored = account.as_ref().map(|account| account.password_hash.as_str());
    if !turn.verify(form.get("password"), stored).await {
        // For an unknown name, too: it must take the same time.
        let account = account.map(|account| account.id);
        audit::record(service, Event::SignInFailed, account, Actor::Traveller(request.address), "").await;
        return Ok(Attempt::Wrong);
    }
    guess.give_back(service.clock.now()).await;
    // Not counted in advance, because a stranger's guesses must not use up an account's successes. So the few checks that
    // run at once may exceed the limit.
    service.limits.take(&successes, service.clock.now()).await;
    Ok(account.map_or(Attempt::Wrong, |account| Attempt::Right(Box::new(account))))
}
