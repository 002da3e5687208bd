//! Members: those whom an itinerary is shared with, and those who left it.
//!
//! Every change holds the itinerary's row, so that counting and looking are as good as a key. Who may add or
//! remove whom, and that an owner is no member, is for those who call.

use chrono::{DateTime, Utc};
use sea_orm::{ConnectionTrait, DatabaseTransaction, QueryResult};
use uuid::Uuid;

use crate::error::is_missing_reference;
use crate::row::{Columns, millis};
use crate::store::{execute, retry};
use crate::{Result, Store};

/// How many members an itinerary may have.
pub const MEMBERS: i64 = 100;

/// A member, with what is told of the account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberRow {
    /// The account.
    pub account_id: Uuid,
    /// Its username.
    pub username: String,
    /// Its name.
    pub display_name: String,
    /// Its picture.
    pub image_url: Option<String>,
    /// What the member may do.
    pub role: String,
    /// When it became a member.
    pub since: DateTime<Utc>,
}

/// How adding a member, or changing its role, went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemberOutcome {
    /// It is a member of this role.
    Set(MemberRow),
    /// Not done: it left, and does not come back.
    Left,
    /// Not done: the itinerary has as many members as it may.
    Full,
    /// Not done: there is no such account.
    NoAccount,
    /// Not done: there is no such itinerary.
    Gone,
}

const MEMBER: &str = "SELECT m.account_id, a.username, a.display_name, a.image_url, m.role, m.created_at \
     FROM members m JOIN accounts a ON a.id = m.account_id WHERE m.itinerary_id = $1";

const OF_ACCOUNT: &str = " AND m.account_id = $2";

const OLDEST_FIRST: &str = " ORDER BY m.created_at, m.account_id LIMIT $2";

const DEPARTED: &str = "SELECT 1 FROM departures WHERE itinerary_id = $1 AND account_id = $2";

/// A member stays one however many there are.
const SET: &str = "INSERT INTO members (itinerary_id, account_id, role, created_at) SELECT $1, $2, $3, $4 \
     WHERE (SELECT count(*) FROM members WHERE itinerary_id = $1) < $5 \
     OR EXISTS (SELECT 1 FROM members WHERE itinerary_id = $1 AND account_id = $2) \
     ON CONFLICT (itinerary_id, account_id) DO UPDATE SET role = excluded.role";

const DEPART: &str = "INSERT INTO departures (itinerary_id, account_id, created_at) \
     SELECT itinerary_id, account_id, $3 FROM members WHERE itinerary_id = $1 AND account_id = $2 \
     ON CONFLICT (itinerary_id, account_id) DO NOTHING";

const REMOVE: &str = "DELETE FROM members WHERE itinerary_id = $1 AND account_id = $2";

impl Store {
    /// The members of an itinerary, oldest first.
    pub async fn members(&self, itinerary: Uuid) -> Result<Vec<MemberRow>> {
        let statement = self.statement([MEMBER, OLDEST_FIRST].concat(), [itinerary.into(), MEMBERS.into()]);
        self.reader.query_all_raw(statement).await?.iter().map(member).collect()
    }

    /// Adds a member, or changes the role of one.
    pub async fn member_set(
        &self,
        itinerary: Uuid,
        account: Uuid,
        role: &str,
        now: DateTime<Utc>,
    ) -> Result<MemberOutcome> {
        match retry(|| self.try_member_set(itinerary, account, role, now)).await {
            // The itinerary's row is held: it is the account that is not there.
            Err(error) if is_missing_reference(&error) => Ok(MemberOutcome::NoAccount),
            outcome => outcome,
        }
    }

    async fn try_member_set(
        &self,
        itinerary: Uuid,
        account: Uuid,
        role: &str,
        now: DateTime<Utc>,
    ) -> Result<MemberOutcome> {
        let transaction = self.begin().await?;
        let outcome = self.set_member(&transaction, itinerary, account, role, now).await?;
        if matches!(outcome, MemberOutcome::Set(_)) {
            transaction.commit().await?;
        } else {
            transaction.rollback().await?;
        }
        Ok(outcome)
    }

    async fn set_member(
        &self,
        transaction: &DatabaseTransaction,
        itinerary: Uuid,
        account: Uuid,
        role: &str,
        now: DateTime<Utc>,
    ) -> Result<MemberOutcome> {
        if self.lock_itinerary(transaction, itinerary).await?.is_none() {
            return Ok(MemberOutcome::Gone);
        }
        let pair = [itinerary.into(), account.into()];
        if transaction.query_one_raw(self.statement(DEPARTED, pair.clone())).await?.is_some() {
            return Ok(MemberOutcome::Left);
        }
        let rest = [role.into(), millis(now).into(), MEMBERS.into()];
        if execute(transaction, self.statement(SET, pair.clone().into_iter().chain(rest))).await? == 0 {
            return Ok(MemberOutcome::Full);
        }
        let row = transaction.query_one_raw(self.statement([MEMBER, OF_ACCOUNT].concat(), pair)).await?;
        Ok(row.as_ref().map(member).transpose()?.map_or(MemberOutcome::NoAccount, MemberOutcome::Set))
    }

    /// Removes a member; `false` when it is none. One who leaves does not come back.
    pub async fn member_remove(
        &self,
        itinerary: Uuid,
        account: Uuid,
        leaves: bool,
        now: DateTime<Utc>,
    ) -> Result<bool> {
        match retry(|| self.try_member_remove(itinerary, account, leaves, now)).await {
            // The account was deleted meanwhile, and its membership with it.
            Err(error) if is_missing_reference(&error) => Ok(false),
            outcome => outcome,
        }
    }

    async fn try_member_remove(
        &self,
        itinerary: Uuid,
        account: Uuid,
        leaves: bool,
        now: DateTime<Utc>,
    ) -> Result<bool> {
        let transaction = self.begin().await?;
        let pair = [itinerary.into(), account.into()];
        let mut removed = 0;
        if self.lock_itinerary(&transaction, itinerary).await?.is_some() {
            if leaves {
                let departure = pair.clone().into_iter().chain([millis(now).into()]);
                execute(&transaction, self.statement(DEPART, departure)).await?;
            }
            removed = execute(&transaction, self.statement(REMOVE, pair)).await?;
        }
        if removed == 1 {
            transaction.commit().await?;
        } else {
            transaction.rollback().await?;
        }
        Ok(removed == 1)
    }
}

fn member(row: &QueryResult) -> Result<MemberRow> {
    let mut columns = Columns::of(row);
    Ok(MemberRow {
        account_id: columns.take()?,
        username: columns.take()?,
        display_name: columns.take()?,
        image_url: columns.take()?,
        role: columns.take()?,
        since: columns.time()?,
    })
}
