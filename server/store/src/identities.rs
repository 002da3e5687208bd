//! Identities at OpenID Connect providers. An account is found by issuer and subject alone.
//!
//! The identity of a new account is inserted with it ([`Store::account_create`](crate::Store::account_create)).

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::engine::transaction::End;
use crate::entity::accounts;
use crate::entity::identities::{self, Column, Entity};
use crate::query::query;
use crate::query::row::row;
use crate::query::statement::statements;
use crate::{Account, Hash, NewIdentity, RemovalOutcome, Result, Store, WaysIn};

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
        let input = (account, *session, own, identity.insert(account));
        self.transaction(input, |(account, session, own, insert), transaction| {
            Box::pin(async move {
                transaction.lock_account(*account).await?;
                if !transaction.is_signed_in(*account, session).await? {
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

    /// Unlinks an identity in a session, and ends the other sessions, unless it is the last way into the account.
    pub async fn identity_unlink(
        &self,
        account: Uuid,
        issuer: &str,
        subject: &str,
        ways: &WaysIn,
        session: &Hash,
    ) -> Result<RemovalOutcome> {
        let input = (account, query!(DELETE, issuer, subject, account), ways.clone(), *session);
        self.transaction(input, |(account, delete, ways, session), transaction| {
            Box::pin(async move {
                // Otherwise each of two could be unlinked because there is the other.
                transaction.lock_account(*account).await?;
                if !transaction.is_signed_in(*account, session).await? {
                    return Ok(End::Rollback(RemovalOutcome::SignedOut));
                }
                if transaction.execute(delete).await? != 1 {
                    return Ok(End::Rollback(RemovalOutcome::Unknown));
                }
                if !transaction.has_way_in(*account, ways).await? {
                    return Ok(End::Rollback(RemovalOutcome::LastWayIn));
                }
                transaction.end_other_sessions(*account, session).await?;
                Ok(End::Commit(RemovalOutcome::Removed))
            })
        })
        .await
    }
}
