//! Access rules: who may see an itinerary, which of its sections they are shown, and what they may do with it.
//!
//! The request pipeline checks that a token has an operation's scope. Here a scope only decides whether documents are
//! shown.

use itinerary_api::policy::Section;
use itinerary_api::types::{Role, Visibility};
use uuid::Uuid;

use crate::content::{Fragment, Part};

/// The role of a person who may see an itinerary, or `Reader` if they have none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    Owner,
    /// A member who may change the itinerary.
    Editor,
    /// A member who may read the itinerary.
    Viewer,
    /// Not a member, or not yet: sees the public content only.
    Reader,
}

/// The facts that determine a person's standing.
#[derive(Clone, Copy, Debug)]
pub struct Relation {
    pub account: Uuid,
    pub owner: Uuid,
    /// The person's role if they are a member.
    pub member: Option<Role>,
    /// Whether the person follows the owner.
    pub follows: bool,
    /// Whether the person has an invitation and has not accepted it.
    pub invited: bool,
    pub visibility: Visibility,
}

impl Standing {
    /// The person's standing. `None` if they must not learn that the itinerary exists.
    pub fn of(relation: &Relation) -> Option<Self> {
        if relation.account == relation.owner {
            return Some(Self::Owner);
        }
        let may_see = relation.member.is_some()
            || relation.invited
            || match relation.visibility {
                Visibility::Unlisted | Visibility::Public => true,
                Visibility::Followers => relation.follows,
                Visibility::Private => false,
            };
        may_see.then(|| Self::besides_owner(relation.member))
    }

    /// The standing of a person who may see the itinerary and does not own it.
    pub fn besides_owner(member: Option<Role>) -> Self {
        match member {
            Some(Role::Owner | Role::Editor) => Self::Editor,
            Some(Role::Viewer) => Self::Viewer,
            None => Self::Reader,
        }
    }

    /// The standing as the API's `role` field.
    pub fn role(self) -> Role {
        match self {
            Self::Owner => Role::Owner,
            Self::Editor => Role::Editor,
            Self::Viewer | Self::Reader => Role::Viewer,
        }
    }

    pub fn may_write(self) -> bool {
        matches!(self, Self::Owner | Self::Editor)
    }

    /// Whether the person is the owner or a member, and so sees more than the public content.
    pub fn is_member(self) -> bool {
        self != Self::Reader
    }
}

/// An action on an itinerary that the person may see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Read the itinerary. [`Sections`] decides which sections are shown.
    Read,
    /// Read one of its lists.
    List(Part),
    /// Change the whole itinerary.
    Change,
    /// Change an item of one of its lists.
    ChangeList(Part),
    Upload,
    /// Change its visibility.
    Share,
    /// See its revisions.
    History,
    /// List and change its members.
    Members,
    /// List, create and delete its secret links.
    Links,
    /// Leave its members.
    Leave,
    /// Like it, save a copy, report it, or read its counts.
    Mark,
    Delete,
}

/// Why an action is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Denied {
    /// The standing does not allow the action. Contains the message.
    Forbidden(&'static str),
    SubscriptionRequired(Section),
}

/// Whether this standing, with or without Pro, allows the action. The standing is checked before the plan, because a
/// subscription does not make anyone a member.
pub fn allow(standing: Standing, pro: bool, act: Act) -> Result<(), Denied> {
    let part = if let Act::List(part) | Act::ChangeList(part) = act { Some(part) } else { None };
    let (may, or_else) = match act {
        Act::Read | Act::Mark => (true, ""),
        Act::List(part) if part.fragment() == Fragment::Everyone => (true, ""),
        Act::List(_) => (standing.is_member(), "Only the owner and members may see this."),
        Act::Change | Act::ChangeList(_) | Act::Upload => {
            (standing.may_write(), "Only the owner and editors may change this itinerary.")
        }
        Act::History => (standing.may_write(), "Only the owner and editors may see the revisions."),
        Act::Share => (standing == Standing::Owner, "Only the owner may change the visibility."),
        Act::Members => (standing == Standing::Owner, "Only the owner may list and change the members."),
        Act::Links => (standing == Standing::Owner, "Only the owner may list, create and delete secret links."),
        Act::Leave => (matches!(standing, Standing::Editor | Standing::Viewer), "Only members may leave."),
        Act::Delete => (standing == Standing::Owner, "Only the owner may delete this itinerary."),
    };
    if !may {
        return Err(Denied::Forbidden(or_else));
    }
    let section = if act == Act::Upload { Some(Section::Documents) } else { part.and_then(Part::section) };
    match section {
        Some(section) if !pro => Err(Denied::SubscriptionRequired(section)),
        _ => Ok(()),
    }
}

/// The sections of an itinerary that a reader is shown besides the public content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "sections are shown independently of each other")]
pub struct Sections {
    /// Origin, flights and hotels.
    pub members: bool,
    /// Expenses and packing.
    pub pro: bool,
    pub documents: bool,
    /// The id of the itinerary that this one was saved from.
    pub source: bool,
}

impl Sections {
    /// The sections for a reader: the owner and members see the members' sections, the Pro sections if they have Pro, and
    /// documents if the token has the scope.
    pub fn of(standing: Standing, pro: bool, documents_scope: bool) -> Self {
        let members = standing.is_member();
        Self { members, pro: members && pro, documents: members && documents_scope, source: false }
    }

    /// The same sections with or without the id of the source.
    #[must_use]
    pub fn with_source(self, source: bool) -> Self {
        Self { source, ..self }
    }

    /// Whether the reader is shown a fragment.
    pub fn show(self, fragment: Fragment) -> bool {
        match fragment {
            Fragment::Everyone => true,
            Fragment::Members => self.members,
            Fragment::Pro => self.pro,
            Fragment::Documents => self.documents,
        }
    }

    /// The letters that name the view in an ETag: some of `m`, `p` and `d`, or `e` if it shows the public content only.
    pub fn letters(self) -> &'static str {
        match (self.members, self.pro, self.documents) {
            (false, false, false) => "e",
            (true, false, false) => "m",
            (false, true, false) => "p",
            (false, false, true) => "d",
            (true, true, false) => "mp",
            (true, false, true) => "md",
            (false, true, true) => "pd",
            (true, true, true) => "mpd",
        }
    }
}

#[cfg(test)]
mod tests;
