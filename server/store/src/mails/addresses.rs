//! The mail addresses of accounts: at most one that is verified, and one that waits for verification.
//!
//! A verified address belongs to one account, whatever its case. An unverified one belongs to nobody: any account may claim
//! it, and whoever verifies it first has it.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::NewMail;
use crate::engine::transaction::{End, Transaction};
use crate::entity::unverified_addresses;
use crate::entity::{mail_addresses, mails};
use crate::follows::IS_THERE;
use crate::query::query;
use crate::query::row::row;
use crate::query::statement::statements;
use crate::{Hash, Result, Store};

row! {
    /// The verified address of an account.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct MailAddressRow {
        pub account_id: Uuid = mail_addresses::Column::AccountId,
        /// As the traveller wrote it.
        pub address: String = mail_addresses::Column::Address,
        pub verified_at: DateTime<Utc> = mail_addresses::Column::VerifiedAt,
    }
}

row! {
    /// An address that waits for verification.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct UnverifiedAddress {
        pub account_id: Uuid = unverified_addresses::Column::AccountId,
        pub address: String = unverified_addresses::Column::Address,
        pub expires_at: DateTime<Utc> = unverified_addresses::Column::ExpiresAt,
    }
}

/// The outcome of verifying an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VerifyOutcome {
    Verified,
    /// It has been verified for another account.
    Taken,
    /// The link is unknown, used, replaced or expired, or of another account.
    Invalid,
}

statements! {
    const VERIFIED = mail_addresses::Entity::find()
        .select_row::<MailAddressRow>()
        .filter(mail_addresses::Column::AccountId.eq(p(1)));

    const ALL = mail_addresses::Entity::find().select_row::<MailAddressRow>();

    const UNVERIFIED = unverified_addresses::Entity::find()
        .select_row::<UnverifiedAddress>()
        .filter(unverified_addresses::Column::AccountId.eq(p(1)))
        .filter(unverified_addresses::Column::ExpiresAt.gt(p(2)));

    const BY_LINK = unverified_addresses::Entity::find()
        .select_row::<UnverifiedAddress>()
        .filter(unverified_addresses::Column::Hash.eq(p(1)))
        .filter(unverified_addresses::Column::ExpiresAt.gt(p(2)));

    /// The new row has no link yet, so an earlier one ends.
    const CLAIM = "INSERT INTO unverified_addresses (account_id, address, expires_at) VALUES ($1, $2, $3) \
         ON CONFLICT (account_id) DO UPDATE SET address = excluded.address, expires_at = excluded.expires_at, hash = NULL";

    const WITHDRAW = mails::Entity::delete_many()
        .filter(mails::Column::AccountId.eq(p(1)))
        .filter(mails::Column::Kind.eq(p(2)));

    const TAKE = unverified_addresses::Entity::delete_many()
        .filter(unverified_addresses::Column::Hash.eq(p(1)))
        .filter(unverified_addresses::Column::AccountId.eq(p(2)))
        .filter(unverified_addresses::Column::ExpiresAt.gt(p(3)))
        .into_query()
        .returning_col(unverified_addresses::Column::Address);

    const INSERT = insert([
        mail_addresses::Column::AccountId,
        mail_addresses::Column::Address,
        mail_addresses::Column::Folded,
        mail_addresses::Column::VerifiedAt,
    ])
    .or_nothing([mail_addresses::Column::Folded]);

    const REMOVE = mail_addresses::Entity::delete_many().filter(mail_addresses::Column::AccountId.eq(p(1)));

    const REMOVE_UNVERIFIED =
        unverified_addresses::Entity::delete_many().filter(unverified_addresses::Column::AccountId.eq(p(1)));

    const EXPIRE = delete_batch(
        unverified_addresses::Entity::find().filter(unverified_addresses::Column::ExpiresAt.lte(p(1))),
    );
}

impl Store {
    /// The verified address of an account.
    pub async fn mail_address(&self, account: Uuid) -> Result<Option<MailAddressRow>> {
        self.fetch_optional(&query!(VERIFIED, account)).await
    }

    /// All verified addresses.
    pub async fn mail_addresses(&self) -> Result<Vec<MailAddressRow>> {
        self.fetch_all_long(query!(ALL)).await
    }

    /// The address of an account that waits for verification.
    pub async fn unverified_address(&self, account: Uuid, now: DateTime<Utc>) -> Result<Option<UnverifiedAddress>> {
        self.fetch_optional(&query!(UNVERIFIED, account, now)).await
    }

    /// The address that a link verifies. `None` if the link is unknown, used, replaced or expired.
    pub async fn unverified_address_of_link(
        &self,
        hash: &Hash,
        now: DateTime<Utc>,
    ) -> Result<Option<UnverifiedAddress>> {
        self.fetch_optional(&query!(BY_LINK, hash, now)).await
    }

    /// Notes that an account claims an address, in place of an earlier claim, and queues the mail with which it is verified.
    /// `false` if the account does not exist.
    pub async fn mail_address_claim(&self, account: Uuid, address: &str, mail: NewMail) -> Result<bool> {
        self.transaction((account, address.to_owned(), mail), |(account, address, mail), transaction| {
            Box::pin(async move {
                transaction.lock_account(*account).await?;
                if !transaction.exists(&query!(IS_THERE, *account)).await? {
                    return Ok(End::Rollback(false));
                }
                transaction.execute(&query!(CLAIM, *account, address, mail.expires_at)).await?;
                transaction.execute(&query!(WITHDRAW, *account, mail.kind)).await?;
                transaction.execute(&mail.insert(Some(*account), address)).await?;
                Ok(End::Commit(true))
            })
        })
        .await
    }

    /// Uses a link: the address becomes that of the account, in place of an earlier one, to which `notice` is sent. Links
    /// with which a new password can be set end, because they were sent to the earlier address.
    pub async fn mail_address_verify(
        &self,
        hash: &Hash,
        account: Uuid,
        notice: NewMail,
        now: DateTime<Utc>,
    ) -> Result<VerifyOutcome> {
        let input = (query!(TAKE, hash, account, now), account, notice, now);
        self.transaction(input, |(take, account, notice, now), transaction| {
            Box::pin(async move {
                transaction.lock_account(*account).await?;
                if !transaction.exists(&query!(IS_THERE, *account)).await? {
                    return Ok(End::Rollback(VerifyOutcome::Invalid));
                }
                let Some(address) = transaction.fetch_optional::<String>(take).await? else {
                    return Ok(End::Rollback(VerifyOutcome::Invalid));
                };
                let former: Option<MailAddressRow> = transaction.fetch_optional(&query!(VERIFIED, *account)).await?;
                transaction.execute(&query!(REMOVE, *account)).await?;
                let insert = query!(INSERT, *account, &address, address.to_ascii_lowercase(), *now);
                if transaction.execute(&insert).await? != 1 {
                    return Ok(End::Rollback(VerifyOutcome::Taken));
                }
                if let Some(former) = former.filter(|former| !former.address.eq_ignore_ascii_case(&address)) {
                    transaction.execute(&notice.insert(Some(*account), &former.address)).await?;
                    transaction.end_password_reset(*account).await?;
                }
                Ok(End::Commit(VerifyOutcome::Verified))
            })
        })
        .await
    }

    /// Removes the addresses of an account, and queues `notice` to the verified one.
    pub async fn mail_address_remove(&self, account: Uuid, notice: NewMail) -> Result<()> {
        self.transaction((account, notice), |(account, notice), transaction| {
            Box::pin(async move {
                transaction.lock_account(*account).await?;
                if transaction.queue_to(notice, *account).await? {
                    transaction.end_password_reset(*account).await?;
                }
                transaction.forget_addresses(*account).await?;
                Ok(End::Commit(()))
            })
        })
        .await
    }

    /// Deletes addresses that were not verified in time; returns how many.
    pub async fn unverified_addresses_expire(&self, now: DateTime<Utc>) -> Result<u64> {
        self.delete_in_batches(query!(EXPIRE, now)).await
    }
}

impl Transaction {
    pub(super) async fn forget_addresses(&mut self, account: Uuid) -> Result<()> {
        self.execute(&query!(REMOVE, account)).await?;
        self.execute(&query!(REMOVE_UNVERIFIED, account)).await.map(|_| ())
    }
}
