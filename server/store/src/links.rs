//! Secret links of itineraries: pages that need no account.
//!
//! A link is identified by the hash of its secret. Creating one locks the itinerary's row, so that the number of its links
//! is counted correctly and none is created after its deletion. Callers check permissions.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::engine::transaction::End;
use crate::entity::links::{self, Column};
use crate::idempotency::{ClaimQueries, Idempotent};
use crate::itineraries::{BARE_COLUMNS, ContentRow, ItineraryRow};
use crate::query::row::{Columns, FromColumn, FromRow, row};
use crate::query::statement::{Texts, statements};
use crate::query::{ToColumn, query};
use crate::{Claim, Hash, Result, Store, StoreError, StoredResponse};

/// The maximum number of links of an itinerary.
pub const LINKS_PER_ITINERARY: i64 = 20;

/// What a link shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkedSections {
    /// The public section.
    Plan,
    /// Also bookings, which the members' section has.
    Bookings,
}

impl LinkedSections {
    const ALL: [Self; 2] = [Self::Plan, Self::Bookings];

    fn as_str(self) -> &'static str {
        match self {
            Self::Plan => "plan",
            Self::Bookings => "bookings",
        }
    }
}

impl ToColumn for LinkedSections {
    fn to_column(self) -> sea_orm::Value {
        self.as_str().into()
    }
}

impl FromColumn for LinkedSections {
    type Stored = String;

    fn from_column(name: String) -> Result<Self> {
        let sections = Self::ALL.into_iter().find(|sections| sections.as_str() == name);
        sections.ok_or_else(|| StoreError::Corrupt(format!("no link shows {name:?}")))
    }
}

row! {
    /// A link as its owner sees it.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct LinkRow {
        pub id: Uuid = links::Column::Id,
        pub label: String = links::Column::Label,
        pub sections: LinkedSections = links::Column::Sections,
        pub expires_at: Option<DateTime<Utc>> = links::Column::ExpiresAt,
        pub created_at: DateTime<Utc> = links::Column::CreatedAt,
    }
}

/// A link to create.
#[derive(Clone, Debug)]
pub struct NewLink {
    pub id: Uuid,
    pub itinerary_id: Uuid,
    pub label: String,
    /// The hash of the secret.
    pub hash: Hash,
    pub sections: LinkedSections,
    pub expires_at: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkOutcome {
    Created,
    /// Rejected: another link of the itinerary has the label.
    Taken,
    /// Rejected: the itinerary has [`LINKS_PER_ITINERARY`].
    Full,
    /// The itinerary does not exist.
    Gone,
}

/// What a link shows: the sections, the itinerary without its reader, the number of saved copies, and the content of these
/// sections.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkedItinerary {
    pub sections: LinkedSections,
    pub saves: i64,
    pub itinerary: ItineraryRow,
    pub content: ContentRow,
}

/// In the order of the statement's select list.
impl FromRow for LinkedItinerary {
    fn from_row(columns: &mut Columns<'_>) -> Result<Self> {
        Ok(Self {
            sections: columns.take()?,
            saves: columns.take()?,
            itinerary: columns.take()?,
            content: columns.take()?,
        })
    }
}

statements! {
    const LIST = links::Entity::find()
        .select_row::<LinkRow>()
        .filter(Column::ItineraryId.eq(p(1)))
        .order_by_asc(Column::CreatedAt)
        .order_by_asc(Column::Id);

    const HAS_LABEL = links::Entity::find()
        .select_found()
        .filter(Column::ItineraryId.eq(p(1)))
        .filter(Column::Label.eq(p(2)));

    const CREATE = "INSERT INTO links (id, itinerary_id, label, hash, sections, expires_at, created_at) \
         SELECT $1, $2, $3, $4, $5, $6, $7 WHERE (SELECT count(*) FROM links WHERE itinerary_id = $2) < $8";

    const DELETE = links::Entity::delete_many().filter(Column::Id.eq(p(1))).filter(Column::ItineraryId.eq(p(2)));

    /// The link of the hash $1 at the time $2. Reads the content of its sections only.
    const LINKED = {
        let text = format!(
            "SELECT l.sections, COALESCE(c.saves, 0), {}, i.everyone, \
             CASE WHEN l.sections = 'bookings' THEN i.members ELSE '' END, '', '' \
             FROM links l JOIN itineraries i ON i.id = l.itinerary_id \
             JOIN accounts a ON a.id = i.owner_id AND a.deleted_at IS NULL AND a.suspended_at IS NULL \
             LEFT JOIN itinerary_counters c ON c.itinerary_id = i.id \
             WHERE l.hash = $1 AND (l.expires_at IS NULL OR l.expires_at > $2) \
             AND NOT EXISTS (SELECT 1 FROM hidden h WHERE h.itinerary_id = i.id)",
            *BARE_COLUMNS
        );
        Texts::for_engines(text.clone(), text)
    };
}

impl Store {
    /// The links of an itinerary, oldest first, expired ones included; the quota bounds their number.
    pub async fn links(&self, itinerary: Uuid) -> Result<Vec<LinkRow>> {
        self.fetch_all(&query!(LIST, itinerary)).await
    }

    /// Creates a link. With `claim`, executes once per key and stores the response.
    pub async fn link_create(
        &self,
        link: NewLink,
        claim: Option<(&Claim, &StoredResponse)>,
    ) -> Result<Idempotent<LinkOutcome>> {
        let claim = ClaimQueries::new(claim, link.itinerary_id, link.created_at);
        self.transaction((claim, link), |(claim, link), transaction| {
            Box::pin(async move {
                if let Some(earlier) = transaction.claim(claim.as_ref()).await? {
                    return Ok(End::Rollback(earlier));
                }
                let NewLink { id, itinerary_id, label, hash, sections, expires_at, created_at } = link;
                let rejected = |outcome| Ok(End::Rollback(Idempotent::Executed(outcome)));
                if transaction.lock_itinerary(*itinerary_id).await?.is_none() {
                    return rejected(LinkOutcome::Gone);
                }
                if transaction.exists(&query!(HAS_LABEL, *itinerary_id, label)).await? {
                    return rejected(LinkOutcome::Taken);
                }
                let create = query!(
                    CREATE,
                    *id,
                    *itinerary_id,
                    label,
                    hash,
                    *sections,
                    *expires_at,
                    *created_at,
                    LINKS_PER_ITINERARY
                );
                match transaction.execute(&create).await? {
                    0 => rejected(LinkOutcome::Full),
                    _ => Ok(End::Commit(Idempotent::Executed(LinkOutcome::Created))),
                }
            })
        })
        .await
    }

    /// Deletes a link of an itinerary. `false` if it has no such link.
    pub async fn link_delete(&self, id: Uuid, itinerary: Uuid) -> Result<bool> {
        Ok(self.execute(query!(DELETE, id, itinerary)).await? == 1)
    }

    /// What the link of a secret with this hash shows. `None` if there is none, if it has expired, if the owner is deleted or suspended,
    /// and while moderation hides the itinerary.
    pub async fn linked(&self, hash: &Hash, now: DateTime<Utc>) -> Result<Option<LinkedItinerary>> {
        self.fetch_optional(&query!(LINKED, hash, now)).await
    }
}
