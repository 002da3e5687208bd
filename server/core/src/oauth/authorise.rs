//! Authorisation requests: parsing them, and the redirects that answer them.
//!
//! A request is validated completely before the traveller is asked to sign in. An invalid one is answered with an error
//! page, never with a redirect.

use itinerary_api::oauth_error::{OAuthError, OAuthErrorCode};
use serde::{Deserialize, Serialize};

use super::parameters::Parameters;
use super::resource::Resource;
use super::scopes::ScopeList;
use super::{pkce, redirect};

/// A valid request that the traveller may be asked to approve.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuthoriseRequest {
    pub client_id: String,
    /// The redirect URI, exactly as the request has it.
    pub redirect_uri: String,
    /// The requested scopes.
    pub scopes: ScopeList,
    /// The PKCE challenge (S256).
    pub challenge: String,
    /// The client's `state`, returned unchanged.
    pub state: Option<String>,
    /// The resource that the tokens will be valid for (RFC 8707).
    pub resource: Resource,
}

/// The request's `client_id`, which is needed to look up the client before the rest is validated.
pub fn client_id(parameters: Parameters<'_>) -> Result<&str, OAuthError> {
    parameters.required("client_id")
}

impl AuthoriseRequest {
    /// Validates the request of a client with these registered redirect URIs.
    pub fn read<S: AsRef<str>>(
        parameters: Parameters<'_>,
        registered: &[S],
        base_url: &str,
    ) -> Result<Self, OAuthError> {
        let redirect_uri = parameters.required("redirect_uri")?;
        if !redirect::is_registered(redirect_uri, registered) {
            return Err(OAuthError::invalid_redirect_uri(
                "redirect_uri must be one of the client's registered redirect URIs",
            ));
        }
        if parameters.required("response_type")? != "code" {
            let error = OAuthErrorCode::UnsupportedResponseType;
            return Err(OAuthError::new(error, "response_type must be code"));
        }
        let method = parameters.get("code_challenge_method")?;
        Ok(Self {
            client_id: client_id(parameters)?.to_owned(),
            redirect_uri: redirect_uri.to_owned(),
            challenge: pkce::challenge(parameters.get("code_challenge")?, method)?.to_owned(),
            scopes: ScopeList::requested(parameters.get("scope")?)?,
            state: parameters.get("state")?.map(str::to_owned),
            resource: Resource::requested(parameters, base_url)?.unwrap_or(Resource::Service),
        })
    }

    /// The redirect after the traveller approved.
    pub fn approved(&self, code: &str, issuer: &str) -> String {
        self.answered(&[("code", code)], issuer)
    }

    /// The redirect after the traveller denied the request.
    pub fn denied(&self, issuer: &str) -> String {
        let error = OAuthErrorCode::AccessDenied.as_str();
        self.answered(&[("error", error), ("error_description", "the traveller denied the request")], issuer)
    }

    fn answered(&self, response: &[(&str, &str)], issuer: &str) -> String {
        let state = self.state.as_deref().map(|state| ("state", state));
        let parameters: Vec<_> = response.iter().copied().chain(state).chain([("iss", issuer)]).collect();
        redirect::with_parameters(&self.redirect_uri, &parameters)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &str = "https://trips.example";
    const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
    const REGISTERED: [&str; 2] = ["https://app.example/cb?x=1", "http://127.0.0.1/cb"];

    /// A valid request with some parameters replaced. A parameter with an empty list of values is left out.
    fn read(changes: &[(&str, &[&str])]) -> Result<AuthoriseRequest, OAuthError> {
        let good = [
            ("client_id", "app_1"),
            ("redirect_uri", "https://app.example/cb?x=1"),
            ("response_type", "code"),
            ("scope", "itineraries:read documents:read"),
            ("code_challenge", CHALLENGE),
            ("code_challenge_method", "S256"),
            ("state", "s t/a+t&e"),
        ];
        let kept = good.iter().filter(|(name, _)| !changes.iter().any(|(changed, _)| changed == name)).copied();
        let replaced = changes.iter().flat_map(|(name, values)| values.iter().map(move |value| (*name, *value)));
        let pairs: Vec<_> = kept.chain(replaced).map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        AuthoriseRequest::read(Parameters::new(&pairs), &REGISTERED, BASE)
    }

    fn refused(changes: &[(&str, &[&str])]) -> String {
        read(changes).expect_err("refused").error.to_string()
    }

    #[test]
    fn a_good_request_is_understood() {
        let request = read(&[]).expect("a good request");
        assert_eq!(request.client_id, "app_1");
        assert_eq!(request.scopes.to_string(), "itineraries:read documents:read");
        assert_eq!(request.resource, Resource::Service);
        assert_eq!(request.state.as_deref(), Some("s t/a+t&e"));
    }

    #[test]
    fn unknown_parameters_are_passed_over_even_repeated() {
        assert_eq!(read(&[("prompt", &["none", "login"]), ("nonce", &["n"])]), read(&[]));
    }

    #[test]
    fn absent_or_empty_parameters_get_their_defaults() {
        for values in [&[][..], &[""]] {
            let request = read(&[("scope", values), ("state", values), ("resource", values)]).expect("a good request");
            assert_eq!(request.scopes, ScopeList::default_request());
            assert_eq!((request.state, request.resource), (None, Resource::Service));
        }
    }

    #[test]
    fn needed_parameters_cannot_be_left_out() {
        for name in ["client_id", "redirect_uri", "response_type", "code_challenge", "code_challenge_method"] {
            assert_eq!(refused(&[(name, &[])]), "invalid_request", "{name} left out");
            assert_eq!(refused(&[(name, &[""])]), "invalid_request", "{name} empty");
        }
    }

    #[test]
    fn known_parameters_must_not_be_repeated() {
        for (name, value) in [
            ("client_id", "app_1"),
            ("redirect_uri", "https://app.example/cb?x=1"),
            ("response_type", "code"),
            ("scope", "itineraries:read"),
            ("code_challenge", CHALLENGE),
            ("code_challenge_method", "S256"),
            ("state", "s"),
        ] {
            assert_eq!(refused(&[(name, &[value, value])]), "invalid_request", "{name} repeated");
        }
    }

    #[test]
    fn each_kind_of_refusal_has_its_word() {
        assert_eq!(refused(&[("redirect_uri", &["https://app.example/cb"])]), "invalid_redirect_uri");
        assert_eq!(refused(&[("response_type", &["token"])]), "unsupported_response_type");
        assert_eq!(refused(&[("response_type", &["code token"])]), "unsupported_response_type");
        assert_eq!(refused(&[("code_challenge_method", &["plain"])]), "invalid_request");
        assert_eq!(refused(&[("code_challenge", &["short"])]), "invalid_request");
        assert_eq!(refused(&[("scope", &["admin"])]), "invalid_scope");
        assert_eq!(refused(&[("resource", &["https://other.example"])]), "invalid_target");
    }

    #[test]
    fn the_port_of_a_loopback_redirect_is_the_requests() {
        let request = read(&[("redirect_uri", &["http://127.0.0.1:51004/cb"])]).expect("a good request");
        assert_eq!(request.redirect_uri, "http://127.0.0.1:51004/cb");
    }

    #[test]
    fn responses_carry_state_and_issuer_and_keep_the_registered_query() {
        let request = read(&[]).expect("a good request");
        assert_eq!(
            request.approved("itp_ac_x", BASE),
            "https://app.example/cb?x=1&code=itp_ac_x&state=s+t%2Fa%2Bt%26e&iss=https%3A%2F%2Ftrips.example"
        );
        let denied = request.denied(BASE);
        assert!(denied.starts_with("https://app.example/cb?x=1&error=access_denied&error_description="), "{denied}");
        assert!(denied.ends_with("&state=s+t%2Fa%2Bt%26e&iss=https%3A%2F%2Ftrips.example"), "{denied}");
        let stateless = read(&[("state", &[])]).expect("a good request");
        assert!(!stateless.approved("c", BASE).contains("state"));
    }

    #[test]
    fn a_request_survives_being_written_down() {
        let request = read(&[("resource", &["https://trips.example/mcp"])]).expect("a good request");
        let text = serde_json::to_string(&request).expect("JSON");
        assert_eq!(serde_json::from_str::<AuthoriseRequest>(&text).expect("the same"), request);
    }
}
