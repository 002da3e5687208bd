//! Deletes accounts: first marks them, then erases their rows in batches.
//!
//! [`Store::account_delete`] marks an account as deleted in one short transaction. From then on nobody can sign in to
//! it, and statements that read accounts, or itineraries with their owner, exclude it. [`Store::account_erase`] then
//! deletes the account's rows in batches, and the account's row last. Other writes run between batches, and after a
//! kill the next run continues. Files of documents are added to `loose_files`.

pub(crate) mod steps;

use chrono::{DateTime, Utc};
use itinerary_model::Plan;
use uuid::Uuid;

use crate::accounts::RESERVE;
use crate::audit_log;
use crate::engine::transaction::{End, Transaction};
use crate::entity::{accounts, former_usernames, itineraries};
use crate::itineraries::{DELETE_ANSWERS, UNCOUNT_SAVE};
use crate::query::query;
use crate::query::statement::{BATCH, Statement, statements};
use crate::{NewMail, Result, Store};

#[derive(Clone, Debug)]
pub struct AccountDeletion {
    pub id: Uuid,
    /// The hash of the password that was checked. If the password has been changed since, nothing is deleted.
    pub password_hash: String,
    /// The code of the username, under which the name is reserved.
    pub username_code: String,
    /// The end of the reservation.
    pub username_free_at: DateTime<Utc>,
    /// The mail that says so, if the account has an address.
    pub notice: Option<NewMail>,
}

statements! {
    /// The new username $3 is not a valid username, so nobody can sign in with it or find it.
    const MARK = accounts::Entity::update_many()
        .col_expr(accounts::Column::Username, p(3))
        .col_expr(accounts::Column::UsernameFolded, p(3))
        .col_expr(accounts::Column::DisplayName, "Deleted account".into())
        .col_expr(accounts::Column::PasswordHash, "".into())
        .col_expr(accounts::Column::Plan, Plan::Free.as_str().into())
        .col_expr(accounts::Column::ImageUrl, Expr::null())
        .col_expr(accounts::Column::HomePlace, Expr::null())
        .col_expr(accounts::Column::DeletedAt, p(4))
        .filter(accounts::Column::Id.eq(p(1)))
        .filter(accounts::Column::PasswordHash.eq(p(2)))
        .filter(accounts::Column::DeletedAt.is_null());

    const FREE = delete_batch(former_usernames::Entity::find().filter(former_usernames::Column::FreeAt.lte(p(1))));

    const DELETED = accounts::Entity::find()
        .select_only()
        .column(accounts::Column::Id)
        .filter(accounts::Column::DeletedAt.is_not_null())
        .order_by_asc(accounts::Column::DeletedAt)
        .limit(BATCH.unsigned_abs());

    /// While the row is locked, no row that refers to the account can be inserted.
    const LOCK_DELETED = accounts::Entity::find()
        .select_found()
        .filter(accounts::Column::Id.eq(p(1)))
        .filter(accounts::Column::DeletedAt.is_not_null())
        .lock_exclusive();

    const OWNED = itineraries::Entity::find()
        .select_only()
        .column(itineraries::Column::Id)
        .filter(itineraries::Column::OwnerId.eq(p(1)))
        .limit(FEW.unsigned_abs());

    const DELETE_ITINERARY = itineraries::Entity::delete_many()
        .filter(itineraries::Column::Id.eq(p(1)))
        .into_query()
        .returning_col(itineraries::Column::SavedFrom);

    const DELETE_ACCOUNT = accounts::Entity::delete_many().filter(accounts::Column::Id.eq(p(1)));

    /// Hidden itineraries whose open reports were all made by deleted accounts: once these reports are erased, the
    /// itineraries would stay hidden without a report to review.
    const HIDDEN_BY = "SELECT r.itinerary_id FROM reports r JOIN hidden h ON h.itinerary_id = r.itinerary_id \
         WHERE r.account_id = $1 AND r.resolved_at IS NULL AND h.reviewed_at IS NULL AND NOT EXISTS \
         (SELECT 1 FROM reports o JOIN accounts a ON a.id = o.account_id \
         WHERE o.itinerary_id = r.itinerary_id AND o.resolved_at IS NULL AND a.deleted_at IS NULL) LIMIT $2";
}

/// Small, because an itinerary and its entries in the text index can be large.
const FEW: i64 = 10;

/// One step of erasing the account $1, by batches.
enum Step {
    /// A `DELETE`.
    Rows(&'static Statement),
    /// A `DELETE` that returns an id for each row, and the statement that corrects the counter of that id.
    Counted(&'static Statement, &'static Statement),
    /// The itineraries, with their documents.
    Itineraries,
    /// Changes in the feed.
    Changes,
}

/// First the rows that are visible to others.
const STEPS: &[Step] = &[
    Step::Rows(steps::EXPLORE),
    Step::Rows(steps::REACTIONS_TO_OWN),
    Step::Rows(steps::VIEWS_OF_OWN),
    Step::Rows(steps::REPORTS_OF_OWN),
    Step::Rows(steps::DEPARTURES_FROM_OWN),
    Step::Itineraries,
    Step::Rows(steps::SAVED_AUTHOR),
    Step::Counted(steps::LIKES, steps::UNCOUNT_LIKE),
    Step::Counted(steps::FOLLOWING, steps::UNCOUNT_FOLLOWER),
    Step::Counted(steps::FOLLOWERS, steps::UNCOUNT_FOLLOWING),
    Step::Rows(steps::REACTIONS),
    Step::Rows(steps::VIEWS),
    Step::Rows(steps::MEMBERS),
    Step::Changes,
    Step::Rows(steps::DEPARTURES),
    Step::Rows(steps::INVITATIONS),
    Step::Rows(steps::BLOCKS),
    Step::Rows(steps::BLOCKED_BY),
    Step::Rows(steps::REMOVED_FOLLOWERS),
    Step::Rows(steps::REMOVED_BY),
    Step::Rows(steps::REPORTS),
    Step::Rows(steps::IDEMPOTENCY),
    Step::Rows(steps::WEBHOOK_DELIVERIES),
    Step::Rows(steps::WEBHOOKS),
    Step::Rows(steps::TOKENS),
    Step::Rows(steps::GRANTS),
    Step::Rows(steps::CODES),
    Step::Rows(steps::SIGN_UP_INVITATIONS),
    Step::Rows(steps::SESSIONS),
    Step::Rows(steps::MAILS),
    Step::Rows(audit_log::FORGET_ACCOUNT),
    Step::Rows(audit_log::FORGET_MODERATOR),
];

impl Store {
    /// Marks an account as deleted: removes its name, picture and home, ends its sessions, grants and personal access
    /// tokens, and reserves its username. `false` if the password has been changed since, or the account is deleted or unknown.
    pub async fn account_delete(&self, deletion: &AccountDeletion, now: DateTime<Utc>) -> Result<bool> {
        let AccountDeletion { id, password_hash, username_code, username_free_at, notice } = deletion;
        let mark = query!(MARK, *id, password_hash, format!("deleted:{id}"), now);
        let reserve = query!(RESERVE, username_code, *username_free_at);
        self.transaction((*id, mark, reserve, notice.clone(), now), |(id, mark, reserve, notice, now), transaction| {
            Box::pin(async move {
                if transaction.execute(mark).await? != 1 {
                    return Ok(End::Rollback(false));
                }
                transaction.execute(reserve).await?;
                transaction.end_password_reset(*id).await?;
                transaction.end_mail(*id, notice.as_ref()).await?;
                transaction.end_sessions(*id).await?;
                transaction.unlink_identities(*id).await?;
                transaction.remove_factors(*id).await?;
                transaction.end_grants(*id, *now).await?;
                transaction.end_calendar(*id).await?;
                Ok(End::Commit(true))
            })
        })
        .await
    }

    /// Accounts that are deleted and not erased yet, oldest deletion first; at most a batch.
    pub async fn accounts_deleted(&self) -> Result<Vec<Uuid>> {
        self.fetch_all(&query!(DELETED)).await
    }

    /// Itineraries that are hidden only because of reports by deleted accounts, including this one; at most a batch.
    pub async fn account_hides(&self, id: Uuid) -> Result<Vec<Uuid>> {
        self.fetch_all(&query!(HIDDEN_BY, id, BATCH)).await
    }

    /// Erases the next batch of rows of a deleted account, and finally the account itself. `false` if nothing is left.
    pub async fn account_erase(&self, id: Uuid, now: DateTime<Utc>) -> Result<bool> {
        self.transaction((id, now), |&(id, now), transaction| {
            Box::pin(async move {
                if !transaction.lock_deleted(id).await? {
                    return Ok(End::Rollback(false));
                }
                for step in STEPS {
                    if transaction.erase(id, step, now).await? {
                        return Ok(End::Commit(true));
                    }
                }
                transaction.execute(&query!(DELETE_ACCOUNT, id)).await?;
                Ok(End::Commit(false))
            })
        })
        .await
    }

    /// Deletes expired reservations of usernames; returns how many.
    pub async fn usernames_free(&self, now: DateTime<Utc>) -> Result<u64> {
        self.delete_in_batches(query!(FREE, now)).await
    }
}

impl Transaction {
    async fn lock_deleted(&mut self, id: Uuid) -> Result<bool> {
        self.exists(&query!(LOCK_DELETED, id)).await
    }

    /// Erases a batch of one step; `false` if there were no rows.
    async fn erase(&mut self, id: Uuid, step: &Step, now: DateTime<Utc>) -> Result<bool> {
        match step {
            Step::Rows(delete) => Ok(self.execute(&query!(*delete, id)).await? > 0),
            Step::Counted(delete, count) => {
                let mut counted: Vec<Uuid> = self.fetch_all(&query!(*delete, id)).await?;
                // All code locks counters in the order of their ids.
                counted.sort_unstable();
                for of in &counted {
                    self.execute(&query!(*count, *of)).await?;
                }
                Ok(!counted.is_empty())
            }
            Step::Changes => {
                self.forget_waiting_changes(id).await?;
                Ok(self.execute(&query!(steps::CHANGES, id)).await? > 0)
            }
            Step::Itineraries => {
                let owned: Vec<Uuid> = self.fetch_all(&query!(OWNED, id)).await?;
                for itinerary in &owned {
                    self.erase_itinerary(*itinerary, now).await?;
                }
                Ok(!owned.is_empty())
            }
        }
    }

    /// Deletes an itinerary like `itinerary_delete`, whatever its version is.
    async fn erase_itinerary(&mut self, id: Uuid, now: DateTime<Utc>) -> Result<()> {
        self.lock_itinerary(id).await?;
        self.loosen_documents(id, now).await?;
        self.loosen_pictures(id).await?;
        self.record_deletion(id, now).await?;
        let saved_from: Option<Option<Uuid>> = self.fetch_optional(&query!(DELETE_ITINERARY, id)).await?;
        self.execute(&query!(DELETE_ANSWERS, id)).await?;
        if let Some(saved_from) = saved_from.flatten() {
            self.execute(&query!(UNCOUNT_SAVE, saved_from)).await?;
        }
        Ok(())
    }
}
