//! The traveller's decision, and the redirect to the client.

use std::sync::Arc;

use reqwest::Url;

use super::clients::{Clients, REDIRECT, STATE, Scene, Tokens};
use super::{READ_WRITE, scene};
use crate::browser::{Browser, Page};
use crate::outcome::Checked;
use crate::response::ReceivedResponse;
use crate::row::Row;
use crate::sign_in::{Pkce, query};

const DECISION: &str = "/oauth/authorise/decision";

pub(super) fn rows(clients: &Arc<Clients>) -> Vec<Row> {
    vec![
        scene(
            clients,
            ("oauth.consent.sign-in", "5", "After signing in, the traveller is asked about the request."),
            sign_in,
        ),
        scene(clients, ("oauth.consent.wrong-password", "5", "A wrong password signs nobody in."), wrong_password),
        scene(clients, ("oauth.consent.page", "5", "The page names the client and the host it leads to."), page),
        scene(
            clients,
            ("oauth.consent.approve", "4.1", "Approving leads to the redirect address, with a code."),
            approve,
        ),
        scene(clients, ("oauth.consent.state", "4.1", "The state comes back as it was sent."), state),
        scene(
            clients,
            ("oauth.consent.no-state", "RFC 6749, section 4.1.2", "Without a state, none comes back."),
            no_state,
        ),
        scene(clients, ("oauth.consent.issuer", "RFC 9207, section 2", "The redirect names the issuer."), issuer),
        scene(
            clients,
            ("oauth.consent.query", "RFC 6749, section 3.1.2", "The query of the redirect address is kept."),
            kept_query,
        ),
        scene(
            clients,
            (
                "oauth.consent.see-other",
                "RFC 9700, section 4.12",
                "The redirect is a 303 or 302, so that no form is sent on.",
            ),
            see_other,
        ),
        scene(
            clients,
            ("oauth.consent.deny", "RFC 6749, section 4.1.2.1", "Denying leads back with access_denied and no code."),
            deny,
        ),
        scene(
            clients,
            ("oauth.consent.asked-again", "oauth_authorise", "Consent is asked for every time."),
            asked_again,
        ),
        scene(clients, ("oauth.consent.once", "oauth_authorise", "A page can be submitted once."), once),
        scene(
            clients,
            (
                "oauth.consent.session",
                "RFC 9700, section 4.7",
                "A decision counts only in the session that saw the page.",
            ),
            session,
        ),
        scene(
            clients,
            ("oauth.consent.bound", "RFC 9700, section 4.7", "Additional fields do not change what is approved."),
            bound,
        ),
    ]
}

/// The address that a page left for.
fn back(page: &Page) -> Checked<&Url> {
    page.left_for.as_ref().ok_or_else(|| page.response.unlike("a redirect to the client"))
}

/// Expects that a decision gave no code.
fn no_code(page: &Page) -> Checked<&ReceivedResponse> {
    page.response.ensure(page.left_for.is_none() && page.response.status >= 400, "an error and no redirect")
}

async fn sign_in(scene: Scene) -> Checked {
    let traveller = scene.traveller()?;
    let (browser, pkce) = (Browser::new(&scene.context.service)?, Pkce::new());
    let page = browser.open(&scene.public.authorise(&pkce, &[])).await?;
    let typed = [("username", &*traveller.username), ("password", &*traveller.password)];
    let consent = browser.submit(&page.form("/sign-in")?, &typed).await?;
    let page = browser.submit(&consent.form(DECISION)?, &[("decision", "approve")]).await?;
    let code = query(back(&page)?).remove("code").unwrap_or_default();
    Tokens::of(&scene.public.exchange(&code, &pkce, &[]).send().await?).map(drop)
}

async fn wrong_password(scene: Scene) -> Checked {
    let username = &scene.traveller()?.username;
    let browser = Browser::new(&scene.context.service)?;
    let address = scene.public.authorise(&Pkce::new(), &[]);
    let form = browser.open(&address).await?.form("/sign-in")?;
    let page = browser.submit(&form, &[("username", username), ("password", "not the password")]).await?;
    page.form("/sign-in")?;
    let page = browser.open(&address).await?;
    page.form("/sign-in").map(drop)
}

async fn page(scene: Scene) -> Checked {
    let browser = &scene.traveller()?.browser;
    let page = browser.open(&scene.public.authorise(&Pkce::new(), &[])).await?;
    for text in ["Conformance tests (OAuth, public)", "conformance.invalid"] {
        page.response.ensure(page.response.text().contains(text), format!("\"{text}\" on the page"))?;
    }
    Ok(())
}

async fn approve(scene: Scene) -> Checked {
    let page = scene.decide(&scene.public, &Pkce::new(), &[], "approve").await?;
    let code = query(back(&page)?).remove("code").unwrap_or_default();
    page.response.ensure(code.len() >= 22, "a code of at least 128 random bits in the redirect").map(drop)
}

async fn state(scene: Scene) -> Checked {
    let page = scene.decide(&scene.public, &Pkce::new(), &[], "approve").await?;
    let state = query(back(&page)?).remove("state");
    page.response.ensure(state.as_deref() == Some(STATE), format!("the state {STATE} in the redirect")).map(drop)
}

async fn no_state(scene: Scene) -> Checked {
    let page = scene.decide(&scene.public, &Pkce::new(), &[("state", "")], "approve").await?;
    page.response.ensure(!query(back(&page)?).contains_key("state"), "no state in the redirect").map(drop)
}

async fn issuer(scene: Scene) -> Checked {
    for decision in ["approve", "deny"] {
        let page = scene.decide(&scene.public, &Pkce::new(), &[], decision).await?;
        let iss = query(back(&page)?).remove("iss").unwrap_or_default();
        page.response.ensure(iss == scene.context.service.base_url(), "iss with the issuer in the redirect")?;
    }
    Ok(())
}

async fn kept_query(scene: Scene) -> Checked {
    let page = scene.decide(&scene.public, &Pkce::new(), &[], "approve").await?;
    let address = back(&page)?.as_str();
    page.response
        .ensure(address.starts_with(&format!("{REDIRECT}&")), format!("a redirect that begins with {REDIRECT}&"))
        .map(drop)
}

async fn see_other(scene: Scene) -> Checked {
    let page = scene.decide(&scene.public, &Pkce::new(), &[], "approve").await?;
    page.response
        .ensure(matches!(page.response.status, 302 | 303), "status 303 or 302")?
        .has("cache-control", "no-store")
        .map(drop)
}

async fn deny(scene: Scene) -> Checked {
    let page = scene.decide(&scene.public, &Pkce::new(), &[], "deny").await?;
    let parameters = query(back(&page)?);
    let parameter = |name: &str| parameters.get(name).map(String::as_str);
    page.response.ensure(parameter("error") == Some("access_denied"), "the error access_denied in the redirect")?;
    page.response.ensure(parameter("code").is_none(), "no code in the redirect")?;
    page.response.ensure(parameter("state") == Some(STATE), "the state in the redirect").map(drop)
}

async fn asked_again(scene: Scene) -> Checked {
    let browser = &scene.traveller()?.browser;
    scene.tokens(&scene.public, &[]).await?;
    browser.open(&scene.public.authorise(&Pkce::new(), &[])).await?.form(DECISION).map(drop)
}

async fn once(scene: Scene) -> Checked {
    let browser = &scene.traveller()?.browser;
    let form = browser.open(&scene.public.authorise(&Pkce::new(), &[])).await?.form(DECISION)?;
    back(&browser.submit(&form, &[("decision", "approve")]).await?)?;
    no_code(&browser.submit(&form, &[("decision", "approve")]).await?).map(drop)
}

async fn session(scene: Scene) -> Checked {
    let traveller = scene.traveller()?;
    let form = traveller.browser.open(&scene.public.authorise(&Pkce::new(), &[])).await?.form(DECISION)?;
    let stranger = Browser::new(&scene.context.service)?;
    no_code(&stranger.submit(&form, &[("decision", "approve")]).await?)?;
    let travellers = &scene.context.travellers.signed_up;
    let Some(other) = travellers.iter().find(|other| other.username != traveller.username) else { return Ok(()) };
    no_code(&other.browser.submit(&form, &[("decision", "approve")]).await?).map(drop)
}

async fn bound(scene: Scene) -> Checked {
    let (browser, pkce) = (&scene.traveller()?.browser, Pkce::new());
    let form = browser.open(&scene.public.authorise(&pkce, &[("scope", "itineraries:read")])).await?.form(DECISION)?;
    let further = [("decision", "approve"), ("scope", READ_WRITE), ("redirect_uri", "https://evil.example/")];
    let page = browser.submit(&form, &further).await?;
    let address = back(&page)?;
    page.response.ensure(address.as_str().starts_with(REDIRECT), "a redirect to the requested address")?;
    let code = query(address).remove("code").unwrap_or_default();
    let response = scene.public.exchange(&code, &pkce, &[]).send().await?;
    response.status(200)?.at("/scope", "itineraries:read").map(drop)
}
