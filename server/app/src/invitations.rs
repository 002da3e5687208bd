//! Invitations: nobody is a member of an itinerary before accepting, unless they follow its owner.
//!
//! `members.rs` sends and withdraws invitations.

use chrono::{DateTime, Utc};
use itinerary_api::request_state::Caller;
use itinerary_api::types::{Author, Destination, Invitation, Member, Page, PageQuery, Title};
use itinerary_api::values::Timestamp;
use itinerary_model::Plan;
use itinerary_platform::context::Service;
use itinerary_store::{ContentSelection, InvitationRow};
use serde::Deserialize;
use uuid::Uuid;

use super::page::Paging;
use super::{Error, Result, members};

/// The fields of a stored card that an invitation shows.
#[derive(Deserialize)]
struct InvitedTrip {
    title: Title,
    destination: Destination,
}

/// One page of the caller's pending invitations, newest first.
pub async fn list(service: &Service, caller: &Caller, query: PageQuery) -> Result<Page<Invitation>> {
    let paging = Paging::new(service, format!("invitation_list {}", caller.account), query.limit);
    let after: Option<(DateTime<Utc>, Uuid)> = paging.after(query.cursor.as_deref())?;
    let mut rows = service.store.invitation_page(caller.account, after, paging.wanted()).await?;
    let next_cursor = paging.cut(&mut rows, |row| (row.created_at, row.itinerary_id));
    Ok(Page { data: rows.into_iter().map(invitation).collect::<Result<_>>()?, next_cursor })
}

/// Makes an invited account a member.
pub async fn accept(service: &Service, account: Uuid, id: Uuid) -> Result<Member> {
    // Not if the owner is deleted.
    service.store.itinerary(id, account, ContentSelection::Nothing).await?.ok_or(Error::NotFound)?;
    let accepted = service.store.invitation_accept(id, account, service.library_now().await?).await?;
    Ok(members::member(accepted.ok_or(Error::NotFound)?))
}

/// Declines an invitation; the account cannot be invited to this itinerary again.
pub async fn decline(service: &Service, account: Uuid, id: Uuid) -> Result<()> {
    let declined = service.store.invitation_decline(id, account, service.clock.now()).await?;
    if declined { Ok(()) } else { Err(Error::NotFound) }
}

fn invitation(row: InvitationRow) -> Result<Invitation> {
    let InvitedTrip { title, destination } = serde_json::from_str(&row.card)?;
    Ok(Invitation {
        itinerary_id: row.itinerary_id,
        title,
        destination,
        role: row.role,
        from: Author {
            account_id: row.owner_id,
            username: row.username,
            display_name: row.display_name,
            image_url: row.image_url,
            is_pro: row.plan == Plan::Pro,
        },
        at: Timestamp(row.created_at),
    })
}
