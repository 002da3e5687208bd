//! Proof Key for Code Exchange (RFC 7636). The only accepted method is S256.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use itinerary_api::oauth_error::OAuthError;
use openssl::sha::sha256;

pub const METHOD: &str = "S256";
/// The length of a challenge: 32 bytes in base64url without padding.
const CHALLENGE: usize = 43;

/// Checks the challenge and method of an authorisation request and returns the challenge. An absent method means
/// `plain`, which is rejected like every method except S256.
pub fn challenge<'a>(challenge: Option<&'a str>, method: Option<&str>) -> Result<&'a str, OAuthError> {
    let challenge = challenge.ok_or_else(|| OAuthError::invalid_request("code_challenge is missing"))?;
    if method != Some(METHOD) {
        return Err(OAuthError::invalid_request("code_challenge_method must be S256"));
    }
    let is_base64url = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    if challenge.len() != CHALLENGE || !challenge.bytes().all(is_base64url) {
        return Err(OAuthError::invalid_request("code_challenge must be 43 characters of base64url"));
    }
    Ok(challenge)
}

/// Whether the text is a well-formed verifier: 43 to 128 unreserved characters.
pub fn is_verifier(text: &str) -> bool {
    let is_unreserved = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    (43..=128).contains(&text.len()) && text.bytes().all(is_unreserved)
}

/// Whether the challenge was made from this verifier. Compares in constant time. An empty challenge has no verifier.
pub fn verifies(verifier: &str, challenge: &str) -> bool {
    let expected = URL_SAFE_NO_PAD.encode(sha256(verifier.as_bytes()));
    is_verifier(verifier)
        && expected.len() == challenge.len()
        && openssl::memcmp::eq(expected.as_bytes(), challenge.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    // The example of RFC 7636, appendix B.
    const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
    const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

    #[test]
    fn the_example_of_the_standard_verifies() {
        assert!(verifies(VERIFIER, CHALLENGE));
        assert!(!verifies(&VERIFIER.replace('d', "e"), CHALLENGE));
        assert!(!verifies(CHALLENGE, CHALLENGE));
        assert!(!verifies(VERIFIER, ""));
        assert!(!verifies("", CHALLENGE));
    }

    #[test]
    fn a_challenge_is_needed_by_every_client() {
        assert_eq!(challenge(Some(CHALLENGE), Some("S256")), Ok(CHALLENGE));
        for (given, method) in [
            (None, Some("S256")),
            (Some(CHALLENGE), None),
            (Some(CHALLENGE), Some("plain")),
            (Some(CHALLENGE), Some("s256")),
            (Some(&CHALLENGE[1..]), Some("S256")),
            (Some(&*format!("{CHALLENGE}A")), Some("S256")),
            (Some(&*CHALLENGE.replace('-', "+")), Some("S256")),
            (Some(&*CHALLENGE.replace('M', "=")), Some("S256")),
            (None, None),
        ] {
            let refused = challenge(given, method).expect_err("not a challenge");
            assert_eq!(refused.error.as_str(), "invalid_request", "{given:?} {method:?}");
        }
    }

    #[test]
    fn a_verifier_has_43_to_128_unreserved_characters() {
        assert!(is_verifier(&"a".repeat(43)) && is_verifier(&"~".repeat(128)));
        for text in [&*"a".repeat(42), &*"a".repeat(129), &*"+".repeat(43), &*"é".repeat(43), ""] {
            assert!(!is_verifier(text), "{text}");
            // Its hash matches; only its syntax is wrong.
            assert!(!verifies(text, &URL_SAFE_NO_PAD.encode(sha256(text.as_bytes()))), "{text}");
        }
    }
}
