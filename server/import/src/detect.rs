//! The format of a file, by its content first: media types are often generic or wrong.

use crate::file::{File, Format};
use crate::text;

/// Bytes at the start of a text in which its format shows.
const START: usize = 4_096;

/// The format of a file. None if no reader knows it.
pub(crate) fn format(file: &File) -> Option<Format> {
    let media_type = file.media_type.unwrap_or_default();
    let media_type = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if file.content.starts_with(b"PK\x03\x04") {
        return archive(file, &media_type);
    }
    let is_binary = file.content.starts_with(b"%PDF") || is_binary(file.content);
    if is_binary {
        return None;
    }
    let start = text::decode(&file.content[..file.content.len().min(START)], None);
    let start = start.trim_start_matches('\u{feff}').trim_start();
    by_content(start).or_else(|| by_type(&media_type))
}

/// Passes and KMZ are both ZIP files. The names of their entries are not compressed.
fn archive(file: &File, media_type: &str) -> Option<Format> {
    let has = |name: &[u8]| text::find(file.content, name).is_some();
    match media_type {
        "application/vnd.apple.pkpass" | "application/vnd.apple.pkpasses" => Some(Format::Pass),
        "application/vnd.google-earth.kmz" => Some(Format::Kml),
        _ if has(b"pass.json") || has(b".pkpass") => Some(Format::Pass),
        _ if has(b".kml") => Some(Format::Kml),
        _ if has(b"data.json") => Some(Format::AdventureLog),
        _ => None,
    }
}

/// Whether the start has bytes that no text has: a zero, or more than a few control characters, which some programs write
/// into texts. UTF-16 has them too, but begins with its mark.
fn is_binary(content: &[u8]) -> bool {
    let has_mark = content.starts_with(b"\xff\xfe") || content.starts_with(b"\xfe\xff");
    // Escape switches between the sets of ISO-2022; the separators 0x1d and 0x1e occur in barcodes.
    let is_control = |byte: &&u8| matches!(byte, 1..=8 | 14..=26 | 28);
    let start = &content[..content.len().min(START)];
    !has_mark && (start.contains(&0) || start.iter().filter(is_control).count() > start.len() / 50)
}

fn by_content(start: &str) -> Option<Format> {
    let begins = |word: &str| start.get(..word.len()).is_some_and(|first| first.eq_ignore_ascii_case(word));
    if begins("BEGIN:VCALENDAR") || begins("BEGIN:VEVENT") {
        return Some(Format::Calendar);
    }
    if is_json(start) {
        // The exports of other programs are told apart by the reader of JSON.
        return Some(Format::JsonLd);
    }
    if start.starts_with('<') {
        return markup(start);
    }
    if is_boarding_pass(start) {
        return Some(Format::BoardingPass);
    }
    has_mail_headers(start).then_some(Format::Mail)
}

/// Whether a bracket is followed by what may follow it in JSON, and not by words as in notes.
fn is_json(start: &str) -> bool {
    let next = start.strip_prefix(['{', '[']).and_then(|rest| rest.trim_start().chars().next());
    next.is_some_and(|next| "\"{[}]/,".contains(next))
}

/// XML by its root, else HTML.
fn markup(start: &str) -> Option<Format> {
    let lower = start.to_ascii_lowercase();
    if lower.contains("<gpx") {
        Some(Format::Gpx)
    } else if lower.contains("<kml") {
        Some(Format::Kml)
    } else {
        let is_other_xml = lower.starts_with("<?xml") && !lower.contains("<html") && !lower.contains("<!doctype html");
        (!is_other_xml).then_some(Format::Html)
    }
}

/// IATA's barcode: `M`, the number of flights, a name, and the items of one flight up to its day, behind which blanks may
/// be missing.
fn is_boarding_pass(start: &str) -> bool {
    let bytes = start.as_bytes();
    bytes.len() >= 47
        && bytes[0] == b'M'
        && (b'1'..=b'4').contains(&bytes[1])
        && bytes[30..36].iter().all(u8::is_ascii_uppercase)
        && bytes[2..60.min(bytes.len())].iter().all(|byte| byte.is_ascii() && *byte >= b' ')
}

/// Whether the text begins with headers, one of which every mail has.
fn has_mail_headers(start: &str) -> bool {
    const EVERY_MAIL: [&str; 8] =
        ["from", "date", "received", "return-path", "delivered-to", "message-id", "mime-version", "subject"];
    let start = if start.starts_with("From ") { start.split_once('\n').map_or("", |(_, rest)| rest) } else { start };
    let mut known = 0;
    for line in start.lines() {
        if line.starts_with([' ', '\t']) {
            continue;
        }
        let Some((name, _)) = line.split_once(':') else { break };
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')) {
            break;
        }
        known += usize::from(EVERY_MAIL.iter().any(|header| header.eq_ignore_ascii_case(name)));
    }
    known >= 2
}

fn by_type(media_type: &str) -> Option<Format> {
    Some(match media_type {
        "message/rfc822" | "message/global" => Format::Mail,
        "text/html" | "application/xhtml+xml" => Format::Html,
        "application/ld+json" | "application/json" => Format::JsonLd,
        "text/calendar" => Format::Calendar,
        "application/gpx+xml" => Format::Gpx,
        "application/vnd.google-earth.kml+xml" => Format::Kml,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(media_type: Option<&str>, content: &[u8]) -> Option<Format> {
        format(&File { name: "", media_type, content })
    }

    const BOARDING_PASS: &[u8] = b"M1KERN/ADA            EABC123 BSLLISU2 1234 123Y012A0001 100";

    #[test]
    fn content_wins_over_the_type() {
        for (content, expected) in [
            (&b"BEGIN:VCALENDAR\r\n"[..], Format::Calendar),
            (b"\xef\xbb\xbf\n<!DOCTYPE html><html>", Format::Html),
            (b"\xff\xfe<\0p\0>\0", Format::Html),
            (b"<?xml version=\"1.0\"?><gpx version=\"1.1\">", Format::Gpx),
            (b"<?xml version=\"1.0\"?>\n<!-- x --><kml>", Format::Kml),
            (b" [{\"@type\": \"Event\"}]", Format::JsonLd),
            (b"PK\x03\x04...pass.json", Format::Pass),
            (b"PK\x03\x04...doc.kml", Format::Kml),
            (b"Return-Path: <a@b.example>\r\nDate: Fri, 15 May 2026 10:00:00 +0200\r\n\r\nHello", Format::Mail),
            (b"From a@b.example Fri May 15 10:00:00 2026\nFrom: a@b.example\nSubject: x\n\n", Format::Mail),
            (BOARDING_PASS, Format::BoardingPass),
        ] {
            let types = ["application/octet-stream", "text/plain; charset=utf-8", "image/png", "application/pdf"];
            for media_type in types.into_iter().map(Some).chain([None]) {
                assert_eq!(of(media_type, content), Some(expected), "{}", String::from_utf8_lossy(content));
            }
        }
    }

    #[test]
    fn a_control_character_does_not_make_a_text_binary() {
        let calendar = format!("BEGIN:VCALENDAR\r\nSUMMARY:red\u{7}x\r\n{}", "X-A:b\r\n".repeat(10));
        assert_eq!(of(None, calendar.as_bytes()), Some(Format::Calendar));
        assert_eq!(of(None, &[calendar.as_bytes(), b"\0"].concat()), None);
        assert_eq!(of(None, &b"BEGIN:VCALENDAR\x07\x07"[..]), None, "one in eight");
    }

    #[test]
    fn type_decides_where_the_content_does_not() {
        assert_eq!(of(Some("text/html"), b"Dear guest, <b>thanks</b>"), Some(Format::Html));
        assert_eq!(of(Some("message/rfc822"), b"X-A: b\n\nText"), Some(Format::Mail));
    }

    #[test]
    fn other_files_have_no_format() {
        for content in [
            &b""[..],
            b"Dear guest,\nyour room is booked.",
            b"[x] buy milk",
            b"%PDF-1.7",
            b"PK\x03\x04...word/document.xml",
            b"\x89PNG\r\n\x1a\n",
            b"Note: buy milk\nTodo: more",
            b"<?xml version=\"1.0\"?><rss>",
        ] {
            assert_eq!(of(None, content), None);
            assert_eq!(of(Some("text/plain"), content), None);
        }
    }
}
