//! Passkeys: the list, adding, renaming and removing one. The page asks again who is there.
//!
//! The last way into the account cannot be removed.

use askama::Template;
use bytes::Bytes;
use chrono::NaiveTime;
use http::{Method, Response, StatusCode};
use itinerary_api::extract::WebRequest;
use itinerary_app::passkeys::{self, NAME, Registered};
use itinerary_platform::context::Service;
use itinerary_store::{PASSKEYS, PasskeyRow, RemovalOutcome, StoreError};
use uuid::Uuid;

use super::confirm::recent_session;
use super::{Frame, InputField, OUT_OF_DATE, PageDate, or_unavailable, page, passkey, quoted, see_other, with_script};
use crate::audited::{method_added, method_removed};
use crate::ceremonies::{self, CREDENTIAL, PasskeyForm, Purpose};
use crate::forms::{self, Form, Guard};
use crate::sessions::Session;

const HERE: &str = "/account/passkeys";

const LAST: &str = "This is the only way to sign in to your account. Add another passkey first, or set a password.";
const INVALID: &str = "The passkey could not be added: the browser's response is not valid. Please try once more.";
const EXISTS: &str = "This passkey is in use already.";
const NO_PASSKEY: &str = "Adding a passkey needs JavaScript, and a browser that supports passkeys.";

#[derive(Template)]
#[template(path = "passkeys.html")]
struct PasskeysPage<'a> {
    frame: Frame,
    guard: String,
    alert: &'a str,
    notice: &'static str,
    passkeys: Vec<Passkey>,
    maximum: i64,
    name_length: usize,
    /// The form that adds one, unless there are too many or passkeys cannot be used.
    adding: Option<PasskeyForm>,
    is_available: bool,
    fields: [InputField<'a>; 1],
}

struct Passkey {
    id: Uuid,
    name: String,
    quoted: String,
    since: PageDate,
    used: Option<PageDate>,
}

impl Passkey {
    fn of(row: &PasskeyRow) -> Self {
        let used = passkeys::last_used_on(row);
        Self {
            id: row.id,
            name: row.name.clone(),
            quoted: quoted(&row.name),
            since: PageDate::of(row.created_at),
            used: used.map(|day| PageDate::of(day.and_time(NaiveTime::MIN).and_utc())),
        }
    }
}

/// `/account/passkeys`: the list, adding, renaming and removing passkeys.
pub async fn passkeys(service: &Service, request: &WebRequest) -> Response<Bytes> {
    or_unavailable(respond(service, request).await)
}

async fn respond(service: &Service, request: &WebRequest) -> Result<Response<Bytes>, StoreError> {
    let session = match recent_session(service, request, HERE).await? {
        Ok(session) => session,
        Err(redirect) => return Ok(redirect),
    };
    let view = View { service, request, session: &session, guard: Guard::session(&session) };
    if request.method != Method::POST {
        let notice = match Form::from_query(request).get("done") {
            "added" => "The passkey is added. You can sign in with it now.",
            "renamed" => "The passkey is renamed.",
            "removed" => "The passkey is removed, and no longer accepted. Delete it on your device, too.",
            _ => "",
        };
        return view.show(StatusCode::OK, ("", notice), ("", None)).await;
    }
    let form = Form::from_body(request);
    if !view.guard.admits(service, &form) {
        return view.show(StatusCode::FORBIDDEN, (OUT_OF_DATE, ""), (form.get("name"), None)).await;
    }
    if form.has("remove") {
        return view.remove(form.get("remove")).await;
    }
    if form.has("rename") {
        return view.rename(&form).await;
    }
    view.add(&form).await
}

/// What the page shows, and to whom.
struct View<'a> {
    service: &'a Service,
    request: &'a WebRequest,
    session: &'a Session,
    guard: Guard,
}

impl View<'_> {
    async fn add(&self, form: &Form) -> Result<Response<Bytes>, StoreError> {
        let Self { service, session, guard, .. } = self;
        let typed = form.get("name");
        let again = |status, alert| self.show(status, (alert, ""), (typed, None));
        let wrong = StatusCode::UNPROCESSABLE_ENTITY;
        let name = match passkeys::checked_name(typed) {
            Ok(name) => name,
            Err(message) => return self.show(wrong, ("", ""), (typed, Some(message))).await,
        };
        if !passkey::is_in(form) {
            return again(wrong, NO_PASSKEY).await;
        }
        let Some(state) = ceremonies::used(service, guard, Purpose::Add, form).await? else {
            return again(StatusCode::FORBIDDEN, OUT_OF_DATE).await;
        };
        let (account, response) = (&session.account, form.get(CREDENTIAL));
        match passkeys::register(service, account, &session.hash, state, response, name).await? {
            Registered::Added => {
                let detail = format!("Passkey {}", quoted(name));
                method_added(service, self.request, account.id, &detail).await;
                Ok(see_other(&format!("{HERE}?done=added")))
            }
            Registered::Invalid => again(wrong, INVALID).await,
            Registered::Exists => again(StatusCode::CONFLICT, EXISTS).await,
            Registered::TooMany => {
                let alert = format!("You have {PASSKEYS} passkeys. Remove one, then add another.");
                self.show(StatusCode::CONFLICT, (&alert, ""), (typed, None)).await
            }
            Registered::SignedOut => Ok(see_other(&forms::with_next("/sign-in", Some(HERE)))),
        }
    }

    async fn rename(&self, form: &Form) -> Result<Response<Bytes>, StoreError> {
        match (passkeys::checked_name(form.get("name")), form.get("rename").parse()) {
            (Ok(name), Ok(id)) => {
                // Changes nothing if the passkey is gone or belongs to another account.
                self.service.store.passkey_rename(self.session.account.id, id, name).await?;
                Ok(see_other(&format!("{HERE}?done=renamed")))
            }
            (Err(message), _) => self.show(StatusCode::UNPROCESSABLE_ENTITY, (message, ""), ("", None)).await,
            (_, Err(_)) => Ok(see_other(HERE)),
        }
    }

    async fn remove(&self, id: &str) -> Result<Response<Bytes>, StoreError> {
        let Ok(id) = id.parse() else { return Ok(see_other(HERE)) };
        let (store, account) = (&self.service.store, self.session.account.id);
        let known = store.passkeys(account).await?;
        let outcome = store.passkey_remove(account, id, &passkeys::ways_in(self.service), &self.session.hash).await?;
        if let (Some(row), RemovalOutcome::Removed) = (known.iter().find(|row| row.id == id), outcome) {
            let detail = format!("Passkey {}", quoted(&row.name));
            method_removed(self.service, self.request, account, &detail).await;
        }
        match outcome {
            // The form was submitted twice, or is not ours.
            RemovalOutcome::Removed | RemovalOutcome::Unknown => Ok(see_other(&format!("{HERE}?done=removed"))),
            RemovalOutcome::SignedOut => Ok(see_other(&forms::with_next("/sign-in", Some(HERE)))),
            RemovalOutcome::LastWayIn => self.show(StatusCode::CONFLICT, (LAST, ""), ("", None)).await,
        }
    }

    async fn show(
        &self,
        status: StatusCode,
        (alert, notice): (&str, &'static str),
        (typed, error): (&str, Option<&str>),
    ) -> Result<Response<Bytes>, StoreError> {
        let Self { service, session, guard, .. } = self;
        let rows = service.store.passkeys(session.account.id).await?;
        let is_full = i64::try_from(rows.len()).is_ok_and(|count| count >= PASSKEYS);
        let ceremony = if is_full { None } else { passkeys::begin_registration(service, &session.account).await? };
        let template = PasskeysPage {
            frame: Frame::of(Some(session)),
            guard: guard.code(service),
            alert,
            notice,
            passkeys: rows.iter().map(Passkey::of).collect(),
            maximum: PASSKEYS,
            name_length: NAME,
            adding: ceremony.map(|ceremony| PasskeyForm::new(service, guard, Purpose::Add, ceremony)),
            is_available: passkeys::are_available(service),
            fields: [InputField {
                name: "name",
                label: "Name",
                kind: "text",
                autocomplete: "off",
                hint: "The device or the program that keeps the passkey, at most 100 characters.",
                value: typed,
                error: None,
                focus: false,
            }
            .with_error(error)],
        };
        Ok(with_script(page(status, &template)))
    }
}
