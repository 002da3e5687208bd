//! The queue of mails. `addresses.rs` has the addresses of accounts, `links.rs` the links in mails.
//!
//! A request only adds a row, whoever the recipient is, so that its duration says nothing about accounts. A server claims
//! mails by moving `next_at` to when the attempt must be done. If the server is killed, the attempt is due again then.
//! Kinds and parameters are opaque text.

pub(crate) mod addresses;
pub(crate) mod links;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::engine::transaction::{End, Transaction};
use crate::entity::mail_addresses;
use crate::entity::mails::{Column, Entity};
use crate::query::row::row;
use crate::query::statement::{Texts, statements};
use crate::query::{Query, query, text};
use crate::{Result, Store};

/// A mail to queue.
#[derive(Clone, Debug)]
pub struct NewMail {
    pub id: Uuid,
    pub kind: &'static str,
    /// What its text needs, as JSON.
    pub parameters: String,
    /// When it was asked for; it is due at once.
    pub created_at: DateTime<Utc>,
    /// When it is given up.
    pub expires_at: DateTime<Utc>,
}

row! {
    /// A mail that is this server's to send.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct ClaimedMail {
        pub id: Uuid = "id",
        pub kind: String = "kind",
        /// `None` if it is not known whom it concerns, or the account is deleted.
        pub account_id: Option<Uuid> = "account_id",
        pub address: String = "address",
        /// What its text needs, as JSON.
        pub parameters: String = "parameters",
        pub created_at: DateTime<Utc> = "created_at",
        pub expires_at: DateTime<Utc> = "expires_at",
        /// The number of this attempt, from 1.
        pub attempts: i64 = "attempts",
    }
}

row! {
    /// A personal access token that expires soon.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct ExpiringToken {
        pub id: Uuid = "t.id",
        pub account_id: Uuid = "t.account_id",
        pub name: String = "t.name",
        pub expires_at: DateTime<Utc> = "t.expires_at",
    }
}

macro_rules! claim {
    ($lock:literal) => {
        text!(
            "UPDATE mails SET attempts = attempts + 1, next_at = $2 WHERE id IN \
             (SELECT id FROM mails WHERE next_at <= $1 ORDER BY next_at LIMIT $3",
            $lock,
            ") RETURNING ",
            ClaimedMail::COLUMNS
        )
    };
}

statements! {
    const INSERT = insert([
        Column::Id,
        Column::Kind,
        Column::AccountId,
        Column::Address,
        Column::Parameters,
        Column::CreatedAt,
        Column::ExpiresAt,
        Column::NextAt,
        Column::Attempts,
    ]);

    const ADDRESS = mail_addresses::Entity::find()
        .select_only()
        .column(mail_addresses::Column::Address)
        .filter(mail_addresses::Column::AccountId.eq(p(1)));

    const IS_ANY_DUE = "SELECT 1 FROM mails WHERE next_at <= $1 LIMIT 1";

    const CLAIM = Texts::for_engines(claim!(""), claim!(" FOR NO KEY UPDATE SKIP LOCKED"));

    const DONE = Entity::delete_many().filter(Column::Id.eq(p(1))).filter(Column::Attempts.eq(p(2)));

    const RETRY = Entity::update_many()
        .col_expr(Column::NextAt, p(3))
        .filter(Column::Id.eq(p(1)))
        .filter(Column::Attempts.eq(p(2)));

    const WAITING = Entity::find().select_count();

    /// The reset links that were asked for with the account's address have no account yet.
    const FORGET = "DELETE FROM mails WHERE account_id = $1 \
         OR lower(address) = (SELECT folded FROM mail_addresses WHERE account_id = $1)";

    const EXPIRING = text!(
        "SELECT ",
        ExpiringToken::COLUMNS,
        " FROM personal_tokens t JOIN mail_addresses m ON m.account_id = t.account_id \
         WHERE t.expires_at > $1 AND t.expires_at <= $2 AND t.expires_at - t.created_at > $3 \
         AND t.expiry_noted_at IS NULL ORDER BY t.expires_at LIMIT $4"
    );

    const NOTE_EXPIRY = "UPDATE personal_tokens SET expiry_noted_at = $2 WHERE id = $1 AND expiry_noted_at IS NULL";
}

impl NewMail {
    fn insert(&self, account: Option<Uuid>, address: &str) -> Query {
        let Self { id, kind, parameters, created_at, expires_at } = self;
        query!(INSERT, *id, *kind, account, address, parameters, *created_at, *expires_at, *created_at, 0_i64)
    }
}

impl Store {
    /// Queues a mail to an address, without knowing whose it is.
    pub async fn mail_queue(&self, mail: &NewMail, address: &str) -> Result<()> {
        self.execute(mail.insert(None, address)).await.map(|_| ())
    }

    /// Queues a mail to the verified address of an account; `false` if it has none.
    pub async fn mail_queue_to(&self, mail: NewMail, account: Uuid) -> Result<bool> {
        self.transaction((mail, account), |(mail, account), transaction| {
            Box::pin(async move {
                let is_queued = transaction.queue_to(mail, *account).await?;
                Ok(if is_queued { End::Commit(true) } else { End::Rollback(false) })
            })
        })
        .await
    }

    /// Claims at most `most` mails that are due, until `until`.
    pub async fn mails_claim(&self, most: usize, now: DateTime<Utc>, until: DateTime<Utc>) -> Result<Vec<ClaimedMail>> {
        // Most of the time none is, and a read costs less than a write that changes nothing.
        if !self.exists(&query!(IS_ANY_DUE, now)).await? {
            return Ok(Vec::new());
        }
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        self.transaction(query!(CLAIM, now, until, most), |claim, transaction| {
            Box::pin(async move { Ok(End::Commit(transaction.fetch_all(claim).await?)) })
        })
        .await
    }

    /// Deletes a claimed mail, which was sent or is given up. `false` if it was claimed again meanwhile, or is deleted.
    pub async fn mail_done(&self, mail: &ClaimedMail) -> Result<bool> {
        Ok(self.execute(query!(DONE, mail.id, mail.attempts)).await? == 1)
    }

    /// Makes a claimed mail due at another time. `false` if it was claimed again meanwhile, or is deleted.
    pub async fn mail_retry(&self, mail: &ClaimedMail, next_at: DateTime<Utc>) -> Result<bool> {
        Ok(self.execute(query!(RETRY, mail.id, mail.attempts, next_at)).await? == 1)
    }

    /// The number of mails that are not sent yet.
    pub async fn mails_waiting(&self) -> Result<i64> {
        Ok(self.fetch_optional(&query!(WAITING)).await?.unwrap_or_default())
    }

    /// Personal access tokens that expire until `by`, were made to last longer than until then from now, and whose owners
    /// have an address and were not told yet; at most `limit`, the first to expire first.
    pub async fn expiring_tokens(
        &self,
        now: DateTime<Utc>,
        by: DateTime<Utc>,
        limit: i64,
    ) -> Result<Vec<ExpiringToken>> {
        let least = (by - now).num_milliseconds();
        self.fetch_all_long(query!(EXPIRING, now, by, least, limit)).await
    }

    /// Queues the mail that says that a token expires, once. `false` if it was queued before, or the token is gone.
    pub async fn expiring_token_note(&self, token: &ExpiringToken, mail: NewMail) -> Result<bool> {
        let input = (query!(NOTE_EXPIRY, token.id, mail.created_at), mail, token.account_id);
        self.transaction(input, |(note, mail, account), transaction| {
            Box::pin(async move {
                if transaction.execute(note).await? != 1 || !transaction.queue_to(mail, *account).await? {
                    return Ok(End::Rollback(false));
                }
                Ok(End::Commit(true))
            })
        })
        .await
    }
}

impl Transaction {
    /// Queues a mail to the verified address of an account; `false` if it has none.
    async fn queue_to(&mut self, mail: &NewMail, account: Uuid) -> Result<bool> {
        let Some(address) = self.fetch_optional::<String>(&query!(ADDRESS, account)).await? else { return Ok(false) };
        self.execute(&mail.insert(Some(account), &address)).await?;
        Ok(true)
    }

    /// Deletes the addresses and the queued mails of an account that is being deleted, and queues a last mail to its
    /// address.
    pub(crate) async fn end_mail(&mut self, account: Uuid, last: Option<&NewMail>) -> Result<()> {
        let address: Option<String> = self.fetch_optional(&query!(ADDRESS, account)).await?;
        self.execute(&query!(FORGET, account)).await?;
        self.forget_addresses(account).await?;
        if let (Some(last), Some(address)) = (last, address) {
            self.execute(&last.insert(None, &address)).await?;
        }
        Ok(())
    }
}
