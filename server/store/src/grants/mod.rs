//! Grants: what a traveller has allowed an app, from the code over the tokens to the end.
//!
//! A token lives and dies with its grant: revoking is one update of the grant's row, and whatever is issued
//! beside it at that moment is dead on arrival. Reuse of codes and refresh tokens is visible here (`used_at`);
//! what follows from it is decided elsewhere.

mod codes;
mod tokens;

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use crate::query::{Query, query, text};
use crate::row::row;
use crate::store::BATCH;
use crate::transaction::End;
use crate::{Result, Store};

pub use codes::Code;
pub use tokens::{NewToken, Token, TokenKind};

/// How long dead codes and tokens are still known.
const KEPT: TimeDelta = TimeDelta::days(7);

/// A grant to be stored.
#[derive(Clone, Debug)]
pub struct NewGrant {
    /// Its id.
    pub id: Uuid,
    /// The traveller.
    pub account_id: Uuid,
    /// The app.
    pub client_id: String,
    /// What was allowed: scopes, separated by spaces.
    pub scope: String,
    /// The resource it is bound to, if any.
    pub resource: Option<String>,
    /// Now.
    pub created_at: DateTime<Utc>,
}

row! {
    /// A living grant as its traveller sees it.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct ConnectedApp {
        /// The grant.
        pub grant_id: Uuid = "g.id",
        /// The app.
        pub client_id: String = "g.client_id",
        /// The app's name.
        pub client_name: String = "c.name",
        /// What was allowed: scopes, separated by spaces.
        pub scope: String = "g.scope",
        /// The resource it is bound to, if any.
        pub resource: Option<String> = "g.resource",
        /// Since when.
        pub created_at: DateTime<Utc> = "g.created_at",
    }
}

const GRANTS_OF: &str = text!(
    "SELECT ",
    ConnectedApp::COLUMNS,
    " FROM grants g JOIN clients c ON c.id = g.client_id \
     WHERE g.account_id = $1 AND g.revoked_at IS NULL ORDER BY g.created_at DESC, g.id DESC"
);

const INSERT: &str = "INSERT INTO grants (id, account_id, client_id, scope, resource, created_at) \
     VALUES ($1, $2, $3, $4, $5, $6)";

const REVOKE: &str = "UPDATE grants SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL";

const REVOKE_OWNED: &str = "UPDATE grants SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL AND account_id = $3";

const EXPIRE: [&str; 3] = [
    "DELETE FROM codes WHERE hash IN (SELECT hash FROM codes WHERE expires_at <= $1 LIMIT $2)",
    "DELETE FROM tokens WHERE hash IN (SELECT hash FROM tokens WHERE expires_at <= $1 LIMIT $2)",
    "DELETE FROM grants WHERE id IN (SELECT g.id FROM grants g WHERE g.created_at <= $1 \
     AND NOT EXISTS (SELECT 1 FROM tokens t WHERE t.grant_id = g.id) LIMIT $2)",
];

impl NewGrant {
    /// Inserts its row.
    fn insert(&self) -> Query {
        let Self { id, account_id, client_id, scope, resource, created_at } = self;
        query!(INSERT, *id, *account_id, client_id, scope, resource.as_deref(), *created_at)
    }
}

impl Store {
    /// Stores a grant with one access token and no way to refresh it.
    pub async fn grant_issue(&self, grant: &NewGrant, access: &NewToken) -> Result<()> {
        let inserts = [grant.insert(), access.insert(grant.id, TokenKind::Access)];
        self.transaction(inserts, |inserts, transaction| {
            Box::pin(async move {
                for insert in inserts {
                    transaction.execute(insert).await?;
                }
                Ok(End::Commit(()))
            })
        })
        .await
    }

    /// Ends a grant with all its tokens; `false` when it is unknown or has ended before.
    pub async fn grant_revoke(&self, grant_id: Uuid, now: DateTime<Utc>) -> Result<bool> {
        Ok(self.execute(query!(REVOKE, grant_id, now)).await? == 1)
    }

    /// Ends a grant if it is this account's; `false` when it is not, is unknown or has ended before.
    pub async fn grant_revoke_owned(&self, account_id: Uuid, grant_id: Uuid, now: DateTime<Utc>) -> Result<bool> {
        Ok(self.execute(query!(REVOKE_OWNED, grant_id, now, account_id)).await? == 1)
    }

    /// The grants of an account that have not been revoked, newest first.
    pub async fn grants_of(&self, account_id: Uuid) -> Result<Vec<ConnectedApp>> {
        self.fetch_all(&query!(GRANTS_OF, account_id)).await
    }

    /// Deletes codes and tokens that expired more than seven days ago, and grants that have no token left;
    /// returns how many rows went. A used refresh token stays known until its own time is over, so that its
    /// reuse is noticed.
    pub async fn tokens_expire(&self, now: DateTime<Utc>) -> Result<u64> {
        let mut deleted = 0;
        for delete in EXPIRE {
            deleted += self.delete_in_batches(query!(delete, now - KEPT, BATCH)).await?;
        }
        Ok(deleted)
    }
}
