//! Versions of an itinerary and the tags that name them (RFC 9110 §8.8 and §13).
//!
//! A tag is strong and names a version, a view and a role: `"v12.m"`. `If-Match` compares versions alone, so that a tag from any
//! view is good for a write; `If-None-Match` compares the whole tag, because another view is another representation.

use itinerary_api::read::FieldError;

use crate::access::{Standing, View};

/// The tag of a version as someone sees it, with its quotes. Answers say what the reader may do, so the tag does too: `w`
/// stands for an editor, `v` for a member who reads, no letter for the owner and for readers who are no members. Before it, `s`
/// stands for a copy that tells its reader what it is a copy of.
pub fn etag(version: i64, view: View, standing: Standing) -> String {
    let role = match standing {
        Standing::Owner | Standing::Reader => "",
        Standing::Editor => "w",
        Standing::Viewer => "v",
    };
    let source = if view.source { "s" } else { "" };
    format!("\"v{version}.{}{source}{role}\"", view.letters())
}

/// The tag of the compressed representation: the same with a `z`. `None` for what is no tag of ours.
pub fn compressed(etag: &str) -> Option<String> {
    let tag = etag.strip_prefix("\"v")?.strip_suffix('"')?;
    Some(format!("\"v{tag}z\""))
}

/// What an `If-Match` or `If-None-Match` header says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tags {
    /// `*`: whatever is there.
    Any,
    /// A list of tags.
    List(Vec<Tag>),
}

/// One tag of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tag {
    /// Whether it is weak (`W/"…"`).
    pub weak: bool,
    /// What stands between the quotes.
    pub value: String,
}

impl Tags {
    /// Reads the header `name`; what is neither `*` nor a list of quoted tags is refused by that name.
    pub fn parse(name: &str, value: &str) -> Result<Self, FieldError> {
        if value.trim() == "*" {
            return Ok(Self::Any);
        }
        tags(value).map(Self::List).ok_or_else(|| {
            FieldError::new(name, "must be the ETag that you last read, with its quotes, a list of such tags, or *")
        })
    }

    /// The version that the first tag of ours names.
    pub fn version(&self) -> Option<i64> {
        match self {
            Self::Any => None,
            Self::List(tags) => tags.iter().find_map(|tag| named_version(&tag.value)?.parse().ok()),
        }
    }

    /// Whether a write may go on (strong comparison of the version).
    pub fn allow_write(&self, version: i64) -> bool {
        let version = version.to_string();
        let is_version = |tag: &Tag| !tag.weak && named_version(&tag.value) == Some(&version);
        match self {
            Self::Any => true,
            Self::List(tags) => tags.iter().any(is_version),
        }
    }

    /// Whether the reader has this representation already, compressed or not (weak comparison of the whole tag).
    pub fn includes(&self, etag: &str) -> bool {
        match self {
            Self::Any => true,
            Self::List(tags) => {
                let etag = etag.trim_matches('"');
                tags.iter().any(|tag| etag == tag.value || tag.value.strip_suffix('z') == Some(etag))
            }
        }
    }
}

/// The number of the version that a tag names, as it is written.
fn named_version(tag: &str) -> Option<&str> {
    Some(tag.strip_prefix('v')?.split_once('.')?.0)
}

/// A list of tags: `"a", W/"b"`. Empty elements are passed over, as RFC 9110 §5.6.1 asks.
fn tags(value: &str) -> Option<Vec<Tag>> {
    let mut tags = Vec::new();
    let mut rest = value.trim();
    loop {
        rest = rest.trim_start_matches([' ', '\t', ',']);
        if rest.is_empty() {
            return (!tags.is_empty()).then_some(tags);
        }
        let (weak, quoted) = rest.strip_prefix("W/").map_or((false, rest), |quoted| (true, quoted));
        let (value, after) = quoted.strip_prefix('"')?.split_once('"')?;
        if value.chars().any(|c| c.is_control() || c == ' ') {
            return None;
        }
        tags.push(Tag { weak, value: value.to_owned() });
        rest = after.trim_start_matches([' ', '\t']);
        if !rest.is_empty() && !rest.starts_with(',') {
            return None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(value: &str) -> Result<Tags, String> {
        Tags::parse("If-Match", value).map_err(|error| error.field.unwrap_or_default())
    }

    #[test]
    fn a_write_needs_a_strong_tag_of_the_version_in_any_view() {
        let view = View { members: true, pro: false, documents: false, source: false };
        assert_eq!(etag(12, view, Standing::Owner), "\"v12.m\"");
        assert_eq!(etag(12, view, Standing::Editor), "\"v12.mw\"");
        assert_eq!(etag(12, view, Standing::Viewer), "\"v12.mv\"");
        assert_eq!(etag(12, view.with_source(true), Standing::Owner), "\"v12.ms\"");
        assert_eq!(etag(12, view.with_source(true), Standing::Viewer), "\"v12.msv\"");
        for good in ["\"v12.m\"", "\"v12.mpd\"", "\"v12.mz\"", "*", " * ", "\"v1.m\", \"v12.e\"", ",, \"v12.m\" ,"] {
            assert!(parse(good).expect(good).allow_write(12), "{good}");
        }
        for stale in ["W/\"v12.m\"", "\"v11.m\"", "\"v012.m\"", "\"12\"", "\"\"", "\"v12\"", "\"anything\""] {
            assert!(!parse(stale).expect(stale).allow_write(12), "{stale}");
        }
        for bad in ["v12.m", "", "\"v12.m", "\"a\" \"b\"", "w/\"v12.m\"", "\"a\", *", ",", "\"a\"x"] {
            assert_eq!(parse(bad), Err("If-Match".to_owned()), "{bad}");
        }
    }

    #[test]
    fn a_read_compares_the_whole_tag() {
        assert!(parse("\"v12.m\"").expect("a tag").includes("\"v12.m\""));
        assert!(parse("W/\"v12.m\"").expect("a tag").includes("\"v12.m\""));
        assert_eq!(compressed("\"v12.m\"").as_deref(), Some("\"v12.mz\""));
        assert_eq!(compressed("\"0198c0de\""), None);
        assert!(parse("\"v12.mz\"").expect("a tag").includes("\"v12.m\""));
        assert!(!parse("\"v12.pz\"").expect("a tag").includes("\"v12.m\""));
        assert!(!parse("\"v12.mp\"").expect("a tag").includes("\"v12.m\""));
        assert!(parse("*").expect("a star").includes("\"v12.m\""));
    }
}
