//! Reports: travellers submit them; operators review them on the command line.

use itinerary_api::request_state::{Caller, IdempotencyKey};
use itinerary_api::types::{Report, ReportCreate};
use itinerary_core::access::Act;
use itinerary_core::ids;
use itinerary_platform::context::Service;
use itinerary_store::{Idempotent, NewReport, ReportOutcome};
use uuid::Uuid;

use super::itineraries::{admit, restore};
use super::{Error, Outcome, Rendered, Result, replay, store_claim};

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
pub async fn resolve(service: &Service, id: Uuid, hide: bool) -> Result<Option<u64>> {
    let resolved = service.store.reports_resolve(id, hide, service.clock.now()).await?;
    if resolved.is_some() && !hide {
        restore(service, id).await?;
    }
    Ok(resolved)
}
