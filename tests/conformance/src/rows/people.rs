//! Accounts, profiles and following (OpenAPI document, tags Account and People).

use reqwest::Method;
use serde_json::{Value, json};

use crate::call::encoded;
use crate::context::word;
use crate::operations::NOTHING;
use crate::outcome::Checked;
use crate::row::{Row, row};
use crate::shape::{ACCOUNT, PROFILE};
use crate::travellers::App;

pub(super) fn rows() -> Vec<Row> {
    let mut rows = accounts();
    rows.extend(following());
    rows
}

fn accounts() -> Vec<Row> {
    vec![
        row(
            "account.self.answer",
            "account_self",
            "An app reads the account that its token acts for.",
            |t| async move {
                let app = t.app()?;
                let response = app.get("/v1/account").send().await?;
                response.status(200)?.shaped("", ACCOUNT)?.at("/accountId", &*app.account_id).map(|_| ())
            },
        ),
        row(
            "account.self.scopes",
            "5",
            "The account lists the token's scopes: it is limited to those approved.",
            |t| async move {
                let (limited, _) = t.travellers.scoped("itineraries:read").await?;
                let response = limited.get("/v1/account").send().await?;
                response.status(200)?.at("/scopes", json!(["itineraries:read"])).map(|_| ())
            },
        ),
        row("account.update.name", "account_self_update", "A traveller changes their display name.", |t| async move {
            let app = t.travellers.newcomer().await?;
            let name = format!("Traveller {}", &word()[..8]);
            app.patch("/v1/account", &json!({ "displayName": name }))
                .send()
                .await?
                .status(200)?
                .at("/displayName", &*name)?;
            let profile = t.other(&app)?.get(&format!("/v1/accounts/{}", app.account_id)).send().await?;
            profile.at("/displayName", &*name).map(|_| ())
        }),
        row("account.update.home", "2.3", "The home place fills the origin of later itineraries.", |t| async move {
            let app = t.travellers.newcomer().await?;
            let home = json!({ "name": "Porto", "coordinate": { "latitude": 41.1579, "longitude": -8.6291 } });
            app.patch("/v1/account", &json!({ "homePlace": home }))
                .send()
                .await?
                .status(200)?
                .holds(&json!({ "homePlace": home }))?;
            let made = app.itinerary(json!({})).await?;
            made.view().await?.at("/origin/name", "Porto").map(|_| ())
        }),
        row("account.update.refused", "account_self_update", "A display name is not empty.", |t| async move {
            t.app()?.patch("/v1/account", &json!({ "displayName": "" })).send().await?.invalid("displayName")
        }),
        row("account.update.unknown", "account_self_update", "An unknown field is rejected by name.", |t| async move {
            t.app()?.patch("/v1/account", &json!({ "nickname": "A" })).send().await?.invalid("nickname")
        }),
        row("account.view.profile", "account_view", "Anyone reads a traveller's profile.", |t| async move {
            let app = t.app()?;
            let other = t.other(&app)?;
            let response = app.get(&format!("/v1/accounts/{}", other.account_id)).send().await?;
            response.status(200)?.shaped("", PROFILE)?.at("/username", &*other.username).map(|_| ())
        }),
        row(
            "account.view.private",
            "account_view",
            "A profile contains neither the home place nor the plan.",
            |t| async move {
                let app = t.app()?;
                let response = app.get(&format!("/v1/accounts/{}", t.other(&app)?.account_id)).send().await?;
                response.status(200)?.lacks("/homePlace")?.lacks("/plan")?.lacks("/scopes").map(|_| ())
            },
        ),
        row("account.view.unknown", "7.1", "An account that does not exist answers notFound.", |t| async move {
            t.app()?.get(&format!("/v1/accounts/{NOTHING}")).send().await?.error(404, "notFound").map(|_| ())
        }),
        row(
            "account.view.id",
            "account_view",
            "An accountId that is no UUID answers validationFailed.",
            |t| async move { t.app()?.get("/v1/accounts/ana").send().await?.invalid("accountId") },
        ),
        row("account.find.found", "account_find", "A traveller is found by username.", |t| async move {
            let app = t.app()?;
            let other = t.other(&app)?;
            let response = app.get(&format!("/v1/accounts?username={}", encoded(&other.username))).send().await?;
            response.status(200)?.shaped("", PROFILE)?.at("/accountId", &*other.account_id).map(|_| ())
        }),
        row("account.find.unknown", "account_find", "An unknown username answers notFound.", |t| async move {
            let path = format!("/v1/accounts?username={}", &word()[..20]);
            t.app()?.get(&path).send().await?.error(404, "notFound").map(|_| ())
        }),
        row("account.find.missing", "account_find", "Without username, validationFailed names it.", |t| async move {
            t.app()?.get("/v1/accounts").send().await?.invalid("username")
        }),
    ]
}

fn follow(of: &App) -> String {
    format!("/v1/accounts/{}/follow", of.account_id)
}

async fn profile(app: &App, of: &App) -> Checked<Value> {
    app.get(&format!("/v1/accounts/{}", of.account_id)).send().await?.json_with(200)
}

fn following() -> Vec<Row> {
    vec![
        row("follow.set.answer", "follow_set", "Following answers 204, and the profile says so.", |t| async move {
            let _alone = t.travellers.follows().await;
            let app = t.app()?;
            let other = t.other(&app)?;
            app.delete(&follow(&other)).send().await?.status(204)?;
            let before = profile(&app, &other).await?;
            app.call(Method::PUT, &follow(&other)).send().await?.status(204)?.empty()?;
            let response = app.get(&format!("/v1/accounts/{}", other.account_id)).send().await?;
            app.delete(&follow(&other)).send().await?.status(204)?;
            let followers = before["followersCount"].as_u64().unwrap_or_default() + 1;
            response.at("/following", true)?.at("/followersCount", followers).map(|_| ())
        }),
        row("follow.set.again", "follow_set", "Following twice counts once.", |t| async move {
            let _alone = t.travellers.follows().await;
            let app = t.app()?;
            let other = t.other(&app)?;
            app.call(Method::PUT, &follow(&other)).send().await?.status(204)?;
            let once = profile(&app, &other).await?;
            app.call(Method::PUT, &follow(&other)).send().await?.status(204)?;
            let response = app.get(&format!("/v1/accounts/{}", other.account_id)).send().await?;
            app.delete(&follow(&other)).send().await?.status(204)?;
            response.at("/followersCount", once["followersCount"].clone()).map(|_| ())
        }),
        row("follow.set.self", "follow_set", "Nobody follows themselves.", |t| async move {
            let app = t.app()?;
            let response = app.call(Method::PUT, &follow(&app)).send().await?;
            response.ensure(matches!(response.status, 409 | 422), "status 409 or 422").map(|_| ())
        }),
        row("follow.set.unknown", "follow_set", "Following an unknown account answers notFound.", |t| async move {
            let path = format!("/v1/accounts/{NOTHING}/follow");
            t.app()?.call(Method::PUT, &path).send().await?.error(404, "notFound").map(|_| ())
        }),
        row(
            "follow.clear.answer",
            "follow_clear",
            "Unfollowing answers 204, also if nobody was followed.",
            |t| async move {
                let _alone = t.travellers.follows().await;
                let app = t.app()?;
                let other = t.other(&app)?;
                app.call(Method::PUT, &follow(&other)).send().await?.status(204)?;
                for _ in 0..2 {
                    app.delete(&follow(&other)).send().await?.status(204)?.empty()?;
                }
                let response = app.get(&format!("/v1/accounts/{}", other.account_id)).send().await?;
                response.at("/following", false).map(|_| ())
            },
        ),
        row("follow.list.both", "follower_list", "Followers and following list profiles in pages.", |t| async move {
            let _alone = t.travellers.follows().await;
            let app = t.app()?;
            let other = t.other(&app)?;
            app.call(Method::PUT, &follow(&other)).send().await?.status(204)?;
            let followers = app.get(&format!("/v1/accounts/{}/followers?limit=100", other.account_id)).send().await?;
            let following = app.get(&format!("/v1/accounts/{}/following?limit=100", app.account_id)).send().await?;
            app.delete(&follow(&other)).send().await?.status(204)?;
            for (response, account) in [(followers, &app), (following, &other)] {
                let page = response.json_with(200)?;
                let listed = page["data"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .any(|entry| entry["accountId"] == *account.account_id);
                response.shaped("/data/0", PROFILE)?;
                response
                    .ensure(listed && page.get("nextCursor").is_some(), format!("an entry of {}", account.username))?;
            }
            Ok(())
        }),
        row(
            "follow.remove.answer",
            "follower_remove",
            "A removed follower no longer follows, and may not follow again.",
            |t| async move {
                let _alone = t.travellers.follows().await;
                let follower = t.travellers.newcomer().await?;
                let app = t.app()?;
                follower.call(Method::PUT, &follow(&app)).send().await?.status(204)?;
                let path = format!("/v1/account/followers/{}", follower.account_id);
                app.delete(&path).send().await?.status(204)?.empty()?;
                let response = follower.get(&format!("/v1/accounts/{}", app.account_id)).send().await?;
                response.at("/following", false)?;
                let again = follower.call(Method::PUT, &follow(&app)).send().await?;
                again.ensure((400..500).contains(&again.status), "a refusal").map(|_| ())
            },
        ),
    ]
}
