//! Access lines. There is one for each request, so their fields are written directly into the line.

use std::fmt::{self, Debug};

use tracing::field::{Field, Visit};
use tracing::{Event, Metadata};
use tracing_subscriber::fmt::format::Writer;

/// Whether the event is the request pipeline's access line.
pub(super) fn is_access(meta: &Metadata<'_>) -> bool {
    meta.target() == "access"
}

pub(super) fn write_text(writer: &mut Writer<'_>, event: &Event<'_>) -> fmt::Result {
    writer.write_str("access:")?;
    let mut fields = TextVisitor { writer, outcome: Ok(()) };
    event.record(&mut fields);
    fields.outcome?;
    writer.write_char('\n')
}

struct TextVisitor<'a, 'w> {
    writer: &'a mut Writer<'w>,
    outcome: fmt::Result,
}

impl TextVisitor<'_, '_> {
    fn write(&mut self, field: &Field, value: fmt::Arguments<'_>) {
        let mut written = || {
            self.writer.write_char(' ')?;
            self.writer.write_str(field.name())?;
            self.writer.write_char('=')?;
            self.writer.write_fmt(value)
        };
        self.outcome = self.outcome.and_then(|()| written());
    }
}

impl Visit for TextVisitor<'_, '_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            // Neither can contain a space.
            "method" | "path" => self.write(field, format_args!("{value}")),
            _ => self.write(field, format_args!("{value:?}")),
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.write(field, format_args!("{value:?}"));
    }
}

pub(super) fn write_json(writer: &mut Writer<'_>, event: &Event<'_>) -> fmt::Result {
    let mut fields = JsonVisitor { writer, comma: "", outcome: Ok(()) };
    event.record(&mut fields);
    fields.outcome
}

struct JsonVisitor<'a, 'w> {
    writer: &'a mut Writer<'w>,
    comma: &'static str,
    outcome: fmt::Result,
}

impl JsonVisitor<'_, '_> {
    fn write(&mut self, field: &Field, value: &str) {
        let mut written = || write!(self.writer, "{}\"{}\":{value}", self.comma, field.name());
        self.outcome = self.outcome.and_then(|()| written());
        self.comma = ",";
    }
}

impl Visit for JsonVisitor<'_, '_> {
    fn record_u64(&mut self, field: &Field, value: u64) {
        self.write(field, &value.to_string());
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.write(field, &serde_json::Value::from(value).to_string());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.record_str(field, &format!("{value:?}"));
    }
}
