//! Authorisation codes: stored once, redeemed at most once.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::{NewGrant, NewToken, TokenKind};
use crate::query::{query, text};
use crate::row::row;
use crate::transaction::End;
use crate::{Hash, Result, Store};

row! {
    /// An authorisation code as it is stored.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Code {
        /// The code's hash.
        pub hash: Hash = "hash",
        /// The app it was given to.
        pub client_id: String = "client_id",
        /// The traveller who approved.
        pub account_id: Uuid = "account_id",
        /// The redirect address it was sent to.
        pub redirect_uri: String = "redirect_uri",
        /// What was approved: scopes, separated by spaces.
        pub scope: String = "scope",
        /// The PKCE challenge (S256).
        pub challenge: String = "challenge",
        /// The resource asked for, if any.
        pub resource: Option<String> = "resource",
        /// When it was issued.
        pub created_at: DateTime<Utc> = "created_at",
        /// Until when it can be redeemed.
        pub expires_at: DateTime<Utc> = "expires_at",
        /// When it was redeemed.
        pub used_at: Option<DateTime<Utc>> = "used_at",
        /// The grant it was redeemed for. May be gone by now.
        pub grant_id: Option<Uuid> = "grant_id",
    }
}

const CODE: &str = text!("SELECT ", Code::COLUMNS, " FROM codes WHERE hash = $1");

const INSERT: &str =
    text!("INSERT INTO codes (", Code::COLUMNS, ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)");

const REDEEM: &str = "UPDATE codes SET used_at = $2, grant_id = $3 \
     WHERE hash = $1 AND used_at IS NULL AND expires_at > $2";

impl Store {
    /// Stores a code.
    pub async fn code_insert(&self, code: &Code) -> Result<()> {
        let insert = query!(
            INSERT,
            &code.hash,
            &code.client_id,
            code.account_id,
            &code.redirect_uri,
            &code.scope,
            &code.challenge,
            code.resource.as_deref(),
            code.created_at,
            code.expires_at,
            code.used_at,
            code.grant_id,
        );
        self.execute(insert).await.map(|_| ())
    }

    /// The code of a hash, used and expired ones too.
    pub async fn code(&self, hash: &Hash) -> Result<Option<Code>> {
        self.fetch_optional(&query!(CODE, hash)).await
    }

    /// Redeems a code that is unused and has not expired for a grant with its first pair of tokens; `false`
    /// when there is none such (any more), and then nothing is stored.
    pub async fn code_redeem(
        &self,
        hash: &Hash,
        now: DateTime<Utc>,
        grant: &NewGrant,
        access: &NewToken,
        refresh: &NewToken,
    ) -> Result<bool> {
        let redeem = query!(REDEEM, hash, now, grant.id);
        let inserts =
            [grant.insert(), access.insert(grant.id, TokenKind::Access), refresh.insert(grant.id, TokenKind::Refresh)];
        self.transaction((redeem, inserts), |(redeem, inserts), transaction| {
            Box::pin(async move {
                if transaction.execute(redeem).await? != 1 {
                    return Ok(End::Rollback(false));
                }
                for insert in inserts {
                    transaction.execute(insert).await?;
                }
                Ok(End::Commit(true))
            })
        })
        .await
    }
}
