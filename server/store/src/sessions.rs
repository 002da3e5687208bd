//! Sessions: browsers that have signed in.
//!
//! Knows a session by the hash of its cookie alone.

use chrono::{DateTime, Utc};
use sea_orm::{ActiveModelTrait, EntityTrait, FromQueryResult, IntoActiveModel, Value};
use uuid::Uuid;

use crate::entity::{accounts, sessions};
use crate::row::{bytes, millis};
use crate::store::{BATCH, retry};
use crate::{Account, Hash, Result, Store};

/// A session to be stored.
#[derive(Clone, Debug)]
pub struct Session {
    /// The hash of its cookie.
    pub hash: Hash,
    /// Who has signed in.
    pub account_id: Uuid,
    /// When.
    pub created_at: DateTime<Utc>,
    /// Until when it holds.
    pub expires_at: DateTime<Utc>,
}

const SESSION: &str = "SELECT a.* FROM sessions s JOIN accounts a ON a.id = s.account_id \
     WHERE s.hash = $1 AND s.expires_at > $2";

const EXPIRE: &str = "DELETE FROM sessions WHERE hash IN (SELECT hash FROM sessions WHERE expires_at <= $1 LIMIT $2)";

impl Store {
    /// Stores a session.
    pub async fn session_insert(&self, session: &Session) -> Result<()> {
        let row = sessions::Model {
            hash: session.hash.to_vec(),
            account_id: session.account_id,
            created_at: millis(session.created_at),
            expires_at: millis(session.expires_at),
        };
        retry(|| async {
            sessions::Entity::insert(row.clone().into_active_model().reset_all())
                .exec_without_returning(&self.writer)
                .await?;
            Ok(())
        })
        .await
    }

    /// The account behind a session that holds now.
    pub async fn session(&self, hash: &Hash, now: DateTime<Utc>) -> Result<Option<Account>> {
        use sea_orm::ConnectionTrait;
        let statement = self.statement(SESSION, [bytes(hash), millis(now).into()]);
        let Some(row) = self.reader.query_one_raw(statement).await? else { return Ok(None) };
        Ok(Some(accounts::Model::from_query_result(&row, "")?.try_into()?))
    }

    /// Ends a session, if it is there.
    pub async fn session_delete(&self, hash: &Hash) -> Result<()> {
        self.execute(self.statement("DELETE FROM sessions WHERE hash = $1", [bytes(hash)])).await?;
        Ok(())
    }

    /// Deletes the sessions that have run out; returns how many.
    pub async fn sessions_expire(&self, now: DateTime<Utc>) -> Result<u64> {
        self.delete_in_batches(self.statement(EXPIRE, [millis(now).into(), Value::from(BATCH.cast_signed())])).await
    }
}
