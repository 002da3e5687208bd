//! JWE in compact serialization: header, encrypted key, initialisation vector, ciphertext and tag, joined by dots.

use super::header::{Header, Lengths, MAX_HEADER_TEXT};
use crate::base64_text::{URL_SAFE, Unpadded};
use crate::{NotSealed, SealCheck, ensure};

const CIPHERTEXT: usize = 2;
const TAG: usize = 3;
/// The maximum length of each part except header and ciphertext. An RSA-encrypted key with 16,384 bits is shorter.
const MAX_PART: u64 = 4 * 1024;

/// The state of reading a compact JWE.
#[derive(Debug)]
pub(crate) struct Compact {
    header_text: Vec<u8>,
    header: Option<Header>,
    /// The current part after the header.
    part: Unpadded,
    /// The decoded lengths of the complete parts after the header.
    lengths: Vec<u64>,
    ending: NewlineState,
}

/// How much of the final newline has been read.
#[derive(Debug, PartialEq, Eq)]
enum NewlineState {
    None,
    Cr,
    Lf,
}

impl Compact {
    pub(crate) fn new() -> Self {
        Self {
            header_text: Vec::new(),
            header: None,
            part: Unpadded::default(),
            lengths: Vec::with_capacity(TAG + 1),
            ending: NewlineState::None,
        }
    }

    pub(crate) fn push(&mut self, mut bytes: &[u8]) -> SealCheck {
        while !bytes.is_empty() {
            if self.lengths.len() == TAG {
                return self.push_last(bytes);
            }
            let end = memchr::memchr(b'.', bytes);
            self.push_part(&bytes[..end.unwrap_or(bytes.len())])?;
            let Some(end) = end else { return Ok(()) };
            bytes = &bytes[end + 1..];
            self.end_part()?;
        }
        Ok(())
    }

    pub(crate) fn finish(mut self) -> SealCheck {
        ensure(
            self.lengths.len() == TAG,
            "It is not a complete compact JWE, which has five parts. A JWS or JWT has three: it is signed, not encrypted.",
        )?;
        ensure(self.ending != NewlineState::Cr, "The compact JWE is followed by a CR without LF.")?;
        self.end_part()?;
        match (self.header, self.lengths.as_slice()) {
            (Some(header), &[key, iv, ciphertext, tag]) => {
                header.check_key(key)?;
                header.check_lengths(Lengths { iv, ciphertext, tag })
            }
            _ => Err(NotSealed::because("The compact JWE is truncated.")),
        }
    }

    fn push_part(&mut self, text: &[u8]) -> SealCheck {
        if self.header.is_none() {
            let len = self.header_text.len() + text.len();
            ensure(len <= MAX_HEADER_TEXT, "The JWE protected header is larger than 16 KiB, or it is no JWE.")?;
            ensure(
                URL_SAFE.has_all(text),
                "It is plain text, or a compact JWE with a character that is not base64url.",
            )?;
            self.header_text.extend_from_slice(text);
            return Ok(());
        }
        ensure(self.part.push(&URL_SAFE, text), "The compact JWE has a character that is not base64url.")?;
        let is_short = self.lengths.len() == CIPHERTEXT || self.part.len() <= MAX_PART;
        ensure(is_short, "The compact JWE has a part beside its ciphertext that is longer than 4 KiB.")
    }

    fn end_part(&mut self) -> SealCheck {
        if self.header.is_none() {
            let header = Header::from_base64(&std::mem::take(&mut self.header_text))?;
            ensure(header.has_encryption(), "The header has no `enc`: a JWS or JWT is signed, not encrypted.")?;
            self.header = Some(header);
            return Ok(());
        }
        let part = std::mem::take(&mut self.part);
        let len = part.decoded_len(&URL_SAFE).ok_or_else(|| {
            NotSealed::because("The compact JWE has a part that is not canonical unpadded base64url.")
        })?;
        self.lengths.push(len);
        Ok(())
    }

    /// Reads the tag, which a newline may follow.
    fn push_last(&mut self, bytes: &[u8]) -> SealCheck {
        for byte in bytes {
            self.ending = match (&self.ending, byte) {
                (NewlineState::None, b'\r') => NewlineState::Cr,
                (NewlineState::None | NewlineState::Cr, b'\n') => NewlineState::Lf,
                (NewlineState::None, b'.') => {
                    return Err(NotSealed::because("The compact JWE has more than five parts."));
                }
                (NewlineState::None, _) => {
                    self.push_part(std::slice::from_ref(byte))?;
                    NewlineState::None
                }
                (NewlineState::Cr | NewlineState::Lf, _) => {
                    return Err(NotSealed::because("The file continues after the end of the compact JWE."));
                }
            };
        }
        Ok(())
    }
}
