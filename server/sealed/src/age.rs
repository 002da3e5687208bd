//! age v1 files (C2SP age specification). Reads the header line by line and counts the payload. Armor is handled in
//! `pem.rs`.

use std::mem;

use crate::base64_text::STANDARD;
use crate::{NotSealed, SealCheck, ensure};

/// The first bytes of every age file, in any version.
pub(crate) const MAGIC: &[u8] = b"age-encryption.org/";

const INTRO: &[u8] = b"age-encryption.org/v1";
/// The maximum length of a stanza's arguments. The longest ones of a native recipient type have 1,560 bytes.
const MAX_LINE: usize = 8 * 1024;
const MAX_HEADER: usize = 64 * 1024;
const COLUMNS: usize = 64;
/// The size of keys and the MAC, and of an encrypted file key.
const KEY: u64 = 32;
const NONCE: u64 = 16;
const TAG: u64 = 16;
const CHUNK: u64 = 64 * 1024 + TAG;

/// The state of reading an age file.
#[derive(Debug)]
pub(crate) struct Age {
    expects: AgeState,
    /// The line of the header that is being read.
    line: Vec<u8>,
    header_len: usize,
    stanzas: usize,
    has_scrypt: bool,
    /// Of a known recipient type, whose body is an encrypted file key.
    is_known: bool,
    body_len: u64,
    payload_len: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AgeState {
    Intro,
    Stanza,
    /// A stanza or the line with the MAC.
    StanzaOrEnd,
    Body,
    Payload,
}

impl Age {
    pub(crate) fn new() -> Self {
        Self {
            expects: AgeState::Intro,
            line: Vec::new(),
            header_len: 0,
            stanzas: 0,
            has_scrypt: false,
            is_known: false,
            body_len: 0,
            payload_len: 0,
        }
    }

    pub(crate) fn push(&mut self, mut bytes: &[u8]) -> SealCheck {
        while self.expects != AgeState::Payload {
            let end = memchr::memchr(b'\n', bytes);
            self.extend_line(&bytes[..end.unwrap_or(bytes.len())])?;
            let Some(end) = end else { return Ok(()) };
            bytes = &bytes[end + 1..];
            let line = mem::take(&mut self.line);
            self.expects = self.header_line(&line)?;
        }
        self.skip(bytes.len() as u64);
        Ok(())
    }

    /// The number of next bytes that are only counted.
    pub(crate) fn skippable(&self) -> u64 {
        if self.expects == AgeState::Payload { u64::MAX } else { 0 }
    }

    /// Counts this many bytes as pushed, at most [`skippable`](Self::skippable).
    pub(crate) fn skip(&mut self, count: u64) {
        self.payload_len = self.payload_len.saturating_add(count);
    }

    pub(crate) fn finish(self) -> SealCheck {
        ensure(self.expects == AgeState::Payload, "The age header is truncated.")?;
        ensure(self.payload_len >= NONCE, "The age file ends before the end of its payload's nonce.")?;
        let chunks = self.payload_len - NONCE;
        let last = chunks % CHUNK;
        let is_whole = chunks == TAG || (last == 0 && chunks > 0) || last > TAG;
        ensure(is_whole, "The age payload is truncated: its last chunk is too short.")
    }

    fn extend_line(&mut self, bytes: &[u8]) -> SealCheck {
        // Checked before the copy, so that a line uses no more memory than the limit.
        ensure(self.line.len() + bytes.len() <= MAX_LINE, "A line of the age header is longer than 8 KiB.")?;
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    /// Returns the kind of the next line.
    fn header_line(&mut self, line: &[u8]) -> SealCheck<AgeState> {
        self.header_len += line.len() + 1;
        ensure(self.header_len <= MAX_HEADER, "The age header is larger than 64 KiB.")?;
        match self.expects {
            AgeState::Intro => {
                ensure(line == INTRO, "The first line of the age file is not `age-encryption.org/v1`.")?;
                Ok(AgeState::Stanza)
            }
            AgeState::StanzaOrEnd if line.starts_with(b"---") => self.end(line),
            AgeState::Stanza | AgeState::StanzaOrEnd => self.stanza(line),
            AgeState::Body | AgeState::Payload => self.body(line),
        }
    }

    fn stanza(&mut self, line: &[u8]) -> SealCheck<AgeState> {
        let arguments = line.strip_prefix(b"-> ").ok_or_else(|| {
            NotSealed::because("The age header has a line that is not a recipient stanza, which begins with `-> `.")
        })?;
        let arguments: Vec<&[u8]> = arguments.split(|&byte| byte == b' ').collect();
        let are_visible = arguments.iter().all(|it| !it.is_empty() && it.iter().all(u8::is_ascii_graphic));
        ensure(are_visible, "A recipient stanza of the age header has an argument that is not visible ASCII.")?;
        self.is_known = match known_recipient(&arguments) {
            Some(is_right) => {
                ensure(is_right, "A recipient stanza of the age header has other arguments than its type needs.")?;
                true
            }
            None => false,
        };
        self.has_scrypt |= arguments[0] == b"scrypt";
        self.stanzas += 1;
        self.body_len = 0;
        Ok(AgeState::Body)
    }

    fn body(&mut self, line: &[u8]) -> SealCheck<AgeState> {
        ensure(line.len() <= COLUMNS, "A recipient's body in the age header has a line longer than 64 columns.")?;
        let len = STANDARD.decoded_len(line).ok_or_else(|| {
            NotSealed::because("A recipient's body in the age header is not canonical unpadded base64.")
        })?;
        self.body_len += len;
        if line.len() == COLUMNS {
            return Ok(AgeState::Body);
        }
        let is_key = !self.is_known || self.body_len == KEY;
        ensure(is_key, "A recipient's body in the age header is not an encrypted file key of 32 bytes.")?;
        Ok(AgeState::StanzaOrEnd)
    }

    fn end(&self, line: &[u8]) -> SealCheck<AgeState> {
        let mac = line.strip_prefix(b"--- ").and_then(|mac| STANDARD.decoded_len(mac));
        ensure(mac == Some(KEY), "The age header does not end with a MAC of 32 bytes in canonical unpadded base64.")?;
        ensure(
            !self.has_scrypt || self.stanzas == 1,
            "The age header has an scrypt stanza beside others; it must be the only one.",
        )?;
        Ok(AgeState::Payload)
    }
}

/// Whether the arguments are valid, if the recipient type is one of the age specification.
fn known_recipient(arguments: &[&[u8]]) -> Option<bool> {
    let (name, rest) = arguments.split_first()?;
    let lengths: &[u64] = match *name {
        b"X25519" => &[KEY],
        b"mlkem768x25519" => &[1120],
        b"p256tag" => &[4, 65],
        b"mlkem768p256tag" => &[4, 1153],
        b"scrypt" => {
            return Some(matches!(rest, [salt, factor] if is_bytes(salt, 16) && is_work_factor(factor)));
        }
        _ => return None,
    };
    Some(rest.len() == lengths.len() && rest.iter().zip(lengths).all(|(text, &len)| is_bytes(text, len)))
}

fn is_bytes(text: &[u8], len: u64) -> bool {
    STANDARD.decoded_len(text) == Some(len)
}

/// A base-two logarithm, 1 to 63, without leading zeros.
fn is_work_factor(text: &[u8]) -> bool {
    matches!(text, [b'1'..=b'9'] | [b'1'..=b'5', b'0'..=b'9'] | [b'6', b'0'..=b'3'])
}
