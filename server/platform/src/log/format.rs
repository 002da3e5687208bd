//! The format of log lines: tracing-subscriber's formats with the request id, and a faster path for access lines.
//!
//! The request id is written where the span `request` would be. It comes from the request's context, because a span for
//! each request costs as much as the rest of the log.

use std::cell::RefCell;
use std::fmt::{self, Write};
use std::time::{SystemTime, UNIX_EPOCH};

use chrono::DateTime;
use itinerary_api::request_state::{self, RequestState};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::fmt::format::{self, Format, Writer};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

use super::access;

/// For people: `TIME LEVEL request{id=…}: target: field=value …`.
pub(super) struct Text(Format<format::Full, ()>);

impl Default for Text {
    fn default() -> Self {
        Self(Format::default().without_time().with_level(false))
    }
}

impl<S, N> FormatEvent<S, N> for Text
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(&self, ctx: &FmtContext<'_, S, N>, mut writer: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        let meta = event.metadata();
        let (dim, bold, plain) =
            if writer.has_ansi_escapes() { ("\x1b[2m", "\x1b[1m", "\x1b[0m") } else { ("", "", "") };
        writer.write_str(dim)?;
        write_time(&mut writer)?;
        writer.write_str(plain)?;
        write_level(&mut writer, *meta.level())?;
        let request =
            |state: &RequestState| write!(writer, "{bold}request{{{plain}id={}{bold}}}{plain}: ", state.request_id());
        request_state::with(request).transpose()?;
        if access::is_access(meta) && !writer.has_ansi_escapes() {
            return access::write_text(&mut writer, event);
        }
        self.0.format_event(ctx, writer, event)
    }
}

fn write_level(writer: &mut Writer<'_>, level: Level) -> fmt::Result {
    let (name, colour) = match level {
        Level::ERROR => (" ERROR ", " \x1b[31mERROR\x1b[0m "),
        Level::WARN => ("  WARN ", " \x1b[33m WARN\x1b[0m "),
        Level::INFO => ("  INFO ", " \x1b[32m INFO\x1b[0m "),
        Level::DEBUG => (" DEBUG ", " \x1b[34mDEBUG\x1b[0m "),
        Level::TRACE => (" TRACE ", " \x1b[35mTRACE\x1b[0m "),
    };
    writer.write_str(if writer.has_ansi_escapes() { colour } else { name })
}

/// For programs: one JSON object per line, `{"timestamp", "level", "fields", "target", "span", "spans"}`.
pub(super) struct Json(Format<format::Json>);

impl Default for Json {
    fn default() -> Self {
        Self(Format::default().json().with_current_span(false).with_span_list(false))
    }
}

impl<S, N> FormatEvent<S, N> for Json
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(&self, ctx: &FmtContext<'_, S, N>, mut writer: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        if access::is_access(event.metadata()) {
            writer.write_str("{\"timestamp\":\"")?;
            write_time(&mut writer)?;
            writer.write_str("\",\"level\":\"INFO\",\"fields\":{")?;
            access::write_json(&mut writer, event)?;
            writer.write_str("},\"target\":\"access\"")?;
        } else {
            let mut line = String::new();
            self.0.format_event(ctx, Writer::new(&mut line), event)?;
            let line = line.trim_end();
            writer.write_str(line.strip_suffix('}').unwrap_or(line))?;
        }
        let span = request_state::with(|state| format!("{{\"id\":\"{}\",\"name\":\"request\"}}", state.request_id()));
        if let Some(span) = span {
            write!(writer, ",\"span\":{span},\"spans\":[{span}]")?;
        }
        writer.write_str("}\n")
    }
}

/// The second of a thread's last line, as text.
struct Second {
    number: u64,
    text: String,
}

thread_local! {
    static SECOND: RefCell<Second> = const { RefCell::new(Second { number: u64::MAX, text: String::new() }) };
}

/// Writes the time, such as `2026-11-22T07:30:00.123456Z`. Reuses the text of the current second.
#[expect(clippy::disallowed_methods, reason = "a line is dated by when it is written, in tests too")]
fn write_time(writer: &mut impl Write) -> fmt::Result {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    SECOND.with_borrow_mut(|second| {
        if second.number != now.as_secs() {
            let date = i64::try_from(now.as_secs()).ok().and_then(|number| DateTime::from_timestamp(number, 0));
            second.text = date.unwrap_or_default().format("%Y-%m-%dT%H:%M:%S").to_string();
            second.number = now.as_secs();
        }
        write!(writer, "{}.{:06}Z", second.text, now.subsec_micros())
    })
}
