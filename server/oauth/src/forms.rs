//! Parses forms and queries of browsers, and protects forms against cross-site request forgery.
//!
//! Every form carries a code that is bound to the browser: to its session, or to a random cookie before there is one.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::header::ACCEPT;
use http::{HeaderMap, HeaderValue};
use itinerary_api::extract::WebRequest;
use itinerary_core::ids;
use itinerary_platform::context::Service;

use super::sessions::{self, Session};

/// The form field with the code.
pub(super) const GUARD: &str = "guard";
const VISITOR: &str = "visitor";
/// The maximum length of an address to continue at after sign-in.
const NEXT: usize = 8_000;

/// Decodes the pairs of a query or a form, in order.
pub fn pairs(encoded: &[u8]) -> Vec<(String, String)> {
    form_urlencoded::parse(encoded).into_owned().collect()
}

/// The parameters of a request's query.
pub fn query(request: &WebRequest) -> Vec<(String, String)> {
    pairs(request.uri.query().unwrap_or_default().as_bytes())
}

/// The fields of one of our forms.
#[derive(Default)]
pub struct Form(Vec<(String, String)>);

impl Form {
    /// The form that a request sends.
    pub fn from_body(request: &WebRequest) -> Self {
        Self(pairs(&request.body))
    }

    /// The query of a request, read like a form.
    pub fn from_query(request: &WebRequest) -> Self {
        Self(query(request))
    }

    /// A form that the server fills in itself.
    pub(crate) fn from_pairs<const N: usize>(pairs: [(&str, &str); N]) -> Self {
        Self(pairs.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
    }

    /// Whether the form has the field. A checkbox is present only if checked.
    pub fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(key, _)| key == name)
    }

    /// The field's value, or an empty string. Our forms have no repeated fields.
    pub fn get(&self, name: &str) -> &str {
        self.0.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value)
    }

    /// The address to continue at after sign-in, if the form has an acceptable one.
    pub fn next(&self) -> Option<&str> {
        Some(self.get("next")).filter(|next| is_local(next))
    }
}

/// Whether the text is a path on this site, which no browser reads as another host.
pub(crate) fn is_local(address: &str) -> bool {
    address.len() <= NEXT
        && address.starts_with('/')
        && !address.starts_with("//")
        && address.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\')
}

/// The address of a page that continues at `next` afterwards.
pub(crate) fn with_next(page: &str, next: Option<&str>) -> String {
    match next {
        None => page.to_owned(),
        Some(next) => {
            let mut query = form_urlencoded::Serializer::new(String::new());
            format!("{page}?{}", query.append_pair("next", next).finish())
        }
    }
}

/// The value of the cookie by which a browser without a session is known.
pub(super) fn visitor(service: &Service, headers: &HeaderMap) -> Option<String> {
    sessions::cookie(service, headers, VISITOR)
}

/// Binds forms to one browser.
pub(super) struct Guard {
    purpose: &'static str,
    subject: String,
    /// The cookie to set if there was none.
    pub(super) cookie: Option<HeaderValue>,
}

impl Guard {
    /// For a browser without a session.
    pub(super) fn visitor(service: &Service, headers: &HeaderMap) -> Self {
        let known = visitor(service, headers);
        let is_new = known.is_none();
        let subject = known.unwrap_or_else(|| ids::secret("", &*service.random));
        let cookie = is_new.then(|| sessions::set_cookie(service, VISITOR, subject.clone(), None));
        Self { purpose: "visitor's form", subject, cookie }
    }

    /// For a session.
    pub(super) fn session(session: &Session) -> Self {
        Self { purpose: "session's form", subject: session_name(session), cookie: None }
    }

    /// The purpose of a value that is sealed for this browser.
    pub(super) fn seals(&self, use_of: &str) -> String {
        format!("{use_of} in a {} {}", self.purpose, self.subject)
    }

    /// The code to put into the form.
    pub(super) fn code(&self, service: &Service) -> String {
        service.key.code(self.purpose, &self.subject)
    }

    /// Whether the form was sent from one of our pages in this browser.
    pub(super) fn admits(&self, service: &Service, form: &Form) -> bool {
        service.key.verifies(self.purpose, &self.subject, form.get(GUARD))
    }
}

/// The session's name in the purposes of codes and sealed requests.
pub(super) fn session_name(session: &Session) -> String {
    URL_SAFE_NO_PAD.encode(session.hash)
}

/// Whether the client prefers HTML to JSON: `Accept` names HTML, and JSON with no higher weight.
pub fn accepts_html(headers: &HeaderMap) -> bool {
    let accepted: Vec<_> = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok()).collect();
    let quality = |wanted: &str| {
        let ranges = accepted.iter().flat_map(|header| header.split(','));
        ranges.filter_map(|range| quality_of(range, wanted)).fold(0.0, f32::max)
    };
    let html = quality("text/html");
    html > 0.0 && html >= quality("application/json")
}

/// The weight of a media range, if it is the wanted one.
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
