//! Accounts.
//!
//! Callers fold names and hash passwords.

use chrono::{DateTime, Utc};
use itinerary_model::Plan;
use uuid::Uuid;

use crate::engine::transaction::{End, Transaction};
use crate::entity::accounts::{self, Column};
use crate::entity::{codes, former_usernames, grants, identities, sessions};
use crate::query::row::row;
use crate::query::statement::statements;
use crate::query::{Query, query};
use crate::sign_up_invitations::USE;
use crate::{Hash, Result, Store};

/// Stands in place of the password's hash in an account without a password. No password matches it.
pub const NO_PASSWORD: &str = "!";

row! {
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Account {
        pub id: Uuid = accounts::Column::Id,
        /// As the traveller spelt it.
        pub username: String = accounts::Column::Username,
        /// The key for uniqueness.
        pub username_folded: String = accounts::Column::UsernameFolded,
        pub display_name: String = accounts::Column::DisplayName,
        /// A PHC string.
        pub password_hash: String = accounts::Column::PasswordHash,
        pub plan: Plan = accounts::Column::Plan,
        pub image_url: Option<String> = accounts::Column::ImageUrl,
        /// A place, as JSON.
        pub home_place: Option<String> = accounts::Column::HomePlace,
        pub created_at: DateTime<Utc> = accounts::Column::CreatedAt,
        pub suspended_at: Option<DateTime<Utc>> = accounts::Column::SuspendedAt,
        /// Set while the account is a moderator's.
        pub moderator_since: Option<DateTime<Utc>> = accounts::Column::ModeratorSince,
    }
}

#[derive(Clone, Debug)]
pub struct NewAccount {
    pub id: Uuid,
    pub username: String,
    pub username_folded: String,
    pub display_name: String,
    /// A PHC string.
    pub password_hash: String,
    pub plan: Plan,
    pub created_at: DateTime<Utc>,
}

/// A change of a username.
#[derive(Clone, Debug)]
pub struct AccountRename {
    pub id: Uuid,
    /// The new username, folded.
    pub username: String,
    /// The code of the new username, under which it may be reserved.
    pub username_code: String,
    /// The code of the former username, under which it becomes reserved.
    pub former_code: String,
    /// The end of that reservation.
    pub former_free_at: DateTime<Utc>,
}

/// An identity at an OpenID Connect provider that is about to be linked to an account.
#[derive(Clone, Debug)]
pub struct NewIdentity {
    pub issuer: String,
    /// Identifies the person among all of the issuer.
    pub subject: String,
    /// The provider's name.
    pub provider: String,
    pub linked_at: DateTime<Utc>,
}

impl NewIdentity {
    /// Does nothing if the identity is linked to any account.
    pub(crate) fn insert(&self, account: Uuid) -> Query {
        let Self { issuer, subject, provider, linked_at } = self;
        query!(LINK, issuer, subject, account, provider, *linked_at)
    }
}

/// The outcome of creating an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccountCreation {
    Created,
    UsernameTaken,
    /// The identity is linked to another account.
    IdentityTaken,
    /// The invitation is unknown, used, revoked or expired.
    NotInvited,
}

/// The fields that travellers change themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountColumns {
    pub display_name: String,
    pub image_url: Option<String>,
    /// A place, as JSON.
    pub home_place: Option<String>,
}

statements! {
    const ACCOUNT = accounts::Entity::find()
        .select_row::<Account>()
        .filter(Column::Id.eq(p(1)))
        .filter(Column::DeletedAt.is_null());

    /// Whether an account exists and is neither deleted nor suspended.
    pub(crate) const IS_ACTIVE = accounts::Entity::find()
        .select_found()
        .filter(Column::Id.eq(p(1)))
        .filter(Column::DeletedAt.is_null())
        .filter(Column::SuspendedAt.is_null());

    const BY_USERNAME = accounts::Entity::find().select_row::<Account>().filter(Column::UsernameFolded.eq(p(1)));

    const ALL = accounts::Entity::find()
        .select_row::<Account>()
        .filter(Column::DeletedAt.is_null())
        .order_by_asc(Column::UsernameFolded);

    const INSERT = insert([
        Column::Id,
        Column::Username,
        Column::UsernameFolded,
        Column::DisplayName,
        Column::PasswordHash,
        Column::Plan,
        Column::CreatedAt,
    ])
    .or_nothing([Column::UsernameFolded]);

    const IS_RESERVED = former_usernames::Entity::find()
        .select_found()
        .filter(former_usernames::Column::Code.eq(p(1)))
        .filter(former_usernames::Column::FreeAt.gt(p(2)));

    pub(crate) const RESERVE = insert([former_usernames::Column::Code, former_usernames::Column::FreeAt])
        .or_update([former_usernames::Column::Code], [former_usernames::Column::FreeAt]);

    const FREE = former_usernames::Entity::delete_many().filter(former_usernames::Column::Code.eq(p(1)));

    const RENAME = "UPDATE accounts SET username = $2, username_folded = $2 WHERE id = $1 AND deleted_at IS NULL \
         AND NOT EXISTS (SELECT 1 FROM accounts WHERE username_folded = $2)";

    const LINK = insert([
        identities::Column::Issuer,
        identities::Column::Subject,
        identities::Column::AccountId,
        identities::Column::Provider,
        identities::Column::LinkedAt,
    ])
    .or_nothing([identities::Column::Issuer, identities::Column::Subject]);

    const UNLINK_ALL =
        identities::Entity::delete_many().filter(identities::Column::AccountId.eq(p(1)));

    const SET_PLAN = accounts::Entity::update_many()
        .col_expr(Column::Plan, p(2))
        .filter(Column::UsernameFolded.eq(p(1)));

    const UPDATE = accounts::Entity::update_many()
        .col_expr(Column::DisplayName, p(1))
        .col_expr(Column::ImageUrl, p(2))
        .col_expr(Column::HomePlace, p(3))
        .filter(Column::Id.eq(p(4)))
        .filter(Column::DisplayName.eq(p(5)))
        .filter(Column::ImageUrl.is_not_distinct_from(p(6)))
        .filter(Column::HomePlace.is_not_distinct_from(p(7)));

    const SET_PASSWORD = accounts::Entity::update_many()
        .col_expr(Column::PasswordHash, p(2))
        .filter(Column::UsernameFolded.eq(p(1)))
        .into_query()
        .returning_col(Column::Id);

    pub(crate) const SET_PASSWORD_OF = accounts::Entity::update_many()
        .col_expr(Column::PasswordHash, p(2))
        .filter(Column::Id.eq(p(1)))
        .filter(Column::DeletedAt.is_null());

    const CHANGE_PASSWORD = accounts::Entity::update_many()
        .col_expr(Column::PasswordHash, p(3))
        .filter(Column::Id.eq(p(1)))
        .filter(Column::PasswordHash.eq(p(2)))
        .filter(Column::DeletedAt.is_null());

    pub(crate) const END_SESSIONS = sessions::Entity::delete_many().filter(sessions::Column::AccountId.eq(p(1)));

    const END_CODES = codes::Entity::delete_many()
        .filter(codes::Column::AccountId.eq(p(1)))
        .filter(codes::Column::UsedAt.is_null());

    const END_GRANTS = grants::Entity::update_many()
        .col_expr(grants::Column::RevokedAt, p(2))
        .filter(grants::Column::AccountId.eq(p(1)))
        .filter(grants::Column::RevokedAt.is_null());
}

impl NewAccount {
    fn insert(&self) -> Query {
        let Self { id, username, username_folded, display_name, password_hash, plan, created_at } = self;
        query!(INSERT, *id, username, username_folded, display_name, password_hash, *plan, *created_at)
    }
}

impl Store {
    /// Creates an account; `false` if the username is taken. Ignores reservations of usernames.
    pub async fn account_insert(&self, account: &NewAccount) -> Result<bool> {
        Ok(self.execute(account.insert()).await? == 1)
    }

    /// Creates an account. The username is taken, too, if `username_code` is reserved since another account was deleted.
    /// An invitation, if one is needed, is used up by the account. An identity, if one is given, is linked to it.
    pub async fn account_create(
        &self,
        account: &NewAccount,
        username_code: &str,
        invitation: Option<&Hash>,
        identity: Option<&NewIdentity>,
    ) -> Result<AccountCreation> {
        let reserved = query!(IS_RESERVED, username_code, account.created_at);
        let invited = invitation.map(|hash| query!(USE, hash, account.created_at));
        let linked = identity.map(|identity| identity.insert(account.id));
        let input = (account.insert(), reserved, invited, linked);
        self.transaction(input, |(insert, reserved, invited, linked), transaction| {
            Box::pin(async move {
                // First, so that nobody learns without an invitation which usernames are taken.
                if let Some(invited) = invited
                    && transaction.execute(invited).await? != 1
                {
                    return Ok(End::Rollback(AccountCreation::NotInvited));
                }
                // After the insert, because the insert waits for a concurrent deletion of the account with this name.
                if transaction.execute(insert).await? != 1 || transaction.exists(reserved).await? {
                    return Ok(End::Rollback(AccountCreation::UsernameTaken));
                }
                if let Some(linked) = linked
                    && transaction.execute(linked).await? != 1
                {
                    return Ok(End::Rollback(AccountCreation::IdentityTaken));
                }
                Ok(End::Commit(AccountCreation::Created))
            })
        })
        .await
    }

    pub async fn account_by_username(&self, username_folded: &str) -> Result<Option<Account>> {
        self.fetch_optional(&query!(BY_USERNAME, username_folded)).await
    }

    pub async fn account(&self, id: Uuid) -> Result<Option<Account>> {
        self.fetch_optional(&query!(ACCOUNT, id)).await
    }

    pub async fn account_list(&self) -> Result<Vec<Account>> {
        self.fetch_all_long(query!(ALL)).await
    }

    /// Sets an account's plan; `false` if the account does not exist.
    pub async fn account_set_plan(&self, username_folded: &str, plan: Plan) -> Result<bool> {
        Ok(self.execute(query!(SET_PLAN, username_folded, plan)).await? == 1)
    }

    /// Changes an account's username to another one, given in its folded form. Reserves the former one, and ends a
    /// reservation of the new one. `false` if the new one is taken or the account does not exist.
    pub async fn account_rename(&self, rename: &AccountRename) -> Result<bool> {
        self.transaction(rename.clone(), |rename, transaction| {
            Box::pin(async move {
                let AccountRename { id, username, username_code, former_code, former_free_at } = rename;
                if transaction.execute(&query!(RENAME, *id, username)).await? != 1 {
                    return Ok(End::Rollback(false));
                }
                transaction.execute(&query!(FREE, username_code)).await?;
                transaction.execute(&query!(RESERVE, former_code, *former_free_at)).await?;
                Ok(End::Commit(true))
            })
        })
        .await
    }

    /// Compare-and-set of the profile; `false` if it has been changed since, or the account does not exist.
    pub async fn account_update(&self, id: Uuid, from: &AccountColumns, to: &AccountColumns) -> Result<bool> {
        let update = query!(
            UPDATE,
            &to.display_name,
            to.image_url.as_deref(),
            to.home_place.as_deref(),
            id,
            &from.display_name,
            from.image_url.as_deref(),
            from.home_place.as_deref(),
        );
        Ok(self.execute(update).await? == 1)
    }

    /// Sets an account's password, ends its sessions, personal access tokens and the address of its calendar, revokes its
    /// grants and deletes its unredeemed codes. `false` if the account does not exist.
    pub async fn account_set_password(
        &self,
        username_folded: &str,
        password_hash: &str,
        now: DateTime<Utc>,
    ) -> Result<bool> {
        let update = query!(SET_PASSWORD, username_folded, password_hash);
        self.transaction((update, now), |(update, now), transaction| {
            Box::pin(async move {
                let Some(id) = transaction.fetch_optional::<Uuid>(update).await? else {
                    return Ok(End::Rollback(false));
                };
                transaction.end_password_reset(id).await?;
                transaction.end_sessions(id).await?;
                transaction.end_grants(id, *now).await?;
                transaction.end_calendar(id).await?;
                Ok(End::Commit(true))
            })
        })
        .await
    }

    /// Changes an account's password if its hash is still `from`, and ends every session; with `end_grants` also
    /// unredeemed codes, grants, personal access tokens and the address of its calendar. `false` if the password has been changed since, or the
    /// account does not exist.
    pub async fn account_change_password(
        &self,
        id: Uuid,
        from: &str,
        to: &str,
        end_grants: bool,
        now: DateTime<Utc>,
    ) -> Result<bool> {
        let input = (id, query!(CHANGE_PASSWORD, id, from, to), end_grants, now);
        self.transaction(input, |(id, change, end_grants, now), transaction| {
            Box::pin(async move {
                if transaction.execute(change).await? != 1 {
                    return Ok(End::Rollback(false));
                }
                transaction.end_password_reset(*id).await?;
                transaction.end_sessions(*id).await?;
                if *end_grants {
                    transaction.end_grants(*id, *now).await?;
                    transaction.end_calendar(*id).await?;
                }
                Ok(End::Commit(true))
            })
        })
        .await
    }
}

impl Transaction {
    pub(crate) async fn end_sessions(&mut self, id: Uuid) -> Result<()> {
        self.execute(&query!(END_SESSIONS, id)).await.map(|_| ())
    }

    pub(crate) async fn unlink_identities(&mut self, id: Uuid) -> Result<()> {
        self.execute(&query!(UNLINK_ALL, id)).await.map(|_| ())
    }

    /// Ends the grants of an account, its unredeemed codes and its personal access tokens.
    pub(crate) async fn end_grants(&mut self, id: Uuid, now: DateTime<Utc>) -> Result<()> {
        // Codes before grants: this waits for a concurrent redemption of a code, whose grant is then visible to, and
        // revoked by, the statement below.
        self.execute(&query!(END_CODES, id)).await?;
        self.execute(&query!(END_GRANTS, id, now)).await?;
        self.end_personal_tokens(id).await
    }
}
