//! Follows: who follows whom, who may not any more, and accounts as others see them.
//!
//! Following and being removed hold the followed account's row, so that neither misses the other. Counters
//! change in the transaction of what they count. That nobody follows themselves is for those who call.

use chrono::{DateTime, Utc};
use sea_orm::{ConnectionTrait, DatabaseTransaction, QueryResult, Statement, Value};
use uuid::Uuid;

use crate::error::is_missing_reference;
use crate::row::{Columns, millis};
use crate::store::{execute, retry};
use crate::{Plan, Result, Store};

/// An account as others see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileRow {
    /// Its id.
    pub id: Uuid,
    /// Its username.
    pub username: String,
    /// Its name.
    pub display_name: String,
    /// Its picture.
    pub image_url: Option<String>,
    /// Its plan.
    pub plan: Plan,
    /// How many follow it.
    pub followers: i64,
    /// How many it follows.
    pub following: i64,
    /// The reader follows it.
    pub followed: bool,
}

/// How many accounts one may follow.
pub const FOLLOWED: i64 = 5_000;

/// How beginning to follow went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FollowOutcome {
    /// The account is followed, since now or since before.
    Following,
    /// Not done: the account has removed this follower.
    Removed,
    /// Not done: the follower follows as many as one may.
    Full,
    /// Not done: one of the accounts is not there.
    NoAccount,
}

/// $2 is the reader.
macro_rules! profile_from {
    ($more:literal, $from:literal) => {
        concat!(
            "SELECT a.id, a.username, a.display_name, a.image_url, a.plan, COALESCE(c.followers, 0), \
             COALESCE(c.following, 0), \
             EXISTS (SELECT 1 FROM follows r WHERE r.follower_id = $2 AND r.followed_id = a.id)",
            $more,
            " FROM ",
            $from
        )
    };
}

const PROFILE: &str =
    profile_from!("", "accounts a LEFT JOIN account_counters c ON c.account_id = a.id WHERE a.id = $1");

const PROFILE_BY_USERNAME: &str =
    profile_from!("", "accounts a LEFT JOIN account_counters c ON c.account_id = a.id WHERE a.username_folded = $1");

/// A list of those at one end of an account's follows, and what makes a later page of it.
struct Side {
    select: &'static str,
    after: &'static str,
    order: &'static str,
}

const FOLLOWERS: Side = Side {
    select: profile_from!(
        ", f.created_at",
        "follows f JOIN accounts a ON a.id = f.follower_id LEFT JOIN account_counters c ON c.account_id = a.id \
         WHERE f.followed_id = $1"
    ),
    after: " AND (f.created_at, f.follower_id) < ($4, $5)",
    order: " ORDER BY f.created_at DESC, f.follower_id DESC LIMIT $3",
};

const FOLLOWING: Side = Side {
    select: profile_from!(
        ", f.created_at",
        "follows f JOIN accounts a ON a.id = f.followed_id LEFT JOIN account_counters c ON c.account_id = a.id \
         WHERE f.follower_id = $1"
    ),
    after: " AND (f.created_at, f.followed_id) < ($4, $5)",
    order: " ORDER BY f.created_at DESC, f.followed_id DESC LIMIT $3",
};

const FOLLOW: &str = "INSERT INTO follows (follower_id, followed_id, created_at) SELECT $1, $2, $3 \
     WHERE NOT EXISTS (SELECT 1 FROM removed_followers WHERE account_id = $2 AND follower_id = $1) \
     AND COALESCE((SELECT following FROM account_counters WHERE account_id = $1), 0) < $4 \
     ON CONFLICT (follower_id, followed_id) DO NOTHING";

/// Whether somebody follows as many as one may, and not this one.
const IS_FULL: &str = "SELECT 1 FROM account_counters WHERE account_id = $1 AND following >= $3 \
     AND NOT EXISTS (SELECT 1 FROM follows WHERE follower_id = $1 AND followed_id = $2)";

const UNFOLLOW: &str = "DELETE FROM follows WHERE follower_id = $1 AND followed_id = $2";

const REMOVE: &str = "INSERT INTO removed_followers (account_id, follower_id, created_at) \
     SELECT followed_id, follower_id, $3 FROM follows WHERE follower_id = $1 AND followed_id = $2 \
     ON CONFLICT (account_id, follower_id) DO NOTHING";

const REMOVED: &str = "SELECT 1 FROM removed_followers WHERE follower_id = $1 AND account_id = $2";

const COUNT: &str = "INSERT INTO account_counters (account_id, followers, following) VALUES ($1, $2, $3) \
     ON CONFLICT (account_id) DO UPDATE SET followers = account_counters.followers + excluded.followers, \
     following = account_counters.following + excluded.following";

impl Store {
    /// The account of an id as a reader sees it.
    pub async fn profile(&self, id: Uuid, reader: Uuid) -> Result<Option<ProfileRow>> {
        self.read_profile(self.statement(PROFILE, [id.into(), reader.into()])).await
    }

    /// The account of a folded name as a reader sees it.
    pub async fn profile_by_username(&self, username_folded: &str, reader: Uuid) -> Result<Option<ProfileRow>> {
        self.read_profile(self.statement(PROFILE_BY_USERNAME, [username_folded.into(), reader.into()])).await
    }

    async fn read_profile(&self, statement: Statement) -> Result<Option<ProfileRow>> {
        let row = self.reader.query_one_raw(statement).await?;
        row.as_ref().map(|row| profile(&mut Columns::of(row))).transpose()
    }

    /// Makes a follower follow an account.
    pub async fn follow_set(&self, follower: Uuid, account: Uuid, now: DateTime<Utc>) -> Result<FollowOutcome> {
        match retry(|| self.try_follow(follower, account, now)).await {
            Err(error) if is_missing_reference(&error) => Ok(FollowOutcome::NoAccount),
            outcome => outcome,
        }
    }

    async fn try_follow(&self, follower: Uuid, account: Uuid, now: DateTime<Utc>) -> Result<FollowOutcome> {
        let transaction = self.begin().await?;
        self.lock_account(&transaction, account).await?;
        let follow = self.statement(FOLLOW, [follower.into(), account.into(), millis(now).into(), FOLLOWED.into()]);
        if execute(&transaction, follow).await? == 1 {
            self.count_follow(&transaction, follower, account, 1).await?;
            transaction.commit().await?;
            return Ok(FollowOutcome::Following);
        }
        let removed = self.is_removed(&transaction, follower, account).await?;
        let is_full = self.statement(IS_FULL, [follower.into(), account.into(), FOLLOWED.into()]);
        let is_full = transaction.query_one_raw(is_full).await?.is_some();
        transaction.rollback().await?;
        Ok(match (removed, is_full) {
            (true, _) => FollowOutcome::Removed,
            (false, true) => FollowOutcome::Full,
            // The follow was in the way of itself, though it may have ended at this very moment.
            (false, false) => FollowOutcome::Following,
        })
    }

    /// Makes a follower no longer follow an account, if it does; `false` when there is no such account.
    pub async fn follow_clear(&self, follower: Uuid, account: Uuid) -> Result<bool> {
        if retry(|| self.try_unfollow(follower, account)).await? {
            return Ok(true);
        }
        let there = self.statement("SELECT 1 FROM accounts WHERE id = $1", [account.into()]);
        Ok(self.reader.query_one_raw(there).await?.is_some())
    }

    async fn try_unfollow(&self, follower: Uuid, account: Uuid) -> Result<bool> {
        let transaction = self.begin().await?;
        let unfollowed = self.unfollow(&transaction, follower, account).await?;
        if unfollowed {
            transaction.commit().await?;
        } else {
            transaction.rollback().await?;
        }
        Ok(unfollowed)
    }

    /// Makes an account lose a follower for good; `false` when that one neither follows it nor was removed before.
    pub async fn follower_remove(&self, account: Uuid, follower: Uuid, now: DateTime<Utc>) -> Result<bool> {
        match retry(|| self.try_remove(account, follower, now)).await {
            // One of the two was deleted meanwhile, and the follow with it.
            Err(error) if is_missing_reference(&error) => Ok(false),
            outcome => outcome,
        }
    }

    async fn try_remove(&self, account: Uuid, follower: Uuid, now: DateTime<Utc>) -> Result<bool> {
        let transaction = self.begin().await?;
        self.lock_account(&transaction, account).await?;
        execute(&transaction, self.statement(REMOVE, [follower.into(), account.into(), millis(now).into()])).await?;
        // Looked for in the follows, too: who stopped following at this very moment is not removed.
        if self.unfollow(&transaction, follower, account).await? {
            transaction.commit().await?;
            return Ok(true);
        }
        transaction.rollback().await?;
        self.is_removed(&self.reader, follower, account).await
    }

    /// Deletes a follow and counts that; `false` when there is none.
    async fn unfollow(&self, transaction: &DatabaseTransaction, follower: Uuid, account: Uuid) -> Result<bool> {
        let unfollow = self.statement(UNFOLLOW, [follower.into(), account.into()]);
        let unfollowed = execute(transaction, unfollow).await? == 1;
        if unfollowed {
            self.count_follow(transaction, follower, account, -1).await?;
        }
        Ok(unfollowed)
    }

    async fn count_follow(
        &self,
        transaction: &DatabaseTransaction,
        follower: Uuid,
        account: Uuid,
        by: i64,
    ) -> Result<()> {
        let mut counters = [(follower, 0, by), (account, by, 0)];
        // In the order of their ids: two who follow each other at once wait in one direction only.
        counters.sort_unstable();
        for (id, followers, following) in counters {
            execute(transaction, self.statement(COUNT, [id.into(), followers.into(), following.into()])).await?;
        }
        Ok(())
    }

    async fn is_removed(&self, db: &impl ConnectionTrait, follower: Uuid, account: Uuid) -> Result<bool> {
        let removed = self.statement(REMOVED, [follower.into(), account.into()]);
        Ok(db.query_one_raw(removed).await?.is_some())
    }

    /// Those who follow an account, with when they began, newest first; a later page comes after a row's instant
    /// and account.
    pub async fn followers_page(
        &self,
        account: Uuid,
        reader: Uuid,
        after: Option<(DateTime<Utc>, Uuid)>,
        limit: u32,
    ) -> Result<Vec<(ProfileRow, DateTime<Utc>)>> {
        self.page_of(&FOLLOWERS, account, reader, after, limit).await
    }

    /// Those whom an account follows, with when it began, newest first; a later page comes after a row's instant
    /// and account.
    pub async fn following_page(
        &self,
        account: Uuid,
        reader: Uuid,
        after: Option<(DateTime<Utc>, Uuid)>,
        limit: u32,
    ) -> Result<Vec<(ProfileRow, DateTime<Utc>)>> {
        self.page_of(&FOLLOWING, account, reader, after, limit).await
    }

    async fn page_of(
        &self,
        side: &Side,
        account: Uuid,
        reader: Uuid,
        after: Option<(DateTime<Utc>, Uuid)>,
        limit: u32,
    ) -> Result<Vec<(ProfileRow, DateTime<Utc>)>> {
        let mut values: Vec<Value> = vec![account.into(), reader.into(), i64::from(limit).into()];
        let mut beyond = "";
        if let Some((since, id)) = after {
            values.extend([millis(since).into(), id.into()]);
            beyond = side.after;
        }
        let statement = self.statement([side.select, beyond, side.order].concat(), values);
        self.reader.query_all_raw(statement).await?.iter().map(followed_since).collect()
    }
}

fn profile(columns: &mut Columns<'_>) -> Result<ProfileRow> {
    Ok(ProfileRow {
        id: columns.take()?,
        username: columns.take()?,
        display_name: columns.take()?,
        image_url: columns.take()?,
        plan: Plan::from_column(&columns.take::<String>()?)?,
        followers: columns.take()?,
        following: columns.take()?,
        followed: columns.take()?,
    })
}

fn followed_since(row: &QueryResult) -> Result<(ProfileRow, DateTime<Utc>)> {
    let mut columns = Columns::of(row);
    Ok((profile(&mut columns)?, columns.time()?))
}
