//! Members of itineraries, and members who have left.
//!
//! Every change locks the itinerary's row, so that counts and reads stay valid. Callers check permissions, and that the
//! owner is not a member.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::error::is_missing_reference;
use crate::query::{Query, query, text};
use crate::row::row;
use crate::transaction::{End, Transaction};
use crate::{Result, Store};

row! {
    /// A member with the account's public profile.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct MemberRow {
        pub account_id: Uuid = "m.account_id",
        pub username: String = "a.username",
        pub display_name: String = "a.display_name",
        pub image_url: Option<String> = "a.image_url",
        pub role: String = "m.role",
        pub since: DateTime<Utc> = "m.created_at",
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemberOutcome {
    /// The account is a member with this role.
    Set(MemberRow),
    /// Rejected: the account has left.
    Left,
    /// Rejected: the itinerary has reached the quota of members.
    Full,
    /// Rejected: the account does not follow the owner, and the quota of memberships from this owner is reached.
    Unsolicited,
    /// The account does not exist.
    NoAccount,
    /// The itinerary does not exist.
    Gone,
}

macro_rules! members_where {
    ($condition:literal) => {
        text!(
            "SELECT ",
            MemberRow::COLUMNS,
            " FROM members m JOIN accounts a ON a.id = m.account_id AND a.deleted_at IS NULL WHERE ",
            $condition
        )
    };
}

const ALL: &str = members_where!("m.itinerary_id = $1 ORDER BY m.created_at, m.account_id");

const ONE: &str = members_where!("m.itinerary_id = $1 AND m.account_id = $2");

const DEPARTED: &str = "SELECT 1 FROM departures WHERE itinerary_id = $1 AND account_id = $2";

/// The quota does not apply to existing members.
const SET: &str = "INSERT INTO members (itinerary_id, account_id, role, created_at, owner_id) \
     SELECT $1, $2, $3, $4, i.owner_id FROM itineraries i WHERE i.id = $1 AND ((SELECT count(*) FROM members WHERE itinerary_id = $1) < $5 \
     OR EXISTS (SELECT 1 FROM members WHERE itinerary_id = $1 AND account_id = $2)) \
     ON CONFLICT (itinerary_id, account_id) DO UPDATE SET role = excluded.role";

/// The owner of the itinerary $1, unless the account $2 is already a member or follows the owner.
const UNSOLICITED: &str = "SELECT i.owner_id FROM itineraries i WHERE i.id = $1 \
     AND NOT EXISTS (SELECT 1 FROM members WHERE itinerary_id = $1 AND account_id = $2) \
     AND NOT EXISTS (SELECT 1 FROM follows WHERE follower_id = $2 AND followed_id = i.owner_id)";

/// Reads at most $3 entries of an index.
const HAS_AS_MANY: &str = "SELECT 1 WHERE (SELECT count(*) FROM \
     (SELECT 1 FROM members WHERE account_id = $1 AND owner_id = $2 LIMIT $3) AS m) >= $3";

const DEPART: &str = "INSERT INTO departures (itinerary_id, account_id, created_at) \
     SELECT itinerary_id, account_id, $3 FROM members WHERE itinerary_id = $1 AND account_id = $2 \
     ON CONFLICT (itinerary_id, account_id) DO NOTHING";

const REMOVE: &str = "DELETE FROM members WHERE itinerary_id = $1 AND account_id = $2";

impl Store {
    /// All members of an itinerary, oldest first; the quota bounds their number.
    pub async fn members(&self, itinerary: Uuid) -> Result<Vec<MemberRow>> {
        self.fetch_all(&query!(ALL, itinerary)).await
    }

    pub async fn member_set(
        &self,
        itinerary: Uuid,
        account: Uuid,
        role: &str,
        now: DateTime<Utc>,
    ) -> Result<MemberOutcome> {
        let set = query!(SET, itinerary, account, role, now, self.quotas.members);
        let input = (itinerary, account, set, self.quotas.unsolicited_memberships);
        let set = self.transaction(input, |(itinerary, account, set, unsolicited), transaction| {
            Box::pin(async move {
                Ok(match transaction.set_member(*itinerary, *account, set, *unsolicited).await? {
                    set @ MemberOutcome::Set(_) => End::Commit(set),
                    not_done => End::Rollback(not_done),
                })
            })
        });
        match set.await {
            // The itinerary's row is locked, so the missing row is the account's.
            Err(error) if is_missing_reference(&error) => Ok(MemberOutcome::NoAccount),
            outcome => outcome,
        }
    }

    /// Removes a member; `false` if the account is not a member. A member who leaves cannot be added again.
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
                if leaves {
                    transaction.execute(&query!(DEPART, itinerary, account, now)).await?;
                }
                let removed = transaction.execute(&query!(REMOVE, itinerary, account)).await? == 1;
                Ok(if removed { End::Commit(true) } else { End::Rollback(false) })
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
    async fn set_member(
        &mut self,
        itinerary: Uuid,
        account: Uuid,
        set: &Query,
        unsolicited: i64,
    ) -> Result<MemberOutcome> {
        if self.lock_itinerary(itinerary).await?.is_none() {
            return Ok(MemberOutcome::Gone);
        }
        if self.exists(&query!(DEPARTED, itinerary, account)).await? {
            return Ok(MemberOutcome::Left);
        }
        if self.is_unsolicited(itinerary, account, unsolicited).await? {
            return Ok(MemberOutcome::Unsolicited);
        }
        if self.execute(set).await? == 0 {
            return Ok(MemberOutcome::Full);
        }
        let member = self.fetch_optional(&query!(ONE, itinerary, account)).await?;
        Ok(member.map_or(MemberOutcome::NoAccount, MemberOutcome::Set))
    }
    /// Whether a further membership would exceed the quota of an account that does not follow the owner. Locks the
    /// owner's row, which serialises memberships of the owner's other itineraries.
    async fn is_unsolicited(&mut self, itinerary: Uuid, account: Uuid, most: i64) -> Result<bool> {
        let Some(owner) = self.fetch_optional::<Uuid>(&query!(UNSOLICITED, itinerary, account)).await? else {
            return Ok(false);
        };
        self.lock_account(owner).await?;
        self.exists(&query!(HAS_AS_MANY, account, owner, most)).await
    }
}
