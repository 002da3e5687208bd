//! Creating an account, and signing in with it.
//!
//! The setting `sign_up` says who can: everyone, those with an invitation, or nobody. An invitation is a secret in the
//! address, which the form carries on and which is used in the transaction that creates the account. One that is unknown,
//! used, revoked or expired gets the same response.

use askama::Template;
use bytes::Bytes;
use http::header::RETRY_AFTER;
use http::{HeaderValue, Method, Response, StatusCode};
use itinerary_api::extract::WebRequest;
use itinerary_app::accounts::{self, AccountCandidate, AccountError};
use itinerary_app::audit::Event;
use itinerary_app::mails::{self, MailError};
use itinerary_app::sign_up_invitations;
use itinerary_platform::context::Service;
use itinerary_platform::limits::{Bucket, Verdict};
use itinerary_platform::mail_address::MailAddress;
use itinerary_platform::settings::SignUpMode;
use itinerary_store::{Hash, StoreError};
use uuid::Uuid;

use super::email::{EMAIL, INVALID};
use super::provider::{ProviderButtons, form_targets};
use super::{
    AFTER_SIGN_IN, Frame, InputField, OUT_OF_DATE, PASSWORD_RULES, makes_accounts, or_unavailable, page_posting_to,
    see_other, with_cookie,
};
use crate::audited::audited;
use crate::devices;
use crate::forms::{self, Form, Guard};
use crate::sessions;

/// The names of the fields, in order.
const FIELDS: [&str; 4] = ["username", "display_name", "email", "password"];
/// The parameter and field with an invitation's secret.
const INVITATION: &str = "invitation";

/// The rules of a username.
pub(super) const USERNAME_HINT: &str =
    "3 to 30 letters (a to z), digits, dots, hyphens or underscores, beginning with a letter or digit.";
pub(super) const DISPLAY_NAME_HINT: &str = "What other travellers see, at most 100 characters.";

const EMAIL_HINT: &str = "With one, you can set a new password if you forget yours. Nobody else sees it.";

#[derive(Template)]
#[template(path = "sign_up.html")]
struct SignUpPage<'a> {
    frame: Frame,
    guard: String,
    next: &'a str,
    /// The secret of the invitation, if one is needed.
    invitation: &'a str,
    sign_in: String,
    alert: &'a str,
    /// Empty if accounts have no passwords.
    fields: Vec<InputField<'a>>,
    /// The field for an e-mail address, which may stay empty. `None` if the server sends no mail.
    email: Option<InputField<'a>>,
    providers: ProviderButtons,
}

/// Why somebody cannot create an account.
enum Refusal {
    /// The operator creates accounts.
    Closed,
    /// The address has no invitation.
    NotInvited,
    /// The invitation is unknown, used, revoked or expired.
    InvalidInvitation,
    /// Accounts have no passwords.
    NoPasswords,
}

impl Refusal {
    fn words(&self) -> (&'static str, &'static str) {
        match self {
            Self::NoPasswords => {
                ("Accounts have no passwords here", "Go back, and continue with one of the providers on the page.")
            }
            Self::Closed => (
                "Accounts are created by the operator",
                "You cannot create an account yourself. Ask the person who runs this service.",
            ),
            Self::NotInvited => (
                "You need an invitation",
                "Accounts on this service are created by invitation. If you have one, open its whole address. \
                 Otherwise ask the person who runs this service.",
            ),
            Self::InvalidInvitation => (
                "This invitation is not valid",
                "It has been used or revoked, it has expired, or its address is incomplete. Ask the person who invited \
                 you for another one.",
            ),
        }
    }
}

/// `/sign-up`: the form, and creating the account.
pub async fn sign_up(service: &Service, request: &WebRequest) -> Response<Bytes> {
    or_unavailable(respond(service, request).await)
}

async fn respond(service: &Service, request: &WebRequest) -> Result<Response<Bytes>, StoreError> {
    let is_submitted = request.method == Method::POST;
    let form = if is_submitted { Form::from_body(request) } else { Form::from_query(request) };
    match admitted(service, &form).await? {
        Ok(_) if is_submitted && !service.config.sign_in.password_sign_in => {
            Ok(refuse(service, true, &form, &Refusal::NoPasswords))
        }
        Ok(invitation) if is_submitted => submit(service, request, &form, invitation.as_ref()).await,
        Ok(_) => {
            let guard = Guard::visitor(service, &request.headers);
            Ok(show(service, &guard, StatusCode::OK, &form, "", &[]))
        }
        Err(refusal) => Ok(refuse(service, is_submitted, &form, &refusal)),
    }
}

fn is_open(service: &Service) -> bool {
    service.config.sign_in.sign_up == SignUpMode::Open
}

/// Whether an account can be created with this form, and with which invitation, if one is needed.
async fn admitted(service: &Service, form: &Form) -> Result<Result<Option<Hash>, Refusal>, StoreError> {
    if !service.config.sign_in.password_sign_in && !makes_accounts(service) {
        return Ok(Err(Refusal::Closed));
    }
    match service.config.sign_in.sign_up {
        SignUpMode::Open => Ok(Ok(None)),
        SignUpMode::Closed => Ok(Err(Refusal::Closed)),
        SignUpMode::Invite if form.get(INVITATION).is_empty() => Ok(Err(Refusal::NotInvited)),
        SignUpMode::Invite => {
            let invitation = sign_up_invitations::valid(service, form.get(INVITATION)).await?;
            Ok(invitation.map(Some).ok_or(Refusal::InvalidInvitation))
        }
    }
}

fn refuse(service: &Service, is_submitted: bool, form: &Form, refusal: &Refusal) -> Response<Bytes> {
    let (title, advice) = refusal.words();
    let status = if is_submitted { StatusCode::FORBIDDEN } else { StatusCode::OK };
    super::advice::advice(service, status, title, advice, form.next())
}

fn show(
    service: &Service,
    guard: &Guard,
    status: StatusCode,
    form: &Form,
    alert: &str,
    errors: &[AccountError],
) -> Response<Bytes> {
    let field = |name, label, kind, autocomplete, hint, value| InputField {
        name,
        label,
        kind,
        autocomplete,
        hint,
        value,
        error: message(errors, name),
        focus: FIELDS.into_iter().find(|field| message(errors, field).is_some()) == Some(name),
    };
    let fields = [
        field("username", "Username", "text", "username", USERNAME_HINT, form.get("username")),
        field("display_name", "Display name", "text", "name", DISPLAY_NAME_HINT, form.get("display_name")),
        // A password is never sent back.
        field("password", "Password", "password", "new-password", PASSWORD_RULES, ""),
    ];
    let has_email = mails::is_on(service) && service.config.sign_in.password_sign_in;
    let template = SignUpPage {
        frame: Frame::bare(),
        email: has_email
            .then(|| field(EMAIL, "E-mail address (optional)", "email", "email", EMAIL_HINT, form.get(EMAIL))),
        guard: guard.code(service),
        next: form.next().unwrap_or_default(),
        invitation: if is_open(service) { "" } else { form.get(INVITATION) },
        sign_in: forms::with_next("/sign-in", form.next()),
        alert,
        fields: if service.config.sign_in.password_sign_in { fields.into() } else { Vec::new() },
        providers: ProviderButtons::new(service, guard, form, |provider| provider.settings.create_accounts),
    };
    with_cookie(page_posting_to(status, &template, &form_targets(service)), guard.cookie.clone())
}

/// The error at a field.
pub(super) fn message(errors: &[AccountError], name: &str) -> Option<String> {
    errors.iter().find_map(|error| match error {
        AccountError::Invalid { field, message } if *field == name => Some(message.clone()),
        AccountError::Taken if name == "username" => Some("This username is taken. Choose another.".to_owned()),
        _ => None,
    })
}

/// Why no account is created for a while.
pub(super) fn too_many_alert(verdict: Verdict) -> &'static str {
    if verdict.counted {
        "Too many accounts were created from your address. Please try again later."
    } else {
        "Accounts cannot be created right now. Please try again in a moment."
    }
}

async fn submit(
    service: &Service,
    request: &WebRequest,
    form: &Form,
    invitation: Option<&Hash>,
) -> Result<Response<Bytes>, StoreError> {
    let guard = Guard::visitor(service, &request.headers);
    let again = |status, alert, errors: &[AccountError]| show(service, &guard, status, form, alert, errors);
    if !guard.admits(service, form) {
        return Ok(again(StatusCode::FORBIDDEN, OUT_OF_DATE, &[]));
    }
    let candidate = match AccountCandidate::new(form.get("username"), form.get("display_name"), form.get("password")) {
        Ok(candidate) => candidate,
        Err(errors) => return Ok(again(StatusCode::UNPROCESSABLE_ENTITY, "", &errors)),
    };
    let typed = Some(form.get(EMAIL)).filter(|text| mails::is_on(service) && !text.trim().is_empty());
    let email = match typed.map(MailAddress::parse) {
        None => None,
        Some(Some(address)) => Some(address),
        Some(None) => {
            let error = AccountError::Invalid { field: EMAIL, message: INVALID.to_owned() };
            return Ok(again(StatusCode::UNPROCESSABLE_ENTITY, "", &[error]));
        }
    };
    let verdict = service.limits.take(&[Bucket::SignUp(request.address)], service.clock.now()).await;
    if !verdict.allowed {
        let mut response = again(verdict.status(), too_many_alert(verdict), &[]);
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(verdict.reset));
        return Ok(response);
    }
    match accounts::create_candidate(service, &candidate, invitation, None).await {
        Ok(account_id) => {
            let cookie = sessions::begin(service, &request.headers, account_id).await?;
            audited(service, request, account_id, Event::AccountCreated, "").await;
            if let Some(email) = email {
                claim(service, request, account_id, &email).await;
            }
            let known = devices::known(service, &request.headers, account_id);
            let response = with_cookie(see_other(form.next().unwrap_or(AFTER_SIGN_IN)), cookie);
            Ok(with_cookie(response, known))
        }
        Err(AccountError::Store(error)) => Err(error),
        // It was used concurrently.
        Err(AccountError::NotInvited) => Ok(refuse(service, true, form, &Refusal::InvalidInvitation)),
        Err(AccountError::Busy) => {
            let alert = "Many people are signing in right now. Please try again in a moment.";
            let mut response = again(StatusCode::SERVICE_UNAVAILABLE, alert, &[]);
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("2"));
            Ok(response)
        }
        Err(error) => Ok(again(StatusCode::UNPROCESSABLE_ENTITY, "", &[error])),
    }
}

/// Sends the link that verifies the address. The account is there without it too: if no mail is sent, its owner asks again on
/// the page of the address.
async fn claim(service: &Service, request: &WebRequest, account: Uuid, address: &MailAddress) {
    if let Err(MailError::Store(error)) = mails::request_verification(service, request.address, account, address).await
    {
        tracing::warn!(error = &error as &dyn std::error::Error, "the address of a new account was not stored");
    }
}
