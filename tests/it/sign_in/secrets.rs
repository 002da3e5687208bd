//! Stored secrets: a copy of the database reveals none. (A-14, T-18)

use std::fs;

use itinerary_platform::passwords::HashingCost;
use itinerary_tests::browser::Browser;
use itinerary_tests::world::PASSWORD;
use itinerary_tests::{Database, World, api_test, sql};

use super::{App, tokens};

/// The whole database as bytes: SQLite's files, or PostgreSQL's rows as text.
async fn everything(world: &World) -> Vec<u8> {
    let url = world.database_url();
    if url.starts_with("sqlite") {
        let files = fs::read_dir(world.data()).expect("the data folder").map(|entry| entry.expect("an entry").path());
        return files.filter(|path| path.is_file()).flat_map(|path| fs::read(path).expect("a file")).collect();
    }
    let mut text = String::new();
    for table in ["accounts", "clients", "codes", "grants", "sessions", "tokens"] {
        let rows = format!("SELECT COALESCE(string_agg(t::text, ' '), '') FROM {table} t");
        let rows = sql::ask(url, &rows).await;
        assert!(!rows.is_empty(), "there is something in {table}");
        text.push_str(&rows);
    }
    text.into_bytes()
}

#[api_test]
async fn the_database_holds_no_secret(database: Database) {
    let Some(world) = World::start_with(database, |config| config.password_cost = HashingCost::default()).await else {
        return;
    };
    let app = App::confidential(&world).await;
    let browser = Browser::signed_up(&world, "ana").await;
    let used = app.code(&browser).await;
    let first = tokens(&app.redeem(&used).await);
    let second = app.renewed(&first.refresh_token).await;
    let unused = app.code(&browser).await;
    let session = browser.cookie("session").expect("a session");
    let held = everything(&world).await;
    let holds = |text: &str| held.windows(text.len()).any(|window| window == text.as_bytes());
    for secret in [
        PASSWORD,
        &session,
        &used,
        &unused,
        &first.access_token,
        &first.refresh_token,
        &second.access_token,
        &second.refresh_token,
        app.secret.as_deref().expect("a secret"),
    ] {
        assert!(!holds(secret), "{secret}");
        let random = secret.rsplit('_').next().expect("text");
        assert!(random.len() < 20 || !holds(random), "{secret} without its prefix");
    }
    let hashed = "$argon2id$v=19$m=19456,t=2,p=1$";
    for known in [app.id.as_str(), "Trip Notes", "itineraries:read itineraries:write", hashed] {
        assert!(holds(known), "this test looks in the wrong place: no {known}");
    }
}
