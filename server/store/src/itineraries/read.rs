//! Reads one itinerary: its row, and only the content that is requested and that the reader may see.

use std::sync::LazyLock;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::{ContentRow, IS_INVITED, IS_SOURCE_SHOWN, ItineraryRow};
use crate::caller::{
    FROM_PERSONAL_TOKEN, FROM_TOKEN, OF_A_LIVING_TOKEN, OF_A_VALID_PERSONAL_TOKEN, personal_token_columns,
};
use crate::query::row::{Columns, FromRow};
use crate::query::{Query, query, text};
use crate::{AccessToken, CallerRow, Result, Store};

/// How much of an itinerary's content to read. For a caller who may not see it, nothing is read, so the cost of a
/// rejected request does not depend on the itinerary's size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContentSelection {
    Nothing,
    /// Everything, for the owner and members, to change it.
    Everything,
    /// Part of it, unless the reader has the current version.
    Sections {
        visible: VisibleSections,
        /// The reader's version.
        known: Option<i64>,
    },
}

/// The sections for a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VisibleSections {
    /// The public section, and for owner and members the members' section.
    All {
        /// Also the Pro section.
        pro: bool,
        /// Also the documents.
        documents: bool,
    },
    /// The public sections.
    Everyone,
    /// The members' section.
    Members,
    /// The Pro section.
    Pro,
    /// The documents only, for members.
    Documents,
}

/// The caller, and the requested itinerary if it is their own.
#[derive(Clone, Debug, PartialEq)]
pub struct CallerReads {
    pub caller: CallerRow,
    /// `None` if the caller does not own the itinerary, or if it is a copy: [`Store::itinerary`] reads these.
    pub own: Option<(ItineraryRow, ContentRow)>,
}

impl FromRow for CallerReads {
    fn from_row(columns: &mut Columns<'_>) -> Result<Self> {
        let (caller, is_there) = (columns.take()?, columns.take()?);
        let own = if is_there { Some(columns.take()?) } else { None };
        Ok(Self { caller, own })
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

/// The statements that read an itinerary, the same texts for both engines.
struct Statements {
    nothing: String,
    everything: String,
    /// The itinerary $1 for the account $2, who has the version $3; $4 whether with Pro content, $5 with documents.
    shown: Texts,
    /// The token $1 at the time $2; the itinerary $3 if it is the caller's own, who has its version $4.
    own: Texts,
    /// The same for a personal access token.
    own_of_personal_token: Texts,
}

/// The columns of [`ItineraryRow`] for a reader who is no member, follower or invited, without the source of a copy. They
/// need the tables `i`, the itinerary, `a`, its owner, and `c`, its counters.
pub(crate) static BARE_COLUMNS: LazyLock<String> = LazyLock::new(|| {
    [
        ("m.role", "NULL"),
        ("f.follower_id IS NOT NULL", "FALSE"),
        (IS_INVITED, "FALSE"),
        (IS_SOURCE_SHOWN, "FALSE"),
        ("s.username", "NULL"),
        ("s.display_name", "NULL"),
        ("s.plan", "NULL"),
    ]
    .iter()
    .fold(ItineraryRow::COLUMNS.to_owned(), |columns, (joined, bare)| columns.replace(joined, bare))
});

/// One statement for each [`VisibleSections`].
struct Texts {
    all: String,
    everyone: String,
    members: String,
    pro: String,
    documents: String,
}

/// SQL conditions under which fragments are read.
struct FragmentConditions {
    everyone: String,
    members: String,
    /// For [`VisibleSections`]'s documents only.
    documents: String,
    /// Whether [`VisibleSections::All`] includes Pro content and documents.
    with_pro: &'static str,
    with_documents: &'static str,
}

/// The joins that an itinerary's columns need besides the tables `i`, the itinerary, and `a`, its owner; the reader is
/// $2.
const JOINS: &str = " LEFT JOIN members m ON m.itinerary_id = i.id AND m.account_id = $2 \
    LEFT JOIN follows f ON f.followed_id = i.owner_id AND f.follower_id = $2 \
    LEFT JOIN itinerary_counters c ON c.itinerary_id = i.id LEFT JOIN accounts s ON s.id = i.saved_author AND s.deleted_at IS NULL";
const IS_MEMBER: &str = "(i.owner_id = $2 OR m.account_id IS NOT NULL)";
/// `page.rs` has the same rule for lists, which contain no itinerary for a pending invitation; `itinerary-core` has it for
/// a row that was read.
const IS_VISIBLE: &str = text!(
    "(i.owner_id = $2 OR m.account_id IS NOT NULL OR i.visibility IN ('unlisted', 'public') \
     OR (i.visibility = 'followers' AND f.follower_id IS NOT NULL) OR ",
    IS_INVITED,
    ")"
);

static STATEMENTS: LazyLock<Statements> = LazyLock::new(Statements::new);

impl Statements {
    fn new() -> Self {
        let select = format!("SELECT {}", ItineraryRow::COLUMNS);
        let from = format!(
            " FROM itineraries i JOIN accounts a ON a.id = i.owner_id AND a.deleted_at IS NULL{JOINS} WHERE i.id = $1"
        );
        let everything = ["everyone", "members", "pro", "documents"].map(|name| only_if(IS_MEMBER, name)).join(", ");
        let shown = FragmentConditions {
            everyone: format!("i.version <> $3 AND {IS_VISIBLE}"),
            members: format!("i.version <> $3 AND {IS_MEMBER}"),
            documents: format!("i.version <> $3 AND {IS_MEMBER}"),
            with_pro: "$4",
            with_documents: "$5",
        };
        Self {
            nothing: format!("{select}, '', '', '', ''{from}"),
            everything: format!("{select}, {everything}{from}"),
            shown: Texts::new(&select, &from, &shown),
            own: Self::own(CallerRow::COLUMNS, FROM_TOKEN, OF_A_LIVING_TOKEN),
            own_of_personal_token: Self::own(
                &personal_token_columns(CallerRow::COLUMNS),
                FROM_PERSONAL_TOKEN,
                OF_A_VALID_PERSONAL_TOKEN,
            ),
        }
    }

    /// Few joins: on PostgreSQL each takes microseconds to set up. The owner is the caller, and no member or follower.
    /// `IS TRUE` keeps the planner from looking for the id among all itineraries of the owner.
    fn own(caller: &str, from_token: &str, is_valid: &str) -> Texts {
        let columns = BARE_COLUMNS.replace("a.", "u.");
        let select = format!("SELECT {caller}, i.id IS NOT NULL, {columns}");
        let from = format!(
            "{from_token} LEFT JOIN itineraries i ON i.id = $3 AND (i.owner_id = u.id) IS TRUE AND i.saved_from IS NULL \
             LEFT JOIN itinerary_counters c ON c.itinerary_id = i.id{is_valid}"
        );
        let may = "i.version <> $4 AND (' ' || t.scope || ' ') LIKE '% itineraries:read %'";
        let documents = "(' ' || t.scope || ' ') LIKE '% documents:read %'";
        let conditions = FragmentConditions {
            everyone: may.to_owned(),
            members: may.to_owned(),
            documents: format!("i.version <> $4 AND {documents}"),
            with_pro: "u.plan = 'pro'",
            with_documents: documents,
        };
        Texts::new(&select, &from, &conditions)
    }
}

impl Texts {
    fn new(select: &str, from: &str, conditions: &FragmentConditions) -> Self {
        let FragmentConditions { everyone, members, documents, with_pro, with_documents } = conditions;
        let pro_if = only_if(&format!("{with_pro} AND {members}"), "pro");
        let with_documents = only_if(&format!("{with_documents} AND {members}"), "documents");
        let documents = only_if(documents, "documents");
        let everyone = only_if(everyone, "everyone");
        let pro = only_if(members, "pro");
        let members = only_if(members, "members");
        Self {
            all: format!("{select}, {everyone}, {members}, {pro_if}, {with_documents}{from}"),
            everyone: format!("{select}, {everyone}, '', '', ''{from}"),
            members: format!("{select}, '', {members}, '', ''{from}"),
            pro: format!("{select}, '', '', {pro}, ''{from}"),
            documents: format!("{select}, '', '', '', {documents}{from}"),
        }
    }

    fn of(&self, visible: VisibleSections) -> &str {
        match visible {
            VisibleSections::All { .. } => &self.all,
            VisibleSections::Everyone => &self.everyone,
            VisibleSections::Members => &self.members,
            VisibleSections::Pro => &self.pro,
            VisibleSections::Documents => &self.documents,
        }
    }
}

/// Selects a fragment under a condition.
fn only_if(condition: &str, name: &str) -> String {
    format!("CASE WHEN {condition} THEN i.{name} ELSE '' END")
}

const UNKNOWN: i64 = 0;

/// Reads no content, so the time that it takes tells nothing about an itinerary.
const IS_OPEN: &str = "SELECT 1 FROM itineraries i JOIN accounts a ON a.id = i.owner_id AND a.deleted_at IS NULL \
    AND a.suspended_at IS NULL WHERE i.id = $1 AND i.visibility IN ('public', 'unlisted') \
    AND NOT EXISTS (SELECT 1 FROM hidden h WHERE h.itinerary_id = i.id)";

impl ContentSelection {
    fn query(self, id: Uuid, reader: Uuid) -> Query {
        let statements = &*STATEMENTS;
        let (visible, known) = match self {
            Self::Nothing => return query!(&*statements.nothing, id, reader),
            Self::Everything => return query!(&*statements.everything, id, reader),
            Self::Sections { visible, known } => (visible, known.unwrap_or(UNKNOWN)),
        };
        let text = statements.shown.of(visible);
        match visible {
            VisibleSections::All { pro, documents } => query!(text, id, reader, known, pro, documents),
            VisibleSections::Everyone
            | VisibleSections::Members
            | VisibleSections::Pro
            | VisibleSections::Documents => query!(text, id, reader, known),
        }
    }
}

impl Store {
    /// The itinerary with the reader's role, and the requested content if the reader may see it.
    pub async fn itinerary(
        &self,
        id: Uuid,
        reader: Uuid,
        selection: ContentSelection,
    ) -> Result<Option<(ItineraryRow, ContentRow)>> {
        self.fetch_optional(&selection.query(id, reader)).await
    }

    /// Whether an itinerary is public or unlisted and moderation has not hidden it, so that people without an account may
    /// read it.
    pub async fn itinerary_is_open(&self, id: Uuid) -> Result<bool> {
        self.exists(&query!(IS_OPEN, id)).await
    }

    /// Authenticates a caller, like [`Store::caller`], and reads an itinerary of theirs, in one statement. For
    /// [`VisibleSections::All`], the statement checks plan and scope; the two flags are ignored.
    pub async fn caller_reads(
        &self,
        token: &AccessToken,
        now: DateTime<Utc>,
        id: Uuid,
        visible: VisibleSections,
        known: Option<i64>,
    ) -> Result<Option<CallerReads>> {
        let statements = match token {
            AccessToken::OAuth(_) => &STATEMENTS.own,
            AccessToken::Personal(_) => &STATEMENTS.own_of_personal_token,
        };
        let text = statements.of(visible);
        self.fetch_optional(&query!(text, token.hash(), now, id, known.unwrap_or(UNKNOWN))).await
    }
}
