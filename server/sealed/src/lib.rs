//! Recognises sealed files: files that were encrypted on the traveller's device before they were uploaded.
//!
//! [`Inspector`] reads a file as a stream and returns its [`Format`], or the reason why it is rejected. It checks the
//! structure only. It has no key, decrypts nothing, verifies no signature, and does not measure randomness, because
//! compressed pictures look as random as ciphertext.
//!
//! # What is checked
//!
//! * **age v1**, binary: the whole header as the age specification has it, the arguments and bodies of the native
//!   recipient types (`X25519`, `scrypt`, `mlkem768x25519`, `p256tag`, `mlkem768p256tag`), and that the length of the
//!   payload is possible for a sequence of chunks. Recipient types of plugins are accepted unchecked.
//! * **age v1**, armored: strict PEM with 64 columns and canonical padded base64. Lines end with LF or CRLF. Blank
//!   lines before `BEGIN` and white space after the line of `END` are allowed, up to 1,024 bytes each; so is a byte order
//!   mark at the start. The decoded content is checked like a binary file.
//! * **CMS**, DER: `ContentInfo` with `EnvelopedData` or `AuthEnvelopedData`: each field, the structure of each
//!   recipient, every length, the algorithm's parameters, the lengths of ciphertext and authentication tag. Accepted
//!   algorithms are an allow-list: AES in CBC mode, Triple DES and Camellia in CBC mode for `EnvelopedData`; AES-GCM,
//!   AES-CCM and ChaCha20-Poly1305 for `AuthEnvelopedData`. Algorithms that do not encrypt (AES-GMAC, digests,
//!   compression) are not on it. BER with indefinite lengths is rejected.
//! * **CMS**, PEM: labels `CMS` and `PKCS7`, otherwise like armored age.
//! * **JWE**, compact: five parts of canonical base64url, the protected header with a registered `alg` and `enc` and
//!   the parameters that `alg` needs, and the lengths of all parts. One newline may follow. `RSA1_5` is rejected,
//!   because JOSE deprecates it.
//! * **JWE**, JSON: flattened or general, with no member that RFC 7516 does not define, and the same checks for each
//!   recipient.
//!
//! Everything else is rejected, including `OpenPGP`. No bytes may follow the structure.
//!
//! # What the structure cannot show
//!
//! * Whether the ciphertext is genuine. Anybody can put other bytes, or text in base64, in its place; only the holder
//!   of the key can tell.
//! * Whether the file can be decrypted, for whom it is encrypted, or whether its authentication tag is right.
//! * Truncation after which the rest is still well-formed: an age payload that has lost bytes but ends with a chunk of
//!   at least 17 bytes, or that has lost whole chunks (of 65,552 bytes). Decryption detects it. In DER, PEM and JWE
//!   every truncation is detected, except for a compact JWE's trailing newline, white space at the end, and the newline
//!   after a PEM block.
//! * Extension of an age payload: appended bytes look like part of its last chunk. In the other formats every extension
//!   is detected, except for white space that the format allows.
//! * Secrets in readable parts: recipients, certificates and attributes of CMS, headers and `aad` of JWE, stanzas of
//!   age. A client must put nothing secret there.
//! * The strength of keys and passphrases.
//!
//! # Bounds
//!
//! Memory is bounded for files of any size. The inspector holds at most: a line of an age header (8 KiB) or of PEM (80
//! bytes); a CMS algorithm (512 bytes) and 32 levels of nesting; a decoded JWE header (16 KiB); a recipient of a JSON
//! JWE (32 KiB) and less than 100 bytes for each of its at most 100 recipients. An age header has at most 64 KiB; so
//! has everything except the ciphertext in CMS and in a JSON JWE: white space, headers, recipients, attributes.

#![doc(test(attr(deny(warnings))))]

mod age;
mod base64_text;
mod cms;
mod inspector;
mod jwe;
mod pem;
mod plain;

use std::borrow::Cow;

pub use inspector::Inspector;

/// The format of a sealed file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// An age v1 file, binary.
    Age,
    /// An age v1 file in ASCII armor.
    AgeArmored,
    /// CMS `EnvelopedData` or `AuthEnvelopedData` in DER.
    CmsDer,
    /// CMS `EnvelopedData` or `AuthEnvelopedData` in PEM.
    CmsPem,
    /// A JWE in compact serialization.
    JweCompact,
    /// A JWE in flattened or general JSON serialization.
    JweJson,
}

/// The accepted formats, for error messages.
pub const ACCEPTED: &str =
    "age v1 (binary or armored), CMS EnvelopedData or AuthEnvelopedData (DER or PEM), JWE (compact or JSON)";

/// The reason why a file is rejected. Displays as one or more sentences.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct NotSealed {
    reason: Cow<'static, str>,
}

impl NotSealed {
    fn because(reason: impl Into<Cow<'static, str>>) -> Self {
        Self { reason: reason.into() }
    }
}

type SealCheck<T = ()> = Result<T, NotSealed>;

/// Rejects with this reason unless the condition holds.
fn ensure(condition: bool, reason: &'static str) -> SealCheck {
    if condition { Ok(()) } else { Err(NotSealed::because(reason)) }
}
