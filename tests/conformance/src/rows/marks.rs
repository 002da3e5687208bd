//! Likes, dislikes, saved copies and reports (specification, sections 2.3 and 4.8).

use std::time::Duration;

use reqwest::Method;
use serde_json::json;

use crate::context::{Context, Made, key};
use crate::operations::whole;
use crate::outcome::Checked;
use crate::row::{Row, row};
use crate::shape::{ITINERARY, MARKS};
use crate::travellers::App;

/// A public itinerary and a traveller who is no member.
async fn public(t: &Context) -> Checked<(Made, App)> {
    let made = t.itinerary(whole()).await?.patched(&json!({ "visibility": "public" })).await?;
    let reader = t.other(&made)?;
    Ok((made, reader))
}

pub(super) fn rows() -> Vec<Row> {
    let mut rows = likes();
    rows.extend(views());
    rows.extend(saves());
    rows.extend(reports());
    rows
}

fn likes() -> Vec<Row> {
    vec![
        row("mark.view.answer", "marks_view", "The marks say what the caller has done, and count.", |t| async move {
            let (made, reader) = public(&t).await?;
            let response = reader.get(&made.at("/marks")).send().await?;
            response.status(200)?.shaped("", MARKS)?.at("/liked", false)?.at("/likesCount", 0).map(|_| ())
        }),
        row("mark.like.set", "like_set", "A like answers 200 with the marks, and counts.", |t| async move {
            let (made, reader) = public(&t).await?;
            let response = reader.put(&made.at("/like")).send().await?;
            response.status(200)?.shaped("", MARKS)?.at("/liked", true)?.at("/likesCount", 1)?;
            made.view().await?.at("/likesCount", 1).map(|_| ())
        }),
        row("mark.like.twice", "like_set", "Liking twice counts once.", |t| async move {
            let (made, reader) = public(&t).await?;
            reader.put(&made.at("/like")).send().await?.status(200)?;
            reader.put(&made.at("/like")).send().await?.status(200)?.at("/likesCount", 1).map(|_| ())
        }),
        row("mark.like.of-many", "like_set", "Likes of several travellers add up.", |t| async move {
            let (made, reader) = public(&t).await?;
            reader.put(&made.at("/like")).send().await?.status(200)?;
            made.app.put(&made.at("/like")).send().await?.status(200)?.at("/likesCount", 2).map(|_| ())
        }),
        row(
            "mark.like.clear",
            "like_clear",
            "A like can be taken back; taking it back twice is no error.",
            |t| async move {
                let (made, reader) = public(&t).await?;
                reader.put(&made.at("/like")).send().await?.status(200)?;
                for _ in 0..2 {
                    let response = reader.delete(&made.at("/like")).send().await?;
                    response.status(200)?.at("/liked", false)?.at("/likesCount", 0)?;
                }
                Ok(())
            },
        ),
        row("mark.dislike.set", "dislike_set", "A dislike takes back a like.", |t| async move {
            let (made, reader) = public(&t).await?;
            reader.put(&made.at("/like")).send().await?.status(200)?;
            let response = reader.put(&made.at("/dislike")).send().await?;
            response.status(200)?.at("/disliked", true)?.at("/liked", false)?.at("/likesCount", 0).map(|_| ())
        }),
        row("mark.dislike.like", "like_set", "A like takes back a dislike.", |t| async move {
            let (made, reader) = public(&t).await?;
            reader.put(&made.at("/dislike")).send().await?.status(200)?;
            let response = reader.put(&made.at("/like")).send().await?;
            response.status(200)?.at("/disliked", false)?.at("/liked", true).map(|_| ())
        }),
        row("mark.dislike.clear", "dislike_clear", "A dislike can be taken back.", |t| async move {
            let (made, reader) = public(&t).await?;
            reader.put(&made.at("/dislike")).send().await?.status(200)?;
            reader.delete(&made.at("/dislike")).send().await?.status(200)?.at("/disliked", false).map(|_| ())
        }),
        row("mark.version.unchanged", "like_set", "Marks do not change the itinerary's version.", |t| async move {
            let (made, reader) = public(&t).await?;
            reader.put(&made.at("/like")).send().await?.status(200)?;
            made.patch(&json!({ "title": "Next" })).send().await?.status(200).map(|_| ())
        }),
    ]
}

/// Saves a copy.
async fn save(made: &Made, reader: &App) -> Checked<crate::response::ReceivedResponse> {
    reader.call(Method::POST, &made.at("/saves")).send().await
}

fn views() -> Vec<Row> {
    vec![row("mark.views.counted", "2.3", "viewsCount counts each other traveller once a day.", |t| async move {
        let (made, reader) = public(&t).await?;
        for _ in 0..2 {
            reader.get(&made.path).send().await?.status(200)?;
        }
        // Servers may count later.
        let mut response = made.view().await?;
        for _ in 0..20 {
            if response.json()?["viewsCount"] != 0 {
                break;
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
            response = made.view().await?;
        }
        response.at("/viewsCount", 1).map(|_| ())
    })]
}

fn saves() -> Vec<Row> {
    vec![
        row(
            "save.create.answer",
            "itinerary_save",
            "Saving answers 201 with a private copy of the caller.",
            |t| async move {
                let (made, reader) = public(&t).await?;
                let response = save(&made, &reader).await?;
                response.status(201)?.shaped("", ITINERARY)?.at("/visibility", "private")?.at("/role", "owner")?;
                let copy = Made::of(&reader, &response)?;
                response.ensure(copy.id != made.id, "an id of its own")?;
                copy.patched(&json!({ "title": "Mine" })).await?;
                made.view().await?.at("/title", made.json["title"].clone()).map(|_| ())
            },
        ),
        row("save.create.content", "itinerary_save", "A copy has the source's days and stops.", |t| async move {
            let (made, reader) = public(&t).await?;
            let response = save(&made, &reader).await?;
            let itinerary = response.json_with(201)?;
            response.at("/destination/name", "Lisbon")?.at("/days/0/stops/1/name", "Viewpoint stop-2")?;
            response.ensure(itinerary["days"].as_array().is_some_and(|days| days.len() == 2), "two days").map(|_| ())
        }),
        row(
            "save.create.private-content",
            "itinerary_save",
            "A copy has nothing private: no flights, no hotels.",
            |t| async move {
                let (made, reader) = public(&t).await?;
                let response = save(&made, &reader).await?;
                response.status(201)?.at("/flights", json!([]))?.at("/hotels", json!([])).map(|_| ())
            },
        ),
        row("save.create.saved-from", "2.3", "savedFrom names the source and its author.", |t| async move {
            let (made, reader) = public(&t).await?;
            let response = save(&made, &reader).await?;
            let wanted = json!({
                "itineraryId": made.id, "author": made.app.username,
                "authorDisplayName": made.json["author"]["displayName"], "authorIsPro": made.json["author"]["isPro"],
            });
            response.status(201)?.holds(&json!({ "savedFrom": wanted }))?;
            made.view().await?.lacks("/savedFrom").map(|_| ())
        }),
        row("save.create.again", "itinerary_save", "Saving again answers 200 with the same copy.", |t| async move {
            let (made, reader) = public(&t).await?;
            let first = save(&made, &reader).await?;
            first.status(201)?;
            save(&made, &reader).await?.status(200)?.at("/id", first.json()?["id"].clone()).map(|_| ())
        }),
        row(
            "save.create.counts",
            "marks_view",
            "The marks say that the caller has a copy, and count copies.",
            |t| async move {
                let (made, reader) = public(&t).await?;
                save(&made, &reader).await?.status(201)?;
                let response = reader.get(&made.at("/marks")).send().await?;
                response.at("/saved", true)?.at("/savesCount", 1).map(|_| ())
            },
        ),
        row("save.create.survives", "itinerary_save", "A copy stays when the source is deleted.", |t| async move {
            let (made, reader) = public(&t).await?;
            let copy = Made::of(&reader, &save(&made, &reader).await?)?;
            made.delete_at("").send().await?;
            copy.view().await?.status(200)?.at("/destination/name", "Lisbon").map(|_| ())
        }),
        row("save.create.retry", "7.3", "Saving with an Idempotency-Key can be retried.", |t| async move {
            let (made, reader) = public(&t).await?;
            let key = key();
            let call = || reader.call(Method::POST, &made.at("/saves")).key(&key).send();
            let first = call().await?;
            first.status(201)?;
            call().await?.status(201)?.at("/id", first.json()?["id"].clone()).map(|_| ())
        }),
    ]
}

fn reports() -> Vec<Row> {
    vec![
        row("report.create.answer", "report_create", "A report answers 201 with its id.", |t| async move {
            let (made, reader) = public(&t).await?;
            let body = json!({ "reason": "other", "note": "A conformance test." });
            let response = reader.post(&made.at("/reports"), &body).send().await?;
            response.status(201)?;
            response.ensure(response.json()?["id"].is_string(), "an id").map(|_| ())
        }),
        row("report.create.reason", "report_create", "A reason is a known value.", |t| async move {
            let (made, reader) = public(&t).await?;
            reader.post(&made.at("/reports"), &json!({ "reason": "boring" })).send().await?.invalid("reason")
        }),
        row("report.create.missing", "report_create", "A report needs a reason.", |t| async move {
            let (made, reader) = public(&t).await?;
            reader.post(&made.at("/reports"), &json!({})).send().await?.invalid("reason")
        }),
        row(
            "report.create.again",
            "report_create",
            "A traveller has one open report of an itinerary.",
            |t| async move {
                let (made, reader) = public(&t).await?;
                let body = json!({ "reason": "other" });
                let first = reader.post(&made.at("/reports"), &body).send().await?;
                first.status(201)?;
                let again = reader.post(&made.at("/reports"), &body).send().await?;
                let same = again.status < 300 && again.json()?["id"] == first.json()?["id"];
                again.ensure(same || again.status == 409, "the same report, or status 409").map(|_| ())
            },
        ),
        row("report.create.note", "report_create", "A note has at most 1,000 characters.", |t| async move {
            let (made, reader) = public(&t).await?;
            let body = json!({ "reason": "other", "note": "x".repeat(1_001) });
            reader.post(&made.at("/reports"), &body).send().await?.invalid("note")
        }),
    ]
}
