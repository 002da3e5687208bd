//! The decisions of sign-in: registrations, authorisation requests, client authentication, codes and refresh tokens.
//!
//! Pure functions. The server does lookups, storage and HTTP.

pub mod authorise;
pub mod client;
pub mod client_document;
pub mod family;
pub mod grant;
pub mod parameters;
pub mod pkce;
pub mod redirect;
pub mod registration;
pub mod resource;
pub mod scopes;

use chrono::Duration;

/// The prefix of access tokens.
pub const ACCESS_PREFIX: &str = "itp_at_";
/// The prefix of refresh tokens.
pub const REFRESH_PREFIX: &str = "itp_rt_";

/// How long an authorisation code is valid.
pub const CODE_LIFETIME: Duration = Duration::minutes(5);
/// How long an access token is valid.
pub const ACCESS_LIFETIME: Duration = Duration::hours(1);
/// How long a refresh token is valid after it was issued.
pub const REFRESH_LIFETIME: Duration = Duration::days(90);
