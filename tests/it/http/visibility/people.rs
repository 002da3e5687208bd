//! The people of the matrix, and what each is to every itinerary of the owner's.

use itinerary_api::policy::Scope;
use itinerary_core::clock::Clock;
use itinerary_store::{FollowOutcome, Mark, MemberOutcome};
use uuid::Uuid;

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
    /// Neither: someone who is signed in.
    Stranger,
}

impl Role {
    /// All of them, in the order of the golden file's lines.
    pub(super) const ALL: [Self; 5] = [Self::Owner, Self::Editor, Self::Viewer, Self::Follower, Self::Stranger];

    /// Its name in the golden file, and the person's; a member's is the one in the database.
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
    /// Makes their accounts, and the follower follow.
    pub(super) async fn come(world: &World) -> Self {
        let mut all = Vec::new();
        for role in Role::ALL {
            all.push(Person::come(world, role.name(), role).await);
        }
        let people = Self { all, source: Person::come(world, "source", Role::Stranger).await };
        let (follower, owner) = (people.of(Role::Follower).account, people.owner().account);
        let followed = world.service().store.follow_set(follower, owner, world.clock.now()).await;
        assert_eq!(followed.expect("a database"), FollowOutcome::Following);
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
        let (store, id) = (&world.service().store, itinerary.parse().expect("an id"));
        for member in [Role::Editor, Role::Viewer].map(|role| self.of(role)) {
            let joined = store.member_set(id, member.account, member.role.name(), world.clock.now()).await;
            assert!(matches!(joined.expect("a database"), MemberOutcome::Set(_)));
        }
    }
}
