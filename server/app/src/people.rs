//! People: the caller's account, other profiles, and following.

use chrono::{DateTime, Utc};
use itinerary_api::read::FieldError;
use itinerary_api::request_state::Caller;
use itinerary_api::types::{self, AccountPatch, PageQuery, Place, Profile};
use itinerary_api::values::Timestamp;
use itinerary_core::profile;
use itinerary_model::Plan;
use itinerary_platform::context::Service;
pub use itinerary_store::FollowSide as Side;
use itinerary_store::{Account, AccountColumns, FollowOutcome, ProfileRow};
use uuid::Uuid;

use super::page::Paging;
use super::{Error, Quota, Result, backoff};
use crate::accounts::{folded, is_username};

/// How often a change of the caller's account is attempted if concurrent changes win.
const ATTEMPTS: u32 = 64;

pub async fn own(service: &Service, caller: &Caller) -> Result<types::Account> {
    shown(service.store.account(caller.account).await?.ok_or(Error::NotFound)?, caller)
}

/// Changes the caller's account. Concurrent changes are retried; none is lost.
pub async fn change_own(service: &Service, caller: &Caller, patch: AccountPatch) -> Result<types::Account> {
    for number in 1..=ATTEMPTS {
        let mut account = service.store.account(caller.account).await?.ok_or(Error::NotFound)?;
        let before = columns(&account);
        let mut profile = profile::OwnProfile {
            display_name: account.display_name,
            image_url: account.image_url,
            home_place: place(account.home_place.as_deref())?,
        };
        profile.merge(patch.clone())?;
        account.home_place =
            profile.home_place.map(|place| serde_json::to_string(&place).expect("a place is plain data"));
        (account.display_name, account.image_url) = (profile.display_name, profile.image_url);
        if service.store.account_update(caller.account, &before, &columns(&account)).await? {
            return shown(account, caller);
        }
        backoff(service, number).await;
    }
    Err(Error::Conflict("The account was changed concurrently too often. Try again."))
}

fn columns(account: &Account) -> AccountColumns {
    AccountColumns {
        display_name: account.display_name.clone(),
        image_url: account.image_url.clone(),
        home_place: account.home_place.clone(),
    }
}

fn place(json: Option<&str>) -> Result<Option<Place>> {
    json.map(serde_json::from_str).transpose().map_err(|error| Error::Corrupt(error.to_string()))
}

fn shown(account: Account, caller: &Caller) -> Result<types::Account> {
    let home_place = place(account.home_place.as_deref())?;
    Ok(types::Account {
        account_id: account.id,
        username: account.username,
        display_name: account.display_name,
        image_url: account.image_url,
        is_pro: account.plan == Plan::Pro,
        plan: account.plan,
        home_place,
        scopes: caller.scopes.iter().map(|scope| scope.to_string()).collect(),
        created_at: Timestamp(account.created_at),
    })
}

pub async fn view(service: &Service, caller: &Caller, account: Uuid) -> Result<Profile> {
    let mut found = service.store.lagging_for(caller.account, None).await?.profile(account, caller.account).await?;
    if found.is_none() && service.store.has_replicas() {
        found = service.store.profile(account, caller.account).await?;
    }
    found.map(profile_of).ok_or(Error::NotFound)
}

/// The profile with a username.
pub async fn find(service: &Service, caller: &Caller, username: &str) -> Result<Profile> {
    let username = folded(username);
    if !is_username(&username) {
        return Err(Error::NotFound);
    }
    let store = service.store.lagging_for(caller.account, None).await?;
    let mut found = store.profile_by_username(&username, caller.account).await?;
    if found.is_none() && service.store.has_replicas() {
        found = service.store.profile_by_username(&username, caller.account).await?;
    }
    found.map(profile_of).ok_or(Error::NotFound)
}

/// Rejects an account that does not exist or has blocked the reader.
pub(super) async fn must_be_findable(service: &Service, reader: Uuid, account: Uuid) -> Result<()> {
    service.store.profile(account, reader).await?.map(|_| ()).ok_or(Error::NotFound)
}

pub(super) fn profile_of(row: ProfileRow) -> Profile {
    Profile {
        account_id: row.id,
        username: row.username,
        display_name: row.display_name,
        image_url: row.image_url,
        is_pro: row.plan == Plan::Pro,
        followers_count: row.followers,
        following_count: row.following,
        following: row.followed,
    }
}

pub async fn follow(service: &Service, caller: &Caller, account: Uuid) -> Result<()> {
    if account == caller.account {
        return Err(FieldError::new("accountId", "must not be your own: you cannot follow yourself").into());
    }
    match service.store.follow_set(caller.account, account, service.clock.now()).await? {
        FollowOutcome::Following => Ok(()),
        FollowOutcome::Blocked => Err(Error::Conflict("You have blocked this traveller. Unblock them first.")),
        FollowOutcome::Removed => Err(Error::Forbidden("This traveller has removed you as a follower.")),
        FollowOutcome::Full => Err(Error::OverQuota(Quota::Following(service.store.quotas().following))),
        FollowOutcome::NoAccount => Err(Error::NotFound),
    }
}

pub async fn unfollow(service: &Service, caller: &Caller, account: Uuid) -> Result<()> {
    if service.store.follow_clear(caller.account, account).await? { Ok(()) } else { Err(Error::NotFound) }
}

/// Removes a follower of the caller, who cannot follow again.
pub async fn remove_follower(service: &Service, caller: &Caller, follower: Uuid) -> Result<()> {
    // From now on the follower reads lists from the database: a replica may still show them what is for followers.
    service.store.write_noted(follower).await?;
    let removed = service.store.follower_remove(caller.account, follower, service.clock.now()).await?;
    if removed { Ok(()) } else { Err(Error::NotFound) }
}

/// One page of the followers of an account, or of those whom it follows.
pub async fn list(
    service: &Service,
    caller: &Caller,
    account: Uuid,
    side: Side,
    query: PageQuery,
) -> Result<types::Page<Profile>> {
    let operation = match side {
        Side::Followers => "follower_list",
        Side::Following => "following_list",
    };
    let mut paging = Paging::new(service, format!("{operation} {} {account}", caller.account), query.limit);
    let (reader, wanted, cursor) = (caller.account, paging.wanted(), query.cursor.as_deref());
    let (store, after) = if account == reader {
        (service.store.clone(), paging.after(cursor)?)
    } else {
        paging.lagging::<(DateTime<Utc>, Uuid)>(reader, cursor).await?
    };
    let mut rows = store.follows_page(side, account, reader, after, wanted).await?;
    if rows.is_empty() {
        must_be_findable(service, reader, account).await?;
    }
    let next_cursor = paging.cut(&mut rows, |(since, profile)| (*since, profile.id));
    Ok(types::Page { data: rows.into_iter().map(|(_, row)| profile_of(row)).collect(), next_cursor })
}
