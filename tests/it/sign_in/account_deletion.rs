//! Deleting one's own account: gone at once for everybody, then from the database and the disk.

use std::path::Path;

use chrono::TimeDelta;
use itinerary_app::accounts::erase_deleted;
use itinerary_app::itineraries::covers::delete_unused;
use itinerary_app::itineraries::documents::delete_loose_files;
use itinerary_server::jobs;
use itinerary_tests::app::{App as TokenApp, Stored, ids, key, path};
use itinerary_tests::bodies::{on_day, with};
use itinerary_tests::browser::{Browser, Page};
use itinerary_tests::world::PASSWORD;
use itinerary_tests::{World, api_test, sql};
use reqwest::Method;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{App, expect_ended};
use crate::covers::age;
use crate::documents::small;
use crate::explore::{follow, found, published};
use itinerary_tests::documents::SCOPE;

const PATH: &str = "/account/delete";
/// A name that occurs nowhere else.
const NAME: &str = "zephyrine-q7";

/// Deletes the account of the signed-in traveller.
async fn delete(browser: &Browser, password: &str) -> Page {
    let form = browser.visit(PATH).await.form(PATH);
    browser.submit(&form, &[("password", password)]).await
}

async fn erase(world: &World) -> u64 {
    erase_deleted(world.service()).await.expect("a database")
}

async fn expect_good(app: &TokenApp<'_>, method: Method, address: &str) {
    let response = app.call(method, address).send().await;
    assert!(response.status.is_success(), "{address}: {}", response.text());
}

async fn saved(app: &TokenApp<'_>, id: &str) -> Stored {
    let response = app.call(Method::POST, &format!("{}/saves", path(id))).send().await;
    assert_eq!(response.status, 201, "{}", response.text());
    Stored::of(&response)
}

async fn count(world: &World, of: &str) -> String {
    sql::ask(world.database_url(), &format!("SELECT CAST(COALESCE(({of}), -1) AS TEXT)")).await
}

/// The rows that contain a text in any case, each with its table.
async fn rows_with(world: &World, text: &str) -> Vec<(String, String)> {
    let mut rows = sql::dump(world.database_url()).await;
    rows.retain(|(_, row)| row.to_lowercase().contains(&text.to_lowercase()));
    rows
}

/// The names of all files below a folder.
fn files(folder: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let entries = entries.map(|entry| entry.expect("an entry").path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path.display().to_string()] }).collect()
}

/// Zephyrine, who has used every feature, and Ben, with whom she did.
struct Stage<'w> {
    world: &'w World,
    browser: Browser,
    account: Uuid,
    ben: TokenApp<'w>,
    ben_id: Uuid,
    /// Public, with a document.
    public: Stored,
    /// Shared with Ben, with a document and a cover.
    shared: Stored,
    /// Her copy of Ben's itinerary.
    copy: Stored,
    /// Ben's copy of her itinerary.
    bens_copy: Stored,
    bens: Stored,
    documents: Vec<String>,
}

impl<'w> Stage<'w> {
    async fn set(world: &'w World) -> Self {
        let browser = Browser::new(world);
        browser.sign_up(NAME, "Zephyrine Q7", PASSWORD).await.assert_says("Zephyrine Q7");
        world.set_plan(NAME, itinerary_model::Plan::Pro).await;
        let her = TokenApp::with_scope(world, NAME, SCOPE).await;
        let account =
            world.service().store.account_by_username(NAME).await.expect("a database").expect("she is there").id;
        let home = json!({ "homePlace": { "name": "Zephyrinehome" }, "imageUrl": "https://zephyrine.example/me" });
        let patch = her.call(Method::PATCH, "/v1/account").json(&home).header("If-Match", "*").send().await;
        assert_eq!(patch.status, 200, "{}", patch.text());
        let ben_id = world.account("ben").await;
        let ben = TokenApp::of(world, "ben").await;
        let bens = published(&ben, &with(on_day(1), json!({ "title": "Ben's" }))).await;
        let bens_own = ben.created(&on_day(2)).await;

        let public = published(&her, &with(on_day(3), json!({ "title": "Harbours" }))).await;
        let call = her.create_call("", &with(on_day(4), json!({ "title": "Secret" })));
        let shared = Stored::of(&call.header("Idempotency-Key", &key()).send().await);
        let documents = vec![small(&her, &public.id).await, small(&her, &shared.id).await];
        let image = shared.json["coverImage"]["url"].as_str().expect("a cover").to_owned();
        assert_eq!(itinerary_tests::raw::Call(world.http.get(image)).send().await.status, 200, "it is drawn, and kept");

        let copy = saved(&her, &bens.id).await;
        let bens_copy = saved(&ben, &public.id).await;
        for (app, id, method, what) in [
            (&her, &bens.id, Method::PUT, "/like"),
            (&ben, &public.id, Method::PUT, "/like"),
            (&her, &bens.id, Method::GET, ""),
            (&ben, &public.id, Method::GET, ""),
        ] {
            expect_good(app, method, &(path(id) + what)).await;
        }
        expect_good(&her, Method::PUT, &format!("{}/dislike", path(&published(&ben, &on_day(5)).await.id))).await;
        follow(&her, ben_id, true).await;
        follow(&ben, account, true).await;
        let gone = TokenApp::of(world, "dan").await;
        follow(&gone, account, true).await;
        let dan = world.service().store.account_by_username("dan").await.expect("a database").expect("he is there").id;
        expect_good(&her, Method::DELETE, &format!("/v1/account/followers/{dan}")).await;
        // Invitations by her and to her, and blocks by her and of her.
        let cleo_app = TokenApp::of(world, "cleo").await;
        let cleo = world.service().store.account_by_username("cleo").await.expect("a database").expect("there").id;
        let cleos = cleo_app.created(&on_day(6)).await;
        for (app, id, member) in [(&her, &shared.id, cleo), (&cleo_app, &cleos.id, account)] {
            let call = app.call(Method::PUT, &format!("{}/members/{member}", path(id)));
            assert_eq!(call.json(&json!({ "role": "editor" })).send().await.json()["status"], "pending");
        }
        expect_good(&her, Method::PUT, &format!("/v1/accounts/{dan}/block")).await;
        expect_good(&gone, Method::PUT, &format!("/v1/accounts/{account}/block")).await;
        for (app, id, member) in [(&her, &shared.id, ben_id), (&ben, &bens_own.id, account)] {
            let call = app.call(Method::PUT, &format!("{}/members/{member}", path(id)));
            assert_eq!(call.json(&json!({ "role": "editor" })).send().await.status, 200);
        }
        for (app, id) in [(&her, &bens.id), (&ben, &public.id)] {
            let report = app.call(Method::POST, &format!("{}/reports", path(id)));
            assert_eq!(
                report.json(&json!({ "reason": "other", "note": "zephyrine-q7 says so" })).send().await.status,
                201
            );
        }
        jobs::count_reads(world.service()).await.expect("a database");
        let form = browser.visit("/account/calendar").await.form("/account/calendar");
        browser.submit(&form, &[("action", "make")]).await.assert_says("Your new address");
        Self { world, browser, account, ben, ben_id, public, shared, copy, bens_copy, bens, documents }
    }

    /// Checks that nothing of her is visible to anybody, right after the deletion.
    async fn expect_out_of_sight(&self) {
        let Self { world, ben, account, .. } = self;
        assert_eq!(Browser::new(world).sign_in(NAME, PASSWORD).await.response.status, 422);
        for id in [&self.public.id, &self.shared.id, &self.copy.id] {
            ben.view(id).await.expect_error(404, "notFound");
        }
        assert!(!ben.listed("filter=shared").await.contains(&self.shared.id));
        assert!(!ben.listed("filter=liked").await.contains(&self.public.id));
        for query in ["", "q=harbours", "following=true"] {
            assert!(!found(ben, query).await.contains(&self.public.id), "{query}");
        }
        for address in [
            format!("/v1/accounts/{account}"),
            format!("/v1/accounts?username={NAME}"),
            format!("/v1/accounts/{account}/itineraries"),
            format!("/v1/accounts/{account}/followers"),
        ] {
            ben.call(Method::GET, &address).send().await.expect_error(404, "notFound");
        }
        let follow = ben.call(Method::PUT, &format!("/v1/accounts/{account}/follow")).send().await;
        follow.expect_error(404, "notFound");
        let people = |side: &str| format!("/v1/accounts/{}/{side}", self.ben_id);
        for side in ["followers", "following"] {
            assert_eq!(ben.call(Method::GET, &people(side)).send().await.json()["data"], json!([]), "{side}");
        }
        // The copy belongs to Ben.
        let copy = ben.viewed(&self.bens_copy.id).await;
        assert_eq!(copy.json["title"], "Harbours");
        assert_eq!(copy.json["savedFrom"].get("author"), None, "{}", copy.json);
        let text = copy.json.to_string();
        assert!(!text.to_lowercase().contains("zephyrine"), "{text}");
    }

    /// Looks for any remains in the database and on the disk.
    async fn expect_erased(&self) {
        let ids = [&self.public.id, &self.shared.id, &self.copy.id].into_iter().chain(&self.documents);
        let ids = ids.map(|id| id.parse().expect("a UUID")).chain([self.account]);
        for id in ids.collect::<Vec<Uuid>>() {
            for form in [id.to_string(), id.simple().to_string()] {
                let mut left = rows_with(self.world, &form).await;
                // The source of Ben's copy.
                left.retain(|(table, _)| table != "itineraries" || id.to_string() != self.public.id);
                // Those who were members are told that it is deleted.
                let tells = |table: &str| ["changes", "new_changes"].contains(&table) && id != self.account;
                left.retain(|(table, row)| {
                    !(tells(table) && row.replace('-', "").contains(&self.ben_id.simple().to_string()))
                });
                assert_eq!(left, [], "{form}");
            }
        }
        assert_eq!(rows_with(self.world, "zephyrine").await, [], "her name");
        let public: Uuid = self.public.id.parse().expect("a UUID");
        let copies = rows_with(self.world, &self.bens_copy.id.replace('-', "")).await.len()
            + rows_with(self.world, &self.bens_copy.id).await.len();
        assert!(copies > 0, "what is looked for is found where it is");
        let owned = rows_with(self.world, &public.simple().to_string()).await;
        let owned = owned.len() + rows_with(self.world, &self.public.id).await.len();
        assert_eq!(owned, 1, "the id that Ben's copy is from is kept");
        let files = files(&self.world.data().join("files"));
        for part in self.documents.iter().map(String::as_str).chain([cover(&self.shared.json)]) {
            assert!(!files.iter().any(|name| name.contains(part)), "{part} in {files:?}");
        }
    }

    /// Checks that her marks on others' itineraries and accounts are not counted.
    async fn expect_counters_corrected(&self) {
        let marks = self.ben.call(Method::GET, &format!("{}/marks", path(&self.bens.id))).send().await.json();
        assert_eq!((&marks["likesCount"], &marks["savesCount"]), (&json!(0), &json!(0)), "{marks}");
        let ben = self.ben.call(Method::GET, &format!("/v1/accounts/{}", self.ben_id)).send().await.json();
        assert_eq!((&ben["followersCount"], &ben["followingCount"]), (&json!(0), &json!(0)), "{ben}");
    }
}

/// The id of a cover image.
fn cover(itinerary: &Value) -> &str {
    itinerary["coverImage"]["url"].as_str().and_then(|url| url.rsplit('/').next()).expect("a cover")
}

#[api_test(limits = false)]
async fn everything_of_a_deleted_account_is_gone(world: World) {
    let stage = Stage::set(&world).await;
    let tokens = App::public(&world).await.connect(&stage.browser).await;
    assert_eq!(count(&world, "SELECT likes + saves FROM itinerary_counters ORDER BY 1 DESC LIMIT 1").await, "2");
    assert!(!rows_with(&world, "zephyrine").await.is_empty() && files(&world.data().join("files")).len() >= 4);

    let page = delete(&stage.browser, PASSWORD).await;
    assert_eq!(page.address.path(), "/", "{}", page.text());
    page.assert_says("Your account is deleted.");
    assert_eq!(stage.browser.cookie("session"), None);
    assert_eq!(stage.browser.visit("/account").await.address.path(), "/sign-in");
    expect_ended(&world, &tokens.access_token).await;
    stage.expect_out_of_sight().await;

    // After one batch the server is killed; the next run completes the rest.
    let store = &world.service().store;
    assert!(store.account_erase(stage.account, world.service().clock.now()).await.expect("a database"));
    stage.expect_out_of_sight().await;
    assert!(erase(&world).await > 3);
    assert_eq!(erase(&world).await, 0);
    age(&world, 61);
    delete_unused(world.service()).await.expect("files");
    assert_eq!(delete_loose_files(world.service()).await.expect("files"), 2);
    stage.expect_out_of_sight().await;
    stage.expect_erased().await;
    stage.expect_counters_corrected().await;
}

#[api_test(limits = false)]
async fn the_username_is_not_given_out_again_for_90_days(world: World) {
    let browser = Browser::signed_up(&world, NAME).await;
    assert_eq!(delete(&browser, PASSWORD).await.address.path(), "/");
    let attempt = async || Browser::new(&world).sign_up(&NAME.to_uppercase(), "Another", PASSWORD).await;
    for days in [0, 89] {
        world.clock.advance(TimeDelta::days(days));
        erase(&world).await;
        jobs::expire(world.service()).await.expect("a database");
        let page = attempt().await;
        assert_eq!(page.response.status, 422);
        page.assert_says("This username is taken.");
    }
    world.clock.advance(TimeDelta::days(1));
    jobs::expire(world.service()).await.expect("a database");
    assert_eq!(count(&world, "SELECT count(*) FROM former_usernames").await, "0");
    assert_eq!(attempt().await.address.path(), "/");
}

#[api_test]
async fn nothing_is_deleted_without_the_password(world: World) {
    let browser = Browser::signed_up(&world, "ana").await;
    let form = browser.visit(PATH).await.form(PATH);
    for password in ["", "not the password"] {
        let page = browser.submit(&form, &[("password", password)]).await;
        assert_eq!((page.response.status.as_u16(), page.address.path()), (422, PATH));
        page.assert_says("Wrong password.");
        super::expect_marked(&page, "password");
    }
    let page = browser.submit(&form.clone().with("guard", "forged"), &[("password", PASSWORD)]).await;
    assert_eq!(page.response.status, 403);
    assert_eq!(Browser::new(&world).submit(&form, &[("password", PASSWORD)]).await.address.path(), "/sign-in");
    for n in 0..8 {
        assert_eq!(browser.submit(&form, &[("password", "guess")]).await.response.status, 422, "{n}");
    }
    assert_eq!(browser.submit(&form, &[("password", PASSWORD)]).await.response.status, 429);
    assert_eq!(erase(&world).await, 0);
    assert_eq!(browser.visit("/account").await.address.path(), "/account");
}

// A large account is erased in batches, so that no transaction is long.
#[api_test(limits = false)]
async fn an_account_is_erased_in_batches(world: World) {
    let browser = Browser::signed_up(&world, "ana").await;
    let app = TokenApp::of(&world, "ana").await;
    for day in 1..=25 {
        published(&app, &on_day(day)).await;
    }
    let rows = "SELECT (SELECT count(*) FROM itineraries) + (SELECT count(*) FROM explore)";
    assert_eq!(count(&world, rows).await, "50");
    assert_eq!(delete(&browser, PASSWORD).await.address.path(), "/");
    let (store, now) = (&world.service().store, world.service().clock.now());
    let deleted = store.accounts_deleted().await.expect("a database");
    let mut left = vec![50];
    while store.account_erase(deleted[0], now).await.expect("a database") {
        left.push(count(&world, rows).await.parse().expect("a number"));
    }
    assert!(left.windows(2).all(|pair| pair[0] - pair[1] <= 20), "{left:?}");
    assert_eq!(count(&world, rows).await, "0");
    assert_eq!(store.accounts_deleted().await.expect("a database"), [] as [Uuid; 0]);
    assert_eq!(ids(&TokenApp::of(&world, "ben").await.list("").await.json()), [] as [&str; 0]);
}

// A running server erases by itself, at once.
#[api_test]
async fn the_server_erases_without_being_asked(world: World) {
    let _jobs = jobs::start(&world.shared_service());
    let browser = Browser::signed_up(&world, "ana").await;
    assert_eq!(delete(&browser, PASSWORD).await.address.path(), "/");
    let erased = async {
        while count(&world, "SELECT count(*) FROM accounts").await != "0" {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(50), erased).await.expect("sooner than the next minute");
}

// An itinerary that only deleted accounts reported is shown again.
#[api_test(limits = false)]
async fn reports_of_deleted_accounts_hide_nothing(world: World) {
    let names = ["eve", "fay", "gus"];
    for name in names {
        let account = world.account(name).await;
        world.is_active(account).await;
    }
    world.clock.advance(TimeDelta::days(7));
    let ana = TokenApp::of(&world, "ana").await;
    let made = published(&ana, &on_day(1)).await;
    for name in names {
        let app = TokenApp::of(&world, name).await;
        let report = app.call(Method::POST, &format!("{}/reports", path(&made.id)));
        assert_eq!(report.json(&json!({ "reason": "spam" })).send().await.status, 201);
    }
    assert_eq!(found(&ana, "").await, [] as [&str; 0]);
    for name in names {
        let browser = Browser::new(&world);
        browser.sign_in(name, PASSWORD).await;
        assert_eq!(delete(&browser, PASSWORD).await.address.path(), "/");
        assert!(name == "gus" || found(&ana, "").await.is_empty(), "others ask for a review still");
        erase(&world).await;
    }
    assert_eq!(found(&ana, "").await, [made.id]);
}
