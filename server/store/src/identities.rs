//! Identities at OpenID Connect providers. An account is found by issuer and subject alone.
//!
//! The identity of a new account is inserted with it ([`Store::account_create`](crate::Store::account_create)).

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::accounts::NO_PASSWORD;
use crate::engine::transaction::End;
use crate::entity::identities::{self, Column, Entity};
use crate::entity::{accounts, sessions};
use crate::query::query;
use crate::query::row::row;
use crate::query::statement::statements;
use crate::{Account, Hash, NewIdentity, Result, Store};

/// The maximum number of identities of an account.
pub const IDENTITIES: i64 = 10;

row! {
    /// An identity of an account.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct IdentityRow {
        pub issuer: String = identities::Column::Issuer,
        pub subject: String = identities::Column::Subject,
        /// The provider's name when it was linked.
        pub provider: String = identities::Column::Provider,
        pub linked_at: DateTime<Utc> = identities::Column::LinkedAt,
    }
}

/// The outcome of linking an identity to an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdentityLinkOutcome {
    Linked,
    /// It is linked to this account already.
    LinkedBefore,
    /// It is linked to another account.
    OfAnother,
    /// The account has the maximum number.
    TooMany,
    /// The session that began it has ended.
    SignedOut,
}

/// The outcome of unlinking an identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnlinkOutcome {
    Unlinked,
    /// The account has no such identity.
    Unknown,
    /// Nobody could sign in to the account without it.
    LastWayIn,
}

statements! {
    const ACCOUNT = Entity::find()
        .inner_join(accounts::Entity)
        .select_row::<Account>()
        .filter(Column::Issuer.eq(p(1)))
        .filter(Column::Subject.eq(p(2)))
        .filter(accounts::Column::DeletedAt.is_null());

    const LIST = Entity::find()
        .select_row::<IdentityRow>()
        .filter(Column::AccountId.eq(p(1)))
        .order_by_asc(Column::LinkedAt)
        .order_by_asc(Column::Issuer)
        .order_by_asc(Column::Subject);

    const COUNT = Entity::find().select_count().filter(Column::AccountId.eq(p(1)));

    const IS_OWN = Entity::find()
        .select_found()
        .filter(Column::Issuer.eq(p(1)))
        .filter(Column::Subject.eq(p(2)))
        .filter(Column::AccountId.eq(p(3)));

    const DELETE = Entity::delete_many()
        .filter(Column::Issuer.eq(p(1)))
        .filter(Column::Subject.eq(p(2)))
        .filter(Column::AccountId.eq(p(3)));

    const HAS_PASSWORD = accounts::Entity::find()
        .select_found()
        .filter(accounts::Column::Id.eq(p(1)))
        .filter(accounts::Column::PasswordHash.ne(p(2)))
        .filter(accounts::Column::DeletedAt.is_null());

    const SIGNED_IN = sessions::Entity::find()
        .select_found()
        .filter(sessions::Column::Hash.eq(p(1)))
        .filter(sessions::Column::AccountId.eq(p(2)));
}

impl Store {
    /// The account to which an identity is linked.
    pub async fn identity_account(&self, issuer: &str, subject: &str) -> Result<Option<Account>> {
        self.fetch_optional(&query!(ACCOUNT, issuer, subject)).await
    }

    /// The identities of an account, oldest link first.
    pub async fn identities(&self, account: Uuid) -> Result<Vec<IdentityRow>> {
        self.fetch_all(&query!(LIST, account)).await
    }

    /// Links an identity to the account of a session, unless the session has ended: a new password ends sessions.
    pub async fn identity_link(
        &self,
        identity: &NewIdentity,
        account: Uuid,
        session: &Hash,
    ) -> Result<IdentityLinkOutcome> {
        let NewIdentity { issuer, subject, .. } = identity;
        let own = query!(IS_OWN, issuer, subject, account);
        let input = (account, query!(SIGNED_IN, session, account), own, identity.insert(account));
        self.transaction(input, |(account, signed_in, own, insert), transaction| {
            Box::pin(async move {
                transaction.lock_account(*account).await?;
                if !transaction.exists(signed_in).await? {
                    return Ok(End::Rollback(IdentityLinkOutcome::SignedOut));
                }
                if transaction.exists(own).await? {
                    return Ok(End::Rollback(IdentityLinkOutcome::LinkedBefore));
                }
                let count: Option<i64> = transaction.fetch_optional(&query!(COUNT, *account)).await?;
                if count.unwrap_or_default() >= IDENTITIES {
                    return Ok(End::Rollback(IdentityLinkOutcome::TooMany));
                }
                if transaction.execute(insert).await? != 1 {
                    return Ok(End::Rollback(IdentityLinkOutcome::OfAnother));
                }
                Ok(End::Commit(IdentityLinkOutcome::Linked))
            })
        })
        .await
    }

    /// Unlinks an identity even if it is the last way into the account; `false` if the account has no such identity.
    pub async fn identity_delete(&self, account: Uuid, issuer: &str, subject: &str) -> Result<bool> {
        Ok(self.execute(query!(DELETE, issuer, subject, account)).await? == 1)
    }

    /// Unlinks an identity, unless it is the last way into the account. Other ways are identities of these issuers and,
    /// if `by_password`, a password.
    pub async fn identity_unlink(
        &self,
        account: Uuid,
        issuer: &str,
        subject: &str,
        issuers: &[String],
        by_password: bool,
    ) -> Result<UnlinkOutcome> {
        let input = (account, query!(DELETE, issuer, subject, account), issuers.to_vec(), by_password);
        self.transaction(input, |(account, delete, issuers, by_password), transaction| {
            Box::pin(async move {
                // Otherwise each of two could be unlinked because there is the other.
                transaction.lock_account(*account).await?;
                if transaction.execute(delete).await? != 1 {
                    return Ok(End::Rollback(UnlinkOutcome::Unknown));
                }
                if *by_password && transaction.exists(&query!(HAS_PASSWORD, *account, NO_PASSWORD)).await? {
                    return Ok(End::Commit(UnlinkOutcome::Unlinked));
                }
                let others: Vec<IdentityRow> = transaction.fetch_all(&query!(LIST, *account)).await?;
                if others.iter().any(|other| issuers.contains(&other.issuer)) {
                    return Ok(End::Commit(UnlinkOutcome::Unlinked));
                }
                Ok(End::Rollback(UnlinkOutcome::LastWayIn))
            })
        })
        .await
    }
}
