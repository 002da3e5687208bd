//! Enums that have the same names in the API, in the rules and in the database: visibility, roles, plans, filters of lists.
//!
//! The contract re-exports them in `types`, for crates that need nothing else from here. There are no rules here; they are in
//! `itinerary-core`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Defines an enum whose values have one name each, in JSON, in the document and in the database. The values have no
/// comments, because a comment would turn the schema's plain list into a `oneOf`.
macro_rules! named {
    ($(
        $(#[$about:meta])*
        pub enum $name:ident { $($value:ident = $text:literal),* $(,)? }
    )*) => { $(
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        #[allow(missing_docs, reason = "see `named!`")]
        pub enum $name { $(#[serde(rename = $text)] $value),* }

        impl $name {
            /// All values, in the document's order.
            pub const ALL: &[Self] = &[$(Self::$value),*];

            /// The name in JSON, and in the database where the value is stored.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$value => $text),* }
            }

            /// The value with this name.
            pub fn from_name(name: &str) -> Option<Self> {
                match name { $($text => Some(Self::$value),)* _ => None }
            }
        }
    )* };
}

named! {
    /// Who can see an itinerary: `private`, the owner and members; `followers`, also the owner's followers; `unlisted`, anyone
    /// who has its id, on its page without signing in; `public`, everyone, and it is listed in Explore.
    pub enum Visibility { Private = "private", Followers = "followers", Unlisted = "unlisted", Public = "public" }

    /// The caller's role: `owner` can do everything; `editor` can change content and documents; `viewer` can read. Readers
    /// who are not members are `viewer` too.
    pub enum Role { Owner = "owner", Editor = "editor", Viewer = "viewer" }

    /// The role of a member: `editor` can change content and documents, `viewer` can read.
    pub enum MemberRole { Editor = "editor", Viewer = "viewer" }

    /// The subscription of an account: `free` or `pro`.
    pub enum Plan { Free = "free", Pro = "pro" }

    /// Which itineraries to list: `owned`, the caller's own; `shared`, those the caller is a member of; `saved`, the
    /// caller's saved copies; `liked` and `disliked`, those with the caller's mark; `all`, owned, shared and saved.
    pub enum ListFilter {
        All = "all",
        Owned = "owned",
        Shared = "shared",
        Saved = "saved",
        Liked = "liked",
        Disliked = "disliked",
    }
}

#[expect(clippy::derivable_impls, reason = "`named!` cannot mark the default")]
impl Default for ListFilter {
    fn default() -> Self {
        Self::All
    }
}

impl From<MemberRole> for Role {
    fn from(role: MemberRole) -> Self {
        match role {
            MemberRole::Editor => Self::Editor,
            MemberRole::Viewer => Self::Viewer,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_has_one_name_in_json_and_in_the_database() {
        for &visibility in Visibility::ALL {
            assert_eq!(serde_json::to_value(visibility).expect("JSON"), visibility.as_str());
            assert_eq!(Visibility::from_name(visibility.as_str()), Some(visibility));
        }
        assert_eq!((Role::from_name("Owner"), Plan::from_name("pro")), (None, Some(Plan::Pro)));
    }
}
