//! Mails: headers and parts, decoded.
//!
//! Parts are files of their own, for the readers of their formats. Nested mails are parts too: the caller reads them within
//! its limits.

use std::borrow::Cow;
use std::collections::HashSet;

use chrono::{DateTime, Utc};
use mail_parser::decoders::{base64::base64_decode, quoted_printable::quoted_printable_decode};
use mail_parser::{ContentType, Encoding, HeaderName, Message, MessageParser, MessagePart, MimeHeaders, PartType};

use crate::budget::Exceeded;
use crate::text::{self, positions_ignoring_case};

/// Lines of one mail. Each may be a header or a part, and takes memory as such.
const MAX_LINES: usize = 200_000;
/// Bytes of the mail times its boundaries: the parser may search the whole mail for each.
const MAX_SEARCH: usize = 200_000_000;
/// Parameters of one header: the parser compares each with all others.
const MAX_PARAMETERS: usize = 500;
/// Types whose parts the parser would parse itself, to any depth, and what is written instead.
const NESTED: [(&[u8], &[u8]); 3] = [(b"rfc822", b"rfc8_2"), (b"global", b"glob_l"), (b"digest", b"diges_")];

/// A mail.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mail {
    /// Its subject.
    pub subject: Option<String>,
    /// When it was sent.
    pub written: Option<DateTime<Utc>>,
    /// All parts but multiparts, in order.
    pub parts: Vec<Part>,
    /// Whether it is encrypted, by PGP or S/MIME.
    pub is_encrypted: bool,
}

/// A part of a mail.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The file name. Empty for the mail's own text.
    pub name: String,
    /// The media type. Text is in the charset that it names.
    pub media_type: String,
    /// The decoded content.
    pub content: Vec<u8>,
}

/// Parses a mail. None if it has no header.
pub fn read(content: &[u8]) -> Result<Option<Mail>, Exceeded> {
    let content = without_mailbox_line(content);
    check_size(content)?;
    let content = hide_nested(content);
    let parser = MessageParser::new()
        .with_mime_headers()
        .header_date(HeaderName::Date)
        .header_text(HeaderName::Subject)
        .default_header_ignore();
    let message = parser.parse(content.as_ref()).filter(|message| !message.headers().is_empty());
    Ok(message.map(|message| mail(&message)))
}

/// Mailbox files and some programs begin a mail with `From somebody at a time`, others with empty lines.
fn without_mailbox_line(content: &[u8]) -> &[u8] {
    let content = content.strip_prefix(b"\xef\xbb\xbf").unwrap_or(content).trim_ascii_start();
    let is_line = content.starts_with(b"From ") || content.starts_with(b">From ");
    let end = content.iter().position(|byte| *byte == b'\n').filter(|_| is_line);
    end.map_or(content, |end| &content[end + 1..])
}

fn check_size(content: &[u8]) -> Result<(), Exceeded> {
    let lines = memchr::memchr_iter(b'\n', content).count();
    let boundaries = positions_ignoring_case(content, b"boundary").count();
    let is_over = lines > MAX_LINES || boundaries.saturating_mul(content.len()) > MAX_SEARCH;
    if is_over || has_long_header(content) { Err(Exceeded::Elements) } else { Ok(()) }
}

/// Whether a header has so many parameters that parsing them takes long.
fn has_long_header(content: &[u8]) -> bool {
    [b"content-type".as_slice(), b"content-disposition"].into_iter().any(|name| {
        let mut end = 0;
        values_of(content, name).any(|start| {
            if start < end {
                return false;
            }
            end = start + header_length(&content[start..]);
            memchr::memchr_iter(b';', &content[start..end]).count() > MAX_PARAMETERS
        })
    })
}

/// Renames the types of nested mails in headers, so that they are parsed like files.
fn hide_nested(content: &[u8]) -> Cow<'_, [u8]> {
    let mut hidden = Cow::Borrowed(content);
    let mut end = 0;
    for start in values_of(content, b"content-type") {
        if start < end {
            continue;
        }
        end = start + type_length(&content[start..]);
        for (name, replacement) in NESTED {
            for at in positions_ignoring_case(&content[start..end], name) {
                hidden.to_mut()[start + at..start + at + name.len()].copy_from_slice(replacement);
            }
        }
    }
    hidden
}

/// Where values of headers named `name` may begin. The parser ignores spaces in names, and finds headers behind a boundary
/// in the middle of a line.
fn values_of<'a>(content: &'a [u8], name: &'a [u8]) -> impl Iterator<Item = usize> + 'a {
    memchr::memchr_iter(b':', content)
        .filter(move |colon| ends_with_name(&content[..*colon], name))
        .map(|colon| colon + 1)
}

fn ends_with_name(line: &[u8], name: &[u8]) -> bool {
    let mut before = line.iter().rev().filter(|byte| !matches!(byte, b' ' | b'\t' | b'\r' | b'\x0c'));
    name.iter().rev().all(|expected| before.next().is_some_and(|byte| byte.eq_ignore_ascii_case(expected)))
}

/// The length of a value with its continued lines.
fn header_length(value: &[u8]) -> usize {
    let mut ends = memchr::memchr_iter(b'\n', value);
    ends.find(|end| !matches!(value.get(end + 1), Some(b' ' | b'\t'))).unwrap_or(value.len())
}

/// The length of a media type, up to its parameters. A comment may have semicolons.
fn type_length(value: &[u8]) -> usize {
    let header = &value[..header_length(value)];
    match memchr::memchr2(b';', b'(', header) {
        Some(at) if header[at] == b';' => at,
        _ => header.len(),
    }
}

fn mail(message: &Message) -> Mail {
    let in_digests: HashSet<u32> = message
        .parts
        .iter()
        .filter(|part| subtype(part.content_type()).eq_ignore_ascii_case("diges_"))
        .filter_map(|part| part.sub_parts())
        .flatten()
        .copied()
        .collect();
    let leaves = message.parts.iter().zip(0..).filter(|(part, _)| !part.is_multipart());
    let parts: Vec<Part> = leaves.map(|(part, id)| leaf(part, message, in_digests.contains(&id))).collect();
    Mail {
        subject: message.subject().map(str::to_owned),
        written: message.date().and_then(|date| DateTime::from_timestamp(date.to_timestamp(), 0)),
        is_encrypted: message.parts.iter().any(is_encrypted) || parts.iter().any(is_pgp_text),
        parts,
    }
}

fn subtype<'m>(content_type: Option<&'m ContentType>) -> &'m str {
    content_type.and_then(ContentType::subtype).unwrap_or_default()
}

fn leaf(part: &MessagePart, message: &Message, is_in_digest: bool) -> Part {
    let name = part.attachment_name().unwrap_or_default().to_owned();
    let content_type = part.content_type();
    let media_type = match content_type {
        None if is_in_digest => "message/rfc822".to_owned(),
        None => "text/plain".to_owned(),
        Some(content_type) => match (content_type.ctype(), content_type.subtype().unwrap_or_default()) {
            ("message", "rfc8_2" | "glob_l") => "message/rfc822".to_owned(),
            (kind, subtype) => format!("{kind}/{subtype}"),
        },
    };
    match &part.body {
        PartType::Text(text) | PartType::Html(text) => {
            let has_charset = content_type.is_some_and(|content_type| content_type.attribute("charset").is_some());
            let text = if has_charset || !text.contains('\u{fffd}') {
                Cow::Borrowed(text.as_ref())
            } else {
                again(part, message)
            };
            let media_type =
                if media_type.starts_with("text/") { format!("{media_type}; charset=utf-8") } else { media_type };
            Part { name, media_type, content: text.into_owned().into_bytes() }
        }
        _ => Part { name, media_type, content: part.contents().to_vec() },
    }
}

/// Decodes text again that names no charset and is not UTF-8.
fn again<'m>(part: &MessagePart, message: &'m Message) -> Cow<'m, str> {
    let raw = message.raw_message.get(part.offset_body as usize..part.offset_end as usize).unwrap_or_default();
    let decoded = match part.encoding {
        Encoding::None => None,
        Encoding::QuotedPrintable => quoted_printable_decode(raw),
        Encoding::Base64 => base64_decode(raw),
    };
    match decoded {
        Some(decoded) => Cow::Owned(text::decode(&decoded, None).into_owned()),
        None => text::decode(raw, None),
    }
}

fn is_encrypted(part: &MessagePart) -> bool {
    let Some(content_type) = part.content_type() else { return false };
    // Data of S/MIME that is only signed hides the mail as well.
    matches!(
        (content_type.ctype(), content_type.subtype().unwrap_or_default()),
        ("multipart", "encrypted") | ("application", "pkcs7-mime" | "x-pkcs7-mime")
    )
}

fn is_pgp_text(part: &Part) -> bool {
    part.media_type.starts_with("text/plain")
        && part.content.trim_ascii_start().starts_with(b"-----BEGIN PGP MESSAGE-----")
}
