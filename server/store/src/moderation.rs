//! Suspended accounts, moderators, and warnings. Each act adds its entry to the audit log in the same transaction.
//!
//! A suspension ends everything with which the account is used, and removes its itineraries from Explore. It locks them
//! first, so that a change that is being stored adds none of them again.

use chrono::{DateTime, Utc};
use itinerary_model::Visibility;
use uuid::Uuid;

use crate::audit_log::NewAuditEntry;
use crate::engine::transaction::{End, Transaction};
use crate::entity::accounts;
use crate::entity::sign_up_invitations;
use crate::entity::suspensions::{self, Column};
use crate::entity::warnings;
use crate::follows::IS_THERE;
use crate::query::row::row;
use crate::query::statement::statements;
use crate::query::{query, text};
use crate::{Result, Store};

/// The maximum number of warnings of an account that are kept: a further one deletes the oldest.
const WARNINGS: i64 = 20;

row! {
    /// A suspended account.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct SuspensionRow {
        pub account_id: Uuid = "s.account_id",
        pub username: String = "a.username",
        pub suspended_at: Option<DateTime<Utc>> = "a.suspended_at",
        /// As its owner sees it.
        pub reason: String = "s.reason",
        /// The owner's note to the moderators.
        pub appeal: Option<String> = "s.appeal",
        pub appealed_at: Option<DateTime<Utc>> = "s.appealed_at",
    }
}

row! {
    /// A message of a moderator.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct WarningRow {
        pub id: Uuid = warnings::Column::Id,
        pub message: String = warnings::Column::Message,
        pub created_at: DateTime<Utc> = warnings::Column::CreatedAt,
    }
}

row! {
    /// An itinerary that has open reports.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct ReportedItinerary {
        pub itinerary_id: Uuid = "q.itinerary_id",
        /// The itinerary's entry in lists, as JSON.
        pub title_card: String = "i.card",
        pub owner_id: Uuid = "i.owner_id",
        pub owner: String = "o.username",
        pub visibility: Visibility = "i.visibility",
        pub reports: i64 = "q.number",
        pub oldest: DateTime<Utc> = "q.oldest",
        pub hidden: bool = "h.itinerary_id IS NOT NULL",
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SuspendOutcome {
    Suspended,
    /// It was suspended before: the reason is replaced.
    Again,
    /// The account does not exist.
    Gone,
}

statements! {
    const SUSPEND = accounts::Entity::update_many()
        .col_expr(accounts::Column::SuspendedAt, p(2))
        .filter(accounts::Column::Id.eq(p(1)))
        .filter(accounts::Column::SuspendedAt.is_null());

    const SET_REASON = insert([Column::AccountId, Column::Reason]).or_update([Column::AccountId], [Column::Reason]);

    const UNLIST_OWNED = "DELETE FROM explore WHERE owner_id = $1";

    const LIFT = accounts::Entity::update_many()
        .col_expr(accounts::Column::SuspendedAt, Expr::value(Option::<i64>::None))
        .filter(accounts::Column::Id.eq(p(1)))
        .filter(accounts::Column::SuspendedAt.is_not_null());

    const FORGET = suspensions::Entity::delete_many().filter(Column::AccountId.eq(p(1)));

    const SHARED = "SELECT id FROM itineraries WHERE owner_id = $1 AND visibility IN ('public', 'followers')";

    const SUSPENSION = text!("SELECT ", SuspensionRow::COLUMNS, " FROM suspensions s \
         JOIN accounts a ON a.id = s.account_id AND a.deleted_at IS NULL WHERE s.account_id = $1");

    /// Appeals first, oldest first.
    const SUSPENSIONS = text!("SELECT ", SuspensionRow::COLUMNS, " FROM suspensions s \
         JOIN accounts a ON a.id = s.account_id AND a.deleted_at IS NULL \
         ORDER BY (s.appealed_at IS NULL), s.appealed_at, a.suspended_at DESC, s.account_id LIMIT $1");

    const APPEAL = suspensions::Entity::update_many()
        .col_expr(Column::Appeal, p(2))
        .col_expr(Column::AppealedAt, p(3))
        .filter(Column::AccountId.eq(p(1)))
        .filter(Column::Appeal.is_null());

    const APPOINT = accounts::Entity::update_many()
        .col_expr(accounts::Column::ModeratorSince, p(2))
        .filter(accounts::Column::Id.eq(p(1)))
        .filter(accounts::Column::DeletedAt.is_null());

    /// The invitations to create an account that an account has made.
    const END_INVITATIONS = sign_up_invitations::Entity::delete_many()
        .filter(sign_up_invitations::Column::CreatedBy.eq(p(1)));

    const WARN = insert([
        warnings::Column::Id,
        warnings::Column::AccountId,
        warnings::Column::Message,
        warnings::Column::CreatedAt,
    ]);

    const TRIM_WARNINGS = "DELETE FROM warnings WHERE account_id = $1 AND id NOT IN \
         (SELECT id FROM warnings WHERE account_id = $1 ORDER BY created_at DESC, id LIMIT $2)";

    const LIST_WARNINGS = warnings::Entity::find()
        .select_row::<WarningRow>()
        .filter(warnings::Column::AccountId.eq(p(1)))
        .order_by_desc(warnings::Column::CreatedAt)
        .order_by_desc(warnings::Column::Id);

    const DISMISS = warnings::Entity::delete_many()
        .filter(warnings::Column::Id.eq(p(1)))
        .filter(warnings::Column::AccountId.eq(p(2)));

    const QUEUE = text!("SELECT ", ReportedItinerary::COLUMNS, " FROM (SELECT itinerary_id, count(*) AS number, \
         min(created_at) AS oldest FROM reports WHERE resolved_at IS NULL GROUP BY itinerary_id) AS q \
         JOIN itineraries i ON i.id = q.itinerary_id JOIN accounts o ON o.id = i.owner_id \
         LEFT JOIN hidden h ON h.itinerary_id = q.itinerary_id ORDER BY q.oldest, q.itinerary_id LIMIT $1");
}

impl Store {
    /// Suspends an account: ends its sessions, unredeemed codes, grants, personal access tokens, reset link, invitations and the
    /// address of its calendar, and removes its itineraries from Explore. They are added again by
    /// [`explore_restore`](Self::explore_restore) after the suspension.
    pub async fn account_suspend(
        &self,
        id: Uuid,
        reason: &str,
        entry: &NewAuditEntry,
        now: DateTime<Utc>,
    ) -> Result<SuspendOutcome> {
        let input = (id, reason.to_owned(), entry.clone(), now);
        self.transaction(input, |(id, reason, entry, now), transaction| {
            Box::pin(async move {
                transaction.lock_account(*id).await?;
                if !transaction.exists(&query!(IS_THERE, *id)).await? {
                    return Ok(End::Rollback(SuspendOutcome::Gone));
                }
                let is_new = transaction.execute(&query!(SUSPEND, *id, *now)).await? == 1;
                transaction.execute(&query!(SET_REASON, *id, reason)).await?;
                transaction.end_access(*id, *now).await?;
                transaction.lock_shared_itineraries(*id).await?;
                transaction.execute(&query!(UNLIST_OWNED, *id)).await?;
                transaction.audit(entry).await?;
                Ok(End::Commit(if is_new { SuspendOutcome::Suspended } else { SuspendOutcome::Again }))
            })
        })
        .await
    }

    /// Ends a suspension. `false` if the account is not suspended.
    pub async fn account_unsuspend(&self, id: Uuid, entry: &NewAuditEntry) -> Result<bool> {
        self.transaction((id, entry.clone()), |(id, entry), transaction| {
            Box::pin(async move {
                transaction.lock_account(*id).await?;
                if transaction.execute(&query!(LIFT, *id)).await? != 1 {
                    return Ok(End::Rollback(false));
                }
                transaction.execute(&query!(FORGET, *id)).await?;
                transaction.audit(entry).await?;
                Ok(End::Commit(true))
            })
        })
        .await
    }

    /// An account's itineraries that others may find.
    pub async fn account_shared_itineraries(&self, id: Uuid) -> Result<Vec<Uuid>> {
        self.fetch_all_long(query!(SHARED, id)).await
    }

    /// Why an account is suspended. `None` if it is not.
    pub async fn suspension(&self, account: Uuid) -> Result<Option<SuspensionRow>> {
        self.fetch_optional(&query!(SUSPENSION, account)).await
    }

    /// The suspended accounts: first those with an appeal, oldest first.
    pub async fn suspensions(&self, limit: u32) -> Result<Vec<SuspensionRow>> {
        self.fetch_all_long(query!(SUSPENSIONS, i64::from(limit))).await
    }

    /// Stores the note of a suspended account's owner. `false` if there is one, or the account is not suspended.
    pub async fn suspension_appeal(&self, account: Uuid, appeal: &str, entry: &NewAuditEntry) -> Result<bool> {
        self.transaction((account, appeal.to_owned(), entry.clone()), |(account, appeal, entry), transaction| {
            Box::pin(async move {
                if transaction.execute(&query!(APPEAL, *account, appeal, entry.created_at)).await? != 1 {
                    return Ok(End::Rollback(false));
                }
                transaction.audit(entry).await?;
                Ok(End::Commit(true))
            })
        })
        .await
    }

    /// Makes an account a moderator's since a time, or ends that, and with it the invitations that it has made. `false` if the account does not exist.
    pub async fn account_set_moderator(
        &self,
        id: Uuid,
        since: Option<DateTime<Utc>>,
        entry: &NewAuditEntry,
    ) -> Result<bool> {
        self.transaction((id, since, entry.clone()), |(id, since, entry), transaction| {
            Box::pin(async move {
                if transaction.execute(&query!(APPOINT, *id, *since)).await? != 1 {
                    return Ok(End::Rollback(false));
                }
                if since.is_none() {
                    transaction.execute(&query!(END_INVITATIONS, *id)).await?;
                }
                transaction.audit(entry).await?;
                Ok(End::Commit(true))
            })
        })
        .await
    }

    /// Stores a warning, and deletes the oldest ones beyond the maximum. `false` if the account does not exist.
    pub async fn warning_add(&self, account: Uuid, message: &str, entry: &NewAuditEntry) -> Result<bool> {
        self.transaction((account, message.to_owned(), entry.clone()), |(account, message, entry), transaction| {
            Box::pin(async move {
                transaction.lock_account(*account).await?;
                if !transaction.exists(&query!(IS_THERE, *account)).await? {
                    return Ok(End::Rollback(false));
                }
                transaction.execute(&query!(WARN, entry.id, *account, message, entry.created_at)).await?;
                transaction.execute(&query!(TRIM_WARNINGS, *account, WARNINGS)).await?;
                transaction.audit(entry).await?;
                Ok(End::Commit(true))
            })
        })
        .await
    }

    /// The warnings that an account's owner has not dismissed, newest first.
    pub async fn warnings(&self, account: Uuid) -> Result<Vec<WarningRow>> {
        self.fetch_all(&query!(LIST_WARNINGS, account)).await
    }

    /// Deletes a warning of an account, if it has it.
    pub async fn warning_dismiss(&self, id: Uuid, account: Uuid) -> Result<()> {
        self.execute(query!(DISMISS, id, account)).await.map(|_| ())
    }

    /// The itineraries with open reports, those with the oldest first.
    pub async fn reported_itineraries(&self, limit: u32) -> Result<Vec<ReportedItinerary>> {
        self.fetch_all_long(query!(QUEUE, i64::from(limit))).await
    }
}

impl Transaction {
    /// Ends everything with which an account is used.
    async fn end_access(&mut self, id: Uuid, now: DateTime<Utc>) -> Result<()> {
        self.end_password_reset(id).await?;
        self.end_sessions(id).await?;
        self.end_grants(id, now).await?;
        self.execute(&query!(END_INVITATIONS, id)).await?;
        self.end_calendar(id).await
    }
}
