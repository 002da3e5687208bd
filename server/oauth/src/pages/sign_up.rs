//! Creating an account, and signing in with it.

use askama::Template;
use bytes::Bytes;
use http::header::RETRY_AFTER;
use http::{HeaderValue, Method, Response, StatusCode};
use itinerary_api::extract::WebRequest;
use itinerary_app::accounts::{self, AccountCandidate, AccountError};
use itinerary_platform::context::Service;
use itinerary_platform::limits::Bucket;
use itinerary_store::StoreError;

use super::{
    AFTER_SIGN_IN, Frame, InputField, OUT_OF_DATE, PASSWORD_RULES, or_unavailable, page, see_other, with_cookie,
};
use crate::forms::{self, Form, Guard};
use crate::sessions;

/// The names of the fields, in order.
const FIELDS: [&str; 3] = ["username", "display_name", "password"];

#[derive(Template)]
#[template(path = "sign_up.html")]
struct SignUpPage<'a> {
    frame: Frame,
    guard: String,
    next: &'a str,
    sign_in: String,
    alert: &'a str,
    fields: [InputField<'a>; 3],
}

/// `/sign-up`: the form, and creating the account.
pub async fn sign_up(service: &Service, request: &WebRequest) -> Response<Bytes> {
    if request.method == Method::POST {
        or_unavailable(submit(service, request).await)
    } else {
        let guard = Guard::visitor(service, &request.headers);
        show(service, &guard, StatusCode::OK, &Form::from_query(request), "", &[])
    }
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
    let template = SignUpPage {
        frame: Frame::bare(),
        guard: guard.code(service),
        next: form.next().unwrap_or_default(),
        sign_in: forms::with_next("/sign-in", form.next()),
        alert,
        fields: [
            field(
                "username",
                "Username",
                "text",
                "username",
                "3 to 30 letters (a to z), digits, dots, hyphens or underscores, beginning with a letter or digit.",
                form.get("username"),
            ),
            field(
                "display_name",
                "Display name",
                "text",
                "name",
                "What other travellers see, at most 100 characters.",
                form.get("display_name"),
            ),
            // A password is never sent back.
            field("password", "Password", "password", "new-password", PASSWORD_RULES, ""),
        ],
    };
    with_cookie(page(status, &template), guard.cookie.clone())
}

fn message(errors: &[AccountError], name: &str) -> Option<String> {
    errors.iter().find_map(|error| match error {
        AccountError::Invalid { field, message } if *field == name => Some(message.clone()),
        AccountError::Taken if name == "username" => Some("This username is taken. Choose another.".to_owned()),
        _ => None,
    })
}

async fn submit(service: &Service, request: &WebRequest) -> Result<Response<Bytes>, StoreError> {
    let form = Form::from_body(request);
    let guard = Guard::visitor(service, &request.headers);
    let again = |status, alert, errors: &[AccountError]| show(service, &guard, status, &form, alert, errors);
    if !guard.admits(service, &form) {
        return Ok(again(StatusCode::FORBIDDEN, OUT_OF_DATE, &[]));
    }
    let candidate = match AccountCandidate::new(form.get("username"), form.get("display_name"), form.get("password")) {
        Ok(candidate) => candidate,
        Err(errors) => return Ok(again(StatusCode::UNPROCESSABLE_ENTITY, "", &errors)),
    };
    let verdict = service.limits.take(&[Bucket::SignUp(request.address)], service.clock.now()).await;
    if !verdict.allowed {
        let alert = if verdict.counted {
            "Too many accounts were created from your address. Please try again later."
        } else {
            "Accounts cannot be created right now. Please try again in a moment."
        };
        let mut response = again(verdict.status(), alert, &[]);
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(verdict.reset));
        return Ok(response);
    }
    match accounts::create_candidate(service, &candidate).await {
        Ok(account_id) => {
            let cookie = sessions::begin(service, &request.headers, account_id).await?;
            Ok(with_cookie(see_other(form.next().unwrap_or(AFTER_SIGN_IN)), Some(cookie)))
        }
        Err(AccountError::Store(error)) => Err(error),
        Err(AccountError::Busy) => {
            let alert = "Many people are signing in right now. Please try again in a moment.";
            let mut response = again(StatusCode::SERVICE_UNAVAILABLE, alert, &[]);
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("2"));
            Ok(response)
        }
        Err(error) => Ok(again(StatusCode::UNPROCESSABLE_ENTITY, "", &[error])),
    }
}
