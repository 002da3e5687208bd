//! Hands mails over to the SMTP server of the settings.
//!
//! A connection for each mail: there are few, and servers close idle connections. The library writes headers and addresses,
//! so that no text of theirs can add a header.

use std::fs;
use std::time::{Duration, SystemTime};

use chrono::{DateTime, Utc};
use lettre::message::header::{HeaderName, HeaderValue};
use lettre::message::{Mailbox, Message, MultiPart};
use lettre::transport::smtp::authentication::{Credentials, DEFAULT_MECHANISMS};
use lettre::transport::smtp::client::{AsyncSmtpConnection, TlsParameters};
use lettre::transport::smtp::extension::ClientId;
use tokio::time::timeout;
use url::{Host, Url};
use uuid::Uuid;

use super::PortsError;
use crate::error_chain::chain;
use crate::mail_address::masked;
use crate::settings::{Config, MailEncryption, MailSettings};

/// How long the server may take to say goodbye, after it has taken the mail.
const GOODBYE: Duration = Duration::from_secs(1);

/// The longest reply of a server that is logged, in characters.
const REPLY: usize = 300;

/// A mail, in both forms.
#[derive(Clone, Debug)]
pub struct OutgoingMail {
    /// Identifies it, the same in every attempt, so that mail programs can drop a second copy.
    pub id: Uuid,
    pub to: String,
    pub subject: String,
    pub text: String,
    pub html: String,
    pub date: DateTime<Utc>,
}

/// Why a mail was not handed over.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MailFailure {
    /// The server will never take it. Holds its reply, without the recipient's address.
    #[error("the mail server rejected the mail: {0}")]
    Rejected(String),
    /// It may take it later, or cannot be used at the moment.
    #[error("{0}")]
    Failed(String),
    #[error("the mail server did not take the mail within {} seconds", .0.as_secs())]
    TimedOut(Duration),
}

/// Sends mails.
pub struct Mailer {
    host: String,
    port: u16,
    encryption: MailEncryption,
    credentials: Option<Credentials>,
    tls: Option<TlsParameters>,
    /// How this server introduces itself.
    hello: ClientId,
    from: Mailbox,
    timeout: Duration,
}

impl Mailer {
    /// The sender of the settings. `None` if they have none. Reads the file with the password, and connects to nothing.
    pub fn configured(config: &Config) -> Result<Option<Self>, PortsError> {
        let settings = &config.mail;
        let (Some(host), Some(from)) = (&settings.host, &settings.from) else { return Ok(None) };
        let tls = match settings.encryption {
            MailEncryption::None => None,
            _ => Some(TlsParameters::new(host.clone()).map_err(|error| PortsError::MailTls(chain(&error)))?),
        };
        let address = from.address.as_str().parse().map_err(|_| PortsError::MailSender)?;
        Ok(Some(Self {
            host: host.clone(),
            port: settings.port(),
            encryption: settings.encryption,
            credentials: credentials(settings)?,
            tls,
            hello: hello(&config.base_url),
            from: Mailbox::new(from.name.clone(), address),
            timeout: settings.timeout,
        }))
    }

    /// How long an attempt takes at most.
    pub fn timeout(&self) -> Duration {
        self.timeout
    }

    /// Hands a mail over. Returns the server's reply.
    pub async fn send(&self, mail: &OutgoingMail) -> Result<String, MailFailure> {
        let message = self.message(mail).ok_or_else(|| MailFailure::Rejected("the address is invalid".to_owned()))?;
        let handed_over = timeout(self.timeout, self.hand_over(&message)).await;
        let (reply, mut connection) = match handed_over {
            Err(_) => return Err(MailFailure::TimedOut(self.timeout)),
            Ok(Err(failure)) => return Err(failure.without(&mail.to)),
            Ok(Ok(taken)) => taken,
        };
        // The mail is the server's now, whatever it replies.
        let _ = timeout(GOODBYE, connection.quit()).await;
        Ok(reply)
    }

    /// `None` if the library rejects an address.
    fn message(&self, mail: &OutgoingMail) -> Option<Message> {
        let to = mail.to.parse().ok()?;
        let domain = self.from.email.domain();
        let automatic = HeaderValue::new(HeaderName::new_from_ascii_str("Auto-Submitted"), "auto-generated".to_owned());
        let message = Message::builder()
            .from(self.from.clone())
            .to(Mailbox::new(None, to))
            .subject(mail.subject.as_str())
            .date(SystemTime::from(mail.date))
            .message_id(Some(format!("<{}@{domain}>", mail.id)))
            // So that nobody's absence is answered.
            .raw_header(automatic)
            .multipart(MultiPart::alternative_plain_html(mail.text.clone(), mail.html.clone()));
        message.ok()
    }

    async fn hand_over(&self, message: &Message) -> Result<(String, AsyncSmtpConnection), MailFailure> {
        let server = (self.host.as_str(), self.port);
        let at_once = self.tls.clone().filter(|_| self.encryption == MailEncryption::Tls);
        let connected = AsyncSmtpConnection::connect_tokio1(server, None, &self.hello, at_once, None).await;
        let mut connection = connected.map_err(|error| failed("cannot be used", &error))?;
        if self.encryption == MailEncryption::Starttls
            && let Some(tls) = self.tls.clone()
        {
            let secured = connection.starttls(tls, &self.hello).await;
            secured.map_err(|error| failed("does not encrypt the connection", &error))?;
        }
        if let Some(credentials) = &self.credentials {
            let signed_in = connection.auth(DEFAULT_MECHANISMS, credentials).await;
            signed_in.map_err(|error| failed("does not accept `mail_username` and `mail_password`", &error))?;
        }
        match connection.send(message.envelope(), &message.formatted()).await {
            Ok(reply) => {
                let lines: Vec<_> = reply.message().collect();
                Ok((reply_line(&format!("{} {}", reply.code(), lines.join(" "))), connection))
            }
            Err(error) if error.is_permanent() => Err(MailFailure::Rejected(reply_line(&error.to_string()))),
            Err(error) => Err(failed("did not take the mail", &error)),
        }
    }
}

impl MailFailure {
    /// The same, with the recipient's address masked: servers repeat it.
    fn without(self, address: &str) -> Self {
        let mask = |text: String| {
            let (folded, address) = (text.to_ascii_lowercase(), address.to_ascii_lowercase());
            let (mut result, mut end) = (String::new(), 0);
            for (at, found) in folded.match_indices(&address) {
                result += &text[end..at];
                result += &masked(found);
                end = at + found.len();
            }
            result + &text[end..]
        };
        match self {
            Self::Rejected(reply) => Self::Rejected(mask(reply)),
            Self::Failed(reply) => Self::Failed(mask(reply)),
            Self::TimedOut(after) => Self::TimedOut(after),
        }
    }
}

fn failed(what: &str, error: &lettre::transport::smtp::Error) -> MailFailure {
    MailFailure::Failed(format!("the mail server {what}: {}", reply_line(&error.to_string())))
}

/// A reply of a server as one line of the log.
fn reply_line(reply: &str) -> String {
    let words: Vec<_> =
        reply.split(|it: char| it.is_whitespace() || it.is_control()).filter(|it| !it.is_empty()).collect();
    words.join(" ").chars().take(REPLY).collect()
}

fn credentials(settings: &MailSettings) -> Result<Option<Credentials>, PortsError> {
    let Some(name) = &settings.username else { return Ok(None) };
    let password = match (&settings.password, &settings.password_file) {
        (Some(password), _) => password.clone(),
        (None, Some(file)) => {
            let text = fs::read_to_string(file).map_err(|error| PortsError::MailPassword(file.clone(), error))?;
            let password = text.trim_end_matches(['\r', '\n']).to_owned();
            if password.is_empty() {
                return Err(PortsError::NoMailPassword(file.clone()));
            }
            password
        }
        (None, None) => return Ok(None),
    };
    Ok(Some(Credentials::new(name.clone(), password)))
}

/// The name of this server, from its base URL.
fn hello(base_url: &str) -> ClientId {
    match Url::parse(base_url).ok().and_then(|url| url.host().map(|host| host.to_owned())) {
        Some(Host::Domain(name)) => ClientId::Domain(name),
        Some(Host::Ipv4(address)) => ClientId::Ipv4(address),
        Some(Host::Ipv6(address)) => ClientId::Ipv6(address),
        None => ClientId::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mail_address::MailAddress;
    use crate::settings::MailSender;

    fn mailer(name: &str) -> Mailer {
        let mut config = Config::new(([127, 0, 0, 1], 80).into());
        config.mail.host = Some("localhost".to_owned());
        config.mail.encryption = MailEncryption::None;
        let address = MailAddress::parse("trips@example.org").expect("an address");
        config.mail.from = Some(MailSender { name: Some(name.to_owned()), address });
        Mailer::configured(&config).expect("valid").expect("mail is on")
    }

    fn mail(subject: &str, to: &str) -> OutgoingMail {
        OutgoingMail {
            id: Uuid::from_u128(7),
            to: to.to_owned(),
            subject: subject.to_owned(),
            text: "Straße\n.\nEnd".to_owned(),
            html: "<p>Straße</p>".to_owned(),
            date: DateTime::UNIX_EPOCH,
        }
    }

    #[test]
    fn no_text_adds_a_header() {
        let attack = "Trips\r\nBcc: eve@example.com\r\n\r\nBuy";
        let message = mailer(attack).message(&mail(attack, "ana@example.com")).expect("valid");
        let written = String::from_utf8(message.formatted()).expect("ASCII");
        assert!(written.is_ascii(), "{written}");
        let (head, _) = written.split_once("\r\n\r\n").expect("an empty line");
        for line in head.split("\r\n") {
            let is_folded = line.starts_with(' ');
            assert!(is_folded || !line.to_ascii_lowercase().starts_with("bcc"), "{head}");
        }
        assert_eq!(message.envelope().to().len(), 1);
        for address in ["ana@example.com\r\nRCPT TO:<eve@example.com>", "ana@example.com>", "", "a b@example.com"] {
            assert!(mailer("Trips").message(&mail("x", address)).is_none(), "{address:?}");
        }
    }

    #[test]
    fn a_mail_has_the_same_id_in_every_attempt_and_asks_for_no_reply() {
        let mailer = mailer("Trips");
        let head = |mail| String::from_utf8(mailer.message(&mail).expect("valid").formatted()).expect("ASCII");
        let written = head(mail("Set a new password", "ana@example.com"));
        assert!(written.contains("Message-ID: <00000000-0000-0000-0000-000000000007@example.org>"), "{written}");
        assert!(written.contains("Auto-Submitted: auto-generated"), "{written}");
        assert!(written.contains("Date: Thu, 01 Jan 1970"), "{written}");
    }

    #[test]
    fn replies_are_one_line_without_the_address() {
        let reply = "550 5.1.1 <Ana@Example.com>\r\n  unknown\u{1b}[2J: ana@example.com";
        let masked = MailFailure::Rejected(reply_line(reply)).without("ana@EXAMPLE.com");
        let expected = "550 5.1.1 <a…@example.com> unknown [2J: a…@example.com";
        assert_eq!(masked, MailFailure::Rejected(expected.to_owned()));
    }
}
