//! What an operator sees of an account: numbers, sessions, connected apps. No secrets.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::accounts::END_SESSIONS;
use crate::engine::transaction::End;
use crate::entity::sessions::{self, Column};
use crate::query::row::row;
use crate::query::statement::statements;
use crate::query::{query, text};
use crate::{Hash, Result, Store};

row! {
    /// The numbers of an account.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct AccountFacts {
        /// Itineraries that it owns, saved copies included.
        pub itineraries: i64 = "COALESCE((SELECT c.itineraries FROM account_counters c WHERE c.account_id = $1), 0)",
        pub following: i64 = "COALESCE((SELECT c.following FROM account_counters c WHERE c.account_id = $1), 0)",
        pub followers: i64 = "COALESCE((SELECT c.followers FROM account_counters c WHERE c.account_id = $1), 0)",
        /// Itineraries of others of which it is a member.
        pub memberships: i64 = "(SELECT count(*) FROM members WHERE account_id = $1)",
        /// Documents in its itineraries.
        pub documents: i64 =
            "(SELECT count(*) FROM documents d JOIN itineraries i ON i.id = d.itinerary_id WHERE i.owner_id = $1)",
        /// Their total size, in bytes.
        pub document_bytes: i64 = "COALESCE((SELECT u.bytes FROM document_usage u WHERE u.account_id = $1), 0)",
        pub sessions: i64 = "(SELECT count(*) FROM sessions WHERE account_id = $1 AND expires_at > $2)",
        /// Grants to apps.
        pub apps: i64 =
            "(SELECT count(*) FROM grants WHERE account_id = $1 AND revoked_at IS NULL AND expires_at > $2)",
        pub personal_tokens: i64 = "(SELECT count(*) FROM personal_tokens WHERE account_id = $1 AND expires_at > $2)",
        /// Open reports by others about its itineraries.
        pub open_reports: i64 = "(SELECT count(*) FROM reports r JOIN itineraries i ON i.id = r.itinerary_id \
             WHERE i.owner_id = $1 AND r.resolved_at IS NULL)",
    }
}

row! {
    /// A browser session.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct SessionRow {
        pub hash: Hash = sessions::Column::Hash,
        pub created_at: DateTime<Utc> = sessions::Column::CreatedAt,
        pub expires_at: DateTime<Utc> = sessions::Column::ExpiresAt,
    }
}

statements! {
    const SESSIONS = sessions::Entity::find()
        .select_row::<SessionRow>()
        .filter(Column::AccountId.eq(p(1)))
        .filter(Column::ExpiresAt.gt(p(2)))
        .order_by_desc(Column::CreatedAt)
        .order_by_asc(Column::Hash);

    const END_SESSION = sessions::Entity::delete_many()
        .filter(Column::AccountId.eq(p(1)))
        .filter(Column::Hash.eq(p(2)));

    const FACTS = text!("SELECT ", AccountFacts::COLUMNS);

    const END_CODES = "DELETE FROM codes \
         WHERE account_id = $1 AND used_at IS NULL AND (CAST($2 AS TEXT) IS NULL OR client_id = $2)";

    const END_GRANTS = "UPDATE grants SET revoked_at = $3 \
         WHERE account_id = $1 AND revoked_at IS NULL AND (CAST($2 AS TEXT) IS NULL OR client_id = $2)";
}

impl Store {
    pub async fn account_facts(&self, account: Uuid, now: DateTime<Utc>) -> Result<Option<AccountFacts>> {
        self.fetch_optional(&query!(FACTS, account, now)).await
    }

    /// The valid sessions of an account, newest first. There are few: see [`crate::SESSIONS`].
    pub async fn account_sessions(&self, account: Uuid, now: DateTime<Utc>) -> Result<Vec<SessionRow>> {
        self.fetch_all(&query!(SESSIONS, account, now)).await
    }

    /// Ends a session of an account, or all of them; returns how many.
    pub async fn account_sessions_end(&self, account: Uuid, session: Option<&Hash>) -> Result<u64> {
        let end = match session {
            Some(session) => query!(END_SESSION, account, session),
            None => query!(END_SESSIONS, account),
        };
        self.execute(end).await
    }

    /// Revokes the grants of an account to a client, or to all, and deletes its unredeemed codes for them; returns how
    /// many grants were active.
    pub async fn account_apps_end(&self, account: Uuid, client: Option<&str>, now: DateTime<Utc>) -> Result<u64> {
        let ends = (query!(END_CODES, account, client), query!(END_GRANTS, account, client, now));
        self.transaction(ends, |(codes, grants), transaction| {
            Box::pin(async move {
                // Codes first, for the reason given at `Transaction::end_grants`.
                transaction.execute(codes).await?;
                Ok(End::Commit(transaction.execute(grants).await?))
            })
        })
        .await
    }
}
