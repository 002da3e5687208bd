//! Forwards dropshot's log lines from WARN up to the server's log. The request pipeline writes the access lines.

use slog::{Drain, KV, Level, Never, OwnedKVList, Record};

pub(crate) fn slog_to_tracing() -> slog::Logger {
    slog::Logger::root(ToTracing.filter_level(Level::Warning).fuse(), slog::o!())
}

struct ToTracing;

impl Drain for ToTracing {
    type Ok = ();
    type Err = Never;

    fn log(&self, record: &Record<'_>, values: &OwnedKVList) -> Result<(), Never> {
        let mut text = Values(String::new());
        // Writing to a string cannot fail.
        let _ = record.kv().serialize(record, &mut text);
        let _ = values.serialize(record, &mut text);
        let (message, values) = (record.msg(), text.0.trim_end());
        if record.level().is_at_least(Level::Error) {
            tracing::error!(target: "dropshot", %message, values);
        } else {
            tracing::warn!(target: "dropshot", %message, values);
        }
        Ok(())
    }
}

struct Values(String);

/// What dropshot says about requests and clients.
const PERSONAL: [&str; 4] = ["remote_addr", "uri", "req_id", "user_agent"];

impl slog::Serializer for Values {
    fn emit_arguments(&mut self, key: slog::Key, value: &std::fmt::Arguments<'_>) -> slog::Result {
        use std::fmt::Write;
        if PERSONAL.contains(&AsRef::<str>::as_ref(&key)) {
            return Ok(());
        }
        write!(self.0, "{key}={value} ").map_err(|_| slog::Error::Other)
    }
}
