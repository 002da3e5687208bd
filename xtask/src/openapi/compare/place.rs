//! The location of a difference in an operation, and its text.

use super::Break;
use super::schema::Schema;

/// Decides which way a change breaks clients: a request that accepts less, or a response that may contain more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Request,
    Response,
}

#[derive(Clone)]
pub(super) struct Place {
    operation: String,
    pub(super) side: Side,
    /// What the place is called: `request` or `200 response` of a body, `query parameter limit`, or nothing.
    name: String,
    /// Whether the place is a body or in one.
    body: bool,
    /// The path of the field from there, such as `.days[].title`.
    path: String,
    /// The innermost named schema, and the path from there.
    shared: Option<(String, String)>,
}

impl Place {
    /// The operation itself.
    pub(super) fn operation(operation: &str) -> Self {
        Self::part(operation, Side::Request, "")
    }

    /// A parameter, a header or a response.
    pub(super) fn part(operation: &str, side: Side, name: &str) -> Self {
        let (operation, name) = (operation.to_owned(), name.to_owned());
        Self { operation, side, name, body: false, path: String::new(), shared: None }
    }

    /// The body of the request or of a response.
    pub(super) fn body(operation: &str, side: Side, name: &str) -> Self {
        Self { body: true, ..Self::part(operation, side, name) }
    }

    pub(super) fn field(&self, name: &str) -> Self {
        self.step(&format!(".{name}"))
    }

    pub(super) fn items(&self) -> Self {
        self.step("[]")
    }

    /// The values of fields with any name.
    pub(super) fn values(&self) -> Self {
        self.step("{}")
    }

    fn step(&self, step: &str) -> Self {
        let shared = self.shared.clone().map(|(schema, path)| (schema, path + step));
        Self { path: format!("{}{step}", self.path), shared, ..self.clone() }
    }

    /// The same place as the root of a schema, if the schema has a name. The name is that of the old document, which no
    /// longer changes. If the same schema has different successors, the lines differ.
    pub(super) fn within(&self, old: &Schema<'_>, new: &Schema<'_>) -> Self {
        let Some(name) = old.name else { return self.clone() };
        let successor = match new.name {
            Some(new) if new == name => String::new(),
            Some(new) => format!(" (now {new})"),
            None => " (now inline)".to_owned(),
        };
        let side = if self.side == Side::Request { "requests" } else { "responses" };
        Self { shared: Some((format!("{name}{successor} in {side}"), String::new())), ..self.clone() }
    }

    pub(super) fn broken(&self, what: &str) -> Break {
        let Self { operation, name, path, .. } = self;
        let place = match (self.body, field(path)) {
            (true, "") => format!("{name} body "),
            (true, path) => format!("{name} field {path} "),
            (false, _) if name.is_empty() => String::new(),
            (false, _) => format!("{name}{path} "),
        };
        let shared = self.shared.as_ref().map(|(schema, path)| match field(path) {
            "" => format!("{schema}: {what}"),
            path => format!("{schema}: field {path} {what}"),
        });
        Break { line: format!("{operation}: {place}{what}"), shared }
    }
}

fn field(path: &str) -> &str {
    path.strip_prefix('.').unwrap_or(path)
}
