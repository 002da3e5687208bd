//! Versions of an itinerary and their ETags (RFC 9110 §8.8 and §13).
//!
//! A tag is strong and names a version, a view and a role: `"v12.m"`. `If-Match` compares only the version, so that a
//! tag from any view is valid for a write. `If-None-Match` compares the whole tag, because each view is a
//! representation of its own.

use itinerary_api::read::FieldError;

use crate::access::{Standing, View};

/// The quoted ETag of a version for a reader. Because answers contain the reader's role, the tag does too: `w` for an
/// editor, `v` for a viewer, no letter for the owner and for readers who are not members. `s` before it marks a copy
/// whose reader is shown the source's id.
pub fn etag(version: i64, view: View, standing: Standing) -> String {
    let role = match standing {
        Standing::Owner | Standing::Reader => "",
        Standing::Editor => "w",
        Standing::Viewer => "v",
    };
    let source = if view.source { "s" } else { "" };
    format!("\"v{version}.{}{source}{role}\"", view.letters())
}

/// The tag of the compressed representation, which ends with `z`. `None` if the tag is not one of this server's.
pub fn compressed(etag: &str) -> Option<String> {
    let tag = etag.strip_prefix("\"v")?.strip_suffix('"')?;
    Some(format!("\"v{tag}z\""))
}

/// The value of an `If-Match` or `If-None-Match` header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tags {
    /// `*`: matches any version.
    Any,
    List(Vec<Tag>),
}

/// One entity tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tag {
    /// Whether it is weak (`W/"…"`).
    pub weak: bool,
    /// The text between the quotes.
    pub value: String,
}

impl Tags {
    /// Parses the header `name`. Anything but `*` or a list of quoted tags is an error of that field.
    pub fn parse(name: &str, value: &str) -> Result<Self, FieldError> {
        if value.trim() == "*" {
            return Ok(Self::Any);
        }
        tags(value).map(Self::List).ok_or_else(|| {
            FieldError::new(name, "must be the ETag that you last read, with its quotes, a list of such tags, or *")
        })
    }

    /// The version in the first tag that is this server's.
    pub fn version(&self) -> Option<i64> {
        match self {
            Self::Any => None,
            Self::List(tags) => tags.iter().find_map(|tag| named_version(&tag.value)?.parse().ok()),
        }
    }

    /// Whether a write may proceed: strong comparison of the version.
    pub fn allow_write(&self, version: i64) -> bool {
        let version = version.to_string();
        let is_version = |tag: &Tag| !tag.weak && named_version(&tag.value) == Some(&version);
        match self {
            Self::Any => true,
            Self::List(tags) => tags.iter().any(is_version),
        }
    }

    /// Whether the reader already has this representation, compressed or not: weak comparison of the whole tag.
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

/// The digits of the version in a tag.
fn named_version(tag: &str) -> Option<&str> {
    Some(tag.strip_prefix('v')?.split_once('.')?.0)
}

/// A list of tags: `"a", W/"b"`. Skips empty elements, as RFC 9110 §5.6.1 requires.
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
