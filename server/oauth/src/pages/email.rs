//! The account's e-mail address: setting it, verifying it with the link of a mail, changing and removing it.
//!
//! Nobody learns here whether another account has an address: the mail says so to its owner. A link is used in a session of
//! the account that claims the address; looking at its page uses nothing, because programs that check links open them too.

use askama::Template;
use bytes::Bytes;
use http::{Method, Response, StatusCode};
use itinerary_api::extract::WebRequest;
use itinerary_app::audit::Event;
use itinerary_app::mails::{self, MailError};
use itinerary_platform::context::Service;
use itinerary_platform::limits::Verdict;
use itinerary_platform::mail_address::MailAddress;
use itinerary_store::{StoreError, UnverifiedAddress, VerifyOutcome};

use super::advice::{advice, advice_with_link};
use super::confirm::recent_session;
use super::sign_in::too_many;
use super::{Frame, InputField, OUT_OF_DATE, PageDate, or_unavailable, page, see_other, with_cookie};
use crate::audited::audited;
use crate::devices;
use crate::forms::{self, Form, Guard};
use crate::sessions::{self, Session};

pub(super) const HERE: &str = "/account/email";
const VERIFY: &str = "/verify-email";
/// Where the browser is redirected after an address was verified.
const VERIFIED: &str = "/account?email=verified";
/// The parameter and field with the link's secret.
const TOKEN: &str = "token";
/// The field with the address.
pub(super) const EMAIL: &str = "email";

/// The message at a malformed address.
pub(super) const INVALID: &str = "Enter an address such as name@example.org, in plain letters.";

#[derive(Template)]
#[template(path = "email.html")]
struct EmailPage<'a> {
    frame: Frame,
    guard: String,
    alert: &'a str,
    notice: &'static str,
    verified: Option<(String, PageDate)>,
    unverified: Option<String>,
    /// Whether the server sends mail.
    can_set: bool,
    fields: [InputField<'a>; 1],
}

#[derive(Template)]
#[template(path = "verify_email.html")]
struct VerifyPage<'a> {
    frame: Frame,
    guard: String,
    alert: &'a str,
    token: &'a str,
    address: &'a str,
    username: &'a str,
}

/// Why no mail is sent for a while.
pub(super) fn too_many_alert(verdict: Verdict) -> &'static str {
    if verdict.counted {
        "Too many messages were asked for from your address. Please try again later."
    } else {
        "Messages cannot be sent right now. Please try again in a moment."
    }
}

/// `/account/email`: the address, setting and removing it.
pub async fn email(service: &Service, request: &WebRequest) -> Response<Bytes> {
    or_unavailable(respond(service, request).await)
}

async fn respond(service: &Service, request: &WebRequest) -> Result<Response<Bytes>, StoreError> {
    let session = match recent_session(service, request, HERE).await? {
        Ok(session) => session,
        Err(redirect) => return Ok(redirect),
    };
    let view = View { service, session: &session };
    if request.method != Method::POST {
        let notice = match Form::from_query(request).get("done") {
            "sent" => "A message with a link is on its way. Open the link within 60 minutes in this browser.",
            "removed" => "Your e-mail address is removed.",
            _ => "",
        };
        return view.show(StatusCode::OK, &Form::default(), "", notice, None).await;
    }
    let form = Form::from_body(request);
    if !Guard::session(&session).admits(service, &form) {
        return view.show(StatusCode::FORBIDDEN, &form, OUT_OF_DATE, "", None).await;
    }
    if form.has("remove") {
        mails::remove_address(service, session.account.id).await?;
        audited(service, request, session.account.id, Event::EmailChanged, "Removed").await;
        return Ok(see_other(&format!("{HERE}?done=removed")));
    }
    if !mails::is_on(service) {
        return view.show(StatusCode::FORBIDDEN, &form, "", "", None).await;
    }
    let Some(address) = MailAddress::parse(form.get(EMAIL)) else {
        return view.show(StatusCode::UNPROCESSABLE_ENTITY, &form, "", "", Some(INVALID)).await;
    };
    match mails::request_verification(service, request.address, session.account.id, &address).await {
        Ok(()) => Ok(see_other(&format!("{HERE}?done=sent"))),
        Err(MailError::Store(error)) => Err(error),
        Err(MailError::TooMany(verdict)) => {
            let again = view.show(verdict.status(), &form, too_many_alert(verdict), "", None).await?;
            Ok(too_many(again, verdict.reset))
        }
    }
}

/// What the page shows, and to whom.
struct View<'a> {
    service: &'a Service,
    session: &'a Session,
}

impl View<'_> {
    async fn show(
        &self,
        status: StatusCode,
        form: &Form,
        alert: &str,
        notice: &'static str,
        error: Option<&str>,
    ) -> Result<Response<Bytes>, StoreError> {
        let (store, account) = (&self.service.store, self.session.account.id);
        let verified = store.mail_address(account).await?;
        let unverified = store.unverified_address(account, self.service.clock.now()).await?;
        let can_set = mails::is_on(self.service);
        if !can_set && verified.is_none() && unverified.is_none() {
            let words = "So your account has no e-mail address. If you forget your password, ask the person who runs this \
                         service.";
            return Ok(advice(self.service, status, "This service sends no e-mail", words, None));
        }
        let template = EmailPage {
            frame: Frame::of(Some(self.session)),
            guard: Guard::session(self.session).code(self.service),
            alert,
            notice,
            verified: verified.map(|row| (row.address, PageDate::of(row.verified_at))),
            unverified: unverified.map(|row| row.address),
            can_set,
            fields: [field(form.get(EMAIL), "").with_error(error)],
        };
        Ok(page(status, &template))
    }
}

/// The field for an address.
pub(super) fn field<'a>(value: &'a str, hint: &'static str) -> InputField<'a> {
    InputField {
        name: EMAIL,
        label: "E-mail address",
        kind: "email",
        autocomplete: "email",
        hint,
        value,
        error: None,
        focus: false,
    }
}

/// `/verify-email`: the page of a link, and using it.
pub async fn verify_email(service: &Service, request: &WebRequest) -> Response<Bytes> {
    or_unavailable(verify(service, request).await)
}

async fn verify(service: &Service, request: &WebRequest) -> Result<Response<Bytes>, StoreError> {
    let is_submitted = request.method == Method::POST;
    let form = if is_submitted { Form::from_body(request) } else { Form::from_query(request) };
    let token = form.get(TOKEN);
    let Some(session) = sessions::current(service, &request.headers).await? else {
        let query = form_urlencoded::Serializer::new(String::new()).append_pair(TOKEN, token).finish();
        return Ok(see_other(&forms::with_next("/sign-in", Some(&format!("{VERIFY}?{query}")))));
    };
    let claimed = mails::claimed(service, token).await?;
    let Some(claimed) = claimed.filter(|claimed| claimed.account_id == session.account.id) else {
        return Ok(refused(is_submitted));
    };
    if !is_submitted {
        return Ok(show_link(service, &session, &claimed, token, StatusCode::OK, ""));
    }
    if !Guard::session(&session).admits(service, &form) {
        return Ok(show_link(service, &session, &claimed, token, StatusCode::FORBIDDEN, OUT_OF_DATE));
    }
    Ok(match mails::verify(service, session.account.id, token).await? {
        VerifyOutcome::Verified => {
            audited(service, request, session.account.id, Event::EmailChanged, "").await;
            // Otherwise the next sign-in with this browser would be a new one.
            let cookie = devices::known(service, &request.headers, session.account.id);
            with_cookie(see_other(VERIFIED), cookie)
        }
        VerifyOutcome::Taken => {
            let words = "It was verified for another account of yours in the meantime, and belongs to one account only. \
                         Remove it there first.";
            advice_with_link(StatusCode::CONFLICT, "Another account has this address", words, LINK)
        }
        VerifyOutcome::Invalid => refused(true),
    })
}

/// Where one continues after a link that cannot be used.
const LINK: (&str, &str) = (HERE, "Your e-mail address");

fn refused(is_submitted: bool) -> Response<Bytes> {
    let status = if is_submitted { StatusCode::FORBIDDEN } else { StatusCode::OK };
    let words = "It has been used or replaced, it has expired, its address is incomplete, or you are signed in to another \
                 account than the one for which it was sent.";
    advice_with_link(status, "This link is not valid", words, LINK)
}

fn show_link(
    service: &Service,
    session: &Session,
    claimed: &UnverifiedAddress,
    token: &str,
    status: StatusCode,
    alert: &str,
) -> Response<Bytes> {
    let template = VerifyPage {
        frame: Frame::of(Some(session)),
        guard: Guard::session(session).code(service),
        alert,
        token,
        address: &claimed.address,
        username: &session.account.username,
    };
    page(status, &template)
}
