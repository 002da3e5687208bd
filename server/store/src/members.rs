//! Members of itineraries, and members who have left.
//!
//! An account that follows the owner becomes a member; any other is invited (see `invitations.rs`). Every change locks the
//! itinerary's row, so that counts and reads stay valid. Callers check permissions, and that the owner is not a member.

use chrono::{DateTime, Utc};
use itinerary_model::MemberRole;
use uuid::Uuid;

use crate::changes::ChangeKind;
use crate::engine::transaction::{End, Transaction};
use crate::entity::members::{self, Column};
use crate::entity::{departures, follows, itineraries};
use crate::error::is_missing_reference;
use crate::follows::IS_THERE;
use crate::query::row::row;
use crate::query::statement::statements;
use crate::query::{Query, query, text};
use crate::{Quotas, Result, Store};

row! {
    /// A member, or an account with a pending invitation, with its public profile.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct MemberRow {
        pub account_id: Uuid = "m.account_id",
        pub username: String = "a.username",
        pub display_name: String = "a.display_name",
        pub image_url: Option<String> = "a.image_url",
        pub role: MemberRole = "m.role",
        /// `false` if the invitation is pending.
        pub accepted: bool = "m.accepted",
        /// When the account became a member, or was invited.
        pub since: DateTime<Utc> = "m.created_at",
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemberOutcome {
    /// The account is a member with this role, or invited to it.
    Set(MemberRow),
    /// Rejected: the account has left, or has declined an invitation.
    Left,
    /// Rejected: the itinerary has reached the quota of members.
    Full,
    /// Rejected: the owner has reached the quota of invitations.
    TooManyInvitations,
    /// Rejected: the owner has blocked the account.
    Blocked,
    /// The account does not exist, or has blocked the owner.
    NoAccount,
    /// The itinerary does not exist.
    Gone,
}

/// A change of a member.
#[derive(Clone, Debug)]
pub(crate) struct MemberSet {
    pub(crate) itinerary: Uuid,
    pub(crate) account: Uuid,
    pub(crate) role: MemberRole,
    pub(crate) now: DateTime<Utc>,
    pub(crate) quotas: Quotas,
}

macro_rules! members_from {
    ($table:expr, $order:literal) => {
        text!(
            "SELECT ",
            MemberRow::COLUMNS,
            " FROM (",
            $table,
            ") AS m JOIN accounts a ON a.id = m.account_id AND a.deleted_at IS NULL",
            $order
        )
    };
}

statements! {
    const DEPARTED = departures::Entity::find()
        .select_found()
        .filter(departures::Column::ItineraryId.eq(p(1)))
        .filter(departures::Column::AccountId.eq(p(2)));

    const OWNER = itineraries::Entity::find()
        .select_only()
        .column(itineraries::Column::OwnerId)
        .filter(itineraries::Column::Id.eq(p(1)));

    const IS_FOLLOWER = follows::Entity::find()
        .select_found()
        .filter(follows::Column::FollowerId.eq(p(1)))
        .filter(follows::Column::FollowedId.eq(p(2)));

    const ROLE = members::Entity::find()
        .select_only()
        .column(Column::Role)
        .filter(Column::ItineraryId.eq(p(1)))
        .filter(Column::AccountId.eq(p(2)));

    const SET_ROLE = members::Entity::update_many()
        .col_expr(Column::Role, p(3))
        .filter(Column::ItineraryId.eq(p(1)))
        .filter(Column::AccountId.eq(p(2)));

    const INSERT = "INSERT INTO members (itinerary_id, account_id, role, created_at, owner_id, since_version) \
         VALUES ($1, $2, $3, $4, $5, (SELECT version FROM itineraries WHERE id = $1)) \
         ON CONFLICT (itinerary_id, account_id) DO NOTHING";

    const DEPART = insert([
        departures::Column::ItineraryId,
        departures::Column::AccountId,
        departures::Column::CreatedAt,
    ])
    .or_nothing([departures::Column::ItineraryId, departures::Column::AccountId]);

    const REMOVE = members::Entity::delete_many()
        .filter(Column::ItineraryId.eq(p(1)))
        .filter(Column::AccountId.eq(p(2)));

    const ALL = members_from!(
        "SELECT account_id, role, created_at, TRUE AS accepted FROM members WHERE itinerary_id = $1 UNION ALL \
         SELECT account_id, role, created_at, FALSE AS accepted FROM invitations WHERE itinerary_id = $1",
        " ORDER BY m.created_at, m.account_id"
    );

    const MEMBER = members_from!(
        "SELECT account_id, role, created_at, TRUE AS accepted FROM members \
         WHERE itinerary_id = $1 AND account_id = $2",
        ""
    );

    const INVITED = members_from!(
        "SELECT account_id, role, created_at, FALSE AS accepted FROM invitations \
         WHERE itinerary_id = $1 AND account_id = $2",
        ""
    );

    const IS_FULL = "SELECT 1 WHERE (SELECT count(*) FROM members WHERE itinerary_id = $1) \
         + (SELECT count(*) FROM invitations WHERE itinerary_id = $1) >= $2";
}

impl Store {
    /// All members of an itinerary and the accounts with a pending invitation, oldest first; the quota bounds their
    /// number.
    pub async fn members(&self, itinerary: Uuid) -> Result<Vec<MemberRow>> {
        self.fetch_all(&query!(ALL, itinerary)).await
    }

    /// Makes an account that follows the owner a member, and invites any other; changes the role of a member or of a
    /// pending invitation.
    pub async fn member_set(
        &self,
        itinerary: Uuid,
        account: Uuid,
        role: MemberRole,
        now: DateTime<Utc>,
    ) -> Result<MemberOutcome> {
        let set = MemberSet { itinerary, account, role, now, quotas: self.quotas };
        let set = self.transaction(set, |set, transaction| {
            Box::pin(async move {
                Ok(match transaction.set_member(set).await? {
                    done @ MemberOutcome::Set(_) => End::Commit(done),
                    rejected => End::Rollback(rejected),
                })
            })
        });
        match set.await {
            // The itinerary's row is locked, so the missing row is the account's.
            Err(error) if is_missing_reference(&error) => Ok(MemberOutcome::NoAccount),
            outcome => outcome,
        }
    }

    /// Removes a member, or withdraws an invitation; `false` if the account is neither. A member who leaves cannot be
    /// added again, and an invitation is left by declining it.
    pub async fn member_remove(
        &self,
        itinerary: Uuid,
        account: Uuid,
        leaves: bool,
        now: DateTime<Utc>,
    ) -> Result<bool> {
        let input = (itinerary, account, leaves, now);
        let removed = self.transaction(input, |&(itinerary, account, leaves, now), transaction| {
            Box::pin(async move {
                if transaction.lock_itinerary(itinerary).await?.is_none() {
                    return Ok(End::Rollback(false));
                }
                let removed = transaction.execute(&query!(REMOVE, itinerary, account)).await? == 1;
                if removed {
                    transaction.record_change(ChangeKind::Unshared, itinerary, account, now).await?;
                }
                if removed && leaves {
                    transaction.depart(itinerary, account, now).await?;
                }
                let ended = removed || (!leaves && transaction.withdraw(itinerary, account).await?);
                Ok(if ended { End::Commit(true) } else { End::Rollback(false) })
            })
        });
        match removed.await {
            // The account has been deleted meanwhile, and its membership with it.
            Err(error) if is_missing_reference(&error) => Ok(false),
            outcome => outcome,
        }
    }
}

impl Transaction {
    async fn set_member(&mut self, set: &MemberSet) -> Result<MemberOutcome> {
        let MemberSet { itinerary, account, role, now, .. } = set;
        if self.lock_itinerary(*itinerary).await?.is_none() {
            return Ok(MemberOutcome::Gone);
        }
        if let Some(earlier) = self.fetch_optional::<MemberRole>(&query!(ROLE, *itinerary, *account)).await? {
            if earlier != *role {
                self.execute(&query!(SET_ROLE, *itinerary, *account, *role)).await?;
                self.record_change(ChangeKind::Role, *itinerary, *account, *now).await?;
            }
            return self.set(query!(MEMBER, *itinerary, *account)).await;
        }
        let Some(owner) = self.fetch_optional::<Uuid>(&query!(OWNER, *itinerary)).await? else {
            return Ok(MemberOutcome::Gone);
        };
        // Serialises invitations to the owner's other itineraries, and blocks between the two.
        self.lock_account(owner).await?;
        // Before anything else, so that the owner cannot tell an account that has blocked them from an unknown one.
        if self.has_blocked(*account, owner).await? || !self.exists(&query!(IS_THERE, *account)).await? {
            return Ok(MemberOutcome::NoAccount);
        }
        if self.exists(&query!(DEPARTED, *itinerary, *account)).await? {
            return Ok(MemberOutcome::Left);
        }
        if self.has_blocked(owner, *account).await? {
            return Ok(MemberOutcome::Blocked);
        }
        if self.exists(&query!(IS_FOLLOWER, *account, owner)).await? {
            return self.add_follower(set, owner).await;
        }
        if let Some(rejected) = self.invite(set, owner).await? {
            return Ok(rejected);
        }
        self.set(query!(INVITED, *itinerary, *account)).await
    }

    /// Makes a follower of the owner a member, in place of a pending invitation.
    async fn add_follower(&mut self, set: &MemberSet, owner: Uuid) -> Result<MemberOutcome> {
        let MemberSet { itinerary, account, role, now, quotas } = set;
        self.take_invitation(*itinerary, *account).await?;
        if self.is_full(*itinerary, quotas).await? {
            return Ok(MemberOutcome::Full);
        }
        self.insert_member(*itinerary, *account, *role, *now, owner).await?;
        self.record_change(ChangeKind::Shared, *itinerary, *account, *now).await?;
        self.set(query!(MEMBER, *itinerary, *account)).await
    }

    /// The outcome with the row of a member or an invitation; there is none if the account is deleted.
    async fn set(&mut self, row: Query) -> Result<MemberOutcome> {
        Ok(self.fetch_optional(&row).await?.map_or(MemberOutcome::NoAccount, MemberOutcome::Set))
    }

    /// Whether an itinerary has as many members and invitations as the quota allows.
    pub(crate) async fn is_full(&mut self, itinerary: Uuid, quotas: &Quotas) -> Result<bool> {
        self.exists(&query!(IS_FULL, itinerary, quotas.members)).await
    }

    pub(crate) async fn insert_member(
        &mut self,
        itinerary: Uuid,
        account: Uuid,
        role: MemberRole,
        now: DateTime<Utc>,
        owner: Uuid,
    ) -> Result<()> {
        self.execute(&query!(INSERT, itinerary, account, role, now, owner)).await.map(|_| ())
    }

    /// The member, if the account is one.
    pub(crate) async fn member(&mut self, itinerary: Uuid, account: Uuid) -> Result<Option<MemberRow>> {
        self.fetch_optional(&query!(MEMBER, itinerary, account)).await
    }

    /// Notes that an account has left an itinerary or declined its invitation, so that it is not invited again.
    pub(crate) async fn depart(&mut self, itinerary: Uuid, account: Uuid, now: DateTime<Utc>) -> Result<()> {
        self.execute(&query!(DEPART, itinerary, account, now)).await.map(|_| ())
    }
}
