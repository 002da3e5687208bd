//! Grants: what a traveller has allowed an app, from the code over the tokens to the end.
//!
//! A token lives and dies with its grant: revoking is one update of the grant's row, and whatever is issued
//! beside it at that moment is dead on arrival. Reuse of codes and refresh tokens is visible here (`used_at`);
//! what follows from it is decided elsewhere.

mod codes;
mod tokens;

use chrono::{DateTime, TimeDelta, Utc};
use sea_orm::sea_query::Expr;
use sea_orm::{
    ActiveModelTrait, ColumnTrait, Condition, ConnectionTrait, DatabaseTransaction, EntityTrait, IntoActiveModel,
    QueryFilter,
};
use uuid::Uuid;

use crate::entity::grants;
use crate::row::{Columns, millis};
use crate::store::{BATCH, retry};
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

/// A living grant as its traveller sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectedApp {
    /// The grant.
    pub grant_id: Uuid,
    /// The app.
    pub client_id: String,
    /// The app's name.
    pub client_name: String,
    /// What was allowed: scopes, separated by spaces.
    pub scope: String,
    /// Since when.
    pub created_at: DateTime<Utc>,
}

const GRANTS_OF: &str = "SELECT g.id, g.client_id, c.name, g.scope, g.created_at \
     FROM grants g JOIN clients c ON c.id = g.client_id \
     WHERE g.account_id = $1 AND g.revoked_at IS NULL ORDER BY g.created_at DESC, g.id DESC";

const EXPIRE: [&str; 3] = [
    "DELETE FROM codes WHERE hash IN (SELECT hash FROM codes WHERE expires_at <= $1 LIMIT $2)",
    "DELETE FROM tokens WHERE hash IN (SELECT hash FROM tokens WHERE expires_at <= $1 LIMIT $2)",
    "DELETE FROM grants WHERE id IN (SELECT g.id FROM grants g WHERE g.created_at <= $1 \
     AND NOT EXISTS (SELECT 1 FROM tokens t WHERE t.grant_id = g.id) LIMIT $2)",
];

impl Store {
    /// Stores a grant with one access token and no way to refresh it.
    pub async fn grant_issue(&self, grant: &NewGrant, access: &NewToken) -> Result<()> {
        retry(|| async {
            let transaction = self.begin().await?;
            insert(&transaction, grant).await?;
            tokens::insert(&transaction, grant.id, TokenKind::Access, access).await?;
            Ok(transaction.commit().await?)
        })
        .await
    }

    /// Ends a grant with all its tokens; `false` when it is unknown or has ended before.
    pub async fn grant_revoke(&self, grant_id: Uuid, now: DateTime<Utc>) -> Result<bool> {
        self.revoke(Condition::all().add(grants::Column::Id.eq(grant_id)), now).await
    }

    /// Ends a grant if it is this account's; `false` when it is not, is unknown or has ended before.
    pub async fn grant_revoke_owned(&self, account_id: Uuid, grant_id: Uuid, now: DateTime<Utc>) -> Result<bool> {
        let which = Condition::all().add(grants::Column::Id.eq(grant_id)).add(grants::Column::AccountId.eq(account_id));
        self.revoke(which, now).await
    }

    /// The grants of an account that have not been revoked, newest first.
    pub async fn grants_of(&self, account_id: Uuid) -> Result<Vec<ConnectedApp>> {
        let rows = self.reader.query_all_raw(self.statement(GRANTS_OF, [account_id.into()])).await?;
        rows.iter()
            .map(|row| {
                let mut columns = Columns::of(row);
                Ok(ConnectedApp {
                    grant_id: columns.take()?,
                    client_id: columns.take()?,
                    client_name: columns.take()?,
                    scope: columns.take()?,
                    created_at: columns.time()?,
                })
            })
            .collect()
    }

    /// Deletes codes and tokens that ran out more than seven days ago, and grants that have no token left;
    /// returns how many rows went. A used refresh token stays known until its own time is over, so that its
    /// reuse is noticed.
    pub async fn tokens_expire(&self, now: DateTime<Utc>) -> Result<u64> {
        let mut deleted = 0;
        for delete in EXPIRE {
            let values = [millis(now - KEPT).into(), BATCH.cast_signed().into()];
            deleted += self.delete_in_batches(self.statement(delete, values)).await?;
        }
        Ok(deleted)
    }

    async fn revoke(&self, which: Condition, now: DateTime<Utc>) -> Result<bool> {
        retry(|| async {
            let updated = grants::Entity::update_many()
                .col_expr(grants::Column::RevokedAt, Expr::value(millis(now)))
                .filter(which.clone())
                .filter(grants::Column::RevokedAt.is_null())
                .exec(&self.writer)
                .await?;
            Ok(updated.rows_affected == 1)
        })
        .await
    }
}

/// Inserts a grant's row.
async fn insert(transaction: &DatabaseTransaction, grant: &NewGrant) -> Result<()> {
    let row = grants::Model {
        id: grant.id,
        account_id: grant.account_id,
        client_id: grant.client_id.clone(),
        scope: grant.scope.clone(),
        resource: grant.resource.clone(),
        created_at: millis(grant.created_at),
        revoked_at: None,
    };
    grants::Entity::insert(row.into_active_model().reset_all()).exec_without_returning(transaction).await?;
    Ok(())
}
