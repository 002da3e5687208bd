//! The settings of sign-in and sign-up.

use clap::{ArgAction, Args, ValueEnum};
use url::Url;

use super::oidc::{OidcProviders, oidc};
use super::values::switch;

/// Who can create an account on the pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum SignUpMode {
    /// Everyone.
    #[default]
    Open,
    /// Only those who have an invitation.
    Invite,
    /// Nobody: the operator creates accounts.
    Closed,
}

/// How travellers sign in, and who can create an account.
#[derive(Clone, Debug, Args)]
pub struct SignInSettings {
    /// Who can create an account: open, everyone; invite, those with an invitation of `account invite`; or closed, the
    /// operator alone with `account create`, which always works
    #[arg(long, value_name = "MODE", default_value = "open")]
    pub sign_up: SignUpMode,
    /// A mail address or an https URL at which travellers can reach the operator, shown on the pages of sign-in. Default:
    /// none
    #[arg(id = "operator_contact", long = "contact", value_name = "ADDRESS", value_parser = contact)]
    pub contact: Option<Contact>,
    /// Whether travellers sign in with a username and a password. Off needs a provider in `oidc`; then accounts have no
    /// passwords, and those that exist are not accepted
    #[arg(long, value_name = "SWITCH", default_value = "on", action = ArgAction::Set, value_parser = switch())]
    pub password_sign_in: bool,
    /// OpenID Connect providers with which travellers can sign in, at most 5: in the config file a table `[[oidc]]` for each,
    /// otherwise a JSON array of objects with the same keys: `name`, `issuer`, `client_id`, `client_secret` or
    /// `client_secret_file`, and optionally `slug`, `email_domains` and `create_accounts`. Default: none
    #[arg(long, value_name = "TABLES", value_parser = oidc, hide_env_values = true)]
    pub oidc: Option<OidcProviders>,
}

impl SignInSettings {
    /// Whether anybody could sign in.
    pub(super) fn has_way_in(&self) -> bool {
        self.password_sign_in || self.oidc.as_ref().is_some_and(|oidc| !oidc.0.is_empty())
    }
}

/// How travellers can reach the operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contact {
    /// The address as the operator wrote it.
    pub text: String,
    /// The address as a link: `mailto:` or `https:`.
    pub link: String,
}

fn contact(text: &str) -> Result<Contact, &'static str> {
    let refused = "must be a mail address or an https URL";
    let is_plain = text.len() <= 200 && text.bytes().all(|byte| byte.is_ascii_graphic());
    if !is_plain {
        return Err(refused);
    }
    if text.starts_with("https://") {
        let url = Url::parse(text).map_err(|_| refused)?;
        let has_user = !url.username().is_empty() || url.password().is_some();
        return if has_user { Err(refused) } else { Ok(Contact { text: text.to_owned(), link: url.into() }) };
    }
    let is_name = |name: &str| {
        !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".!#$'*+/=^_`{|}~-".contains(&byte))
    };
    let is_host = |host: &str| {
        host.contains('.')
            && host.split('.').all(|label| !label.is_empty())
            && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-".contains(&byte))
    };
    match text.split_once('@') {
        Some((name, host)) if is_name(name) && is_host(host) => {
            let name: String = url::form_urlencoded::byte_serialize(name.as_bytes()).collect();
            Ok(Contact { text: text.to_owned(), link: format!("mailto:{name}@{host}") })
        }
        _ => Err(refused),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contact_is_a_mail_address_or_an_https_url() {
        for (text, link) in [
            ("ops@trips.example", "mailto:ops@trips.example"),
            ("help+trips@trips.example", "mailto:help%2Btrips@trips.example"),
            ("https://trips.example/help?x=1", "https://trips.example/help?x=1"),
        ] {
            assert_eq!(contact(text), Ok(Contact { text: text.to_owned(), link: link.to_owned() }));
        }
        for text in [
            "",
            "ops",
            "@trips.example",
            "ops@",
            "ops@localhost",
            "ops@a..b",
            "a b@trips.example",
            "ops@trips.example?subject=x",
            "http://trips.example",
            "javascript:alert(1)@x.example",
            "https://",
            "https://ana:x@trips.example",
            "ops@trips.example\nx",
        ] {
            assert!(contact(text).is_err(), "{text}");
        }
    }
}
