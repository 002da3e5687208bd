//! Sample requests of each operation in four languages, as `x-codeSamples`: curl, the Rust SDK, TypeScript with
//! openapi-fetch, and Python with httpx.
//!
//! Made from the document: the parameters that an operation requires, and the recorded example of its body. Values that a
//! reader must fill in are variables. `tests/clients/run` sends the samples to a server and compares the requests; those in
//! Rust are the documentation tests of the SDK.

mod curl;
mod literal;
mod python;
mod request;
pub(crate) mod rust;
mod typescript;

use serde_json::{Value, json};

use request::Request;

/// The field of an operation with its samples, which Redoc and others show.
pub(crate) const FIELD: &str = "x-codeSamples";

/// The server's address in samples, which a server replaces by its own.
const BASE_URL: &str = "http://127.0.0.1:8080";

/// The name of Rust in the field `lang`.
pub(crate) const RUST: &str = "Rust";

/// Adds samples to each operation that programs call. Pages for browsers have none.
pub(super) fn add(document: &mut Value) {
    let whole = document.clone();
    for (method, path) in operations(&whole) {
        if let Some(request) = Request::new(&whole, method, path) {
            document["paths"][path][method][FIELD] = samples(&request);
        }
    }
}

/// The method and the path of each operation.
pub(crate) fn operations(document: &Value) -> impl Iterator<Item = (&str, &str)> {
    let paths = document["paths"].as_object().into_iter().flatten();
    paths.flat_map(|(path, item)| item.as_object().into_iter().flatten().map(move |(method, _)| (&**method, &**path)))
}

fn samples(request: &Request<'_>) -> Value {
    let sample = |lang: &str, label: &str, source: String| json!({ "lang": lang, "label": label, "source": source });
    json!([
        sample("Shell", "curl", curl::sample(request)),
        sample(RUST, "Rust", rust::sample(request)),
        sample("TypeScript", "TypeScript", typescript::sample(request)),
        sample("Python", "Python", python::sample(request)),
    ])
}

#[cfg(test)]
mod tests;
