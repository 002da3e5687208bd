//! Itineraries: one row each, replaced as a whole by a guarded write.
//!
//! The four fragments, the card and the origin are JSON texts that this crate never looks into. Who may see
//! or change an itinerary is decided by those who call.

mod duplicates;
mod page;
pub(crate) mod summary;
mod write;

use chrono::{DateTime, Utc};
use sea_orm::ConnectionTrait;
use uuid::Uuid;

use crate::row::Columns;
use crate::{Plan, Result, Store};

pub use duplicates::{DUPLICATE_RADIUS_KM, DuplicateRule};
pub use page::{ListFilter, ListQuery};
pub use summary::SummaryRow;
pub use write::{
    CreateOutcome, ItineraryChange, ItineraryColumns, ListingChange, NewItinerary, SaveOutcome, Saved, WriteOutcome,
};

/// An itinerary as it is read, with what a reader is told of its owner. What only lists and checks need is left out.
#[derive(Clone, Debug, PartialEq)]
pub struct ItineraryRow {
    /// Its id.
    pub id: Uuid,
    /// Whose it is.
    pub owner_id: Uuid,
    /// Rises by one with every change.
    pub version: i64,
    /// Who may see it besides members.
    pub visibility: String,
    /// When it was first shown to others.
    pub published_at: Option<DateTime<Utc>>,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// When its content last changed.
    pub updated_at: DateTime<Utc>,
    /// The JSON of what everyone who may see it is shown. Here and below: empty when it was not asked for.
    pub everyone: String,
    /// The JSON of what members are shown besides.
    pub members: String,
    /// The JSON of what members with Pro are shown besides.
    pub pro: String,
    /// The JSON of its documents.
    pub documents: String,
    /// The owner's username.
    pub username: String,
    /// The owner's name.
    pub display_name: String,
    /// The owner's picture.
    pub image_url: Option<String>,
    /// The owner's plan.
    pub plan: Plan,
    /// The reader's role as a member.
    pub member_role: Option<String>,
    /// Whether the reader follows the owner.
    pub follows: bool,
    /// How many people like it.
    pub likes: i64,
    /// How often it was read.
    pub views: i64,
    /// What it is a copy of.
    pub saved_from: Option<SavedFromRow>,
}

/// The itinerary that another is a copy of, with what is told of its owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedFromRow {
    /// The itinerary's id; it may be gone.
    pub itinerary_id: Uuid,
    /// Its owner's username.
    pub username: String,
    /// Its owner's name.
    pub display_name: String,
    /// Its owner's plan.
    pub plan: Plan,
}

/// How much of an itinerary's content is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// None of it.
    Nothing,
    /// All of it.
    Everything,
    /// What everyone who may see it is shown.
    Everyone,
    /// What members are shown besides.
    Members,
    /// What members with Pro are shown besides.
    Pro,
}

macro_rules! itinerary_with {
    ($content:literal) => {
        concat!(
            "SELECT i.id, i.owner_id, i.version, i.visibility, i.published_at, i.created_at, i.updated_at, ",
            $content,
            ", a.username, a.display_name, a.image_url, a.plan, m.role, f.follower_id IS NOT NULL, \
             COALESCE(c.likes, 0), COALESCE(c.views, 0), i.saved_from, s.username, s.display_name, s.plan \
             FROM itineraries i JOIN accounts a ON a.id = i.owner_id \
             LEFT JOIN members m ON m.itinerary_id = i.id AND m.account_id = $2 \
             LEFT JOIN follows f ON f.followed_id = i.owner_id AND f.follower_id = $2 \
             LEFT JOIN itinerary_counters c ON c.itinerary_id = i.id \
             LEFT JOIN accounts s ON s.id = i.saved_author WHERE i.id = $1"
        )
    };
}

impl Wanted {
    fn statement(self) -> &'static str {
        match self {
            Self::Nothing => itinerary_with!("'', '', '', ''"),
            Self::Everything => itinerary_with!("i.everyone, i.members, i.pro, i.documents"),
            Self::Everyone => itinerary_with!("i.everyone, '', '', ''"),
            Self::Members => itinerary_with!("'', i.members, '', ''"),
            Self::Pro => itinerary_with!("'', '', i.pro, ''"),
        }
    }
}

const VERSION: &str = "SELECT version FROM itineraries WHERE id = $1";

const LATEST_ORIGIN: &str = "SELECT origin FROM itineraries WHERE owner_id = $1 AND origin IS NOT NULL \
     ORDER BY created_at DESC, id DESC LIMIT 1";

impl Store {
    /// The itinerary of an id, with what the reader is to it.
    pub async fn itinerary(&self, id: Uuid, reader: Uuid) -> Result<Option<ItineraryRow>> {
        self.itinerary_with(id, reader, Wanted::Everything).await
    }

    /// The same with no more of its content than is wanted.
    pub async fn itinerary_with(&self, id: Uuid, reader: Uuid, wanted: Wanted) -> Result<Option<ItineraryRow>> {
        let statement = self.statement(wanted.statement(), [id.into(), reader.into()]);
        let Some(row) = self.reader.query_one_raw(statement).await? else {
            return Ok(None);
        };
        let mut columns = Columns::of(&row);
        Ok(Some(ItineraryRow {
            id: columns.take()?,
            owner_id: columns.take()?,
            version: columns.take()?,
            visibility: columns.take()?,
            published_at: columns.time_or_null()?,
            created_at: columns.time()?,
            updated_at: columns.time()?,
            everyone: columns.take()?,
            members: columns.take()?,
            pro: columns.take()?,
            documents: columns.take()?,
            username: columns.take()?,
            display_name: columns.take()?,
            image_url: columns.take()?,
            plan: Plan::from_column(&columns.take::<String>()?)?,
            member_role: columns.take()?,
            follows: columns.take()?,
            likes: columns.take()?,
            views: columns.take()?,
            saved_from: saved_from(&mut columns)?,
        }))
    }

    /// The version that an itinerary has.
    pub async fn itinerary_version(&self, id: Uuid) -> Result<Option<i64>> {
        let row = self.reader.query_one_raw(self.statement(VERSION, [id.into()])).await?;
        row.as_ref().map(|row| Columns::of(row).take()).transpose()
    }

    /// The origin (JSON) of the owner's most recently made itinerary that has one.
    pub async fn latest_origin(&self, owner_id: Uuid) -> Result<Option<String>> {
        let row = self.reader.query_one_raw(self.statement(LATEST_ORIGIN, [owner_id.into()])).await?;
        row.as_ref().map(|row| Columns::of(row).take()).transpose()
    }
}

fn saved_from(columns: &mut Columns<'_>) -> Result<Option<SavedFromRow>> {
    let itinerary_id: Option<Uuid> = columns.take()?;
    let username: Option<String> = columns.take()?;
    let display_name: Option<String> = columns.take()?;
    let plan: Option<String> = columns.take()?;
    let (Some(itinerary_id), Some(username), Some(display_name), Some(plan)) =
        (itinerary_id, username, display_name, plan)
    else {
        return Ok(None);
    };
    Ok(Some(SavedFromRow { itinerary_id, username, display_name, plan: Plan::from_column(&plan)? }))
}
