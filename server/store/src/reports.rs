//! Reports of itineraries: filing them, hiding what enough have reported, resolving them.
//!
//! Filing and resolving hold the itinerary's row, so that each sees what the others before it did. Who may
//! report, and how a report is worded, is for those who call.

use chrono::{DateTime, TimeDelta, Utc};
use sea_orm::{ConnectionTrait, DatabaseTransaction, QueryResult};
use uuid::Uuid;

use crate::error::is_missing_reference;
use crate::idempotency::Earlier;
use crate::row::{Columns, millis};
use crate::store::{execute, retry};
use crate::{Claim, Result, Store, StoredAnswer};

/// How many open reports hide an itinerary until it has been looked at.
pub const REPORTS_TO_HIDE: i64 = 3;

/// How many days an account must have been there for its reports to count for hiding.
pub const REPORTER_AGE_DAYS: i64 = 7;

/// A report to be filed.
#[derive(Clone, Debug)]
pub struct NewReport {
    /// Its id.
    pub id: Uuid,
    /// What is reported.
    pub itinerary_id: Uuid,
    /// Who reports it.
    pub account_id: Uuid,
    /// What is wrong with it.
    pub reason: String,
    /// The reporter's own words.
    pub note: Option<String>,
    /// When it is filed.
    pub created_at: DateTime<Utc>,
}

/// How filing a report went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReportOutcome {
    /// It is filed.
    Filed,
    /// Not filed: the account's earlier report of this itinerary has not been resolved yet.
    AlreadyOpen,
    /// Not filed: there is no such itinerary, or no such account.
    Gone,
    /// Not filed: the same was asked before, and this was the answer.
    Replayed(StoredAnswer),
    /// Not filed: something else was asked before under the same key.
    KeyReused,
}

impl From<Earlier> for ReportOutcome {
    fn from(earlier: Earlier) -> Self {
        match earlier {
            Earlier::Same(answer) => Self::Replayed(answer),
            Earlier::Other => Self::KeyReused,
        }
    }
}

/// A report that has not been resolved, with what is told of its itinerary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportRow {
    /// Its id.
    pub id: Uuid,
    /// What is reported.
    pub itinerary_id: Uuid,
    /// What a list shows of the itinerary, its title among it, as JSON.
    pub title_card: String,
    /// The username of the itinerary's owner.
    pub owner: String,
    /// The username of who reports it.
    pub reporter: String,
    /// What is wrong with it.
    pub reason: String,
    /// The reporter's own words.
    pub note: Option<String>,
    /// When it was filed.
    pub created_at: DateTime<Utc>,
    /// The itinerary is hidden.
    pub hidden: bool,
    /// Who may see the itinerary besides members.
    pub visibility: String,
}

const FILE: &str = "INSERT INTO reports (id, itinerary_id, account_id, reason, note, created_at) \
     VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (itinerary_id, account_id) WHERE resolved_at IS NULL DO NOTHING";

/// An account has one open report of an itinerary at most.
const HIDE_IF_ENOUGH: &str = "INSERT INTO hidden (itinerary_id, created_at) SELECT $1, $2 \
     WHERE (SELECT count(*) FROM reports r JOIN accounts a ON a.id = r.account_id \
     WHERE r.itinerary_id = $1 AND r.resolved_at IS NULL AND a.created_at <= $3) >= $4 \
     ON CONFLICT (itinerary_id) DO NOTHING";

const UNLIST_HIDDEN: &str = "DELETE FROM explore \
     WHERE itinerary_id = $1 AND EXISTS (SELECT 1 FROM hidden WHERE itinerary_id = $1)";

const OPEN: &str = "SELECT r.id, r.itinerary_id, i.card, o.username, a.username, r.reason, r.note, r.created_at, \
     h.itinerary_id IS NOT NULL, i.visibility \
     FROM reports r JOIN itineraries i ON i.id = r.itinerary_id JOIN accounts o ON o.id = i.owner_id \
     JOIN accounts a ON a.id = r.account_id LEFT JOIN hidden h ON h.itinerary_id = r.itinerary_id \
     WHERE r.resolved_at IS NULL ORDER BY r.created_at, r.id LIMIT $1";

const COUNT_OPEN: &str = "SELECT count(*) FROM reports WHERE resolved_at IS NULL";

const RESOLVE: &str =
    "UPDATE reports SET resolved_at = $2, verdict = $3 WHERE itinerary_id = $1 AND resolved_at IS NULL";

const HIDE: &str = "INSERT INTO hidden (itinerary_id, created_at, reviewed_at) VALUES ($1, $2, $2) \
     ON CONFLICT (itinerary_id) DO UPDATE SET reviewed_at = excluded.reviewed_at";

const SHOW: &str = "DELETE FROM hidden WHERE itinerary_id = $1";

impl Store {
    /// Files a report and hides the itinerary when enough have reported it; with `claim` once for the claim's
    /// key, storing the answer beside it.
    pub async fn report_create(
        &self,
        report: &NewReport,
        claim: Option<(&Claim, &StoredAnswer)>,
        now: DateTime<Utc>,
    ) -> Result<ReportOutcome> {
        match retry(|| self.try_report(report, claim, now)).await {
            // The itinerary's row is held: it is the account that is not there.
            Err(error) if is_missing_reference(&error) => Ok(ReportOutcome::Gone),
            outcome => outcome,
        }
    }

    async fn try_report(
        &self,
        report: &NewReport,
        claim: Option<(&Claim, &StoredAnswer)>,
        now: DateTime<Utc>,
    ) -> Result<ReportOutcome> {
        let transaction = self.begin().await?;
        let outcome = self.file(&transaction, report, claim, now).await?;
        if outcome == ReportOutcome::Filed {
            transaction.commit().await?;
        } else {
            transaction.rollback().await?;
        }
        Ok(outcome)
    }

    async fn file(
        &self,
        transaction: &DatabaseTransaction,
        report: &NewReport,
        claim: Option<(&Claim, &StoredAnswer)>,
        now: DateTime<Utc>,
    ) -> Result<ReportOutcome> {
        if let Some(claim) = claim
            && let Some(earlier) = self.claim(transaction, claim, report.itinerary_id, now).await?
        {
            return Ok(earlier.into());
        }
        if self.lock_itinerary(transaction, report.itinerary_id).await?.is_none() {
            return Ok(ReportOutcome::Gone);
        }
        let values = [
            report.id.into(),
            report.itinerary_id.into(),
            report.account_id.into(),
            report.reason.as_str().into(),
            report.note.clone().into(),
            millis(report.created_at).into(),
        ];
        if execute(transaction, self.statement(FILE, values)).await? == 0 {
            return Ok(ReportOutcome::AlreadyOpen);
        }
        self.hide_if_enough(transaction, report.itinerary_id, now).await?;
        Ok(ReportOutcome::Filed)
    }

    async fn hide_if_enough(
        &self,
        transaction: &DatabaseTransaction,
        itinerary: Uuid,
        now: DateTime<Utc>,
    ) -> Result<()> {
        let made_by = millis(now - TimeDelta::days(REPORTER_AGE_DAYS));
        let values = [itinerary.into(), millis(now).into(), made_by.into(), REPORTS_TO_HIDE.into()];
        execute(transaction, self.statement(HIDE_IF_ENOUGH, values)).await?;
        execute(transaction, self.statement(UNLIST_HIDDEN, [itinerary.into()])).await?;
        Ok(())
    }

    /// Reports that have not been resolved, the oldest first.
    pub async fn reports_open(&self, limit: u32) -> Result<Vec<ReportRow>> {
        let statement = self.statement(OPEN, [i64::from(limit).into()]);
        self.reader.query_all_raw(statement).await?.iter().map(report).collect()
    }

    /// How many reports have not been resolved.
    pub async fn report_count(&self) -> Result<i64> {
        let row = self.reader.query_one_raw(self.statement(COUNT_OPEN, [])).await?;
        row.as_ref().map_or(Ok(0), |row| Columns::of(row).take())
    }

    /// Resolves all open reports of an itinerary, hiding or showing it; says how many there were. `None` when
    /// there is no such itinerary.
    pub async fn reports_resolve(&self, itinerary: Uuid, hide: bool, now: DateTime<Utc>) -> Result<Option<u64>> {
        retry(|| self.try_resolve(itinerary, hide, now)).await
    }

    async fn try_resolve(&self, itinerary: Uuid, hide: bool, now: DateTime<Utc>) -> Result<Option<u64>> {
        let transaction = self.begin().await?;
        if self.lock_itinerary(&transaction, itinerary).await?.is_none() {
            transaction.rollback().await?;
            return Ok(None);
        }
        let verdict = if hide { "hide" } else { "keep" };
        let resolve = self.statement(RESOLVE, [itinerary.into(), millis(now).into(), verdict.into()]);
        let resolved = execute(&transaction, resolve).await?;
        if hide {
            execute(&transaction, self.statement(HIDE, [itinerary.into(), millis(now).into()])).await?;
            execute(&transaction, self.statement(UNLIST_HIDDEN, [itinerary.into()])).await?;
        } else {
            execute(&transaction, self.statement(SHOW, [itinerary.into()])).await?;
        }
        transaction.commit().await?;
        Ok(Some(resolved))
    }
}

fn report(row: &QueryResult) -> Result<ReportRow> {
    let mut columns = Columns::of(row);
    Ok(ReportRow {
        id: columns.take()?,
        itinerary_id: columns.take()?,
        title_card: columns.take()?,
        owner: columns.take()?,
        reporter: columns.take()?,
        reason: columns.take()?,
        note: columns.take()?,
        created_at: columns.time()?,
        hidden: columns.take()?,
        visibility: columns.take()?,
    })
}
