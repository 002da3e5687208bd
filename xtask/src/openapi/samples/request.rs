//! What a sample sends: read from an operation of the document.

use serde_json::{Map, Value};

/// A request to an operation.
pub(super) struct Request<'a> {
    pub(super) document: &'a Value,
    /// The operation id.
    pub(super) id: &'a str,
    /// The method in upper case.
    pub(super) method: String,
    pub(super) path: &'a str,
    /// The parameters of the path, and those of the query and the header that the sample sends.
    pub(super) parameters: Vec<Parameter<'a>>,
    pub(super) body: Body<'a>,
    /// The schema of the body, or null.
    pub(super) schema: &'a Value,
    /// Whether the body may be bytes, such as those of an image.
    pub(super) takes_bytes: bool,
    /// Whether a body must be sent.
    pub(super) is_body_required: bool,
    pub(super) needs_token: bool,
    pub(super) response: Response<'a>,
}

/// A parameter that is sent.
pub(super) struct Parameter<'a> {
    pub(super) name: &'a str,
    pub(super) place: Place,
    pub(super) value: Source<'a>,
    pub(super) schema: &'a Value,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Path,
    Query,
    Header,
}

/// Where the value of a parameter comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source<'a> {
    /// A variable of the reader.
    Variable,
    /// A new UUID for each request.
    NewUuid,
    /// This text.
    Text(&'a str),
}

pub(super) enum Body<'a> {
    None,
    Json(&'a Value),
    /// A URL-encoded form.
    Form(&'a Map<String, Value>),
    /// A multipart form with one file in the part of this name.
    File(&'a str),
}

/// The body of a successful response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Response<'a> {
    Empty,
    /// JSON of the schema of this name, or of none.
    Json(Option<&'a str>),
    File,
}

impl<'a> Request<'a> {
    /// The request of an operation; `None` for a page, which a browser opens.
    pub(super) fn new(document: &'a Value, method: &str, path: &'a str) -> Option<Self> {
        let operation = &document["paths"][path][method];
        let response = response(document, operation)?;
        let content = operation["requestBody"]["content"].as_object();
        let (body, schema) = content.map_or((Body::None, &Value::Null), body);
        let parameters = operation["parameters"].as_array().map_or(&[][..], Vec::as_slice);
        Some(Self {
            document,
            id: operation["operationId"].as_str()?,
            method: method.to_uppercase(),
            path,
            parameters: parameters.iter().filter_map(|it| parameter(document, resolve(document, it))).collect(),
            body,
            schema,
            takes_bytes: content.is_some_and(|it| it.contains_key("application/octet-stream")),
            is_body_required: operation["requestBody"]["required"] == true,
            needs_token: operation["security"].as_array().is_some_and(|needs| !needs.is_empty()),
            response,
        })
    }

    /// The parameters in a place.
    pub(super) fn parameters_in(&self, place: Place) -> impl Iterator<Item = &Parameter<'a>> {
        self.parameters.iter().filter(move |it| it.place == place)
    }

    /// The path as pieces of text and the parameters between them.
    pub(super) fn path_pieces(&self) -> impl Iterator<Item = PathPiece<'_, 'a>> {
        self.path.split_inclusive(['{', '}']).map(|piece| match piece.strip_suffix('}') {
            None => PathPiece::Text(piece.trim_end_matches('{')),
            Some(name) => {
                let found = self.parameters_in(Place::Path).find(|it| it.name == name);
                PathPiece::Parameter(found.unwrap_or_else(|| panic!("{} does not declare {name}", self.id)))
            }
        })
    }

    /// The media types that the MCP endpoint must be asked for.
    pub(super) fn accept(&self) -> Option<&'static str> {
        (self.path == "/mcp").then_some("application/json, text/event-stream")
    }
}

/// A piece of a path.
pub(super) enum PathPiece<'r, 'a> {
    Text(&'a str),
    Parameter(&'r Parameter<'a>),
}

/// The value that a reference refers to; any other value itself.
pub(super) fn resolve<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    let pointer = value["$ref"].as_str().and_then(|it| it.strip_prefix('#'));
    pointer.map_or(value, |pointer| document.pointer(pointer).expect("references lead somewhere"))
}

/// The name of the schema that a reference refers to, also within a single-element combination.
pub(super) fn schema_name(value: &Value) -> Option<&str> {
    let inner = ["allOf", "oneOf"].iter().find_map(|it| value[it].get(0)).unwrap_or(value);
    inner["$ref"].as_str()?.strip_prefix("#/components/schemas/")
}

/// Required parameters are sent, and those without which a retry or the format of a file would be left to chance.
fn parameter<'a>(document: &'a Value, value: &'a Value) -> Option<Parameter<'a>> {
    let name = value["name"].as_str()?;
    let place = match value["in"].as_str()? {
        "path" => Place::Path,
        "query" => Place::Query,
        _ => Place::Header,
    };
    let is_key = name == "Idempotency-Key";
    let is_sent = value["required"] == true || is_key || name == "If-Match" || name == "format";
    let schema = resolve(document, &value["schema"]);
    let first = schema["enum"].get(0).and_then(Value::as_str);
    let source = first.map_or(Source::Variable, Source::Text);
    is_sent.then_some(Parameter {
        name,
        place,
        value: if is_key { Source::NewUuid } else { source },
        schema: &value["schema"],
    })
}

/// The body of the first media type with an example, and its schema.
fn body(content: &Map<String, Value>) -> (Body<'_>, &Value) {
    for (media, content) in content {
        let (example, schema) = (&content["example"], &content["schema"]);
        match (media.as_str(), example) {
            ("multipart/form-data", _) => {
                let parts = schema["properties"].as_object().into_iter().flatten();
                let file = parts
                    .into_iter()
                    .find(|(_, part)| part["format"] == "binary" || part["items"]["format"] == "binary");
                return (Body::File(file.expect("an upload has a file").0), schema);
            }
            ("application/x-www-form-urlencoded", Value::Object(fields)) => return (Body::Form(fields), schema),
            (media, example) if media.ends_with("json") && !example.is_null() => return (Body::Json(example), schema),
            _ => {}
        }
    }
    (Body::None, &Value::Null)
}

/// The successful response; `None` if it is a page only.
fn response<'a>(document: &'a Value, operation: &'a Value) -> Option<Response<'a>> {
    let responses = operation["responses"].as_object()?;
    let success = responses.iter().find(|(status, _)| status.starts_with('2')).map(|(_, it)| resolve(document, it))?;
    let Some(contents) = success["content"].as_object() else { return Some(Response::Empty) };
    let others: Vec<&String> = contents.keys().filter(|media| *media != "application/json").collect();
    match others[..] {
        [] => Some(Response::Json(schema_name(&contents["application/json"]["schema"]))),
        [only] if only == "text/html" && contents.len() == 1 => None,
        _ => Some(Response::File),
    }
}
