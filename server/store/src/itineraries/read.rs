//! Reading one itinerary: its row, and no more of its content than is wanted and may be seen.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::{ContentRow, ItineraryRow};
use crate::caller::{FROM_TOKEN, OF_A_LIVING_TOKEN};
use crate::query::{Query, query, text};
use crate::row::{Columns, FromRow};
use crate::{CallerRow, Hash, Result, Store};

/// How much of an itinerary's content is read. Whatever is wanted, nothing is read for somebody who may not see it: so a
/// refusal costs the same however large the itinerary is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// None of it.
    Nothing,
    /// All of it, for the owner and members: a change needs it.
    Everything,
    /// Part of it, unless the itinerary still has a version that the reader knows.
    Shown {
        /// Which part.
        part: Shown,
        /// The version that the reader knows.
        known: Option<i64>,
    },
}

/// What a reader is shown of an itinerary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// Everyone's part, and to owner and members theirs.
    All {
        /// Also what needs Pro.
        pro: bool,
        /// Also the documents.
        documents: bool,
    },
    /// What everyone who may see it is shown.
    Everyone,
    /// What members are shown besides.
    Members,
    /// What members with Pro are shown besides.
    Pro,
}

/// Who a token acts for, and the requested itinerary, if it exists.
#[derive(Clone, Debug, PartialEq)]
pub struct CallerReads {
    /// Who is calling.
    pub caller: CallerRow,
    /// The itinerary, with what the caller is to it.
    pub itinerary: Option<(ItineraryRow, ContentRow)>,
}

impl FromRow for CallerReads {
    fn from_row(columns: &mut Columns<'_>) -> Result<Self> {
        let (caller, is_there) = (columns.take()?, columns.take()?);
        let itinerary = if is_there { Some(columns.take()?) } else { None };
        Ok(Self { caller, itinerary })
    }
}

/// In the order of the statements' select lists.
impl FromRow for ContentRow {
    fn from_row(columns: &mut Columns<'_>) -> Result<Self> {
        Ok(Self {
            everyone: columns.take()?,
            members: columns.take()?,
            pro: columns.take()?,
            documents: columns.take()?,
        })
    }
}

/// The statements that read an itinerary for a reader, one for each [`Shown`].
struct Texts {
    all: &'static str,
    everyone: &'static str,
    members: &'static str,
    pro: &'static str,
}

/// An expression that is read only under a condition.
macro_rules! only_if {
    ($condition:expr, $column:literal) => {
        text!("CASE WHEN ", $condition, " THEN ", $column, " ELSE '' END")
    };
}

/// What an itinerary's columns need besides the tables `i`, the itinerary, and `a`, its owner.
macro_rules! joins {
    ($reader:expr) => {
        text!(
            " LEFT JOIN members m ON m.itinerary_id = i.id AND m.account_id = ",
            $reader,
            " LEFT JOIN follows f ON f.followed_id = i.owner_id AND f.follower_id = ",
            $reader,
            " LEFT JOIN itinerary_counters c ON c.itinerary_id = i.id LEFT JOIN accounts s ON s.id = i.saved_author"
        )
    };
}

macro_rules! is_member {
    ($reader:expr) => {
        text!("(i.owner_id = ", $reader, " OR m.account_id IS NOT NULL)")
    };
}

/// The statements for a reader. `reader` and `known` are expressions for the reader's account and the version that the
/// reader has; `may`, `pro` and `documents` are the conditions for any content, for Pro content and for documents.
macro_rules! texts {
    (
        ($select:expr, $from:expr, $only:expr),
        reader: $reader:expr, known: $known:expr, may: $may:expr, pro: $pro:expr, documents: $documents:expr
    ) => {{
        const IS_MEMBER: &str = is_member!($reader);
        /// `page.rs` has the same rule for lists, `itinerary-core` for one that was read.
        const IS_VISIBLE: &str = text!(
            "(",
            IS_MEMBER,
            " OR i.visibility IN ('unlisted', 'public') OR (i.visibility = 'followers' AND f.follower_id IS NOT NULL))"
        );
        const IS_NEW: &str = text!($may, " AND i.version <> ", $known);
        const EVERYONE: &str = only_if!(text!(IS_NEW, " AND ", IS_VISIBLE), "i.everyone");
        const MEMBERS: &str = only_if!(text!(IS_NEW, " AND ", IS_MEMBER), "i.members");
        const PRO: &str = only_if!(text!(IS_NEW, " AND ", IS_MEMBER), "i.pro");
        const PRO_IF: &str = only_if!(text!($pro, " AND ", IS_NEW, " AND ", IS_MEMBER), "i.pro");
        const DOCUMENTS: &str = only_if!(text!($documents, " AND ", IS_NEW, " AND ", IS_MEMBER), "i.documents");
        const SELECT: &str = text!("SELECT ", $select, ItineraryRow::COLUMNS, ", ");
        const FROM: &str = text!($from, joins!($reader), $only);
        Texts {
            all: text!(SELECT, EVERYONE, ", ", MEMBERS, ", ", PRO_IF, ", ", DOCUMENTS, FROM),
            everyone: text!(SELECT, EVERYONE, ", '', '', ''", FROM),
            members: text!(SELECT, "'', ", MEMBERS, ", '', ''", FROM),
            pro: text!(SELECT, "'', '', ", PRO, ", ''", FROM),
        }
    }};
}

const ITINERARY: &str = " FROM itineraries i JOIN accounts a ON a.id = i.owner_id";
const OF_ITS_ID: &str = " WHERE i.id = $1";

const NOTHING: &str = text!("SELECT ", ItineraryRow::COLUMNS, ", '', '', '', ''", ITINERARY, joins!("$2"), OF_ITS_ID);
const EVERYTHING: &str = text!(
    "SELECT ",
    ItineraryRow::COLUMNS,
    ", ",
    only_if!(is_member!("$2"), "i.everyone"),
    ", ",
    only_if!(is_member!("$2"), "i.members"),
    ", ",
    only_if!(is_member!("$2"), "i.pro"),
    ", ",
    only_if!(is_member!("$2"), "i.documents"),
    ITINERARY,
    joins!("$2"),
    OF_ITS_ID
);

/// The itinerary $1 for the account $2, who knows the version $3; $4 whether also what needs Pro, $5 whether documents.
const SHOWN: Texts =
    texts!(("", ITINERARY, OF_ITS_ID), reader: "$2", known: "$3", may: "TRUE", pro: "$4", documents: "$5");

/// The itinerary $3 for whom the token $1 acts for at $2, who knows the version $4.
const SHOWN_TO_CALLER: Texts = texts!(
    (
        text!(CallerRow::COLUMNS, ", i.id IS NOT NULL, "),
        text!(FROM_TOKEN, " LEFT JOIN itineraries i ON i.id = $3 LEFT JOIN accounts a ON a.id = i.owner_id"),
        OF_A_LIVING_TOKEN
    ),
    reader: "u.id",
    known: "$4",
    may: "(' ' || t.scope || ' ') LIKE '% itineraries:read %'",
    pro: "u.plan = 'pro'",
    documents: "(' ' || t.scope || ' ') LIKE '% documents:read %'"
);

/// No itinerary has this version.
const UNKNOWN: i64 = 0;

impl Wanted {
    fn query(self, id: Uuid, reader: Uuid) -> Query {
        let (part, known) = match self {
            Self::Nothing => return query!(NOTHING, id, reader),
            Self::Everything => return query!(EVERYTHING, id, reader),
            Self::Shown { part, known } => (part, known.unwrap_or(UNKNOWN)),
        };
        match part {
            Shown::All { pro, documents } => query!(SHOWN.all, id, reader, known, pro, documents),
            Shown::Everyone => query!(SHOWN.everyone, id, reader, known),
            Shown::Members => query!(SHOWN.members, id, reader, known),
            Shown::Pro => query!(SHOWN.pro, id, reader, known),
        }
    }
}

impl Store {
    /// The itinerary of an id, with what the reader is to it, and as much of its content as is wanted and may be seen.
    pub async fn itinerary(
        &self,
        id: Uuid,
        reader: Uuid,
        wanted: Wanted,
    ) -> Result<Option<(ItineraryRow, ContentRow)>> {
        self.fetch_optional(&wanted.query(id, reader)).await
    }

    /// Reads who an access token acts for, like [`Store::caller`], and an itinerary for them, in one statement. For
    /// [`Shown::All`], plan and scope are checked by the statement; its two flags are ignored.
    pub async fn caller_reads(
        &self,
        access_hash: &Hash,
        now: DateTime<Utc>,
        id: Uuid,
        part: Shown,
        known: Option<i64>,
    ) -> Result<Option<CallerReads>> {
        let text = match part {
            Shown::All { .. } => SHOWN_TO_CALLER.all,
            Shown::Everyone => SHOWN_TO_CALLER.everyone,
            Shown::Members => SHOWN_TO_CALLER.members,
            Shown::Pro => SHOWN_TO_CALLER.pro,
        };
        self.fetch_optional(&query!(text, access_hash, now, id, known.unwrap_or(UNKNOWN))).await
    }
}
