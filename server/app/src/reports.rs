//! Reports: travellers submit them; moderators review them on pages, operators on the command line.

use itinerary_api::request_state::{Caller, IdempotencyKey};
use itinerary_api::types::{Report, ReportCreate};
use itinerary_core::access::Act;
use itinerary_core::ids;
use itinerary_platform::context::Service;
use itinerary_store::{Idempotent, NewReport, ReportOutcome};
use serde_json::Value;
use uuid::Uuid;

use super::audit::{self, Actor, Event};
use super::itineraries::{admit, restore};
use super::{Error, Outcome, Rendered, Result, replay, store_claim};

/// The amount of an itinerary's text that is shown for review, in characters.
const TEXT: usize = 1200;
/// The amount of one text that is shown, in characters.
const LINE: usize = 300;

/// Stores a report. When enough are open, the itinerary is hidden from Explore until an operator has reviewed them.
pub async fn create(
    service: &Service,
    caller: &Caller,
    id: Uuid,
    key: Option<IdempotencyKey>,
    body: ReportCreate,
) -> Result<Rendered<Report>> {
    admit(service, caller, id, Act::Mark).await?;
    let claim = key.map(|key| store_claim(caller, key));
    if let Some(earlier) = replay(service, claim.as_ref()).await? {
        return Ok(earlier);
    }
    let now = service.clock.now();
    let report = NewReport {
        id: ids::uuid(now, &*service.random),
        itinerary_id: id,
        account_id: caller.account,
        reason: body.reason.as_str().to_owned(),
        note: body.note.map(|note| note.to_string()),
        created_at: now,
    };
    let rendered = Rendered { outcome: Outcome::Created, ..Rendered::json(&Report { id: report.id }) };
    let stored = claim.as_ref().map(|_| rendered.stored());
    match service.store.report_create(&report, claim.as_ref().zip(stored.as_ref()), now).await? {
        Idempotent::Executed(ReportOutcome::Filed) => Ok(rendered),
        Idempotent::Executed(ReportOutcome::AlreadyOpen) => {
            Err(Error::Conflict("You already have an open report on this itinerary."))
        }
        Idempotent::Executed(ReportOutcome::Gone) => Err(Error::NotFound),
        Idempotent::Replayed(earlier) => Rendered::again(earlier),
    }
}

/// Closes an itinerary's open reports, and hides it from Explore permanently or shows it again. Returns how many were
/// open, or `None` if the itinerary does not exist.
pub async fn resolve(service: &Service, id: Uuid, hide: bool, by: Actor<'_>) -> Result<Option<u64>> {
    let event = if hide { Event::ItineraryHidden } else { Event::ItineraryKept };
    let owner = service.store.explore_entry_source(id).await?.map(|source| source.owner_id);
    let entry = audit::entry(service, event, owner, by, &id.to_string());
    let resolved = service.store.reports_resolve(id, hide, &entry).await?;
    if resolved.is_some() && !hide {
        restore(service, id).await?;
    }
    Ok(resolved)
}

/// The beginning of an itinerary's text, for its review: its summary, and then its other strings.
pub fn texts(content: &[u8]) -> Vec<String> {
    let (mut texts, mut length) = (Vec::new(), 0);
    let mut content: Value = serde_json::from_slice(content).unwrap_or_default();
    let summary = content.as_object_mut().and_then(|fields| fields.remove("summary")).unwrap_or_default();
    let mut take = |key: &str, text: &str| {
        if length < TEXT && is_prose(key) && !text.is_empty() {
            length += text.chars().count().min(LINE);
            texts.push(cut(text));
        }
    };
    collect(&summary, &mut take);
    collect(&content, &mut take);
    texts
}

/// Whether people read the field. Ids, links and codes are left out, except where they lead readers elsewhere.
fn is_prose(key: &str) -> bool {
    !matches!(
        key,
        "id" | "startDate" | "endDate" | "date" | "currency" | "countryCode" | "timeZone" | "title" | "from" | "source"
    )
}

fn collect(value: &Value, take: &mut impl FnMut(&str, &str)) {
    fn within(key: &str, value: &Value, take: &mut impl FnMut(&str, &str)) {
        match value {
            Value::String(text) => take(key, text),
            Value::Array(values) => values.iter().for_each(|value| within(key, value, take)),
            Value::Object(fields) => fields.iter().for_each(|(key, value)| within(key, value, take)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    within("", value, take);
}

/// At most [`LINE`] characters.
fn cut(text: &str) -> String {
    match text.char_indices().nth(LINE) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_of_a_text_is_bounded() {
        let content = serde_json::json!({
            "title": "Shown above", "summary": "Buy now\nor never",
            "days": [{ "id": "d1", "stops": [{ "name": "x".repeat(10_000) }] }],
            "hotels": (0..100).map(|_| serde_json::json!({ "notes": "y".repeat(200) })).collect::<Vec<_>>(),
        });
        let texts = texts(content.to_string().as_bytes());
        assert_eq!(texts[0], "Buy now\nor never");
        assert!(texts.iter().all(|text| text.chars().count() <= LINE + 1 && !text.contains("d1")));
        assert!(texts.iter().map(|text| text.chars().count()).sum::<usize>() < TEXT + LINE + 100);
        assert_eq!(super::texts(b"not JSON"), Vec::<String>::new());
    }
}
