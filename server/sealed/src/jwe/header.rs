//! The header of a JWE: its parameters, in any of the headers, and their requirements for the other parts.

use std::collections::BTreeSet;
use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::de::{Error, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::algorithms::{EncryptedKey, Encryption, KeyManagement, Needs};
use crate::base64_text::URL_SAFE;
use crate::{NotSealed, SealCheck, ensure};

/// The maximum length of a decoded header.
pub(super) const MAX_HEADER: usize = 16 * 1024;
/// The maximum length in base64url.
pub(super) const MAX_HEADER_TEXT: usize = (MAX_HEADER * 4).div_ceil(3);

/// The parameters that are checked.
const CHECKED: &[&str] = &["alg", "enc", "epk", "p2s", "p2c", "iv", "tag"];

/// The checked parameters of one or more headers.
#[derive(Clone, Debug, Default)]
pub(super) struct Header {
    key_management: Option<KeyManagement>,
    encryption: Option<Encryption>,
    /// The names among [`CHECKED`], as bits.
    has: u8,
}

/// The decoded lengths of the parts except header and encrypted key.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lengths {
    pub(super) iv: u64,
    pub(super) ciphertext: u64,
    pub(super) tag: u64,
}

impl Header {
    /// Reads a protected header.
    pub(super) fn from_base64(text: &[u8]) -> SealCheck<Self> {
        ensure(text.len() <= MAX_HEADER_TEXT, "The JWE protected header is larger than 16 KiB.")?;
        let json = URL_SAFE_NO_PAD
            .decode(text)
            .map_err(|_| NotSealed::because("The JWE protected header is not canonical unpadded base64url."))?;
        Self::from_json(&json)
    }

    /// Reads a header that is a JSON object.
    pub(super) fn from_json(json: &[u8]) -> SealCheck<Self> {
        let parameters = str::from_utf8(json).ok().and_then(|json| serde_json::from_str(json).ok());
        let HeaderParameters(parameters) = parameters
            .ok_or_else(|| NotSealed::because("A JWE header is not a JSON object in which every name appears once."))?;
        Self::check(parameters)
    }

    fn check(parameters: Vec<(usize, Value)>) -> SealCheck<Self> {
        let mut header = Self::default();
        for (index, value) in parameters {
            header.has |= 1 << index;
            let is_right = match CHECKED[index] {
                "alg" => {
                    header.key_management = Some(key_management(&value)?);
                    true
                }
                "enc" => {
                    header.encryption = Some(encryption(&value)?);
                    true
                }
                "epk" => value.is_object(),
                "p2s" => text_len(&value).is_some_and(|len| len >= 8),
                "p2c" => value.as_u64().is_some_and(|count| count > 0),
                "iv" => text_len(&value) == Some(12),
                _ => text_len(&value) == Some(16),
            };
            ensure(is_right, "A JWE header has a malformed `epk`, `p2s`, `p2c`, `iv` or `tag`.")?;
        }
        Ok(header)
    }

    /// Whether the header names the content encryption algorithm.
    pub(super) fn has_encryption(&self) -> bool {
        self.encryption.is_some()
    }

    /// Merges two headers.
    pub(super) fn and(&self, other: &Self) -> SealCheck<Self> {
        ensure(self.has & other.has == 0, "A parameter appears in more than one of the JWE's headers.")?;
        Ok(Self {
            key_management: self.key_management.or(other.key_management),
            encryption: self.encryption.or(other.encryption),
            has: self.has | other.has,
        })
    }

    /// Whether the key is used directly or agreed on; then there is only one recipient.
    pub(super) fn is_direct(&self) -> bool {
        self.key_management.is_some_and(|it| it.key == EncryptedKey::Empty)
    }

    /// Checks that an encrypted key of this length is consistent with the header.
    pub(super) fn check_key(&self, encrypted_key: u64) -> SealCheck {
        let encryption = self.encryption()?;
        let key_management =
            self.key_management.ok_or_else(|| NotSealed::because("The JWE has no `alg` in its header."))?;
        let needed: &[&str] = match key_management.needs {
            Needs::Nothing => &[],
            Needs::EphemeralKey => &["epk"],
            Needs::Passphrase => &["p2s", "p2c"],
            Needs::IvAndTag => &["iv", "tag"],
        };
        ensure(
            CHECKED.iter().enumerate().all(|(index, name)| !needed.contains(name) || self.has & 1 << index != 0),
            "The JWE header lacks a parameter that its `alg` needs.",
        )?;
        ensure(
            key_management.key.fits(encrypted_key, encryption),
            "The JWE encrypted key has a length that its `alg` does not have.",
        )
    }

    /// Checks that the other parts are consistent with the content encryption algorithm.
    pub(super) fn check_lengths(&self, lengths: Lengths) -> SealCheck {
        let encryption = self.encryption()?;
        ensure(
            lengths.iv == encryption.iv,
            "The JWE initialisation vector has a length that its `enc` does not have.",
        )?;
        ensure(lengths.ciphertext > 0, "The JWE has no ciphertext.")?;
        ensure(
            lengths.ciphertext.is_multiple_of(encryption.block),
            "The JWE ciphertext is not made of whole blocks of its `enc`.",
        )?;
        ensure(lengths.tag == encryption.tag, "The JWE authentication tag has a length that its `enc` does not have.")
    }

    fn encryption(&self) -> SealCheck<Encryption> {
        self.encryption.ok_or_else(|| {
            NotSealed::because("The header has no `enc`, which a JWE requires. A JWS or JWT is signed, not encrypted.")
        })
    }
}

fn key_management(value: &Value) -> SealCheck<KeyManagement> {
    let name = value.as_str().unwrap_or_default();
    ensure(name != "RSA1_5", "The JWE `alg` is RSA1_5, which is deprecated. Use RSA-OAEP-256.")?;
    KeyManagement::named(name).ok_or_else(|| {
        NotSealed::because(
            "The header's `alg` is not a key management algorithm of JWE. A JWS or JWT is signed, not encrypted.",
        )
    })
}

fn encryption(value: &Value) -> SealCheck<Encryption> {
    value.as_str().and_then(Encryption::named).ok_or_else(|| {
        NotSealed::because(
            "The JWE `enc` is not one of A128CBC-HS256, A192CBC-HS384, A256CBC-HS512, A128GCM, A192GCM and A256GCM.",
        )
    })
}

/// The decoded length of a base64url string.
fn text_len(value: &Value) -> Option<u64> {
    URL_SAFE.decoded_len(value.as_str()?.as_bytes())
}

/// The checked parameters, by their index in [`CHECKED`]. Rejects names that appear more than once.
struct HeaderParameters(Vec<(usize, Value)>);

impl<'de> Deserialize<'de> for HeaderParameters {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Collect)
    }
}

struct Collect;

impl<'de> Visitor<'de> for Collect {
    type Value = HeaderParameters;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<HeaderParameters, M::Error> {
        let mut names = BTreeSet::new();
        let mut parameters = Vec::new();
        while let Some(name) = map.next_key::<String>()? {
            match CHECKED.iter().position(|checked| *checked == name) {
                Some(index) => parameters.push((index, map.next_value()?)),
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
            if !names.insert(name) {
                return Err(M::Error::custom("a name appears more than once"));
            }
        }
        Ok(HeaderParameters(parameters))
    }
}
