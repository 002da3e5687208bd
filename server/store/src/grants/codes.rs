//! Authorisation codes: stored once, redeemed at most once.

use chrono::{DateTime, Utc};
use sea_orm::sea_query::Expr;
use sea_orm::{ActiveModelTrait, ColumnTrait, EntityTrait, IntoActiveModel, QueryFilter};
use uuid::Uuid;

use super::{NewGrant, NewToken, TokenKind, tokens};
use crate::entity::codes;
use crate::row::{hash, millis, time, time_or_null};
use crate::store::retry;
use crate::{Hash, Result, Store, StoreError};

/// An authorisation code as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    /// The code's hash.
    pub hash: Hash,
    /// The app it was given to.
    pub client_id: String,
    /// The traveller who approved.
    pub account_id: Uuid,
    /// The redirect address it was sent to.
    pub redirect_uri: String,
    /// What was approved: scopes, separated by spaces.
    pub scope: String,
    /// The PKCE challenge (S256).
    pub challenge: String,
    /// The resource asked for, if any.
    pub resource: Option<String>,
    /// When it was issued.
    pub created_at: DateTime<Utc>,
    /// Until when it can be redeemed.
    pub expires_at: DateTime<Utc>,
    /// When it was redeemed.
    pub used_at: Option<DateTime<Utc>>,
    /// The grant it was redeemed for. May be gone by now.
    pub grant_id: Option<Uuid>,
}

impl TryFrom<codes::Model> for Code {
    type Error = StoreError;

    fn try_from(model: codes::Model) -> Result<Self> {
        Ok(Self {
            hash: hash(model.hash)?,
            client_id: model.client_id,
            account_id: model.account_id,
            redirect_uri: model.redirect_uri,
            scope: model.scope,
            challenge: model.challenge,
            resource: model.resource,
            created_at: time(model.created_at)?,
            expires_at: time(model.expires_at)?,
            used_at: time_or_null(model.used_at)?,
            grant_id: model.grant_id,
        })
    }
}

impl Store {
    /// Stores a code.
    pub async fn code_insert(&self, code: &Code) -> Result<()> {
        let row = codes::Model {
            hash: code.hash.to_vec(),
            client_id: code.client_id.clone(),
            account_id: code.account_id,
            redirect_uri: code.redirect_uri.clone(),
            scope: code.scope.clone(),
            challenge: code.challenge.clone(),
            resource: code.resource.clone(),
            created_at: millis(code.created_at),
            expires_at: millis(code.expires_at),
            used_at: code.used_at.map(millis),
            grant_id: code.grant_id,
        };
        retry(|| async {
            codes::Entity::insert(row.clone().into_active_model().reset_all())
                .exec_without_returning(&self.writer)
                .await?;
            Ok(())
        })
        .await
    }

    /// The code of a hash, used and expired ones too.
    pub async fn code(&self, hash: &Hash) -> Result<Option<Code>> {
        codes::Entity::find_by_id(hash.to_vec()).one(&self.reader).await?.map(Code::try_from).transpose()
    }

    /// Redeems a code that is unused and has not run out for a grant with its first pair of tokens; `false`
    /// when there is none such (any more), and then nothing is stored.
    pub async fn code_redeem(
        &self,
        hash: &Hash,
        now: DateTime<Utc>,
        grant: &NewGrant,
        access: &NewToken,
        refresh: &NewToken,
    ) -> Result<bool> {
        retry(|| self.try_redeem(hash, now, grant, access, refresh)).await
    }

    async fn try_redeem(
        &self,
        hash: &Hash,
        now: DateTime<Utc>,
        grant: &NewGrant,
        access: &NewToken,
        refresh: &NewToken,
    ) -> Result<bool> {
        let transaction = self.begin().await?;
        let claimed = codes::Entity::update_many()
            .col_expr(codes::Column::UsedAt, Expr::value(millis(now)))
            .col_expr(codes::Column::GrantId, Expr::value(grant.id))
            .filter(codes::Column::Hash.eq(hash.to_vec()))
            .filter(codes::Column::UsedAt.is_null())
            .filter(codes::Column::ExpiresAt.gt(millis(now)))
            .exec(&transaction)
            .await?;
        if claimed.rows_affected != 1 {
            transaction.rollback().await?;
            return Ok(false);
        }
        super::insert(&transaction, grant).await?;
        tokens::insert(&transaction, grant.id, TokenKind::Access, access).await?;
        tokens::insert(&transaction, grant.id, TokenKind::Refresh, refresh).await?;
        transaction.commit().await?;
        Ok(true)
    }
}
