//! Reading what browsers send, and telling our own forms from foreign ones.
//!
//! Every form carries a code that only this server can make for this browser: for its session, or before there is one
//! for a random cookie.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::header::ACCEPT;
use http::{HeaderMap, HeaderValue};
use itinerary_api::extract::WebRequest;
use itinerary_core::ids;

use super::sessions::{self, Session};
use crate::context::Service;

/// The field that carries the code.
pub(super) const GUARD: &str = "guard";
const VISITOR: &str = "visitor";
/// The most bytes of an address to go on to after signing in.
const NEXT: usize = 8_000;

/// The pairs of a query or a form, decoded, in their order.
pub fn pairs(encoded: &[u8]) -> Vec<(String, String)> {
    form_urlencoded::parse(encoded).into_owned().collect()
}

/// The pairs of the request's query.
pub fn query(request: &WebRequest) -> Vec<(String, String)> {
    pairs(request.uri.query().unwrap_or_default().as_bytes())
}

/// The fields of a form of ours.
#[derive(Default)]
pub struct Form(Vec<(String, String)>);

impl Form {
    /// The request's form.
    pub fn of(request: &WebRequest) -> Self {
        Self(pairs(&request.body))
    }

    /// The query of a request, as if it were a form.
    pub fn of_query(request: &WebRequest) -> Self {
        Self(query(request))
    }

    /// A form with these fields.
    pub fn of_pairs<const N: usize>(pairs: [(&str, &str); N]) -> Self {
        Self(pairs.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
    }

    /// Whether the form has the field: of a box to be ticked, whether it is.
    pub fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(key, _)| key == name)
    }

    /// The field's value, or nothing. Our forms have each field once.
    pub fn get(&self, name: &str) -> &str {
        self.0.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value)
    }

    /// The address to go on to after signing in, if the form names one that may be.
    pub fn next(&self) -> Option<&str> {
        Some(self.get("next")).filter(|next| is_local(next))
    }
}

/// Whether the text is an address on this very site: a path, which no browser takes for another host.
pub fn is_local(address: &str) -> bool {
    address.len() <= NEXT
        && address.starts_with('/')
        && !address.starts_with("//")
        && address.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\')
}

/// The address of a page that goes on to `next` afterwards.
pub fn with_next(page: &str, next: Option<&str>) -> String {
    match next {
        None => page.to_owned(),
        Some(next) => {
            let mut query = form_urlencoded::Serializer::new(String::new());
            format!("{page}?{}", query.append_pair("next", next).finish())
        }
    }
}

/// What tells the forms of one browser from all others.
pub(super) struct Guard {
    purpose: &'static str,
    subject: String,
    /// The cookie to be set, when there was none.
    pub(super) cookie: Option<HeaderValue>,
}

impl Guard {
    /// For a browser in which nobody is signed in yet.
    pub(super) fn visitor(service: &Service, headers: &HeaderMap) -> Self {
        let known = sessions::cookie(service, headers, VISITOR);
        let is_new = known.is_none();
        let subject = known.unwrap_or_else(|| ids::secret("", &*service.random));
        let cookie = is_new.then(|| sessions::set_cookie(service, VISITOR, subject.clone(), None));
        Self { purpose: "visitor's form", subject, cookie }
    }

    /// For a session.
    pub(super) fn session(session: &Session) -> Self {
        Self { purpose: "session's form", subject: session_name(session), cookie: None }
    }

    /// The code that the form carries.
    pub(super) fn code(&self, service: &Service) -> String {
        service.key.code(self.purpose, &self.subject)
    }

    /// Whether a form came from a page of ours, in this browser.
    pub(super) fn admits(&self, service: &Service, form: &Form) -> bool {
        service.key.verifies(self.purpose, &self.subject, form.get(GUARD))
    }
}

/// A session's name where codes and sealed requests are bound to it.
pub(super) fn session_name(session: &Session) -> String {
    URL_SAFE_NO_PAD.encode(session.hash)
}

/// Whether the client would rather have a page than JSON: it names HTML, and JSON not above it.
pub fn accepts_html(headers: &HeaderMap) -> bool {
    let accepted: Vec<_> = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok()).collect();
    let quality = |wanted: &str| {
        let ranges = accepted.iter().flat_map(|header| header.split(','));
        ranges.filter_map(|range| quality_of(range, wanted)).fold(0.0, f32::max)
    };
    let html = quality("text/html");
    html > 0.0 && html >= quality("application/json")
}

/// The weight of a media range, if it is the one that is wanted.
fn quality_of(range: &str, wanted: &str) -> Option<f32> {
    let mut parts = range.split(';').map(str::trim);
    parts.next().filter(|kind| kind.eq_ignore_ascii_case(wanted))?;
    let weight = parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")));
    Some(weight.map_or(1.0, |weight| weight.parse().unwrap_or(0.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_of_this_site_are_gone_on_to() {
        for address in ["/", "/account", "/oauth/authorise?client_id=a&state=%2F%2F", "/a//b"] {
            assert!(is_local(address), "{address}");
        }
        for address in [
            "",
            "account",
            "//evil.example",
            "/\\evil.example",
            "https://evil.example",
            "/\t/evil.example",
            "/a\nb",
            "/é",
        ] {
            assert!(!is_local(address), "{address:?}");
        }
        assert!(!is_local(&format!("/{}", "a".repeat(NEXT))));
    }

    #[test]
    fn the_address_to_go_on_to_survives_the_way() {
        let next = "/oauth/authorise?client_id=a&state=b%26c";
        let address = with_next("/sign-in", Some(next));
        let query = address.strip_prefix("/sign-in?").expect("a query");
        assert_eq!(pairs(query.as_bytes()), [("next".to_owned(), next.to_owned())]);
        assert_eq!(with_next("/sign-in", None), "/sign-in");
    }

    #[test]
    fn browsers_get_pages_and_programs_json() {
        let prefers = |accept: &str| {
            accepts_html(&HeaderMap::from_iter([(ACCEPT, HeaderValue::from_str(accept).expect("a header"))]))
        };
        assert!(prefers("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"));
        assert!(prefers("application/json;q=0.5, Text/HTML;q=0.6"));
        for accept in ["*/*", "application/json", "application/json, text/html;q=0.9", "text/html;q=0", ""] {
            assert!(!prefers(accept), "{accept}");
        }
        assert!(!accepts_html(&HeaderMap::new()));
    }
}
