//! Links for Google Wallet.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use itinerary_tests::app::App;
use itinerary_tests::{Database, RawResponse, api_test};
use openssl::hash::MessageDigest;
use openssl::sign::Verifier;
use serde_json::{Value, json};

use super::chain::Operator;
use super::{pass, start, trip};
use crate::snapshot::assert_body;

const SAVE: &str = "https://pay.google.com/gp/v/save/";

/// The claims of a link's token, whose signature is verified.
pub(super) fn claims(response: &RawResponse, operator: &Operator) -> Value {
    assert_eq!(response.status, 200, "{}", response.text());
    assert_eq!(response.header("content-type"), "application/json");
    let url = response.json()["url"].as_str().expect("a link").to_owned();
    assert!(url.len() < 1_800, "{} characters", url.len());
    let token = url.strip_prefix(SAVE).expect("a link to Google Wallet");
    let (signed, signature) = token.rsplit_once('.').expect("a signature");
    let decode = |text: &str| URL_SAFE_NO_PAD.decode(text).expect("base64url");
    let mut verifier = Verifier::new(MessageDigest::sha256(), &operator.google).expect("a verifier");
    assert!(verifier.verify_oneshot(&decode(signature), signed.as_bytes()).expect("a signature"), "{token}");
    let (header, claims) = signed.split_once('.').expect("two parts");
    let header: Value = serde_json::from_slice(&decode(header)).expect("JSON");
    assert_eq!((&header["alg"], &header["typ"]), (&json!("RS256"), &json!("JWT")));
    serde_json::from_slice(&decode(claims)).expect("JSON")
}

#[api_test]
async fn a_link_saves_a_flight(database: Database) {
    let operator = Operator::new();
    let Some(world) = start(database, &operator).await else { return };
    let ana = App::of(&world, "ana").await;
    let tokyo = ana.created(&trip()).await;
    let claims = claims(&pass(&ana, &tokyo, "flight/out", "?format=google").await, &operator);
    assert_body("wallet_pass_view_google", &world, &claims);
    let payload = &claims["payload"];
    assert_eq!(payload["flightObjects"][0]["classId"], payload["flightClasses"][0]["id"]);
}

#[api_test(sqlite)]
async fn a_link_saves_a_hotel(database: Database) {
    let operator = Operator::new();
    let Some(world) = start(database, &operator).await else { return };
    let ana = App::of(&world, "ana").await;
    let tokyo = ana.created(&trip()).await;
    let claims = claims(&pass(&ana, &tokyo, "hotel/inn", "?format=google").await, &operator);
    let object = &claims["payload"]["genericObjects"][0];
    assert!(object.to_string().contains("Ryokan \u{6885}"), "{object}");
}
