//! Invitations and blocks: nobody becomes a member without consent.
//!
//! Most rows use the newcomer, because declining and blocking last. They keep out follows of other rows, which would make
//! members without an invitation.

use reqwest::Method;
use serde_json::{Value, json};

use crate::context::{Context, Made};
use crate::operations::whole;
use crate::outcome::Checked;
use crate::row::{Row, row};
use crate::shape::{AUTHOR, INVITATION, MEMBER, PROFILE};
use crate::travellers::App;

pub(super) fn rows() -> Vec<Row> {
    let mut rows = invitations();
    rows.extend(blocks());
    rows
}

fn invitation(made: &Made) -> String {
    format!("/v1/invitations/{}", made.id)
}

/// An itinerary, and the newcomer, whom its owner has invited.
async fn invited(t: &Context) -> Checked<(Made, App)> {
    let newcomer = t.travellers.newcomer().await?;
    let made = t.itinerary(whole()).await?;
    let path = made.at(&format!("/members/{}", newcomer.account_id));
    let response = made.app.put(&path).json(&json!({ "role": "viewer" })).send().await?;
    response.status(200)?.shaped("", MEMBER)?.at("/status", "pending")?;
    Ok((made, newcomer))
}

fn invitations() -> Vec<Row> {
    vec![
        row(
            "invitation.pending.reads",
            "member_set",
            "Before accepting, an invited traveller sees what everyone sees of an unlisted itinerary, in no list.",
            |t| async move {
                let _alone = t.travellers.follows().await;
                let (made, newcomer) = invited(&t).await?;
                let read = newcomer.get(&made.path).send().await?;
                read.status(200)?.at("/role", "viewer")?.lacks("/flights")?.lacks("/hotels")?;
                newcomer.get(&made.at("/members")).send().await?.error(403, "forbidden")?;
                let list = newcomer.get("/v1/itineraries?filter=shared&limit=100").send().await?.json_with(200)?;
                let is_listed = entries(&list).iter().any(|entry| entry["id"] == made.id.as_str());
                read.ensure(!is_listed, "no list with the itinerary")?;
                newcomer.call(Method::PUT, &invitation(&made)).send().await?.status(200).map(|_| ())
            },
        ),
        row("invitation.list.data", "invitation_list", "Invitations say what, by whom and when.", |t| async move {
            let _alone = t.travellers.follows().await;
            let (made, newcomer) = invited(&t).await?;
            let response = newcomer.get("/v1/invitations").send().await?;
            response.status(200)?.at("/data/0/itineraryId", made.id.as_str())?.shaped("/data/0", INVITATION)?;
            response.shaped("/data/0/from", AUTHOR)?.at("/data/0/from/accountId", &*made.app.account_id)?;
            newcomer.call(Method::PUT, &invitation(&made)).send().await?.status(200).map(|_| ())
        }),
        row("invitation.accept.answer", "invitation_accept", "Accepting answers with the member.", |t| async move {
            let _alone = t.travellers.follows().await;
            let (made, newcomer) = invited(&t).await?;
            // Idempotent.
            for _ in 0..2 {
                let response = newcomer.call(Method::PUT, &invitation(&made)).send().await?;
                response.status(200)?.shaped("", MEMBER)?.at("/status", "accepted")?;
            }
            newcomer.get(&made.path).send().await?.holds(&whole()).map(|_| ())
        }),
        row(
            "invitation.accept.uninvited",
            "invitation_accept",
            "Nobody accepts or declines without an invitation.",
            |t| async move {
                let made = t.itinerary(json!({})).await?;
                let other = t.other(&made)?;
                for method in [Method::PUT, Method::DELETE] {
                    other.call(method, &invitation(&made)).send().await?.error(404, "notFound")?;
                }
                Ok(())
            },
        ),
        row(
            "invitation.decline.answer",
            "invitation_decline",
            "Declining answers 204, and the owner cannot invite again.",
            |t| async move {
                let _alone = t.travellers.follows().await;
                let (made, newcomer) = invited(&t).await?;
                newcomer.delete(&invitation(&made)).send().await?.status(204)?.empty()?;
                newcomer.get(&made.path).send().await?.error(404, "notFound")?;
                let path = made.at(&format!("/members/{}", newcomer.account_id));
                let again = made.app.put(&path).json(&json!({ "role": "viewer" })).send().await?;
                again.error(409, "conflict").map(|_| ())
            },
        ),
        row(
            "invitation.follower",
            "member_set",
            "Somebody who follows the owner becomes a member at once.",
            |t| async move {
                let _alone = t.travellers.follows().await;
                let newcomer = t.travellers.newcomer().await?;
                let made = t.itinerary(whole()).await?;
                let follow = format!("/v1/accounts/{}/follow", made.app.account_id);
                newcomer.call(Method::PUT, &follow).send().await?.status(204)?;
                let path = made.at(&format!("/members/{}", newcomer.account_id));
                let response = made.app.put(&path).json(&json!({ "role": "editor" })).send().await?;
                newcomer.delete(&follow).send().await?.status(204)?;
                response.status(200)?.at("/status", "accepted").map(|_| ())
            },
        ),
    ]
}

fn entries(page: &Value) -> &[Value] {
    page["data"].as_array().map(Vec::as_slice).unwrap_or_default()
}

fn block(whom: &App) -> String {
    format!("/v1/accounts/{}/block", whom.account_id)
}

fn blocks() -> Vec<Row> {
    vec![
        row(
            "block.set.ends",
            "block_set",
            "Blocking answers 204, and ends memberships between the two.",
            |t| async move {
                let _alone = t.travellers.follows().await;
                let (made, newcomer) = invited(&t).await?;
                newcomer.call(Method::PUT, &invitation(&made)).send().await?.status(200)?;
                newcomer.call(Method::PUT, &block(&made.app)).send().await?.status(204)?.empty()?;
                let members = made.app.get(&made.at("/members")).send().await?;
                newcomer.delete(&block(&made.app)).send().await?.status(204)?.empty()?;
                members.status(200)?.lacks("/data/0")?;
                newcomer.get(&made.path).send().await?.error(404, "notFound").map(|_| ())
            },
        ),
        row(
            "block.set.hides",
            "block_set",
            "To a blocked traveller the blocker does not exist: notFound, for following and inviting too.",
            |t| async move {
                let _alone = t.travellers.follows().await;
                let newcomer = t.travellers.newcomer().await?;
                let made = t.itinerary(json!({})).await?;
                newcomer.call(Method::PUT, &block(&made.app)).send().await?.status(204)?;
                let account = format!("/v1/accounts/{}", newcomer.account_id);
                let mut responses = Vec::new();
                for rest in ["", "/itineraries", "/followers", "/following"] {
                    responses.push(made.app.get(&format!("{account}{rest}")).send().await?);
                }
                responses.push(made.app.call(Method::PUT, &format!("{account}/follow")).send().await?);
                let path = made.at(&format!("/members/{}", newcomer.account_id));
                responses.push(made.app.put(&path).json(&json!({ "role": "viewer" })).send().await?);
                newcomer.delete(&block(&made.app)).send().await?.status(204)?;
                for response in responses {
                    response.error(404, "notFound")?;
                }
                made.app.get(&account).send().await?.status(200).map(|_| ())
            },
        ),
        row("block.list.data", "block_list", "Blocked travellers are listed as profiles.", |t| async move {
            let _alone = t.travellers.follows().await;
            let newcomer = t.travellers.newcomer().await?;
            let other = t.app()?;
            newcomer.call(Method::PUT, &block(&other)).send().await?.status(204)?;
            let response = newcomer.get("/v1/account/blocks").send().await?;
            newcomer.delete(&block(&other)).send().await?.status(204)?;
            response.status(200)?.shaped("/data/0", PROFILE)?.at("/data/0/accountId", &*other.account_id).map(|_| ())
        }),
        row("block.set.self", "block_set", "Nobody blocks themselves.", |t| async move {
            let app = t.app()?;
            app.call(Method::PUT, &block(&app)).send().await?.invalid("accountId")
        }),
    ]
}
