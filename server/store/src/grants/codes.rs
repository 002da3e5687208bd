//! Authorisation codes: at most one per consent page, redeemable once.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::{NewGrant, NewRefresh, NewToken};
use crate::query::{Query, query, text};
use crate::row::row;
use crate::transaction::End;
use crate::{Hash, Result, Store};

row! {
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Code {
        pub hash: Hash = "hash",
        pub client_id: String = "client_id",
        pub account_id: Uuid = "account_id",
        /// The redirect URI of the request.
        pub redirect_uri: String = "redirect_uri",
        /// The approved scopes, separated by spaces.
        pub scope: String = "scope",
        /// The PKCE challenge (S256).
        pub challenge: String = "challenge",
        /// The requested resource (RFC 8707).
        pub resource: Option<String> = "resource",
        pub created_at: DateTime<Utc> = "created_at",
        pub expires_at: DateTime<Utc> = "expires_at",
        pub used_at: Option<DateTime<Utc>> = "used_at",
        /// The grant for which it was redeemed; may have been deleted.
        pub grant_id: Option<Uuid> = "grant_id",
    }
}

const CODE: &str = text!("SELECT ", Code::COLUMNS, " FROM codes WHERE hash = $1");

const INSERT: &str =
    text!("INSERT INTO codes (", Code::COLUMNS, ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)");

const REDEEM: &str = "UPDATE codes SET used_at = $2, grant_id = $3 \
     WHERE hash = $1 AND used_at IS NULL AND expires_at > $2";

const ANSWER: &str = "INSERT INTO consent_answers (id, expires_at) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING";

const SIGNED_IN: &str = "SELECT 1 FROM sessions WHERE hash = $1 AND account_id = $2";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeOutcome {
    Stored,
    /// The page was submitted before.
    AnsweredBefore,
    SignedOut,
}

/// A submitted consent page; each page can be submitted once.
#[derive(Clone, Copy, Debug)]
pub struct ConsentAnswer {
    pub page: Uuid,
    /// The end of the page's validity.
    pub expires_at: DateTime<Utc>,
}

impl ConsentAnswer {
    fn insert(self) -> Query {
        query!(ANSWER, self.page, self.expires_at)
    }
}

impl Code {
    fn insert(&self) -> Query {
        query!(
            INSERT,
            &self.hash,
            &self.client_id,
            self.account_id,
            &self.redirect_uri,
            &self.scope,
            &self.challenge,
            self.resource.as_deref(),
            self.created_at,
            self.expires_at,
            self.used_at,
            self.grant_id,
        )
    }
}

impl Store {
    /// Stores the code for an approved consent page, unless the session has ended meanwhile: a new password ends
    /// sessions and codes.
    pub async fn code_insert(&self, code: &Code, answer: ConsentAnswer, session: &Hash) -> Result<CodeOutcome> {
        let signed_in = query!(SIGNED_IN, session, code.account_id);
        let input = (code.account_id, signed_in, answer.insert(), code.insert());
        self.transaction(input, |(account, signed_in, answer, code), transaction| {
            Box::pin(async move {
                transaction.lock_account(*account).await?;
                if !transaction.exists(signed_in).await? {
                    return Ok(End::Rollback(CodeOutcome::SignedOut));
                }
                if transaction.execute(answer).await? != 1 {
                    return Ok(End::Rollback(CodeOutcome::AnsweredBefore));
                }
                transaction.execute(code).await?;
                Ok(End::Commit(CodeOutcome::Stored))
            })
        })
        .await
    }

    /// Records a consent page that was denied; `false` if it was submitted before.
    pub async fn consent_answer(&self, answer: ConsentAnswer) -> Result<bool> {
        Ok(self.execute(answer.insert()).await? == 1)
    }

    /// The code with this hash, even if it is used or expired.
    pub async fn code(&self, hash: &Hash) -> Result<Option<Code>> {
        self.fetch_optional(&query!(CODE, hash)).await
    }

    /// Redeems an unused, unexpired code: stores the grant with its first pair of tokens. `false`, and nothing is
    /// stored, if there is no such code.
    pub async fn code_redeem(
        &self,
        hash: &Hash,
        now: DateTime<Utc>,
        grant: &NewGrant,
        access: &NewToken,
        refresh: &NewRefresh,
    ) -> Result<bool> {
        let input = (query!(REDEEM, hash, now, grant.id), grant.clone(), access.clone(), refresh.clone());
        self.transaction(input, |(redeem, grant, access, refresh), transaction| {
            Box::pin(async move {
                // The account first, in the same order as a change of the password.
                transaction.lock_account(grant.account_id).await?;
                if transaction.execute(redeem).await? != 1 {
                    return Ok(End::Rollback(false));
                }
                transaction.grant(grant, access, refresh).await?;
                Ok(End::Commit(true))
            })
        })
        .await
    }
}
