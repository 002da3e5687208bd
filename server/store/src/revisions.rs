//! Earlier versions of itineraries: who made a version and when, and what it replaced of the version before.
//!
//! Every change of an itinerary inserts one row, and deletes those beyond the limits, in its own transaction. What was
//! replaced is opaque here. Callers check permissions.

use chrono::{DateTime, TimeDelta, Utc};
use itinerary_model::Plan;
use sea_orm::Value;
use uuid::Uuid;

use crate::changes::INTO_POSTGRES;
use crate::engine::transaction::Transaction;
use crate::entity::{members, revisions};
use crate::query::row::row;
use crate::query::statement::{BATCH, Statement, Texts, statements};
use crate::query::{Query, ToColumn, query, text};
use crate::{DatabaseKind, Result, Store};

/// The maximum number of versions of an itinerary that are kept.
pub const REVISIONS_KEPT: i64 = 50;

/// The days for which a version is kept.
pub const REVISION_DAYS: i64 = 90;

/// The maximum size of the kept versions of an itinerary, in bytes.
pub(crate) const REVISION_BYTES: i64 = 1024 * 1024;

/// The maximum size of the kept versions of all itineraries of an owner, in bytes; a job deletes the oldest beyond it.
pub(crate) const OWNER_REVISION_BYTES: i64 = 50 * 1024 * 1024;

/// A version that a change makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewRevision {
    pub account_id: Uuid,
    /// The app; `None` for the service's own pages.
    pub client_id: Option<String>,
    /// The version whose content this one restores.
    pub restored_from: Option<i64>,
    /// What it replaces of the version before. `None` for the first version.
    pub replaced: Option<Vec<u8>>,
}

row! {
    /// A version, with the public profile of the account that made it.
    #[derive(Clone, Debug, PartialEq)]
    pub struct RevisionRow {
        pub version: i64 = "r.version",
        pub updated_at: DateTime<Utc> = "r.updated_at",
        /// `None` if the account has been deleted.
        pub account_id: Option<Uuid> = "a.id",
        pub username: Option<String> = "a.username",
        pub display_name: Option<String> = "a.display_name",
        pub image_url: Option<String> = "a.image_url",
        pub plan: Option<Plan> = "a.plan",
        /// The name of the app; `None` for the service's own pages and for apps that are no longer registered.
        pub app: Option<String> = "c.name",
        pub restored_from: Option<i64> = "r.restored_from",
        /// What it replaced of the version before.
        pub replaced: Option<Vec<u8>> = "r.replaced",
    }
}

row! {
    /// What a version replaced of the version before.
    #[derive(Clone, Debug, PartialEq, Eq)]
    struct ReplacedRow {
        version: i64 = revisions::Column::Version,
        /// `None` if nothing before it is kept.
        replaced: Option<Vec<u8>> = revisions::Column::Replaced,
    }
}

const COLUMNS: &str =
    "(itinerary_id, version, owner_id, updated_at, size, account_id, client_id, restored_from, replaced)";

/// Versions older than the itinerary's `$1` version `$2` that exceed a limit: up to version `$3`, and those beyond `$4` bytes.
/// Computes running totals only if the sum exceeds `$4`.
macro_rules! beyond_limits {
    ($itinerary:literal, $version:literal, $oldest:literal, $bytes:literal) => {
        text!(
            "itinerary_id = ",
            $itinerary,
            " AND version < ",
            $version,
            " AND (version <= ",
            $oldest,
            " OR (SELECT sum(size) FROM revisions WHERE itinerary_id = ",
            $itinerary,
            " AND version < ",
            $version,
            ") > ",
            $bytes,
            " AND version <= (SELECT max(s.version) FROM (SELECT version, sum(size) OVER (ORDER BY version DESC) \
             AS total FROM revisions WHERE itinerary_id = ",
            $itinerary,
            " AND version < ",
            $version,
            ") AS s WHERE s.total > ",
            $bytes,
            "))"
        )
    };
}

statements! {
    pub(crate) const INSERT = text!("INSERT INTO revisions ", COLUMNS, " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)");

    pub(crate) const FORGET = text!("DELETE FROM revisions WHERE ", beyond_limits!("$1", "$2", "$3", "$4"));

    const REPLACED = revisions::Entity::find()
        .select_row::<ReplacedRow>()
        .filter(revisions::Column::ItineraryId.eq(p(1)))
        .filter(revisions::Column::Version.gt(p(2)))
        .filter(revisions::Column::Version.lte(p(3)))
        .order_by_desc(revisions::Column::Version);

    const SINCE = members::Entity::find()
        .select_only()
        .column(members::Column::SinceVersion)
        .filter(members::Column::ItineraryId.eq(p(1)))
        .filter(members::Column::AccountId.eq(p(2)));

    const VERSIONS = text!(
        "SELECT ",
        RevisionRow::COLUMNS,
        " FROM revisions r LEFT JOIN accounts a ON a.id = r.account_id AND a.deleted_at IS NULL \
         LEFT JOIN clients c ON c.id = r.client_id \
         WHERE r.itinerary_id = $1 AND r.version >= $2 AND r.version <= $3 ORDER BY r.version DESC"
    );

    /// At most $4 owners after $1 with versions made before $2, or with more than $3 bytes. Reads only the index.
    const OVER_LIMIT = "SELECT owner_id FROM revisions WHERE owner_id > $1 GROUP BY owner_id \
         HAVING min(updated_at) < $2 OR sum(size) > $3 ORDER BY owner_id LIMIT $4";

    const EXPIRE = revisions::Entity::delete_many()
        .filter(revisions::Column::OwnerId.eq(p(1)))
        .filter(revisions::Column::UpdatedAt.lt(p(2)));

    /// The oldest versions of the owner $1 beyond $2 bytes.
    const EVICT = "DELETE FROM revisions WHERE owner_id = $1 AND updated_at <= (SELECT max(s.updated_at) FROM \
         (SELECT updated_at, sum(size) OVER (ORDER BY updated_at DESC) AS total FROM revisions WHERE owner_id = $1) AS s \
         WHERE s.total > $2)";
}

/// PostgreSQL: an `UPDATE` of an itinerary, `$1` to `$18`, with its revision and its row in the change feed, in one
/// statement that returns the number of updated rows.
pub(crate) fn update_and_keep(update: &Statement) -> Texts {
    let update = update.text(DatabaseKind::Postgres);
    let beyond = beyond_limits!("$17", "$18 + 1", "$25", "$26");
    let text = format!(
        "WITH written AS ({update} RETURNING id), \
         kept AS (INSERT INTO revisions {COLUMNS} SELECT $17, $18 + 1, $19, $9, $23, $20, $21, $22, $24 FROM written), \
         changed AS ({INTO_POSTGRES} SELECT 'updated', $17, $19, $9 FROM written), \
         forgotten AS (DELETE FROM revisions WHERE {beyond} AND EXISTS (SELECT 1 FROM written)) \
         SELECT count(*) FROM written"
    );
    // SQLite has no `UPDATE` within a `WITH`: there, the statements run one after another.
    Texts::for_engines("SELECT 0", text)
}

impl NewRevision {
    /// The version without what it replaced, if that is larger than everything that is kept of an itinerary.
    fn bounded(self) -> Self {
        let replaced =
            self.replaced.filter(|replaced| i64::try_from(replaced.len()).is_ok_and(|size| size <= REVISION_BYTES));
        Self { replaced, ..self }
    }

    fn size(&self) -> i64 {
        self.replaced.as_ref().map_or(0, |replaced| i64::try_from(replaced.len()).unwrap_or(i64::MAX))
    }

    /// The newest version to delete when this one is stored as `version`: without what this one replaced, none before it
    /// can be rebuilt.
    fn oldest(&self, version: i64) -> i64 {
        if self.replaced.is_some() { version - REVISIONS_KEPT } else { version - 1 }
    }

    /// The values of [`update_and_keep`] after those of the `UPDATE`.
    pub(crate) fn values_after_update(self, owner_id: Uuid, version: i64) -> [Value; 8] {
        let revision = self.bounded();
        let (size, oldest) = (revision.size(), revision.oldest(version));
        [
            owner_id.to_column(),
            revision.account_id.to_column(),
            revision.client_id.to_column(),
            revision.restored_from.to_column(),
            size.to_column(),
            revision.replaced.to_column(),
            oldest.to_column(),
            (REVISION_BYTES - size).to_column(),
        ]
    }

    /// Inserts the row of a version; then deletes what exceeds a limit.
    pub(crate) fn queries(
        self,
        itinerary: Uuid,
        owner_id: Uuid,
        version: i64,
        updated_at: DateTime<Utc>,
    ) -> [Query; 2] {
        let revision = self.bounded();
        let (size, oldest) = (revision.size(), revision.oldest(version));
        let NewRevision { account_id, client_id, restored_from, replaced } = revision;
        [
            query!(
                INSERT,
                itinerary,
                version,
                owner_id,
                updated_at,
                size,
                account_id,
                client_id,
                restored_from,
                replaced
            ),
            query!(FORGET, itinerary, version, oldest, REVISION_BYTES - size),
        ]
    }
}

impl Store {
    /// The kept versions of an itinerary from one version to another, newest first.
    pub async fn revisions(&self, itinerary: Uuid, from: i64, to: i64) -> Result<Vec<RevisionRow>> {
        self.fetch_all(&query!(VERSIONS, itinerary, from, to)).await
    }

    /// What the versions after `base` up to `version` replaced, newest first. `None` if one of them is not kept, so that
    /// `base` cannot be rebuilt.
    pub async fn replaced_since(&self, itinerary: Uuid, base: i64, version: i64) -> Result<Option<Vec<Vec<u8>>>> {
        if !(0..=REVISIONS_KEPT).contains(&version.saturating_sub(base)) {
            return Ok(None);
        }
        let rows: Vec<ReplacedRow> = self.fetch_all(&query!(REPLACED, itinerary, base, version)).await?;
        let is_complete = rows.iter().map(|row| row.version).eq((base + 1..=version).rev());
        Ok(if is_complete { rows.into_iter().map(|row| row.replaced).collect() } else { None })
    }

    /// The itinerary's version when an account became a member. `None` if it is not one.
    pub async fn member_since_version(&self, itinerary: Uuid, account: Uuid) -> Result<Option<i64>> {
        self.fetch_optional(&query!(SINCE, itinerary, account)).await
    }

    /// Deletes versions that have expired, and the oldest of owners beyond their quota. Returns the number of deleted
    /// versions.
    pub async fn revisions_expire(&self, now: DateTime<Utc>) -> Result<u64> {
        let (before, mut after, mut deleted) = (now - TimeDelta::days(REVISION_DAYS), Uuid::nil(), 0);
        loop {
            let owners: Vec<Uuid> =
                self.fetch_all_long(query!(OVER_LIMIT, after, before, OWNER_REVISION_BYTES, BATCH)).await?;
            let Some(last) = owners.last() else { return Ok(deleted) };
            after = *last;
            for owner in owners {
                deleted += self.execute(query!(EXPIRE, owner, before)).await?;
                deleted += self.execute(query!(EVICT, owner, OWNER_REVISION_BYTES)).await?;
            }
        }
    }
}

impl Transaction {
    /// Stores a version of an itinerary.
    pub(crate) async fn keep_revision(&mut self, [insert, forget]: &[Query; 2]) -> Result<()> {
        self.execute(insert).await?;
        self.execute(forget).await.map(|_| ())
    }
}
