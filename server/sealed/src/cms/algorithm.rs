//! The accepted content encryption algorithms, with the structure of their parameters and ciphertexts.

use super::grammar::{INTEGER, OCTET_STRING, OID, SEQUENCE};
use crate::{NotSealed, SealCheck, ensure};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Algorithm {
    /// A block cipher in CBC mode. Padding fills the last block.
    Cbc { block: u64 },
    /// An authenticated cipher.
    Aead {
        /// The allowed lengths of the tag.
        tag_lengths: &'static [u64],
        /// The tag's length according to the parameters.
        tag: Option<u64>,
    },
}

/// The encoding of the parameters.
#[derive(Clone, Copy)]
enum AlgorithmParameters {
    /// The initialisation vector, as long as a block.
    Iv(u8),
    /// `GCMParameters` or `CCMParameters` (RFC 5084): a nonce of these lengths and the tag's length.
    NonceAndTag { nonce: (usize, usize), tag_lengths: &'static [u64] },
    /// The nonce alone (RFC 8103).
    Nonce,
}

const GCM: AlgorithmParameters =
    AlgorithmParameters::NonceAndTag { nonce: (1, 64), tag_lengths: &[12, 13, 14, 15, 16] };
const CCM: AlgorithmParameters =
    AlgorithmParameters::NonceAndTag { nonce: (7, 13), tag_lengths: &[4, 6, 8, 10, 12, 14, 16] };

/// The accepted algorithms by object identifier.
const ACCEPTED: &[(&[u8], AlgorithmParameters)] = &[
    // 2.16.840.1.101.3.4.1: AES with keys of 128, 192 and 256 bits.
    (b"\x60\x86\x48\x01\x65\x03\x04\x01\x02", AlgorithmParameters::Iv(16)),
    (b"\x60\x86\x48\x01\x65\x03\x04\x01\x16", AlgorithmParameters::Iv(16)),
    (b"\x60\x86\x48\x01\x65\x03\x04\x01\x2A", AlgorithmParameters::Iv(16)),
    (b"\x60\x86\x48\x01\x65\x03\x04\x01\x06", GCM),
    (b"\x60\x86\x48\x01\x65\x03\x04\x01\x1A", GCM),
    (b"\x60\x86\x48\x01\x65\x03\x04\x01\x2E", GCM),
    (b"\x60\x86\x48\x01\x65\x03\x04\x01\x07", CCM),
    (b"\x60\x86\x48\x01\x65\x03\x04\x01\x1B", CCM),
    (b"\x60\x86\x48\x01\x65\x03\x04\x01\x2F", CCM),
    // 1.2.840.113549.3.7: Triple DES.
    (b"\x2A\x86\x48\x86\xF7\x0D\x03\x07", AlgorithmParameters::Iv(8)),
    // 1.2.840.113549.1.9.16.3.18: ChaCha20-Poly1305.
    (b"\x2A\x86\x48\x86\xF7\x0D\x01\x09\x10\x03\x12", AlgorithmParameters::Nonce),
    // 1.2.392.200011.61.1.1.1: Camellia with keys of 128, 192 and 256 bits.
    (b"\x2A\x83\x08\x8C\x9A\x4B\x3D\x01\x01\x01\x02", AlgorithmParameters::Iv(16)),
    (b"\x2A\x83\x08\x8C\x9A\x4B\x3D\x01\x01\x01\x03", AlgorithmParameters::Iv(16)),
    (b"\x2A\x83\x08\x8C\x9A\x4B\x3D\x01\x01\x01\x04", AlgorithmParameters::Iv(16)),
];

impl Algorithm {
    /// Reads the contents of an `AlgorithmIdentifier`.
    pub(super) fn read(contents: &[u8]) -> SealCheck<Self> {
        let (oid, parameters) = element(contents, OID)
            .ok_or_else(|| NotSealed::because("The CMS content encryption algorithm has no object identifier."))?;
        let (_, form) = ACCEPTED.iter().find(|(accepted, _)| *accepted == oid).ok_or_else(|| {
            NotSealed::because(
                "The CMS content encryption algorithm is not accepted: AES, Camellia or Triple DES in CBC mode, AES-GCM, \
                 AES-CCM or ChaCha20-Poly1305 is expected.",
            )
        })?;
        form.read(parameters)
            .ok_or_else(|| NotSealed::because("The CMS content encryption algorithm has malformed parameters."))
    }

    /// Whether this is an algorithm for `AuthEnvelopedData`.
    pub(super) fn is_authenticated(self) -> bool {
        matches!(self, Self::Aead { .. })
    }

    /// Checks the lengths of the ciphertext and the authentication tag.
    pub(super) fn check_lengths(self, ciphertext: u64, mac: u64) -> SealCheck {
        match self {
            Self::Cbc { block } => ensure(
                ciphertext.is_multiple_of(block),
                "The CMS ciphertext is not made of whole blocks of its encryption algorithm.",
            ),
            Self::Aead { tag_lengths, tag } => ensure(
                tag_lengths.contains(&mac) && tag.is_none_or(|tag| tag == mac),
                "The CMS authentication tag has a length that its encryption algorithm does not have.",
            ),
        }
    }
}

impl AlgorithmParameters {
    fn read(self, bytes: &[u8]) -> Option<Algorithm> {
        match self {
            Self::Iv(block) => {
                let (iv, rest) = element(bytes, OCTET_STRING)?;
                (rest.is_empty() && iv.len() == usize::from(block))
                    .then_some(Algorithm::Cbc { block: u64::from(block) })
            }
            Self::Nonce => {
                let (nonce, rest) = element(bytes, OCTET_STRING)?;
                (rest.is_empty() && nonce.len() == 12).then_some(Algorithm::Aead { tag_lengths: &[16], tag: None })
            }
            Self::NonceAndTag { nonce: (shortest, longest), tag_lengths } => {
                let (fields, rest) = element(bytes, SEQUENCE)?;
                let (nonce, tag) = element(fields, OCTET_STRING)?;
                let tag = match tag {
                    [] => None,
                    &[INTEGER, 1, length] => Some(u64::from(length)),
                    _ => return None,
                };
                let is_right = rest.is_empty() && (shortest..=longest).contains(&nonce.len());
                is_right.then_some(Algorithm::Aead { tag_lengths, tag })
            }
        }
    }
}

/// The contents of the first element, if it has this tag, and the rest. Supports only lengths below 128, which is
/// enough for the accepted algorithms.
fn element(bytes: &[u8], tag: u8) -> Option<(&[u8], &[u8])> {
    match bytes {
        [found, length @ 0..0x80, rest @ ..] if *found == tag => rest.split_at_checked(usize::from(*length)),
        _ => None,
    }
}
