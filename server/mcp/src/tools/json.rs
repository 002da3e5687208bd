//! Writes a JSON object field by field, so that an operation's answer is copied into it without parsing.

use serde::Serialize;

/// A JSON object that is being written. Names are not escaped, because they are the tools' own.
#[derive(Debug, Default)]
pub(crate) struct Object {
    json: Vec<u8>,
    has_fields: bool,
}

impl Object {
    /// An object that follows other text.
    pub(crate) fn after(text: Vec<u8>) -> Self {
        Self { json: text, has_fields: false }
    }

    /// A copy of a serialised object.
    pub(crate) fn of(object: &[u8]) -> Self {
        let mut copy = Self::default();
        copy.fields_of(object);
        copy
    }

    pub(crate) fn field(&mut self, name: &str, value: &(impl Serialize + ?Sized)) {
        self.name(name);
        serde_json::to_writer(&mut self.json, value).expect("plain data is written to memory");
    }

    /// Adds a field whose value is JSON text.
    pub(crate) fn json(&mut self, name: &str, json: &[u8]) {
        self.json.reserve(name.len() + json.len() + 8);
        self.name(name);
        self.json.extend_from_slice(json);
    }

    /// Adds the fields of a serialised object.
    pub(crate) fn fields_of(&mut self, object: &[u8]) {
        let fields = object.trim_ascii().strip_prefix(b"{").and_then(|rest| rest.strip_suffix(b"}"));
        let Some(fields) = fields.map(<[u8]>::trim_ascii).filter(|fields| !fields.is_empty()) else { return };
        self.separate();
        self.json.extend_from_slice(fields);
    }

    pub(crate) fn finish(mut self) -> Vec<u8> {
        if !self.has_fields {
            self.json.push(b'{');
        }
        self.json.push(b'}');
        self.json
    }

    fn name(&mut self, name: &str) {
        self.separate();
        self.json.push(b'"');
        self.json.extend_from_slice(name.as_bytes());
        self.json.extend_from_slice(b"\":");
    }

    fn separate(&mut self) {
        self.json.push(if self.has_fields { b',' } else { b'{' });
        self.has_fields = true;
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::Object;

    #[test]
    fn fields_are_written_and_copied() {
        let mut object = Object::default();
        object.field("number", &1);
        object.fields_of(b" { \"id\": \"a\", \"stops\": [] } ");
        object.fields_of(b"{ }");
        object.json("leg", b"{\"mode\":\"walk\"}");
        let written: Value = serde_json::from_slice(&object.finish()).expect("JSON");
        assert_eq!(written, json!({ "number": 1, "id": "a", "stops": [], "leg": { "mode": "walk" } }));
        assert_eq!(Object::default().finish(), b"{}");
    }
}
