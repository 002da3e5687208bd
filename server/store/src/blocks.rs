//! Blocked accounts.
//!
//! A block ends memberships, invitations and follows between the two accounts, and prevents new ones. Blocking locks the
//! rows of both accounts; following locks the followed account's row and inviting the owner's, so that they are
//! serialised with it.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::changes::ChangeKind;
use crate::engine::transaction::{End, Transaction};
use crate::entity::{blocks, invitations, members};
use crate::error::is_missing_reference;
use crate::follows::{COUNTERS, IS_FINDABLE, IS_THERE, ProfileRow};
use crate::query::statement::statements;
use crate::query::{query, text};
use crate::{Result, Store};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockOutcome {
    /// The account is blocked; idempotent.
    Blocked,
    /// Rejected: the quota of blocked accounts is reached.
    Full,
    /// One of the accounts does not exist.
    NoAccount,
}

/// A page of the profiles of the accounts that $1 has blocked, read by $2, with the condition for later pages.
macro_rules! page {
    ($after:literal) => {
        text!(
            "SELECT b.created_at, ",
            ProfileRow::COLUMNS,
            " FROM blocks b JOIN accounts a ON a.id = b.blocked_id AND a.deleted_at IS NULL",
            COUNTERS,
            "WHERE b.account_id = $1",
            IS_FINDABLE,
            $after,
            " ORDER BY b.created_at DESC, b.blocked_id DESC LIMIT $3"
        )
    };
}

statements! {
    const IS_BLOCKED = blocks::Entity::find()
        .select_found()
        .filter(blocks::Column::AccountId.eq(p(1)))
        .filter(blocks::Column::BlockedId.eq(p(2)));

    const DELETE = blocks::Entity::delete_many()
        .filter(blocks::Column::AccountId.eq(p(1)))
        .filter(blocks::Column::BlockedId.eq(p(2)));

    const END_INVITATIONS = invitations::Entity::delete_many()
        .filter(invitations::Column::AccountId.eq(p(1)))
        .filter(invitations::Column::OwnerId.eq(p(2)));

    const END_MEMBERSHIPS = members::Entity::delete_many()
        .filter(members::Column::AccountId.eq(p(1)))
        .filter(members::Column::OwnerId.eq(p(2)))
        .into_query()
        .returning_col(members::Column::ItineraryId);

    /// Changes no row if the account has blocked $4 others or more.
    const INSERT = "INSERT INTO blocks (account_id, blocked_id, created_at) SELECT $1, $2, $3 \
         WHERE (SELECT count(*) FROM blocks WHERE account_id = $1) < $4";

    const FIRST_PAGE = page!("");

    const LATER_PAGE = page!(" AND (b.created_at, b.blocked_id) < ($4, $5)");
}

impl Store {
    /// Blocks an account, and ends memberships, invitations and follows between the two.
    pub async fn block_set(&self, account: Uuid, blocked: Uuid, now: DateTime<Utc>) -> Result<BlockOutcome> {
        let input = (account, blocked, now, self.quotas.blocks);
        let set = self.transaction(input, |&(account, blocked, now, most), transaction| {
            Box::pin(async move {
                // In the order of ids, so that two accounts that block each other concurrently do not deadlock.
                transaction.lock_account(account.min(blocked)).await?;
                transaction.lock_account(account.max(blocked)).await?;
                if !transaction.exists(&query!(IS_THERE, blocked)).await? {
                    return Ok(End::Rollback(BlockOutcome::NoAccount));
                }
                if transaction.has_blocked(account, blocked).await? {
                    return Ok(End::Rollback(BlockOutcome::Blocked));
                }
                if transaction.execute(&query!(INSERT, account, blocked, now, most)).await? == 0 {
                    return Ok(End::Rollback(BlockOutcome::Full));
                }
                transaction.part(account, blocked, now).await?;
                Ok(End::Commit(BlockOutcome::Blocked))
            })
        });
        match set.await {
            Err(error) if is_missing_reference(&error) => Ok(BlockOutcome::NoAccount),
            outcome => outcome,
        }
    }

    /// Ends a block, if there is one; `false` if the account does not exist.
    pub async fn block_clear(&self, account: Uuid, blocked: Uuid) -> Result<bool> {
        let cleared = self.execute(query!(DELETE, account, blocked)).await? == 1;
        Ok(cleared || self.exists(&query!(IS_THERE, blocked)).await?)
    }

    /// The accounts that an account has blocked, each with the start of the block, newest first, without those that have
    /// blocked it in turn: it may not find them. A later page starts after a row's instant and account.
    pub async fn block_page(
        &self,
        account: Uuid,
        after: Option<(DateTime<Utc>, Uuid)>,
        limit: u32,
    ) -> Result<Vec<(DateTime<Utc>, ProfileRow)>> {
        let limit = i64::from(limit);
        let page = match after {
            None => query!(FIRST_PAGE, account, account, limit),
            Some((since, id)) => query!(LATER_PAGE, account, account, limit, since, id),
        };
        self.fetch_all(&page).await
    }
}

impl Transaction {
    pub(crate) async fn has_blocked(&mut self, account: Uuid, blocked: Uuid) -> Result<bool> {
        self.exists(&query!(IS_BLOCKED, account, blocked)).await
    }

    /// Ends what two accounts share. Invitations before memberships: an invitation that is being accepted is waited for,
    /// and the membership that it becomes is deleted.
    async fn part(&mut self, one: Uuid, other: Uuid, now: DateTime<Utc>) -> Result<()> {
        for (account, owner) in [(one, other), (other, one)] {
            self.unfollow(account, owner).await?;
            self.execute(&query!(END_INVITATIONS, account, owner)).await?;
            let itineraries: Vec<Uuid> = self.fetch_all(&query!(END_MEMBERSHIPS, account, owner)).await?;
            for itinerary in itineraries {
                self.record_change(ChangeKind::Unshared, itinerary, account, now).await?;
            }
        }
        Ok(())
    }
}
