//! Reports of itineraries: files and resolves them, and hides itineraries with enough reports.
//!
//! Filing and resolving lock the itinerary's row, which serialises them. Callers check permissions.

use bytes::Bytes;
use chrono::{DateTime, TimeDelta, Utc};
use itinerary_model::Visibility;
use uuid::Uuid;

use crate::audit_log::NewAuditEntry;
use crate::engine::transaction::{End, Transaction};
use crate::entity::reports::{self, Column};
use crate::entity::{hidden, itineraries};
use crate::error::is_missing_reference;
use crate::idempotency::{ClaimQueries, Idempotent};
use crate::query::row::row;
use crate::query::statement::statements;
use crate::query::{query, text};
use crate::{Claim, Result, Store, StoredResponse};

/// The number of open reports that hides an itinerary until it is reviewed.
pub const REPORTS_TO_HIDE: i64 = 3;

/// The minimum age of an account, in days, for its reports to count towards hiding.
pub const REPORTER_AGE_DAYS: i64 = 7;

/// For how many days a rejected report counts against its account, whatever it was about.
pub const REJECTED_DAYS: i64 = 90;

#[derive(Clone, Debug)]
pub struct NewReport {
    pub id: Uuid,
    pub itinerary_id: Uuid,
    pub account_id: Uuid,
    pub reason: String,
    pub note: Option<String>,
    pub created_at: DateTime<Utc>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportOutcome {
    Filed,
    /// Rejected: the account has an open report of this itinerary.
    AlreadyOpen,
    /// The itinerary or the account does not exist.
    Gone,
}

row! {
    /// An open report with details of its itinerary.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct ReportRow {
        pub id: Uuid = "r.id",
        pub itinerary_id: Uuid = "r.itinerary_id",
        /// The itinerary's entry in lists, as JSON.
        pub title_card: String = "i.card",
        pub owner: String = "o.username",
        pub reporter: String = "a.username",
        pub reason: String = "r.reason",
        pub note: Option<String> = "r.note",
        pub created_at: DateTime<Utc> = "r.created_at",
        pub hidden: bool = "h.itinerary_id IS NOT NULL",
        pub visibility: Visibility = "i.visibility",
    }
}

/// Whether the report `r` is among the three oldest open ones of its account.
const IS_EARLY: &str = "(SELECT count(*) FROM (SELECT 1 FROM reports e WHERE e.account_id = r.account_id \
     AND e.resolved_at IS NULL AND (e.created_at, e.id) < (r.created_at, r.id) LIMIT 3) AS earlier) < 3";

/// Whether no report by the account of `r` was rejected for this itinerary, and fewer than three were since $5.
const IS_TRUSTED: &str = "NOT EXISTS (SELECT 1 FROM reports k WHERE k.itinerary_id = r.itinerary_id \
     AND k.account_id = r.account_id AND k.verdict = 'keep') \
     AND (SELECT count(*) FROM (SELECT 1 FROM reports k WHERE k.account_id = r.account_id \
     AND k.verdict = 'keep' AND k.resolved_at > $5 LIMIT 3) AS rejected) < 3";

/// Whether the account `a` has published an itinerary, or has marked, saved or followed on three days (in UTC).
const IS_ACTIVE: &str = "(EXISTS (SELECT 1 FROM itineraries p WHERE p.owner_id = a.id AND p.published_at IS NOT NULL) \
     OR (SELECT count(*) FROM (SELECT DISTINCT d.day FROM \
     (SELECT m.created_at / 86400000 AS day FROM reactions m WHERE m.account_id = a.id UNION ALL \
     SELECT f.created_at / 86400000 AS day FROM follows f WHERE f.follower_id = a.id UNION ALL \
     SELECT s.created_at / 86400000 AS day FROM itineraries s WHERE s.owner_id = a.id AND s.saved_from IS NOT NULL) \
     AS d LIMIT 3) AS days) >= 3)";

const OPEN_REPORTS: &str = text!(
    "SELECT ",
    ReportRow::COLUMNS,
    " FROM reports r JOIN itineraries i ON i.id = r.itinerary_id JOIN accounts o ON o.id = i.owner_id \
     JOIN accounts a ON a.id = r.account_id LEFT JOIN hidden h ON h.itinerary_id = r.itinerary_id \
     WHERE r.resolved_at IS NULL"
);

statements! {
    const FILE = insert([
        Column::Id,
        Column::ItineraryId,
        Column::AccountId,
        Column::Reason,
        Column::Note,
        Column::CreatedAt,
    ])
    .on_conflict(
        OnConflict::columns([Column::ItineraryId, Column::AccountId])
            .target_and_where(Expr::col(Column::ResolvedAt).is_null())
            .do_nothing()
            .to_owned(),
    );

    const EXISTS = reports::Entity::find().select_found().filter(Column::Id.eq(p(1)));

    const PUBLIC_TEXT = itineraries::Entity::find()
        .select_only()
        .column(itineraries::Column::Everyone)
        .filter(itineraries::Column::Id.eq(p(1)));

    const COUNT_OPEN = reports::Entity::find().select_count().filter(Column::ResolvedAt.is_null());

    const RESOLVE = reports::Entity::update_many()
        .col_expr(Column::ResolvedAt, p(2))
        .col_expr(Column::Verdict, p(3))
        .filter(Column::ItineraryId.eq(p(1)))
        .filter(Column::ResolvedAt.is_null());

    const HIDE = insert_values([
        (hidden::Column::ItineraryId, p(1)),
        (hidden::Column::CreatedAt, p(2)),
        (hidden::Column::ReviewedAt, p(2)),
    ])
    .or_update([hidden::Column::ItineraryId], [hidden::Column::ReviewedAt]);

    const SHOW = hidden::Entity::delete_many().filter(hidden::Column::ItineraryId.eq(p(1)));

    /// Hides the itinerary $1 if enough of its open reports count. An account has at most one open report of an itinerary.
    const HIDE_IF_ENOUGH = text!(
        "INSERT INTO hidden (itinerary_id, created_at) SELECT $1, $2 \
         WHERE (SELECT count(*) FROM (SELECT 1 FROM reports r JOIN accounts a ON a.id = r.account_id \
         WHERE r.itinerary_id = $1 AND r.resolved_at IS NULL AND a.created_at <= $3 AND a.deleted_at IS NULL AND ",
        IS_EARLY,
        " AND ",
        IS_TRUSTED,
        " AND ",
        IS_ACTIVE,
        " LIMIT $4) AS enough) >= $4 ON CONFLICT (itinerary_id) DO NOTHING"
    );

    /// The itineraries of which a report may count since the reports of the itinerary $1 were resolved at $2: a further
    /// report of each account is now among its three oldest open ones.
    const COUNTED_NOW = text!(
        "SELECT DISTINCT r.itinerary_id FROM reports d JOIN reports r ON r.account_id = d.account_id \
         AND r.resolved_at IS NULL WHERE d.itinerary_id = $1 AND d.resolved_at = $2 AND ",
        IS_EARLY
    );

    const UNLIST_HIDDEN = "DELETE FROM explore \
         WHERE itinerary_id = $1 AND EXISTS (SELECT 1 FROM hidden WHERE itinerary_id = $1)";

    const OPEN = text!(OPEN_REPORTS, " ORDER BY r.created_at, r.id LIMIT $1");

    /// The report may have been resolved since.
    const OPEN_AFTER = text!(
        OPEN_REPORTS,
        " AND (r.created_at, r.id) > (SELECT p.created_at, p.id FROM reports p WHERE p.id = $2) \
         ORDER BY r.created_at, r.id LIMIT $1"
    );

    const OPEN_ABOUT = text!(OPEN_REPORTS, " AND r.itinerary_id = $2 ORDER BY r.created_at, r.id LIMIT $1");
}

impl Store {
    /// Files a report, and hides the itinerary if it has enough. With `claim`, executes once per key and stores the
    /// response.
    pub async fn report_create(
        &self,
        report: &NewReport,
        claim: Option<(&Claim, &StoredResponse)>,
        now: DateTime<Utc>,
    ) -> Result<Idempotent<ReportOutcome>> {
        let NewReport { id, itinerary_id, account_id, reason, note, created_at } = report;
        let claim = ClaimQueries::new(claim, *itinerary_id, now);
        let file = query!(FILE, *id, *itinerary_id, *account_id, reason, note.as_deref(), *created_at);
        let input = (claim, *itinerary_id, file, now);
        let filed = self.transaction(input, |(claim, itinerary_id, file, now), transaction| {
            Box::pin(async move {
                if let Some(earlier) = transaction.claim(claim.as_ref()).await? {
                    return Ok(End::Rollback(earlier));
                }
                if transaction.lock_itinerary(*itinerary_id).await?.is_none() {
                    return Ok(End::Rollback(Idempotent::Executed(ReportOutcome::Gone)));
                }
                if transaction.execute(file).await? == 0 {
                    return Ok(End::Rollback(Idempotent::Executed(ReportOutcome::AlreadyOpen)));
                }
                transaction.hide_if_enough(*itinerary_id, *now).await?;
                Ok(End::Commit(Idempotent::Executed(ReportOutcome::Filed)))
            })
        });
        match filed.await {
            // The itinerary's row is locked, so the missing row is the account's.
            Err(error) if is_missing_reference(&error) => Ok(Idempotent::Executed(ReportOutcome::Gone)),
            outcome => outcome,
        }
    }

    /// Open reports, oldest first.
    pub async fn reports_open(&self, limit: u32) -> Result<Vec<ReportRow>> {
        self.fetch_all_long(query!(OPEN, i64::from(limit))).await
    }

    /// Open reports after this one, oldest first. `None` if that report does not exist.
    pub async fn reports_open_after(&self, report: Uuid, limit: u32) -> Result<Option<Vec<ReportRow>>> {
        if !self.exists(&query!(EXISTS, report)).await? {
            return Ok(None);
        }
        self.fetch_all_long(query!(OPEN_AFTER, i64::from(limit), report)).await.map(Some)
    }

    /// Open reports on an itinerary, oldest first.
    pub async fn reports_open_about(&self, itinerary: Uuid, limit: u32) -> Result<Vec<ReportRow>> {
        self.fetch_all_long(query!(OPEN_ABOUT, i64::from(limit), itinerary)).await
    }

    /// The public section of an itinerary (JSON), whoever may see it: for the review of reports.
    pub async fn reported_content(&self, itinerary: Uuid) -> Result<Option<Bytes>> {
        self.fetch_optional(&query!(PUBLIC_TEXT, itinerary)).await
    }

    /// The number of open reports.
    pub async fn report_count(&self) -> Result<i64> {
        Ok(self.fetch_optional(&query!(COUNT_OPEN)).await?.unwrap_or(0))
    }

    /// Resolves all open reports of an itinerary, hides or shows it, and adds `entry` to the audit log; returns how many.
    /// `None` if the itinerary does not exist. Then hides the itineraries of which enough reports count now.
    pub async fn reports_resolve(&self, itinerary: Uuid, hide: bool, entry: &NewAuditEntry) -> Result<Option<u64>> {
        let now = entry.created_at;
        let input = (itinerary, hide, entry.clone());
        let resolved = self.transaction(input, |(itinerary, hide, entry), transaction| {
            let (itinerary, hide, now) = (*itinerary, *hide, entry.created_at);
            Box::pin(async move {
                if transaction.lock_itinerary(itinerary).await?.is_none() {
                    return Ok(End::Rollback(None));
                }
                let verdict = if hide { "hide" } else { "keep" };
                let resolved = transaction.execute(&query!(RESOLVE, itinerary, now, verdict)).await?;
                if hide {
                    transaction.execute(&query!(HIDE, itinerary, now)).await?;
                    transaction.execute(&query!(UNLIST_HIDDEN, itinerary)).await?;
                } else {
                    transaction.execute(&query!(SHOW, itinerary)).await?;
                }
                transaction.audit(entry).await?;
                Ok(End::Commit(Some(resolved)))
            })
        });
        let resolved = resolved.await?;
        if resolved.is_some_and(|number| number > 0) {
            for other in self.fetch_all_long::<Uuid>(query!(COUNTED_NOW, itinerary, now)).await? {
                self.hide_reported(other, now).await?;
            }
        }
        Ok(resolved)
    }

    /// Hides an itinerary if enough of its open reports count.
    async fn hide_reported(&self, itinerary: Uuid, now: DateTime<Utc>) -> Result<()> {
        self.transaction((itinerary, now), |&(itinerary, now), transaction| {
            Box::pin(async move {
                if transaction.lock_itinerary(itinerary).await?.is_some() {
                    transaction.hide_if_enough(itinerary, now).await?;
                }
                Ok(End::Commit(()))
            })
        })
        .await
    }
}

impl Transaction {
    async fn hide_if_enough(&mut self, itinerary: Uuid, now: DateTime<Utc>) -> Result<()> {
        let made_by = now - TimeDelta::days(REPORTER_AGE_DAYS);
        let rejected_since = now - TimeDelta::days(REJECTED_DAYS);
        self.execute(&query!(HIDE_IF_ENOUGH, itinerary, now, made_by, REPORTS_TO_HIDE, rejected_since)).await?;
        self.execute(&query!(UNLIST_HIDDEN, itinerary)).await.map(|_| ())
    }
}
