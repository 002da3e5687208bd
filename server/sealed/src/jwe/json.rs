//! JWE in JSON serialization, flattened or general. Reads the members in any order, as a stream.
//!
//! Strings are base64url and so need no escapes; files with escapes are rejected.

use std::mem;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::header::{Header, Lengths, MAX_HEADER, MAX_HEADER_TEXT};
use super::object::Object;
use crate::base64_text::{URL_SAFE, Unpadded};
use crate::{NotSealed, SealCheck, ensure};

/// The maximum size of a recipient, with its header and encrypted key.
const MAX_RECIPIENT: usize = 32 * 1024;
const MAX_RECIPIENTS: usize = 100;
/// The maximum size of everything outside strings, including white space.
const MAX_OTHER: usize = 64 * 1024;
/// The maximum length of each string except the protected header and the ciphertext.
const MAX_TEXT: u64 = 16 * 1024;
const MAX_NAME: usize = 16;

/// The state of reading a JSON JWE.
#[derive(Debug)]
pub(crate) struct JsonScanner {
    expects: Expects,
    name: Vec<u8>,
    text: Unpadded,
    /// The text of the protected header.
    kept: Vec<u8>,
    object: Object,
    /// The members read so far, as bits.
    seen: u16,
    /// The number of bytes outside strings.
    other_len: usize,
    members: JweMembers,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expects {
    Start,
    NameOrEnd,
    Name,
    RestOfName,
    Colon(JweMember),
    Value(JweMember),
    RestOfText(JweMember),
    RestOfObject(JweMember),
    Recipient,
    RestOfRecipient,
    CommaOrEndOfRecipients,
    CommaOrEnd,
    Nothing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum JweMember {
    Protected,
    Unprotected,
    Header,
    Recipients,
    EncryptedKey,
    Iv,
    Ciphertext,
    Tag,
    Aad,
}

/// The members read so far.
#[derive(Debug, Default)]
struct JweMembers {
    protected: Option<Header>,
    unprotected: Option<Header>,
    /// In flattened serialization, of the only recipient.
    header: Option<Header>,
    encrypted_key: Option<u64>,
    /// In general serialization.
    recipients: Option<Vec<Recipient>>,
    iv: Option<u64>,
    ciphertext: Option<u64>,
    tag: Option<u64>,
}

#[derive(Debug, Default)]
struct Recipient {
    header: Header,
    encrypted_key: u64,
}

impl JsonScanner {
    pub(crate) fn new() -> Self {
        Self {
            expects: Expects::Start,
            name: Vec::new(),
            text: Unpadded::default(),
            kept: Vec::new(),
            object: Object::default(),
            seen: 0,
            other_len: 0,
            members: JweMembers::default(),
        }
    }

    pub(crate) fn push(&mut self, mut bytes: &[u8]) -> SealCheck {
        while let Some((&byte, rest)) = bytes.split_first() {
            if let Expects::RestOfText(member) = self.expects {
                let end = memchr::memchr(b'"', bytes);
                self.push_text(member, &bytes[..end.unwrap_or(bytes.len())])?;
                let Some(end) = end else { return Ok(()) };
                bytes = &bytes[end + 1..];
                self.end_text(member)?;
                self.expects = Expects::CommaOrEnd;
            } else {
                bytes = rest;
                self.expects = self.next(byte)?;
            }
        }
        Ok(())
    }

    pub(crate) fn finish(self) -> SealCheck {
        ensure(self.expects == Expects::Nothing, "The JSON file is truncated.")?;
        self.members.check()
    }

    /// The expected next token.
    fn next(&mut self, byte: u8) -> SealCheck<Expects> {
        self.other_len += 1;
        ensure(self.other_len <= MAX_OTHER, "The JSON JWE has more than 64 KiB beside its ciphertext.")?;
        let is_inside = matches!(
            self.expects,
            Expects::RestOfName | Expects::RestOfText(_) | Expects::RestOfObject(_) | Expects::RestOfRecipient
        );
        if !is_inside && crate::pem::is_blank(byte) {
            return Ok(self.expects);
        }
        match (self.expects, byte) {
            (Expects::Start, b'{') => Ok(Expects::NameOrEnd),
            (Expects::NameOrEnd | Expects::Name, b'"') => {
                self.name.clear();
                Ok(Expects::RestOfName)
            }
            (Expects::RestOfName, b'"') => self.end_name().map(Expects::Colon),
            (Expects::RestOfName, _) => {
                ensure(self.name.len() < MAX_NAME, UNKNOWN_MEMBER)?;
                self.name.push(byte);
                Ok(Expects::RestOfName)
            }
            (Expects::Colon(member), b':') => Ok(Expects::Value(member)),
            (Expects::Value(member @ (JweMember::Unprotected | JweMember::Header)), b'{') => {
                self.begin_object(byte);
                Ok(Expects::RestOfObject(member))
            }
            (Expects::Value(member), b'"') if !member.is_structured() => {
                self.text = Unpadded::default();
                Ok(Expects::RestOfText(member))
            }
            (Expects::RestOfObject(member), _) => self.push_object(member, byte),
            (Expects::Recipient, b'{') => {
                self.begin_object(byte);
                Ok(Expects::RestOfRecipient)
            }
            (Expects::RestOfRecipient, _) => self.push_recipient(byte),
            (Expects::Value(JweMember::Recipients), b'[') | (Expects::CommaOrEndOfRecipients, b',') => {
                Ok(Expects::Recipient)
            }
            (Expects::CommaOrEndOfRecipients, b']') => Ok(Expects::CommaOrEnd),
            (Expects::CommaOrEnd, b',') => Ok(Expects::Name),
            (Expects::NameOrEnd | Expects::CommaOrEnd, b'}') => Ok(Expects::Nothing),
            (expects, _) => Err(NotSealed::because(expects.unmet())),
        }
    }

    fn end_name(&mut self) -> SealCheck<JweMember> {
        let member = match self.name.as_slice() {
            b"protected" => JweMember::Protected,
            b"unprotected" => JweMember::Unprotected,
            b"header" => JweMember::Header,
            b"recipients" => JweMember::Recipients,
            b"encrypted_key" => JweMember::EncryptedKey,
            b"iv" => JweMember::Iv,
            b"ciphertext" => JweMember::Ciphertext,
            b"tag" => JweMember::Tag,
            b"aad" => JweMember::Aad,
            b"payload" | b"signatures" | b"signature" => {
                return Err(NotSealed::because("It is a JWS: signed, not encrypted."));
            }
            _ => return Err(NotSealed::because(UNKNOWN_MEMBER)),
        };
        let bit = 1 << member as u16;
        ensure(self.seen & bit == 0, "A member of the JWE appears more than once.")?;
        self.seen |= bit;
        Ok(member)
    }

    fn push_text(&mut self, member: JweMember, text: &[u8]) -> SealCheck {
        let is_base64url = self.text.push(&URL_SAFE, text);
        ensure(is_base64url, "The JSON JWE has a string with a character that is not base64url.")?;
        match member {
            JweMember::Protected => {
                let is_short = self.text.len() <= MAX_HEADER_TEXT as u64;
                ensure(is_short, "The JWE protected header is larger than 16 KiB.")?;
                self.kept.extend_from_slice(text);
                Ok(())
            }
            JweMember::Ciphertext => Ok(()),
            _ => ensure(
                self.text.len() <= MAX_TEXT,
                "The JSON JWE has a string beside its ciphertext that is longer than 16 KiB.",
            ),
        }
    }

    fn end_text(&mut self, member: JweMember) -> SealCheck {
        let len = decoded_len(&self.text)?;
        let members = &mut self.members;
        match member {
            JweMember::Protected => members.protected = Some(Header::from_base64(&mem::take(&mut self.kept))?),
            JweMember::EncryptedKey => members.encrypted_key = Some(len),
            JweMember::Iv => members.iv = Some(len),
            JweMember::Ciphertext => members.ciphertext = Some(len),
            JweMember::Tag => members.tag = Some(len),
            // Not encrypted, and not needed for the check.
            JweMember::Aad | JweMember::Unprotected | JweMember::Header | JweMember::Recipients => {}
        }
        Ok(())
    }

    fn begin_object(&mut self, brace: u8) {
        self.object = Object::default();
        self.object.push(brace);
    }

    fn push_object(&mut self, member: JweMember, byte: u8) -> SealCheck<Expects> {
        let is_complete = self.object.push(byte);
        ensure(self.object.bytes().len() <= MAX_HEADER, "The JWE has a header that is larger than 16 KiB.")?;
        if !is_complete {
            return Ok(Expects::RestOfObject(member));
        }
        let header = Header::from_json(self.object.bytes())?;
        if member == JweMember::Unprotected {
            self.members.unprotected = Some(header);
        } else {
            self.members.header = Some(header);
        }
        Ok(Expects::CommaOrEnd)
    }

    fn push_recipient(&mut self, byte: u8) -> SealCheck<Expects> {
        let is_complete = self.object.push(byte);
        ensure(self.object.bytes().len() <= MAX_RECIPIENT, "The JWE has a recipient that is larger than 32 KiB.")?;
        if !is_complete {
            return Ok(Expects::RestOfRecipient);
        }
        let recipients = self.members.recipients.get_or_insert_default();
        ensure(recipients.len() < MAX_RECIPIENTS, "The JWE has more than 100 recipients.")?;
        recipients.push(Recipient::from_json(self.object.bytes())?);
        Ok(Expects::CommaOrEndOfRecipients)
    }
}

const UNKNOWN_MEMBER: &str = "It is JSON with a member that a JWE does not have: a JWE has only `protected`, \
     `unprotected`, `header`, `encrypted_key`, `recipients`, `aad`, `iv`, `ciphertext` and `tag`.";

impl Expects {
    /// The error for anything else.
    fn unmet(self) -> &'static str {
        match self {
            Self::Start | Self::NameOrEnd | Self::Name | Self::RestOfName => "It is not a JSON object.",
            Self::Colon(_) | Self::CommaOrEnd | Self::CommaOrEndOfRecipients => "The JSON file is malformed.",
            Self::Recipient => "The JWE `recipients` must be a list of one or more objects.",
            Self::Value(_) | Self::RestOfText(_) | Self::RestOfObject(_) | Self::RestOfRecipient => {
                "The JSON JWE has a member of a wrong type."
            }
            Self::Nothing => "The file continues after the end of the JSON JWE.",
        }
    }
}

impl JweMember {
    fn is_structured(self) -> bool {
        matches!(self, Self::Unprotected | Self::Header | Self::Recipients)
    }
}

impl JweMembers {
    fn check(self) -> SealCheck {
        let shared = self.protected.unwrap_or_default().and(&self.unprotected.unwrap_or_default())?;
        ensure(shared.has_encryption(), "The JSON JWE has no `enc` in its protected or unprotected header.")?;
        let recipients = match self.recipients {
            Some(recipients) => {
                ensure(
                    self.header.is_none() && self.encrypted_key.is_none(),
                    "The JSON JWE has `recipients` beside the `header` or `encrypted_key` of a single recipient.",
                )?;
                recipients
            }
            None => vec![Recipient {
                header: self.header.unwrap_or_default(),
                encrypted_key: self.encrypted_key.unwrap_or_default(),
            }],
        };
        for recipient in &recipients {
            let header = shared.and(&recipient.header)?;
            header.check_key(recipient.encrypted_key)?;
            ensure(
                recipients.len() == 1 || !header.is_direct(),
                "The JSON JWE has several recipients, and one whose `alg` allows for no other.",
            )?;
        }
        shared.check_lengths(Lengths {
            iv: self.iv.unwrap_or_default(),
            ciphertext: self.ciphertext.unwrap_or_default(),
            tag: self.tag.unwrap_or_default(),
        })
    }
}

impl Recipient {
    fn from_json(json: &[u8]) -> SealCheck<Self> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct JweFields<'json> {
            #[serde(borrow)]
            header: Option<&'json RawValue>,
            #[serde(borrow, default)]
            encrypted_key: &'json str,
        }
        let fields: Option<JweFields<'_>> = str::from_utf8(json).ok().and_then(|json| serde_json::from_str(json).ok());
        let fields = fields.ok_or_else(|| {
            NotSealed::because("The JWE has a recipient that is not an object of `header` and `encrypted_key`.")
        })?;
        let header = fields.header.map(|header| Header::from_json(header.get().as_bytes())).transpose()?;
        let mut key = Unpadded::default();
        ensure(
            key.push(&URL_SAFE, fields.encrypted_key.as_bytes()),
            "The JSON JWE has a string with a character that is not base64url.",
        )?;
        Ok(Self { header: header.unwrap_or_default(), encrypted_key: decoded_len(&key)? })
    }
}

fn decoded_len(text: &Unpadded) -> SealCheck<u64> {
    text.decoded_len(&URL_SAFE)
        .ok_or_else(|| NotSealed::because("The JSON JWE has a string that is not canonical unpadded base64url."))
}
