//! Invitations to create an account, by moderators. Without the sign-up mode `invite` the page does not exist.

use askama::Template;
use bytes::Bytes;
use chrono::TimeDelta;
use http::{Method, Response, StatusCode};
use itinerary_api::extract::WebRequest;
use itinerary_app::audit::{self, Event};
use itinerary_app::sign_up_invitations::{self, InviteError, NOTE};
use itinerary_platform::context::Service;
use itinerary_platform::settings::SignUpMode;
use itinerary_store::{SignUpInvitationRow, StoreError};

use super::{actor, moderator};
use crate::forms::{Form, Guard};
use crate::pages::{Frame, InputField, OUT_OF_DATE, PageDate, failed_for, or_unavailable, page, with_script};
use crate::sessions::Session;

const HERE: &str = "/moderation/invitations";
/// How long an invitation is valid.
const LIFETIME: TimeDelta = TimeDelta::days(7);
/// The number of valid invitations that a moderator may have made.
const MAXIMUM: usize = 50;

#[derive(Template)]
#[template(path = "moderation_invitations.html")]
struct InvitationsPage<'a> {
    frame: Frame,
    guard: String,
    alert: &'a str,
    /// The address of the invitation that was just made.
    made: Option<&'a str>,
    invitations: Vec<Invitation>,
    note: InputField<'a>,
}

struct Invitation {
    note: String,
    by: String,
    since: PageDate,
    expires: PageDate,
}

/// `/moderation/invitations`: the list, and making an invitation.
pub async fn moderation_invitations(service: &Service, request: &WebRequest) -> Response<Bytes> {
    or_unavailable(respond(service, request).await)
}

async fn respond(service: &Service, request: &WebRequest) -> Result<Response<Bytes>, StoreError> {
    let session = match moderator(service, request, HERE).await? {
        Ok(session) => session,
        Err(response) => return Ok(response),
    };
    if service.config.sign_in.sign_up != SignUpMode::Invite {
        return Ok(failed_for(service, &request.headers, StatusCode::NOT_FOUND, request.uri.path(), "").await);
    }
    let view = View { service, session: &session };
    if request.method != Method::POST {
        return view.show(StatusCode::OK, "", ("", None), None).await;
    }
    let form = Form::from_body(request);
    let note = form.get("note");
    if !Guard::session(&session).admits(service, &form) {
        return view.show(StatusCode::FORBIDDEN, OUT_OF_DATE, (note, None), None).await;
    }
    let valid = service.store.sign_up_invitation_list(service.clock.now()).await?;
    let own = |row: &&SignUpInvitationRow| row.created_by.as_deref() == Some(&*session.account.username);
    if valid.iter().filter(own).count() >= MAXIMUM {
        let alert = "50 of your invitations have not been used yet. Wait until they are used, or for at most a week.";
        return view.show(StatusCode::CONFLICT, alert, (note, None), None).await;
    }
    let by = Some(session.account.id);
    match sign_up_invitations::invite(service, &service.config.base_url, Some(note), LIFETIME, by).await {
        Ok(invited) => {
            let act = actor(&session, request);
            audit::record(service, Event::SignUpInvited, by, act, note.trim()).await;
            view.show(StatusCode::OK, "", ("", None), Some(&invited.address)).await
        }
        Err(InviteError::Note) => {
            let error = format!("At most {NOTE} characters, without invisible ones.");
            view.show(StatusCode::UNPROCESSABLE_ENTITY, "", (note, Some(&error)), None).await
        }
        Err(InviteError::Store(error)) => Err(error),
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
        alert: &str,
        (note, error): (&str, Option<&str>),
        made: Option<&str>,
    ) -> Result<Response<Bytes>, StoreError> {
        let Self { service, session } = self;
        let rows = service.store.sign_up_invitation_list(service.clock.now()).await?;
        let template = InvitationsPage {
            frame: Frame::of(Some(session)),
            guard: Guard::session(session).code(service),
            alert,
            made,
            invitations: rows.into_iter().map(invitation).collect(),
            note: InputField {
                name: "note",
                label: "For whom it is",
                kind: "text",
                autocomplete: "off",
                hint: "Only moderators and the person who runs this service see this.",
                value: note,
                error: None,
                focus: false,
            }
            .with_error(error),
        };
        Ok(with_script(page(status, &template)))
    }
}

fn invitation(row: SignUpInvitationRow) -> Invitation {
    Invitation {
        note: row.note.unwrap_or_default(),
        by: row.created_by.unwrap_or_else(|| "the person who runs this service".to_owned()),
        since: PageDate::of(row.created_at),
        expires: PageDate::of(row.expires_at),
    }
}
