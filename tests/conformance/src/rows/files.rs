//! Cover images, documents and wallet passes (specification, sections 2.11, 2.12, 4.2, 4.6 and 4.8).

use reqwest::Method;
use serde_json::{Value, json};

use crate::call::Call;
use crate::context::{Context, Made, key};
use crate::operations::{NOTHING, whole};
use crate::outcome::{Checked, ensure};
use crate::response::ReceivedResponse;
use crate::row::{Row, row};
use crate::shape::{ITINERARY, Kind, UPLOADED};

const JPEG: &[u8] = include_bytes!("../samples/cover.jpg");
const PNG: &[u8] = include_bytes!("../samples/cover.png");
const WEBP: &[u8] = include_bytes!("../samples/cover.webp");
/// A text sealed with age for a key that nobody has.
const SEALED: &[u8] = include_bytes!("../samples/pass.age");

pub(super) fn rows() -> Vec<Row> {
    let mut rows = covers();
    rows.extend(documents());
    rows.extend(stored_documents());
    rows.extend(passes());
    rows
}

fn cover(made: &Made) -> Call {
    made.app.put(&made.at("/cover-image")).if_match(&made.etag)
}

fn covers() -> Vec<Row> {
    let mut rows: Vec<Row> = [("jpeg", "image/jpeg", JPEG), ("png", "image/png", PNG), ("webp", "image/webp", WEBP)]
        .into_iter()
        .map(|(name, media_type, image)| {
            let promise = format!("A cover image may be uploaded as {media_type}; its URL serves an image.");
            row(format!("cover.set.{name}"), "4.2", promise, move |t| async move {
                let made = t.itinerary(json!({})).await?;
                let response = cover(&made).body(media_type, image).send().await?;
                response.status(200)?.shaped("", ITINERARY)?.shaped("/coverImage", &[("url", Kind::Url)])?;
                let url = response.json()?["coverImage"]["url"].as_str().unwrap_or_default().to_owned();
                let image = t.call(Method::GET, &url).send().await?;
                image.status(200)?;
                let served = image.header("content-type").starts_with("image/") && !image.body.is_empty();
                image.ensure(served, "an image").map(|_| ())
            })
        })
        .collect();
    rows.extend([
        row(
            "cover.delete.itinerary",
            "itinerary_delete",
            "The pictures of a deleted itinerary are no longer served.",
            |t| async move {
                let made = t.itinerary(json!({})).await?;
                let response = cover(&made).body("image/png", PNG).send().await?;
                let made = Made::of(&made.app, response.status(200)?)?;
                let url = made.text("/coverImage/url")?;
                t.call(Method::GET, &url).send().await?.status(200)?;
                made.delete_at("").send().await?.status(204)?;
                t.call(Method::GET, &url).send().await?.status(404).map(|_| ())
            },
        ),
        row("cover.set.empty", "4.2", "Without a body the server picks a cover image.", |t| async move {
            let made = t.itinerary(json!({})).await?;
            let response = cover(&made).send().await?;
            response.status(200)?;
            let itinerary = response.json()?;
            let attention = itinerary["needsAttention"].to_string().contains("coverImage");
            response.ensure(itinerary["coverImage"]["url"].is_string() || attention, "a coverImage").map(|_| ())
        }),
        row(
            "cover.set.query",
            "itinerary_cover_image_set",
            "JSON with a query has the server search an image.",
            |t| async move {
                let made = t.itinerary(json!({})).await?;
                let response = cover(&made).json(&json!({ "query": "Lisbon" })).send().await?;
                response
                    .ensure(matches!(response.status, 200 | 502), "status 200, or 502 if the provider fails")
                    .map(|_| ())
            },
        ),
        row("cover.set.url", "4.2", "A JSON body with a url is rejected.", |t| async move {
            let made = t.itinerary(json!({})).await?;
            let response = cover(&made).json(&json!({ "url": "https://images.example/a.jpg" })).send().await?;
            response.invalid("url")?;
            made.view().await?.has("etag", &made.etag).map(|_| ())
        }),
        row("cover.set.rejected", "7.1", "A file that is not a usable image answers imageRejected.", |t| async move {
            let made = t.itinerary(json!({})).await?;
            for image in [b"no image".as_slice(), &JPEG[..JPEG.len() / 2], b"GIF89a"] {
                cover(&made).body("image/jpeg", image).send().await?.error(422, "imageRejected")?;
            }
            made.view().await?.has("etag", &made.etag).map(|_| ())
        }),
        row("cover.set.type", "4.2", "Bodies of other types are rejected.", |t| async move {
            let made = t.itinerary(json!({})).await?;
            cover(&made).body("text/html", "<p>").send().await?.error(415, "unsupportedMediaType").map(|_| ())
        }),
        row("cover.set.size", "itinerary_cover_image_set", "An image over 10 MB answers 413.", |t| async move {
            let made = t.itinerary(json!({})).await?;
            let mut image = JPEG.to_vec();
            image.resize(10 * 1_048_576 + 1, 0);
            cover(&made).body("image/jpeg", image).send().await?.error(413, "payloadTooLarge").map(|_| ())
        }),
    ]);
    rows
}

/// Uploads a sealed file.
async fn upload(made: &Made, fields: &[(&str, &str)]) -> Checked<ReceivedResponse> {
    made.app.call(Method::POST, &made.at("/documents")).multipart(fields, "pass.age", SEALED).send().await
}

/// An itinerary with a document, and the document's id.
async fn with_document(t: &Context) -> Checked<(Made, String)> {
    let made = t.pro_itinerary(whole()).await?;
    let response = upload(&made, &[("name", "Boarding pass"), ("category", "boardingPass")]).await?;
    let id = response.json_with(201)?["id"].as_str().unwrap_or_default().to_owned();
    let made = Made { etag: response.etag()?.to_owned(), ..made };
    Ok((made, id))
}

/// The same for rows that only read.
async fn any_document(t: &Context) -> Checked<(Made, String)> {
    t.document.get_or_try_init(|| with_document(t)).await.cloned()
}

fn documents() -> Vec<Row> {
    vec![
        row("document.upload.answer", "2.12", "An upload answers 201 with the uploaded document.", |t| async move {
            let made = t.pro_itinerary(json!({})).await?;
            let response = upload(&made, &[("name", "Boarding pass"), ("category", "boardingPass")]).await?;
            response.status(201)?.shaped("", UPLOADED)?.at("/name", "Boarding pass")?.at("/kind", "boardingPass")?;
            response.at("/size", SEALED.len()).map(|_| ())
        }),
        row("document.upload.listed", "2.11", "An uploaded document is part of the itinerary.", |t| async move {
            let (made, id) = any_document(&t).await?;
            let file = json!({ "name": "pass.age", "size": SEALED.len() });
            let entry = json!({ "id": id, "name": "Boarding pass", "category": "boardingPass", "file": file });
            made.view().await?.status(200)?.holds(&json!({ "documents": [entry] })).map(|_| ())
        }),
        row(
            "document.upload.etag",
            "document_upload",
            "The next write accepts the ETag of an upload.",
            |t| async move {
                let (made, _) = with_document(&t).await?;
                made.patch(&json!({ "title": "Next" })).send().await?.status(200).map(|_| ())
            },
        ),
        row(
            "document.upload.belongs-to",
            "2.11",
            "A document may belong to an item of the itinerary.",
            |t| async move {
                let made = t.pro_itinerary(whole()).await?;
                let belongs_to = json!({ "kind": "flight", "id": "flight-1" });
                upload(&made, &[("belongsTo", &belongs_to.to_string())]).await?.status(201)?;
                made.view().await?.at("/documents/0/belongsTo", belongs_to).map(|_| ())
            },
        ),
        row(
            "document.upload.not-sealed",
            "4.6",
            "A file that is not sealed answers documentNotSealed.",
            |t| async move {
                let made = t.pro_itinerary(json!({})).await?;
                for file in [b"%PDF-1.7 not sealed".as_slice(), &SEALED[..40]] {
                    let call = made.app.call(Method::POST, &made.at("/documents")).multipart(&[], "pass.pdf", file);
                    call.send().await?.error(422, "documentNotSealed")?;
                }
                made.view().await?.at("/documents", json!([])).map(|_| ())
            },
        ),
        row(
            "document.upload.plan",
            "4.6",
            "Uploading needs Pro: subscriptionRequired for documents.",
            |t| async move {
                let made = t.itinerary(json!({})).await?;
                let response = upload(&made, &[]).await?;
                let details = response.error(403, "subscriptionRequired")?;
                response.ensure(details["section"] == "documents", "error.details.section documents").map(|_| ())
            },
        ),
        row("document.upload.type", "4.6", "An upload is multipart/form-data.", |t| async move {
            let made = t.pro_itinerary(json!({})).await?;
            let call = made.app.call(Method::POST, &made.at("/documents")).body("application/octet-stream", SEALED);
            call.send().await?.error(415, "unsupportedMediaType").map(|_| ())
        }),
        row("document.upload.no-file", "4.6", "An upload has a file part.", |t| async move {
            let made = t.pro_itinerary(json!({})).await?;
            let form = "--b\r\nContent-Disposition: form-data; name=\"name\"\r\n\r\nPass\r\n--b--\r\n";
            let call = made.app.call(Method::POST, &made.at("/documents"));
            call.body("multipart/form-data; boundary=b", form).send().await?.invalid("file")
        }),
        row("document.upload.category", "2.11", "A document's category is a known value.", |t| async move {
            let made = t.pro_itinerary(json!({})).await?;
            upload(&made, &[("category", "novel")]).await?.invalid("category")
        }),
        row("document.upload.size", "4.6", "A file over 20 MB answers 413.", |t| async move {
            let made = t.pro_itinerary(json!({})).await?;
            let mut file = SEALED.to_vec();
            file.resize(20 * 1_048_576 + 1, 0);
            let call = made.app.call(Method::POST, &made.at("/documents")).multipart(&[], "pass.age", &file);
            call.send().await?.error(413, "payloadTooLarge").map(|_| ())
        }),
        row(
            "document.upload.retry",
            "7.3",
            "An upload of a file alone, with an Idempotency-Key, can be retried.",
            |t| async move {
                let made = t.pro_itinerary(json!({})).await?;
                let key = key();
                let call =
                    made.app.call(Method::POST, &made.at("/documents")).multipart(&[], "pass.age", SEALED).key(&key);
                let (first, again) = (call.clone().send().await?, call.send().await?);
                first.status(201)?;
                again.status(201)?.at("/id", first.json()?["id"].clone())?;
                let documents = made.view().await?.json()?["documents"].as_array().map(Vec::len);
                ensure(documents == Some(1), "one document")
            },
        ),
    ]
}

fn stored_documents() -> Vec<Row> {
    vec![
        row("document.list.data", "document_list", "The list has each document with its mimeType.", |t| async move {
            let (made, id) = any_document(&t).await?;
            let response = made.app.get(&made.at("/documents")).send().await?;
            response.status(200)?.at("/data/0/id", &*id)?.at("/data/0/name", "Boarding pass")?;
            response.ensure(response.json()?["data"][0]["mimeType"].is_string(), "a mimeType").map(|_| ())
        }),
        row(
            "document.link.download",
            "document_link",
            "A link serves the very bytes that were uploaded.",
            |t| async move {
                let (made, id) = any_document(&t).await?;
                let response = made.app.get(&made.at(&format!("/documents/{id}/link"))).send().await?;
                response.status(200)?.shaped("", &[("url", Kind::Url), ("expiresAt", Kind::DateTime)])?;
                let url = response.json()?["url"].as_str().unwrap_or_default().to_owned();
                let file = t.call(Method::GET, &url).send().await?;
                file.status(200)?;
                file.ensure(file.body == SEALED, "the bytes that were uploaded")?;
                file.ensure(file.header("content-disposition").starts_with("attachment"), "an attachment").map(|_| ())
            },
        ),
        row(
            "document.link.range",
            "RFC 9110, section 14.2",
            "A link serves a part of the file to a Range request.",
            |t| async move {
                let (made, id) = any_document(&t).await?;
                let response = made.app.get(&made.at(&format!("/documents/{id}/link"))).send().await?;
                let url = response.json_with(200)?["url"].as_str().unwrap_or_default().to_owned();
                let part = t.call(Method::GET, &url).header("Range", "bytes=4-9").send().await?;
                part.status(206)?.has("content-range", &format!("bytes 4-9/{}", SEALED.len()))?;
                part.ensure(part.body == SEALED[4..10], "these six bytes").map(|_| ())
            },
        ),
        row(
            "document.link.range-outside",
            "RFC 9110, section 15.5.17",
            "A Range after the end of the file answers 416 with the file's size.",
            |t| async move {
                let (made, id) = any_document(&t).await?;
                let response = made.app.get(&made.at(&format!("/documents/{id}/link"))).send().await?;
                let url = response.json_with(200)?["url"].as_str().unwrap_or_default().to_owned();
                let outside = format!("bytes={}-", SEALED.len());
                let response = t.call(Method::GET, &url).header("Range", &outside).send().await?;
                response.error(416, "rangeNotSatisfiable")?;
                response.has("content-range", &format!("bytes */{}", SEALED.len())).map(|_| ())
            },
        ),
        row("document.link.members", "document_link", "A link is for the owner and members.", |t| async move {
            let (made, id) = with_document(&t).await?;
            let made = made.patched(&json!({ "visibility": "public" })).await?;
            let reader = t.other(&made)?;
            reader.get(&made.at(&format!("/documents/{id}/link"))).send().await?.error(403, "forbidden")?;
            reader.get(&made.at("/documents")).send().await?.error(403, "forbidden").map(|_| ())
        }),
        row("document.link.unknown", "7.1", "A document that does not exist answers notFound.", |t| async move {
            let made = t.itinerary(json!({})).await?;
            let response = made.app.get(&made.at(&format!("/documents/{NOTHING}/link"))).send().await?;
            response.error(404, "notFound").map(|_| ())
        }),
        row(
            "document.update.name",
            "document_update",
            "A document is renamed: 200 with its entry and the ETag.",
            |t| async move {
                let (made, id) = with_document(&t).await?;
                let response = made
                    .patch_at(&format!("/documents/{id}"), &json!({ "name": "Visa", "category": "visa" }))
                    .send()
                    .await?;
                response.status(200)?.at("/id", &*id)?.at("/name", "Visa")?.at("/category", "visa")?;
                made.view().await?.has("etag", response.etag()?)?.at("/documents/0/name", "Visa").map(|_| ())
            },
        ),
        row("document.update.condition", "9", "Renaming a document needs the current ETag.", |t| async move {
            let (made, id) = with_document(&t).await?;
            let path = made.at(&format!("/documents/{id}"));
            let rename = json!({ "name": "Visa" });
            made.app.patch(&path, &rename).send().await?.error(428, "preconditionRequired")?;
            made.patched(&json!({ "title": "Meanwhile" })).await?;
            let response = made.app.patch(&path, &rename).if_match(&made.etag).send().await?;
            response.error(409, "itineraryModified").map(|_| ())
        }),
        row(
            "document.update.itinerary",
            "2.11",
            "The itinerary's update accepts documents unchanged only.",
            |t| async move {
                let (made, _) = with_document(&t).await?;
                let documents = made.view().await?.json()?["documents"].clone();
                let kept = made.patched(&json!({ "documents": documents, "title": "Kept" })).await?;
                kept.patch(&json!({ "documents": [] })).send().await?.invalid("documents")
            },
        ),
        row(
            "document.delete.answer",
            "document_delete",
            "Deleting a document answers 204 with the new ETag.",
            |t| async move {
                let (made, id) = with_document(&t).await?;
                let response = made.delete_at(&format!("/documents/{id}")).send().await?;
                response.status(204)?.empty()?;
                made.view().await?.has("etag", response.etag()?)?.at("/documents", json!([])).map(|_| ())
            },
        ),
        row("document.delete.link", "document_delete", "A deleted document's link ends.", |t| async move {
            let (made, id) = with_document(&t).await?;
            let response = made.app.get(&made.at(&format!("/documents/{id}/link"))).send().await?;
            let url = response.json_with(200)?["url"].as_str().unwrap_or_default().to_owned();
            made.delete_at(&format!("/documents/{id}")).send().await?.status(204)?;
            t.call(Method::GET, &url).send().await?.status(404).map(|_| ())
        }),
        row("document.delete.itinerary", "4.2", "Deleting an itinerary deletes its documents.", |t| async move {
            let (made, id) = with_document(&t).await?;
            let response = made.app.get(&made.at(&format!("/documents/{id}/link"))).send().await?;
            let url = response.json_with(200)?["url"].as_str().unwrap_or_default().to_owned();
            made.delete_at("").send().await?;
            t.call(Method::GET, &url).send().await?.status(404).map(|_| ())
        }),
    ]
}

fn passes() -> Vec<Row> {
    vec![
        row(
            "wallet.list.data",
            "wallet_pass_list",
            "Passes are listed for each booking that can have one.",
            |t| async move {
                let made = t.itinerary(whole()).await?;
                let response = made.app.get(&made.at("/wallet-passes")).send().await?;
                let list = response.json_with(200)?;
                let has = |kind: &str, id: &str| {
                    let entry =
                        |entry: &Value| entry["kind"] == kind && entry["itemId"] == id && entry["formats"].is_array();
                    list["data"].as_array().is_some_and(|data| data.iter().any(entry))
                };
                response
                    .ensure(has("flight", "flight-1") && has("hotel", "hotel-1"), "flight-1 and hotel-1")
                    .map(|_| ())
            },
        ),
        row(
            "wallet.view.answer",
            "wallet_pass_view",
            "A pass is a file, or featureUnavailable with Retry-After.",
            |t| async move {
                let made = t.itinerary(whole()).await?;
                let response = made.app.get(&made.at("/wallet-passes/flight/flight-1")).send().await?;
                if response.status == 503 {
                    response.error(503, "featureUnavailable")?;
                    return response.with_header("retry-after").map(|_| ());
                }
                response.status(200)?.has("content-type", "application/vnd.apple.pkpass").map(|_| ())
            },
        ),
        row(
            "wallet.view.incomplete",
            "wallet_pass_view",
            "A flight without airports and departure answers conflict.",
            |t| async move {
                let made = t.itinerary(json!({ "flights": [{ "id": "bare", "flightNumber": "TP1" }] })).await?;
                made.app.get(&made.at("/wallet-passes/flight/bare")).send().await?.error(409, "conflict").map(|_| ())
            },
        ),
        row("wallet.view.unknown", "7.1", "A pass of an item that does not exist answers notFound.", |t| async move {
            let made = t.itinerary(whole()).await?;
            made.app.get(&made.at("/wallet-passes/flight/nowhere")).send().await?.error(404, "notFound").map(|_| ())
        }),
        row("wallet.view.kind", "wallet_pass_view", "A pass is of a booking.", |t| async move {
            let made = t.itinerary(whole()).await?;
            made.app.get(&made.at("/wallet-passes/stop/stop-1")).send().await?.invalid("kind")
        }),
        row("wallet.view.ticket", "wallet_pass_view", "A ticket that does not exist is rejected.", |t| async move {
            let made = t.itinerary(whole()).await?;
            made.app.get(&made.at("/wallet-passes/flight/flight-1?ticket=19")).send().await?.invalid("ticket")
        }),
        row("wallet.view.format", "wallet_pass_view", "A format is a known value.", |t| async move {
            let made = t.itinerary(whole()).await?;
            made.app.get(&made.at("/wallet-passes/flight/flight-1?format=paper")).send().await?.invalid("format")
        }),
    ]
}
