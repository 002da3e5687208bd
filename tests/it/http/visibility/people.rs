//! The people of the matrix, and what each is to every itinerary of the owner's.

use itinerary_api::policy::Scope;
use itinerary_core::clock::Clock;
use itinerary_store::{FollowOutcome, Mark, MemberOutcome, Quotas};
use uuid::Uuid;

use crate::http::create;
use crate::support::World;

/// The visibilities, in the order of the columns.
pub(super) const VISIBILITIES: [&str; 4] = ["private", "followers", "unlisted", "public"];

/// What someone is to an itinerary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// It is their own.
    Owner,
    /// A member who may change it. Follows nobody.
    Editor,
    /// A member who may read it. Follows nobody.
    Viewer,
    /// Follows the owner, and is no member.
    Follower,
    /// Neither: someone who is signed in, whom the owner follows, and who follows somebody else.
    Stranger,
}

impl Role {
    /// All of them, in the order of the snapshot's lines.
    pub(super) const ALL: [Self; 5] = [Self::Owner, Self::Editor, Self::Viewer, Self::Follower, Self::Stranger];

    /// Its name in the snapshot, and the person's; a member's is the one in the database.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Owner => "owner",
            Self::Editor => "editor",
            Self::Viewer => "viewer",
            Self::Follower => "follower",
            Self::Stranger => "stranger",
        }
    }

    /// Owner or member: what the itinerary's visibility says is about the others.
    pub(super) fn belongs(self) -> bool {
        matches!(self, Self::Owner | Self::Editor | Self::Viewer)
    }
}

/// Someone with a role. They have Pro, and a token with every scope.
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

    /// Marks an itinerary, whether they may or not: they may have when it was another's to see.
    pub(super) async fn mark(&self, world: &World, itinerary: &str, mark: Mark) {
        let id = itinerary.parse().expect("an id");
        let marked = world.service().store.mark_set(id, self.account, mark, world.clock.now()).await;
        assert!(marked.expect("a database").is_some(), "{} marks {itinerary}", self.role.name());
    }
}

/// All of them.
pub(super) struct People {
    /// One for each role, in its order.
    pub(super) all: Vec<Person>,
    /// Somebody else, of whose itineraries the owner has copies.
    pub(super) source: Person,
}

impl People {
    /// Makes their accounts and what is between them. The two who are no members are members of another.
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
        join(world, another["id"].as_str().expect("an id"), [(follower, "editor"), (stranger, "editor")]).await;
        people
    }

    /// The one of a role.
    pub(super) fn of(&self, role: Role) -> &Person {
        self.all.iter().find(|person| person.role == role).expect("someone for each role")
    }

    /// The owner.
    pub(super) fn owner(&self) -> &Person {
        self.of(Role::Owner)
    }

    /// Makes the members members of an itinerary.
    pub(super) async fn join(&self, world: &World, itinerary: &str) {
        let members = [Role::Editor, Role::Viewer].map(|role| (self.of(role), role.name()));
        join(world, itinerary, members).await;
    }
}

async fn follow(world: &World, reader: &Person, author: &Person) {
    let outcome = world.service().store.follow_set(reader.account, author.account, world.clock.now()).await;
    assert_eq!(outcome.expect("a database"), FollowOutcome::Following);
}

async fn join(world: &World, itinerary: &str, members: [(&Person, &str); 2]) {
    // More than an owner may give to those who do not follow them.
    let quotas = Quotas { unsolicited_memberships: i64::MAX, ..Quotas::default() };
    let (store, id) = (world.service().store.clone().with_quotas(quotas), itinerary.parse().expect("an id"));
    for (member, role) in members {
        let joined = store.member_set(id, member.account, role, world.clock.now()).await.expect("a database");
        assert!(matches!(joined, MemberOutcome::Set(_)), "{joined:?}");
    }
}
