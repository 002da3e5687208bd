//! Media types.

use super::limits;
use super::text::checked_text;

checked_text!(
    /// A media type (RFC 6838) without parameters, such as `application/pdf`; at most 127 characters.
    MediaType,
    |text| {
        let is_name = |name: &str| {
            let is_first = |byte: u8| byte.is_ascii_alphanumeric();
            let is_rest = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&byte);
            name.bytes().next().is_some_and(is_first) && name.bytes().all(is_rest)
        };
        let is_type = text.split_once('/').is_some_and(|(kind, subtype)| is_name(kind) && is_name(subtype));
        if is_type && text.len() <= limits::MEDIA_TYPE {
            Ok(())
        } else {
            Err("must be a media type without parameters, such as application/pdf".to_owned())
        }
    },
    format: None,
    pattern: Some("^[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*$"),
    max: Some(limits::MEDIA_TYPE)
);
