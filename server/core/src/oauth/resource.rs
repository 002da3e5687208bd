//! The resource that a token is valid for (RFC 8707): the whole service, or only its MCP endpoint.
//!
//! The request pipeline checks that a request fits the resource of its token.

use itinerary_api::oauth_error::OAuthError;
use serde::{Deserialize, Serialize};

use super::parameters::Parameters;

/// The resource that a token is valid for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Resource {
    /// The whole service.
    Service,
    /// Only the MCP endpoint.
    Mcp,
}

impl Resource {
    /// The URL of the MCP endpoint.
    pub fn mcp_address(base_url: &str) -> String {
        format!("{base_url}/mcp")
    }

    /// The request's `resource`, or `None` if it is absent. It may be repeated with the same value. A value other than
    /// the two URLs, or both of them, is `invalid_target`.
    pub fn requested(parameters: Parameters<'_>, base_url: &str) -> Result<Option<Self>, OAuthError> {
        let mut named = None;
        for value in parameters.values("resource").filter(|value| !value.is_empty()) {
            let resource = if value == Self::mcp_address(base_url) {
                Self::Mcp
            } else if value.strip_suffix('/').unwrap_or(value) == base_url {
                Self::Service
            } else {
                return Err(OAuthError::invalid_target(
                    "resource must be the URL of this service or of its MCP endpoint",
                ));
            };
            if named.is_some_and(|named| named != resource) {
                return Err(OAuthError::invalid_target("resource must name a single resource"));
            }
            named = Some(resource);
        }
        Ok(named)
    }

    /// The stored form, which is compared with the address of a request: the MCP endpoint's URL, or `None`.
    pub fn stored(self, base_url: &str) -> Option<String> {
        match self {
            Self::Service => None,
            Self::Mcp => Some(Self::mcp_address(base_url)),
        }
    }

    /// Reads the stored form. Any stored value restricts the token.
    pub fn from_stored(stored: Option<&str>) -> Self {
        if stored.is_some() { Self::Mcp } else { Self::Service }
    }

    /// The resource of an access token if `self` was approved and the token request asks for `requested`: the same or a
    /// narrower one.
    pub fn narrowed(self, requested: Option<Self>) -> Result<Self, OAuthError> {
        match (self, requested) {
            (Self::Mcp, Some(Self::Service)) => Err(OAuthError::invalid_target(
                "resource must be the MCP endpoint, because the traveller approved only that",
            )),
            (approved, None) => Ok(approved),
            (_, Some(requested)) => Ok(requested),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &str = "https://trips.example";

    fn requested(values: &[&str]) -> Result<Option<Resource>, OAuthError> {
        let pairs: Vec<_> = values.iter().map(|value| ("resource".to_owned(), (*value).to_owned())).collect();
        Resource::requested(Parameters::new(&pairs), BASE)
    }

    #[test]
    fn the_service_and_its_mcp_endpoint_can_be_named() {
        assert_eq!(requested(&[]), Ok(None));
        assert_eq!(requested(&[""]), Ok(None));
        assert_eq!(requested(&["https://trips.example"]), Ok(Some(Resource::Service)));
        assert_eq!(requested(&["https://trips.example/"]), Ok(Some(Resource::Service)));
        assert_eq!(requested(&["https://trips.example/mcp"]), Ok(Some(Resource::Mcp)));
        assert_eq!(requested(&["https://trips.example/mcp"; 2]), Ok(Some(Resource::Mcp)));
    }

    #[test]
    fn anything_else_is_an_invalid_target() {
        for values in [
            &["https://other.example"][..],
            &["https://trips.example//"],
            &["https://trips.example/mcp/"],
            &["https://trips.example/mcp#x"],
            &["https://trips.example/v1"],
            &["mcp"],
            &["https://trips.example", "https://trips.example/mcp"],
        ] {
            assert_eq!(requested(values).expect_err("no such resource").error.as_str(), "invalid_target", "{values:?}");
        }
    }

    #[test]
    fn a_token_is_never_wider_than_what_was_approved() {
        use Resource::{Mcp, Service};
        assert_eq!(Service.narrowed(None), Ok(Service));
        assert_eq!(Service.narrowed(Some(Mcp)), Ok(Mcp));
        assert_eq!(Mcp.narrowed(None), Ok(Mcp));
        assert_eq!(Mcp.narrowed(Some(Mcp)), Ok(Mcp));
        assert_eq!(Mcp.narrowed(Some(Service)).expect_err("wider").error.as_str(), "invalid_target");
    }

    #[test]
    fn storing_keeps_it() {
        for resource in [Resource::Service, Resource::Mcp] {
            assert_eq!(Resource::from_stored(resource.stored(BASE).as_deref()), resource);
        }
    }
}
