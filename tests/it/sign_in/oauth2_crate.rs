//! The whole flow with a generic client library, the crate `oauth2`.

use itinerary_tests::browser::Browser;
use itinerary_tests::{World, api_test};
use oauth2::basic::BasicClient;
use oauth2::{
    AuthUrl, AuthorizationCode, ClientId, ClientSecret, CsrfToken, EndpointNotSet, EndpointSet, HttpRequest,
    HttpResponse, PkceCodeChallenge, PkceCodeVerifier, RedirectUrl, RefreshToken, RequestTokenError, RevocationUrl,
    Scope, StandardRevocableToken, StandardTokenResponse, TokenResponse as _, TokenUrl,
};
use reqwest::Method;
use serde_json::Value;

use super::{App, REDIRECT, expect_alive, expect_ended, parameter};

type Library = BasicClient<EndpointSet, EndpointNotSet, EndpointNotSet, EndpointNotSet, EndpointSet>;
type Tokens = StandardTokenResponse<oauth2::EmptyExtraTokenFields, oauth2::basic::BasicTokenType>;

/// The crate's client for an app, with the endpoints from discovery.
async fn library(world: &World, app: &App<'_>) -> Library {
    let path = "/.well-known/oauth-authorization-server";
    let server: Value = world.call(Method::GET, path).send().await.json();
    let address = |member: &str| server[member].as_str().expect("an address").to_owned();
    let client = BasicClient::new(ClientId::new(app.id.clone()))
        .set_auth_uri(AuthUrl::new(address("authorization_endpoint")).expect("an address"))
        .set_token_uri(TokenUrl::new(address("token_endpoint")).expect("an address"))
        .set_redirect_uri(RedirectUrl::new(REDIRECT.to_owned()).expect("an address"));
    match &app.secret {
        Some(secret) => client.set_client_secret(ClientSecret::new(secret.clone())),
        None => client,
    }
}

/// Sends the crate's requests through the tests' HTTP client.
async fn carry(http: reqwest::Client, request: HttpRequest) -> Result<HttpResponse, reqwest::Error> {
    let answer = http.execute(request.try_into()?).await?;
    let mut response = http::Response::new(Vec::new());
    *response.status_mut() = answer.status();
    *response.headers_mut() = answer.headers().clone();
    *response.body_mut() = answer.bytes().await?.to_vec();
    Ok(response)
}

/// Approves the crate's request in the browser and checks the redirect. Returns the code with its verifier.
async fn approved(library: &Library, browser: &Browser) -> (AuthorizationCode, PkceCodeVerifier) {
    let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
    let (address, state) = library
        .authorize_url(CsrfToken::new_random)
        .add_scope(Scope::new("itineraries:read".to_owned()))
        .add_scope(Scope::new("itineraries:write".to_owned()))
        .set_pkce_challenge(challenge)
        .url();
    let back = browser.decide(address.as_str(), "approve").await;
    assert!(back.as_str().starts_with(REDIRECT), "{back}");
    assert_eq!(parameter(&back, "state").as_ref(), Some(state.secret()));
    (AuthorizationCode::new(parameter(&back, "code").expect("a code")), verifier)
}

/// From approval to revocation.
async fn whole_flow(world: &World, app: &App<'_>) {
    let library = library(world, app).await;
    let browser = Browser::signed_up(world, "ana").await;
    let carry = |request| carry(world.http.clone(), request);

    let (code, verifier) = approved(&library, &browser).await;
    let first: Tokens =
        library.exchange_code(code).set_pkce_verifier(verifier).request_async(&carry).await.expect("tokens");
    assert_eq!(first.token_type(), &oauth2::basic::BasicTokenType::Bearer);
    assert_eq!(first.expires_in(), Some(std::time::Duration::from_hours(1)));
    let scopes: Vec<&str> = first.scopes().expect("scopes").iter().map(|scope| scope.as_str()).collect();
    assert_eq!(scopes, ["itineraries:read", "itineraries:write"]);
    expect_alive(world, first.access_token().secret()).await;

    world.clock.advance(chrono::TimeDelta::seconds(3_600));
    expect_ended(world, first.access_token().secret()).await;
    let refresh = RefreshToken::new(first.refresh_token().expect("a refresh token").secret().clone());
    let second: Tokens = library.exchange_refresh_token(&refresh).request_async(&carry).await.expect("tokens");
    expect_alive(world, second.access_token().secret()).await;

    let (code, verifier) = approved(&library, &browser).await;
    let other = PkceCodeVerifier::new(verifier.secret().chars().rev().collect());
    let wrong = library.exchange_code(code.clone()).set_pkce_verifier(other).request_async(&carry).await;
    expect_invalid_grant(wrong);
    library.exchange_code(code).set_pkce_verifier(verifier).request_async(&carry).await.expect("tokens");

    let again = library.exchange_refresh_token(&refresh).request_async(&carry).await;
    expect_invalid_grant(again);
    expect_ended(world, second.access_token().secret()).await;
}

#[track_caller]
fn expect_invalid_grant<T: std::fmt::Debug, E: std::error::Error>(
    outcome: Result<T, RequestTokenError<E, oauth2::basic::BasicErrorResponse>>,
) {
    match outcome {
        Err(RequestTokenError::ServerResponse(error)) => assert_eq!(error.error().as_ref(), "invalid_grant"),
        other => panic!("no refusal of the server's: {other:?}"),
    }
}

#[api_test]
async fn the_crate_signs_a_public_client_in(world: World) {
    let app = App::public(&world).await;
    whole_flow(&world, &app).await;
}

#[api_test]
async fn the_crate_signs_a_confidential_client_in(world: World) {
    let app = App::confidential(&world).await;
    whole_flow(&world, &app).await;
}

#[api_test]
async fn denied_consent_is_reported_through_the_oauth2_crate(world: World) {
    let app = App::public(&world).await;
    let library = library(&world, &app).await;
    let browser = Browser::signed_up(&world, "ana").await;
    let (challenge, _) = PkceCodeChallenge::new_random_sha256();
    let (address, state) = library.authorize_url(CsrfToken::new_random).set_pkce_challenge(challenge).url();
    let back = browser.decide(address.as_str(), "deny").await;
    assert_eq!(parameter(&back, "error").as_deref(), Some("access_denied"));
    assert_eq!(parameter(&back, "state").as_ref(), Some(state.secret()));
}

#[api_test]
async fn the_crate_revokes(world: World) {
    let app = App::confidential(&world).await;
    let tokens = app.connect(&Browser::signed_up(&world, "ana").await).await;
    // The crate requires https, so its request is forwarded to the server.
    let library = library(&world, &app).await;
    let address = "https://trips.example/oauth/revoke".to_owned();
    let library = library.set_revocation_url(RevocationUrl::new(address).expect("an address"));
    let token = StandardRevocableToken::RefreshToken(RefreshToken::new(tokens.refresh_token.clone()));
    let here = format!("{}/oauth/revoke", world.base_url);
    let carry = |mut request: HttpRequest| {
        *request.uri_mut() = here.parse().expect("an address");
        carry(world.http.clone(), request)
    };
    library.revoke_token(token).expect("an address to revoke at").request_async(&carry).await.expect("revoked");
    expect_ended(&world, &tokens.access_token).await;
}
