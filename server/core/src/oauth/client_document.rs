//! Clients without registration: the id is the `https` URL of a metadata document (OAuth Client ID Metadata Documents).
//!
//! Decides which ids are such URLs, which documents are valid, and how long they stay fresh. Does not fetch them.

use chrono::Duration;
use itinerary_api::oauth_error::OAuthError;
use itinerary_api::types::oauth::{ClientAuthMethod, RegistrationRequest};
use serde_json::Value;
use url::Url;

use super::{redirect, registration};

/// The maximum length of a URL that is a client id.
const MAX_LENGTH: usize = 500;
/// The shortest time that a document stays fresh, whatever its `Cache-Control`.
const MIN_FRESH: Duration = Duration::minutes(1);
/// The longest time that a document stays fresh.
const MAX_FRESH: Duration = Duration::hours(24);

/// Whether a client id is the URL of its metadata document: `https` with a path, without dot segments, fragment or user
/// information. Such URLs are compared as strings and never normalised.
pub fn is_client_url(id: &str) -> bool {
    id.len() <= MAX_LENGTH && redirect::is_plain_https(id) && has_plain_path(id) && Url::parse(id).is_ok()
}

fn has_plain_path(url: &str) -> bool {
    let path = &url[redirect::origin(url).len()..];
    let path = path.split('?').next().unwrap_or_default();
    // URL parsers also resolve escaped dots.
    let is_dots = |segment: &str| matches!(&*segment.to_ascii_lowercase().replace("%2e", "."), "." | "..");
    path.starts_with('/') && !path.split('/').any(is_dots)
}

/// The host of a client's URL, for display. `None` if the id is not a URL.
pub fn host(id: &str) -> Option<&str> {
    is_client_url(id).then(|| redirect::host(id))
}

/// Validates the metadata document of a client.
///
/// Redirect URIs that this service does not support are dropped, because the document also addresses other services; at
/// least one must remain. All other rules are those of registration, with the names in `built_in` taken.
pub fn read(id: &str, json: &[u8], built_in: &[&str]) -> Result<RegistrationRequest, OAuthError> {
    let document: Value = serde_json::from_slice(json).map_err(|_| refused("it is not JSON"))?;
    if document.get("client_id").and_then(Value::as_str) != Some(id) {
        return Err(refused("its client_id must be the URL that it was fetched from"));
    }
    if ["client_secret", "client_secret_expires_at"].iter().any(|member| document.get(member).is_some()) {
        return Err(refused("it must not contain a client secret"));
    }
    let mut request = RegistrationRequest::from_json(json).map_err(|error| refused(&error.description))?;
    if request.token_endpoint_auth_method.is_some_and(|method| method != ClientAuthMethod::None) {
        return Err(refused("token_endpoint_auth_method must be none or absent"));
    }
    request.token_endpoint_auth_method = Some(ClientAuthMethod::None);
    request.redirect_uris.retain(|address| redirect::check(address).is_ok());
    if request.redirect_uris.is_empty() {
        return Err(refused("redirect_uris must have an https:// or a loopback URI"));
    }
    request.client_name.get_or_insert_with(|| redirect::host(id).chars().take(registration::NAME).collect());
    registration::check(&request, built_in).map_err(|error| refused(&error.description))?;
    Ok(request)
}

/// The error for a client whose document is unusable. `why` never contains text of the document.
pub fn refused(why: &str) -> OAuthError {
    OAuthError::invalid_client(&format!("the client metadata document at client_id cannot be used: {why}"))
}

/// How long a document is used before it is fetched again.
pub fn fresh_for(cache_control: &str) -> Duration {
    let directives = cache_control.split(',').map(|directive| directive.trim().to_ascii_lowercase());
    let mut max_age = 0;
    for directive in directives {
        match directive.split_once('=') {
            // These directives forbid a shared cache to reuse the document.
            None if matches!(&*directive, "no-store" | "no-cache" | "private") => return MIN_FRESH,
            Some(("max-age", seconds)) => max_age = seconds.trim_matches('"').parse().unwrap_or(0),
            _ => {}
        }
    }
    Duration::seconds(max_age.min(MAX_FRESH.num_seconds())).max(MIN_FRESH)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const ID: &str = "https://app.example/client.json";

    #[test]
    fn https_urls_with_a_path_are_client_ids() {
        for id in [
            ID,
            "https://app.example/",
            "https://app.example:8443/a/b?v=1",
            "https://app.example:443/a",
            "https://app.example/a?x=/../b",
            "https://app.example/.well-known/..client",
            "https://xn--bcher-kva.example/a",
        ] {
            assert!(is_client_url(id), "{id}");
            assert_eq!(host(id), Some(redirect::host(id)));
        }
    }

    #[test]
    fn other_texts_are_not() {
        for id in [
            "",
            "app_1",
            "https://",
            "https:///a",
            "https://app.example",
            "https://app.example?x=/a",
            "http://app.example/a",
            "HTTPS://app.example/a",
            "https:app.example/a",
            "https://app.example/a#",
            "https://app.example/a#b",
            "https://user@app.example/a",
            "https://user:password@app.example/a",
            "https://@app.example/a",
            "https://app.example/./a",
            "https://app.example/..",
            "https://app.example/a/../b",
            "https://app.example/a/%2e%2E/b",
            "https://app.example/a/.%2e",
            "https://app.example/%2E/b",
            "https://app.example\\@evil.example/a",
            "https://app%2eexample/a",
            "https://app.example:99999/a",
            "https://app.example/a b",
            "https://app.example/a\n",
            "https://b\u{fc}cher.example/a",
            "javascript:alert(1)",
        ] {
            assert!(!is_client_url(id), "{id:?}");
            assert_eq!(host(id), None);
        }
        let prefix = "https://app.example/";
        let long = |length: usize| format!("{prefix}{}", "a".repeat(length - prefix.len()));
        assert!(is_client_url(&long(MAX_LENGTH)) && !is_client_url(&long(MAX_LENGTH + 1)));
    }

    /// A valid document with some members replaced. A member replaced by null is left out.
    fn with(changes: &Value) -> Result<RegistrationRequest, OAuthError> {
        let mut document = json!({
            "client_id": ID,
            "client_name": "Trip Notes",
            "redirect_uris": ["https://app.example/cb"],
            "token_endpoint_auth_method": "none",
        });
        let members = document.as_object_mut().expect("an object");
        members.extend(changes.as_object().cloned().expect("an object"));
        members.retain(|_, value| !value.is_null());
        read(ID, document.to_string().as_bytes(), &["Built in"])
    }

    #[test]
    fn a_good_document_is_a_public_client() {
        for method in [json!("none"), Value::Null] {
            let request = with(&json!({ "token_endpoint_auth_method": method })).expect("a good document");
            assert_eq!(registration::auth_method(&request), ClientAuthMethod::None);
            assert_eq!(request.client_name.as_deref(), Some("Trip Notes"));
        }
        let unnamed = with(&json!({ "client_name": null, "redirect_uris": ["http://localhost/cb"] }));
        assert_eq!(unnamed.expect("a good document").client_name.as_deref(), Some("app.example"));
    }

    #[test]
    fn redirect_addresses_for_other_services_are_left_out() {
        let mixed = json!(["cursor://cb", "http://[::1]/cb", "https://app.example/cb", "http://localhost/cb"]);
        let request = with(&json!({ "redirect_uris": mixed })).expect("a good document");
        assert_eq!(request.redirect_uris, ["https://app.example/cb", "http://localhost/cb"]);
    }

    #[test]
    fn other_documents_are_refused() {
        for changes in [
            json!({ "client_id": null }),
            json!({ "client_id": "https://app.example/other.json" }),
            json!({ "client_id": "https://APP.example/client.json" }),
            json!({ "client_id": "https://app.example:443/client.json" }),
            json!({ "client_id": [ID] }),
            json!({ "redirect_uris": null }),
            json!({ "redirect_uris": [] }),
            json!({ "redirect_uris": ["cursor://cb", "javascript:alert(1)"] }),
            json!({ "redirect_uris": vec!["https://app.example/cb"; redirect::MOST + 1] }),
            json!({ "token_endpoint_auth_method": "client_secret_basic" }),
            json!({ "token_endpoint_auth_method": "client_secret_post" }),
            json!({ "token_endpoint_auth_method": "client_secret_jwt" }),
            json!({ "token_endpoint_auth_method": "private_key_jwt" }),
            json!({ "client_secret": "s" }),
            json!({ "client_secret_expires_at": 0 }),
            json!({ "client_name": "Trip\u{202e}setoN" }),
            json!({ "client_name": "Built in" }),
            json!({ "grant_types": ["client_credentials"] }),
        ] {
            let error = with(&changes).expect_err("refused");
            assert_eq!((error.error.as_str(), error.status.as_u16()), ("invalid_client", 401), "{changes}");
            assert!(!error.description.contains("app.example"), "{}", error.description);
        }
        for json in ["", "[]", "null", "7", "{", "<html>", &"[".repeat(5_000)] {
            assert_eq!(read(ID, json.as_bytes(), &[]).expect_err("refused").error.as_str(), "invalid_client", "{json}");
        }
    }

    #[test]
    fn a_document_is_fresh_for_a_minute_to_a_day() {
        for (header, seconds) in [
            ("", 60),
            ("public", 60),
            ("max-age=0", 60),
            ("max-age=59", 60),
            ("max-age=-5", 60),
            ("max-age=many", 60),
            ("max-age=3600", 3_600),
            ("public, Max-Age=\"600\", must-revalidate", 600),
            ("max-age=86401", 86_400),
            ("max-age=31536000, immutable", 86_400),
            ("max-age=3600, no-store", 60),
            ("no-cache, max-age=3600", 60),
            ("private,max-age=3600", 60),
        ] {
            assert_eq!(fresh_for(header).num_seconds(), seconds, "{header}");
        }
    }
}
