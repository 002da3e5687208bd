//! The settings of mail: the SMTP server that takes what this server sends.

use std::fmt::{self, Debug, Formatter};
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use itinerary_core::legible::is_legible;

use super::SettingsError;
use crate::mail_address::MailAddress;

/// How the connection to the SMTP server is encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MailEncryption {
    /// By TLS from its beginning.
    Tls,
    /// By TLS after the command STARTTLS, without which nothing is sent.
    Starttls,
    /// Not at all, for a server on the same machine.
    None,
}

/// The SMTP server. Without it, the server sends no mail.
#[derive(Clone, Args)]
pub struct MailSettings {
    /// The host name of the SMTP server that sends mail for this server: links to verify an address or to set a new password,
    /// and notices about an account. Needs `mail_from`. Default: none, no mail
    #[arg(id = "mail_host", long = "mail-host", value_name = "HOST", value_parser = host)]
    pub host: Option<String>,
    /// The port of the SMTP server. Default: 465 with `tls`, 587 with `starttls`, 25 with `none`
    #[arg(id = "mail_port", long = "mail-port", value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..))]
    pub port: Option<u16>,
    /// How the connection to the SMTP server is encrypted: `tls` from its beginning; `starttls`, which must succeed; or `none`,
    /// only for a loopback host
    #[arg(id = "mail_encryption", long = "mail-encryption", value_name = "ENCRYPTION", default_value = "tls")]
    pub encryption: MailEncryption,
    /// The name with which this server signs in to the SMTP server. Default: none, it does not sign in
    #[arg(id = "mail_username", long = "mail-username", value_name = "NAME")]
    pub username: Option<String>,
    /// The password for `mail_username`
    #[arg(id = "mail_password", long = "mail-password", value_name = "PASSWORD", hide_env_values = true)]
    pub password: Option<String>,
    /// A file with the password for `mail_username`, instead of `mail_password`; read at start
    #[arg(id = "mail_password_file", long = "mail-password-file", value_name = "FILE")]
    pub password_file: Option<PathBuf>,
    /// The sender of mails: an address, or a name and an address, such as `Trips <trips@example.org>`
    #[arg(id = "mail_from", long = "mail-from", value_name = "SENDER", value_parser = sender)]
    pub from: Option<MailSender>,
    /// How long handing over one mail may take
    #[arg(id = "mail_timeout", long = "mail-timeout", value_name = "SECONDS", default_value = "30", value_parser = timeout)]
    pub timeout: Duration,
}

/// Without the password.
impl Debug for MailSettings {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let Self { host, port, encryption, from, .. } = self;
        formatter
            .debug_struct("MailSettings")
            .field("host", host)
            .field("port", port)
            .field("encryption", encryption)
            .field("from", from)
            .finish_non_exhaustive()
    }
}

/// The sender of mails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MailSender {
    /// Shown beside the address.
    pub name: Option<String>,
    /// The address.
    pub address: MailAddress,
}

impl MailSettings {
    /// Whether the server sends mail.
    pub fn is_on(&self) -> bool {
        self.host.is_some()
    }

    /// The port of the SMTP server.
    pub fn port(&self) -> u16 {
        self.port.unwrap_or(match self.encryption {
            MailEncryption::Tls => 465,
            MailEncryption::Starttls => 587,
            MailEncryption::None => 25,
        })
    }

    /// Rejects settings that lack another one, and a connection without encryption to another machine.
    pub(super) fn check(&self) -> Result<(), SettingsError> {
        let Some(host) = &self.host else {
            let set = [
                ("mail_from", self.from.is_some()),
                ("mail_username", self.username.is_some()),
                ("mail_password", self.password.is_some()),
                ("mail_password_file", self.password_file.is_some()),
                ("mail_port", self.port.is_some()),
            ];
            let first = set.into_iter().find(|(_, is_set)| *is_set);
            return first.map_or(Ok(()), |(name, _)| Err(SettingsError::Needs(name, "mail_host")));
        };
        let has_password = self.password.is_some() || self.password_file.is_some();
        match (&self.username, has_password) {
            _ if self.from.is_none() => Err(SettingsError::Needs("mail_host", "mail_from")),
            (Some(_), false) => Err(SettingsError::Needs("mail_username", "mail_password")),
            (None, true) => Err(SettingsError::Needs("mail_password", "mail_username")),
            _ if self.password.is_some() && self.password_file.is_some() => Err(SettingsError::TwoMailPasswords),
            _ if self.encryption == MailEncryption::None && !is_loopback(host) => Err(SettingsError::PlainMail),
            _ => Ok(()),
        }
    }
}

fn is_loopback(host: &str) -> bool {
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn host(text: &str) -> Result<String, &'static str> {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b".-_".contains(&byte);
    let is_host = !text.is_empty() && text.len() <= 253 && text.bytes().all(is_name) || text.parse::<IpAddr>().is_ok();
    if is_host { Ok(text.to_owned()) } else { Err("must be a host name or an IP address, without a port") }
}

fn timeout(text: &str) -> Result<Duration, &'static str> {
    let seconds: Option<u64> = text.parse().ok().filter(|seconds| (1..=300).contains(seconds));
    seconds.map(Duration::from_secs).ok_or("must be a number of seconds from 1 to 300")
}

fn sender(text: &str) -> Result<MailSender, &'static str> {
    let refused = "must be a mail address, or a name and an address such as Trips <trips@example.org>";
    let (name, address) = match text.trim().strip_suffix('>').and_then(|text| text.rsplit_once('<')) {
        Some((name, address)) => (name.trim().trim_matches('"'), address),
        None => ("", text),
    };
    let is_name =
        name.chars().count() <= 100 && (name.is_empty() || is_legible(name)) && !name.contains(['<', '>', '"']);
    match MailAddress::parse(address) {
        Some(address) if is_name => {
            Ok(MailSender { name: Some(name).filter(|it| !it.is_empty()).map(str::to_owned), address })
        }
        _ => Err(refused),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Config;

    fn settings() -> MailSettings {
        MailSettings {
            host: Some("smtp.example.org".to_owned()),
            from: sender("trips@example.org").ok(),
            ..Config::new(([127, 0, 0, 1], 80).into()).mail
        }
    }

    #[test]
    fn a_sender_is_an_address_with_or_without_a_name() {
        let parsed = |text: &str| {
            sender(text).map(|sender| (sender.name.unwrap_or_default(), sender.address.as_str().to_owned()))
        };
        let of = |name: &str| Ok((name.to_owned(), "trips@example.org".to_owned()));
        assert_eq!(parsed("trips@example.org"), of(""));
        assert_eq!(parsed("<trips@example.org>"), of(""));
        assert_eq!(parsed("Trips & Co. <trips@example.org>"), of("Trips & Co."));
        assert_eq!(parsed("\"Reisen, München\" <trips@example.org>"), of("Reisen, München"));
        for text in ["", "Trips", "Trips <>", "a <b <trips@example.org>", "Trips\r\nBcc: x <trips@example.org>", "a@b"]
        {
            assert!(sender(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn settings_belong_together() {
        let told = |settings: MailSettings| settings.check().map_err(|error| error.to_string());
        let none = MailSettings { host: None, from: None, ..settings() };
        assert_eq!((told(none.clone()), told(settings())), (Ok(()), Ok(())));
        let (name, password) = (Some("trips".to_owned()), Some("Sesame".to_owned()));
        let signed = MailSettings { username: name.clone(), password: password.clone(), ..settings() };
        assert_eq!(told(signed.clone()), Ok(()));
        assert!(!format!("{signed:?}").contains("Sesame"));
        let plain = MailSettings { encryption: MailEncryption::None, ..settings() };
        for host in ["localhost", "127.0.0.1", "127.8.8.8", "::1"] {
            assert_eq!(told(MailSettings { host: Some(host.to_owned()), ..plain.clone() }), Ok(()), "{host}");
        }
        for (settings, words) in [
            (MailSettings { from: None, ..settings() }, "`mail_host` needs `mail_from`"),
            (MailSettings { host: None, ..settings() }, "`mail_from` needs `mail_host`"),
            (MailSettings { port: Some(25), ..none }, "`mail_port` needs `mail_host`"),
            (MailSettings { username: name, ..settings() }, "`mail_username` needs `mail_password`"),
            (MailSettings { password, ..settings() }, "`mail_password` needs `mail_username`"),
            (
                MailSettings { password_file: Some("x".into()), ..signed },
                "either `mail_password` or `mail_password_file`",
            ),
            (plain, "`mail_encryption` is none"),
        ] {
            let error = told(settings).expect_err(words);
            assert!(error.contains(words), "{error}");
        }
    }

    #[test]
    fn each_encryption_has_its_port() {
        let port = |encryption| MailSettings { encryption, ..settings() }.port();
        assert_eq!([MailEncryption::Tls, MailEncryption::Starttls, MailEncryption::None].map(port), [465, 587, 25]);
        assert_eq!(MailSettings { port: Some(2525), ..settings() }.port(), 2525);
    }
}
