//! Streets on the maps of a page: shown, or offered to the reader, who decides whether the map service may see them.

use super::Actions;
use crate::map::StreetMap;

/// The query of a page whose reader wants to see streets.
pub const STREETS_QUERY: &str = "map=streets";

/// Whether the maps of a page show streets, where they are at a scale of streets.
#[derive(Clone, Copy, Debug, Default)]
pub enum Streets<'a> {
    /// They do not.
    #[default]
    Off,
    /// The page has a link that shows them, and says that the map service at `host` then sees the reader.
    Offered { host: &'a str },
    /// They do, because the reader has followed that link.
    Chosen { host: &'a str, map: StreetMap<'a> },
    /// They do, for every reader.
    Shown(StreetMap<'a>),
}

impl<'a> Streets<'a> {
    pub(super) fn shown(self) -> Option<StreetMap<'a>> {
        match self {
            Self::Chosen { map, .. } | Self::Shown(map) => Some(map),
            Self::Off | Self::Offered { .. } => None,
        }
    }
}

/// The link that shows streets, or hides them again.
pub(super) struct StreetsLink<'a> {
    pub(super) host: &'a str,
    pub(super) address: String,
    /// Whether it hides them.
    pub(super) hides: bool,
}

impl<'a> StreetsLink<'a> {
    /// The link of a page, if its reader has a choice.
    pub(super) fn of(actions: Actions<'a>) -> Option<Self> {
        match actions.streets {
            Streets::Offered { host } => {
                Some(Self { host, address: format!("{}?{STREETS_QUERY}", actions.path), hides: false })
            }
            Streets::Chosen { host, .. } => Some(Self { host, address: actions.path.to_owned(), hides: true }),
            Streets::Off | Streets::Shown(_) => None,
        }
    }
}
