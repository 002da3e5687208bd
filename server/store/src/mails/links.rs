//! The links in mails, which are made when a mail is sent.
//!
//! A mail has the same link in every attempt. Its hash is stored by the first attempt alone, so that no later one revives a
//! link that has been used or replaced.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::ClaimedMail;
use crate::accounts::NO_PASSWORD;
use crate::engine::transaction::{End, Transaction};
use crate::entity::{accounts, mail_addresses, mails, unverified_addresses};
use crate::query::query;
use crate::query::statement::statements;
use crate::{Account, Hash, Result, Store};

/// What to send in place of a queued mail with a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkMail {
    /// The mail with the link, which works now.
    Link(Recipient),
    /// The mail without a link, to the verified address: the account has no password, or the address that was claimed is
    /// that of this account.
    NoLink(Recipient),
    /// Nothing: no account has the address, or the link has been used or replaced.
    Nothing,
}

/// The account and the address that a mail goes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipient {
    pub account_id: Uuid,
    pub username: String,
    pub address: String,
}

statements! {
    const ACCOUNT = mail_addresses::Entity::find()
        .inner_join(accounts::Entity)
        .select_row::<Account>()
        .filter(mail_addresses::Column::Folded.eq(p(1)))
        .filter(accounts::Column::DeletedAt.is_null());

    const ADDRESS = mail_addresses::Entity::find()
        .select_only()
        .column(mail_addresses::Column::Address)
        .filter(mail_addresses::Column::Folded.eq(p(1)))
        .filter(mail_addresses::Column::AccountId.eq(p(2)));

    const MAKE = mails::Entity::update_many()
        .col_expr(mails::Column::LinkHash, p(2))
        .filter(mails::Column::Id.eq(p(1)))
        .filter(mails::Column::LinkHash.is_null());

    const CLAIMED = unverified_addresses::Entity::find()
        .select_found()
        .filter(unverified_addresses::Column::AccountId.eq(p(1)))
        .filter(unverified_addresses::Column::Address.eq(p(2)))
        .filter(unverified_addresses::Column::ExpiresAt.eq(p(3)));

    const HAS_LINK = unverified_addresses::Entity::find()
        .select_found()
        .filter(unverified_addresses::Column::AccountId.eq(p(1)))
        .filter(unverified_addresses::Column::Hash.eq(p(2)));

    const SET_LINK = unverified_addresses::Entity::update_many()
        .col_expr(unverified_addresses::Column::Hash, p(2))
        .filter(unverified_addresses::Column::AccountId.eq(p(1)));
}

impl Store {
    /// Makes the link with which the owner of a mail's address sets a new password, until the mail expires.
    pub async fn mail_reset_link(&self, mail: &ClaimedMail, hash: &Hash) -> Result<LinkMail> {
        let input = (mail.id, mail.address.to_ascii_lowercase(), *hash, mail.expires_at);
        self.transaction(input, |(mail, folded, hash, expires_at), transaction| {
            Box::pin(async move {
                let Some((account, recipient)) = transaction.recipient(folded).await? else {
                    return Ok(End::Rollback(LinkMail::Nothing));
                };
                if account.password_hash == NO_PASSWORD {
                    return Ok(End::Rollback(LinkMail::NoLink(recipient)));
                }
                if transaction.execute(&query!(MAKE, *mail, hash)).await? == 1 {
                    transaction.set_password_reset(account.id, hash, *expires_at).await?;
                } else if !transaction.has_password_reset(account.id, hash).await? {
                    return Ok(End::Rollback(LinkMail::Nothing));
                }
                Ok(End::Commit(LinkMail::Link(recipient)))
            })
        })
        .await
    }

    /// Makes the link with which an account verifies the address of a mail, until the mail expires. No link is made for an
    /// address that is verified: its owner is told, unless it is the account itself.
    pub async fn mail_verification_link(&self, mail: &ClaimedMail, hash: &Hash) -> Result<LinkMail> {
        let Some(account) = mail.account_id else { return Ok(LinkMail::Nothing) };
        let input = (mail.id, account, mail.address.clone(), *hash, mail.expires_at);
        self.transaction(input, |(mail, account, address, hash, expires_at), transaction| {
            Box::pin(async move { transaction.verification_link(*mail, *account, address, hash, *expires_at).await })
        })
        .await
    }
}

impl Transaction {
    /// The account of a verified address, which is locked, and its recipient.
    async fn recipient(&mut self, folded: &str) -> Result<Option<(Account, Recipient)>> {
        let Some(found) = self.fetch_optional::<Account>(&query!(ACCOUNT, folded)).await? else { return Ok(None) };
        self.lock_account(found.id).await?;
        // Again, because it may have changed before it was locked.
        let Some(account) = self.fetch_optional::<Account>(&query!(ACCOUNT, folded)).await? else { return Ok(None) };
        let address = self.fetch_optional::<String>(&query!(ADDRESS, folded, found.id)).await?;
        Ok(address.map(|address| {
            let recipient = Recipient { account_id: account.id, username: account.username.clone(), address };
            (account, recipient)
        }))
    }

    async fn verification_link(
        &mut self,
        mail: Uuid,
        account: Uuid,
        address: &str,
        hash: &Hash,
        expires_at: DateTime<Utc>,
    ) -> Result<End<LinkMail>> {
        let folded = address.to_ascii_lowercase();
        if let Some(owner) = self.fetch_optional::<Account>(&query!(ACCOUNT, &folded)).await?
            && owner.id != account
        {
            let address = self.fetch_optional::<String>(&query!(ADDRESS, &folded, owner.id)).await?;
            let recipient =
                address.map(|address| Recipient { account_id: owner.id, username: owner.username, address });
            return Ok(End::Rollback(recipient.map_or(LinkMail::Nothing, LinkMail::NoLink)));
        }
        self.lock_account(account).await?;
        if !self.exists(&query!(CLAIMED, account, address, expires_at)).await? {
            return Ok(End::Rollback(LinkMail::Nothing));
        }
        if self.execute(&query!(MAKE, mail, hash)).await? == 1 {
            self.execute(&query!(SET_LINK, account, hash)).await?;
        } else if !self.exists(&query!(HAS_LINK, account, hash)).await? {
            return Ok(End::Rollback(LinkMail::Nothing));
        }
        // The address is not known to be the account owner's: the mail says nothing that they chose.
        let recipient = Recipient { account_id: account, username: String::new(), address: address.to_owned() };
        Ok(End::Commit(LinkMail::Link(recipient)))
    }
}
