//! The decisions of the sign-in flow: who may register what, what an authorise request asks for, who the client is, and
//! whether a code or a refresh token is good.
//!
//! Everything here is a function of its arguments. Looking things up, keeping them and talking HTTP is the server's.

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

/// How long an authorisation code is good.
pub const CODE_LIFETIME: Duration = Duration::minutes(5);
/// How long an access token is good.
pub const ACCESS_LIFETIME: Duration = Duration::hours(1);
/// How long a refresh token is good, from its own issue.
pub const REFRESH_LIFETIME: Duration = Duration::days(90);
