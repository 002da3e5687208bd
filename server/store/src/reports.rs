//! Reports of itineraries: filing them, hiding what enough have reported, resolving them.
//!
//! Filing and resolving hold the itinerary's row, so that each sees what the others before it did. Who may
//! report, and how a report is worded, is for those who call.

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use crate::error::is_missing_reference;
use crate::idempotency::{ClaimQueries, Once};
use crate::query::{query, text};
use crate::row::row;
use crate::transaction::{End, Transaction};
use crate::{Claim, Result, Store, StoredAnswer};

/// How many open reports hide an itinerary until it has been looked at.
pub const REPORTS_TO_HIDE: i64 = 3;

/// How many days an account must have been there for its reports to count for hiding.
pub const REPORTER_AGE_DAYS: i64 = 7;

/// A report to be filed.
#[derive(Clone, Debug)]
pub struct NewReport {
    pub id: Uuid,
    pub itinerary_id: Uuid,
    pub account_id: Uuid,
    /// What is wrong with it.
    pub reason: String,
    /// The reporter's own words.
    pub note: Option<String>,
    pub created_at: DateTime<Utc>,
}

/// How filing a report went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportOutcome {
    Filed,
    /// Not filed: the account's earlier report of this itinerary has not been resolved yet.
    AlreadyOpen,
    /// Not filed: there is no such itinerary, or no such account.
    Gone,
}

row! {
    /// A report that has not been resolved, with what is told of its itinerary.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct ReportRow {
        pub id: Uuid = "r.id",
        pub itinerary_id: Uuid = "r.itinerary_id",
        /// What a list shows of the itinerary, its title among it, as JSON.
        pub title_card: String = "i.card",
        pub owner: String = "o.username",
        /// The username of who reports it.
        pub reporter: String = "a.username",
        /// What is wrong with it.
        pub reason: String = "r.reason",
        /// The reporter's own words.
        pub note: Option<String> = "r.note",
        pub created_at: DateTime<Utc> = "r.created_at",
        pub hidden: bool = "h.itinerary_id IS NOT NULL",
        /// Who may see the itinerary besides members.
        pub visibility: String = "i.visibility",
    }
}

const FILE: &str = "INSERT INTO reports (id, itinerary_id, account_id, reason, note, created_at) \
     VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (itinerary_id, account_id) WHERE resolved_at IS NULL DO NOTHING";

/// An account has one open report of an itinerary at most. One whose earlier report did not convince does not count again.
const HIDE_IF_ENOUGH: &str = "INSERT INTO hidden (itinerary_id, created_at) SELECT $1, $2 \
     WHERE (SELECT count(*) FROM (SELECT 1 FROM reports r JOIN accounts a ON a.id = r.account_id \
     WHERE r.itinerary_id = $1 AND r.resolved_at IS NULL AND a.created_at <= $3 \
     AND NOT EXISTS (SELECT 1 FROM reports k WHERE k.itinerary_id = r.itinerary_id AND k.account_id = r.account_id \
     AND k.verdict = 'keep') LIMIT $4) AS enough) >= $4 \
     ON CONFLICT (itinerary_id) DO NOTHING";

const UNLIST_HIDDEN: &str = "DELETE FROM explore \
     WHERE itinerary_id = $1 AND EXISTS (SELECT 1 FROM hidden WHERE itinerary_id = $1)";

const OPEN: &str = text!(
    "SELECT ",
    ReportRow::COLUMNS,
    " FROM reports r JOIN itineraries i ON i.id = r.itinerary_id JOIN accounts o ON o.id = i.owner_id \
     JOIN accounts a ON a.id = r.account_id LEFT JOIN hidden h ON h.itinerary_id = r.itinerary_id \
     WHERE r.resolved_at IS NULL ORDER BY r.created_at, r.id LIMIT $1"
);

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
    ) -> Result<Once<ReportOutcome>> {
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
                    return Ok(End::Rollback(Once::First(ReportOutcome::Gone)));
                }
                if transaction.execute(file).await? == 0 {
                    return Ok(End::Rollback(Once::First(ReportOutcome::AlreadyOpen)));
                }
                transaction.hide_if_enough(*itinerary_id, *now).await?;
                Ok(End::Commit(Once::First(ReportOutcome::Filed)))
            })
        });
        match filed.await {
            // The itinerary's row is held: it is the account that is not there.
            Err(error) if is_missing_reference(&error) => Ok(Once::First(ReportOutcome::Gone)),
            outcome => outcome,
        }
    }

    /// Reports that have not been resolved, the oldest first.
    pub async fn reports_open(&self, limit: u32) -> Result<Vec<ReportRow>> {
        self.fetch_all_long(query!(OPEN, i64::from(limit))).await
    }

    /// How many reports have not been resolved.
    pub async fn report_count(&self) -> Result<i64> {
        Ok(self.fetch_optional(&query!(COUNT_OPEN)).await?.unwrap_or(0))
    }

    /// Resolves all open reports of an itinerary, hiding or showing it; says how many there were. `None` when
    /// there is no such itinerary.
    pub async fn reports_resolve(&self, itinerary: Uuid, hide: bool, now: DateTime<Utc>) -> Result<Option<u64>> {
        self.transaction((itinerary, hide, now), |&(itinerary, hide, now), transaction| {
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
                Ok(End::Commit(Some(resolved)))
            })
        })
        .await
    }
}

impl Transaction {
    async fn hide_if_enough(&mut self, itinerary: Uuid, now: DateTime<Utc>) -> Result<()> {
        let made_by = now - TimeDelta::days(REPORTER_AGE_DAYS);
        self.execute(&query!(HIDE_IF_ENOUGH, itinerary, now, made_by, REPORTS_TO_HIDE)).await?;
        self.execute(&query!(UNLIST_HIDDEN, itinerary)).await.map(|_| ())
    }
}
