//! Names the format of an unsealed file by its first bytes. Used only for error messages, not for decisions.

use crate::NotSealed;

/// The first bytes of well-known formats.
const MAGICS: &[(&[u8], &str)] = &[
    (b"%PDF", "It is a PDF file."),
    (b"\xFF\xD8\xFF", "It is a JPEG picture."),
    (b"\x89PNG\r\n\x1A\n", "It is a PNG picture."),
    (b"GIF8", "It is a GIF picture."),
    (b"RIFF", "It is a WebP picture or another RIFF file."),
    (b"II*\0", "It is a TIFF picture."),
    (b"MM\0*", "It is a TIFF picture."),
    (b"PK\x03\x04", "It is a ZIP archive or an Office document."),
    (b"PK\x05\x06", "It is a ZIP archive."),
    (b"\xD0\xCF\x11\xE0", "It is an Office document."),
    (b"7z\xBC\xAF\x27\x1C", "It is a 7-Zip archive."),
    (b"\x1F\x8B", "It is a gzip archive."),
    (b"Salted__", "It is encrypted with `openssl enc`, which is not accepted."),
    (b"MIME-Version:", "It is an S/MIME message. Its CMS structure is expected, in DER or PEM."),
    (b"\xFF\xFE", PLAIN_TEXT),
    (b"\xFE\xFF", PLAIN_TEXT),
];

const PLAIN_TEXT: &str = "It is plain text.";

/// The name of the format, if it is known.
pub(crate) fn recognise(head: &[u8]) -> Option<NotSealed> {
    let magic = MAGICS.iter().find(|(magic, _)| head.starts_with(magic)).map(|&(_, reason)| reason);
    let reason = magic.or_else(|| is_media(head).then_some("It is a HEIC picture or another file of the MP4 family."));
    reason.or_else(|| is_text(head).then_some(PLAIN_TEXT)).map(NotSealed::because)
}

/// A guess, if no other format matches.
pub(crate) fn unknown(head: &[u8]) -> NotSealed {
    let reason = if is_openpgp(head) {
        "It is an OpenPGP file. OpenPGP is not accepted."
    } else {
        "It has none of the accepted formats."
    };
    NotSealed::because(reason)
}

fn is_media(head: &[u8]) -> bool {
    head.get(4..8) == Some(b"ftyp")
}

/// UTF-8 without control characters. The last character may be incomplete.
fn is_text(head: &[u8]) -> bool {
    let text = match str::from_utf8(head) {
        Ok(text) => text,
        Err(error) if error.error_len().is_none() => str::from_utf8(&head[..error.valid_up_to()]).unwrap_or_default(),
        Err(_) => return false,
    };
    !text.is_empty() && text.chars().all(|it| !it.is_control() || matches!(it, '\t' | '\r' | '\n'))
}

/// Whether the file begins with an `OpenPGP` packet of an encrypted session key, or of encrypted data.
fn is_openpgp(head: &[u8]) -> bool {
    let (kind, version) = match *head {
        // The old format: the length takes one or two bytes.
        [tag @ (0x84 | 0x8C), _, version, ..] | [tag @ (0x85 | 0x8D), _, _, version, ..] => {
            (tag >> 2 & 0b1111, version)
        }
        // The new format: likewise.
        [tag @ (0xC1 | 0xC3 | 0xD2), 0..192, version, ..] | [tag @ (0xC1 | 0xC3 | 0xD2), 192..=255, _, version, ..] => {
            (tag & 0b11_1111, version)
        }
        _ => return false,
    };
    matches!((kind, version), (1, 2 | 3 | 6) | (3, 4..=6) | (18, 1 | 2))
}
