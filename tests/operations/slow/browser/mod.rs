//! The pages in a real browser: whole flows, and the appearance of every page. `sign_in` tests what pages say and
//! refuse.
//!
//! One database is enough, because `sign_in` tests both.

mod docs;
mod driver;
mod looks;
mod pages;
mod passkeys;
mod trips;
mod ways;

use itinerary_sdk::{SignIn, SignInError, Tokens};
use itinerary_tests::world::PASSWORD;
use itinerary_tests::{Sqlite, World};
use reqwest::Url;
use tokio::sync::oneshot;

use driver::Chromium;

/// All scopes.
const EVERYTHING: [&str; 4] = ["itineraries:read", "itineraries:write", "documents:read", "documents:write"];

/// A server and a browser. `None` if no browser is installed.
async fn start() -> Option<(World, Chromium)> {
    let browser = Chromium::start().await?;
    let world = World::start_with(Sqlite, |config| config.limits = false).await.expect("SQLite is always there");
    Some((world, browser))
}

/// Goes to a page of the server.
async fn visit(world: &World, browser: &Chromium, path: &str) {
    browser.visit(&format!("{}{path}", world.base_url)).await;
}

/// Checks which page the browser shows.
async fn expect_at(browser: &Chromium, path: &str) {
    let address = browser.address().await;
    assert_eq!(address.path(), path, "{address}: {}", browser.text().await);
}

/// Signs in on the current page.
async fn sign_in_here(browser: &Chromium, username: &str, password: &str) {
    browser.type_into("#username", username).await;
    browser.type_into("#password", password).await;
    browser.click("form button").await;
}

/// Creates a traveller and signs in.
async fn signed_up(world: &World, browser: &Chromium, username: &str) {
    world.account(username).await;
    visit(world, browser, "/sign-in").await;
    sign_in_here(browser, username, PASSWORD).await;
    expect_at(browser, "/").await;
}

/// Runs a program's sign-in, which listens on the loopback address. `way` is what the traveller does at the program's
/// link.
async fn program<F: Future<Output = ()>>(world: &World, way: impl FnOnce(Url) -> F) -> Result<Tokens, SignInError> {
    let (send, link) = oneshot::channel();
    let sign_in = SignIn::new(&world.base_url, "Trip Planner").scopes(EVERYTHING);
    let sign_in = sign_in.run(|url| send.send(url.clone()).expect("somebody waits"));
    let way = async { way(link.await.expect("a link")).await };
    futures::future::join(sign_in, way).await.0
}
