//! The texts of mails, from `texts.toml`: one source for plain text and HTML.
//!
//! HTML escapes everything, and loads nothing from anywhere.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use chrono::{DateTime, Utc};
use serde::Deserialize;

/// What a mail can be about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MailKind {
    Reset,
    ResetWithoutPassword,
    Verify,
    AddressTaken,
    AddressChanged,
    AddressRemoved,
    NewSignIn,
    PasswordChanged,
    TokenMade,
    TokenExpiring,
    MethodAdded,
    MethodRemoved,
    RecoveryCodeUsed,
    Warned,
    Suspended,
    AccountDeleted,
    Test,
}

impl MailKind {
    const ALL: [Self; 17] = [
        Self::Reset,
        Self::ResetWithoutPassword,
        Self::Verify,
        Self::AddressTaken,
        Self::AddressChanged,
        Self::AddressRemoved,
        Self::NewSignIn,
        Self::PasswordChanged,
        Self::TokenMade,
        Self::TokenExpiring,
        Self::MethodAdded,
        Self::MethodRemoved,
        Self::RecoveryCodeUsed,
        Self::Warned,
        Self::Suspended,
        Self::AccountDeleted,
        Self::Test,
    ];

    /// Its name in the queue and in `texts.toml`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Reset => "reset",
            Self::ResetWithoutPassword => "reset-without-password",
            Self::Verify => "verify",
            Self::AddressTaken => "address-taken",
            Self::AddressChanged => "address-changed",
            Self::AddressRemoved => "address-removed",
            Self::NewSignIn => "new-sign-in",
            Self::PasswordChanged => "password-changed",
            Self::TokenMade => "token-made",
            Self::TokenExpiring => "token-expiring",
            Self::MethodAdded => "method-added",
            Self::MethodRemoved => "method-removed",
            Self::RecoveryCodeUsed => "recovery-code-used",
            Self::Warned => "warned",
            Self::Suspended => "suspended",
            Self::AccountDeleted => "account-deleted",
            Self::Test => "test",
        }
    }

    /// The kind with a name. `None` if another version of the server has queued it.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The page that its link leads to. `None` if it has a link of its own, or none.
    pub(super) fn page(self) -> Option<&'static str> {
        match self {
            Self::ResetWithoutPassword | Self::AddressTaken | Self::Suspended => Some("/sign-in"),
            Self::NewSignIn => Some("/account/password"),
            Self::PasswordChanged => Some("/forgot-password"),
            Self::TokenMade | Self::TokenExpiring => Some("/account/tokens"),
            Self::MethodAdded | Self::MethodRemoved | Self::RecoveryCodeUsed => Some("/account/sign-in-methods"),
            Self::Warned => Some("/account"),
            Self::Reset
            | Self::Verify
            | Self::AddressChanged
            | Self::AddressRemoved
            | Self::AccountDeleted
            | Self::Test => None,
        }
    }
}

/// What replaces the words in braces.
pub type Values = BTreeMap<String, String>;

/// A mail as it is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderedMail {
    pub subject: String,
    pub text: String,
    pub html: String,
}

#[derive(Deserialize)]
struct Texts {
    language: String,
    time: String,
    footer: Footer,
    #[serde(flatten)]
    mails: BTreeMap<String, MailText>,
}

#[derive(Deserialize)]
struct Footer {
    body: String,
}

#[derive(Deserialize)]
struct MailText {
    subject: String,
    body: String,
}

static TEXTS: LazyLock<Texts> =
    LazyLock::new(|| toml::from_str(include_str!("texts.toml")).expect("a test reads the texts"));

/// An instant as mails write it.
pub fn time(at: DateTime<Utc>) -> String {
    at.format(&TEXTS.time).to_string()
}

/// Writes a mail.
pub fn render(kind: MailKind, values: &Values) -> RenderedMail {
    let texts = &*TEXTS;
    let mail = &texts.mails[kind.name()];
    let link = values.get("link").map(|link| escaped(link)).unwrap_or_default();
    let (mut text, mut html) = (Vec::new(), Vec::new());
    for paragraph in paragraphs(&mail.body) {
        text.push(filled(paragraph, values, str::to_owned));
        html.push(if paragraph == "{link}" {
            format!("<p><a href=\"{link}\">{link}</a></p>\n")
        } else {
            format!("<p>{}</p>\n", filled(paragraph, values, escaped))
        });
    }
    for paragraph in paragraphs(&texts.footer.body) {
        text.push(format!("-- \n{}\n", filled(paragraph, values, str::to_owned)));
        html.push(format!("<p style=\"color:#666\">{}</p>\n", filled(paragraph, values, escaped)));
    }
    let (text, html) = (text.join("\n\n"), html.concat());
    let subject = filled(&mail.subject, values, str::to_owned);
    let (language, title) = (escaped(&texts.language), escaped(&subject));
    let html = format!(
        "<!doctype html>\n<html lang=\"{language}\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title}</title>\n</head>\n\
         <body style=\"font-family:sans-serif;line-height:1.5\">\n{html}</body>\n</html>\n"
    );
    RenderedMail { subject, text, html }
}

fn paragraphs(body: &str) -> impl Iterator<Item = &str> {
    body.split("\n\n").map(str::trim).filter(|paragraph| !paragraph.is_empty())
}

/// A text with its words in braces replaced, once: values may contain braces.
fn filled(text: &str, values: &Values, written: impl Fn(&str) -> String) -> String {
    let (mut result, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once('{') {
        let Some((name, after)) = after.split_once('}') else { break };
        result += &written(before);
        result += &written(values.get(name).map(String::as_str).unwrap_or_default());
        rest = after;
    }
    result + &written(rest)
}

fn escaped(text: &str) -> String {
    let escape = |character| match character {
        '&' => "&amp;".to_owned(),
        '<' => "&lt;".to_owned(),
        '>' => "&gt;".to_owned(),
        '"' => "&quot;".to_owned(),
        '\'' => "&#39;".to_owned(),
        '\n' => "<br>\n".to_owned(),
        other => other.to_string(),
    };
    text.chars().map(escape).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(pairs: &[(&str, &str)]) -> Values {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn every_kind_has_a_text_with_the_words_that_its_comment_names() {
        let file = include_str!("texts.toml");
        assert_eq!(TEXTS.mails.len(), MailKind::ALL.len());
        for kind in MailKind::ALL {
            assert_eq!(MailKind::from_name(kind.name()), Some(kind));
            let mail = &TEXTS.mails[kind.name()];
            let (before, _) = file.split_once(&format!("[{}]", kind.name())).expect("its table");
            let comment = before.rsplit("\n\n").next().expect("a comment");
            let words = |text: &str| -> Vec<String> {
                let names = text.split('{').skip(1).filter_map(|rest| rest.split_once('}'));
                names.map(|(name, _)| name.to_owned()).collect()
            };
            let (named, used) = (words(comment), [words(&mail.subject), words(&mail.body)].concat());
            for word in &used {
                assert!(named.contains(word), "{}: {word}", kind.name());
            }
            let has_link = used.iter().any(|word| word == "link");
            let own_link = matches!(kind, MailKind::Reset | MailKind::Verify);
            assert_eq!(has_link, own_link || kind.page().is_some(), "{}", kind.name());
            assert_eq!(has_link, paragraphs(&mail.body).any(|paragraph| paragraph == "{link}"), "{}", kind.name());
            assert!(paragraphs(&mail.body).all(|paragraph| !paragraph.contains('\n')), "{}", kind.name());
        }
    }

    #[test]
    fn values_are_escaped_and_not_filled_in_again() {
        let attack = "<img src=\"https://evil.example/x\">{link}&'";
        let mail = render(MailKind::TokenMade, &values(&[("name", attack), ("link", "https://a.example/?a=1&b=2")]));
        assert!(mail.text.contains(attack), "{}", mail.text);
        assert!(mail.text.contains("\n\nhttps://a.example/?a=1&b=2\n\n"), "{}", mail.text);
        let escaped = "&lt;img src=&quot;https://evil.example/x&quot;&gt;{link}&amp;&#39;";
        assert!(mail.html.contains(escaped), "{}", mail.html);
        let link = "<a href=\"https://a.example/?a=1&amp;b=2\">https://a.example/?a=1&amp;b=2</a>";
        assert!(mail.html.contains(link), "{}", mail.html);
        assert!(!mail.html.contains("<img") && !mail.html.contains("src=\"http"), "{}", mail.html);
    }
}
