//! The ways into an account: what its traveller can sign in with. A second step is none.

use uuid::Uuid;

use crate::accounts::NO_PASSWORD;
use crate::engine::transaction::Transaction;
use crate::entity::{accounts, identities, passkeys, sessions};
use crate::query::query;
use crate::query::statement::statements;
use crate::{Hash, Result, Store};

/// What this service accepts for signing in.
#[derive(Clone, Debug)]
pub struct WaysIn {
    pub passwords: bool,
    pub passkeys: bool,
    /// The issuers of identities.
    pub issuers: Vec<String>,
}

/// The outcome of removing a way into an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemovalOutcome {
    Removed,
    /// The account has no such thing.
    Unknown,
    /// Nobody could sign in to the account without it.
    LastWayIn,
    /// The session in which it was removed has ended.
    SignedOut,
}

statements! {
    const HAS_PASSWORD = accounts::Entity::find()
        .select_found()
        .filter(accounts::Column::Id.eq(p(1)))
        .filter(accounts::Column::PasswordHash.ne(p(2)))
        .filter(accounts::Column::DeletedAt.is_null());

    const HAS_PASSKEY = passkeys::Entity::find().select_found().filter(passkeys::Column::AccountId.eq(p(1)));

    const HAS_IDENTITY = identities::Entity::find()
        .select_found()
        .filter(identities::Column::AccountId.eq(p(1)))
        .filter(identities::Column::Issuer.eq(p(2)));

    const WITH_PASSKEYS = "SELECT DISTINCT account_id FROM passkeys";

    const WITH_IDENTITIES = "SELECT DISTINCT account_id FROM identities";

    const END_OTHER_SESSIONS = sessions::Entity::delete_many()
        .filter(sessions::Column::AccountId.eq(p(1)))
        .filter(sessions::Column::Hash.ne(p(2)));

    const SIGNED_IN = sessions::Entity::find()
        .select_found()
        .filter(sessions::Column::Hash.eq(p(1)))
        .filter(sessions::Column::AccountId.eq(p(2)));
}

impl Transaction {
    /// Whether the account, which must be locked, can be signed in to.
    pub(crate) async fn has_way_in(&mut self, account: Uuid, ways: &WaysIn) -> Result<bool> {
        if ways.passwords && self.exists(&query!(HAS_PASSWORD, account, NO_PASSWORD)).await? {
            return Ok(true);
        }
        if ways.passkeys && self.exists(&query!(HAS_PASSKEY, account)).await? {
            return Ok(true);
        }
        for issuer in &ways.issuers {
            if self.exists(&query!(HAS_IDENTITY, account, issuer)).await? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether the session has not ended: a new password ends sessions.
    pub(crate) async fn is_signed_in(&mut self, account: Uuid, session: &Hash) -> Result<bool> {
        self.exists(&query!(SIGNED_IN, session, account)).await
    }

    /// Ends all sessions of an account but this one. Whoever signed in by what is not valid any more must not stay.
    pub(crate) async fn end_other_sessions(&mut self, account: Uuid, session: &Hash) -> Result<()> {
        self.execute(&query!(END_OTHER_SESSIONS, account, session)).await.map(|_| ())
    }
}

impl Store {
    /// The accounts that have a passkey, in no order.
    pub async fn accounts_with_passkeys(&self) -> Result<Vec<Uuid>> {
        self.fetch_all_long(query!(WITH_PASSKEYS)).await
    }

    /// The accounts that are linked to an identity at a provider, in no order.
    pub async fn accounts_with_identities(&self) -> Result<Vec<Uuid>> {
        self.fetch_all_long(query!(WITH_IDENTITIES)).await
    }

    /// Ends all sessions of an account but this one.
    pub async fn account_other_sessions_end(&self, account: Uuid, session: &Hash) -> Result<()> {
        self.execute(query!(END_OTHER_SESSIONS, account, session)).await.map(|_| ())
    }
}
