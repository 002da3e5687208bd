//! A caller and an itinerary for the matrix: the caller's role and tokens.
//!
//! An itinerary is reused until a request changes it; then another is created.

use itinerary_api::policy::Scope;
use itinerary_core::clock::Clock;
use itinerary_model::Plan;
use itinerary_tests::World;
use reqwest::Method;
use serde_json::json;
use uuid::Uuid;

use crate::http::cases::Case;
use crate::http::stored::{Changes, Stored};
use crate::http::{NOTHING, create_whole};

/// The caller's relation to the itinerary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Owner,
    Editor,
    Viewer,
    /// Not a member; the itinerary is public.
    Reader,
    /// Not a member; the itinerary is private.
    Stranger,
    /// The itinerary does not exist.
    Nowhere,
}

impl Role {
    pub(super) const ALL: [Self; 6] =
        [Self::Owner, Self::Editor, Self::Viewer, Self::Reader, Self::Stranger, Self::Nowhere];

    /// The name in the snapshot and in the caller's name. For members, the role's name in the database.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Owner => "owner",
            Self::Editor => "editor",
            Self::Viewer => "viewer",
            Self::Reader => "reader",
            Self::Stranger => "stranger",
            Self::Nowhere => "nowhere",
        }
    }
}

/// The owner of all itineraries that are not the caller's own.
const KEEPER: &str = "keeper";

/// Someone with a role and a plan.
pub(super) struct Caller {
    pub(super) role: Role,
    pub(super) pro: bool,
    pub(super) account: Uuid,
    name: String,
    /// For each scope, a token with only that scope and one with all others.
    tokens: Vec<(Scope, String, String)>,
}

impl Caller {
    /// A caller with an own account for each role and plan.
    pub(super) async fn all(world: &World) -> Vec<Self> {
        world.pro_account(KEEPER).await;
        let mut callers = Vec::new();
        for role in Role::ALL {
            for pro in [false, true] {
                callers.push(Self::new(world, role, pro).await);
            }
        }
        callers
    }

    async fn new(world: &World, role: Role, pro: bool) -> Self {
        let name = format!("{}-{}", role.name(), if pro { "pro" } else { "free" });
        let account = if pro { world.pro_account(&name).await } else { world.account(&name).await };
        let mut tokens = Vec::new();
        for scope in Scope::ALL {
            let others: Vec<&str> = Scope::ALL.iter().filter(|other| **other != scope).map(|s| s.as_str()).collect();
            let alone = world.token(&name, scope.as_str()).await;
            tokens.push((scope, alone, world.token(&name, &others.join(" ")).await));
        }
        Self { role, pro, account, name, tokens }
    }

    /// A token with only this scope, or with all scopes but this.
    pub(super) fn token(&self, scope: Scope, held: bool) -> &str {
        let (_, alone, others) = self.tokens.iter().find(|(of, ..)| *of == scope).expect("tokens for each scope");
        if held { alone } else { others }
    }

    fn owner(&self) -> &str {
        if self.role == Role::Owner { &self.name } else { KEEPER }
    }
}

/// An itinerary for requests.
pub(super) struct Stage {
    pub(super) itinerary: String,
    /// The current ETag, of the second version; `"v1.m"` is outdated.
    pub(super) tag: String,
    account: Uuid,
    before: Stored,
}

impl Stage {
    /// A new itinerary with every part, in which the caller has their role.
    pub(super) async fn set(world: &World, caller: &Caller) -> Self {
        let (itinerary, tag) = match caller.role {
            Role::Nowhere => (NOTHING.to_owned(), "\"v2.mp\"".to_owned()),
            _ => make(world, caller).await,
        };
        let before = Stored::now(world, &itinerary, caller.account).await;
        assert_eq!(before.is_there(), caller.role != Role::Nowhere);
        Self { itinerary, tag, account: caller.account, before }
    }

    /// Gives the caller the mark that a case removes, whether or not they may have it.
    pub(super) async fn prepare(&mut self, world: &World, case: Case) {
        let Some(mark) = case.clears() else { return };
        let (store, id) = (&world.service().store, self.itinerary.parse().expect("an id"));
        store.mark_set(id, self.account, mark, world.clock.now()).await.expect("a database");
        self.before = Stored::now(world, &self.itinerary, self.account).await;
    }

    /// What has changed since.
    pub(super) async fn changes(&self, world: &World) -> Changes {
        self.before.changes(&Stored::now(world, &self.itinerary, self.account).await)
    }
}

/// Creates an itinerary in its second version. Returns id and ETag.
async fn make(world: &World, caller: &Caller) -> (String, String) {
    // Parts that need Pro are created with Pro, whatever the caller's plan will be.
    world.set_plan(caller.owner(), Plan::Pro).await;
    let token = world.token(caller.owner(), "itineraries:read itineraries:write").await;
    let made = create_whole(world, &token).await;
    let visibility = if caller.role == Role::Reader { "public" } else { "private" };
    let change = json!({ "title": "Second version", "visibility": visibility });
    let change = world.call(Method::PATCH, made.header("location")).token(&token).header("If-Match", "*").json(&change);
    let changed = change.send().await;
    assert_eq!(changed.status, 200, "{}", changed.text());
    if caller.role == Role::Owner && !caller.pro {
        world.set_plan(caller.owner(), Plan::Free).await;
    }
    let itinerary = made.json()["id"].as_str().expect("an id").to_owned();
    if matches!(caller.role, Role::Editor | Role::Viewer) {
        world.member(&itinerary, caller.account, caller.role.name()).await;
    }
    (itinerary, changed.header("etag").to_owned())
}
