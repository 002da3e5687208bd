//! Authorisation codes: at most one per consent page, redeemable once.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::{NewGrant, NewRefresh, NewToken};
use crate::engine::transaction::End;
use crate::entity::codes::{self, Column};
use crate::entity::{consent_answers, sessions};
use crate::query::row::row;
use crate::query::statement::statements;
use crate::query::{Query, query};
use crate::{Hash, Result, Store};

row! {
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Code {
        pub hash: Hash = codes::Column::Hash,
        pub client_id: String = codes::Column::ClientId,
        pub account_id: Uuid = codes::Column::AccountId,
        /// The redirect URI of the request.
        pub redirect_uri: String = codes::Column::RedirectUri,
        /// The approved scopes, separated by spaces.
        pub scope: String = codes::Column::Scope,
        /// The PKCE challenge (S256).
        pub challenge: String = codes::Column::Challenge,
        /// The requested resource (RFC 8707).
        pub resource: Option<String> = codes::Column::Resource,
        pub created_at: DateTime<Utc> = codes::Column::CreatedAt,
        pub expires_at: DateTime<Utc> = codes::Column::ExpiresAt,
        pub used_at: Option<DateTime<Utc>> = codes::Column::UsedAt,
        /// The grant for which it was redeemed; may have been deleted.
        pub grant_id: Option<Uuid> = codes::Column::GrantId,
    }
}

statements! {
    const CODE = codes::Entity::find().select_row::<Code>().filter(Column::Hash.eq(p(1)));

    const INSERT = insert([
        Column::Hash,
        Column::ClientId,
        Column::AccountId,
        Column::RedirectUri,
        Column::Scope,
        Column::Challenge,
        Column::Resource,
        Column::CreatedAt,
        Column::ExpiresAt,
        Column::UsedAt,
        Column::GrantId,
    ]);

    const REDEEM = codes::Entity::update_many()
        .col_expr(Column::UsedAt, p(2))
        .col_expr(Column::GrantId, p(3))
        .filter(Column::Hash.eq(p(1)))
        .filter(Column::UsedAt.is_null())
        .filter(Column::ExpiresAt.gt(p(2)));

    const ANSWER = insert([consent_answers::Column::Id, consent_answers::Column::ExpiresAt])
        .or_nothing([consent_answers::Column::Id]);

    const SIGNED_IN = sessions::Entity::find()
        .select_found()
        .filter(sessions::Column::Hash.eq(p(1)))
        .filter(sessions::Column::AccountId.eq(p(2)));
}

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
