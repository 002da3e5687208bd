//! Moderators' pages, suspended accounts, warnings, and the audit log. Labels `W-…` name the requirements of ways in.

mod audit;
mod pages;
mod suspension;

use itinerary_app::moderation;
use itinerary_store::Account;
use itinerary_tests::World;
use itinerary_tests::browser::Browser;

/// The account with a username.
async fn account(world: &World, name: &str) -> Account {
    world.service().store.account_by_username(name).await.expect("a database").expect("an account")
}

/// The browser of somebody who signs up and is made a moderator.
async fn moderator(world: &World, name: &str) -> Browser {
    let browser = Browser::signed_up(world, name).await;
    moderation::set_moderator(world.service(), &account(world, name).await, true).await.expect("appointed");
    browser
}

async fn suspend(world: &World, name: &str) {
    let account = account(world, name).await;
    let by = itinerary_app::audit::Actor::Operator;
    moderation::suspend(world.service(), &account, "Spam in public trips.", by).await.expect("suspended");
}
