//! An itinerary as lists and Explore show it.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::Result;
use crate::row::Columns;

/// An itinerary as a list shows it, with what is told of its owner and what the reader is to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SummaryRow {
    /// Its id.
    pub id: Uuid,
    /// Its version.
    pub version: i64,
    /// Who may see it besides members.
    pub visibility: String,
    /// When it was first shown to others.
    pub published_at: Option<DateTime<Utc>>,
    /// When its content last changed.
    pub updated_at: DateTime<Utc>,
    /// Whose it is.
    pub owner_id: Uuid,
    /// The rest of what a list shows, as JSON.
    pub card: String,
    /// The owner's username.
    pub username: String,
    /// The owner's name.
    pub display_name: String,
    /// The owner's picture.
    pub image_url: Option<String>,
    /// The reader's role as a member.
    pub member_role: Option<String>,
    /// How many people like it.
    pub likes: i64,
}

/// The columns of a summary, for a statement with [`JOINS`].
pub(crate) const COLUMNS: &str = "i.id, i.version, i.visibility, i.published_at, i.updated_at, i.owner_id, i.card, \
     a.username, a.display_name, a.image_url, m.role, COALESCE(c.likes, 0)";

/// What a summary needs besides `itineraries i`; the reader is $1.
pub(crate) const JOINS: &str = " JOIN accounts a ON a.id = i.owner_id \
     LEFT JOIN members m ON m.itinerary_id = i.id AND m.account_id = $1 \
     LEFT JOIN itinerary_counters c ON c.itinerary_id = i.id";

/// Takes a summary's columns from a row.
pub(crate) fn take(columns: &mut Columns<'_>) -> Result<SummaryRow> {
    Ok(SummaryRow {
        id: columns.take()?,
        version: columns.take()?,
        visibility: columns.take()?,
        published_at: columns.time_or_null()?,
        updated_at: columns.time()?,
        owner_id: columns.take()?,
        card: columns.take()?,
        username: columns.take()?,
        display_name: columns.take()?,
        image_url: columns.take()?,
        member_role: columns.take()?,
        likes: columns.take()?,
    })
}
