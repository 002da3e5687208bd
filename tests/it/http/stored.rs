//! The stored state of an itinerary, to see what a request has changed.

use itinerary_store::{ContentRow, ItineraryRow, LinkRow, MarksRow, MemberRow};
use itinerary_tests::World;
use uuid::Uuid;

use super::cases::{Case, Kind, Outcome};

/// Everything that requests can change.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Stored {
    itinerary: Option<(ItineraryRow, ContentRow)>,
    members: Vec<MemberRow>,
    links: Vec<LinkRow>,
    marks: MarksRow,
    reports: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Changes {
    /// The itinerary itself: version, time, visibility, content, or whether it exists.
    pub(super) itinerary: bool,
    /// Rows beside it: members, secret links, the caller's marks and copy, counts, reports.
    pub(super) beside: bool,
}

impl Stored {
    /// The current state, with the account's marks.
    pub(super) async fn now(world: &World, itinerary: &str, account: Uuid) -> Self {
        let (store, id) = (&world.service().store, itinerary.parse().expect("an id"));
        let stored = world.stored(itinerary).await;
        Self {
            // The server counts reads later; likes are beside the itinerary.
            itinerary: stored.map(|(row, content)| (ItineraryRow { views: 0, likes: 0, ..row }, content)),
            links: store.links(id).await.expect("a database"),
            members: store.members(id).await.expect("a database"),
            marks: store.marks(id, account).await.expect("a database"),
            reports: store.report_count().await.expect("a database"),
        }
    }

    /// Whether there is an itinerary.
    pub(super) fn is_there(&self) -> bool {
        self.itinerary.is_some()
    }

    /// The differences in `after`.
    pub(super) fn changes(&self, after: &Self) -> Changes {
        let beside = |stored: &Self| (stored.members.clone(), stored.links.clone(), stored.marks, stored.reports);
        Changes { itinerary: self.itinerary != after.itinerary, beside: beside(self) != beside(after) }
    }
}

impl Changes {
    /// What a request must have changed, and nothing else: rejected requests and reads nothing, changes the itinerary,
    /// others what is beside it. Deleting changes both.
    pub(super) fn expected(case: Case, outcome: &Outcome) -> Self {
        let (done, kind) = (outcome.done(), case.kind());
        let beside = matches!(kind, Kind::Sharing | Kind::Mark) || case.operation() == "itinerary_delete";
        Self { itinerary: done && kind == Kind::Change, beside: done && beside }
    }

    pub(super) fn any(self) -> bool {
        self.itinerary || self.beside
    }
}
