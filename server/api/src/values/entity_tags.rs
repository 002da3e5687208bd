//! The tags of `If-Match` and `If-None-Match` (RFC 9110 §8.8 and §13).

use super::limits;

/// The value of an `If-Match` or `If-None-Match` header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntityTags {
    /// `*`: any version.
    Any,
    /// One or more tags; the request matches if one of them does.
    List(Vec<EntityTag>),
}

/// An entity tag, such as `"v12.m"`; weak with the prefix `W/`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntityTag {
    weak: bool,
    /// The text between the quotes.
    value: String,
}

impl EntityTags {
    /// Parses a header. The error says what is expected.
    pub fn parse(value: &str) -> Result<Self, String> {
        let value = value.trim_matches(BLANKS);
        if value == "*" {
            return Ok(Self::Any);
        }
        let tags = if value.len() <= limits::ENTITY_TAGS { tags(value) } else { None };
        tags.map(Self::List).ok_or_else(|| {
            format!(
                "must be the ETag that you last read, with its quotes, a list of such tags with at most {} characters, \
                 or *",
                limits::ENTITY_TAGS
            )
        })
    }

    /// The version in the first tag that this server can have issued.
    pub fn version(&self) -> Option<i64> {
        match self {
            Self::Any => None,
            Self::List(tags) => tags.iter().find_map(|tag| named_version(&tag.value)?.parse().ok()),
        }
    }

    /// The version of the only tag, if it is strong: the one on which a change is based.
    pub fn only_version(&self) -> Option<i64> {
        match self {
            Self::List(tags) => match &tags[..] {
                [tag] if !tag.weak => named_version(&tag.value)?.parse().ok(),
                _ => None,
            },
            Self::Any => None,
        }
    }

    /// Whether a write of this version is allowed: strong comparison of the version alone.
    pub fn allow_write(&self, version: i64) -> bool {
        let version = version.to_string();
        let is_version = |tag: &EntityTag| !tag.weak && named_version(&tag.value) == Some(&version);
        match self {
            Self::Any => true,
            Self::List(tags) => tags.iter().any(is_version),
        }
    }

    /// Whether the client has this representation: weak comparison of the whole tag.
    pub fn includes(&self, etag: &str) -> bool {
        match self {
            Self::Any => true,
            Self::List(tags) => {
                let etag = etag.trim_matches('"');
                tags.iter().any(|tag| etag == tag.value)
            }
        }
    }
}

/// The version in a tag, as text: a number with leading zeros is another version.
fn named_version(tag: &str) -> Option<&str> {
    Some(tag.strip_prefix('v')?.split_once('.')?.0)
}

const BLANKS: [char; 2] = [' ', '\t'];

/// Parses a list of tags: `"a", W/"b"`. Ignores empty elements (RFC 9110 §5.6.1). Accepts visible ASCII characters only:
/// the obsolete ones beyond are rejected.
fn tags(value: &str) -> Option<Vec<EntityTag>> {
    let mut tags = Vec::new();
    let mut rest = value;
    loop {
        rest = rest.trim_start_matches([' ', '\t', ',']);
        if rest.is_empty() {
            return (!tags.is_empty()).then_some(tags);
        }
        let (weak, quoted) = rest.strip_prefix("W/").map_or((false, rest), |quoted| (true, quoted));
        let (value, after) = quoted.strip_prefix('"')?.split_once('"')?;
        if !value.bytes().all(|byte| byte.is_ascii_graphic()) {
            return None;
        }
        tags.push(EntityTag { weak, value: value.to_owned() });
        rest = after.trim_start_matches(BLANKS);
        if !rest.is_empty() && !rest.starts_with(',') {
            return None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(value: &str) -> EntityTags {
        EntityTags::parse(value).expect(value)
    }

    #[test]
    fn a_write_needs_a_strong_tag_of_the_version_in_any_view() {
        for good in ["\"v12.m\"", "\"v12.mpd\"", "\"v12.m.ics\"", "*", " * ", "\"v1.m\", \"v12.e\"", ",, \"v12.m\" ,"] {
            assert!(parse(good).allow_write(12), "{good}");
        }
        for stale in ["W/\"v12.m\"", "\"v11.m\"", "\"v012.m\"", "\"12\"", "\"\"", "\"v12\"", "\"anything\""] {
            assert!(!parse(stale).allow_write(12), "{stale}");
        }
    }

    #[test]
    fn malformed_entity_tag_lists_are_rejected() {
        let bad = [
            "v12.m",
            "",
            "\"v12.m",
            "\"a\" \"b\"",
            "w/\"v12.m\"",
            "\"a\", *",
            ",",
            "\"a\"x",
            "\"a b\"",
            "\"\u{e9}\"",
            "\u{a0}*",
        ];
        for bad in bad {
            assert!(EntityTags::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_list_has_a_limit() {
        let list = |length: usize| format!("\"{}\"", "a".repeat(length - 2));
        assert!(EntityTags::parse(&list(limits::ENTITY_TAGS)).is_ok());
        assert!(EntityTags::parse(&list(limits::ENTITY_TAGS + 1)).is_err());
    }

    #[test]
    fn a_read_compares_the_whole_tag() {
        for same in ["\"v12.m\"", "W/\"v12.m\"", "*"] {
            assert!(parse(same).includes("\"v12.m\""), "{same}");
        }
        for other in ["\"v12.mz\"", "\"v12.mp\"", "\"v12.m.ics\""] {
            assert!(!parse(other).includes("\"v12.m\""), "{other}");
        }
    }
}
