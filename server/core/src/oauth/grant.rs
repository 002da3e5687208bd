//! Decides whether a code or refresh token is valid, and what follows if it is not.
//!
//! Both are single-use. If one is used again by someone who passes every other check, it has leaked or been copied, and
//! what it issued must be revoked: [`CodeState::Replayed`] and [`RefreshState::Replayed`]. Otherwise nothing is
//! revoked; else anyone who finds an old code in a log could sign travellers out.

use chrono::{DateTime, Utc};
use itinerary_api::oauth_error::OAuthError;

use super::parameters::Parameters;
use super::pkce;
use super::resource::Resource;
use super::scopes::ScopeList;

/// A stored authorisation code.
#[derive(Clone, Copy, Debug)]
pub struct IssuedCode<'a> {
    /// The client it was issued to.
    pub client_id: &'a str,
    /// The redirect URI it was sent to.
    pub redirect_uri: &'a str,
    /// The PKCE challenge of its request.
    pub challenge: &'a str,
    pub expires_at: DateTime<Utc>,
    /// Whether it was redeemed.
    pub used: bool,
}

/// The parameters of a code exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Redemption<'a> {
    pub code: &'a str,
    redirect_uri: &'a str,
    verifier: &'a str,
}

impl<'a> Redemption<'a> {
    /// Reads the form of a code exchange.
    pub fn read(form: Parameters<'a>) -> Result<Self, OAuthError> {
        Ok(Self {
            code: form.required("code")?,
            redirect_uri: form.required("redirect_uri")?,
            verifier: form.required("code_verifier")?,
        })
    }
}

/// The state of a presented code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CodeState {
    Redeemable,
    /// Already used, but otherwise valid: revoke what it issued.
    Replayed,
    Refused(OAuthError),
}

impl IssuedCode<'_> {
    /// Checks the code against a client's request.
    pub fn state(&self, redemption: Redemption<'_>, client_id: &str, now: DateTime<Utc>) -> CodeState {
        // All failures have the same message, which tells others nothing about a code.
        let proven = self.client_id == client_id
            && self.redirect_uri == redemption.redirect_uri
            && pkce::verifies(redemption.verifier, self.challenge);
        if !proven || now >= self.expires_at {
            CodeState::Refused(code_refused())
        } else if self.used {
            CodeState::Replayed
        } else {
            CodeState::Redeemable
        }
    }
}

/// The error for every invalid code.
pub fn code_refused() -> OAuthError {
    OAuthError::invalid_grant(
        "the code is unknown, used, expired or another client's, or code_verifier or redirect_uri does not match",
    )
}

/// A stored refresh token and its family.
#[derive(Clone, Copy, Debug)]
pub struct IssuedRefresh<'a> {
    /// The client it was issued to.
    pub client_id: &'a str,
    /// When the family's current token expires.
    pub expires_at: DateTime<Utc>,
    /// Whether it was used, and so is no longer the family's current token.
    pub used: bool,
    /// Whether its grant was revoked.
    pub revoked: bool,
}

/// The state of a presented refresh token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefreshState {
    Usable,
    /// Used before by its own client: revoke the whole family.
    Replayed,
    Refused,
}

impl IssuedRefresh<'_> {
    /// Checks the token for a client that has been authenticated.
    pub fn state(&self, client_id: &str, now: DateTime<Utc>) -> RefreshState {
        if self.client_id != client_id || self.revoked || now >= self.expires_at {
            RefreshState::Refused
        } else if self.used {
            RefreshState::Replayed
        } else {
            RefreshState::Usable
        }
    }
}

/// The error for every invalid refresh token.
pub fn refresh_refused() -> OAuthError {
    OAuthError::invalid_grant("the refresh token is unknown, used, expired, revoked or another client's")
}

/// The scopes and the resource of an access token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrantedAccess {
    pub scopes: ScopeList,
    pub resource: Resource,
}

impl GrantedAccess {
    /// The access of a token issued for a code, where `self` is what was approved: the same, or narrowed to the
    /// resource that the form names.
    pub fn redeemed(&self, form: Parameters<'_>, base_url: &str) -> Result<Self, OAuthError> {
        let resource = self.resource.narrowed(Resource::requested(form, base_url)?)?;
        Ok(Self { scopes: self.scopes.clone(), resource })
    }

    /// The access of a token issued for a refresh, where `self` is what was approved: the same, or the part that the
    /// form asks for.
    pub fn refreshed(&self, form: Parameters<'_>, base_url: &str) -> Result<Self, OAuthError> {
        let Self { scopes: approved, resource } = self.redeemed(form, base_url)?;
        let asked = form.get("scope")?.map(ScopeList::parse).transpose()?.filter(|scopes| !scopes.is_empty());
        let scopes = match asked {
            None => approved,
            Some(asked) if asked.within(&approved) => asked,
            Some(_) => return Err(OAuthError::invalid_scope("scope must not exceed what the traveller approved")),
        };
        Ok(Self { scopes, resource })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::Duration;

    const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
    const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
    const REDIRECT: &str = "https://app.example/cb";
    const BASE: &str = "https://trips.example";

    fn at(second: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + Duration::seconds(second)
    }

    fn code(used: bool) -> IssuedCode<'static> {
        let expires_at = at(0) + crate::oauth::CODE_LIFETIME;
        IssuedCode { client_id: "app_1", redirect_uri: REDIRECT, challenge: CHALLENGE, expires_at, used }
    }

    const GOOD: Redemption<'static> = Redemption { code: "itp_ac_x", redirect_uri: REDIRECT, verifier: VERIFIER };

    fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
        list.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn a_code_is_good_for_five_minutes() {
        assert_eq!(code(false).state(GOOD, "app_1", at(0)), CodeState::Redeemable);
        assert_eq!(code(false).state(GOOD, "app_1", at(299)), CodeState::Redeemable);
        for second in [300, 301, 86_400] {
            assert_eq!(code(false).state(GOOD, "app_1", at(second)), CodeState::Refused(code_refused()));
        }
    }

    #[test]
    fn a_code_is_good_for_its_client_redirect_and_verifier_only() {
        let wrong = VERIFIER.replace('d', "e");
        for (redemption, client) in [
            (GOOD, "app_2"),
            (Redemption { redirect_uri: "https://app.example/cb/", ..GOOD }, "app_1"),
            (Redemption { verifier: &wrong, ..GOOD }, "app_1"),
            (Redemption { verifier: CHALLENGE, ..GOOD }, "app_1"),
            (Redemption { verifier: "short", ..GOOD }, "app_1"),
        ] {
            for used in [false, true] {
                assert_eq!(code(used).state(redemption, client, at(1)), CodeState::Refused(code_refused()));
            }
        }
        assert_eq!((code_refused().error.as_str(), code_refused().status.as_u16()), ("invalid_grant", 400));
    }

    #[test]
    fn a_code_without_challenge_is_never_good() {
        let unbound = IssuedCode { challenge: "", ..code(false) };
        assert_eq!(unbound.state(GOOD, "app_1", at(1)), CodeState::Refused(code_refused()));
    }

    #[test]
    fn a_replay_counts_when_everything_else_is_right() {
        assert_eq!(code(true).state(GOOD, "app_1", at(1)), CodeState::Replayed);
        assert_eq!(code(true).state(GOOD, "app_1", at(301)), CodeState::Refused(code_refused()));
    }

    #[test]
    fn a_code_exchange_needs_its_three_parameters() {
        let all = [("code", "c"), ("redirect_uri", REDIRECT), ("code_verifier", VERIFIER)];
        assert_eq!(Redemption::read(Parameters::new(&pairs(&all))), Ok(Redemption { code: "c", ..GOOD }));
        for (n, (missing, _)) in all.iter().enumerate() {
            let mut some = pairs(&all);
            some.remove(n);
            let refused = Redemption::read(Parameters::new(&some)).expect_err("incomplete");
            assert_eq!(refused.error.as_str(), "invalid_request", "without {missing}");
        }
    }

    fn refresh() -> IssuedRefresh<'static> {
        let expires_at = at(0) + crate::oauth::REFRESH_LIFETIME;
        IssuedRefresh { client_id: "app_1", expires_at, used: false, revoked: false }
    }

    #[test]
    fn a_refresh_token_is_good_for_ninety_days() {
        let day = 86_400;
        assert_eq!(refresh().state("app_1", at(90 * day - 1)), RefreshState::Usable);
        assert_eq!(refresh().state("app_1", at(90 * day)), RefreshState::Refused);
    }

    #[test]
    fn a_refresh_token_works_once() {
        let used = IssuedRefresh { used: true, ..refresh() };
        assert_eq!(used.state("app_1", at(1)), RefreshState::Replayed);
        let revoked = IssuedRefresh { revoked: true, ..used };
        assert_eq!(revoked.state("app_1", at(1)), RefreshState::Refused);
    }

    #[test]
    fn another_client_can_neither_use_a_refresh_token_nor_revoke_by_it() {
        for used in [false, true] {
            let token = IssuedRefresh { used, ..refresh() };
            assert_eq!(token.state("app_2", at(1)), RefreshState::Refused);
        }
    }

    fn approved() -> GrantedAccess {
        let scopes = ScopeList::parse("itineraries:read itineraries:write").expect("known scopes");
        GrantedAccess { scopes, resource: Resource::Service }
    }

    fn refreshed(form: &[(&str, &str)]) -> Result<GrantedAccess, OAuthError> {
        approved().refreshed(Parameters::new(&pairs(form)), BASE)
    }

    #[test]
    fn an_access_token_may_ask_for_less() {
        assert_eq!(refreshed(&[]), Ok(approved()));
        assert_eq!(refreshed(&[("scope", "")]), Ok(approved()));
        let less =
            refreshed(&[("scope", "itineraries:read"), ("resource", "https://trips.example/mcp")]).expect("less");
        assert_eq!((less.scopes.to_string().as_str(), less.resource), ("itineraries:read", Resource::Mcp));
    }

    #[test]
    fn an_access_token_cannot_ask_for_more() {
        for (form, word) in [
            (("scope", "documents:read"), "invalid_scope"),
            (("scope", "itineraries:read documents:read"), "invalid_scope"),
            (("scope", "admin"), "invalid_scope"),
            (("resource", "https://other.example"), "invalid_target"),
        ] {
            assert_eq!(refreshed(&[form]).expect_err("more").error.as_str(), word, "{form:?}");
        }
    }

    #[test]
    fn a_code_exchange_has_no_scope_to_ask_for() {
        let form = pairs(&[("scope", "admin"), ("resource", "https://trips.example/mcp")]);
        let access = approved().redeemed(Parameters::new(&form), BASE).expect("the approved scopes");
        assert_eq!((access.scopes, access.resource), (approved().scopes, Resource::Mcp));
    }
}
