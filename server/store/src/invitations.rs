//! Invitations: an account becomes a member of an itinerary only when it accepts.
//!
//! Every change locks the itinerary's row. The number of invitations that an owner has sent lately and that were not
//! accepted is kept apart from the invitations: withdrawing them or deleting their itinerary does not lower it.

use chrono::{DateTime, TimeDelta, Utc};
use itinerary_model::{MemberRole, Plan};
use uuid::Uuid;

use crate::changes::ChangeKind;
use crate::engine::transaction::{End, Transaction};
use crate::entity::invitations::{self, Column};
use crate::entity::sent_invitations::{self, Column as Sent};
use crate::entity::{accounts, itineraries};
use crate::error::is_missing_reference;
use crate::members::{MemberOutcome, MemberRow, MemberSet};
use crate::query::query;
use crate::query::row::row;
use crate::query::statement::prelude::*;
use crate::query::statement::statements;
use crate::{Result, Store};

/// For how many days an invitation that was not accepted counts against its sender's quota.
pub const INVITATION_DAYS: i64 = 30;

row! {
    /// A pending invitation, with its itinerary and the owner's public profile.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct InvitationRow {
        pub itinerary_id: Uuid = invitations::Column::ItineraryId,
        /// The itinerary's entry in lists, as JSON.
        pub card: String = itineraries::Column::Card,
        pub role: MemberRole = invitations::Column::Role,
        pub created_at: DateTime<Utc> = invitations::Column::CreatedAt,
        pub owner_id: Uuid = accounts::Column::Id,
        pub username: String = accounts::Column::Username,
        pub display_name: String = accounts::Column::DisplayName,
        pub image_url: Option<String> = accounts::Column::ImageUrl,
        pub plan: Plan = accounts::Column::Plan,
    }
}

row! {
    /// What an invitation becomes when it is accepted.
    pub(crate) struct Taken {
        owner_id: Uuid = invitations::Column::OwnerId,
        role: MemberRole = invitations::Column::Role,
        created_at: DateTime<Utc> = invitations::Column::CreatedAt,
    }
}

statements! {
    const FIRST_PAGE = page().limit_p(2);

    const LATER_PAGE = page()
        .filter(Expr::tuple([Column::CreatedAt.col(), Column::ItineraryId.col()]).lt(Expr::tuple([p(3), p(4)])))
        .limit_p(2);

    const COUNT = pending().select_count();

    const SET_ROLE = invitations::Entity::update_many()
        .col_expr(Column::Role, p(3))
        .filter(Column::ItineraryId.eq(p(1)))
        .filter(Column::AccountId.eq(p(2)));

    const INSERT =
        insert([Column::ItineraryId, Column::AccountId, Column::OwnerId, Column::Role, Column::CreatedAt]);

    const DELETE = invitations::Entity::delete_many()
        .filter(Column::ItineraryId.eq(p(1)))
        .filter(Column::AccountId.eq(p(2)));

    const TAKE = invitations::Entity::delete_many()
        .filter(Column::ItineraryId.eq(p(1)))
        .filter(Column::AccountId.eq(p(2)))
        .into_query()
        .returning(returning::<Taken>());

    const FORGET_SENT = sent_invitations::Entity::delete_many()
        .filter(Sent::OwnerId.eq(p(1)))
        .filter(Sent::SentAt.lte(p(2)));

    const COUNT_SENT = insert_values([(Sent::OwnerId, p(1)), (Sent::SentAt, p(2)), (Sent::Number, 1.into())])
        .on_conflict(
            OnConflict::columns([Sent::OwnerId, Sent::SentAt])
                .value(Sent::Number, Sent::Number.col().add(1))
                .to_owned(),
        );

    const UNCOUNT_SENT = sent_invitations::Entity::update_many()
        .col_expr(Sent::Number, Sent::Number.col().sub(1))
        .filter(Sent::OwnerId.eq(p(1)))
        .filter(Sent::SentAt.eq(p(2)))
        .filter(Sent::Number.gt(0));

    const FORGET_ACCEPTED = sent_invitations::Entity::delete_many()
        .filter(Sent::OwnerId.eq(p(1)))
        .filter(Sent::SentAt.eq(p(2)))
        .filter(Sent::Number.eq(0));

    const SENT_AS_MANY = "SELECT 1 WHERE \
         (SELECT COALESCE(sum(number), 0) FROM sent_invitations WHERE owner_id = $1 AND sent_at > $2) >= $3";
}

/// The pending invitations of the account $1, newest first.
fn page() -> Select<invitations::Entity> {
    pending().select_row::<InvitationRow>().order_by_desc(Column::CreatedAt).order_by_desc(Column::ItineraryId)
}

/// The pending invitations of the account $1, with itinerary and owner.
fn pending() -> Select<invitations::Entity> {
    invitations::Entity::find()
        .inner_join(itineraries::Entity)
        .join(JoinType::InnerJoin, itineraries::Relation::Owner.def())
        .filter(accounts::Column::DeletedAt.is_null())
        .filter(Column::AccountId.eq(p(1)))
}

impl Store {
    /// The pending invitations of an account, newest first. A later page starts after a row's instant and itinerary.
    pub async fn invitation_page(
        &self,
        account: Uuid,
        after: Option<(DateTime<Utc>, Uuid)>,
        limit: u32,
    ) -> Result<Vec<InvitationRow>> {
        let limit = i64::from(limit);
        let page = match after {
            None => query!(FIRST_PAGE, account, limit),
            Some((at, itinerary)) => query!(LATER_PAGE, account, limit, at, itinerary),
        };
        self.fetch_all(&page).await
    }

    /// The number of pending invitations of an account.
    pub async fn invitation_count(&self, account: Uuid) -> Result<i64> {
        Ok(self.fetch_optional(&query!(COUNT, account)).await?.unwrap_or(0))
    }

    /// Makes an invited account a member. Idempotent: returns the member if it is one. `None` if it is not invited.
    pub async fn invitation_accept(
        &self,
        itinerary: Uuid,
        account: Uuid,
        now: DateTime<Utc>,
    ) -> Result<Option<MemberRow>> {
        let accepted = self.transaction((itinerary, account, now), |&(itinerary, account, now), transaction| {
            Box::pin(async move {
                if transaction.lock_itinerary(itinerary).await?.is_none() {
                    return Ok(End::Rollback(None));
                }
                if let Some(Taken { owner_id, role, .. }) = transaction.take_invitation(itinerary, account).await? {
                    transaction.insert_member(itinerary, account, role, now, owner_id).await?;
                    transaction.record_change(ChangeKind::Shared, itinerary, account, now).await?;
                }
                Ok(End::Commit(transaction.member(itinerary, account).await?))
            })
        });
        match accepted.await {
            // The account has been deleted meanwhile.
            Err(error) if is_missing_reference(&error) => Ok(None),
            outcome => outcome,
        }
    }

    /// Declines an invitation, so that the account is not invited to this itinerary again; `false` if it is not invited.
    pub async fn invitation_decline(&self, itinerary: Uuid, account: Uuid, now: DateTime<Utc>) -> Result<bool> {
        let declined = self.transaction((itinerary, account, now), |&(itinerary, account, now), transaction| {
            Box::pin(async move {
                if transaction.lock_itinerary(itinerary).await?.is_none()
                    || !transaction.withdraw(itinerary, account).await?
                {
                    return Ok(End::Rollback(false));
                }
                transaction.depart(itinerary, account, now).await?;
                Ok(End::Commit(true))
            })
        });
        match declined.await {
            // The account has been deleted meanwhile.
            Err(error) if is_missing_reference(&error) => Ok(false),
            outcome => outcome,
        }
    }
}

impl Transaction {
    /// Invites an account, or changes the role of its pending invitation. Returns why it was rejected, if it was.
    /// The rows of the itinerary and of the owner are locked.
    pub(crate) async fn invite(&mut self, set: &MemberSet, owner: Uuid) -> Result<Option<MemberOutcome>> {
        let MemberSet { itinerary, account, role, now, quotas } = set;
        if self.execute(&query!(SET_ROLE, *itinerary, *account, *role)).await? == 1 {
            return Ok(None);
        }
        if self.is_full(*itinerary, quotas).await? {
            return Ok(Some(MemberOutcome::Full));
        }
        let before = *now - TimeDelta::days(INVITATION_DAYS);
        if self.exists(&query!(SENT_AS_MANY, owner, before, quotas.invitations)).await? {
            return Ok(Some(MemberOutcome::TooManyInvitations));
        }
        self.execute(&query!(INSERT, *itinerary, *account, owner, *role, *now)).await?;
        self.execute(&query!(FORGET_SENT, owner, before)).await?;
        self.execute(&query!(COUNT_SENT, owner, *now)).await?;
        Ok(None)
    }

    /// Deletes an invitation that is not accepted; `false` if there is none.
    pub(crate) async fn withdraw(&mut self, itinerary: Uuid, account: Uuid) -> Result<bool> {
        Ok(self.execute(&query!(DELETE, itinerary, account)).await? == 1)
    }

    /// Deletes an invitation whose account becomes a member, and counts it no longer.
    pub(crate) async fn take_invitation(&mut self, itinerary: Uuid, account: Uuid) -> Result<Option<Taken>> {
        let taken: Option<Taken> = self.fetch_optional(&query!(TAKE, itinerary, account)).await?;
        if let Some(taken) = &taken {
            self.execute(&query!(UNCOUNT_SENT, taken.owner_id, taken.created_at)).await?;
            self.execute(&query!(FORGET_ACCEPTED, taken.owner_id, taken.created_at)).await?;
        }
        Ok(taken)
    }
}
