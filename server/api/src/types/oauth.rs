//! What goes over the wire when a program registers, a traveller signs in and a code becomes tokens.
//!
//! Names are those of the OAuth standards, in `snake_case`. The query of the authorise address and the forms of the
//! token endpoint are here for the document: the server reads them itself, because OAuth tells a repeated parameter from
//! one that is given once.

use schemars::JsonSchema;
use schemars::r#gen::SchemaGenerator;
use schemars::schema::Schema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::oauth_error::OAuthError;
use crate::values::{limits, one_of, string_schema};

/// How a client proves who it is at the token endpoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "a comment on a variant would turn the schema's plain list into a oneOf")]
pub enum ClientAuthMethod {
    #[default]
    ClientSecretBasic,
    ClientSecretPost,
    None,
}

impl ClientAuthMethod {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::ClientSecretBasic, Self::ClientSecretPost, Self::None];

    /// The method's name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ClientSecretBasic => "client_secret_basic",
            Self::ClientSecretPost => "client_secret_post",
            Self::None => "none",
        }
    }
}

/// A program that registers itself. Metadata that is not listed here is ignored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RegistrationRequest {
    /// Where the traveller's browser may be sent back to: `https://…`, or `http://localhost` or `http://127.0.0.1` with
    /// any port and path. 1 to 20 addresses.
    #[schemars(schema_with = "redirect_addresses")]
    pub redirect_uris: Vec<String>,
    /// The name that the traveller reads when asked to approve. Left out, the host of the first redirect address stands
    /// for it.
    #[schemars(length(min = 1, max = 100))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_name: Option<String>,
    /// How the client will authenticate at the token endpoint. Left out, the client is confidential and gets a secret,
    /// which it may send either way. `none` makes a public client without a secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_endpoint_auth_method: Option<ClientAuthMethod>,
    /// If given, it must name `authorization_code`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grant_types: Option<Vec<String>>,
    /// If given, it must name `code`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_types: Option<Vec<String>>,
    /// The scopes that the client intends to ask for, separated by spaces. It is noted, and limits nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// `web` or `native`. It is noted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub application_type: Option<String>,
    /// The address of a page about the client. It is noted, never fetched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_uri: Option<String>,
    /// The address of the client's logo. It is noted, never fetched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logo_uri: Option<String>,
    /// The address of the client's terms of service. It is noted, never fetched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tos_uri: Option<String>,
    /// The address of the client's privacy policy. It is noted, never fetched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy_uri: Option<String>,
    /// Ways to reach the people behind the client, usually e-mail addresses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contacts: Option<Vec<String>>,
    /// An identifier of the client software, the same for all its installations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub software_id: Option<String>,
    /// The version of the client software.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub software_version: Option<String>,
}

fn redirect_addresses(generator: &mut SchemaGenerator) -> Schema {
    let mut schema = Vec::<String>::json_schema(generator).into_object();
    let addresses = schema.array();
    (addresses.min_items, addresses.max_items) = (Some(1), Some(20));
    let pattern = "^(https://[^#]+|http://(localhost|127[.]0[.]0[.]1)(:[0-9]+)?([/?][^#]*)?)$";
    addresses.items = Some(string_schema(None, Some(pattern), Some(limits::URL)).into());
    schema.into()
}

impl RegistrationRequest {
    /// Reads the body of a registration; what is wrong with it is told in the words of the standard.
    pub fn from_json(body: &[u8]) -> Result<Self, OAuthError> {
        let value: Value =
            serde_json::from_slice(body).map_err(|_| OAuthError::invalid_request("the body is not JSON"))?;
        let Some(object) = value.as_object() else {
            return Err(OAuthError::invalid_request("the body must be a JSON object"));
        };
        let strings = |list: &Vec<Value>| list.iter().all(Value::is_string);
        if !object.get("redirect_uris").and_then(Value::as_array).is_some_and(strings) {
            return Err(OAuthError::invalid_redirect_uri("redirect_uris must be an array of strings"));
        }
        serde_path_to_error::deserialize(value).map_err(|error| {
            // The path is made of names of ours: a member that is not known is never read.
            OAuthError::invalid_client_metadata(&format!("{} is not of a supported type or value", error.path()))
        })
    }
}

/// A registered client. Everything that was registered comes back, with the defaults filled in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Registration {
    /// The client's id.
    pub client_id: String,
    /// The client's secret; only for a confidential client, and only in this answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_secret: Option<String>,
    /// When the client was registered: seconds since 1970-01-01T00:00:00Z.
    pub client_id_issued_at: i64,
    /// When the secret expires: 0, which is never. Present whenever there is a secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_secret_expires_at: Option<i64>,
    /// Where the traveller's browser may be sent back to.
    pub redirect_uris: Vec<String>,
    /// The name that the traveller reads when asked to approve.
    pub client_name: String,
    /// How the client authenticates at the token endpoint.
    pub token_endpoint_auth_method: ClientAuthMethod,
    /// The grants that the client may use: always `authorization_code` and `refresh_token`.
    pub grant_types: Vec<String>,
    /// The answers that the client may ask for: always `code`.
    pub response_types: Vec<String>,
    /// The scopes that the client said it would ask for, as far as there are such scopes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// `web` or `native`, as registered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub application_type: Option<String>,
    /// The address of a page about the client.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_uri: Option<String>,
    /// The address of the client's logo.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logo_uri: Option<String>,
    /// The address of the client's terms of service.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tos_uri: Option<String>,
    /// The address of the client's privacy policy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy_uri: Option<String>,
    /// Ways to reach the people behind the client.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contacts: Option<Vec<String>>,
    /// An identifier of the client software.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub software_id: Option<String>,
    /// The version of the client software.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub software_version: Option<String>,
}

/// What the authorise address is called with. A parameter that is not listed here is ignored; one that is given twice is
/// refused.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AuthoriseQuery {
    /// The client's id.
    #[schemars(
        length(max = 500),
        regex(pattern = "^([0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}|https://.+)$")
    )]
    pub client_id: String,
    /// Where the browser is to be sent back to: one of the registered addresses, character by character; the port of
    /// `http://localhost` and `http://127.0.0.1` may differ.
    #[schemars(length(max = 2000))]
    pub redirect_uri: String,
    /// Always `code`.
    #[schemars(schema_with = "only_code")]
    pub response_type: String,
    /// The scopes asked for, separated by spaces. Left out: `itineraries:read`. `offline_access` is accepted and does
    /// nothing extra.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// The SHA-256 of the code verifier, in base64url without padding: 43 characters.
    #[schemars(regex(pattern = "^[A-Za-z0-9_-]{43}$"))]
    pub code_challenge: String,
    /// Always `S256`.
    #[schemars(schema_with = "only_s256")]
    pub code_challenge_method: String,
    /// Comes back unchanged, for the client's own checks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// What the token is for (RFC 8707): the address of the service, or that of its MCP endpoint, to which the token is
    /// then limited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource: Option<String>,
}

/// What a token is asked for with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "a comment on a variant would turn the schema's plain list into a oneOf")]
pub enum GrantType {
    #[default]
    AuthorizationCode,
    RefreshToken,
}

/// The form of the token endpoint. Which fields are needed depends on `grant_type`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct TokenRequest {
    /// `authorization_code` or `refresh_token`.
    pub grant_type: GrantType,
    /// For `authorization_code`: the code. It is good once and for five minutes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// For `authorization_code`: the verifier whose hash was the challenge, 43 to 128 characters of `[A-Za-z0-9-._~]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = "^[A-Za-z0-9._~-]{43,128}$"))]
    pub code_verifier: Option<String>,
    /// For `authorization_code`: the redirect address of the authorise request, character by character.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redirect_uri: Option<String>,
    /// The client's id. It may be left out where HTTP Basic authentication names the client.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(
        length(max = 500),
        regex(pattern = "^([0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}|https://.+)$")
    )]
    pub client_id: Option<String>,
    /// The client's secret, if it has one and does not send it by HTTP Basic authentication.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_secret: Option<String>,
    /// For `refresh_token`: the refresh token. It works once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refresh_token: Option<String>,
    /// For `refresh_token`: some of the approved scopes, for an access token that can do less.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// What the access token is for (RFC 8707); it cannot be wider than what was approved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource: Option<String>,
}

/// The kind of an access token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[expect(missing_docs, reason = "a comment on a variant would turn the schema's plain list into a oneOf")]
pub enum TokenType {
    Bearer,
}

/// A new pair of tokens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TokenResponse {
    /// The access token: goes into `Authorization: Bearer …`.
    pub access_token: String,
    /// How the access token is used.
    pub token_type: TokenType,
    /// For how many seconds the access token is good: 3600.
    pub expires_in: i64,
    /// The refresh token: good once, for 90 days.
    pub refresh_token: String,
    /// What the access token may do: scopes, separated by spaces.
    pub scope: String,
}

/// The form of the revocation endpoint (RFC 7009).
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct RevocationRequest {
    /// The access or refresh token. With it, its whole sign-in ends.
    #[schemars(required)]
    pub token: Option<String>,
    /// `access_token` or `refresh_token`. It is a hint only, and not needed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_type_hint: Option<String>,
    /// The client's id. It may be left out where HTTP Basic authentication names the client.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(
        length(max = 500),
        regex(pattern = "^([0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}|https://.+)$")
    )]
    pub client_id: Option<String>,
    /// The client's secret, if it has one and does not send it by HTTP Basic authentication.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_secret: Option<String>,
}

fn only_code(_: &mut SchemaGenerator) -> Schema {
    one_of(&["code"])
}

fn only_s256(_: &mut SchemaGenerator) -> Schema {
    one_of(&["S256"])
}

/// What a client needs to know of the sign-in (RFC 8414).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AuthorisationServerMetadata {
    /// The service's address, as it also appears in `iss`.
    pub issuer: String,
    /// Where the traveller's browser is sent to.
    pub authorization_endpoint: String,
    /// Where codes and refresh tokens become tokens.
    pub token_endpoint: String,
    /// Where a client registers itself.
    pub registration_endpoint: String,
    /// Where a sign-in is ended.
    pub revocation_endpoint: String,
    /// The scopes.
    pub scopes_supported: Vec<String>,
    /// Always `code`.
    pub response_types_supported: Vec<String>,
    /// Always `query`.
    pub response_modes_supported: Vec<String>,
    /// `authorization_code` and `refresh_token`.
    pub grant_types_supported: Vec<String>,
    /// How a client may authenticate at the token endpoint.
    pub token_endpoint_auth_methods_supported: Vec<ClientAuthMethod>,
    /// How a client may authenticate at the revocation endpoint.
    pub revocation_endpoint_auth_methods_supported: Vec<ClientAuthMethod>,
    /// Always `S256`.
    pub code_challenge_methods_supported: Vec<String>,
    /// Always true: `iss` comes back with every code and every refusal.
    pub authorization_response_iss_parameter_supported: bool,
    /// Always true: a client's id may be the `https` URL of its metadata document, which needs no registration.
    #[serde(default)]
    pub client_id_metadata_document_supported: bool,
}

/// What a client needs to know to call this service with a token (RFC 9728).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProtectedResourceMetadata {
    /// The address that the tokens are for.
    pub resource: String,
    /// The name of the service, for people.
    pub resource_name: String,
    /// Who issues the tokens: this service itself.
    pub authorization_servers: Vec<String>,
    /// The scopes to ask for.
    pub scopes_supported: Vec<String>,
    /// Always `header`.
    pub bearer_methods_supported: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oauth_error::OAuthErrorCode;

    fn refused(body: &str) -> OAuthErrorCode {
        RegistrationRequest::from_json(body.as_bytes()).expect_err(body).error
    }

    #[test]
    fn unknown_metadata_is_ignored() {
        let body =
            br#"{"redirect_uris": ["https://app.example/cb"], "jwks": {"keys": []}, "client_name#fr": "Voyage"}"#;
        let request = RegistrationRequest::from_json(body).expect("a registration");
        assert_eq!(request.redirect_uris, ["https://app.example/cb"]);
    }

    #[test]
    fn redirect_addresses_must_be_an_array_of_strings() {
        for body in [
            "{}",
            r#"{"redirect_uris": null}"#,
            r#"{"redirect_uris": "https://app.example/cb"}"#,
            r#"{"redirect_uris": [7]}"#,
            r#"{"redirect_uris": {"0": "https://app.example/cb"}}"#,
        ] {
            assert_eq!(refused(body), OAuthErrorCode::InvalidRedirectUri, "{body}");
        }
    }

    #[test]
    fn other_metadata_must_have_its_type() {
        for member in [
            r#""token_endpoint_auth_method": "private_key_jwt""#,
            r#""client_name": 7"#,
            r#""grant_types": "authorization_code""#,
            r#""contacts": [null]"#,
        ] {
            let body = format!(r#"{{"redirect_uris": ["https://app.example/cb"], {member}}}"#);
            assert_eq!(refused(&body), OAuthErrorCode::InvalidClientMetadata, "{body}");
        }
    }

    #[test]
    fn a_body_must_be_a_json_object() {
        for body in ["", "{", "[]", "7", r#"[["https://app.example/cb"]]"#] {
            assert_eq!(refused(body), OAuthErrorCode::InvalidRequest, "{body}");
        }
    }

    #[test]
    fn the_names_of_the_methods_are_those_that_serde_writes() {
        for method in ClientAuthMethod::ALL {
            assert_eq!(serde_json::to_value(method).expect("a word"), method.as_str());
        }
    }
}
