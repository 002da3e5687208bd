//! The credentials of a client. The hooks decide which requests carry them.

use std::fmt;
use std::sync::Arc;

use url::Url;

use crate::keeper::{Keeper, TokenError};

/// The credentials of a client, made by a [`ClientBuilder`](crate::ClientBuilder).
#[derive(Clone)]
pub struct Session(Arc<State>);

struct State {
    base: Url,
    credentials: Credentials,
}

/// Where the bearer token comes from.
pub(crate) enum Credentials {
    /// No token: public operations only.
    Nobody,
    /// A token that is never refreshed.
    Fixed(String),
    /// A token from a store, refreshed when needed.
    Kept(Keeper),
}

impl Session {
    pub(crate) fn new(base: Url, credentials: Credentials) -> Self {
        Self(Arc::new(State { base, credentials }))
    }

    /// The bearer token to send.
    pub(crate) async fn token(&self) -> Result<Option<String>, TokenError> {
        match &self.0.credentials {
            Credentials::Nobody => Ok(None),
            Credentials::Fixed(token) => Ok(Some(token.clone())),
            Credentials::Kept(keeper) => keeper.token(None).await.map(Some),
        }
    }

    /// A token other than the rejected one; `None` if it cannot be refreshed.
    pub(crate) async fn token_instead_of(&self, refused: &str) -> Result<Option<String>, TokenError> {
        match &self.0.credentials {
            Credentials::Kept(keeper) => keeper.token(Some(refused)).await.map(Some),
            Credentials::Nobody | Credentials::Fixed(_) => Ok(None),
        }
    }

    /// The part of a URL after the base URL; `None` for other hosts, which must not get the token.
    pub(crate) fn path<'url>(&self, url: &'url Url) -> Option<&'url str> {
        let base = &self.0.base;
        if url.origin() == base.origin() { url.path().strip_prefix(base.path().trim_end_matches('/')) } else { None }
    }
}

/// Omits secrets.
impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let credentials = match &self.0.credentials {
            Credentials::Nobody => "nobody",
            Credentials::Fixed(_) => "a fixed token",
            Credentials::Kept(_) => "a token store",
        };
        f.debug_struct("Session").field("base", &self.0.base.as_str()).field("credentials", &credentials).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_under_the_base_have_a_path() {
        let session = |base: &str| Session::new(base.parse().unwrap(), Credentials::Nobody);
        let path = |base: &str, url: &str| session(base).path(&url.parse().unwrap()).map(str::to_owned);
        assert_eq!(path("https://a.example", "https://a.example/v1/account").as_deref(), Some("/v1/account"));
        assert_eq!(path("https://a.example/trips", "https://a.example/trips/v1/x").as_deref(), Some("/v1/x"));
        assert_eq!(path("https://a.example/trips", "https://a.example/v1/x"), None);
        for other in ["http://a.example/v1/x", "https://b.example/v1/x", "https://a.example:444/v1/x"] {
            assert_eq!(path("https://a.example", other), None, "{other}");
        }
    }

    #[test]
    fn a_token_is_not_shown() {
        let session = Session::new("https://a.example".parse().unwrap(), Credentials::Fixed("hush".to_owned()));
        assert!(!format!("{session:?}").contains("hush"));
    }
}
