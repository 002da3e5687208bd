//! The effective settings with their sources, and without secrets.

use std::any::TypeId;
use std::fmt::{self, Display, Formatter};
use std::path::PathBuf;

use clap::Arg;
use clap::parser::ValueSource;
use serde_json::{Map, Value, json};

use super::Parsed;
use super::file::is_list;
use super::names::{is_url, key, settings};

/// Stands for a secret.
const MASK: &str = "***";

/// The parameters of URLs that are no secrets: those of PostgreSQL's that say where and how to connect.
const PLAIN_PARAMETERS: [&str; 9] = [
    "sslmode",
    "sslrootcert",
    "sslcert",
    "host",
    "hostaddr",
    "port",
    "dbname",
    "application_name",
    "target_session_attrs",
];

/// Where a setting comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Source {
    Default,
    File,
    Environment,
    Flag,
}

impl Source {
    fn as_str(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::File => "file",
            Self::Environment => "environment",
            Self::Flag => "flag",
        }
    }
}

/// A setting as it is in force.
#[derive(Clone, Debug)]
pub struct Setting {
    /// Its key in the config file.
    pub key: String,
    /// `None` if it is not set.
    pub value: Option<Value>,
    /// Where it comes from.
    pub source: Source,
    /// Whether the value contains a secret, which is replaced.
    pub is_masked: bool,
    /// Whether the value follows from other settings.
    pub is_derived: bool,
}

/// All settings in force. Displayed as TOML, which means the same as a config file, except for secrets.
#[derive(Clone, Debug)]
pub struct Effective(pub Vec<Setting>);

impl<C> Parsed<C> {
    /// The settings in force. `derived` are the values that settings have if they are not set.
    pub fn effective(&self, derived: &[(&str, String)]) -> Effective {
        Effective(settings(&self.command).map(|arg| self.setting(arg, derived)).collect())
    }

    /// The config file.
    pub fn file(&self) -> Option<&std::path::Path> {
        self.file.as_ref().map(|(path, _)| path.as_path())
    }

    fn setting(&self, arg: &Arg, derived: &[(&str, String)]) -> Setting {
        let key = key(arg);
        let source = match self.matches.value_source(arg.get_id().as_str()) {
            Some(ValueSource::CommandLine) => Source::Flag,
            Some(ValueSource::EnvVariable) => Source::Environment,
            _ if self.file.as_ref().is_some_and(|(_, keys)| keys.contains(&key)) => Source::File,
            _ => Source::Default,
        };
        let derived = derived.iter().find(|(name, _)| source == Source::Default && *name == key);
        let words: Option<Vec<String>> = match derived {
            Some((_, value)) => Some(vec![value.clone()]),
            None => self
                .matches
                .get_raw(arg.get_id().as_str())
                .map(|words| words.map(|word| word.to_string_lossy().into_owned()).collect()),
        };
        let words = words.unwrap_or_default();
        let shown: Vec<_> = words.iter().map(|word| masked(arg, word)).collect();
        let is_masked = shown.iter().any(Option::is_some);
        let mut values =
            words.iter().zip(shown).map(|(word, shown)| shown.map_or_else(|| typed(arg, word), Value::from));
        let value = if is_list(arg) && (source != Source::Default || !words.is_empty()) {
            Some(values.collect())
        } else {
            values.next()
        };
        Setting { key, value, source, is_masked, is_derived: derived.is_some() }
    }
}

impl Effective {
    /// The same as JSON: each setting with its value and its source.
    pub fn json(&self) -> Value {
        let facts = |setting: &Setting| {
            let mut facts = json!({ "value": setting.value, "source": setting.source.as_str() });
            if setting.is_masked {
                facts["masked"] = true.into();
            }
            (setting.key.clone(), facts)
        };
        Value::Object(self.0.iter().map(facts).collect::<Map<_, _>>())
    }
}

impl Display for Effective {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        for (index, setting) in self.0.iter().enumerate() {
            let end = if index == 0 { "" } else { "\n" };
            let value = setting.value.as_ref().map(toml).unwrap_or_default();
            // As a value, a masked secret would replace the true one, and a derived value would no longer follow the
            // settings that it is derived from.
            let (mark, note) = match (setting.is_masked, setting.is_derived, &setting.value) {
                (true, ..) => ("# ", ", masked"),
                (_, true, _) => ("# ", ", follows from other settings"),
                (_, _, None) => ("# ", ", not set"),
                _ => ("", ""),
            };
            let line = format!("{mark}{} = {value}", setting.key);
            write!(formatter, "{end}{:<50}  # {}{note}", line.trim_end(), setting.source.as_str())?;
        }
        Ok(())
    }
}

/// A value in TOML. JSON's strings, numbers, booleans and arrays are TOML too, except for one character.
fn toml(value: &Value) -> String {
    value.to_string().replace('\u{7f}', "\\u007F")
}

/// The value as a number or a boolean if the setting is one, otherwise as text.
fn typed(arg: &Arg, word: &str) -> Value {
    let parsed = arg.get_value_parser().type_id();
    if parsed == TypeId::of::<String>() || parsed == TypeId::of::<PathBuf>() {
        return word.into();
    }
    if parsed == TypeId::of::<f64>() {
        return word.parse::<f64>().map_or_else(|_| word.into(), Value::from);
    }
    match word.parse::<i64>() {
        Ok(number) => number.into(),
        Err(_) => word.parse::<bool>().map_or_else(|_| word.into(), Value::from),
    }
}

/// The value without its secrets. `None` if it contains none.
pub(super) fn masked(arg: &Arg, value: &str) -> Option<String> {
    if arg.is_hide_env_values_set() && !is_url(arg) {
        return Some(MASK.to_owned());
    }
    // Other settings, such as an address of contact, may contain `@` and are no secrets.
    if !is_url(arg) && !value.contains("://") {
        return None;
    }
    let shown = without_password(value).unwrap_or_else(|| MASK.to_owned());
    (shown != value).then_some(shown)
}

/// A URL without user, password and parameters that may be secret. `None` if the whole text may be one: if the password
/// contains `/`, `?` or `#`, a part of it is taken for the path, the query or the fragment, and the `@` is there.
fn without_password(text: &str) -> Option<String> {
    let (scheme, rest) = text.split_once("://").unwrap_or(("", text));
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, rest) = rest.split_at(end);
    let (rest, fragment) = rest.split_once('#').unwrap_or((rest, ""));
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    if path.contains('@') || query.contains('@') || fragment.contains('@') {
        return None;
    }
    let host = match authority.rsplit_once('@') {
        Some((_, host)) => format!("{MASK}@{host}"),
        None => authority.to_owned(),
    };
    let parameters: Vec<_> = query.split('&').filter(|parameter| !parameter.is_empty()).map(parameter).collect();
    let query = if parameters.is_empty() { String::new() } else { format!("?{}", parameters.join("&")) };
    let fragment = if fragment.is_empty() { String::new() } else { format!("#{MASK}") };
    let scheme = if text.contains("://") { format!("{scheme}://") } else { String::new() };
    Some(format!("{scheme}{host}{path}{query}{fragment}"))
}

fn parameter(text: &str) -> &str {
    let name = text.split('=').next().unwrap_or_default();
    if PLAIN_PARAMETERS.contains(&name) { text } else { MASK }
}
