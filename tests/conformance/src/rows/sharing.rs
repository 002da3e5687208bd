//! Members, roles and visibility (specification, sections 1, 2.3 and 3).

use reqwest::Method;
use serde_json::json;

use crate::call::encoded;
use crate::context::{Context, Made};
use crate::operations::{NOTHING, whole};
use crate::outcome::Checked;
use crate::row::{Row, row};
use crate::shape::MEMBER;
use crate::travellers::App;

pub(super) fn rows() -> Vec<Row> {
    let mut rows = members();
    rows.extend(roles());
    rows.extend(visibilities());
    rows
}

/// An itinerary shared with a member.
async fn shared(t: &Context, role: &str) -> Checked<(Made, App)> {
    let made = t.itinerary(whole()).await?;
    let member = t.other(&made)?;
    made.share(&member, role).await?;
    Ok((made, member))
}

/// An itinerary with this visibility, and a traveller who is no member.
async fn visible(t: &Context, visibility: &str) -> Checked<(Made, App)> {
    let made = t.itinerary(whole()).await?;
    let made = made.patched(&json!({ "visibility": visibility })).await?;
    let reader = t.other(&made)?;
    Ok((made, reader))
}

fn members() -> Vec<Row> {
    vec![
        row(
            "member.set.answer",
            "member_set",
            "Making somebody a member answers 200 with the member.",
            |t| async move {
                let (made, member) = shared(&t, "viewer").await?;
                let path = made.at(&format!("/members/{}", member.account_id));
                let response = made.app.put(&path).json(&json!({ "role": "editor" })).send().await?;
                response
                    .status(200)?
                    .shaped("", MEMBER)?
                    .at("/accountId", &*member.account_id)?
                    .at("/role", "editor")
                    .map(|_| ())
            },
        ),
        row("member.set.again", "member_set", "Setting another role changes the member's role.", |t| async move {
            let (made, member) = shared(&t, "viewer").await?;
            made.share(&member, "editor").await?;
            member.get(&made.path).send().await?.at("/role", "editor").map(|_| ())
        }),
        row("member.set.role", "member_set", "A member is an editor or a viewer.", |t| async move {
            let made = t.itinerary(json!({})).await?;
            let path = made.at(&format!("/members/{}", t.other(&made)?.account_id));
            made.app.put(&path).json(&json!({ "role": "owner" })).send().await?.invalid("role")
        }),
        row(
            "member.set.unknown",
            "member_set",
            "Making an unknown account a member answers notFound.",
            |t| async move {
                let made = t.itinerary(json!({})).await?;
                let call = made.app.put(&made.at(&format!("/members/{NOTHING}"))).json(&json!({ "role": "viewer" }));
                call.send().await?.error(404, "notFound").map(|_| ())
            },
        ),
        row("member.set.by-member", "member_set", "Only the owner adds members.", |t| async move {
            let (made, member) = shared(&t, "editor").await?;
            let path = made.at(&format!("/members/{}", made.app.account_id));
            member.put(&path).json(&json!({ "role": "viewer" })).send().await?.error(403, "forbidden").map(|_| ())
        }),
        row(
            "member.list.data",
            "member_list",
            "The list of members has each member with role and name.",
            |t| async move {
                let (made, member) = shared(&t, "viewer").await?;
                let response = made.app.get(&made.at("/members")).send().await?;
                response.status(200)?.shaped("/data/0", MEMBER)?.at("/data/0/accountId", &*member.account_id)?;
                response.at("/data/0/role", "viewer")?.lacks("/data/1").map(|_| ())
            },
        ),
        row(
            "member.list.for-readers",
            "member_list",
            "Only owner and members see who else is a member.",
            |t| async move {
                let (made, reader) = visible(&t, "unlisted").await?;
                reader.get(&made.at("/members")).send().await?.error(403, "forbidden").map(|_| ())
            },
        ),
        row(
            "member.remove.answer",
            "member_remove",
            "Removing a member answers 204, and hides the itinerary.",
            |t| async move {
                let (made, member) = shared(&t, "viewer").await?;
                let path = made.at(&format!("/members/{}", member.account_id));
                made.app.delete(&path).send().await?.status(204)?.empty()?;
                member.get(&made.path).send().await?.error(404, "notFound").map(|_| ())
            },
        ),
        row("member.remove.leave", "member_remove", "A member may leave.", |t| async move {
            let _alone = t.travellers.follows().await;
            let made = t.itinerary(json!({})).await?;
            let member = t.travellers.newcomer().await?;
            made.share(&member, "viewer").await?;
            member.delete(&made.at(&format!("/members/{}", member.account_id))).send().await?.status(204)?;
            member.get(&made.path).send().await?.error(404, "notFound").map(|_| ())
        }),
        row(
            "member.version.unchanged",
            "member_set",
            "Members do not change the itinerary's version.",
            |t| async move {
                let (made, _) = shared(&t, "viewer").await?;
                made.patch(&json!({ "title": "Next" })).send().await?.status(200).map(|_| ())
            },
        ),
    ]
}

fn roles() -> Vec<Row> {
    vec![
        row("role.viewer.reads", "2.3", "A viewer reads the itinerary, and its role says so.", |t| async move {
            let (made, viewer) = shared(&t, "viewer").await?;
            viewer.get(&made.path).send().await?.status(200)?.at("/role", "viewer")?.holds(&whole()).map(|_| ())
        }),
        row("role.viewer.changes", "7.1", "A viewer may not change it: forbidden.", |t| async move {
            let (made, viewer) = shared(&t, "viewer").await?;
            let call = viewer.patch(&made.path, &json!({ "title": "Mine" })).if_match(&made.etag);
            call.send().await?.error(403, "forbidden")?;
            let call = viewer.post(&made.at("/hotels"), &json!({ "name": "Inn" })).if_match(&made.etag);
            call.send().await?.error(403, "forbidden").map(|_| ())
        }),
        row("role.viewer.deletes", "7.1", "A viewer may not delete it: forbidden.", |t| async move {
            let (made, viewer) = shared(&t, "viewer").await?;
            viewer.delete(&made.path).if_match(&made.etag).send().await?.error(403, "forbidden").map(|_| ())
        }),
        row("role.editor.changes", "member_set", "An editor changes the itinerary's content.", |t| async move {
            let (made, editor) = shared(&t, "editor").await?;
            let seen = editor.get(&made.path).send().await?;
            seen.at("/role", "editor")?;
            let call = editor.patch(&made.path, &json!({ "title": "Ours" })).if_match(seen.etag()?);
            call.send().await?.status(200)?;
            made.view().await?.at("/title", "Ours").map(|_| ())
        }),
        row("role.editor.visibility", "itinerary_update", "Only the owner changes the visibility.", |t| async move {
            let (made, editor) = shared(&t, "editor").await?;
            let call = editor.patch(&made.path, &json!({ "visibility": "public" })).if_match(&made.etag);
            call.send().await?.error(403, "forbidden").map(|_| ())
        }),
        row("role.editor.deletes", "itinerary_delete", "Only the owner deletes the itinerary.", |t| async move {
            let (made, editor) = shared(&t, "editor").await?;
            editor.delete(&made.path).if_match(&made.etag).send().await?.error(403, "forbidden").map(|_| ())
        }),
        row("role.editor.conflict", "9", "Writes of owner and editor use the same versions.", |t| async move {
            let (made, editor) = shared(&t, "editor").await?;
            made.patch(&json!({ "title": "Owner's" })).send().await?.status(200)?;
            let call = editor.patch(&made.path, &json!({ "title": "Editor's" })).if_match(&made.etag);
            call.send().await?.error(409, "itineraryModified").map(|_| ())
        }),
    ]
}

fn visibilities() -> Vec<Row> {
    vec![
        row("visibility.private.hidden", "7.1", "A private itinerary answers notFound to others.", |t| async move {
            let (made, reader) = visible(&t, "private").await?;
            reader.get(&made.path).send().await?.error(404, "notFound").map(|_| ())
        }),
        row(
            "visibility.unlisted.readable",
            "itinerary_view",
            "Anyone signed in who has its id reads an unlisted itinerary.",
            |t| async move {
                let (made, reader) = visible(&t, "unlisted").await?;
                reader.get(&made.path).send().await?.status(200)?.at("/role", "viewer").map(|_| ())
            },
        ),
        row("visibility.public.readable", "1", "A public itinerary is readable for others.", |t| async move {
            let (made, reader) = visible(&t, "public").await?;
            let days = json!({ "days": whole()["days"], "visibility": "public", "role": "viewer" });
            reader.get(&made.path).send().await?.status(200)?.holds(&days).map(|_| ())
        }),
        row(
            "visibility.public.sections",
            "itinerary_view",
            "Readers who are not members see no origin, flights and hotels.",
            |t| async move {
                let (made, reader) = visible(&t, "public").await?;
                let response = reader.get(&made.path).send().await?;
                response
                    .status(200)?
                    .lacks("/origin")?
                    .lacks("/flights")?
                    .lacks("/hotels")?
                    .lacks("/documents")
                    .map(|_| ())
            },
        ),
        row(
            "visibility.public.lists",
            "flight_list",
            "To readers who are not members, the lists of flights and hotels answer forbidden.",
            |t| async move {
                let (made, reader) = visible(&t, "public").await?;
                for list in ["/flights", "/hotels"] {
                    reader.get(&made.at(list)).send().await?.error(403, "forbidden")?;
                }
                Ok(())
            },
        ),
        row("visibility.public.changes", "7.1", "Readers who are not members may not change it.", |t| async move {
            let (made, reader) = visible(&t, "public").await?;
            let call = reader.patch(&made.path, &json!({ "title": "Mine" })).if_match(&made.etag);
            call.send().await?.error(403, "forbidden").map(|_| ())
        }),
        row(
            "visibility.public.etag",
            "9",
            "Readers who see different sections have different ETags.",
            |t| async move {
                let (made, reader) = visible(&t, "public").await?;
                let response = reader.get(&made.path).send().await?;
                response
                    .ensure(response.etag()? != made.view().await?.etag()?, "another ETag than the owner's")
                    .map(|_| ())
            },
        ),
        row(
            "visibility.followers.readable",
            "itinerary_view",
            "The owner's followers read a followers-only itinerary.",
            |t| async move {
                let _alone = t.travellers.follows().await;
                let (made, reader) = visible(&t, "followers").await?;
                let follow = format!("/v1/accounts/{}/follow", made.app.account_id);
                reader.delete(&follow).send().await?.status(204)?;
                reader.get(&made.path).send().await?.error(404, "notFound")?;
                reader.call(Method::PUT, &follow).send().await?.status(204)?;
                let seen = reader.get(&made.path).send().await?;
                reader.delete(&follow).send().await?.status(204)?;
                seen.status(200)?;
                reader.get(&made.path).send().await?.error(404, "notFound").map(|_| ())
            },
        ),
        row("visibility.published-at", "2.13", "Publishing sets publishedAt in the summary.", |t| async move {
            let (made, reader) = visible(&t, "public").await?;
            let path = format!("/v1/accounts/{}/itineraries?limit=100", made.app.account_id);
            let response = reader.get(&path).send().await?;
            let page = response.json_with(200)?;
            let entry = page["data"].as_array().into_iter().flatten().find(|entry| entry["id"] == *made.id);
            response
                .ensure(entry.is_some_and(|entry| entry["publishedAt"].is_string()), "an entry with publishedAt")
                .map(|_| ())
        }),
        row(
            "visibility.private-again",
            "3",
            "An itinerary that becomes private again is hidden from others.",
            |t| async move {
                let (made, reader) = visible(&t, "public").await?;
                made.patched(&json!({ "visibility": "private" })).await?;
                reader.get(&made.path).send().await?.error(404, "notFound").map(|_| ())
            },
        ),
        row(
            "visibility.others-list.public",
            "4.2",
            "Another traveller's list has their public itineraries.",
            |t| async move {
                let (made, reader) = visible(&t, "public").await?;
                let path = format!("/v1/accounts/{}/itineraries?filter=owned&limit=100", made.app.account_id);
                let response = reader.get(&path).send().await?;
                let listed = super::lists::ids(&response.json_with(200)?);
                response.ensure(listed.contains(&made.id), format!("an entry of {}", made.id)).map(|_| ())
            },
        ),
        row(
            "visibility.others-list.hidden",
            "4.2",
            "Another traveller's list has no private and no unlisted ones.",
            |t| async move {
                let (private, reader) = visible(&t, "private").await?;
                let unlisted =
                    private.app.itinerary(json!({})).await?.patched(&json!({ "visibility": "unlisted" })).await?;
                let path = format!("/v1/accounts/{}/itineraries?limit=100", private.app.account_id);
                let response = reader.get(&path).send().await?;
                let listed = super::lists::ids(&response.json_with(200)?);
                let shown = listed.contains(&private.id) || listed.contains(&unlisted.id);
                response.ensure(!shown, "no entry of a private or unlisted itinerary").map(|_| ())
            },
        ),
        row(
            "visibility.others-list.filters",
            "4.2",
            "For another traveller's list, filters other than owned answer forbidden.",
            |t| async move {
                let app = t.app()?;
                let path = format!("/v1/accounts/{}/itineraries", t.other(&app)?.account_id);
                for filter in ["all", "shared", "saved", "liked", "disliked"] {
                    app.get(&format!("{path}?filter={}", encoded(filter))).send().await?.error(403, "forbidden")?;
                }
                Ok(())
            },
        ),
        row(
            "visibility.others-list.unknown-filter",
            "4.2",
            "For another traveller's list, an unknown filter answers forbidden like any other.",
            |t| async move {
                let app = t.app()?;
                let path = format!("/v1/accounts/{}/itineraries?filter=mine", t.other(&app)?.account_id);
                app.get(&path).send().await?.error(403, "forbidden").map(|_| ())
            },
        ),
        row(
            "visibility.others-list.unknown-account",
            "7.1",
            "The list of an unknown account answers notFound.",
            |t| async move {
                t.app()?
                    .get(&format!("/v1/accounts/{NOTHING}/itineraries"))
                    .send()
                    .await?
                    .error(404, "notFound")
                    .map(|_| ())
            },
        ),
        row(
            "visibility.others-list.account-id",
            "4.2",
            "An accountId that is no UUID answers validationFailed.",
            |t| async move { t.app()?.get("/v1/accounts/ana/itineraries").send().await?.invalid("accountId") },
        ),
    ]
}
