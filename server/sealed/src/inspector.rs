//! Chooses the parser by the first bytes of the file, and passes the bytes to it.

use std::mem;

use crate::age::{self, Age};
use crate::base64_text::URL_SAFE;
use crate::cms::{self, Cms};
use crate::jwe::{Compact, JsonScanner};
use crate::pem::{self, Pem};
use crate::{Format, NotSealed, SealCheck, ensure, plain};

/// The number of bytes needed to choose a parser, and to distinguish text from other data.
const HEAD: usize = 32;

/// Recognises the format of a sealed file while it streams.
///
/// The result does not depend on how the file is split into chunks.
///
/// ```
/// use itinerary_sealed::Inspector;
///
/// let mut inspector = Inspector::new();
/// let refused = inspector.push(b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>").unwrap_err();
/// assert_eq!(refused.to_string(), "It is a PDF file.");
/// assert_eq!(inspector.finish(), Err(refused));
/// ```
#[derive(Debug)]
pub struct Inspector {
    state: InspectorState,
}

#[derive(Debug)]
enum InspectorState {
    Start(Start),
    Picked(Box<Machine>),
    Refused(NotSealed),
}

#[derive(Debug)]
enum Machine {
    Age(Age),
    Cms(Cms),
    Pem(Pem),
    Compact(Compact),
    Json(JsonScanner),
}

/// U+FEFF in UTF-8.
const BYTE_ORDER_MARK: [u8; 3] = *b"\xef\xbb\xbf";

/// The first bytes of a file.
#[derive(Debug, Default)]
struct Start {
    /// The number of leading white space bytes.
    blank: usize,
    last_blank: Option<u8>,
    /// The number of leading bytes that are those of a byte order mark.
    mark: usize,
    head: Vec<u8>,
}

impl Default for Inspector {
    fn default() -> Self {
        Self::new()
    }
}

impl Inspector {
    pub fn new() -> Self {
        Self { state: InspectorState::Start(Start::default()) }
    }

    /// Reads the next chunk of the file, of any size. Once a file is rejected, it stays rejected.
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), NotSealed> {
        self.state.push(bytes).inspect_err(|refused| self.state = InspectorState::Refused(refused.clone()))
    }

    /// Ends the file and returns its format.
    pub fn finish(self) -> Result<Format, NotSealed> {
        match self.state {
            InspectorState::Start(start) => start.pick()?.finish(),
            InspectorState::Picked(machine) => machine.finish(),
            InspectorState::Refused(refused) => Err(refused),
        }
    }
}

impl InspectorState {
    fn push(&mut self, mut bytes: &[u8]) -> SealCheck {
        if let Self::Start(start) = self {
            bytes = start.take(bytes)?;
            if start.head.len() < HEAD {
                return Ok(());
            }
            *self = Self::Picked(Box::new(mem::take(start).pick()?));
        }
        match self {
            Self::Start(_) => Ok(()),
            Self::Picked(machine) => machine.push(bytes),
            Self::Refused(refused) => Err(refused.clone()),
        }
    }
}

impl Machine {
    fn push(&mut self, bytes: &[u8]) -> SealCheck {
        match self {
            Self::Age(age) => age.push(bytes),
            Self::Cms(cms) => cms.push(bytes),
            Self::Pem(pem) => pem.push(bytes),
            Self::Compact(compact) => compact.push(bytes),
            Self::Json(json) => json.push(bytes),
        }
    }

    fn finish(self) -> SealCheck<Format> {
        match self {
            Self::Age(age) => age.finish().map(|()| Format::Age),
            Self::Cms(cms) => cms.finish().map(|()| Format::CmsDer),
            Self::Pem(pem) => pem.finish(),
            Self::Compact(compact) => compact.finish().map(|()| Format::JweCompact),
            Self::Json(json) => json.finish().map(|()| Format::JweJson),
        }
    }
}

impl Start {
    /// Fills the buffer of first bytes. Returns the rest.
    fn take<'bytes>(&mut self, mut bytes: &'bytes [u8]) -> SealCheck<&'bytes [u8]> {
        if self.head.is_empty() && self.blank == 0 {
            let mark = bytes.iter().zip(&BYTE_ORDER_MARK[self.mark..]).take_while(|(one, other)| one == other).count();
            self.mark += mark;
            bytes = &bytes[mark..];
        }
        if self.head.is_empty() {
            let blank = bytes.iter().take_while(|&&byte| pem::is_blank(byte)).count();
            self.blank += blank;
            ensure(self.blank <= pem::MAX_BLANK, "The file begins with more than 1,024 bytes of white space.")?;
            self.last_blank = bytes[..blank].last().copied().or(self.last_blank);
            bytes = &bytes[blank..];
        }
        let (head, rest) = bytes.split_at(bytes.len().min(HEAD - self.head.len()));
        self.head.extend_from_slice(head);
        Ok(rest)
    }

    /// The parser for a file with these first bytes, which it has already read.
    fn pick(mut self) -> SealCheck<Machine> {
        // A byte order mark is only skipped before a file in PEM: it is the text of a program that writes such marks.
        if self.mark != BYTE_ORDER_MARK.len() || !self.head.starts_with(pem::BEGIN) {
            self.head.splice(..0, BYTE_ORDER_MARK[..self.mark].iter().copied());
        }
        let head = self.head.as_slice();
        let mut machine = match head {
            [] if self.blank == 0 => return Err(NotSealed::because("The file is empty.")),
            [] => return Err(NotSealed::because("The file contains only white space.")),
            [b'{', ..] => Machine::Json(JsonScanner::new()),
            _ if head.starts_with(pem::BEGIN) => {
                let is_line = matches!(self.last_blank, None | Some(b'\n'));
                ensure(is_line, "The PEM file has blank space before its `BEGIN` on the same line.")?;
                Machine::Pem(Pem::new())
            }
            _ if self.blank > 0 => {
                return Err(plain::recognise(head).unwrap_or_else(|| plain::unknown(head)));
            }
            _ if head.starts_with(age::MAGIC) => Machine::Age(Age::new()),
            _ if is_compact(head) => Machine::Compact(Compact::new()),
            _ => match plain::recognise(head) {
                Some(refused) => return Err(refused),
                None if head[0] == cms::SEQUENCE => Machine::Cms(Cms::new()),
                None => return Err(plain::unknown(head)),
            },
        };
        machine.push(head)?;
        Ok(machine)
    }
}

/// Whether this may be a compact JWE: base64url of text that begins with `{`.
fn is_compact(head: &[u8]) -> bool {
    let begins = matches!(head, [b'e', b'w'..=b'z' | b'0'..=b'9' | b'-' | b'_', ..]);
    begins && head.split(|&byte| byte == b'.').all(|part| URL_SAFE.has_all(part))
}
