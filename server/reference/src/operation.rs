//! The page of an operation.

use askama::Template;
use serde_json::Value;

use crate::document::{ApiDocument, DocumentedOperation, code_text, list, members, schema_name, string};
use crate::fields::{Field, FieldRows, ValueKind, fields, kind, shown};
use crate::{Facts, IndexEntry, Limit, PageFrame, SignIn, Tag, text};

/// Headers that nearly all responses have. The overview describes them.
const COMMON_HEADERS: [&str; 6] = [
    "RateLimit-Limit",
    "RateLimit-Policy",
    "RateLimit-Remaining",
    "RateLimit-Reset",
    "Service-Itinerary-Shape",
    "X-Request-Id",
];

/// An operation of the document. Texts named `about` are HTML.
pub(crate) struct Operation {
    pub(crate) entry: IndexEntry,
    pub(crate) tag_anchor: String,
    pub(crate) about: String,
    pub(crate) needs_token: bool,
    pub(crate) scope: Option<String>,
    pub(crate) limit: Option<Limit>,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) body: Option<Body>,
    /// Responses without an error.
    pub(crate) responses: Vec<Response>,
    pub(crate) errors: Vec<Problem>,
    /// Sample requests; none for a page, which a browser opens.
    pub(crate) samples: Vec<CodeSample>,
    is_page: bool,
    /// The schemas that its requests and responses refer to.
    pub(crate) schemas: Vec<String>,
}

/// A sample request in one language.
pub(crate) struct CodeSample {
    /// The language or program.
    pub(crate) label: String,
    pub(crate) source: String,
}

pub(crate) struct Parameter {
    pub(crate) name: String,
    /// `path`, `query` or `header`.
    pub(crate) place: String,
    pub(crate) required: bool,
    pub(crate) kind: ValueKind,
    pub(crate) about: String,
    pub(crate) example: Option<String>,
}

impl Parameter {
    /// The value that the form begins with. The script fills in headers.
    fn initial(&self) -> &str {
        match self.name.as_str() {
            "Service-Itinerary-Shape" | "Idempotency-Key" | "If-Match" | "If-None-Match" => "",
            _ if self.required && self.place == "query" => self.example.as_deref().unwrap_or_default(),
            _ => "",
        }
    }

    fn is_boolean(&self) -> bool {
        self.kind.words == "boolean"
    }
}

/// A request body.
pub(crate) struct Body {
    pub(crate) required: bool,
    /// At least one.
    pub(crate) contents: Vec<MediaContent>,
}

impl Body {
    /// The content that the form sends.
    fn first(&self) -> &MediaContent {
        &self.contents[0]
    }
}

/// How a body is written.
pub(crate) enum BodyForm {
    Json,
    /// A URL-encoded form with the pairs of its example.
    Pairs(Vec<(String, String)>),
    Multipart(Vec<FormField>),
    File,
}

pub(crate) struct FormField {
    pub(crate) name: String,
    pub(crate) required: bool,
    pub(crate) is_file: bool,
    /// Whether its value is JSON.
    pub(crate) is_json: bool,
}

/// A body of one media type.
pub(crate) struct MediaContent {
    pub(crate) media: String,
    pub(crate) kind: ValueKind,
    pub(crate) fields: Vec<Field>,
    pub(crate) example: Option<String>,
    pub(crate) form: BodyForm,
}

impl MediaContent {
    fn rows(&self) -> FieldRows<'_> {
        FieldRows { fields: &self.fields }
    }

    fn is_json(&self) -> bool {
        matches!(self.form, BodyForm::Json)
    }

    fn pairs(&self) -> &[(String, String)] {
        if let BodyForm::Pairs(pairs) = &self.form { pairs } else { &[] }
    }

    fn multipart(&self) -> &[FormField] {
        if let BodyForm::Multipart(fields) = &self.form { fields } else { &[] }
    }

    /// The example's number of lines, for the height of a text field.
    fn height(&self) -> usize {
        self.example.as_deref().map_or(4, |example| example.lines().count()).clamp(4, 18)
    }
}

/// A response without an error.
pub(crate) struct Response {
    pub(crate) status: String,
    pub(crate) about: String,
    /// Names and descriptions of headers that not all responses have.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) contents: Vec<MediaContent>,
}

/// An error response.
pub(crate) struct Problem {
    pub(crate) status: String,
    /// Codes with descriptions; without codes, one description without a code.
    pub(crate) codes: Vec<(String, String)>,
    /// Names and examples.
    pub(crate) examples: Vec<(String, String)>,
}

#[derive(Template)]
#[template(path = "operation.html")]
pub(crate) struct OperationPage<'a> {
    pub(crate) frame: PageFrame,
    pub(crate) tags: &'a [Tag],
    pub(crate) current: &'a str,
    pub(crate) operation: &'a Operation,
    pub(crate) sign_in: Option<SignIn>,
}

impl OperationPage<'_> {
    fn has(&self, place: &str) -> bool {
        self.operation.parameters.iter().any(|it| it.place == place)
    }

    fn parameters(&self, place: &str) -> Vec<&Parameter> {
        self.operation.parameters.iter().filter(|it| it.place == place).collect()
    }
}

impl Operation {
    pub(crate) fn read(document: &ApiDocument<'_>, found: &DocumentedOperation<'_>, facts: &Facts<'_>) -> Self {
        let value = found.value;
        let id = string(&value["operationId"]).to_owned();
        let tag = list(&value["tags"]).first().map(string).unwrap_or_default().to_owned();
        let (needs_token, scope) = security(value);
        let parameters: Vec<Parameter> =
            list(&value["parameters"]).iter().map(|it| parameter(document, document.resolve(it))).collect();
        let body = body(document, &value["requestBody"]);
        let by_status: Vec<(&String, &Value)> =
            members(&value["responses"]).map(|(status, it)| (status, document.resolve(it))).collect();
        let is_error = |status: &str| status.starts_with(['4', '5']);
        let responses: Vec<Response> = by_status
            .iter()
            .filter(|(status, _)| !is_error(status))
            .map(|(status, it)| response(document, status, it))
            .collect();
        let errors = by_status
            .iter()
            .filter(|(status, _)| is_error(status))
            .map(|(status, it)| problem(document, status, it))
            .collect();
        let limit = (facts.limit_of)(&id);
        let entry = IndexEntry {
            id,
            method: found.method.to_uppercase(),
            path: found.path.to_owned(),
            summary: string(&value["summary"]).to_owned(),
            tag,
            is_deprecated: value["deprecated"] == true,
        };
        let media = |wanted: fn(&str) -> bool| responses.iter().flat_map(|it| &it.contents).any(|it| wanted(&it.media));
        let is_page = media(|media| media == "text/html") && !media(|media| media != "text/html");
        Self {
            tag_anchor: entry.tag.to_lowercase().replace(' ', "-"),
            about: text::paragraphs(string(&value["description"])),
            needs_token,
            scope,
            limit,
            schemas: schemas(value),
            entry,
            parameters,
            body,
            responses,
            errors,
            samples: list(&value["x-codeSamples"]).iter().map(sample).collect(),
            is_page,
        }
    }

    /// Whether the page can send requests. Not for pages that a browser opens.
    fn can_be_tried(&self) -> bool {
        !self.is_page
    }
}

/// Whether a token is required, and its scope.
fn security(operation: &Value) -> (bool, Option<String>) {
    let needed = list(&operation["security"]).iter().find_map(|it| it["oauth2"].as_array());
    let scope = needed.and_then(|scopes| scopes.first()).map(|scope| string(scope).to_owned());
    (needed.is_some(), scope)
}

fn parameter<'a>(document: &ApiDocument<'a>, value: &'a Value) -> Parameter {
    Parameter {
        name: string(&value["name"]).to_owned(),
        place: string(&value["in"]).to_owned(),
        required: value["required"] == true,
        kind: kind(document, &value["schema"]),
        about: text::inline(string(&value["description"])),
        example: example(value, &value["schema"]),
    }
}

fn sample(value: &Value) -> CodeSample {
    CodeSample { label: string(&value["label"]).to_owned(), source: string(&value["source"]).to_owned() }
}

/// The example of a parameter: its own, or one for its format.
fn example(parameter: &Value, schema: &Value) -> Option<String> {
    let own = parameter.get("example").or_else(|| schema.get("example")).map(shown);
    own.filter(|example| !example.is_empty() && string(&parameter["in"]) != "path")
}

/// The pairs of a form's example.
fn pairs(example: &Value) -> Vec<(String, String)> {
    members(example).map(|(name, value)| (name.clone(), shown(value))).collect()
}

/// An example as indented JSON.
fn pretty(example: &Value) -> String {
    serde_json::to_string_pretty(example).expect("a value serialises")
}

fn body<'a>(document: &ApiDocument<'a>, value: &'a Value) -> Option<Body> {
    let value = document.resolve(value);
    let contents: Vec<MediaContent> =
        members(&value["content"]).map(|(media, it)| content(document, media, it, true)).collect();
    (!contents.is_empty()).then(|| Body { required: value["required"] == true, contents })
}

/// `whole`: with fields of fields. Responses have the fields of their first level, because most of them are itineraries.
fn content<'a>(document: &ApiDocument<'a>, media: &str, value: &'a Value, whole: bool) -> MediaContent {
    let schema = &value["schema"];
    let mut fields = fields(document, schema, &[]);
    if !whole {
        for field in &mut fields {
            field.inside = Vec::new();
        }
    }
    let form = match media {
        "application/x-www-form-urlencoded" => BodyForm::Pairs(pairs(&value["example"])),
        "multipart/form-data" => BodyForm::Multipart(
            fields
                .iter()
                .map(|it| FormField {
                    name: it.name.clone(),
                    required: it.required,
                    is_file: it.kind.words == "file",
                    is_json: it.kind.words == "object",
                })
                .collect(),
        ),
        media if media.ends_with("json") => BodyForm::Json,
        _ => BodyForm::File,
    };
    let example = value.get("example").filter(|_| matches!(form, BodyForm::Json)).map(pretty);
    MediaContent { media: media.to_owned(), kind: kind(document, schema), fields, example, form }
}

fn response<'a>(document: &ApiDocument<'a>, status: &str, value: &'a Value) -> Response {
    Response {
        status: status.to_owned(),
        about: text::paragraphs(string(&value["description"])),
        headers: headers(document, value),
        contents: members(&value["content"]).map(|(media, it)| content(document, media, it, false)).collect(),
    }
}

fn headers<'a>(document: &ApiDocument<'a>, response: &'a Value) -> Vec<(String, String)> {
    members(&response["headers"])
        .filter(|(name, _)| !COMMON_HEADERS.contains(&name.as_str()))
        .map(|(name, header)| (name.clone(), text::inline(string(&document.resolve(header)["description"]))))
        .collect()
}

fn problem<'a>(document: &ApiDocument<'a>, status: &str, value: &'a Value) -> Problem {
    let about = string(&value["description"]);
    let mut codes: Vec<(String, String)> = list(&value["x-error-codes"])
        .iter()
        .map(string)
        .map(|code| (code.to_owned(), text::inline(&code_text(about, code))))
        .collect();
    if codes.is_empty() {
        codes.push((String::new(), text::paragraphs(about)));
    }
    let examples = members(&value["content"]).flat_map(|(_, content)| {
        let one = content.get("example").map(|it| (String::new(), pretty(it)));
        one.into_iter().chain(
            members(&content["examples"]).map(|(name, it)| (name.clone(), pretty(&document.resolve(it)["value"]))),
        )
    });
    Problem { status: status.to_owned(), codes, examples: examples.collect() }
}

/// The schemas that a value refers to, wherever in it.
fn schemas(value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = vec![value];
    while let Some(value) = rest.pop() {
        if let Some(name) = schema_name(value) {
            found.push(name.to_owned());
        }
        match value {
            Value::Array(items) => rest.extend(items),
            Value::Object(members) => rest.extend(members.values()),
            _ => {}
        }
    }
    found.sort();
    found.dedup();
    found
}
