//! Reads an OpenAPI document: its operations, schemas and references.

use serde_json::{Map, Value};

use crate::{ScopeRow, text};

/// The methods of operations, as the document writes them.
const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

/// A chain of references is followed this far.
const LONGEST_CHAIN: usize = 8;

pub(crate) struct ApiDocument<'a> {
    root: &'a Value,
}

/// An operation in the document.
pub(crate) struct DocumentedOperation<'a> {
    pub(crate) path: &'a str,
    pub(crate) method: &'a str,
    pub(crate) value: &'a Value,
}

impl<'a> ApiDocument<'a> {
    pub(crate) fn new(root: &'a Value) -> Self {
        Self { root }
    }

    pub(crate) fn title(&self) -> &'a str {
        string(&self.root["info"]["title"])
    }

    pub(crate) fn version(&self) -> &'a str {
        string(&self.root["info"]["version"])
    }

    pub(crate) fn about(&self) -> &'a str {
        string(&self.root["info"]["description"])
    }

    /// The names and descriptions of the tags.
    pub(crate) fn tags(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        list(&self.root["tags"]).iter().map(|tag| (string(&tag["name"]), string(&tag["description"])))
    }

    /// The scopes of the API, the default first.
    pub(crate) fn scopes(&self) -> Vec<ScopeRow> {
        let flow = &self.root["components"]["securitySchemes"]["oauth2"]["flows"]["authorizationCode"];
        let mut scopes: Vec<ScopeRow> = members(&flow["scopes"])
            .map(|(name, about)| ScopeRow { name: name.clone(), about: string(about).to_owned() })
            .collect();
        scopes.sort_by_key(|scope| !scope.name.starts_with("itineraries"));
        scopes
    }

    /// All operations, in the order of their paths.
    pub(crate) fn operations(&self) -> impl Iterator<Item = DocumentedOperation<'a>> {
        members(&self.root["paths"]).flat_map(|(path, item)| {
            METHODS
                .iter()
                .filter_map(move |method| Some(DocumentedOperation { path, method, value: item.get(*method)? }))
        })
    }

    pub(crate) fn schemas(&self) -> impl Iterator<Item = (&'a str, &'a Value)> {
        members(&self.root["components"]["schemas"]).map(|(name, schema)| (name.as_str(), schema))
    }

    pub(crate) fn schema(&self, name: &str) -> &'a Value {
        &self.root["components"]["schemas"][name]
    }

    /// The headers that responses refer to.
    pub(crate) fn headers(&self) -> impl Iterator<Item = (&'a str, &'a Value)> {
        members(&self.root["components"]["headers"]).map(|(name, header)| (name.as_str(), header))
    }

    /// The value that a reference refers to; any other value itself.
    pub(crate) fn resolve(&self, value: &'a Value) -> &'a Value {
        let mut value = value;
        for _ in 0..LONGEST_CHAIN {
            let Some(pointer) = value["$ref"].as_str().and_then(|it| it.strip_prefix('#')) else { break };
            value = self.root.pointer(pointer).unwrap_or(&Value::Null);
        }
        value
    }

    /// The description of each error code, with its status, sorted by status. Only of the API's errors.
    pub(crate) fn error_codes(&self) -> Vec<CodeRow> {
        let mut codes: Vec<CodeRow> = Vec::new();
        for found in self.operations() {
            for (status, response) in members(&found.value["responses"]) {
                let response = self.resolve(response);
                let named = list(&response["x-error-codes"]).iter().map(string);
                for code in named.filter(|code| !code.contains('_')) {
                    if !codes.iter().any(|known| known.code == code) {
                        let text = code_text(string(&response["description"]), code);
                        codes.push(CodeRow { status: status.clone(), code: code.to_owned(), text });
                    }
                }
            }
        }
        codes.sort_by(|left, right| (&left.status, &left.code).cmp(&(&right.status, &right.code)));
        codes
    }
}

/// An error code of the API.
pub(crate) struct CodeRow {
    pub(crate) status: String,
    pub(crate) code: String,
    /// What it means, with code in backticks.
    pub(crate) text: String,
}

impl CodeRow {
    /// The meaning as HTML.
    pub(crate) fn about(&self) -> String {
        text::inline(&self.text)
    }
}

/// What a response's description says about a code: its paragraph, or all of it.
pub(crate) fn code_text(description: &str, code: &str) -> String {
    let start = format!("`{code}`: ");
    let own = description.split("\n\n").find_map(|paragraph| paragraph.strip_prefix(&start));
    let own = own.unwrap_or(description);
    let mut letters = own.chars();
    let capital = letters.next().map(|first| first.to_uppercase().chain(letters).collect::<String>());
    capital.unwrap_or_default()
}

/// Text, or nothing.
pub(crate) fn string(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// The elements of a list, or none.
pub(crate) fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// The members of an object, or none.
pub(crate) fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flat_map(Map::iter)
}

/// The name of the schema that a reference refers to.
pub(crate) fn schema_name(value: &Value) -> Option<&str> {
    value["$ref"].as_str()?.strip_prefix("#/components/schemas/")
}
