//! Mail addresses of travellers.
//!
//! An address is plain ASCII without quotes and comments, so that two texts are the same address only if they differ in
//! case, and none can break out of a header.

/// The maximum length of an address (RFC 5321).
const LONGEST: usize = 254;
/// The maximum length of the part before the `@`.
const LOCAL: usize = 64;
/// The maximum length of a label of the domain.
const LABEL: usize = 63;

/// A valid address, as its owner wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MailAddress(String);

impl MailAddress {
    /// Parses an address, without the spaces around it.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (local, domain) = text.rsplit_once('@')?;
        let is_valid = text.len() <= LONGEST && is_local(local) && is_domain(domain);
        is_valid.then(|| Self(text.to_owned()))
    }

    /// The address as it was written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The address in lower case, by which it is compared.
    pub fn folded(&self) -> String {
        self.0.to_ascii_lowercase()
    }
}

fn is_local(local: &str) -> bool {
    let is_atom = |atom: &str| {
        let is_known = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+/=?^_`{|}~-".contains(&byte);
        !atom.is_empty() && atom.bytes().all(is_known)
    };
    local.len() <= LOCAL && local.split('.').all(is_atom)
}

fn is_domain(domain: &str) -> bool {
    let is_label = |label: &str| {
        let is_known = label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        (1..=LABEL).contains(&label.len()) && is_known && !label.starts_with('-') && !label.ends_with('-')
    };
    let last = domain.rsplit('.').next().unwrap_or_default();
    // A domain that ends with a number is an IP address.
    domain.contains('.') && domain.split('.').all(is_label) && last.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// An address for the log: the first character and the domain.
pub fn masked(address: &str) -> String {
    let (local, domain) = address.rsplit_once('@').unwrap_or((address, ""));
    let first: String = local.chars().take(1).collect();
    format!("{first}…@{domain}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_addresses_are_valid() {
        for text in ["ana@example.com", " Ana.B+trips@Mail.Example.COM ", "o'neil_1@a-b.example", "a@xn--mnchen-3ya.de"]
        {
            let address = MailAddress::parse(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(address.as_str(), text.trim());
            assert_eq!(address.folded(), text.trim().to_lowercase());
        }
        let (long, label) = (format!("{}@example.com", "a".repeat(65)), format!("a@{}.example", "b".repeat(64)));
        let longest = format!("{}@{}.com", "a".repeat(64), ["b".repeat(60), "c".repeat(60), "d".repeat(67)].join("."));
        for text in [
            "",
            "@",
            "ana",
            "ana@",
            "@example.com",
            "ana@localhost",
            "ana@example..com",
            "ana@.example.com",
            "ana@example.com.",
            "ana@-a.example",
            "ana@a-.example",
            "ana@127.0.0.1",
            "ana@[127.0.0.1]",
            ".ana@example.com",
            "ana.@example.com",
            "a..b@example.com",
            "a b@example.com",
            "\"a b\"@example.com",
            "ana@example.com, ben@example.com",
            "Ana <ana@example.com>",
            "ana@example.com\r\nBcc: ben@example.com",
            "ana\r\nBcc: ben@example.com",
            "ana@exam\nple.com",
            "ana\0@example.com",
            "anä@example.com",
            "ana@exämple.com",
            "ana@example.com\u{212a}",
            &long,
            &label,
            &longest,
        ] {
            assert_eq!(MailAddress::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn the_log_has_one_character_and_the_domain() {
        assert_eq!(masked("ana@example.com"), "a…@example.com");
        assert_eq!(masked("nothing"), "n…@");
    }
}
