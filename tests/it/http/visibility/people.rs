//! The people of the matrix and their relation to the owner's itineraries.

use itinerary_api::policy::Scope;
use itinerary_core::clock::Clock;
use itinerary_model::MemberRole;
use itinerary_store::{FollowOutcome, Mark, MemberOutcome, Quotas};
use itinerary_tests::World;
use uuid::Uuid;

use crate::http::create;

/// The visibilities, in the order of the columns.
pub(super) const VISIBILITIES: [&str; 4] = ["private", "followers", "unlisted", "public"];

/// A person's relation to an itinerary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Owner,
    /// May change it. Follows nobody.
    Editor,
    /// May read it. Follows nobody.
    Viewer,
    /// Follows the owner and is not a member.
    Follower,
    /// Neither: a person whom the owner follows, and who follows somebody else.
    Stranger,
}

impl Role {
    pub(super) const ALL: [Self; 5] = [Self::Owner, Self::Editor, Self::Viewer, Self::Follower, Self::Stranger];

    /// The name in the snapshot and of the person.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Owner => "owner",
            Self::Editor => "editor",
            Self::Viewer => "viewer",
            Self::Follower => "follower",
            Self::Stranger => "stranger",
        }
    }

    /// Whether this is the owner or a member, for whom the visibility does not matter.
    pub(super) fn belongs(self) -> bool {
        matches!(self, Self::Owner | Self::Editor | Self::Viewer)
    }
}

/// A person with Pro and a token with every scope.
pub(super) struct Person {
    pub(super) role: Role,
    pub(super) account: Uuid,
    pub(super) token: String,
}

impl Person {
    async fn come(world: &World, name: &str, role: Role) -> Self {
        let account = world.pro_account(name).await;
        let token = world.token(name, &Scope::ALL.map(Scope::as_str).join(" ")).await;
        Self { role, account, token }
    }

    /// Marks an itinerary, even if the person may not: the mark may be from a time when they might.
    pub(super) async fn mark(&self, world: &World, itinerary: &str, mark: Mark) {
        let id = itinerary.parse().expect("an id");
        let marked = world.service().store.mark_set(id, self.account, mark, world.clock.now()).await;
        assert!(marked.expect("a database").is_some(), "{} marks {itinerary}", self.role.name());
    }
}

pub(super) struct People {
    /// One for each role, in order.
    pub(super) all: Vec<Person>,
    /// Owns the itineraries that the owner has copies of.
    pub(super) source: Person,
}

impl People {
    /// Creates their accounts and relations. The two who are not members belong to another itinerary.
    pub(super) async fn come(world: &World) -> Self {
        let mut all = Vec::new();
        for role in Role::ALL {
            all.push(Person::come(world, role.name(), role).await);
        }
        let people = Self { all, source: Person::come(world, "source", Role::Stranger).await };
        let (follower, stranger, owner) = (people.of(Role::Follower), people.of(Role::Stranger), people.owner());
        follow(world, follower, owner).await;
        follow(world, owner, stranger).await;
        follow(world, stranger, &people.source).await;
        let another = create(world, &owner.token).await.json();
        join(
            world,
            another["id"].as_str().expect("an id"),
            [(follower, MemberRole::Editor), (stranger, MemberRole::Editor)],
        )
        .await;
        people
    }

    pub(super) fn of(&self, role: Role) -> &Person {
        self.all.iter().find(|person| person.role == role).expect("someone for each role")
    }

    pub(super) fn owner(&self) -> &Person {
        self.of(Role::Owner)
    }

    /// Makes editor and viewer members of an itinerary.
    pub(super) async fn join(&self, world: &World, itinerary: &str) {
        let members = [(self.of(Role::Editor), MemberRole::Editor), (self.of(Role::Viewer), MemberRole::Viewer)];
        join(world, itinerary, members).await;
    }
}

async fn follow(world: &World, reader: &Person, author: &Person) {
    let outcome = world.service().store.follow_set(reader.account, author.account, world.clock.now()).await;
    assert_eq!(outcome.expect("a database"), FollowOutcome::Following);
}

async fn join(world: &World, itinerary: &str, members: [(&Person, MemberRole); 2]) {
    // Ignores the quota of invitations.
    let quotas = Quotas { invitations: i64::MAX, ..Quotas::default() };
    let (store, id) = (world.service().store.clone().with_quotas(quotas), itinerary.parse().expect("an id"));
    for (member, role) in members {
        let joined = store.member_set(id, member.account, role, world.clock.now()).await.expect("a database");
        assert!(matches!(joined, MemberOutcome::Set(_)), "{joined:?}");
        let accepted = store.invitation_accept(id, member.account, world.clock.now()).await.expect("a database");
        assert!(accepted.is_some());
    }
}
