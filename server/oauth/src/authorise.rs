//! The authorisation endpoint and the traveller's decision.
//!
//! A request is validated completely before the traveller is asked to sign in. An invalid one is answered with a page
//! or JSON, never with a redirect. Every request asks for consent. The consent form carries the request, sealed for the
//! session, so that exactly what was shown is approved. Each form can be submitted once.
//!
//! If the client asks for more than it has (step-up), the page distinguishes new scopes from kept ones. A grant never
//! has more than its request asks for.

use bytes::Bytes;
use chrono::{DateTime, Duration, Utc};
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderValue, Response, StatusCode};
use itinerary_api::extract::WebRequest;
use itinerary_api::oauth_error::OAuthError;
use itinerary_app::audit::Event;
use itinerary_core::ids;
use itinerary_core::oauth::CODE_LIFETIME;
use itinerary_core::oauth::authorise::{self as request, AuthoriseRequest};
use itinerary_core::oauth::client::is_plausible_id;
use itinerary_core::oauth::client_document::is_client_url;
use itinerary_core::oauth::parameters::Parameters;
use itinerary_core::oauth::scopes::ScopeList;
use itinerary_platform::context::Service;
use itinerary_store::{Client, Code, CodeOutcome, ConsentAnswer, StoreError};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::audited::audited_app;
use super::forms::{self, Form, Guard, session_name};
use super::pages::{self, Asked, DECISION_FIELD, REQUEST_FIELD};
use super::sessions::{self, Session};
use super::{client_documents, reference_client, refuse_while_paused, store_failed};

/// How long a consent page can be submitted.
const CONSENT_LIFETIME: Duration = Duration::minutes(10);

/// Answers `GET /oauth/authorise` with a redirect to sign-in or with the consent page.
pub async fn authorise(service: &Service, request: &WebRequest) -> Response<Bytes> {
    redirect_or_page(service, request, ask(service, request).await).await
}

/// Answers `POST /oauth/authorise/decision` with a redirect to the client, with a code or an error.
pub async fn decide(service: &Service, request: &WebRequest) -> Response<Bytes> {
    redirect_or_page(service, request, carry_out(service, request).await).await
}

async fn redirect_or_page(
    service: &Service,
    request: &WebRequest,
    outcome: Result<Response<Bytes>, OAuthError>,
) -> Response<Bytes> {
    match outcome {
        Ok(response) => response,
        Err(error) if forms::accepts_html(&request.headers) => {
            let is_ours = error.status.is_server_error();
            let session = if is_ours { None } else { sessions::current_or_none(service, &request.headers).await };
            pages::refused(&error, session.as_ref())
        }
        Err(error) => json(&error),
    }
}

fn json(error: &OAuthError) -> Response<Bytes> {
    let body = serde_json::to_vec(&error.body()).expect("an error is plain data");
    let mut response = Response::new(Bytes::from(body));
    *response.status_mut() = error.status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    pages::protect(&mut response, "");
    response.headers_mut().extend(error.headers.iter().cloned());
    response
}

/// A request that was shown to a traveller and waits for the decision.
#[derive(Serialize, Deserialize)]
struct Pending {
    /// The id of the consent page, which makes it single-use.
    page: Uuid,
    request: AuthoriseRequest,
    expires_at: DateTime<Utc>,
}

async fn ask(service: &Service, web: &WebRequest) -> Result<Response<Bytes>, OAuthError> {
    let pairs = forms::query(web);
    let parameters = Parameters::new(&pairs);
    let client = client(service, web, request::client_id(parameters)?).await?;
    let redirects = redirect_uris(&client)?;
    let request = AuthoriseRequest::read(parameters, &redirects, &service.config.base_url)?;
    let here = this_address(&pairs)?;
    refuse_while_paused(service).await?;
    let Some(session) = sessions::current(service, &web.headers).await.map_err(store_failed)? else {
        return Ok(pages::see_other(&forms::with_next("/sign-in", Some(&here))));
    };
    let granted = granted(service, &session, &request).await.map_err(store_failed)?;
    let sealed = seal(service, &session, &request);
    let asked = Asked { request: &request, granted: &granted, sealed: &sealed };
    Ok(pages::consent(service, &session, &client, &asked, &here))
}

/// The address of this request in plain ASCII, to return to after sign-in. Rejects one to which sign-in could not
/// return, because the traveller would end up elsewhere.
fn this_address(pairs: &[(String, String)]) -> Result<String, OAuthError> {
    let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish();
    let address = format!("/oauth/authorise?{query}");
    if forms::is_local(&address) {
        Ok(address)
    } else {
        Err(OAuthError::invalid_request("the authorisation request is too long"))
    }
}

/// The client with this id: a registered one, the one that the URL's document describes, or the built-in one.
async fn client(service: &Service, web: &WebRequest, id: &str) -> Result<Client, OAuthError> {
    if id == itinerary_reference::CLIENT_ID {
        return reference_client::client(service).await;
    }
    if service.config.oauth_client_documents && is_client_url(id) {
        return client_documents::client(service, id, web.address).await;
    }
    let client = if is_plausible_id(id) { service.store.client(id).await.map_err(store_failed)? } else { None };
    client.ok_or_else(|| OAuthError::invalid_client("the client is not registered"))
}

/// The scopes that the traveller has granted this client for the same resource.
async fn granted(service: &Service, session: &Session, request: &AuthoriseRequest) -> Result<ScopeList, StoreError> {
    let resource = request.resource.stored(&service.config.base_url);
    let (store, account, now) = (&service.store, session.account.id, service.clock.now());
    let grants = store.granted_scopes(account, &request.client_id, resource.as_deref(), now).await?;
    Ok(grants.iter().fold(ScopeList::none(), |granted, scopes| granted.with(&ScopeList::known(scopes))))
}

fn redirect_uris(client: &Client) -> Result<Vec<String>, OAuthError> {
    serde_json::from_str(&client.redirect_uris)
        .map_err(|error| store_failed(StoreError::Corrupt(format!("redirect addresses of a client: {error}"))))
}

fn seal(service: &Service, session: &Session, request: &AuthoriseRequest) -> String {
    let now = service.clock.now();
    let page = ids::uuid(now, &*service.random);
    let pending = Pending { page, request: request.clone(), expires_at: now + CONSENT_LIFETIME };
    let plain = serde_json::to_vec(&pending).expect("a request is plain data");
    service.key.seal(&purpose(session), &plain, &*service.random)
}

fn open(service: &Service, session: &Session, sealed: &str) -> Option<Pending> {
    let plain = service.key.open(&purpose(session), sealed)?;
    let pending: Pending = serde_json::from_slice(&plain).ok()?;
    (service.clock.now() < pending.expires_at).then_some(pending)
}

fn purpose(session: &Session) -> String {
    format!("consent of session {}", session_name(session))
}

async fn carry_out(service: &Service, web: &WebRequest) -> Result<Response<Bytes>, OAuthError> {
    let form = Form::from_body(web);
    let session = sessions::current(service, &web.headers).await.map_err(store_failed)?;
    let session =
        session.filter(|session| Guard::session(session).admits(service, &form)).ok_or_else(form_of_another_sign_in)?;
    let Pending { page, request, expires_at } = open(service, &session, form.get(REQUEST_FIELD))
        .ok_or_else(|| OAuthError::invalid_request("this request has expired; go back to the app and start again"))?;
    refuse_while_paused(service).await?;
    let answer = ConsentAnswer { page, expires_at };
    let issuer = &service.config.base_url;
    match form.get(DECISION_FIELD) {
        "approve" => {
            let (code, stored) = new_code(service, &session, &request);
            match service.store.code_insert(&stored, answer, &session.hash).await.map_err(store_failed)? {
                CodeOutcome::Stored => {}
                CodeOutcome::AnsweredBefore => return Err(answered_before()),
                CodeOutcome::SignedOut => return Err(form_of_another_sign_in()),
            }
            audited_app(service, web, session.account.id, Event::AppConnected, &stored.client_id).await;
            Ok(pages::see_other(&request.approved(&code, issuer)))
        }
        "deny" => {
            if !service.store.consent_answer(answer).await.map_err(store_failed)? {
                return Err(answered_before());
            }
            Ok(pages::see_other(&request.denied(issuer)))
        }
        _ => Err(OAuthError::invalid_request("decision must be approve or deny")),
    }
}

/// The error for a consent page that was submitted before.
fn answered_before() -> OAuthError {
    OAuthError::invalid_request("this page was already submitted; go back to the app and start again")
}

fn form_of_another_sign_in() -> OAuthError {
    OAuthError::invalid_request("this form belongs to another session; go back to the app and start again")
        .with_status(StatusCode::FORBIDDEN)
}

/// A new code, and its row.
fn new_code(service: &Service, session: &Session, request: &AuthoriseRequest) -> (String, Code) {
    let code = ids::secret("itp_ac_", &*service.random);
    let now = service.clock.now();
    let stored = Code {
        hash: ids::hash(&code),
        client_id: request.client_id.clone(),
        account_id: session.account.id,
        redirect_uri: request.redirect_uri.clone(),
        scope: request.scopes.to_string(),
        challenge: request.challenge.clone(),
        resource: request.resource.stored(&service.config.base_url),
        created_at: now,
        expires_at: now + CODE_LIFETIME,
        used_at: None,
        grant_id: None,
    };
    (code, stored)
}
