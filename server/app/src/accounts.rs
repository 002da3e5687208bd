//! Creates, changes and deletes accounts, and issues access tokens by hand: shared by the pages and the command line.
//!
//! The sign-in page handles sign-in with a password.

use chrono::{DateTime, TimeDelta, Utc};
use itinerary_api::values::limits;
use itinerary_core::ids;
use itinerary_core::legible::is_legible;
use itinerary_core::oauth::scopes::ScopeList;
use itinerary_core::oauth::{ACCESS_LIFETIME, ACCESS_PREFIX};
use itinerary_model::Plan;
use itinerary_platform::context::Service;
use itinerary_platform::passwords::{self, Unacceptable};
use itinerary_store::{
    Account, AccountCreation, AccountDeletion, AccountRename, Client, Hash, NO_PASSWORD, NewAccount, NewGrant,
    NewIdentity, NewToken, StoreError,
};
use uuid::Uuid;

use super::audit::Actor;
use super::mails::{self, Notice};
use super::reports;

/// The client id of tokens that the command line issues. Nobody can sign in to it, because it has no redirect URI.
pub const COMMAND_LINE: &str = "command-line";

/// How long the username of a deleted account stays reserved.
pub const USERNAME_RESERVED: TimeDelta = TimeDelta::days(90);

/// The length of a username, in characters.
const USERNAME: std::ops::RangeInclusive<usize> = 3..=30;

/// Why an account cannot be created or changed, or a token cannot be issued.
#[derive(Debug, thiserror::Error)]
pub enum AccountError {
    #[error("{field}: {message}")]
    Invalid {
        /// `username`, `display_name`, `password` or `scope`.
        field: &'static str,
        /// The explanation for people, a whole sentence.
        message: String,
    },
    /// Another account has the username.
    #[error("the username is taken")]
    Taken,
    /// The invitation with which the account would be created is unknown, used, revoked or expired.
    #[error("the invitation is not valid")]
    NotInvited,
    /// The identity with which the account would be created is linked to another account.
    #[error("the identity is linked to another account")]
    IdentityTaken,
    #[error("account not found")]
    Unknown,
    /// Too many password hashes are being computed.
    #[error("too many people are signing in; try again in a moment")]
    Busy,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A valid new account, whose username may still be taken.
pub struct AccountCandidate {
    username: String,
    display_name: String,
    /// `None` if the traveller signs in by a provider only.
    password: Option<String>,
}

impl AccountCandidate {
    /// Validates the input. Returns every field that is wrong.
    pub fn new(username: &str, display_name: &str, password: &str) -> Result<Self, Vec<AccountError>> {
        let checks = [check_username(username), check_display_name(display_name), check_password(password, username)];
        let errors: Vec<_> = checks.into_iter().filter_map(Result::err).collect();
        if !errors.is_empty() {
            return Err(errors);
        }
        let (username, display_name) = (folded(username), display_name.trim().to_owned());
        Ok(Self { username, display_name, password: Some(password.to_owned()) })
    }

    /// The same for an account without a password.
    pub fn without_password(username: &str, display_name: &str) -> Result<Self, Vec<AccountError>> {
        let checks = [check_username(username), check_display_name(display_name)];
        let errors: Vec<_> = checks.into_iter().filter_map(Result::err).collect();
        if !errors.is_empty() {
            return Err(errors);
        }
        Ok(Self { username: folded(username), display_name: display_name.trim().to_owned(), password: None })
    }
}

/// A username as it is stored and looked up: trimmed and in lower case.
pub fn folded(username: &str) -> String {
    username.trim().to_ascii_lowercase()
}

/// Whether a folded name is a well-formed username, so that it is worth looking up.
pub fn is_username(folded: &str) -> bool {
    let is_known = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_.-".contains(&byte);
    USERNAME.contains(&folded.len())
        && folded.bytes().all(is_known)
        && folded.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric())
}

fn check_username(username: &str) -> Result<(), AccountError> {
    if is_username(&folded(username)) {
        return Ok(());
    }
    invalid(
        "username",
        "Use 3 to 30 letters (a to z), digits, dots, hyphens or underscores, beginning with a letter or digit.",
    )
}

/// Whether an account may have this display name.
pub fn is_display_name(display_name: &str) -> bool {
    check_display_name(display_name).is_ok()
}

fn check_display_name(display_name: &str) -> Result<(), AccountError> {
    let name = display_name.trim();
    if name.is_empty() {
        return invalid("display_name", "Enter the name that others will see.");
    }
    if name.chars().count() > limits::DISPLAY_NAME || !is_legible(name) {
        return invalid("display_name", "Use at most 100 characters, without invisible ones.");
    }
    Ok(())
}

pub(super) fn check_password(password: &str, username: &str) -> Result<(), AccountError> {
    match passwords::check(password, username) {
        Ok(()) => Ok(()),
        Err(Unacceptable::Length) => invalid("password", "Use 8 to 200 characters."),
        Err(Unacceptable::Username) => invalid("password", "Your password must not be your username."),
        Err(Unacceptable::Common) => {
            invalid("password", "Many people use this password, so it would be guessed. Choose another.")
        }
    }
}

fn invalid<T>(field: &'static str, message: &str) -> Result<T, AccountError> {
    Err(AccountError::Invalid { field, message: message.to_owned() })
}

/// Creates an account on the free plan and returns its id. Of several invalid fields, reports the first.
pub async fn create(
    service: &Service,
    username: &str,
    display_name: &str,
    password: &str,
) -> Result<Uuid, AccountError> {
    match AccountCandidate::new(username, display_name, password) {
        Ok(candidate) => create_candidate(service, &candidate, None, None).await,
        Err(mut errors) => Err(errors.swap_remove(0)),
    }
}

/// Creates an account on the free plan and returns its id. If an invitation is given, it is used up; an identity is
/// linked to the account.
pub async fn create_candidate(
    service: &Service,
    candidate: &AccountCandidate,
    invitation: Option<&Hash>,
    identity: Option<&NewIdentity>,
) -> Result<Uuid, AccountError> {
    let password_hash = match &candidate.password {
        Some(password) => {
            let turn = service.hashing.turn().await.ok_or(AccountError::Busy)?;
            turn.hash(password, service.random.bytes()).await
        }
        None => NO_PASSWORD.to_owned(),
    };
    let now = service.clock.now();
    let account = NewAccount {
        id: ids::uuid(now, &*service.random),
        username: candidate.username.clone(),
        username_folded: candidate.username.clone(),
        display_name: candidate.display_name.clone(),
        password_hash,
        plan: Plan::Free,
        created_at: now,
    };
    let code = username_code(service, &account.username_folded);
    match service.store.account_create(&account, &code, invitation, identity).await? {
        AccountCreation::Created => Ok(account.id),
        AccountCreation::UsernameTaken => Err(AccountError::Taken),
        AccountCreation::NotInvited => Err(AccountError::NotInvited),
        AccountCreation::IdentityTaken => Err(AccountError::IdentityTaken),
    }
}

/// Changes an account's username on behalf of the operator, who may give out a reserved one. The former one is reserved
/// for [`USERNAME_RESERVED`], so that nobody can pass for the account. Sessions, tokens and addresses stay valid.
pub async fn rename(service: &Service, username: &str, to: &str) -> Result<(), AccountError> {
    check_username(to)?;
    let (store, to) = (&service.store, folded(to));
    let account = store.account_by_username(&folded(username)).await?.ok_or(AccountError::Unknown)?;
    let rename = AccountRename {
        id: account.id,
        username_code: username_code(service, &to),
        former_code: username_code(service, &account.username_folded),
        former_free_at: service.clock.now() + USERNAME_RESERVED,
        username: to,
    };
    if store.account_rename(&rename).await? { Ok(()) } else { Err(AccountError::Taken) }
}

/// Changes an account's plan. Takes effect with the next request.
pub async fn set_plan(service: &Service, username: &str, plan: Plan) -> Result<(), AccountError> {
    let known = service.store.account_set_plan(&folded(username), plan).await?;
    if known { Ok(()) } else { Err(AccountError::Unknown) }
}

/// Changes a password and ends every session and every connected app of the account.
pub async fn set_password(service: &Service, username: &str, password: &str) -> Result<(), AccountError> {
    check_password(password, username)?;
    let hash = service.hashing.turn().await.ok_or(AccountError::Busy)?.hash(password, service.random.bytes()).await;
    if !service.store.account_set_password(&folded(username), &hash, service.clock.now()).await? {
        return Err(AccountError::Unknown);
    }
    if let Some(account) = service.store.account_by_username(&folded(username)).await? {
        mails::notify(service, account.id, Notice::PasswordChanged).await;
    }
    Ok(())
}

/// Changes the password of an account that was loaded when its old password was checked. Ends every session and, with
/// `end_apps`, every connected app. `Unknown` if the password has changed since.
pub async fn change_password(
    service: &Service,
    account: &Account,
    password: &str,
    end_apps: bool,
) -> Result<(), AccountError> {
    check_password(password, &account.username)?;
    let hash = service.hashing.turn().await.ok_or(AccountError::Busy)?.hash(password, service.random.bytes()).await;
    let now = service.clock.now();
    let store = &service.store;
    if !store.account_change_password(account.id, &account.password_hash, &hash, end_apps, now).await? {
        return Err(AccountError::Unknown);
    }
    mails::notify(service, account.id, Notice::PasswordChanged).await;
    Ok(())
}

/// Deletes an account that was loaded when its password was checked. The account is gone at once; [`erase_deleted`]
/// erases its rows. `false` if the password has changed since.
pub async fn delete(service: &Service, account: &Account) -> Result<bool, StoreError> {
    let now = service.clock.now();
    let deletion = AccountDeletion {
        id: account.id,
        password_hash: account.password_hash.clone(),
        username_code: username_code(service, &account.username_folded),
        username_free_at: now + USERNAME_RESERVED,
        notice: mails::deletion_notice(service, &account.username),
    };
    let deleted = service.store.account_delete(&deletion, now).await?;
    if deleted {
        service.limits.forget(account.id, &account.username_folded).await;
        service.calendars.forget(account.id);
        service.erasing.notify_one();
        service.mail_due.notify_one();
    }
    Ok(deleted)
}

/// Deletes the account with a username, on behalf of its traveller.
pub async fn delete_by_username(service: &Service, username: &str) -> Result<(), AccountError> {
    let account = service.store.account_by_username(&folded(username)).await?.ok_or(AccountError::Unknown)?;
    if delete(service, &account).await? { Ok(()) } else { Err(AccountError::Unknown) }
}

/// A keyed code that identifies a former username. The name is not stored and cannot be guessed without the server's
/// key.
fn username_code(service: &Service, folded: &str) -> String {
    service.key.code("former username", folded)
}

/// Erases the remaining rows of deleted accounts in small batches. Returns the number of batches.
pub async fn erase_deleted(service: &Service) -> Result<u64, super::Error> {
    let (store, mut batches) = (&service.store, 0);
    for account in store.accounts_deleted().await? {
        // Before the account's reports are erased: an itinerary hidden only by them would stay hidden.
        for itinerary in store.account_hides(account).await? {
            reports::resolve(service, itinerary, false, Actor::Server).await?;
        }
        while store.account_erase(account, service.clock.now()).await? {
            batches += 1;
        }
        batches += 1;
    }
    Ok(batches)
}

/// Issues an access token without the traveller's consent. Returns it with its expiry.
pub async fn issue_token(
    service: &Service,
    username: &str,
    scope: &str,
) -> Result<(String, DateTime<Utc>), AccountError> {
    let scopes = ScopeList::requested(Some(scope)).or_else(|error| invalid("scope", &error.description))?.to_string();
    let account = service.store.account_by_username(&folded(username)).await?.ok_or(AccountError::Unknown)?;
    let now = service.clock.now();
    service.store.client_insert(&command_line(now)).await?;
    let token = ids::secret(ACCESS_PREFIX, &*service.random);
    let expires_at = now + ACCESS_LIFETIME;
    let grant = NewGrant {
        id: ids::uuid(now, &*service.random),
        account_id: account.id,
        client_id: COMMAND_LINE.to_owned(),
        scope: scopes.clone(),
        resource: None,
        created_at: now,
    };
    let access = NewToken { hash: ids::hash(&token), scope: scopes, resource: None, created_at: now, expires_at };
    service.store.grant_issue(&grant, &access).await?;
    Ok((token, expires_at))
}

fn command_line(now: DateTime<Utc>) -> Client {
    Client {
        id: COMMAND_LINE.to_owned(),
        secret_hash: None,
        name: "Command line".to_owned(),
        redirect_uris: "[]".to_owned(),
        metadata: "{}".to_owned(),
        auth_method: "none".to_owned(),
        created_at: now,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(username: &str, display_name: &str, password: &str) -> Vec<&'static str> {
        let errors = AccountCandidate::new(username, display_name, password).err().expect("something is wrong");
        errors
            .into_iter()
            .map(|error| match error {
                AccountError::Invalid { field, .. } => field,
                other => panic!("{other}"),
            })
            .collect()
    }

    #[test]
    fn names_are_folded_and_trimmed() {
        let candidate = AccountCandidate::new(" Ana.Silva-7 ", " Ana Silva ", "pass word").expect("good");
        assert_eq!((candidate.username.as_str(), candidate.display_name.as_str()), ("ana.silva-7", "Ana Silva"));
        assert_eq!(candidate.password.as_deref(), Some("pass word"));
    }

    #[test]
    fn usernames_have_3_to_30_plain_characters() {
        for username in ["abc", "0_0", "a..", &"a".repeat(30), "ABC"] {
            assert!(AccountCandidate::new(username, "Ana", "pass word").is_ok(), "{username}");
        }
        // The Kelvin sign becomes k in lower case, so it could impersonate another name.
        for username in ["", "ab", &"a".repeat(31), ".ab", "-ab", "_ab", "a b", "añb", "a@b", "\u{212a}im", "a\0b"] {
            assert_eq!(wrong(username, "Ana", "pass word"), ["username"], "{username:?}");
        }
    }

    #[test]
    fn every_wrong_field_is_named() {
        assert_eq!(wrong("", " ", "1234567"), ["username", "display_name", "password"]);
        assert_eq!(wrong("ana.silva", "Ana", "Ana.Silva"), ["password"]);
        assert_eq!(wrong("ana", "Ana", "12345678"), ["password"]);
        assert_eq!(wrong("ana", &"é".repeat(101), "pass word"), ["display_name"]);
        assert_eq!(wrong("ana", "A\nna", "pass word"), ["display_name"]);
        assert!(AccountCandidate::new("ana", &"é".repeat(100), "pass word").is_ok());
    }
}
