//! Follows, removed followers, and public profiles.
//!
//! Following and removing a follower lock the followed account's row, so that they are serialised. Counters change in
//! the same transaction. Callers ensure that nobody follows themselves.

use chrono::{DateTime, Utc};
use itinerary_model::Plan;
use uuid::Uuid;

use crate::engine::transaction::{End, Transaction};
use crate::entity::account_counters::Column as Counter;
use crate::entity::{accounts, follows, removed_followers};
use crate::error::is_missing_reference;
use crate::query::row::row;
use crate::query::statement::statements;
use crate::query::{query, text};
use crate::{Result, Store};

row! {
    /// A public profile. Its columns need an account `a`, its counters `c`, and the reader as $2.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct ProfileRow {
        pub id: Uuid = "a.id",
        pub username: String = "a.username",
        pub display_name: String = "a.display_name",
        pub image_url: Option<String> = "a.image_url",
        pub plan: Plan = "a.plan",
        pub followers: i64 = "COALESCE(c.followers, 0)",
        pub following: i64 = "COALESCE(c.following, 0)",
        pub followed: bool =
            "EXISTS (SELECT 1 FROM follows r WHERE r.follower_id = $2 AND r.followed_id = a.id)",
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FollowOutcome {
    /// The account is followed; idempotent.
    Following,
    /// Rejected: the account has removed this follower.
    Removed,
    /// Rejected: the follower has blocked the account.
    Blocked,
    /// Rejected: the follower has reached the quota.
    Full,
    /// One of the accounts does not exist, or the account has blocked the follower.
    NoAccount,
}

/// The join that the counters of a profile need.
pub(crate) const COUNTERS: &str = " LEFT JOIN account_counters c ON c.account_id = a.id ";

/// Whether the account `a` has not blocked the reader $2.
pub(crate) const IS_FINDABLE: &str =
    " AND NOT EXISTS (SELECT 1 FROM blocks b WHERE b.account_id = a.id AND b.blocked_id = $2)";

/// A page of the accounts at one end ($account) of the follows whose other end is $1, by time and account, with the
/// condition for later pages.
macro_rules! follows_page {
    ($account:literal, $other:literal, $after:expr) => {
        text!(
            "SELECT f.created_at, ",
            ProfileRow::COLUMNS,
            " FROM follows f JOIN accounts a ON a.deleted_at IS NULL AND a.id = f.",
            $account,
            COUNTERS,
            "WHERE f.",
            $other,
            " = $1 AND EXISTS (SELECT 1 FROM accounts o WHERE o.id = $1 AND o.deleted_at IS NULL) \
             AND NOT EXISTS (SELECT 1 FROM blocks b WHERE b.account_id = $1 AND b.blocked_id = $2)",
            IS_FINDABLE,
            $after,
            " ORDER BY f.created_at DESC, f.",
            $account,
            " DESC LIMIT $3"
        )
    };
}

/// A side of following.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FollowSide {
    /// The accounts that follow an account.
    Followers,
    /// The accounts that it follows.
    Following,
}

impl FollowSide {
    /// The statements for the first page and for a later one.
    const fn pages(self) -> [&'static str; 2] {
        match self {
            Self::Followers => [
                follows_page!("follower_id", "followed_id", ""),
                follows_page!("follower_id", "followed_id", " AND (f.created_at, f.follower_id) < ($4, $5)"),
            ],
            Self::Following => [
                follows_page!("followed_id", "follower_id", ""),
                follows_page!("followed_id", "follower_id", " AND (f.created_at, f.followed_id) < ($4, $5)"),
            ],
        }
    }
}

statements! {
    /// Whether an account exists and is not deleted.
    pub(crate) const IS_THERE = accounts::Entity::find()
        .select_found()
        .filter(accounts::Column::Id.eq(p(1)))
        .filter(accounts::Column::DeletedAt.is_null());

    const UNFOLLOW = follows::Entity::delete_many()
        .filter(follows::Column::FollowerId.eq(p(1)))
        .filter(follows::Column::FollowedId.eq(p(2)));

    const REMOVED = removed_followers::Entity::find()
        .select_found()
        .filter(removed_followers::Column::FollowerId.eq(p(1)))
        .filter(removed_followers::Column::AccountId.eq(p(2)));

    const COUNT = insert([Counter::AccountId, Counter::Followers, Counter::Following]).on_conflict(
        OnConflict::column(Counter::AccountId)
            .value(Counter::Followers, Counter::Followers.col().add(excluded(Counter::Followers)))
            .value(Counter::Following, Counter::Following.col().add(excluded(Counter::Following)))
            .to_owned(),
    );

    const PROFILE = text!(
        "SELECT ",
        ProfileRow::COLUMNS,
        " FROM accounts a",
        COUNTERS,
        "WHERE a.id = $1 AND a.deleted_at IS NULL",
        IS_FINDABLE
    );

    const PROFILE_BY_USERNAME = text!(
        "SELECT ",
        ProfileRow::COLUMNS,
        " FROM accounts a",
        COUNTERS,
        "WHERE a.username_folded = $1",
        IS_FINDABLE
    );

    const FOLLOW = "INSERT INTO follows (follower_id, followed_id, created_at) SELECT $1, $2, $3 \
         WHERE NOT EXISTS (SELECT 1 FROM removed_followers WHERE account_id = $2 AND follower_id = $1) \
         ON CONFLICT (follower_id, followed_id) DO NOTHING";

    const REMOVE = "INSERT INTO removed_followers (account_id, follower_id, created_at) \
         SELECT followed_id, follower_id, $3 FROM follows WHERE follower_id = $1 AND followed_id = $2 \
         ON CONFLICT (account_id, follower_id) DO NOTHING";

    /// Changes no row if the follower $1 follows $2 people or more.
    const COUNT_FOLLOWING = "INSERT INTO account_counters (account_id, followers, following) \
         SELECT $1, 0, 1 WHERE $2 > 0 \
         ON CONFLICT (account_id) DO UPDATE SET following = account_counters.following + 1 \
         WHERE account_counters.following < $2";
}

impl Store {
    /// The profile of an id, for a reader whom the account has not blocked.
    pub async fn profile(&self, id: Uuid, reader: Uuid) -> Result<Option<ProfileRow>> {
        self.fetch_optional(&query!(PROFILE, id, reader)).await
    }

    /// The profile of a folded username, for a reader whom the account has not blocked.
    pub async fn profile_by_username(&self, username_folded: &str, reader: Uuid) -> Result<Option<ProfileRow>> {
        self.fetch_optional(&query!(PROFILE_BY_USERNAME, username_folded, reader)).await
    }

    pub async fn follow_set(&self, follower: Uuid, account: Uuid, now: DateTime<Utc>) -> Result<FollowOutcome> {
        let input = (follower, account, now, self.quotas.following);
        let following = self.transaction(input, |&(follower, account, now, most), transaction| {
            Box::pin(async move {
                transaction.lock_account(account).await?;
                if !transaction.exists(&query!(IS_THERE, account)).await? {
                    return Ok(End::Rollback(FollowOutcome::NoAccount));
                }
                if transaction.has_blocked(account, follower).await? {
                    return Ok(End::Rollback(FollowOutcome::NoAccount));
                }
                if transaction.has_blocked(follower, account).await? {
                    return Ok(End::Rollback(FollowOutcome::Blocked));
                }
                if transaction.execute(&query!(FOLLOW, follower, account, now)).await? == 0 {
                    return transaction.not_followed(follower, account).await.map(End::Rollback);
                }
                let is_counted = transaction.count_new_follow(follower, account, most).await?;
                Ok(if is_counted { End::Commit(FollowOutcome::Following) } else { End::Rollback(FollowOutcome::Full) })
            })
        });
        match following.await {
            Err(error) if is_missing_reference(&error) => Ok(FollowOutcome::NoAccount),
            outcome => outcome,
        }
    }

    /// Deletes a follow, if there is one; `false` if the account does not exist or has blocked the follower.
    pub async fn follow_clear(&self, follower: Uuid, account: Uuid) -> Result<bool> {
        self.transaction((follower, account), |&(follower, account), transaction| {
            Box::pin(async move {
                if transaction.unfollow(follower, account).await? {
                    return Ok(End::Commit(true));
                }
                let is_there = transaction.exists(&query!(IS_THERE, account)).await?;
                Ok(End::Rollback(is_there && !transaction.has_blocked(account, follower).await?))
            })
        })
        .await
    }

    /// Removes a follower permanently; `false` if it neither follows the account nor was removed before, or has blocked
    /// the account.
    pub async fn follower_remove(&self, account: Uuid, follower: Uuid, now: DateTime<Utc>) -> Result<bool> {
        let removed = self.transaction((follower, account, now), |&(follower, account, now), transaction| {
            Box::pin(async move {
                transaction.lock_account(account).await?;
                let removed_before = transaction.is_removed(follower, account).await?;
                transaction.execute(&query!(REMOVE, follower, account, now)).await?;
                // Checks the follows, too: an account that has just unfollowed is not removed.
                if transaction.unfollow(follower, account).await? {
                    return Ok(End::Commit(true));
                }
                Ok(End::Rollback(removed_before && !transaction.has_blocked(follower, account).await?))
            })
        });
        match removed.await {
            // One of the two accounts has been deleted meanwhile, and the follow with it.
            Err(error) if is_missing_reference(&error) => Ok(false),
            outcome => outcome,
        }
    }

    /// The accounts on one side of an account's follows, each with the start of the follow, newest first. A later page starts
    /// after a row's instant and account. Without the accounts that have blocked the reader, and empty if this one has.
    pub async fn follows_page(
        &self,
        side: FollowSide,
        account: Uuid,
        reader: Uuid,
        after: Option<(DateTime<Utc>, Uuid)>,
        limit: u32,
    ) -> Result<Vec<(DateTime<Utc>, ProfileRow)>> {
        let (limit, [first, later]) = (i64::from(limit), side.pages());
        let page = match after {
            None => query!(first, account, reader, limit),
            Some((since, id)) => query!(later, account, reader, limit, since, id),
        };
        self.fetch_all(&page).await
    }
}

impl Transaction {
    /// The result if no follow was inserted: it existed (and may have just been deleted), or the account has removed
    /// this follower.
    async fn not_followed(&mut self, follower: Uuid, account: Uuid) -> Result<FollowOutcome> {
        let removed = self.is_removed(follower, account).await?;
        Ok(if removed { FollowOutcome::Removed } else { FollowOutcome::Following })
    }

    /// Deletes a follow and updates the counters; `false` if there is none.
    pub(crate) async fn unfollow(&mut self, follower: Uuid, account: Uuid) -> Result<bool> {
        let unfollowed = self.execute(&query!(UNFOLLOW, follower, account)).await? == 1;
        if unfollowed {
            self.uncount_follow(follower, account).await?;
        }
        Ok(unfollowed)
    }

    /// Increments the counters of both accounts; `false` if the follower has reached the quota.
    async fn count_new_follow(&mut self, follower: Uuid, account: Uuid, most: i64) -> Result<bool> {
        let mut counts =
            [(follower, query!(COUNT_FOLLOWING, follower, most)), (account, query!(COUNT, account, 1_i64, 0_i64))];
        // In the order of ids, so that two accounts that follow each other concurrently do not deadlock.
        counts.sort_unstable_by_key(|(id, _)| *id);
        for (_, count) in &counts {
            if self.execute(count).await? == 0 {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Decrements the counters of both accounts.
    async fn uncount_follow(&mut self, follower: Uuid, account: Uuid) -> Result<()> {
        let mut counters = [(follower, 0_i64, -1_i64), (account, -1, 0)];
        counters.sort_unstable();
        for (id, followers, following) in counters {
            self.execute(&query!(COUNT, id, followers, following)).await?;
        }
        Ok(())
    }

    async fn is_removed(&mut self, follower: Uuid, account: Uuid) -> Result<bool> {
        self.exists(&query!(REMOVED, follower, account)).await
    }
}
