//! Lists of scopes, as apps request them and travellers approve them.
//!
//! The policy table says what a scope allows. `offline_access` is accepted and echoed but has no effect, because a
//! refresh token is always issued.

use std::fmt;

use itinerary_api::oauth_error::OAuthError;
use itinerary_api::policy::Scope;
use serde::{Deserialize, Serialize};

/// A scope that is accepted and has no effect.
pub const OFFLINE_ACCESS: &str = "offline_access";

/// A list of distinct scopes, in the order in which they were requested.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ScopeList {
    words: Vec<ScopeWord>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ScopeWord {
    Scope(Scope),
    OfflineAccess,
}

impl ScopeWord {
    fn parse(word: &str) -> Option<Self> {
        if word == OFFLINE_ACCESS { Some(Self::OfflineAccess) } else { word.parse().ok().map(Self::Scope) }
    }
}

impl ScopeList {
    pub fn none() -> Self {
        Self { words: Vec::new() }
    }

    /// The scopes of a request that names none.
    pub fn default_request() -> Self {
        Self { words: vec![ScopeWord::Scope(Scope::ItinerariesRead)] }
    }

    /// Parses a `scope` parameter. If it is blank or absent, returns [`ScopeList::default_request`]. A word that is
    /// neither one of the four scopes nor `offline_access` is `invalid_scope`.
    pub fn requested(parameter: Option<&str>) -> Result<Self, OAuthError> {
        let list = Self::parse(parameter.unwrap_or_default())?;
        Ok(if list.words.is_empty() { Self::default_request() } else { list })
    }

    /// Parses space-separated scopes. An unknown scope is `invalid_scope`.
    pub fn parse(text: &str) -> Result<Self, OAuthError> {
        let mut list = Self::none();
        for word in text.split(' ').filter(|word| !word.is_empty()) {
            list.push(ScopeWord::parse(word).ok_or_else(|| OAuthError::invalid_scope(&unknown()))?);
        }
        Ok(list)
    }

    /// Parses space-separated scopes and ignores unknown ones.
    pub fn known(text: &str) -> Self {
        let mut list = Self::none();
        text.split(' ').filter_map(ScopeWord::parse).for_each(|word| list.push(word));
        list
    }

    fn push(&mut self, word: ScopeWord) {
        if !self.words.contains(&word) {
            self.words.push(word);
        }
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The scopes of the list without `offline_access`.
    pub fn scopes(&self) -> impl Iterator<Item = Scope> + '_ {
        self.words.iter().filter_map(|word| match word {
            ScopeWord::Scope(scope) => Some(*scope),
            ScopeWord::OfflineAccess => None,
        })
    }

    /// This list, followed by the scopes of another that it lacks.
    #[must_use]
    pub fn with(mut self, other: &Self) -> Self {
        other.words.iter().for_each(|word| self.push(*word));
        self
    }

    /// Splits a request for the consent page if the client already has scopes (step-up) into new and kept scopes. A
    /// request for nothing new is shown as if all of it were new.
    pub fn step_up(&self, granted: &Self) -> (Vec<Scope>, Vec<Scope>) {
        if self.within(granted) {
            return (self.scopes().collect(), Vec::new());
        }
        let kept: Vec<Scope> = granted.scopes().collect();
        (self.scopes().filter(|scope| !kept.contains(scope)).collect(), kept)
    }

    /// Whether `other` contains every scope of this list.
    pub fn within(&self, other: &Self) -> bool {
        self.scopes().all(|scope| other.words.contains(&ScopeWord::Scope(scope)))
    }
}

fn unknown() -> String {
    let names: Vec<&str> = Scope::ALL.iter().map(|scope| scope.as_str()).collect();
    format!("scope must contain only {}", names.join(", "))
}

impl TryFrom<String> for ScopeList {
    type Error = OAuthError;

    fn try_from(text: String) -> Result<Self, OAuthError> {
        Self::parse(&text)
    }
}

impl From<ScopeList> for String {
    fn from(list: ScopeList) -> Self {
        list.to_string()
    }
}

impl fmt::Display for ScopeList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, word) in self.words.iter().enumerate() {
            if n > 0 {
                f.write_str(" ")?;
            }
            match word {
                ScopeWord::Scope(scope) => f.write_str(scope.as_str())?,
                ScopeWord::OfflineAccess => f.write_str(OFFLINE_ACCESS)?,
            }
        }
        Ok(())
    }
}

/// Title and description of a scope on the consent page.
pub fn consent_words(scope: Scope) -> (&'static str, &'static str) {
    match scope {
        Scope::ItinerariesRead => (
            "See your itineraries and profile",
            "Flights, hotels and costs too, your home place, what you like, and whom you follow.",
        ),
        Scope::ItinerariesWrite => (
            "Create and change your itineraries",
            "Also delete, publish and share them, rename your account, and follow, like, save and report for you. Each \
             change returns the whole itinerary, so the app reads what it changes.",
        ),
        Scope::DocumentsRead => ("See your documents", "The list, and the sealed files."),
        Scope::DocumentsWrite => ("Manage your documents", "Add, rename and delete them."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        ScopeList::parse(text).expect_err(text).error.to_string()
    }

    #[test]
    fn a_scope_outside_the_four_is_invalid() {
        for text in ["admin", "itineraries:read admin", "Itineraries:read", "itineraries:READ", "itineraries", "*"] {
            assert_eq!(refused(text), "invalid_scope", "{text}");
        }
        // The space is the only separator.
        for text in ["itineraries:read,itineraries:write", "itineraries:read\titineraries:write", "itineraries:read\n"]
        {
            assert_eq!(refused(text), "invalid_scope", "{text}");
        }
    }

    #[test]
    fn repeated_scopes_collapse_and_order_is_kept() {
        let text = "documents:read itineraries:read offline_access documents:read  offline_access";
        let list = ScopeList::parse(text).expect("known scopes");
        assert_eq!(list.to_string(), "documents:read itineraries:read offline_access");
        assert_eq!(list.scopes().collect::<Vec<_>>(), [Scope::DocumentsRead, Scope::ItinerariesRead]);
    }

    #[test]
    fn requested_scope_defaults_to_reading() {
        for parameter in [None, Some(""), Some("  ")] {
            assert_eq!(ScopeList::requested(parameter).expect("the default").to_string(), "itineraries:read");
        }
        let offline = ScopeList::requested(Some("offline_access")).expect("accepted");
        assert_eq!((offline.to_string().as_str(), offline.scopes().count()), ("offline_access", 0));
    }

    #[test]
    fn a_subset_is_within_and_offline_access_does_not_count() {
        let parse = |text| ScopeList::parse(text).expect("known scopes");
        let granted = parse("itineraries:read itineraries:write");
        assert!(parse("itineraries:write").within(&granted));
        assert!(parse("itineraries:write itineraries:read offline_access").within(&granted));
        assert!(parse("offline_access").within(&granted));
        assert!(!parse("itineraries:read documents:read").within(&granted));
    }

    #[test]
    fn lists_join_without_repetition() {
        let parse = |text| ScopeList::parse(text).expect("known scopes");
        let joined = parse("itineraries:write offline_access").with(&parse("documents:read itineraries:write"));
        assert_eq!(joined.to_string(), "itineraries:write offline_access documents:read");
    }

    #[test]
    fn a_step_up_tells_what_is_new_from_what_is_kept() {
        use Scope::{DocumentsRead, ItinerariesRead, ItinerariesWrite};
        let parse = |text| ScopeList::parse(text).expect("known scopes");
        let step = |asked, granted| parse(asked).step_up(&parse(granted));
        let kept = vec![ItinerariesRead, ItinerariesWrite];
        let before = "itineraries:read itineraries:write";
        assert_eq!(step("itineraries:read documents:read", before), (vec![DocumentsRead], kept.clone()));
        assert_eq!(step("documents:read offline_access", before), (vec![DocumentsRead], kept));
        assert_eq!(step("documents:read", ""), (vec![DocumentsRead], vec![]));
        assert_eq!(step("documents:read", "offline_access"), (vec![DocumentsRead], vec![]));
        assert_eq!(step("itineraries:write", before), (vec![ItinerariesWrite], vec![]));
        assert_eq!(step("offline_access", before), (vec![], vec![]));
    }

    #[test]
    fn known_drops_unknown_scopes() {
        assert_eq!(ScopeList::known("openid itineraries:read email").to_string(), "itineraries:read");
        assert!(ScopeList::known("openid").is_empty());
    }

    #[test]
    fn every_scope_has_words_of_its_own() {
        let words: std::collections::HashSet<_> = Scope::ALL.into_iter().map(consent_words).collect();
        assert_eq!(words.len(), Scope::ALL.len());
    }
}
