//! Strict PEM (RFC 7468, figure 3): 64 columns, canonical padded base64, LF or CRLF. Passes the decoded content to the
//! parser for age or CMS.
//!
//! If the parser only counts the content, lines are checked against the alphabet and not decoded.

use std::mem;

use base64::Engine;
use base64::engine::general_purpose;

use crate::age::Age;
use crate::base64_text::STANDARD;
use crate::cms::Cms;
use crate::{Format, NotSealed, SealCheck, ensure};

/// The first bytes of every PEM file.
pub(crate) const BEGIN: &[u8] = b"-----BEGIN ";
/// The maximum white space before or after the block, in bytes.
pub(crate) const MAX_BLANK: usize = 1024;

const COLUMNS: usize = 64;
/// The number of bytes in a full line.
const LINE_BYTES: u64 = 48;
/// The maximum length of a boundary line.
const MAX_LINE: usize = 80;

/// The state of reading a PEM file, from `BEGIN` on.
#[derive(Debug)]
pub(crate) struct Pem {
    stage: Stage,
    line: Vec<u8>,
}

#[derive(Debug)]
enum Stage {
    Begin,
    /// Lines of base64, or `END`.
    Body(Block),
    /// After a short line.
    End(Block),
    /// White space after the block, with its number of bytes.
    After(Block, usize),
}

/// A block with its label and content.
#[derive(Debug)]
struct Block {
    end: &'static [u8],
    content: PemContent,
}

#[derive(Debug)]
enum PemContent {
    Age(Age),
    Cms(Cms),
}

impl Pem {
    pub(crate) fn new() -> Self {
        Self { stage: Stage::Begin, line: Vec::with_capacity(MAX_LINE) }
    }

    pub(crate) fn push(&mut self, mut bytes: &[u8]) -> SealCheck {
        loop {
            if let Stage::After(_, blank) = &mut self.stage {
                return after(blank, bytes);
            }
            if self.line.is_empty()
                && let Stage::Body(block) = &mut self.stage
            {
                bytes = block.content.skip_lines(bytes);
            }
            let end = memchr::memchr(b'\n', bytes);
            let piece = &bytes[..end.unwrap_or(bytes.len())];
            ensure(self.line.len() + piece.len() <= MAX_LINE, "A line of the PEM file is longer than 64 columns.")?;
            self.line.extend_from_slice(piece);
            let Some(end) = end else { return Ok(()) };
            bytes = &bytes[end + 1..];
            self.take_line()?;
        }
    }

    pub(crate) fn finish(mut self) -> SealCheck<Format> {
        if !self.line.is_empty() {
            // The last line may lack its newline.
            self.take_line()?;
        }
        match self.stage {
            Stage::After(block, _) => block.content.finish(),
            _ => Err(NotSealed::because("The PEM file is truncated: it has no line with `END`.")),
        }
    }

    fn take_line(&mut self) -> SealCheck {
        let stage = mem::replace(&mut self.stage, Stage::Begin);
        let line = self.line.strip_suffix(b"\r").unwrap_or(&self.line);
        self.stage = stage.next(line)?;
        self.line.clear();
        Ok(())
    }
}

impl Stage {
    fn next(self, line: &[u8]) -> SealCheck<Self> {
        match self {
            Self::Begin => Ok(Self::Body(Block::begin(line)?)),
            Self::Body(block) | Self::End(block) if line == block.end => Ok(Self::After(block, 0)),
            Self::Body(mut block) => {
                let is_full = block.content.push_line(line)?;
                Ok(if is_full { Self::Body(block) } else { Self::End(block) })
            }
            Self::End(_) | Self::After(..) => Err(NotSealed::because(
                "The PEM file has something other than its `END` after the last line of base64.",
            )),
        }
    }
}

impl Block {
    fn begin(line: &[u8]) -> SealCheck<Self> {
        let (end, content): (&[u8], _) = match line {
            b"-----BEGIN AGE ENCRYPTED FILE-----" => (b"-----END AGE ENCRYPTED FILE-----", PemContent::Age(Age::new())),
            b"-----BEGIN CMS-----" => (b"-----END CMS-----", PemContent::Cms(Cms::new())),
            b"-----BEGIN PKCS7-----" => (b"-----END PKCS7-----", PemContent::Cms(Cms::new())),
            _ if line.starts_with(b"-----BEGIN PGP ") => {
                return Err(NotSealed::because("It is an OpenPGP file. OpenPGP is not accepted."));
            }
            _ => {
                return Err(NotSealed::because(
                    "It is a PEM file with another label than `AGE ENCRYPTED FILE`, `CMS` or `PKCS7`.",
                ));
            }
        };
        Ok(Self { end, content })
    }
}

impl PemContent {
    /// Skips full lines while the parser only counts their content. Returns the rest.
    fn skip_lines<'bytes>(&mut self, mut bytes: &'bytes [u8]) -> &'bytes [u8] {
        let most = match self {
            Self::Age(age) => age.skippable(),
            Self::Cms(cms) => cms.skippable(),
        } / LINE_BYTES;
        let mut lines = 0;
        while lines < most
            && let Some((text, rest)) = bytes.split_at_checked(COLUMNS)
            && let Some(rest) = rest.strip_prefix(b"\n").or_else(|| rest.strip_prefix(b"\r\n"))
            && STANDARD.has_all(text)
        {
            lines += 1;
            bytes = rest;
        }
        match self {
            Self::Age(age) => age.skip(lines * LINE_BYTES),
            Self::Cms(cms) => cms.skip(lines * LINE_BYTES),
        }
        bytes
    }

    /// Decodes a line. Returns whether it is full, so that another may follow.
    fn push_line(&mut self, line: &[u8]) -> SealCheck<bool> {
        ensure(!line.is_empty(), "The PEM file has an empty line among those of base64.")?;
        ensure(line.len() <= COLUMNS, "A line of the PEM file is longer than 64 columns.")?;
        let mut buffer = [0; COLUMNS];
        let len = general_purpose::STANDARD
            .decode_slice(line, &mut buffer)
            .map_err(|_| NotSealed::because("The PEM file has a line that is not canonical base64."))?;
        match self {
            Self::Age(age) => age.push(&buffer[..len])?,
            Self::Cms(cms) => cms.push(&buffer[..len])?,
        }
        Ok(len as u64 == LINE_BYTES)
    }

    fn finish(self) -> SealCheck<Format> {
        match self {
            Self::Age(age) => age.finish().map(|()| Format::AgeArmored),
            Self::Cms(cms) => cms.finish().map(|()| Format::CmsPem),
        }
    }
}

fn after(blank: &mut usize, bytes: &[u8]) -> SealCheck {
    for &byte in bytes {
        ensure(is_blank(byte), "The PEM file continues after its `END`.")?;
        *blank += 1;
        ensure(*blank <= MAX_BLANK, "The PEM file has more than 1,024 bytes of white space after its `END`.")?;
    }
    Ok(())
}

/// Space, tab, CR and LF.
pub(crate) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}
