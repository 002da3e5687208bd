//! Accounts: who signs in, with which plan.
//!
//! Neither folds names nor hashes passwords: both arrive ready.

use chrono::{DateTime, Utc};
use sea_orm::sea_query::Expr;
use sea_orm::{
    ActiveModelTrait, ColumnTrait, EntityTrait, IntoActiveModel, QueryFilter, QueryOrder, QuerySelect, TryInsertResult,
};
use uuid::Uuid;

use crate::entity::{accounts, codes, grants, sessions};
use crate::row::{millis, time};
use crate::store::retry;
use crate::{Result, Store, StoreError};

/// What an account has subscribed to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plan {
    /// Nothing.
    Free,
    /// Packing, expenses and documents.
    Pro,
}

impl Plan {
    /// The plan's stored name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::Pro => "pro",
        }
    }

    pub(crate) fn from_column(name: &str) -> Result<Self> {
        match name {
            "free" => Ok(Self::Free),
            "pro" => Ok(Self::Pro),
            other => Err(StoreError::Corrupt(format!("an account's plan is {other:?}"))),
        }
    }
}

/// An account as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// Its id.
    pub id: Uuid,
    /// The name to sign in with, as it was chosen.
    pub username: String,
    /// The same, folded: what makes it unique.
    pub username_folded: String,
    /// The name others see.
    pub display_name: String,
    /// The password's hash with its parameters.
    pub password_hash: String,
    /// The plan.
    pub plan: Plan,
    /// The address of a picture.
    pub image_url: Option<String>,
    /// Where the traveller lives: a place, as JSON.
    pub home_place: Option<String>,
    /// When it was made.
    pub created_at: DateTime<Utc>,
}

/// An account to be made.
#[derive(Clone, Debug)]
pub struct NewAccount {
    /// Its id.
    pub id: Uuid,
    /// The name to sign in with.
    pub username: String,
    /// The same, folded.
    pub username_folded: String,
    /// The name others see.
    pub display_name: String,
    /// The password's hash with its parameters.
    pub password_hash: String,
    /// The plan.
    pub plan: Plan,
    /// Now.
    pub created_at: DateTime<Utc>,
}

/// What travellers change of their accounts themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountColumns {
    /// The name others see.
    pub display_name: String,
    /// The address of a picture.
    pub image_url: Option<String>,
    /// Where the traveller lives: a place, as JSON.
    pub home_place: Option<String>,
}

impl TryFrom<accounts::Model> for Account {
    type Error = StoreError;

    fn try_from(model: accounts::Model) -> Result<Self> {
        Ok(Self {
            id: model.id,
            username: model.username,
            username_folded: model.username_folded,
            display_name: model.display_name,
            password_hash: model.password_hash,
            plan: Plan::from_column(&model.plan)?,
            image_url: model.image_url,
            home_place: model.home_place,
            created_at: time(model.created_at)?,
        })
    }
}

const UPDATE: &str = "UPDATE accounts SET display_name = $1, image_url = $2, home_place = $3 WHERE id = $4 \
     AND display_name = $5 AND image_url IS NOT DISTINCT FROM $6 AND home_place IS NOT DISTINCT FROM $7";

impl Store {
    /// Makes an account; `false` when its name is taken.
    pub async fn account_insert(&self, account: &NewAccount) -> Result<bool> {
        let row = accounts::Model {
            id: account.id,
            username: account.username.clone(),
            username_folded: account.username_folded.clone(),
            display_name: account.display_name.clone(),
            password_hash: account.password_hash.clone(),
            plan: account.plan.as_str().to_owned(),
            image_url: None,
            home_place: None,
            created_at: millis(account.created_at),
        };
        retry(|| async {
            let inserted = accounts::Entity::insert(row.clone().into_active_model().reset_all())
                .on_conflict_do_nothing_on([accounts::Column::UsernameFolded])
                .exec_without_returning(&self.writer)
                .await?;
            Ok(matches!(inserted, TryInsertResult::Inserted(1)))
        })
        .await
    }

    /// The account of a folded name.
    pub async fn account_by_username(&self, username_folded: &str) -> Result<Option<Account>> {
        let found = accounts::Entity::find()
            .filter(accounts::Column::UsernameFolded.eq(username_folded))
            .one(&self.reader)
            .await?;
        found.map(Account::try_from).transpose()
    }

    /// The account of an id.
    pub async fn account(&self, id: Uuid) -> Result<Option<Account>> {
        accounts::Entity::find_by_id(id).one(&self.reader).await?.map(Account::try_from).transpose()
    }

    /// All accounts, by name.
    pub async fn account_list(&self) -> Result<Vec<Account>> {
        let rows = accounts::Entity::find().order_by_asc(accounts::Column::UsernameFolded).all(&self.reader).await?;
        rows.into_iter().map(Account::try_from).collect()
    }

    /// Sets an account's plan; `false` when there is no such account.
    pub async fn account_set_plan(&self, username_folded: &str, plan: Plan) -> Result<bool> {
        retry(|| async {
            let updated = accounts::Entity::update_many()
                .col_expr(accounts::Column::Plan, Expr::value(plan.as_str()))
                .filter(accounts::Column::UsernameFolded.eq(username_folded))
                .exec(&self.writer)
                .await?;
            Ok(updated.rows_affected == 1)
        })
        .await
    }

    /// Changes what travellers change themselves from what it was; `false` when it is something else by now,
    /// or there is no such account.
    pub async fn account_update(&self, id: Uuid, from: &AccountColumns, to: &AccountColumns) -> Result<bool> {
        let values = [
            to.display_name.as_str().into(),
            to.image_url.clone().into(),
            to.home_place.clone().into(),
            id.into(),
            from.display_name.as_str().into(),
            from.image_url.clone().into(),
            from.home_place.clone().into(),
        ];
        Ok(self.execute(self.statement(UPDATE, values)).await? == 1)
    }

    /// Sets an account's password and, with it, ends what the old one had opened: sessions, codes not yet
    /// redeemed, grants. `false` when there is no such account.
    pub async fn account_set_password(
        &self,
        username_folded: &str,
        password_hash: &str,
        now: DateTime<Utc>,
    ) -> Result<bool> {
        retry(|| self.try_set_password(username_folded, password_hash, now)).await
    }

    async fn try_set_password(&self, username_folded: &str, password_hash: &str, now: DateTime<Utc>) -> Result<bool> {
        let transaction = self.begin().await?;
        let updated = accounts::Entity::update_many()
            .col_expr(accounts::Column::PasswordHash, Expr::value(password_hash))
            .filter(accounts::Column::UsernameFolded.eq(username_folded))
            .exec(&transaction)
            .await?;
        let id: Option<Uuid> = accounts::Entity::find()
            .select_only()
            .column(accounts::Column::Id)
            .filter(accounts::Column::UsernameFolded.eq(username_folded))
            .into_tuple()
            .one(&transaction)
            .await?;
        let (1, Some(id)) = (updated.rows_affected, id) else {
            transaction.rollback().await?;
            return Ok(false);
        };
        sessions::Entity::delete_many().filter(sessions::Column::AccountId.eq(id)).exec(&transaction).await?;
        // Codes before grants: a code that is being redeemed at this moment is waited for here, and the
        // grant it gave is then seen, and revoked, below.
        codes::Entity::delete_many()
            .filter(codes::Column::AccountId.eq(id))
            .filter(codes::Column::UsedAt.is_null())
            .exec(&transaction)
            .await?;
        grants::Entity::update_many()
            .col_expr(grants::Column::RevokedAt, Expr::value(millis(now)))
            .filter(grants::Column::AccountId.eq(id))
            .filter(grants::Column::RevokedAt.is_null())
            .exec(&transaction)
            .await?;
        transaction.commit().await?;
        Ok(true)
    }
}
