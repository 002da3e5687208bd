//! The fields of a pass, found by their keys and labels.

use serde_json::Value;

use super::strings::Strings;
use crate::readers::json;
use crate::readers::labels::{Role, names, words};

/// The parts of a pass that have fields, those that are seen first at first.
const SECTIONS: [&str; 5] = ["primaryFields", "headerFields", "secondaryFields", "auxiliaryFields", "backFields"];
/// The most fields that are looked at.
const MOST_FIELDS: usize = 200;
/// The most bytes of a value. Longer ones are terms and conditions.
const LONGEST_VALUE: usize = 300;

/// One field, translated.
#[derive(Debug)]
pub(super) struct Field {
    pub(super) label: String,
    pub(super) value: String,
    is_primary: bool,
    key_words: String,
    label_words: String,
}

/// All fields of a pass.
#[derive(Debug, Default)]
pub(super) struct Fields(Vec<Field>);

impl Fields {
    pub(super) fn read(style: &Value, strings: &Strings) -> Self {
        let mut fields = Vec::new();
        for section in SECTIONS {
            for field in json::elements(style, section) {
                let text = |name| json::member(field, name).map(|text| strings.get(&text).trim().to_owned());
                let Some(value) = text("value").or_else(|| text("attributedValue")) else { continue };
                if is_blank(&value) || value.len() > LONGEST_VALUE || fields.len() >= MOST_FIELDS {
                    continue;
                }
                let (key, label) = (json::member(field, "key").unwrap_or_default(), text("label").unwrap_or_default());
                fields.push(Field {
                    key_words: words(&key),
                    label_words: words(&label),
                    is_primary: section == SECTIONS[0],
                    label,
                    value,
                });
            }
        }
        Self(fields)
    }

    /// The value of the first field of a role: by its key, otherwise by its label.
    pub(super) fn get(&self, role: Role) -> Option<&str> {
        self.all(role).next()
    }

    /// The values of the fields of a role, those found by their keys first.
    pub(super) fn all(&self, role: Role) -> impl Iterator<Item = &str> {
        let names: Vec<&str> = names(role).collect();
        let labels = names.clone();
        let by_key = self.0.iter().filter(move |field| names.contains(&field.key_words.as_str()));
        let by_label = self.0.iter().filter(move |field| {
            labels.contains(&field.label_words.as_str()) && !labels.contains(&field.key_words.as_str())
        });
        by_key.chain(by_label).map(|field| field.value.as_str())
    }

    /// The primary fields.
    pub(super) fn primary(&self) -> impl Iterator<Item = &Field> {
        self.0.iter().filter(|field| field.is_primary)
    }
}

/// Whether a value stands for one that is not known yet.
fn is_blank(value: &str) -> bool {
    value.chars().all(|c| !c.is_alphanumeric())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_are_found_by_key_and_label() {
        let style = json!({
            "primaryFields": [{"key": "origin", "label": "Lisbon", "value": "LIS"}],
            "headerFields": [{"key": "h1", "label": "GATE", "value": " - "}, {"key": "seat_label", "label": "", "value": "1A"}],
            "backFields": [{"key": "b1", "label": "Booking reference:", "value": "Q7RT2K"}, {"key": "b2", "value": 7}],
        });
        let fields = Fields::read(&style, &Strings::default());
        assert_eq!(fields.get(Role::Seat), Some("1A"));
        assert_eq!(fields.get(Role::Gate), None);
        assert_eq!(fields.get(Role::Confirmation), Some("Q7RT2K"));
        assert_eq!(fields.primary().count(), 1);
    }
}
