//! Members: the people whom an itinerary is shared with, or who are invited. Sharing does not change its version.

use itinerary_api::read::FieldError;
use itinerary_api::request_state::Caller;
use itinerary_api::types::{Member, MemberRole, MemberStatus};
use itinerary_api::values::Timestamp;
use itinerary_core::access::Act;
use itinerary_platform::context::Service;
use itinerary_store::{MemberOutcome, MemberRow};
use uuid::Uuid;

use super::itineraries::admit;
use super::{Error, Quota, Result};

pub async fn list(service: &Service, caller: &Caller, id: Uuid) -> Result<Vec<Member>> {
    admit(service, caller, id, Act::Members).await?;
    Ok(service.store.members(id).await?.into_iter().map(member).collect())
}

/// Adds a follower of the owner as a member, invites anyone else, or changes a role.
pub async fn set(service: &Service, caller: &Caller, id: Uuid, account: Uuid, role: MemberRole) -> Result<Member> {
    admit(service, caller, id, Act::Members).await?;
    // Only the owner gets here.
    if account == caller.account {
        return Err(FieldError::new("accountId", "must not be your own: the owner cannot be a member").into());
    }
    let quotas = service.store.quotas();
    match service.store.member_set(id, account, role, service.library_now().await?).await? {
        MemberOutcome::Set(row) => Ok(member(row)),
        MemberOutcome::Left => Err(Error::Conflict(
            "This traveller has left the itinerary or declined an invitation to it, and cannot be added again.",
        )),
        MemberOutcome::Full => Err(Error::OverQuota(Quota::Members(quotas.members))),
        MemberOutcome::TooManyInvitations => Err(Error::OverQuota(Quota::Invitations(quotas.invitations))),
        MemberOutcome::Blocked => Err(Error::Conflict("You have blocked this traveller. Unblock them first.")),
        MemberOutcome::NoAccount | MemberOutcome::Gone => Err(Error::NotFound),
    }
}

/// Removes a member, or withdraws an invitation. An account that leaves cannot be added again.
pub async fn remove(service: &Service, caller: &Caller, id: Uuid, account: Uuid) -> Result<()> {
    let leaves = account == caller.account;
    admit(service, caller, id, if leaves { Act::Leave } else { Act::Members }).await?;
    // From now on the account reads lists from the database: a replica may still have the membership.
    service.store.write_noted(account).await?;
    let removed = service.store.member_remove(id, account, leaves, service.clock.now()).await?;
    if removed { Ok(()) } else { Err(Error::NotFound) }
}

pub(super) fn member(row: MemberRow) -> Member {
    Member {
        role: row.role,
        account_id: row.account_id,
        username: row.username,
        display_name: row.display_name,
        image_url: row.image_url,
        status: if row.accepted { MemberStatus::Accepted } else { MemberStatus::Pending },
        since: Timestamp(row.since),
    }
}
