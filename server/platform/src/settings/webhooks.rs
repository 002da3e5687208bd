//! The settings of webhooks: to which addresses events are sent.

use clap::{ArgAction, Args};
use url::Url;

use super::values::switch;

/// To which addresses events are sent.
#[derive(Clone, Debug, Args)]
pub struct WebhookSettings {
    /// The ports to which events are sent, separated by commas
    #[arg(long = "webhooks-ports", value_name = "PORTS", value_delimiter = ',', default_value = "443")]
    pub ports: Vec<u16>,
    /// Also send events to private addresses, to http and to any port. For development: an app could reach the server's own
    /// network
    #[arg(long = "webhooks-private-addresses", value_name = "SWITCH", default_value = "off")]
    #[arg(action = ArgAction::Set, value_parser = switch())]
    pub private_addresses: bool,
}

impl WebhookSettings {
    /// Whether events may be sent to a URL, as far as its scheme and its port say. An error is what the URL must be.
    pub fn check(&self, url: &Url) -> Result<(), String> {
        if self.private_addresses {
            return Ok(());
        }
        if url.scheme() != "https" {
            return Err("must be an https URL".to_owned());
        }
        if url.port_or_known_default().is_some_and(|port| self.ports.contains(&port)) {
            return Ok(());
        }
        let ports = self.ports.iter().map(ToString::to_string).collect::<Vec<_>>().join(" or ");
        Err(format!("must use port {ports}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(url: &str, settings: &WebhookSettings) -> Result<(), String> {
        settings.check(&Url::parse(url).expect("a URL"))
    }

    #[test]
    fn scheme_and_port_are_checked() {
        let settings = WebhookSettings { ports: vec![443, 8443], private_addresses: false };
        for url in ["https://example.com/hook", "https://example.com:443/", "https://example.com:8443/a?b"] {
            assert_eq!(checked(url, &settings), Ok(()), "{url}");
        }
        assert_eq!(checked("http://example.com:443/", &settings), Err("must be an https URL".to_owned()));
        let error = Err("must use port 443 or 8443".to_owned());
        assert_eq!(checked("https://example.com:22/", &settings), error);
        let settings = WebhookSettings { private_addresses: true, ..settings };
        assert_eq!(checked("http://127.0.0.1:8000/", &settings), Ok(()));
    }
}
