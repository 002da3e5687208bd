//! The sign-in through the browser, which is a task here.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use itinerary_sdk::{BuildError, FileTokenStore, SignIn, SignInError, TokenStore};
use oauth2::{PkceCodeChallenge, PkceCodeVerifier};
use serde_json::json;
use url::Url;

use crate::service::{Answer, Asked, Service, StoppedClock, first_pair, pair, plain};

/// A service whose issuer is set by the test.
async fn service(issuer: impl Fn(&str) -> String + Send + Sync + 'static) -> Service {
    Service::start(move |asked| answer(asked, &issuer)).await
}

fn answer(asked: &Asked, issuer: &impl Fn(&str) -> String) -> Answer {
    let base_url = format!("http://{}", asked.header("host").unwrap());
    match asked.uri.path() {
        "/.well-known/oauth-authorization-server" => plain(200, metadata(&base_url, &issuer(&base_url))),
        "/oauth/register" => {
            let request: serde_json::Value = serde_json::from_str(&asked.body).unwrap();
            plain(
                201,
                json!({
                    "client_id": "registered", "client_id_issued_at": 0, "client_name": request["client_name"],
                    "redirect_uris": request["redirect_uris"], "grant_types": [], "response_types": [],
                    "token_endpoint_auth_method": request["token_endpoint_auth_method"],
                }),
            )
        }
        "/oauth/token" if asked.field("code").as_deref() == Some("c0de") => pair(1),
        _ => plain(400, json!({ "error": "invalid_grant", "error_description": "d" })),
    }
}

fn metadata(base_url: &str, issuer: &str) -> serde_json::Value {
    json!({
        "issuer": issuer, "authorization_endpoint": format!("{base_url}/oauth/authorise"),
        "token_endpoint": format!("{base_url}/oauth/token"), "registration_endpoint": format!("{base_url}/oauth/register"),
        "revocation_endpoint": format!("{base_url}/oauth/revoke"), "scopes_supported": [],
        "response_types_supported": ["code"], "response_modes_supported": ["query"], "grant_types_supported": [],
        "token_endpoint_auth_methods_supported": ["none", "telepathy"],
        "revocation_endpoint_auth_methods_supported": [], "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": true,
        "client_id_metadata_document_supported": true,
    })
}

fn parameter(url: &Url, name: &str) -> String {
    url.query_pairs().find(|(known, _)| known == name).map(|(_, value)| value.into_owned()).unwrap()
}

/// Comes back from the authorise address with these parameters and the right state.
fn come_back(url: &Url, parameters: &[(&str, &str)]) {
    let mut back: Url = parameter(url, "redirect_uri").parse().unwrap();
    back.query_pairs_mut().append_pair("state", &parameter(url, "state")).extend_pairs(parameters);
    tokio::spawn(reqwest::get(back));
}

#[tokio::test]
async fn a_traveller_who_approves_is_signed_in() {
    let (service, clock) = (service(str::to_owned).await, StoppedClock::new());
    let seen = Arc::new(Mutex::new(None));
    let sign_in = SignIn::new(&service.base_url, "Trips").scopes(["itineraries:read", "itineraries:write"]);
    let tokens = sign_in.clock(clock.clone()).run(|url| {
        *seen.lock().unwrap() = Some(url.clone());
        come_back(url, &[("code", "c0de"), ("iss", &service.base_url)]);
    });
    let tokens = tokens.await.unwrap();
    let mut expected = first_pair(&clock, 3600);
    expected.client_id = "registered".to_owned();
    assert_eq!(tokens, expected);

    let registered: serde_json::Value = serde_json::from_str(&service.asked("/oauth/register")[0].body).unwrap();
    let public = json!({
        "client_name": "Trips", "redirect_uris": ["http://127.0.0.1/callback"], "application_type": "native",
        "token_endpoint_auth_method": "none",
    });
    assert_eq!(registered, public);
    let url = seen.lock().unwrap().take().unwrap();
    assert_eq!(parameter(&url, "scope"), "itineraries:read itineraries:write");
    assert_eq!((parameter(&url, "response_type"), parameter(&url, "client_id")), ("code".into(), "registered".into()));
    assert_eq!(parameter(&url, "code_challenge_method"), "S256");
    let exchange = &service.asked("/oauth/token")[0];
    assert_eq!(exchange.field("redirect_uri").unwrap(), parameter(&url, "redirect_uri"));
    let verifier = PkceCodeVerifier::new(exchange.field("code_verifier").unwrap());
    let challenge = PkceCodeChallenge::from_code_verifier_sha256(&verifier);
    assert_eq!(challenge.as_str(), parameter(&url, "code_challenge"));
    assert_eq!((exchange.field("client_id").as_deref(), exchange.header("authorization")), (Some("registered"), None));
}

#[tokio::test]
async fn a_stored_sign_in_is_not_repeated() {
    let service = service(str::to_owned).await;
    let folder = tempfile::tempdir().unwrap();
    let store = FileTokenStore::new(folder.path().join("tokens.json"));
    let sign_in = || SignIn::new(&service.base_url, "Trip planner");
    let present = |url: &Url| come_back(url, &[("code", "c0de"), ("iss", &service.base_url)]);
    sign_in().run_if_needed(&store, present).await.unwrap();
    let tokens = store.load().await.unwrap().unwrap();
    assert_eq!(tokens.access_token, "access-1");
    sign_in().run_if_needed(&store, |_| panic!("the store has tokens")).await.unwrap();
    assert_eq!(service.asked("/oauth/token").len(), 1);

    let damaged = folder.path().join("damaged.json");
    std::fs::write(&damaged, "{").unwrap();
    let refused = sign_in().run_if_needed(&FileTokenStore::new(damaged), |_| ()).await.unwrap_err();
    assert!(matches!(refused, SignInError::Store(_)), "{refused}");
}

#[tokio::test]
async fn a_known_client_is_not_registered_again() {
    let service = service(str::to_owned).await;
    let sign_in = SignIn::new(format!("{}/", service.base_url), "Trips").client_id("known");
    let tokens = sign_in.run(|url| come_back(url, &[("code", "c0de"), ("iss", &service.base_url)])).await.unwrap();
    assert_eq!((tokens.client_id.as_str(), service.asked("/oauth/register").len()), ("known", 0));
}

#[tokio::test]
async fn a_refusal_says_so() {
    let service = service(str::to_owned).await;
    let back = [("error", "access_denied"), ("iss", service.base_url.as_str())];
    let refused = SignIn::new(&service.base_url, "Trips").run(|url| come_back(url, &back)).await;
    assert!(matches!(refused, Err(SignInError::Refused { error, .. }) if error == "access_denied"));
}

#[tokio::test]
async fn a_code_of_another_issuer_is_never_exchanged() {
    let service = service(str::to_owned).await;
    for back in [vec![("code", "c0de")], vec![("code", "c0de"), ("iss", "https://evil.example")]] {
        let refused = SignIn::new(&service.base_url, "Trips").run(|url| come_back(url, &back)).await;
        assert!(matches!(refused, Err(SignInError::WrongIssuer)));
    }
    assert!(service.asked("/oauth/token").is_empty());
}

#[tokio::test]
async fn metadata_of_another_issuer_is_not_believed() {
    let service = service(|_| "https://other.example".to_owned()).await;
    let refused = SignIn::new(&service.base_url, "Trips").run(|_| panic!("nothing to present")).await;
    assert!(matches!(refused, Err(SignInError::OtherIssuer { issuer }) if issuer == "https://other.example"));
    assert!(service.asked("/oauth/register").is_empty());
}

#[tokio::test]
async fn addresses_that_are_not_safe_are_not_used() {
    for (field, value) in [
        ("authorization_endpoint", json!("file:///bin/sh")),
        ("token_endpoint", json!("http://evil.example/token")),
        ("code_challenge_methods_supported", json!(["plain"])),
    ] {
        let service = Service::start(move |asked| {
            let (status, headers, mut body) = answer(asked, &str::to_owned);
            if asked.uri.path().starts_with("/.well-known") {
                body[field] = value.clone();
            }
            (status, headers, body)
        })
        .await;
        let refused = SignIn::new(&service.base_url, "Trips").run(|_| panic!("nothing to present")).await;
        assert!(matches!(refused, Err(SignInError::Unsafe(_))), "{field}");
    }
    let far = SignIn::new("http://trips.example", "Trips").run(|_| ()).await;
    assert!(matches!(far, Err(SignInError::Build(BuildError::InsecureHttp))));
}

#[tokio::test]
async fn a_code_that_is_refused_gives_no_tokens() {
    let service = service(str::to_owned).await;
    let back = [("code", "other"), ("iss", service.base_url.as_str())];
    let refused = SignIn::new(&service.base_url, "Trips").run(|url| come_back(url, &back)).await;
    assert!(
        matches!(&refused, Err(SignInError::Exchange(error)) if error.to_string().contains("invalid_grant")),
        "{refused:?}"
    );
}

#[tokio::test]
async fn a_traveller_who_does_not_come_back_is_not_waited_for_for_ever() {
    let service = service(str::to_owned).await;
    let sign_in = SignIn::new(&service.base_url, "Trips").time_limit(Duration::from_millis(50));
    assert!(matches!(sign_in.run(|_| ()).await, Err(SignInError::TimedOut)));
}
