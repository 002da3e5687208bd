//! Invitations to create an account: single-use, for a service whose sign-up is by invitation.
//!
//! An invitation is identified by the hash of its secret. Using one deletes its row, in the transaction that creates
//! the account ([`Store::account_create`]).

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::entity::accounts;
use crate::entity::sign_up_invitations::{self, Column, Entity};
use crate::query::query;
use crate::query::row::row;
use crate::query::statement::statements;
use crate::{Hash, Result, Store};

/// A new invitation.
#[derive(Clone, Debug)]
pub struct NewSignUpInvitation {
    pub hash: Hash,
    pub created_at: DateTime<Utc>,
    pub expires_at: DateTime<Utc>,
    /// For whom it is, in the inviter's words.
    pub note: Option<String>,
    /// The account that invites; `None` for the operator.
    pub created_by: Option<Uuid>,
}

row! {
    /// An invitation that has not been used.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct SignUpInvitationRow {
        pub hash: Hash = sign_up_invitations::Column::Hash,
        pub created_at: DateTime<Utc> = sign_up_invitations::Column::CreatedAt,
        pub expires_at: DateTime<Utc> = sign_up_invitations::Column::ExpiresAt,
        pub note: Option<String> = sign_up_invitations::Column::Note,
        /// The username of the account that invites.
        pub created_by: Option<String> = accounts::Column::Username,
    }
}

statements! {
    const INSERT = insert([Column::Hash, Column::CreatedAt, Column::ExpiresAt, Column::Note, Column::CreatedBy]);

    const IS_VALID = Entity::find().select_found().filter(Column::Hash.eq(p(1))).filter(Column::ExpiresAt.gt(p(2)));

    /// Deletes the invitation, so that it cannot be used again.
    pub(crate) const USE = Entity::delete_many().filter(Column::Hash.eq(p(1))).filter(Column::ExpiresAt.gt(p(2)));

    const LIST = Entity::find()
        .left_join(accounts::Entity)
        .select_row::<SignUpInvitationRow>()
        .filter(Column::ExpiresAt.gt(p(1)))
        .order_by_desc(Column::CreatedAt)
        .order_by_asc(Column::Hash);

    const DELETE = Entity::delete_many().filter(Column::Hash.eq(p(1)));

    const EXPIRE = delete_batch(Entity::find().filter(Column::ExpiresAt.lte(p(1))));
}

impl Store {
    pub async fn sign_up_invitation_insert(&self, invitation: &NewSignUpInvitation) -> Result<()> {
        let NewSignUpInvitation { hash, created_at, expires_at, note, created_by } = invitation;
        let insert = query!(INSERT, hash, *created_at, *expires_at, note.as_deref(), *created_by);
        self.execute(insert).await.map(|_| ())
    }

    /// Whether an account can be created with this invitation: it is unused and has not expired.
    pub async fn sign_up_invitation_is_valid(&self, hash: &Hash, now: DateTime<Utc>) -> Result<bool> {
        self.exists(&query!(IS_VALID, hash, now)).await
    }

    /// The invitations that can be used, newest first.
    pub async fn sign_up_invitation_list(&self, now: DateTime<Utc>) -> Result<Vec<SignUpInvitationRow>> {
        self.fetch_all_long(query!(LIST, now)).await
    }

    /// Revokes an invitation; `false` if there is none.
    pub async fn sign_up_invitation_delete(&self, hash: &Hash) -> Result<bool> {
        Ok(self.execute(query!(DELETE, hash)).await? == 1)
    }

    /// Deletes expired invitations; returns how many.
    pub async fn sign_up_invitations_expire(&self, now: DateTime<Utc>) -> Result<u64> {
        self.delete_in_batches(query!(EXPIRE, now)).await
    }
}
