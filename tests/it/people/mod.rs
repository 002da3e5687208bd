//! Sharing and people: members, visibility, the caller's account, profiles, following, and views.
//!
//! Other areas test Explore, likes, copies and reports, and what all operations share.

mod account_itinerary_list;
mod account_self_update;
mod account_view;
mod audience;
mod block_set;
mod follow_lists;
mod follow_set;
mod hidden;
mod invitation_accept;
mod itinerary_list_shared;
mod member_remove;
mod member_set;
mod quotas;
mod races;
mod trip_list;
mod view_counts;
mod visibility;

use itinerary_model::Plan;
use itinerary_sdk::types::{Member, MemberChange, MemberRole};
use itinerary_sdk::{ApiError, Client, ErrorExt};
use itinerary_store::NewAccount;
use itinerary_tests::app::{App, Stored, ids, path};
use itinerary_tests::bodies::on_day;
use itinerary_tests::{RawResponse, World};
use reqwest::Method;
use serde_json::{Value, json};
use uuid::Uuid;

/// An id that does not exist.
const NOTHING: Uuid = Uuid::from_u128(0x0194_a000_0000_7000_8000_0000_0000_0001);

/// Invalid ids of itineraries and accounts in an address.
const NO_IDS: [&str; 4] =
    ["x", "0194a000000070008000000000000001", "%7B0194a000-0000-7000-8000-000000000001%7D", "0194a000-0000-7000-8000"];

/// A traveller with an SDK client and raw calls.
struct Person<'w> {
    id: Uuid,
    app: App<'w>,
    sdk: Client,
}

impl<'w> Person<'w> {
    /// A traveller on the free plan, created if necessary.
    async fn of(world: &'w World, name: &str) -> Self {
        let app = App::of(world, name).await;
        let account = world.service().store.account_by_username(name).await.expect("a database");
        let sdk = world.client_with(&app.token);
        Self { id: account.expect("a known name").id, app, sdk }
    }

    /// A traveller with Pro.
    async fn pro(world: &'w World, name: &str) -> Self {
        world.pro_account(name).await;
        Self::of(world, name).await
    }

    async fn get(&self, path: &str) -> RawResponse {
        self.app.call(Method::GET, path).send().await
    }

    /// Reads JSON, which must succeed.
    async fn got(&self, path: &str) -> Value {
        let response = self.get(path).await;
        assert_eq!(response.status, 200, "{path}: {}", response.text());
        response.json()
    }

    /// Creates an itinerary that starts on this day of May 2027, with a visibility.
    async fn shows(&self, day: u32, visibility: &str) -> Stored {
        let made = self.app.created(&on_day(day)).await;
        if visibility == "private" { made } else { self.moves(&made, visibility).await }
    }

    /// Changes the visibility of an itinerary.
    async fn moves(&self, at: &Stored, visibility: &str) -> Stored {
        self.app.patched(at, &json!({ "visibility": visibility })).await
    }

    /// Sets a member: makes a follower a member, and invites anyone else.
    async fn share(&self, at: &Stored, with: Uuid, role: MemberRole) -> Result<Member, ApiError> {
        let body = MemberChange { role: role.into() };
        let response = self.sdk.member_set(uuid(&at.id), with, body).send_raw().await?;
        assert_eq!(response.status().as_u16(), 200);
        Ok(response.into_inner())
    }

    /// Makes a member of an own itinerary, who accepts the invitation.
    async fn shares(&self, at: &Stored, with: &Person<'_>, role: MemberRole) -> Member {
        self.share(at, with.id, role).await.expect("it is the owner's");
        with.accepts(at).await
    }

    /// Accepts an invitation.
    async fn accepts(&self, at: &Stored) -> Member {
        self.sdk.invitation_accept(uuid(&at.id)).send().await.expect("an invitation")
    }

    async fn block(&self, whom: Uuid) -> Result<(), ApiError> {
        let response = self.sdk.block_set(whom).send_raw().await?;
        assert_eq!(response.status().as_u16(), 204);
        Ok(())
    }

    /// Removes a member, or leaves.
    async fn unshare(&self, at: &Stored, member: Uuid) -> Result<(), ApiError> {
        let response = self.sdk.member_remove(uuid(&at.id), member).send_raw().await?;
        assert_eq!(response.status().as_u16(), 204);
        Ok(())
    }

    /// The accounts of the members, in order.
    async fn members(&self, at: &Stored) -> Vec<Uuid> {
        let list = self.sdk.member_list(uuid(&at.id)).send().await.expect("it is the owner's");
        list.data.into_iter().map(|member| member.account_id).collect()
    }

    async fn follow(&self, whom: Uuid) -> Result<(), ApiError> {
        let response = self.sdk.follow_set(whom).send_raw().await?;
        assert_eq!(response.status().as_u16(), 204);
        Ok(())
    }

    async fn unfollow(&self, whom: Uuid) -> Result<(), ApiError> {
        let response = self.sdk.follow_clear(whom).send_raw().await?;
        assert_eq!(response.status().as_u16(), 204);
        Ok(())
    }

    async fn remove_follower(&self, whom: Uuid) -> Result<(), ApiError> {
        let response = self.sdk.follower_remove(whom).send_raw().await?;
        assert_eq!(response.status().as_u16(), 204);
        Ok(())
    }

    /// The counts of followers and followed accounts, and whether this traveller follows.
    async fn counts(&self, of: Uuid) -> (i64, i64, bool) {
        let profile = self.sdk.account_view(of).send().await.expect("a known account");
        (profile.followers_count, profile.following_count, profile.following)
    }
}

fn uuid(id: &str) -> Uuid {
    id.parse().expect("a UUID")
}

/// Checks an error of the SDK. Returns the field that it names.
#[track_caller]
fn refused<T>(response: Result<T, ApiError>, status: u16, code: &str) -> Option<String> {
    let Err(error) = response else { panic!("it was done") };
    assert_eq!((error.status().map(|status| status.as_u16()), error.code()), (Some(status), code), "{error}");
    error.field().map(str::to_owned)
}

/// This many travellers with an app each. They have no valid password, because hashing takes time.
async fn crowd<'w>(world: &'w World, prefix: &str, count: usize) -> Vec<Person<'w>> {
    let mut people = Vec::new();
    for n in 0..count {
        let (id, name) = (Uuid::new_v4(), format!("{prefix}{n}"));
        let account = NewAccount {
            id,
            username: name.clone(),
            username_folded: name.clone(),
            display_name: name.clone(),
            password_hash: "none".to_owned(),
            plan: Plan::Free,
            created_at: world.service().clock.now(),
        };
        assert!(world.service().store.account_insert(&account).await.expect("a database"));
        people.push(Person::of(world, &name).await);
    }
    people
}

fn cursor(page: &Value) -> Option<String> {
    let cursor = page.get("nextCursor").expect("a page always says whether there is another");
    cursor.as_str().map(str::to_owned)
}

/// The entries of every page of a list with this page size.
async fn walked(person: &Person<'_>, list: &str, limit: usize) -> Vec<Value> {
    let (mut found, mut next) = (Vec::new(), String::new());
    let joint = if list.contains('?') { '&' } else { '?' };
    loop {
        let page = person.got(&format!("{list}{joint}limit={limit}{next}")).await;
        let entries = page["data"].as_array().expect("a page");
        assert!(entries.len() <= limit);
        found.extend(entries.iter().cloned());
        let Some(cursor) = cursor(&page) else { return found };
        assert_eq!(entries.len(), limit, "only the last page may have room");
        next = format!("&cursor={cursor}");
    }
}

/// The accounts of profiles.
fn accounts(profiles: &[Value]) -> Vec<Uuid> {
    profiles.iter().map(|profile| uuid(profile["accountId"].as_str().expect("an id"))).collect()
}

/// An entry of a page by its id.
fn entry<'p>(page: &'p Value, id: &str) -> Option<&'p Value> {
    page["data"].as_array().expect("a page").iter().find(|entry| entry["id"] == id)
}

/// The address of an account's public resources.
fn account_path(id: Uuid, rest: &str) -> String {
    format!("/v1/accounts/{id}{rest}")
}

/// Forged cursors, made from a real one.
fn altered(cursor: &str) -> Vec<String> {
    let mut other = cursor.to_owned().into_bytes();
    let middle = other.len() / 2;
    other[middle] = if other[middle] == b'A' { b'B' } else { b'A' };
    let other = String::from_utf8(other).expect("plain text");
    vec![other, String::new(), "x".to_owned(), cursor[1..].to_owned(), format!("{cursor}A"), cursor.to_lowercase()]
}
