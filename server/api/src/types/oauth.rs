//! The wire types of the OAuth endpoints, with the `snake_case` names of the standards.
//!
//! The query of the authorisation endpoint and the forms of the token and revocation endpoints only describe them in the
//! document. The server parses them itself, because OAuth has rules for repeated parameters.

use schemars::JsonSchema;
use schemars::r#gen::SchemaGenerator;
use schemars::schema::Schema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::oauth_error::OAuthError;
use crate::values::{limits, one_of, string_schema};

/// How a client authenticates at the token endpoint: with its secret in an HTTP Basic header or in the form, or not at
/// all.
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
    /// Every method, in the order of the metadata.
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

/// The metadata of a client that registers (RFC 7591). Unknown metadata is ignored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RegistrationRequest {
    /// The addresses that the browser may be redirected to: `https://…`, or `http://localhost` or `http://127.0.0.1`
    /// with any port and path. 1 to 20 addresses, at most 2,000 characters each, without a fragment.
    #[schemars(schema_with = "redirect_addresses")]
    pub redirect_uris: Vec<String>,
    /// The client's name on the consent page, 1 to 100 characters. Defaults to the host of the first redirect address.
    #[schemars(length(min = 1, max = 100))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_name: Option<String>,
    /// How the client authenticates at the token endpoint. Defaults to `client_secret_basic`: the client gets a secret
    /// and may send it either way. `none` makes a public client without a secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_endpoint_auth_method: Option<ClientAuthMethod>,
    /// If present, must include `authorization_code`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grant_types: Option<Vec<String>>,
    /// If present, must include `code`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_types: Option<Vec<String>>,
    /// The scopes that the client intends to request, separated by spaces. Stored, not enforced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// The kind of client: `web` or `native`. Stored, not enforced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub application_type: Option<String>,
    /// The address of the client's home page. Stored, never fetched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_uri: Option<String>,
    /// The address of the client's logo. Stored, never fetched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logo_uri: Option<String>,
    /// The address of the client's terms of service. Stored, never fetched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tos_uri: Option<String>,
    /// The address of the client's privacy policy. Stored, never fetched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy_uri: Option<String>,
    /// How to contact the people responsible for the client, usually e-mail addresses.
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
    /// Reads the body of a registration; rejects it with the error code that RFC 7591 prescribes.
    pub fn from_json(body: &[u8]) -> Result<Self, OAuthError> {
        let value: Value =
            serde_json::from_slice(body).map_err(|_| OAuthError::invalid_request("the body must be JSON"))?;
        let Some(object) = value.as_object() else {
            return Err(OAuthError::invalid_request("the body must be a JSON object"));
        };
        let strings = |list: &Vec<Value>| list.iter().all(Value::is_string);
        if !object.get("redirect_uris").and_then(Value::as_array).is_some_and(strings) {
            return Err(OAuthError::invalid_redirect_uri("redirect_uris must be an array of strings"));
        }
        serde_path_to_error::deserialize(value).map_err(|error| {
            // Unknown members are never read, so the path has known names only.
            OAuthError::invalid_client_metadata(&format!("{} has an unsupported type or value", error.path()))
        })
    }
}

/// A registered client: all registered metadata, with the defaults filled in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Registration {
    /// The client's id, to be sent to the OAuth endpoints.
    pub client_id: String,
    /// The client's secret. Present for a confidential client, in this response only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_secret: Option<String>,
    /// When the client was registered, in seconds since 1970-01-01T00:00:00Z.
    pub client_id_issued_at: i64,
    /// When the secret expires. Always 0: it never does. Present if there is a secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_secret_expires_at: Option<i64>,
    /// The addresses that the browser may be redirected to.
    pub redirect_uris: Vec<String>,
    /// The client's name on the consent page.
    pub client_name: String,
    /// How the client authenticates at the token endpoint.
    pub token_endpoint_auth_method: ClientAuthMethod,
    /// The grant types that the client may use: always `authorization_code` and `refresh_token`.
    pub grant_types: Vec<String>,
    /// The response types that the client may use: always `code`.
    pub response_types: Vec<String>,
    /// The registered scopes that exist, separated by spaces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// The kind of client as registered: `web` or `native`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub application_type: Option<String>,
    /// The address of the client's home page.
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
    /// How to contact the people responsible for the client.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contacts: Option<Vec<String>>,
    /// An identifier of the client software, the same for all its installations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub software_id: Option<String>,
    /// The version of the client software.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub software_version: Option<String>,
}

/// The parameters of an authorisation request. Unknown parameters are ignored; a repeated one is rejected.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AuthoriseQuery {
    /// The client's id, or the `https` address of its metadata document.
    #[schemars(length(max = 500), regex(pattern = "^([A-Za-z0-9_-]{1,100}|https://.+)$"))]
    pub client_id: String,
    /// The address to redirect the browser to. Must equal a registered address exactly; only the port of
    /// `http://localhost` and `http://127.0.0.1` may differ.
    #[schemars(length(max = 2000))]
    pub redirect_uri: String,
    /// The response type. Must be `code`.
    #[schemars(schema_with = "only_code")]
    pub response_type: String,
    /// The requested scopes, separated by spaces. Defaults to `itineraries:read`. `offline_access` is accepted and has
    /// no effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// The PKCE challenge: the SHA-256 of the code verifier, base64url-encoded without padding; 43 characters.
    #[schemars(regex(pattern = "^[A-Za-z0-9_-]{43}$"))]
    pub code_challenge: String,
    /// The PKCE method. Must be `S256`.
    #[schemars(schema_with = "only_s256")]
    pub code_challenge_method: String,
    /// An opaque value for the client's own checks. Returned unchanged to `redirect_uri`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// The resource that the token is for (RFC 8707): the address of the service, which is the default, or of its MCP
    /// endpoint, to which the token is then limited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource: Option<String>,
}

/// The grant type of a token request (RFC 6749).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "a comment on a variant would turn the schema's plain list into a oneOf")]
pub enum GrantType {
    #[default]
    AuthorizationCode,
    RefreshToken,
}

/// The form of the token endpoint. Which fields are required depends on `grant_type`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct TokenRequest {
    /// The grant type: `authorization_code` or `refresh_token`. Required.
    pub grant_type: GrantType,
    /// The authorisation code, for `authorization_code`. Works once, within 5 minutes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The PKCE verifier whose hash was the challenge, for `authorization_code`; 43 to 128 characters of
    /// `[A-Za-z0-9-._~]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = "^[A-Za-z0-9._~-]{43,128}$"))]
    pub code_verifier: Option<String>,
    /// The `redirect_uri` of the authorisation request, unchanged, for `authorization_code`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redirect_uri: Option<String>,
    /// The client's id. Not needed with HTTP Basic authentication.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 500), regex(pattern = "^([A-Za-z0-9_-]{1,100}|https://.+)$"))]
    pub client_id: Option<String>,
    /// The secret of a confidential client. Must be absent with HTTP Basic authentication.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_secret: Option<String>,
    /// The refresh token, for `refresh_token`. Works once, within 90 days.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refresh_token: Option<String>,
    /// A subset of the approved scopes, for `refresh_token`. Defaults to all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// The resource that the access token is for (RFC 8707). Must not exceed the approved resource.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource: Option<String>,
}

/// The type of an access token: always `Bearer`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[expect(missing_docs, reason = "a comment on a variant would turn the schema's plain list into a oneOf")]
pub enum TokenType {
    Bearer,
}

/// A new access token and a new refresh token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TokenResponse {
    /// The access token, for the header `Authorization: Bearer …`.
    pub access_token: String,
    /// The type of the access token: always `Bearer`.
    pub token_type: TokenType,
    /// The lifetime of the access token in seconds: 3600.
    pub expires_in: i64,
    /// The refresh token. Works once, within 90 days.
    pub refresh_token: String,
    /// The scopes of the access token, separated by spaces.
    pub scope: String,
}

/// The form of the revocation endpoint (RFC 7009).
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct RevocationRequest {
    /// The access or refresh token. Revoking it ends its whole sign-in. Required.
    #[schemars(required)]
    pub token: Option<String>,
    /// The type of the token: `access_token` or `refresh_token`. Optional, and only a hint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_type_hint: Option<String>,
    /// The client's id. Not needed with HTTP Basic authentication.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 500), regex(pattern = "^([A-Za-z0-9_-]{1,100}|https://.+)$"))]
    pub client_id: Option<String>,
    /// The secret of a confidential client. Must be absent with HTTP Basic authentication.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_secret: Option<String>,
}

fn only_code(_: &mut SchemaGenerator) -> Schema {
    one_of(&["code"])
}

fn only_s256(_: &mut SchemaGenerator) -> Schema {
    one_of(&["S256"])
}

/// The metadata of the authorisation server (RFC 8414).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AuthorisationServerMetadata {
    /// The address of the service, equal to `iss` in redirects.
    pub issuer: String,
    /// The address to send the traveller's browser to.
    pub authorization_endpoint: String,
    /// The address that exchanges codes and refresh tokens for tokens.
    pub token_endpoint: String,
    /// The address at which clients register.
    pub registration_endpoint: String,
    /// The address at which tokens are revoked.
    pub revocation_endpoint: String,
    /// The scopes that a client can request.
    pub scopes_supported: Vec<String>,
    /// The supported response types: always `code`.
    pub response_types_supported: Vec<String>,
    /// The supported response modes: always `query`.
    pub response_modes_supported: Vec<String>,
    /// The supported grant types: `authorization_code` and `refresh_token`.
    pub grant_types_supported: Vec<String>,
    /// How a client can authenticate at the token endpoint.
    pub token_endpoint_auth_methods_supported: Vec<ClientAuthMethod>,
    /// How a client can authenticate at the revocation endpoint.
    pub revocation_endpoint_auth_methods_supported: Vec<ClientAuthMethod>,
    /// The supported PKCE methods: always `S256`.
    pub code_challenge_methods_supported: Vec<String>,
    /// Always true: redirects carry `iss`, with a code and with an error (RFC 9207).
    pub authorization_response_iss_parameter_supported: bool,
    /// Whether a client's id can be the `https` address of its metadata document, which needs no registration. False if the
    /// server's operator has turned this off.
    #[serde(default)]
    pub client_id_metadata_document_supported: bool,
}

/// The metadata of a protected resource (RFC 9728).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProtectedResourceMetadata {
    /// The address of the resource that tokens are for.
    pub resource: String,
    /// The name of the resource, to show to people.
    pub resource_name: String,
    /// The authorisation servers that issue tokens: this service itself.
    pub authorization_servers: Vec<String>,
    /// The scopes that a client can request.
    pub scopes_supported: Vec<String>,
    /// How to send the token: always `header`.
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
