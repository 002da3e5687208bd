//! Who may see an itinerary, which of its sections, and what they may do with it.
//!
//! Whether a token carries an operation's scope is the front door's; here it counts only for what is shown.

use itinerary_api::policy::Section;
use itinerary_api::types::{Role, Visibility};
use uuid::Uuid;

use crate::content::Part;

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
    /// Read it; they are shown the sections of their [`View`].
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
        Act::Read | Act::List(Part::Days) | Act::Mark => (true, ""),
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
    let section = if act == Act::Upload { Some(Section::Documents) } else { part.and_then(section) };
    match section {
        Some(section) if !pro => Err(Denied::SubscriptionRequired(section)),
        _ => Ok(()),
    }
}

/// The section that a list is, when it needs Pro.
fn section(part: Part) -> Option<Section> {
    match part {
        Part::Days | Part::Flights | Part::Hotels | Part::Documents => None,
        Part::Expenses => Some(Section::Expenses),
        Part::Packing => Some(Section::Packing),
    }
}

/// Which sections of an itinerary a reader is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each section is shown or not, whatever the others are")]
pub struct View {
    /// Origin, flights, hotels.
    pub members: bool,
    /// Expenses, packing.
    pub pro: bool,
    /// Documents.
    pub documents: bool,
    /// The id of the itinerary that it is a copy of.
    pub source: bool,
}

impl View {
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
mod tests {
    use Act::{Change, ChangeList, Delete, Leave, List, Mark, Members, Read, Share, Upload};
    use Part::{Days, Documents, Expenses, Flights, Hotels, Packing};

    use super::*;

    #[test]
    fn visibility_and_membership_decide() {
        let (owner, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let of = |account, member, follows, visibility| {
            Standing::of(&Relation { account, owner, member, follows, visibility })
        };
        for visibility in [Visibility::Private, Visibility::Followers, Visibility::Unlisted, Visibility::Public] {
            assert_eq!(of(owner, None, false, visibility), Some(Standing::Owner));
            assert_eq!(of(other, Some(Role::Editor), false, visibility), Some(Standing::Editor));
            assert_eq!(of(other, Some(Role::Viewer), false, visibility), Some(Standing::Viewer));
        }
        assert_eq!(of(other, None, true, Visibility::Private), None);
        assert_eq!(of(other, None, false, Visibility::Followers), None);
        assert_eq!(of(other, None, true, Visibility::Followers), Some(Standing::Reader));
        assert_eq!(of(other, None, false, Visibility::Unlisted), Some(Standing::Reader));
        assert_eq!(of(other, None, false, Visibility::Public), Some(Standing::Reader));
    }

    /// The columns of the table. A new standing does not compile before it has one.
    fn column(standing: Standing) -> usize {
        match standing {
            Standing::Owner => 0,
            Standing::Editor => 1,
            Standing::Viewer => 2,
            Standing::Reader => 3,
        }
    }

    /// The rows are both the arms of a `match` and the list of what is asked: a new act or part does not compile before
    /// it has a row, and every row is asked.
    macro_rules! table {
        ($([$($act:tt)+] => $free:expr, $pro:expr;)+) => {
            const ACTS: &[Act] = &[$($($act)+),+];

            /// What each standing is answered: without Pro, and with it.
            fn expected(act: Act) -> [[&'static str; 4]; 2] {
                match act { $($($act)+ => [$free, $pro],)+ }
            }
        };
    }

    // "no" is forbidden; a section's name says that Pro is needed for it.
    table! {
        //                         without Pro                                    with Pro
        //                         owner       editor      viewer      reader     owner  editor viewer reader
        [Read]                  => ["yes",      "yes",      "yes",      "yes"],   ["yes", "yes", "yes", "yes"];
        [List(Days)]            => ["yes",      "yes",      "yes",      "yes"],   ["yes", "yes", "yes", "yes"];
        [List(Flights)]         => ["yes",      "yes",      "yes",      "no"],    ["yes", "yes", "yes", "no"];
        [List(Hotels)]          => ["yes",      "yes",      "yes",      "no"],    ["yes", "yes", "yes", "no"];
        [List(Expenses)]        => ["expenses", "expenses", "expenses", "no"],    ["yes", "yes", "yes", "no"];
        [List(Packing)]         => ["packing",  "packing",  "packing",  "no"],    ["yes", "yes", "yes", "no"];
        [List(Documents)]       => ["yes",      "yes",      "yes",      "no"],    ["yes", "yes", "yes", "no"];
        [Change]                => ["yes",      "yes",      "no",       "no"],    ["yes", "yes", "no",  "no"];
        [ChangeList(Days)]      => ["yes",      "yes",      "no",       "no"],    ["yes", "yes", "no",  "no"];
        [ChangeList(Flights)]   => ["yes",      "yes",      "no",       "no"],    ["yes", "yes", "no",  "no"];
        [ChangeList(Hotels)]    => ["yes",      "yes",      "no",       "no"],    ["yes", "yes", "no",  "no"];
        [ChangeList(Expenses)]  => ["expenses", "expenses", "no",       "no"],    ["yes", "yes", "no",  "no"];
        [ChangeList(Packing)]   => ["packing",  "packing",  "no",       "no"],    ["yes", "yes", "no",  "no"];
        [ChangeList(Documents)] => ["yes",      "yes",      "no",       "no"],    ["yes", "yes", "no",  "no"];
        [Upload]                => ["documents","documents","no",       "no"],    ["yes", "yes", "no",  "no"];
        [Share]                 => ["yes",      "no",       "no",       "no"],    ["yes", "no",  "no",  "no"];
        [Members]               => ["yes",      "no",       "no",       "no"],    ["yes", "no",  "no",  "no"];
        [Leave]                 => ["no",       "yes",      "yes",      "no"],    ["no",  "yes", "yes", "no"];
        [Mark]                  => ["yes",      "yes",      "yes",      "yes"],   ["yes", "yes", "yes", "yes"];
        [Delete]                => ["yes",      "no",       "no",       "no"],    ["yes", "no",  "no",  "no"];
    }

    /// The outcome in the table's words.
    fn word(outcome: Result<(), Denied>) -> &'static str {
        match outcome {
            Ok(()) => "yes",
            Err(Denied::Forbidden(why)) => {
                assert!(why.ends_with('.'), "a sentence says why: {why:?}");
                "no"
            }
            Err(Denied::SubscriptionRequired(Section::Expenses)) => "expenses",
            Err(Denied::SubscriptionRequired(Section::Packing)) => "packing",
            Err(Denied::SubscriptionRequired(Section::Documents)) => "documents",
        }
    }

    #[test]
    fn everyone_may_what_the_table_says() {
        for act in ACTS {
            for (plan, pro) in [false, true].into_iter().enumerate() {
                for standing in [Standing::Owner, Standing::Editor, Standing::Viewer, Standing::Reader] {
                    let told = word(allow(standing, pro, *act));
                    assert_eq!(told, expected(*act)[plan][column(standing)], "{standing:?}, Pro: {pro}, {act:?}");
                }
            }
        }
    }

    #[test]
    fn a_tag_names_the_view() {
        assert_eq!(View::of(Standing::Reader, true, true).letters(), "e");
        assert_eq!(View::of(Standing::Owner, false, false).letters(), "m");
        assert_eq!(View::of(Standing::Viewer, true, true).letters(), "mpd");
    }
}
