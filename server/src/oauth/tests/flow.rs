//! The way from registration to tokens, and how long what lasts.

use itinerary_api::types::oauth::ClientAuthMethod;
use serde_json::json;

use super::world::{BASE, World, account, authorise_address, redemption};
use crate::accounts;
use crate::oauth::discovery;

#[tokio::test]
async fn a_code_becomes_tokens_for_the_traveller_who_approved() {
    let world = World::new().await;
    let client = world.public_client().await;
    assert!(client.client_secret.is_none() && client.client_id.starts_with("app_"));
    let browser = world.browser();

    let address = authorise_address(&client.client_id, &[]);
    let away = browser.get(&address).await;
    assert_eq!(away.status, 303);
    assert!(away.location().starts_with("/sign-in?next=%2Foauth%2Fauthorise"), "{}", away.location());
    let sign_in = browser.get(away.location()).await;
    assert!(sign_in.body.contains("An app would like to be connected"));
    let next = sign_in.hidden("next").expect("the way back");
    let sign_up = browser.get(&format!("/sign-up?{}", super::world::query(&[("next", &next)]))).await;
    let back = browser.submit(&sign_up, "/sign-up", &account("ana")).await;
    assert_eq!((back.status, back.location().starts_with("/oauth/authorise?")), (303, true));

    let consent = browser.get(back.location()).await;
    for words in ["Trip Notes", "app.example", "See your itineraries", "Create and change your itineraries", "ana"] {
        assert!(consent.body.contains(words), "{words}");
    }
    assert!(!consent.body.contains("See your documents") && !consent.body.contains("your own computer"));
    let done = browser.submit(&consent, "/oauth/authorise/decision", &[("decision", "approve")]).await;
    assert_eq!(done.status, 303);
    assert!(done.location().starts_with("https://app.example/cb?keep=1&code=itp_ac_"), "{}", done.location());
    assert_eq!(done.parameter("state").as_deref(), Some("a b&c"));
    assert_eq!(done.parameter("iss").as_deref(), Some(BASE));

    let tokens = world.redeem(&client.client_id, &done.parameter("code").expect("a code")).await.expect("tokens");
    assert!(tokens.access_token.starts_with("itp_at_") && tokens.refresh_token.starts_with("itp_rt_"));
    assert_eq!((tokens.expires_in, tokens.scope.as_str()), (3600, "itineraries:read itineraries:write"));
    let caller = world.caller(&tokens.access_token).await.expect("alive");
    assert_eq!((caller.username.as_str(), caller.client_id, caller.resource), ("ana", client.client_id, None));
    assert!(world.caller(&tokens.refresh_token).await.is_none(), "a refresh token gives no access");
}

#[tokio::test]
async fn denying_tells_the_app_so() {
    let world = World::new().await;
    let client = world.public_client().await;
    let browser = world.browser();
    browser.sign_up("ana").await;
    let consent = browser.get(&authorise_address(&client.client_id, &[])).await;
    let back = browser.submit(&consent, "/oauth/authorise/decision", &[("decision", "deny")]).await;
    assert_eq!((back.status, back.parameter("error").as_deref()), (303, Some("access_denied")));
    assert_eq!((back.parameter("state").as_deref(), back.parameter("iss").as_deref()), (Some("a b&c"), Some(BASE)));
    assert_eq!(back.parameter("code"), None);
}

#[tokio::test]
async fn consent_is_asked_every_time_and_a_local_app_is_warned_of() {
    let world = World::new().await;
    let client = world
        .register(json!({"redirect_uris": ["http://127.0.0.1/cb"], "token_endpoint_auth_method": "none"}))
        .await
        .expect("registered");
    let browser = world.browser();
    browser.sign_up("ana").await;
    let redirect = "http://127.0.0.1:51004/cb";
    let address = authorise_address(&client.client_id, &[("redirect_uri", redirect)]);
    for _ in 0..2 {
        let consent = browser.get(&address).await;
        assert!(consent.body.contains("your own computer"));
        let policy = consent.header("content-security-policy");
        assert!(policy.contains("form-action 'self' http://127.0.0.1:51004 https:;"), "{policy}");
        let back = browser.submit(&consent, "/oauth/authorise/decision", &[("decision", "approve")]).await;
        assert!(back.location().starts_with("http://127.0.0.1:51004/cb?code="), "{}", back.location());
        let code = back.parameter("code").expect("a code");
        let mut form = redemption(&client.client_id, &code);
        form[4] = ("redirect_uri", redirect);
        world.token(&form).await.expect("tokens");
    }
}

#[tokio::test]
async fn a_code_lasts_five_minutes() {
    let world = World::new().await;
    let client = world.public_client().await;
    let browser = world.browser();
    browser.sign_up("ana").await;
    let address = authorise_address(&client.client_id, &[]);
    let code = browser.approve(&address).await;
    world.advance(299);
    world.redeem(&client.client_id, &code).await.expect("in time");
    let code = browser.approve(&address).await;
    world.advance(301);
    let late = world.redeem(&client.client_id, &code).await.expect_err("too late");
    assert_eq!((late.error.as_str(), late.status.as_u16()), ("invalid_grant", 400));
}

#[tokio::test]
async fn access_lasts_an_hour_and_refreshing_ninety_days() {
    let world = World::new().await;
    let client = world.public_client().await;
    let browser = world.browser();
    browser.sign_up("ana").await;
    let code = browser.approve(&authorise_address(&client.client_id, &[])).await;
    let first = world.redeem(&client.client_id, &code).await.expect("tokens");
    world.advance(3599);
    assert!(world.caller(&first.access_token).await.is_some());
    world.advance(1);
    assert!(world.caller(&first.access_token).await.is_none());

    let day = 86_400;
    world.advance(90 * day - 3600 - 1);
    let second = world.refresh(&client.client_id, &first.refresh_token).await.expect("in time");
    assert!(world.caller(&second.access_token).await.is_some());
    world.advance(90 * day);
    let late = world.refresh(&client.client_id, &second.refresh_token).await.expect_err("too late");
    assert_eq!(late.error.as_str(), "invalid_grant");
}

#[tokio::test]
async fn a_confidential_client_proves_itself_either_way() {
    let world = World::new().await;
    let client = world.confidential_client().await;
    assert_eq!(client.token_endpoint_auth_method, ClientAuthMethod::ClientSecretBasic);
    assert_eq!(client.client_secret_expires_at, Some(0));
    let secret = client.client_secret.as_deref().expect("a secret");
    let browser = world.browser();
    browser.sign_up("ana").await;
    let address = authorise_address(&client.client_id, &[]);

    let code = browser.approve(&address).await;
    let without = world.redeem(&client.client_id, &code).await.expect_err("no secret");
    assert_eq!((without.error.as_str(), without.status.as_u16()), ("invalid_client", 401));
    let wrong = format!("{}:{secret}x", client.client_id);
    let wrong = world.token_with_basic(&wrong, &redemption(&client.client_id, &code)).await.expect_err("wrong secret");
    assert_eq!(wrong.error.as_str(), "invalid_client");
    assert!(wrong.headers.iter().any(|(name, _)| name == "www-authenticate"));

    let mut form = redemption(&client.client_id, &code).to_vec();
    form.push(("client_secret", secret));
    world.token(&form).await.expect("the secret in the form");
    let code = browser.approve(&address).await;
    let right = format!("{}:{secret}", client.client_id);
    let tokens = world.token_with_basic(&right, &redemption(&client.client_id, &code)).await.expect("by Basic");
    world.refresh(&client.client_id, &tokens.refresh_token).await.expect("the secret may be left out here");
}

#[tokio::test]
async fn a_strict_server_wants_the_secret_for_refreshing_too() {
    let world = World::with(|config| config.strict_refresh = true).await;
    let client = world.confidential_client().await;
    let secret = client.client_secret.as_deref().expect("a secret");
    let browser = world.browser();
    browser.sign_up("ana").await;
    let code = browser.approve(&authorise_address(&client.client_id, &[])).await;
    let joined = format!("{}:{secret}", client.client_id);
    let tokens = world.token_with_basic(&joined, &redemption(&client.client_id, &code)).await.expect("tokens");
    let refused = world.refresh(&client.client_id, &tokens.refresh_token).await.expect_err("no secret");
    assert_eq!(refused.error.as_str(), "invalid_client");
    let form = [("grant_type", "refresh_token"), ("refresh_token", tokens.refresh_token.as_str())];
    world.token_with_basic(&joined, &form).await.expect("with the secret");
}

#[tokio::test]
async fn refreshing_can_ask_for_less_and_later_for_all_again() {
    let world = World::new().await;
    let client = world.public_client().await;
    let browser = world.browser();
    browser.sign_up("ana").await;
    let asked = [("scope", "itineraries:read documents:read offline_access")];
    let code = browser.approve(&authorise_address(&client.client_id, &asked)).await;
    let first = world.redeem(&client.client_id, &code).await.expect("tokens");
    assert_eq!(first.scope, "itineraries:read documents:read offline_access");

    let refresh = |token: String, scope: &'static str| {
        let (world, id) = (&world, client.client_id.as_str());
        async move {
            let form =
                [("grant_type", "refresh_token"), ("client_id", id), ("refresh_token", &token), ("scope", scope)];
            world.token(&form).await
        }
    };
    let wider = refresh(first.refresh_token.clone(), "itineraries:write").await.expect_err("more than approved");
    assert_eq!(wider.error.as_str(), "invalid_scope");
    let less = refresh(first.refresh_token, "documents:read").await.expect("less than approved");
    assert_eq!(world.caller(&less.access_token).await.expect("alive").scope, "documents:read");
    let all = refresh(less.refresh_token, "").await.expect("all that was approved");
    assert_eq!(all.scope, "itineraries:read documents:read offline_access");
}

#[tokio::test]
async fn tokens_are_bound_to_the_resource_that_was_asked_for() {
    let world = World::new().await;
    let client = world.public_client().await;
    let browser = world.browser();
    browser.sign_up("ana").await;
    let mcp = format!("{BASE}/mcp");
    let code = browser.approve(&authorise_address(&client.client_id, &[("resource", &mcp)])).await;
    let mut wider = redemption(&client.client_id, &code).to_vec();
    wider.push(("resource", BASE));
    assert_eq!(world.token(&wider).await.expect_err("wider").error.as_str(), "invalid_target");
    let mut same = redemption(&client.client_id, &code).to_vec();
    same.push(("resource", &mcp));
    let tokens = world.token(&same).await.expect("tokens");
    assert_eq!(world.caller(&tokens.access_token).await.expect("alive").resource.as_deref(), Some(mcp.as_str()));
    let next = world.refresh(&client.client_id, &tokens.refresh_token).await.expect("tokens");
    assert_eq!(world.caller(&next.access_token).await.expect("alive").resource, Some(mcp));
}

#[tokio::test]
async fn the_command_line_issues_tokens_for_an_account() {
    let world = World::new().await;
    accounts::create(&world.service, "Ana", "Ana Silva", "a good password").await.expect("an account");
    assert!(matches!(
        accounts::create(&world.service, "ana", "Another", "a good password").await,
        Err(accounts::AccountError::Taken)
    ));
    for _ in 0..2 {
        let (token, expires_at) =
            accounts::issue_token(&world.service, "ANA", "itineraries:read").await.expect("a token");
        let caller = world.caller(&token).await.expect("alive");
        assert_eq!((caller.client_id.as_str(), caller.scope.as_str()), ("command-line", "itineraries:read"));
        assert_eq!((expires_at - world.service.clock.now()).num_seconds(), 3600);
    }
    assert!(matches!(
        accounts::issue_token(&world.service, "ana", "admin").await,
        Err(accounts::AccountError::Invalid { field: "scope", .. })
    ));
    assert!(matches!(accounts::issue_token(&world.service, "nobody", "").await, Err(accounts::AccountError::Unknown)));
    let nowhere = world.browser().get(&authorise_address("command-line", &[])).await;
    assert_eq!(nowhere.status, 400, "nobody signs in to the command line's client");
}

#[tokio::test]
async fn discovery_names_the_issuer_as_it_is_configured() {
    let world = World::with(|config| config.base_url = "https://trips.example".to_owned()).await;
    let server = serde_json::to_value(discovery::authorisation_server(&world.service)).expect("JSON");
    assert_eq!(server["issuer"], "https://trips.example");
    assert_eq!(server["authorization_endpoint"], "https://trips.example/oauth/authorise");
    assert_eq!(server["code_challenge_methods_supported"], json!(["S256"]));
    assert_eq!(
        server["token_endpoint_auth_methods_supported"],
        json!(["client_secret_basic", "client_secret_post", "none"])
    );
    assert_eq!(
        server["scopes_supported"],
        json!(["itineraries:read", "itineraries:write", "documents:read", "documents:write"])
    );
    let mcp = serde_json::to_value(discovery::protected_resource_mcp(&world.service)).expect("JSON");
    assert_eq!(mcp["resource"], "https://trips.example/mcp");
    assert_eq!(mcp["authorization_servers"], json!([server["issuer"]]));
    assert_eq!(discovery::protected_resource(&world.service).resource, "https://trips.example");
}
