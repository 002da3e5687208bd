//! Samples for TypeScript with openapi-fetch: calls of the client `api`, which the quickstart makes.

use super::literal::{TYPESCRIPT, is_identifier, text};
use super::request::{Body, Parameter, Place, Request, Response, Source};

/// One statement. Variables of the reader are variables of the names that the document has.
pub(super) fn sample(request: &Request<'_>) -> String {
    let mut options = Vec::new();
    let places = [("path", Place::Path), ("query", Place::Query), ("header", Place::Header)];
    let parameters: Vec<String> = places
        .into_iter()
        .filter_map(|(name, place)| {
            let pairs: Vec<_> = request.parameters_in(place).map(pair).collect();
            (!pairs.is_empty()).then(|| format!("{name}: {{ {} }}", pairs.join(", ")))
        })
        .collect();
    if !parameters.is_empty() {
        let line = format!("params: {{ {} }},", parameters.join(", "));
        let lines = || format!("params: {{\n    {},\n  }},", parameters.join(",\n    "));
        options.push(if line.len() <= 72 { line } else { lines() });
    }
    if let Some(media) = request.accept() {
        options.push(format!("headers: {{ Accept: {} }},", text(media)));
    }
    match &request.body {
        Body::None => {}
        Body::Json(example) => options.push(format!("body: {},", TYPESCRIPT.literal(example, 2))),
        Body::Form(fields) => {
            options.push("headers: { \"Content-Type\": \"application/x-www-form-urlencoded\" },".to_owned());
            let fields = serde_json::Value::Object((*fields).clone());
            options.push(format!("body: {},", TYPESCRIPT.literal(&fields, 2)));
        }
        Body::File(_) => options.push("body: form as never,".to_owned()),
    }
    if request.response == Response::File {
        options.push("parseAs: \"blob\",".to_owned());
    }
    let path = text(request.path);
    let call = if options.is_empty() {
        format!("api.{}({path})", request.method)
    } else {
        format!("api.{}({path}, {{\n  {}\n}})", request.method, options.join("\n  "))
    };
    let form = match request.body {
        Body::File(part) => format!("const form = new FormData();\nform.append({}, file);\n", text(part)),
        _ => String::new(),
    };
    let result = if request.response == Response::Empty { "{ error }" } else { "{ data, error }" };
    format!("{form}const {result} = await {call};")
}

/// A parameter in an object.
fn pair(parameter: &Parameter<'_>) -> String {
    let name = if is_identifier(parameter.name) { parameter.name.to_owned() } else { text(parameter.name) };
    match parameter.value {
        Source::Variable if parameter.name == "If-Match" => format!("{name}: etag"),
        Source::Variable => name,
        Source::NewUuid => format!("{name}: crypto.randomUUID()"),
        Source::Text(value) => format!("{name}: {}", text(value)),
    }
}
