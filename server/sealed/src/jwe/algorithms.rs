//! The algorithms of JWE (RFC 7518 and the IANA registry), and the lengths that they imply.

/// A content encryption algorithm: `enc`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Encryption {
    /// In bytes, like all lengths here.
    pub(super) key: u64,
    pub(super) iv: u64,
    pub(super) tag: u64,
    /// The ciphertext's length is a multiple of this.
    pub(super) block: u64,
}

impl Encryption {
    pub(super) fn named(name: &str) -> Option<Self> {
        let cbc = |key| Self { key, iv: 16, tag: key / 2, block: 16 };
        let gcm = |key| Self { key, iv: 12, tag: 16, block: 1 };
        Some(match name {
            "A128CBC-HS256" => cbc(32),
            "A192CBC-HS384" => cbc(48),
            "A256CBC-HS512" => cbc(64),
            "A128GCM" => gcm(16),
            "A192GCM" => gcm(24),
            "A256GCM" => gcm(32),
            _ => return None,
        })
    }
}

/// A key management algorithm: `alg`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct KeyManagement {
    pub(super) key: EncryptedKey,
    pub(super) needs: Needs,
}

/// The form of the encrypted key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EncryptedKey {
    /// No encrypted key: direct key agreement or a shared key.
    Empty,
    /// As long as an RSA key of 2,048 to 16,384 bits.
    Rsa,
    /// AES key wrap: eight bytes longer than the key.
    Wrapped,
    /// As long as the key.
    Same,
}

/// The header parameters that an algorithm needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Needs {
    Nothing,
    /// `epk`
    EphemeralKey,
    /// `p2s` and `p2c`
    Passphrase,
    /// `iv` and `tag`
    IvAndTag,
}

impl KeyManagement {
    pub(super) fn named(name: &str) -> Option<Self> {
        use EncryptedKey::{Empty, Rsa, Same, Wrapped};
        use Needs::{EphemeralKey, IvAndTag, Nothing, Passphrase};
        let (key, needs) = match name {
            "dir" => (Empty, Nothing),
            "RSA-OAEP" | "RSA-OAEP-256" | "RSA-OAEP-384" | "RSA-OAEP-512" => (Rsa, Nothing),
            "A128KW" | "A192KW" | "A256KW" => (Wrapped, Nothing),
            "A128GCMKW" | "A192GCMKW" | "A256GCMKW" => (Same, IvAndTag),
            "ECDH-ES" => (Empty, EphemeralKey),
            "ECDH-ES+A128KW" | "ECDH-ES+A192KW" | "ECDH-ES+A256KW" => (Wrapped, EphemeralKey),
            "PBES2-HS256+A128KW" | "PBES2-HS384+A192KW" | "PBES2-HS512+A256KW" => (Wrapped, Passphrase),
            _ => return None,
        };
        Some(Self { key, needs })
    }
}

impl EncryptedKey {
    /// Whether an encrypted key may have this length.
    pub(super) fn fits(self, len: u64, encryption: Encryption) -> bool {
        match self {
            Self::Empty => len == 0,
            Self::Rsa => (256..=2048).contains(&len),
            Self::Wrapped => len == encryption.key + 8,
            Self::Same => len == encryption.key,
        }
    }
}
