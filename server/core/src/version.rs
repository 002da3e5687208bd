//! Versions of an itinerary and their ETags (RFC 9110 §8.8 and §13).
//!
//! A tag is strong and names a version, a view and a role: `"v12.m"`. `If-Match` compares only the version, so that a
//! tag from any view is valid for a write. `If-None-Match` compares the whole tag, because each view is a
//! representation of its own.

use crate::access::{Sections, Standing};

/// The quoted ETag of a version for a reader. Because responses contain the reader's role, the tag does too: `w` for an
/// editor, `v` for a viewer, no letter for the owner and for readers who are not members. `s` before it marks a copy
/// whose reader is shown the source's id.
pub fn etag(version: i64, sections: Sections, standing: Standing) -> String {
    let role = match standing {
        Standing::Owner | Standing::Reader => "",
        Standing::Editor => "w",
        Standing::Viewer => "v",
    };
    let source = if sections.source { "s" } else { "" };
    ["\"v", &version.to_string(), ".", sections.letters(), source, role, "\""].concat()
}

/// The tag of a representation whose image URLs use another base URL than the service's first one: `"v12.m@3f1c"`. The
/// mark stands for the present base URL. An empty mark leaves the tag as it is.
pub fn marked(etag: String, mark: &str) -> String {
    if mark.is_empty() { etag } else { format!("{}@{mark}\"", etag.trim_end_matches('"')) }
}

/// The tag of an export of this representation to a format: `"v12.m.ics"`.
pub fn export_etag(etag: &str, format: &str) -> String {
    format!("{}.{format}\"", etag.trim_end_matches('"'))
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
        assert_eq!(marked("\"v12.m\"".to_owned(), ""), "\"v12.m\"");
        assert_eq!(marked("\"v12.m\"".to_owned(), "3f1c"), "\"v12.m@3f1c\"");
        assert_eq!(export_etag("\"v12.mv\"", "ics"), "\"v12.mv.ics\"");
    }
}
