//! Client authentication: reads the client's credentials and checks them against the registration.
//!
//! A confidential client may send its secret by HTTP Basic or in the form, whichever method it registered. A public
//! client sends only its id.

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use itinerary_api::oauth_error::OAuthError;
use url::form_urlencoded;

use super::client_document::is_client_url;
use super::parameters::Parameters;
use crate::ids;

const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

#[derive(Clone, PartialEq, Eq)]
pub struct Credentials {
    /// The client id that the request claims.
    pub client_id: String,
    secret: Option<String>,
    basic: bool,
}

/// Whether a confidential client must send its secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecretRule {
    Required,
    /// The secret may be absent, but must not be wrong.
    Optional,
}

impl Credentials {
    /// Reads the credentials from the `Authorization` header, if present, and from the form.
    pub fn read(authorization: Option<&str>, form: Parameters<'_>) -> Result<Self, OAuthError> {
        let (id, secret) = (form.get("client_id")?, form.get("client_secret")?);
        let Some(authorization) = authorization else {
            let client_id = id.ok_or_else(|| OAuthError::invalid_request("client_id is missing"))?.to_owned();
            return Ok(Self { client_id, secret: secret.map(str::to_owned), basic: false });
        };
        let (client_id, basic_secret) = parse_basic(authorization).ok_or_else(|| {
            OAuthError::invalid_client("the Authorization header must use the Basic scheme").with_basic_challenge()
        })?;
        if secret.is_some() {
            return Err(OAuthError::invalid_request(
                "client_secret must not be sent both in the Authorization header and in the form",
            ));
        }
        if id.is_some_and(|id| id != client_id) {
            return Err(OAuthError::invalid_request("client_id must match the Authorization header"));
        }
        Ok(Self { client_id, secret: Some(basic_secret).filter(|secret| !secret.is_empty()), basic: true })
    }

    /// Whether the client id is well-formed, so that it is worth looking up.
    pub fn is_plausible(&self) -> bool {
        is_plausible_id(&self.client_id) || is_client_url(&self.client_id)
    }

    /// Checks the secret against the registered hash. A public client has no hash and must not send a secret.
    pub fn check(&self, registered: Option<&[u8]>, rule: SecretRule) -> Result<(), OAuthError> {
        match (registered, self.secret.as_deref()) {
            (Some(hash), Some(secret)) if same(hash, &ids::hash(secret)) => Ok(()),
            (Some(_), Some(_)) => Err(self.refused("the client secret is wrong")),
            (Some(_), None) if rule == SecretRule::Required => Err(self.refused("the client secret is missing")),
            (None, Some(_)) => Err(self.refused("a public client must not send a client secret")),
            (Some(_) | None, None) => Ok(()),
        }
    }

    /// The error for a client that is not registered.
    pub fn unknown(&self) -> OAuthError {
        self.refused("the client is not registered")
    }

    /// Adds the Basic challenge if the client used HTTP Basic.
    fn refused(&self, why: &str) -> OAuthError {
        let error = OAuthError::invalid_client(why);
        if self.basic { error.with_basic_challenge() } else { error }
    }
}

/// Whether the text is a well-formed id of a registered client: 1 to 100 characters of `[A-Za-z0-9_-]`.
pub fn is_plausible_id(text: &str) -> bool {
    (1..=100).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
}

fn same(left: &[u8], right: &[u8]) -> bool {
    left.len() == right.len() && openssl::memcmp::eq(left, right)
}

/// The id and secret of a Basic header. RFC 6749 §2.3.1 requires both to be form-encoded. Some clients do not encode
/// them, which makes no difference for the ids and secrets that this server issues.
fn parse_basic(header: &str) -> Option<(String, String)> {
    let (scheme, encoded) = header.split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let plain = String::from_utf8(BASE64.decode(encoded.trim()).ok()?).ok()?;
    let (id, secret) = plain.split_once(':')?;
    Some((form_decoded(id), form_decoded(secret)))
}

fn form_decoded(text: &str) -> String {
    // Decoded as the name of a pair without a value, so `&` and `=` are escaped first.
    let guarded = text.replace('&', "%26").replace('=', "%3D");
    form_urlencoded::parse(guarded.as_bytes()).map(|(name, _)| name.into_owned()).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "app_1";
    const SECRET: &str = "itp_cs_secret-A_b";

    fn basic(plain: &str) -> String {
        format!("Basic {}", BASE64.encode(plain))
    }

    fn read(authorization: Option<&str>, form: &[(&str, &str)]) -> Result<Credentials, OAuthError> {
        let pairs: Vec<_> = form.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Credentials::read(authorization, Parameters::new(&pairs))
    }

    /// The outcome for a client registered with or without a secret: the error code, and whether it has a challenge.
    fn outcome(
        authorization: Option<&str>,
        form: &[(&str, &str)],
        confidential: bool,
        rule: SecretRule,
    ) -> Result<(), (String, bool)> {
        let hash = ids::hash(SECRET);
        read(authorization, form)
            .and_then(|credentials| credentials.check(confidential.then_some(&hash[..]), rule))
            .map_err(|error| (error.error.to_string(), !error.headers.is_empty()))
    }

    fn invalid_client(challenge: bool) -> Result<(), (String, bool)> {
        Err(("invalid_client".to_owned(), challenge))
    }

    fn invalid_request() -> Result<(), (String, bool)> {
        Err(("invalid_request".to_owned(), false))
    }

    #[test]
    fn a_confidential_client_may_use_either_way() {
        use SecretRule::Required;
        let joined = basic(&format!("{ID}:{SECRET}"));
        assert_eq!(outcome(Some(&joined), &[], true, Required), Ok(()));
        assert_eq!(outcome(Some(&joined), &[("client_id", ID)], true, Required), Ok(()));
        assert_eq!(outcome(Some(&joined), &[("client_id", ID), ("client_secret", "")], true, Required), Ok(()));
        assert_eq!(outcome(Some(&joined.replace("Basic", "bASIC")), &[], true, Required), Ok(()));
        assert_eq!(outcome(Some(joined.trim_end_matches('=')), &[], true, Required), Ok(()));
        assert_eq!(outcome(None, &[("client_id", ID), ("client_secret", SECRET)], true, Required), Ok(()));
    }

    #[test]
    fn id_and_secret_are_form_decoded() {
        let encoded = basic("app%5F1:itp_cs_secret%2DA%5Fb");
        assert_eq!(outcome(Some(&encoded), &[], true, SecretRule::Required), Ok(()));
        assert_eq!(form_decoded("a+b%3A&=c"), "a b:&=c");
        assert_eq!(form_decoded(""), "");
    }

    #[test]
    fn two_ways_at_once_are_refused() {
        let joined = basic(&format!("{ID}:{SECRET}"));
        let rule = SecretRule::Required;
        assert_eq!(outcome(Some(&joined), &[("client_secret", SECRET)], true, rule), invalid_request());
        assert_eq!(outcome(Some(&joined), &[("client_id", "app_2")], true, rule), invalid_request());
        let twice = [("client_id", ID), ("client_secret", SECRET), ("client_secret", SECRET)];
        assert_eq!(outcome(None, &twice, true, rule), invalid_request());
        assert_eq!(outcome(None, &[("client_id", ID), ("client_id", ID)], false, rule), invalid_request());
    }

    #[test]
    fn a_wrong_secret_is_refused_and_basic_is_challenged() {
        for rule in [SecretRule::Required, SecretRule::Optional] {
            let wrong = basic(&format!("{ID}:{SECRET}x"));
            assert_eq!(outcome(Some(&wrong), &[], true, rule), invalid_client(true));
            let form = [("client_id", ID), ("client_secret", "wrong")];
            assert_eq!(outcome(None, &form, true, rule), invalid_client(false));
        }
    }

    #[test]
    fn a_confidential_client_without_secret_depends_on_the_rule() {
        let form = [("client_id", ID)];
        assert_eq!(outcome(None, &form, true, SecretRule::Required), invalid_client(false));
        assert_eq!(outcome(None, &form, true, SecretRule::Optional), Ok(()));
        let no_secret = basic(&format!("{ID}:"));
        assert_eq!(outcome(Some(&no_secret), &[], true, SecretRule::Required), invalid_client(true));
    }

    #[test]
    fn a_public_client_sends_its_id_alone() {
        for rule in [SecretRule::Required, SecretRule::Optional] {
            assert_eq!(outcome(None, &[("client_id", ID)], false, rule), Ok(()));
            assert_eq!(outcome(None, &[("client_id", ID), ("client_secret", "")], false, rule), Ok(()));
            assert_eq!(outcome(Some(&basic(&format!("{ID}:"))), &[], false, rule), Ok(()));
            let form = [("client_id", ID), ("client_secret", SECRET)];
            assert_eq!(outcome(None, &form, false, rule), invalid_client(false));
            assert_eq!(outcome(Some(&basic(&format!("{ID}:x"))), &[], false, rule), invalid_client(true));
        }
    }

    #[test]
    fn headers_that_say_nothing_usable_are_refused() {
        for header in ["", "Basic", "Basic !!!", "Basic YXBw", "Bearer itp_at_x", "Basic /w=="] {
            assert_eq!(outcome(Some(header), &[("client_id", ID)], false, SecretRule::Optional), invalid_client(true));
        }
    }

    #[test]
    fn somebody_must_be_named() {
        assert_eq!(outcome(None, &[], false, SecretRule::Optional), invalid_request());
        assert_eq!(outcome(None, &[("client_id", "")], false, SecretRule::Optional), invalid_request());
    }

    #[test]
    fn the_url_of_a_metadata_document_is_looked_up() {
        for (id, plausible) in [("https://app.example/client", true), ("https://app.example/a/../b", false)] {
            assert_eq!(read(None, &[("client_id", id)]).map(|credentials| credentials.is_plausible()), Ok(plausible));
        }
    }

    #[test]
    fn only_ids_that_could_exist_are_looked_up() {
        assert!(is_plausible_id("app_018f-Zz") && is_plausible_id("command-line"));
        for id in ["", "a b", "a\0", "é", "https://app.example/client", &"a".repeat(101)] {
            assert!(!is_plausible_id(id), "{id:?}");
        }
    }
}
