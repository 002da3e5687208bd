//! Versions of an itinerary and the tags that name them (RFC 9110 §8.8 and §13).
//!
//! A tag is strong and names a version, a view and a role: `"v12.m"`. `If-Match` compares versions alone, so that a tag from any
//! view is good for a write; `If-None-Match` compares the whole tag, because another view is another representation.

use crate::access::{Sections, Standing};

/// The tag of a version as someone sees it, with its quotes. Answers say what the reader may do, so the tag does too: `w`
/// stands for an editor, `v` for a member who reads, no letter for the owner and for readers who are no members. Before it, `s`
/// stands for a copy that tells its reader what it is a copy of.
pub fn etag(version: i64, sections: Sections, standing: Standing) -> String {
    let role = match standing {
        Standing::Owner | Standing::Reader => "",
        Standing::Editor => "w",
        Standing::Viewer => "v",
    };
    let source = if sections.source { "s" } else { "" };
    format!("\"v{version}.{}{source}{role}\"", sections.letters())
}

/// The tag of the compressed representation: the same with a `z`. `None` for what is no tag of ours.
pub fn compressed(etag: &str) -> Option<String> {
    let tag = etag.strip_prefix("\"v")?.strip_suffix('"')?;
    Some(format!("\"v{tag}z\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_names_version_view_and_role() {
        let sections = Sections { members: true, pro: false, documents: false, source: false };
        assert_eq!(etag(12, sections, Standing::Owner), "\"v12.m\"");
        assert_eq!(etag(12, sections, Standing::Editor), "\"v12.mw\"");
        assert_eq!(etag(12, sections, Standing::Viewer), "\"v12.mv\"");
        assert_eq!(etag(12, sections.with_source(true), Standing::Owner), "\"v12.ms\"");
        assert_eq!(etag(12, sections.with_source(true), Standing::Viewer), "\"v12.msv\"");
        assert_eq!(compressed("\"v12.m\"").as_deref(), Some("\"v12.mz\""));
        assert_eq!(compressed("\"0198c0de\""), None);
    }
}
