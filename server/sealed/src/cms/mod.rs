//! CMS in DER: parses the grammar as a stream. Holds the open elements, not their contents.
//!
//! Rejects BER with indefinite lengths. PEM is handled in `pem.rs`.

mod algorithm;
mod grammar;

use self::algorithm::Algorithm;
use self::grammar::{Choices, FILE, Holds, SequenceField, Value};
use crate::{NotSealed, SealCheck, ensure};

pub(crate) use self::grammar::SEQUENCE;

const MAX_DEPTH: usize = 32;
/// The maximum size of a buffered value.
const MAX_VALUE: u64 = 512;
/// The maximum total size of recipients, certificates and attributes.
const MAX_OTHER: u64 = 64 * 1024;
/// An element's tag, and a length of at most four bytes.
const MAX_HEADER: usize = 6;

/// Object identifiers of content types.
const ENVELOPED_DATA: &[u8] = b"\x2A\x86\x48\x86\xF7\x0D\x01\x07\x03";
const AUTH_ENVELOPED_DATA: &[u8] = b"\x2A\x86\x48\x86\xF7\x0D\x01\x09\x10\x01\x17";
const OTHER_TYPES: &[(&[u8], &str)] = &[
    (b"\x2A\x86\x48\x86\xF7\x0D\x01\x07\x01", "It is CMS Data, which is not encrypted."),
    (b"\x2A\x86\x48\x86\xF7\x0D\x01\x07\x02", "It is CMS SignedData: signed, not encrypted."),
    (b"\x2A\x86\x48\x86\xF7\x0D\x01\x07\x05", "It is CMS DigestedData, which is not encrypted."),
    (b"\x2A\x86\x48\x86\xF7\x0D\x01\x07\x06", "It is CMS EncryptedData, which names no recipient."),
    (b"\x2A\x86\x48\x86\xF7\x0D\x01\x09\x10\x01\x02", "It is CMS AuthenticatedData, which is not encrypted."),
    (b"\x2A\x86\x48\x86\xF7\x0D\x01\x09\x10\x01\x09", "It is CMS CompressedData, which is not encrypted."),
];

/// The state of reading a CMS structure.
#[derive(Debug)]
pub(crate) struct Cms {
    /// The open elements, outermost first.
    open: Vec<Open>,
    reads: CmsState,
    /// The bytes of the current tag and length.
    header: Vec<u8>,
    is_authenticated: bool,
    algorithm: Option<Algorithm>,
    ciphertext_len: u64,
    mac_len: u64,
    /// The number of bytes except the ciphertext.
    other_len: u64,
}

/// A constructed element.
#[derive(Debug)]
struct Open {
    holds: Holds,
    /// The number of its bytes that do not belong to a nested element yet.
    left: u64,
    /// The number of fields or elements that have been read.
    passed: usize,
}

/// The meaning of the next bytes.
#[derive(Debug)]
enum CmsState {
    /// The tag and length of an element.
    Header,
    /// A value that is buffered and checked as a whole.
    Value { value: Value, left: u64, bytes: Vec<u8> },
    /// Bytes that are only counted.
    Bytes { left: u64 },
    /// Nothing: the structure is complete.
    Nothing,
}

impl Cms {
    pub(crate) fn new() -> Self {
        Self {
            open: vec![Open { holds: FILE, left: u64::MAX, passed: 0 }],
            reads: CmsState::Header,
            header: Vec::with_capacity(MAX_HEADER),
            is_authenticated: false,
            algorithm: None,
            ciphertext_len: 0,
            mac_len: 0,
            other_len: 0,
        }
    }

    pub(crate) fn push(&mut self, mut bytes: &[u8]) -> SealCheck {
        while let Some((&first, rest)) = bytes.split_first() {
            match &mut self.reads {
                CmsState::Header => {
                    self.header.push(first);
                    bytes = rest;
                    if let Some((tag, len)) = element_header(&self.header)? {
                        let header_len = self.header.len() as u64;
                        self.header.clear();
                        self.begin(tag, header_len, len)?;
                    }
                }
                CmsState::Value { value, left, bytes: read } => {
                    read.push(first);
                    bytes = rest;
                    *left -= 1;
                    if *left == 0 {
                        let (value, read) = (*value, std::mem::take(read));
                        self.look_at(value, &read)?;
                        self.end()?;
                    }
                }
                CmsState::Bytes { left } => {
                    let count = bytes.len().min(usize::try_from(*left).unwrap_or(usize::MAX));
                    bytes = &bytes[count..];
                    self.skip(count as u64);
                    if matches!(self.reads, CmsState::Bytes { left: 0 }) {
                        self.end()?;
                    }
                }
                CmsState::Nothing => {
                    return Err(NotSealed::because("The file continues after the end of the CMS structure."));
                }
            }
        }
        Ok(())
    }

    /// The number of next bytes that are only counted, minus one, so that [`push`](Self::push) ends the element.
    pub(crate) fn skippable(&self) -> u64 {
        match self.reads {
            CmsState::Bytes { left } => left.saturating_sub(1),
            _ => 0,
        }
    }

    /// Counts this many bytes as pushed, at most [`skippable`](Self::skippable).
    pub(crate) fn skip(&mut self, count: u64) {
        if let CmsState::Bytes { left } = &mut self.reads {
            *left = left.saturating_sub(count);
        }
    }

    pub(crate) fn finish(self) -> SealCheck {
        ensure(matches!(self.reads, CmsState::Nothing), "The CMS structure is truncated.")?;
        ensure(self.ciphertext_len > 0, "The CMS structure has no ciphertext: `encryptedContent` is empty.")?;
        let algorithm = self.algorithm.ok_or_else(|| NotSealed::because("The CMS structure is not encrypted."))?;
        algorithm.check_lengths(self.ciphertext_len, self.mac_len)
    }

    /// Starts an element.
    fn begin(&mut self, tag: u8, header_len: u64, len: u64) -> SealCheck {
        let holds = self.place(tag, header_len + len)?;
        let has_own_bytes = !matches!(holds, Holds::Ciphertext) && !is_constructed(tag);
        self.other_len += header_len + if has_own_bytes { len } else { 0 };
        ensure(self.other_len <= MAX_OTHER, "The CMS structure has more than 64 KiB beside its ciphertext.")?;
        self.reads = match holds {
            Holds::Value(value) => {
                ensure(len <= MAX_VALUE, "The CMS structure has a field that is longer than 512 bytes.")?;
                CmsState::Value { value, left: len, bytes: Vec::new() }
            }
            Holds::Ciphertext => {
                self.ciphertext_len += len;
                CmsState::Bytes { left: len }
            }
            Holds::Mac => {
                self.mac_len = len;
                CmsState::Bytes { left: len }
            }
            Holds::Anything if !is_constructed(tag) => CmsState::Bytes { left: len },
            Holds::Fields(_) | Holds::Many(_) | Holds::Anything | Holds::Envelope => {
                ensure(self.open.len() < MAX_DEPTH, "The CMS structure is nested deeper than 32 levels.")?;
                let holds = self.resolve(holds);
                self.open.push(Open { holds, left: len, passed: 0 });
                CmsState::Header
            }
        };
        match (&self.reads, len) {
            (CmsState::Value { .. }, 0) => Err(NotSealed::because("The CMS structure has a field that is empty.")),
            (CmsState::Bytes { .. } | CmsState::Header, 0) => self.end(),
            _ => Ok(()),
        }
    }

    /// The contents of an element with this tag and size at this point of the grammar.
    fn place(&mut self, tag: u8, size: u64) -> SealCheck<Holds> {
        // There is always one: reading ends with the outermost element.
        let Some(open) = self.open.last_mut() else { return Ok(Holds::Anything) };
        open.left = open.left.checked_sub(size).ok_or_else(|| {
            NotSealed::because("The CMS structure has an element that is longer than the one that holds it.")
        })?;
        match open.holds {
            Holds::Fields(fields) => {
                let (field, holds) = next_field(fields, open.passed, tag)?;
                open.passed = field + 1;
                Ok(holds)
            }
            Holds::Many(choices) => {
                open.passed += 1;
                choose(choices, tag)
                    .ok_or_else(|| NotSealed::because("The CMS structure has a list with an element of a wrong type."))
            }
            _ => Ok(Holds::Anything),
        }
    }

    fn resolve(&self, holds: Holds) -> Holds {
        match holds {
            Holds::Envelope if self.is_authenticated => grammar::AUTH_ENVELOPED_DATA,
            Holds::Envelope => grammar::ENVELOPED_DATA,
            holds => holds,
        }
    }

    /// Ends an element, and all elements of which it is the last one.
    fn end(&mut self) -> SealCheck {
        while let Some(open) = self.open.pop_if(|open| open.left == 0) {
            open.check_complete()?;
        }
        let is_file = self.open.len() == 1;
        self.reads = if is_file { CmsState::Nothing } else { CmsState::Header };
        Ok(())
    }

    fn look_at(&mut self, value: Value, bytes: &[u8]) -> SealCheck {
        match value {
            Value::ContentType => {
                self.is_authenticated = bytes == AUTH_ENVELOPED_DATA;
                ensure_encrypted(bytes)
            }
            Value::Version => {
                let versions: &[u8] = if self.is_authenticated { &[0] } else { &[0, 2, 3, 4] };
                let is_known = matches!(bytes, [version] if versions.contains(version));
                ensure(is_known, "The CMS structure has an unknown version.")
            }
            Value::Algorithm => {
                let algorithm = Algorithm::read(bytes)?;
                self.algorithm = Some(algorithm);
                ensure(
                    algorithm.is_authenticated() == self.is_authenticated,
                    "The CMS content encryption algorithm belongs to the other one of EnvelopedData and \
                     AuthEnvelopedData.",
                )
            }
        }
    }
}

impl Open {
    fn check_complete(&self) -> SealCheck {
        match self.holds {
            Holds::Fields(fields) => match fields[self.passed..].iter().find(|field| field.is_required) {
                Some(field) => Err(out_of_place(field)),
                None => Ok(()),
            },
            Holds::Many(_) => ensure(self.passed > 0, "The CMS structure has an empty list, such as no recipient."),
            _ => Ok(()),
        }
    }
}

/// The field for an element with this tag after this many fields, and its contents.
fn next_field(fields: &[SequenceField], passed: usize, tag: u8) -> SealCheck<(usize, Holds)> {
    for (index, field) in fields.iter().enumerate().skip(passed) {
        if field.choices.is_empty() {
            return Ok((index, Holds::Anything));
        }
        if let Some(holds) = choose(field.choices, tag) {
            return Ok((index, holds));
        }
        if field.is_required {
            return Err(out_of_place(field));
        }
    }
    Err(NotSealed::because("The CMS structure has more fields than it is expected to have."))
}

fn choose(choices: Choices, tag: u8) -> Option<Holds> {
    choices.iter().find(|(choice, _)| *choice == tag).map(|&(_, holds)| holds)
}

fn out_of_place(field: &SequenceField) -> NotSealed {
    NotSealed::because(format!("The CMS structure has no `{}` where it is expected.", field.name))
}

fn ensure_encrypted(content_type: &[u8]) -> SealCheck {
    if [ENVELOPED_DATA, AUTH_ENVELOPED_DATA].contains(&content_type) {
        return Ok(());
    }
    let known = OTHER_TYPES.iter().find(|(oid, _)| *oid == content_type).map(|&(_, reason)| reason);
    Err(NotSealed::because(known.unwrap_or("It is neither CMS EnvelopedData nor AuthEnvelopedData.")))
}

/// The tag and length of an element, once all their bytes have been read.
fn element_header(header: &[u8]) -> SealCheck<Option<(u8, u64)>> {
    let (tag, length) = match *header {
        [tag, ..] if tag & 0x1F == 0x1F => {
            return Err(NotSealed::because("The CMS structure has an element with a tag number above 30."));
        }
        [tag, length @ 0..0x80] => return Ok(Some((tag, u64::from(length)))),
        [_, 0x80, ..] => {
            return Err(NotSealed::because("It is CMS in BER with indefinite lengths. DER is expected."));
        }
        [_, 0x85..=0xFF, ..] => {
            return Err(NotSealed::because("The CMS structure has a length of more than four bytes."));
        }
        [tag, count, ref length @ ..] if length.len() == usize::from(count & 0x7F) => (tag, length),
        _ => return Ok(None),
    };
    let length = length.iter().fold(0, |length, &byte| length << 8 | u64::from(byte));
    let is_minimal = length >= 0x80 && header[2] != 0;
    ensure(is_minimal, "The CMS structure has a length that is not minimal. DER is expected.")?;
    Ok(Some((tag, length)))
}

fn is_constructed(tag: u8) -> bool {
    tag & 0x20 != 0
}
