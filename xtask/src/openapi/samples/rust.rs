//! Samples for Rust with the SDK: calls of `client`, which the quickstart makes. They are the examples of the SDK's
//! documentation, too, and so they are compiled.

use std::collections::BTreeSet;
use std::fmt::Write;

use itinerary_api::values::OffsetTime;
use serde_json::{Map, Value};

use super::literal::{JSON, snake};
use super::request::{Body, Parameter, Place, Request, Response, Source, schema_name};
use super::{BASE_URL, FIELD, RUST};
use crate::sdk::FIRST;

/// The file of samples that send an image.
const IMAGE: &str = "cover.jpg";
/// The file of samples that send a document.
const SEALED: &str = "boarding-pass.pdf.age";
/// The file of samples that import.
const MAIL: &str = "booking.eml";

/// Statements of an async function that returns a result.
pub(super) fn sample(request: &Request<'_>) -> String {
    if request.id == itinerary_api::policy::MCP {
        return without_the_sdk(request);
    }
    let mut code = Code { document: request.document, names: BTreeSet::new(), has_times: false };
    let statements = code.statements(request);
    let body = formatted(&statements);
    let uses = code.uses(request);
    if uses.is_empty() { body } else { format!("{uses}\n\n{body}") }
}

/// The example of an operation in the SDK's documentation: the sample of the document, in a function with its variables.
pub(crate) fn documentation(document: &Value, method: &str, path: &str) -> Option<String> {
    let request = Request::new(document, method, path)?;
    let samples = document["paths"][path][method][FIELD].as_array()?;
    let source = samples.iter().find(|sample| sample["lang"] == RUST)?["source"].as_str()?;
    let variables = request.parameters.iter().filter(|it| it.value == Source::Variable);
    let variables: Vec<String> = variables.map(|it| format!(", {}: {}", variable(it), variable_type(it))).collect();
    let variables = variables.concat();
    let token = if request.id == itinerary_api::policy::MCP { ", token: &str" } else { "" };
    Some(format!(
        "```no_run\n# async fn example(client: itinerary_sdk::Client{variables}{token}) \
         -> Result<(), Box<dyn std::error::Error>> {{\n{source}\n# Ok(())\n# }}\n```"
    ))
}

/// Code in the making, and what it uses.
struct Code<'a> {
    document: &'a Value,
    /// The SDK's types.
    names: BTreeSet<String>,
    has_times: bool,
}

impl<'a> Code<'a> {
    fn statements(&mut self, request: &Request<'a>) -> String {
        let mut before = String::new();
        let variables = request.parameters.iter().filter(|it| it.place != Place::Header && it.name != "format");
        let mut arguments: Vec<String> = variables.map(|it| self.parameter(it)).collect();
        arguments.extend(request.parameters_in(Place::Header).filter(|it| it.name == "If-Match").map(variable));
        let formats = request.parameters_in(Place::Query).filter(|it| it.name == "format");
        let mut setters = formats.map(|it| format!(".format({})", self.parameter(it))).collect::<Vec<_>>().concat();
        if request.takes_bytes {
            arguments.push(format!("std::fs::read({IMAGE:?})?"));
        } else if let Some(body) = self.body(request) {
            before = format!("let body = {body};");
            if request.is_body_required { arguments.push("body".to_owned()) } else { setters.push_str(".body(body)") }
        }
        let result = match request.response {
            Response::Empty => String::new(),
            Response::Json(name) => format!("let {} = ", name.map_or_else(|| "response".to_owned(), snake)),
            Response::File => "let file = ".to_owned(),
        };
        let send = if let Body::File(_) = request.body {
            arguments.extend(request.file_arguments());
            ""
        } else {
            ".send()"
        };
        format!("{before}{result}client.{}({}){setters}{send}.await?;", request.id, arguments.join(", "))
    }

    /// The body as a value of the SDK's types.
    fn body(&mut self, request: &Request<'a>) -> Option<String> {
        match request.body {
            Body::Json(example) => Some(self.value(request.schema, example)),
            Body::Form(fields) => Some(self.object(request.schema, fields)),
            Body::None | Body::File(_) => None,
        }
    }

    fn parameter(&mut self, parameter: &Parameter<'a>) -> String {
        match parameter.value {
            Source::Text(text) => self.value(parameter.schema, &Value::from(text)),
            Source::Variable | Source::NewUuid => variable(parameter),
        }
    }

    fn value(&mut self, schema: &'a Value, value: &Value) -> String {
        let target = self.target(schema);
        match value {
            Value::String(text) if target["enum"].is_array() => {
                format!("{}::{}", self.name(schema), pascal(text))
            }
            Value::String(text) if target["pattern"] == OffsetTime::PATTERN => {
                self.has_times = true;
                format!("DateTime::parse_from_rfc3339({text:?})?")
            }
            Value::String(text) if target["format"] == "uuid" => {
                format!("{text:?}.parse()?")
            }
            Value::String(text) => format!("{text:?}"),
            Value::Number(number) if target["type"] == "number" && !number.is_f64() => format!("{number}.0"),
            Value::Array(items) => {
                let items: Vec<_> = items.iter().map(|item| self.value(&target["items"], item)).collect();
                format!("[{}]", items.join(", "))
            }
            Value::Object(fields) => self.object(schema, fields),
            Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
        }
    }

    /// `Type::new(required, …).optional(…)`.
    fn object(&mut self, schema: &'a Value, fields: &Map<String, Value>) -> String {
        let target = self.target(schema);
        let is_required = |name: &str| target["required"].as_array().is_some_and(|it| it.iter().any(|it| it == name));
        let (mut required, optional): (Vec<_>, Vec<_>) = fields.iter().partition(|(name, _)| is_required(name));
        required.sort_by_key(|(name, _)| {
            let name = snake(name);
            (FIRST.iter().position(|first| name == *first).unwrap_or(FIRST.len()), name)
        });
        let arguments: Vec<_> =
            required.iter().map(|(name, value)| self.value(&target["properties"][*name], value)).collect();
        let start = if arguments.is_empty() { "default" } else { "new" };
        let mut text = format!("{}::{start}({})", self.name(schema), arguments.join(", "));
        for (name, value) in optional {
            let setter = snake(name);
            let _ = if value.is_null() {
                write!(text, ".clear_{setter}()")
            } else {
                write!(text, ".{setter}({})", self.value(&target["properties"][name], value))
            };
        }
        text
    }

    /// The schema that a schema refers to.
    fn target(&self, schema: &'a Value) -> &'a Value {
        schema_name(schema).map_or(schema, |name| &self.document["components"]["schemas"][name])
    }

    /// The SDK's type of a schema. Enums of requests and responses are one type.
    fn name(&mut self, schema: &Value) -> String {
        let name = schema_name(schema).expect("objects and enums have names");
        let schemas = &self.document["components"]["schemas"];
        let shared = name.strip_suffix("Input").filter(|it| schemas[it]["x-extensible-enum"].is_array());
        let name = shared.unwrap_or(name).to_owned();
        self.names.insert(name.clone());
        name
    }

    /// The lines of `use`.
    fn uses(&self, request: &Request<'_>) -> String {
        let mut lines = Vec::new();
        if self.has_times {
            lines.push("use itinerary_sdk::chrono::DateTime;".to_owned());
        }
        if let Body::File(_) = request.body {
            lines.push(request.file_types().to_owned());
        }
        let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        match names[..] {
            [] => {}
            [only] => lines.push(format!("use itinerary_sdk::types::{only};")),
            _ => lines.push(format!("use itinerary_sdk::types::{{{}}};", names.join(", "))),
        }
        let file = syn::parse_file(&lines.concat()).expect("these are declarations");
        prettyplease::unparse(&file).trim_end().to_owned()
    }
}

/// Files that are sent: a document, or some to import.
impl Request<'_> {
    fn file_arguments(&self) -> Vec<String> {
        if self.id == "import_read" {
            return vec![format!("[ImportFile::open({MAIL:?}).await?]"), "ImportOptions::default()".to_owned()];
        }
        vec![format!("FileSource::path({SEALED:?})"), format!("UploadDetails::named({SEALED:?})")]
    }

    fn file_types(&self) -> &'static str {
        if self.id == "import_read" {
            "use itinerary_sdk::{ImportFile, ImportOptions};"
        } else {
            "use itinerary_sdk::{FileSource, UploadDetails};"
        }
    }
}

/// The MCP endpoint is no operation of the SDK.
fn without_the_sdk(request: &Request<'_>) -> String {
    let Body::Json(example) = request.body else { panic!("{} has an example", request.id) };
    let accept = request.accept().unwrap_or("application/json");
    format!(
        "let message = serde_json::json!({});\nlet response = reqwest::Client::new()\n    .post(\"{BASE_URL}{}\")\n    \
         .bearer_auth(token)\n    .header(\"Accept\", {accept:?})\n    .json(&message)\n    .send()\n    .await?\n    \
         .error_for_status()?;",
        JSON.literal(example, 0),
        request.path,
    )
}

fn variable(parameter: &Parameter<'_>) -> String {
    if parameter.name == "If-Match" { "etag".to_owned() } else { snake(parameter.name) }
}

fn variable_type(parameter: &Parameter<'_>) -> &'static str {
    if parameter.schema["type"] == "integer" {
        "i64"
    } else if is_uuid(parameter) {
        "itinerary_sdk::Uuid"
    } else {
        "&str"
    }
}

/// Whether the SDK takes a UUID. Ids of documents are text.
fn is_uuid(parameter: &Parameter<'_>) -> bool {
    parameter.schema["format"] == "uuid" && parameter.name != "documentId"
}

/// A value of an enum as a name in Pascal case.
fn pascal(value: &str) -> String {
    let words = value.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(|word| word[..1].to_ascii_uppercase() + &word[1..]).collect()
}

/// Statements in the usual format.
fn formatted(statements: &str) -> String {
    let function = format!("async fn example() {{ {statements} }}");
    let file = syn::parse_file(&function).unwrap_or_else(|error| panic!("{function}: {error}"));
    let text = prettyplease::unparse(&file);
    let lines: Vec<&str> = text.lines().collect();
    let inside = &lines[1..lines.len() - 1];
    inside.iter().map(|line| line.strip_prefix("    ").unwrap_or(line)).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_strings_are_rust() {
        assert_eq!(pascal("boardingPass"), "BoardingPass");
        assert_eq!(pascal("authorization_code"), "AuthorizationCode");
        let code = "let body = Name::new(\"a \\\"b\\\" {c}\").text(\"\u{301}é\\\\\");";
        assert_eq!(formatted(code), code);
    }
}
