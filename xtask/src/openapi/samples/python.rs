//! Samples for Python with httpx.

use super::BASE_URL;
use super::literal::{PYTHON, snake, text};
use super::request::{Body, Parameter, PathPiece, Place, Request, Response, Source};

/// Statements. Variables of the reader are Python variables.
pub(super) fn sample(request: &Request<'_>) -> String {
    let mut arguments = vec![url(request)];
    let query: Vec<_> = request.parameters_in(Place::Query).map(pair).collect();
    if !query.is_empty() {
        arguments.push(format!("params={{{}}}", query.join(", ")));
    }
    let headers = headers(request);
    if !headers.is_empty() {
        let line = format!("headers={{{}}}", headers.join(", "));
        let lines = || format!("headers={{\n        {},\n    }}", headers.join(",\n        "));
        arguments.push(if line.len() <= 72 { line } else { lines() });
    }
    match &request.body {
        Body::None => {}
        Body::Json(example) => arguments.push(format!("json={}", PYTHON.literal(example, 4))),
        Body::Form(fields) => {
            let fields = serde_json::Value::Object((*fields).clone());
            arguments.push(format!("data={}", PYTHON.literal(&fields, 4)));
        }
        Body::File(part) => arguments.push(format!("files={{{}: open(file, \"rb\")}}", text(part))),
    }
    let method = request.method.to_lowercase();
    let call = match &arguments[..] {
        [url] => format!("httpx.{method}({url})"),
        arguments => format!("httpx.{method}(\n    {},\n)", arguments.join(",\n    ")),
    };
    let has_key = request.parameters.iter().any(|it| it.value == Source::NewUuid);
    let imports = if has_key { "from uuid import uuid4\n\nimport httpx" } else { "import httpx" };
    let result = match request.response {
        Response::Empty => "",
        Response::Json(_) => "\nprint(response.json())",
        Response::File => "\nprint(response.content)",
    };
    format!("{imports}\n\nresponse = {call}\nresponse.raise_for_status(){result}")
}

fn url(request: &Request<'_>) -> String {
    let mut has_variable = false;
    let path: String = request
        .path_pieces()
        .map(|piece| match piece {
            PathPiece::Text(text) => text.to_owned(),
            PathPiece::Parameter(Parameter { value: Source::Text(text), .. }) => (*text).to_owned(),
            PathPiece::Parameter(parameter) => {
                has_variable = true;
                format!("{{{}}}", variable(parameter.name))
            }
        })
        .collect();
    format!("{}\"{BASE_URL}{path}\"", if has_variable { "f" } else { "" })
}

fn headers(request: &Request<'_>) -> Vec<String> {
    let token = request.needs_token.then(|| r#""Authorization": f"Bearer {token}""#.to_owned());
    let accept = request.accept().map(|media| format!(r#""Accept": {}"#, text(media)));
    token.into_iter().chain(accept).chain(request.parameters_in(Place::Header).map(pair)).collect()
}

/// A parameter in a dictionary.
fn pair(parameter: &Parameter<'_>) -> String {
    let value = match parameter.value {
        Source::NewUuid => "str(uuid4())".to_owned(),
        Source::Text(value) => text(value),
        Source::Variable => variable(parameter.name),
    };
    format!("{}: {value}", text(parameter.name))
}

/// The variable of a parameter. `id` is a function in Python.
fn variable(name: &str) -> String {
    match name {
        "id" => "itinerary_id".to_owned(),
        "If-Match" => "etag".to_owned(),
        name => snake(name),
    }
}
