//! Authorisation codes: one for a consent page at most, redeemed at most once.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::{NewGrant, NewRefresh, NewToken};
use crate::query::{Query, query, text};
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
        pub created_at: DateTime<Utc> = "created_at",
        /// Until when it can be redeemed.
        pub expires_at: DateTime<Utc> = "expires_at",
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

const ANSWER: &str = "INSERT INTO consent_answers (id, expires_at) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING";

const SIGNED_IN: &str = "SELECT 1 FROM sessions WHERE hash = $1 AND account_id = $2";

/// How storing a code went. Unless it is stored, nothing is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeOutcome {
    Stored,
    /// The page was answered before.
    AnsweredBefore,
    SignedOut,
}

/// That a consent page was answered. It can be once.
#[derive(Clone, Copy, Debug)]
pub struct ConsentAnswer {
    pub page: Uuid,
    /// Until when the page could be answered.
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
    /// Stores the code that a consent page is answered with in a session, if that has not ended meanwhile: a new password
    /// ends sessions and codes.
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

    /// Keeps in mind that a consent page was answered without a code; `false` when it was answered before.
    pub async fn consent_answer(&self, answer: ConsentAnswer) -> Result<bool> {
        Ok(self.execute(answer.insert()).await? == 1)
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
        refresh: &NewRefresh,
    ) -> Result<bool> {
        let input = (query!(REDEEM, hash, now, grant.id), grant.clone(), access.clone(), refresh.clone());
        self.transaction(input, |(redeem, grant, access, refresh), transaction| {
            Box::pin(async move {
                // Before the code, as a change of the password does.
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
