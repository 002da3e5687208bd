//! Seals small values that a client carries and must neither read nor change, such as cursors and consent requests:
//! AES-256-GCM under the server's key, bound to a purpose.
//!
//! Not for travellers' documents, which their own devices seal.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use openssl::hash::MessageDigest;
use openssl::pkey::PKey;
use openssl::sign::Signer;
use openssl::symm::{Cipher, decrypt_aead, encrypt_aead};

use crate::clock::Random;

const NONCE: usize = 12;
const TAG: usize = 16;

/// The server's key: 256 random bits, the same on every replica.
#[derive(Clone)]
pub struct Key([u8; 32]);

impl Key {
    pub fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Seals `plain` for `purpose`, which names its use and whom it belongs to. Returns text of `[A-Za-z0-9_-]`.
    pub fn seal(&self, purpose: &str, plain: &[u8], random: &dyn Random) -> String {
        let nonce = random.bytes::<NONCE>();
        let mut tag = [0; TAG];
        let sealed = encrypt_aead(Cipher::aes_256_gcm(), &self.0, Some(&nonce), purpose.as_bytes(), plain, &mut tag)
            .expect("AES-256-GCM takes any plain text of this size");
        URL_SAFE_NO_PAD.encode([&nonce[..], &tag[..], &sealed[..]].concat())
    }

    /// Opens a value that was sealed for the same purpose. `None` if it was not, or was altered.
    pub fn open(&self, purpose: &str, sealed: &str) -> Option<Vec<u8>> {
        let bytes = URL_SAFE_NO_PAD.decode(sealed).ok()?;
        let (nonce, rest) = bytes.split_at_checked(NONCE)?;
        let (tag, sealed) = rest.split_at_checked(TAG)?;
        decrypt_aead(Cipher::aes_256_gcm(), &self.0, Some(nonce), purpose.as_bytes(), sealed, tag).ok()
    }

    /// A message authentication code (HMAC-SHA-256) of `message` for `purpose`, as text of `[A-Za-z0-9_-]`. Compare it
    /// with [`Key::verifies`].
    pub fn code(&self, purpose: &str, message: &str) -> String {
        let key = PKey::hmac(&self.0).expect("any bytes are an HMAC key");
        let mut signer = Signer::new(MessageDigest::sha256(), &key).expect("SHA-256 is always there");
        for part in [purpose.as_bytes(), &[0], message.as_bytes()] {
            signer.update(part).expect("hashing does not fail");
        }
        URL_SAFE_NO_PAD.encode(signer.sign_to_vec().expect("hashing does not fail"))
    }

    /// Whether `code` belongs to `message` and `purpose`. Compares in constant time.
    pub fn verifies(&self, purpose: &str, message: &str, code: &str) -> bool {
        let expected = self.code(purpose, message);
        expected.len() == code.len() && openssl::memcmp::eq(expected.as_bytes(), code.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Counting;
    impl Random for Counting {
        fn fill(&self, bytes: &mut [u8]) {
            (0..).zip(bytes).for_each(|(n, byte)| *byte = n);
        }
    }

    #[test]
    fn sealed_value_opens_only_with_its_purpose_and_key() {
        let key = Key::new([7; 32]);
        let sealed = key.seal("list of A", b"position", &Counting);
        assert_eq!(key.open("list of A", &sealed).as_deref(), Some(&b"position"[..]));
        assert_eq!(key.open("list of B", &sealed), None);
        assert_eq!(Key::new([8; 32]).open("list of A", &sealed), None);
    }

    #[test]
    fn nothing_altered_opens() {
        let key = Key::new([7; 32]);
        let sealed = key.seal("p", b"position", &Counting);
        for at in 0..sealed.len() {
            let mut altered = sealed.clone().into_bytes();
            altered[at] = if altered[at] == b'A' { b'B' } else { b'A' };
            let altered = String::from_utf8(altered).expect("ASCII");
            // The last base64 character has unused bits. The decoder rejects values in which they are not zero.
            assert_eq!(key.open("p", &altered), None, "altered at {at}");
        }
        assert_eq!(key.open("p", ""), None);
        assert_eq!(key.open("p", "é"), None);
    }

    #[test]
    fn codes_are_bound_to_purpose_and_message() {
        let key = Key::new([7; 32]);
        let code = key.code("form", "session");
        assert!(key.verifies("form", "session", &code));
        assert!(!key.verifies("form", "other", &code));
        assert!(!key.verifies("other", "session", &code));
    }
}
