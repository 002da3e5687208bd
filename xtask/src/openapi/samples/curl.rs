//! Samples for curl in a POSIX shell.

use super::BASE_URL;
use super::literal::{JSON, snake};
use super::request::{Body, Parameter, PathPiece, Place, Request, Response, Source};

/// The command. Variables of the reader are shell variables.
pub(super) fn sample(request: &Request<'_>) -> String {
    let method = if request.method == "GET" { String::new() } else { format!("-X {} ", request.method) };
    let mut parts = vec![format!("curl {method}\"{}\"", url(request))];
    if request.needs_token {
        parts.push(r#"-H "Authorization: Bearer $TOKEN""#.to_owned());
    }
    if let Some(media) = request.accept() {
        parts.push(format!("-H {}", quoted(&format!("Accept: {media}"))));
    }
    parts.extend(request.parameters_in(Place::Header).map(|it| format!(r#"-H "{}: {}""#, it.name, value(it))));
    match &request.body {
        Body::None => {}
        Body::Json(example) => {
            parts.push("-H 'Content-Type: application/json'".to_owned());
            parts.push(format!("-d {}", quoted(&JSON.literal(example, 2))));
        }
        Body::Form(fields) => parts.extend(fields.iter().map(|(name, value)| {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            format!("--data-urlencode {}", quoted(&format!("{name}={value}")))
        })),
        Body::File(part) => parts.push(format!(r#"-F "{part}=@$FILE""#)),
    }
    if request.response == Response::File {
        parts.push(r#"-o "$FILE""#.to_owned());
    }
    parts.join(" \\\n  ")
}

fn url(request: &Request<'_>) -> String {
    let path: String = request
        .path_pieces()
        .map(|piece| match piece {
            PathPiece::Text(text) => text.to_owned(),
            PathPiece::Parameter(parameter) => value(parameter),
        })
        .collect();
    let query: Vec<_> = request.parameters_in(Place::Query).map(|it| format!("{}={}", it.name, value(it))).collect();
    let mark = if query.is_empty() { "" } else { "?" };
    format!("{BASE_URL}{path}{mark}{}", query.join("&"))
}

/// The value of a parameter within double quotes.
fn value(parameter: &Parameter<'_>) -> String {
    match parameter.value {
        Source::NewUuid => "$(uuidgen)".to_owned(),
        Source::Text(text) => text.to_owned(),
        Source::Variable if parameter.name == "If-Match" => "$ETAG".to_owned(),
        Source::Variable => format!("${}", snake(parameter.name).to_uppercase()),
    }
}

/// Text in single quotes for the shell.
pub(super) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}
