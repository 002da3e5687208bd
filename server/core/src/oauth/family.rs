//! Refresh tokens and their families. A token is `itp_rt_`, 22 characters that all tokens from the same sign-in share,
//! and a secret of 43 characters.
//!
//! Tokens from before families existed are the prefix and 43 characters. Their first 22 characters become the id of
//! their family.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::REFRESH_PREFIX;
use crate::clock::Random;
use crate::ids;

/// The length of a family's id: 128 random bits.
const FAMILY: usize = 22;
/// The length of the secret.
const SECRET: usize = 43;

/// The first refresh token of a new family.
pub fn first(random: &dyn Random) -> String {
    next(&URL_SAFE_NO_PAD.encode(random.bytes::<16>()), random)
}

/// The next refresh token of a family.
pub fn next(family: &str, random: &dyn Random) -> String {
    ids::secret(&format!("{REFRESH_PREFIX}{family}"), random)
}

/// The family of a refresh token. `None` if the token is malformed.
pub fn of(token: &str) -> Option<&str> {
    let rest = token.strip_prefix(REFRESH_PREFIX)?;
    let is_whole = [SECRET, FAMILY + SECRET].contains(&rest.len());
    let is_plain = rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    (is_whole && is_plain).then(|| &rest[..FAMILY])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Always returns the same byte.
    struct Same(u8);

    impl Random for Same {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(self.0);
        }
    }

    #[test]
    fn a_token_tells_its_family_and_hands_it_on() {
        let token = first(&Same(7));
        let family = of(&token).expect("a family");
        assert_eq!(family, "BwcHBwcHBwcHBwcHBwcHBw");
        let later = next(family, &Same(8));
        assert_eq!((of(&later), later.len()), (Some(family), token.len()));
        assert_ne!(later, token);
        // T-18: besides the family's id, the token has a secret of 256 bits.
        assert_eq!(token.len(), "itp_rt_".len() + 22 + 43);
    }

    #[test]
    fn a_token_from_before_families_begins_one() {
        let old = ids::secret(REFRESH_PREFIX, &Same(9));
        let family = of(&old).expect("a family");
        assert_eq!(of(&next(family, &Same(8))), Some(family));
    }

    #[test]
    fn malformed_tokens_have_no_family() {
        let token = first(&Same(7));
        let cut = &token[..token.len() - 1];
        for text in
            ["", "itp_rt_", "\0", &token[7..], cut, &format!("{token}A"), &format!("{cut} "), &format!("{cut}é")]
        {
            assert_eq!(of(text), None, "{text:?}");
        }
    }
}
