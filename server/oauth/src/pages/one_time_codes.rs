//! One-time codes: turning them on with a QR code, new recovery codes, and turning them off. The page asks again who is
//! there.
//!
//! Until a code has confirmed it, a new secret is only in the page, sealed for the session.

use askama::Template;
use bytes::Bytes;
use chrono::{DateTime, Duration, Utc};
use http::{Method, Response, StatusCode};
use itinerary_api::extract::WebRequest;
use itinerary_app::one_time_codes::{self, RECOVERY_CODES, TurnedOn};
use itinerary_platform::context::Service;
use itinerary_store::StoreError;
use qrcode::{Color, EcLevel, QrCode};
use serde::{Deserialize, Serialize};

use super::confirm::{has_password, recent_session};
use super::{
    Frame, InputField, OUT_OF_DATE, PageDate, or_unavailable, page, second_step, see_other, sign_in_methods,
    with_script,
};
use crate::audited::{method_added, method_removed};
use crate::forms::{self, Form, Guard};
use crate::sessions::Session;

const HERE: &str = "/account/one-time-codes";
/// How long a new secret can be confirmed.
const LIFETIME: Duration = Duration::hours(1);
/// The field with the sealed secret.
const SETUP: &str = "setup";
/// The white border of a QR code, in modules.
const BORDER: usize = 4;

const WRONG: &str = "This code is not the one that the app shows now. Check the clock of your device, and try again.";
const NO_PASSWORD: &str = "One-time codes are asked after the password, and your account has none.";

#[derive(Template)]
#[template(path = "one_time_codes.html")]
struct CodesPage<'a> {
    frame: Frame,
    guard: String,
    alert: &'a str,
    notice: &'static str,
    /// Recovery codes that were just made.
    made: Option<&'a Made>,
    state: State<'a>,
}

enum State<'a> {
    On {
        since: PageDate,
        left: i64,
    },
    Off {
        qr: Qr,
        secret: String,
        setup: String,
        fields: [InputField<'a>; 1],
    },
    /// The account has no password.
    Useless,
}

struct Made {
    codes: Vec<String>,
    /// All of them, to be copied.
    text: String,
}

impl Made {
    fn of(codes: Vec<String>) -> Self {
        Self { text: codes.join("\n"), codes }
    }
}

/// A QR code as the path of an SVG image.
struct Qr {
    width: usize,
    path: String,
}

impl Qr {
    fn of(text: &str) -> Self {
        let code = QrCode::with_error_correction_level(text, EcLevel::M).expect("it has room for an address");
        let width = code.width();
        let dark = code.to_colors().into_iter().enumerate().filter(|(_, color)| *color == Color::Dark);
        let squares = dark.map(|(at, _)| format!("M{} {}h1v1h-1z", at % width + BORDER, at / width + BORDER));
        Self { path: squares.collect(), width: width + 2 * BORDER }
    }
}

/// A secret that was not confirmed yet.
#[derive(Serialize, Deserialize)]
struct Setup {
    secret: Vec<u8>,
    expires_at: DateTime<Utc>,
}

/// `/account/one-time-codes`: turning codes on and off, and new recovery codes.
pub async fn one_time_codes(service: &Service, request: &WebRequest) -> Response<Bytes> {
    or_unavailable(respond(service, request).await)
}

async fn respond(service: &Service, request: &WebRequest) -> Result<Response<Bytes>, StoreError> {
    let session = match recent_session(service, request, HERE).await? {
        Ok(session) => session,
        Err(redirect) => return Ok(redirect),
    };
    let view = View { service, request, session: &session, guard: Guard::session(&session) };
    if request.method != Method::POST {
        return view.show(StatusCode::OK, ("", ""), None, None).await;
    }
    let form = Form::from_body(request);
    if !view.guard.admits(service, &form) {
        return view.show(StatusCode::FORBIDDEN, (OUT_OF_DATE, ""), None, None).await;
    }
    let account = session.account.id;
    match form.get("do") {
        "off" => {
            if service.store.one_time_codes_turn_off(account, &session.hash).await? {
                method_removed(service, request, account, "One-time codes").await;
            }
            Ok(see_other(&format!("{}?done=codes-off", sign_in_methods::HERE)))
        }
        "recovery-codes" => match one_time_codes::renew_recovery_codes(service, account, &session.hash).await? {
            Some(codes) => {
                method_added(service, request, account, "Recovery codes").await;
                view.show(StatusCode::OK, ("", NEW), None, Some(&Made::of(codes))).await
            }
            None => Ok(see_other(HERE)),
        },
        _ => view.turn_on(&form).await,
    }
}

const NEW: &str = "You have new recovery codes. The old ones are not valid any more.";
const ON: &str = "One-time codes are on. From now on, signing in with your password asks for one.";

/// What the page shows, and to whom.
struct View<'a> {
    service: &'a Service,
    request: &'a WebRequest,
    session: &'a Session,
    guard: Guard,
}

impl View<'_> {
    async fn turn_on(&self, form: &Form) -> Result<Response<Bytes>, StoreError> {
        let Self { service, session, guard, .. } = self;
        if !has_password(service, &session.account) {
            return self.show(StatusCode::UNPROCESSABLE_ENTITY, (NO_PASSWORD, ""), None, None).await;
        }
        let plain = service.key.open(&guard.seals(SETUP), form.get(SETUP));
        let setup: Option<Setup> = plain.and_then(|plain| serde_json::from_slice(&plain).ok());
        let Some(setup) = setup.filter(|setup| service.clock.now() < setup.expires_at) else {
            return self.show(StatusCode::FORBIDDEN, (OUT_OF_DATE, ""), None, None).await;
        };
        let (account, code) = (session.account.id, form.get(second_step::CODE));
        match one_time_codes::turn_on(service, account, &session.hash, &setup.secret, code).await? {
            TurnedOn::On(codes) => {
                method_added(service, self.request, account, "One-time codes").await;
                self.show(StatusCode::OK, ("", ON), None, Some(&Made::of(codes))).await
            }
            TurnedOn::WrongCode => {
                let again = Some((setup, form.get(SETUP)));
                self.show(StatusCode::UNPROCESSABLE_ENTITY, ("", ""), again, None).await
            }
            // The form was submitted twice.
            TurnedOn::OnBefore => Ok(see_other(HERE)),
            TurnedOn::SignedOut => Ok(see_other(&forms::with_next("/sign-in", Some(HERE)))),
        }
    }

    /// Shows the page; with `again`, after a wrong code for this secret.
    async fn show(
        &self,
        status: StatusCode,
        (alert, notice): (&str, &'static str),
        again: Option<(Setup, &str)>,
        made: Option<&Made>,
    ) -> Result<Response<Bytes>, StoreError> {
        let Self { service, session, guard, .. } = self;
        let account = &session.account;
        let state = match service.store.one_time_codes(account.id).await? {
            Some(codes) => State::On {
                since: PageDate::of(codes.created_at),
                left: service.store.recovery_codes_left(account.id).await?,
            },
            None if !has_password(service, account) => State::Useless,
            None => self.setup(again),
        };
        let template =
            CodesPage { frame: Frame::of(Some(session)), guard: guard.code(service), alert, notice, made, state };
        let has_script = made.is_some();
        let page = page(status, &template);
        Ok(if has_script { with_script(page) } else { page })
    }

    fn setup<'a>(&self, again: Option<(Setup, &str)>) -> State<'a> {
        let Self { service, session, guard, .. } = self;
        let error = again.is_some().then_some(WRONG);
        let (secret, sealed) = again.map_or_else(
            || {
                let secret = one_time_codes::new_secret(service);
                let setup = Setup { secret: secret.clone(), expires_at: service.clock.now() + LIFETIME };
                let plain = serde_json::to_vec(&setup).expect("it is plain data");
                (secret, service.key.seal(&guard.seals(SETUP), &plain, &*service.random))
            },
            |(setup, sealed)| (setup.secret, sealed.to_owned()),
        );
        let hint = "The six digits that the app shows.";
        State::Off {
            qr: Qr::of(&one_time_codes::address(service, &secret, &session.account.username)),
            secret: one_time_codes::secret_text(&secret),
            setup: sealed,
            fields: [InputField { hint, focus: error.is_some(), ..second_step::field(error) }],
        }
    }
}
