//! Who may see an itinerary, which of its sections, and what they may do with it.
//!
//! Whether a token carries an operation's scope is the front door's; here it counts only for what is shown.

use itinerary_api::policy::Section;
use itinerary_api::types::{Role, Visibility};
use uuid::Uuid;

use crate::content::{Fragment, Part};

/// What a person who may see an itinerary is to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Owns it.
    Owner,
    /// A member who may change it.
    Editor,
    /// A member who may read it.
    Viewer,
    /// Not a member: may read what everyone may.
    Reader,
}

/// What decides about a person's standing.
#[derive(Clone, Copy, Debug)]
pub struct Relation {
    /// The person.
    pub account: Uuid,
    /// The itinerary's owner.
    pub owner: Uuid,
    /// The person's role as a member.
    pub member: Option<Role>,
    /// Whether the person follows the owner.
    pub follows: bool,
    /// Who may see the itinerary.
    pub visibility: Visibility,
}

impl Standing {
    /// The person's standing; `None`: they may not know that the itinerary exists.
    pub fn of(relation: &Relation) -> Option<Self> {
        if relation.account == relation.owner {
            return Some(Self::Owner);
        }
        let may_see = relation.member.is_some()
            || match relation.visibility {
                Visibility::Unlisted | Visibility::Public => true,
                Visibility::Followers => relation.follows,
                Visibility::Private => false,
            };
        may_see.then(|| Self::besides_owner(relation.member))
    }

    /// The standing of somebody who may see it and does not own it, by their role as a member.
    pub fn besides_owner(member: Option<Role>) -> Self {
        match member {
            Some(Role::Owner | Role::Editor) => Self::Editor,
            Some(Role::Viewer) => Self::Viewer,
            None => Self::Reader,
        }
    }

    /// The role, as readers are told it.
    pub fn role(self) -> Role {
        match self {
            Self::Owner => Role::Owner,
            Self::Editor => Role::Editor,
            Self::Viewer | Self::Reader => Role::Viewer,
        }
    }

    /// Whether the person may change the content.
    pub fn may_write(self) -> bool {
        matches!(self, Self::Owner | Self::Editor)
    }

    /// Whether the person belongs to it, and so sees more than everyone does.
    pub fn is_member(self) -> bool {
        self != Self::Reader
    }
}

/// What someone wants to do with an itinerary that they may see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Read it; they are shown the sections in [`Sections`].
    Read,
    /// Read one of its lists.
    List(Part),
    /// Change it as a whole.
    Change,
    /// Change one of its lists.
    ChangeList(Part),
    /// Upload a document.
    Upload,
    /// Change who may see it.
    Share,
    /// See and change who its members are.
    Members,
    /// Be no member any more.
    Leave,
    /// See what people make of it, like it, save a copy, report it.
    Mark,
    /// Delete it.
    Delete,
}

/// Why someone may not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Denied {
    /// It is for others; in words.
    Forbidden(&'static str),
    /// It needs the Pro subscription.
    SubscriptionRequired(Section),
}

/// Whether someone of this standing, with or without Pro, may. What they are to the itinerary is looked at first: a plan
/// does not make a stranger a member.
pub fn allow(standing: Standing, pro: bool, act: Act) -> Result<(), Denied> {
    let part = if let Act::List(part) | Act::ChangeList(part) = act { Some(part) } else { None };
    let (may, or_else) = match act {
        Act::Read | Act::Mark => (true, ""),
        Act::List(part) if part.fragment() == Fragment::Everyone => (true, ""),
        Act::List(_) => (standing.is_member(), "Only the owner and members may see this."),
        Act::Change | Act::ChangeList(_) | Act::Upload => {
            (standing.may_write(), "Only the owner and editors may change it.")
        }
        Act::Share => (standing == Standing::Owner, "Only the owner may change who sees it."),
        Act::Members => (standing == Standing::Owner, "Only the owner may see and change its members."),
        Act::Leave => (matches!(standing, Standing::Editor | Standing::Viewer), "Only members may leave."),
        Act::Delete => (standing == Standing::Owner, "Only the owner may delete it."),
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

/// Which sections of an itinerary a reader is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each section is shown or not, whatever the others are")]
pub struct Sections {
    /// Origin, flights, hotels.
    pub members: bool,
    /// Expenses, packing.
    pub pro: bool,
    /// Documents.
    pub documents: bool,
    /// The id of the itinerary that it is a copy of.
    pub source: bool,
}

impl Sections {
    /// What a reader sees: members see more, with Pro more still, and documents with the scope for them.
    pub fn of(standing: Standing, pro: bool, documents_scope: bool) -> Self {
        let members = standing.is_member();
        Self { members, pro: members && pro, documents: members && documents_scope, source: false }
    }

    /// The same view, in which a copy tells the id of its source or not.
    #[must_use]
    pub fn with_source(self, source: bool) -> Self {
        Self { source, ..self }
    }

    /// The letters that name the sections of the view in a tag: `m`, `p` and `d`, or `e` for none but everyone's.
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
