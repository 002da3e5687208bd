//! The text of personal access tokens: a prefix, 256 random bits, and a checksum.
//!
//! Prefix and checksum let secret scanners find tokens without a false alarm, and the server reject mistyped ones without
//! a query. The store keeps a token's SHA-256.

use flate2::Crc;

use crate::clock::Random;
use crate::ids;

/// The prefix of personal access tokens.
pub const PREFIX: &str = "itn_pat_";
/// The number of random characters, of `[A-Za-z0-9_-]`.
const RANDOM: usize = 43;
/// The number of characters of the checksum. 62⁶ exceeds 2³².
const CHECKSUM: usize = 6;
/// The digits of base 62, in ascending order.
const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Makes a token: 57 characters.
pub fn generate(random: &dyn Random) -> String {
    let token = ids::secret(PREFIX, random);
    let checksum = checksum(&token[PREFIX.len()..]);
    token + &checksum
}

/// Whether a text begins like a personal access token.
pub fn has_prefix(text: &str) -> bool {
    text.starts_with(PREFIX)
}

/// Whether a text has the format of a personal access token, checksum included.
pub fn is_well_formed(text: &str) -> bool {
    let Some(rest) = text.strip_prefix(PREFIX) else { return false };
    rest.len() == RANDOM + CHECKSUM && rest.is_ascii() && {
        let (random, sum) = rest.split_at(RANDOM);
        sum == checksum(random)
    }
}

/// The CRC-32 of a text (the one of ZIP and PNG) in base 62, with leading zeros.
fn checksum(text: &str) -> String {
    let mut crc = Crc::new();
    crc.update(text.as_bytes());
    let mut sum = crc.sum();
    let mut digits = [0; CHECKSUM];
    for digit in digits.iter_mut().rev() {
        *digit = DIGITS[(sum % 62) as usize];
        sum /= 62;
    }
    digits.iter().map(|digit| char::from(*digit)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Bytes(u8);

    impl Random for Bytes {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(self.0);
        }
    }

    #[test]
    fn tokens_have_57_characters_and_their_checksum() {
        for byte in 0..=255 {
            let token = generate(&Bytes(byte));
            assert_eq!(token.len(), 57, "{token}");
            assert!(is_well_formed(&token), "{token}");
        }
        // Checked against zlib.
        assert_eq!(generate(&Bytes(0)), format!("itn_pat_{}0DofJ8", "A".repeat(43)));
    }

    #[test]
    fn the_checksum_is_the_crc_32_in_base_62() {
        // 0xcbf43926 = 3421780262, the check value of CRC-32, in base 62.
        assert_eq!(checksum("123456789"), "3jZRME");
        assert_eq!(checksum(""), "000000");
    }

    #[test]
    fn a_changed_character_is_noticed() {
        let token = generate(&Bytes(7));
        for (at, _) in token.char_indices() {
            let other = if &token[at..=at] == "x" { "y" } else { "x" };
            let changed = format!("{}{other}{}", &token[..at], &token[at + 1..]);
            assert!(!is_well_formed(&changed), "{changed}");
        }
        for text in ["", PREFIX, &token[..56], &format!("{token}0"), &format!(" {token}"), &token.replace('_', "é")] {
            assert!(!is_well_formed(text), "{text}");
        }
    }
}
