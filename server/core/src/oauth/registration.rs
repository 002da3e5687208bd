//! Dynamic client registration: validates a request, and makes the registration that is returned.

use chrono::{DateTime, Utc};
use itinerary_api::oauth_error::OAuthError;
use itinerary_api::types::oauth::{ClientAuthMethod, Registration, RegistrationRequest};
use itinerary_api::values::limits;
use url::Url;

use super::redirect;
use super::scopes::ScopeList;
use crate::fill::folded;
use crate::legible::is_legible;

/// The maximum length of a client's name, in characters.
pub(super) const NAME: usize = 100;
/// The maximum number of contacts and of words in a list.
const LIST: usize = 20;

/// Validates a registration request. `built_in` are the names of the service's own clients, which no other may have.
pub fn check(request: &RegistrationRequest, built_in: &[&str]) -> Result<(), OAuthError> {
    redirect::check_all(&request.redirect_uris)?;
    check_name(request.client_name.as_deref(), built_in)?;
    check_list("grant_types", request.grant_types.as_deref(), "authorization_code")?;
    check_list("response_types", request.response_types.as_deref(), "code")?;
    for (member, text) in [
        ("scope", &request.scope),
        ("application_type", &request.application_type),
        ("software_id", &request.software_id),
        ("software_version", &request.software_version),
    ] {
        check_text(member, text.as_deref())?;
    }
    for (member, address) in [
        ("client_uri", &request.client_uri),
        ("logo_uri", &request.logo_uri),
        ("tos_uri", &request.tos_uri),
        ("policy_uri", &request.policy_uri),
    ] {
        check_address(member, address.as_deref())?;
    }
    let contacts = request.contacts.as_deref().unwrap_or_default();
    if contacts.len() > LIST {
        return refuse("contacts", &format!("must have at most {LIST} entries"));
    }
    contacts.iter().try_for_each(|contact| check_text("contacts", Some(contact)))
}

/// How the client will authenticate.
pub fn auth_method(request: &RegistrationRequest) -> ClientAuthMethod {
    request.token_endpoint_auth_method.unwrap_or_default()
}

/// The registration for a valid request, with defaults filled in.
pub fn accept(
    request: RegistrationRequest,
    client_id: String,
    client_secret: Option<String>,
    now: DateTime<Utc>,
) -> Registration {
    let token_endpoint_auth_method = auth_method(&request);
    let RegistrationRequest {
        redirect_uris,
        client_name,
        token_endpoint_auth_method: _,
        // Every client gets the two supported grant types and the one response type, whatever it asked for.
        grant_types: _,
        response_types: _,
        scope,
        application_type,
        client_uri,
        logo_uri,
        tos_uri,
        policy_uri,
        contacts,
        software_id,
        software_version,
    } = request;
    let client_name = client_name.unwrap_or_else(|| {
        redirect_uris.first().map(|address| redirect::host(address)).unwrap_or_default().chars().take(NAME).collect()
    });
    let scopes = scope.as_deref().map(ScopeList::known).filter(|scopes| !scopes.is_empty());
    Registration {
        client_id,
        client_secret_expires_at: client_secret.is_some().then_some(0),
        client_secret,
        client_id_issued_at: now.timestamp(),
        redirect_uris,
        client_name,
        token_endpoint_auth_method,
        grant_types: vec!["authorization_code".to_owned(), "refresh_token".to_owned()],
        response_types: vec!["code".to_owned()],
        scope: scopes.map(|scopes| scopes.to_string()),
        application_type,
        client_uri,
        logo_uri,
        tos_uri,
        policy_uri,
        contacts,
        software_id,
        software_version,
    }
}

fn refuse<T>(member: &str, why: &str) -> Result<T, OAuthError> {
    Err(OAuthError::invalid_client_metadata(&format!("{member} {why}")))
}

fn check_name(name: Option<&str>, built_in: &[&str]) -> Result<(), OAuthError> {
    let Some(name) = name else { return Ok(()) };
    if name.trim().is_empty() || name.chars().count() > NAME {
        return refuse("client_name", &format!("must have 1 to {NAME} characters"));
    }
    if !is_legible(name) {
        return refuse(
            "client_name",
            "must be legible: no control or invisible characters, and at most three combining marks in a row",
        );
    }
    // Without case and accents, and with similar letters of other scripts.
    if built_in.iter().any(|taken| folded(taken) == folded(name)) {
        return refuse("client_name", "must not be the name of an app of this service");
    }
    Ok(())
}

fn check_list(member: &str, words: Option<&[String]>, needed: &str) -> Result<(), OAuthError> {
    match words {
        Some(words) if words.len() > LIST || !words.iter().any(|word| word == needed) => {
            refuse(member, &format!("must contain {needed}"))
        }
        _ => Ok(()),
    }
}

fn check_text(member: &str, text: Option<&str>) -> Result<(), OAuthError> {
    let text = text.unwrap_or_default();
    if text.chars().count() > limits::URL || text.chars().any(char::is_control) {
        return refuse(member, &format!("must be text of at most {} characters", limits::URL));
    }
    Ok(())
}

fn check_address(member: &str, address: Option<&str>) -> Result<(), OAuthError> {
    check_text(member, address)?;
    match address.map(Url::parse) {
        None => Ok(()),
        Some(Ok(url)) if matches!(url.scheme(), "https" | "http") => Ok(()),
        Some(_) => refuse(member, "must be an http or https URL"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> RegistrationRequest {
        RegistrationRequest { redirect_uris: vec!["https://app.example:8443/cb".to_owned()], ..Default::default() }
    }

    fn words(list: &[&str]) -> Vec<String> {
        list.iter().map(|word| (*word).to_owned()).collect()
    }

    fn refused(request: &RegistrationRequest) -> String {
        check(request, &["Reference pages"]).expect_err("refused").error.to_string()
    }

    #[test]
    fn a_redirect_address_is_enough() {
        assert_eq!(check(&request(), &[]), Ok(()));
        let now = DateTime::from_timestamp(1_800_000_000, 0).expect("a date in range");
        let registration = accept(request(), "app_1".to_owned(), Some("itp_cs_1".to_owned()), now);
        assert_eq!(registration.client_name, "app.example");
        assert_eq!(registration.token_endpoint_auth_method, ClientAuthMethod::ClientSecretBasic);
        assert_eq!(registration.client_id_issued_at, 1_800_000_000);
        assert_eq!(registration.client_secret_expires_at, Some(0));
        assert_eq!(registration.grant_types, ["authorization_code", "refresh_token"]);
    }

    #[test]
    fn a_public_client_has_no_secret_that_could_expire() {
        let public = RegistrationRequest { token_endpoint_auth_method: Some(ClientAuthMethod::None), ..request() };
        let registration = accept(public, "app_1".to_owned(), None, DateTime::UNIX_EPOCH);
        let json = serde_json::to_value(registration).expect("JSON");
        assert_eq!(json["token_endpoint_auth_method"], "none");
        assert!(json.get("client_secret").is_none() && json.get("client_secret_expires_at").is_none());
    }

    #[test]
    fn everything_registered_is_echoed() {
        let full = RegistrationRequest {
            client_name: Some("Trip Notes".to_owned()),
            grant_types: Some(words(&["authorization_code"])),
            response_types: Some(words(&["code"])),
            scope: Some("openid itineraries:read offline_access".to_owned()),
            application_type: Some("native".to_owned()),
            client_uri: Some("https://app.example".to_owned()),
            logo_uri: Some("https://app.example/logo.png".to_owned()),
            tos_uri: Some("https://app.example/tos".to_owned()),
            policy_uri: Some("https://app.example/privacy".to_owned()),
            contacts: Some(words(&["hello@app.example"])),
            software_id: Some("notes".to_owned()),
            software_version: Some("1.2".to_owned()),
            ..request()
        };
        assert_eq!(check(&full, &[]), Ok(()));
        let sent = serde_json::to_value(&full).expect("JSON");
        let told = accept(full, "app_1".to_owned(), None, DateTime::UNIX_EPOCH);
        let told = serde_json::to_value(told).expect("JSON");
        for (member, value) in sent.as_object().expect("an object") {
            match member.as_str() {
                "grant_types" => assert_eq!(told[member][0], value[0]),
                "scope" => assert_eq!(told[member], "itineraries:read offline_access"),
                _ => assert_eq!(&told[member], value, "{member}"),
            }
        }
    }

    #[test]
    fn redirect_addresses_have_their_own_word() {
        assert_eq!(refused(&RegistrationRequest::default()), "invalid_redirect_uri");
        let bad = RegistrationRequest { redirect_uris: vec!["app:/cb".to_owned()], ..Default::default() };
        assert_eq!(refused(&bad), "invalid_redirect_uri");
    }

    #[test]
    fn a_name_has_1_to_100_characters_and_none_that_deceive() {
        let named = |name: &str| RegistrationRequest { client_name: Some(name.to_owned()), ..request() };
        assert_eq!(check(&named(&"é".repeat(100)), &[]), Ok(()));
        let piled = format!("a{}", "\u{301}".repeat(4));
        let built_in = ["Reference pages", "  reference  PAGES", "R\u{435}ference p\u{430}ges"];
        for name in ["", "  ", &"é".repeat(101), "a\nb", "a\u{202e}b", &piled].into_iter().chain(built_in) {
            assert_eq!(refused(&named(name)), "invalid_client_metadata", "{name:?}");
        }
    }

    #[test]
    fn registration_must_include_the_authorization_code_flow() {
        let with =
            |grants, responses| RegistrationRequest { grant_types: grants, response_types: responses, ..request() };
        assert_eq!(
            check(&with(Some(words(&["implicit", "authorization_code"])), Some(words(&["token", "code"]))), &[]),
            Ok(())
        );
        assert_eq!(refused(&with(Some(words(&["client_credentials"])), None)), "invalid_client_metadata");
        assert_eq!(refused(&with(Some(words(&[])), None)), "invalid_client_metadata");
        assert_eq!(refused(&with(None, Some(words(&["token"])))), "invalid_client_metadata");
    }

    #[test]
    fn addresses_of_pages_are_on_the_web() {
        for address in ["javascript:alert(1)", "data:image/png,x", "logo.png", ""] {
            let request = RegistrationRequest { logo_uri: Some(address.to_owned()), ..request() };
            assert_eq!(refused(&request), "invalid_client_metadata", "{address}");
        }
    }
}
