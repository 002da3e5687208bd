//! What the database has of an itinerary: to see what a request has changed, and what not.

use itinerary_store::{ContentRow, ItineraryRow, MarksRow, MemberRow};
use uuid::Uuid;

use super::cases::{Case, Kind, Outcome};
use crate::support::World;

/// All that requests can change.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Stored {
    itinerary: Option<(ItineraryRow, ContentRow)>,
    members: Vec<MemberRow>,
    marks: MarksRow,
    reports: i64,
}

/// What was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Changes {
    /// The itinerary: version, time, who may see it, any part; or it is gone.
    pub(super) itinerary: bool,
    /// What is beside it: members, the caller's marks and copy, how many there are, reports.
    pub(super) beside: bool,
}

impl Stored {
    /// What there is now. The marks are the account's.
    pub(super) async fn now(world: &World, itinerary: &str, account: Uuid) -> Self {
        let (store, id) = (&world.service().store, itinerary.parse().expect("an id"));
        let stored = world.stored(itinerary).await;
        Self {
            // Reads are counted by the server at its leisure; the rest is beside it.
            itinerary: stored.map(|(row, content)| (ItineraryRow { views: 0, likes: 0, ..row }, content)),
            members: store.members(id).await.expect("a database"),
            marks: store.marks(id, account).await.expect("a database"),
            reports: store.report_count().await.expect("a database"),
        }
    }

    /// Whether there is an itinerary.
    pub(super) fn is_there(&self) -> bool {
        self.itinerary.is_some()
    }

    /// What is different in `after`.
    pub(super) fn changes(&self, after: &Self) -> Changes {
        let beside = |stored: &Self| (stored.members.clone(), stored.marks, stored.reports);
        Changes { itinerary: self.itinerary != after.itinerary, beside: beside(self) != beside(after) }
    }
}

impl Changes {
    /// What a request may have changed and must have: a refused one and a read nothing, a change of the itinerary the
    /// itinerary, the others what is beside it. Deleting takes that along.
    pub(super) fn expected(case: Case, outcome: &Outcome) -> Self {
        let (done, kind) = (outcome.done(), case.kind());
        let beside = matches!(kind, Kind::Sharing | Kind::Mark) || case.operation() == "itinerary_delete";
        Self { itinerary: done && kind == Kind::Change, beside: done && beside }
    }

    /// Whether there were any.
    pub(super) fn any(self) -> bool {
        self.itinerary || self.beside
    }
}
