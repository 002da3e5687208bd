//! Collects log lines and writes many with one system call.
//!
//! A line is written within [`DELAY`]. A warning, an error or a full buffer writes everything at once; the caller
//! waits, so that no line is lost and memory stays bounded. A process that is killed loses the lines of the last
//! moment. One that stops or panics loses none.

use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use tracing::{Level, Metadata};
use tracing_subscriber::fmt::MakeWriter;

/// The longest time until a line is written.
const DELAY: Duration = Duration::from_millis(50);
/// The size of the buffer, in bytes.
const FULL: usize = 64 * 1024;

/// Lines that wait to be written to a sink.
pub(super) struct LogLines<W> {
    gathered: Mutex<Gathered<W>>,
    arrived: Condvar,
}

struct Gathered<W> {
    bytes: Vec<u8>,
    sink: W,
    closed: bool,
}

impl<W: Write> LogLines<W> {
    pub(super) fn new(sink: W) -> Self {
        let gathered = Gathered { bytes: Vec::with_capacity(FULL), sink, closed: false };
        Self { gathered: Mutex::new(gathered), arrived: Condvar::new() }
    }

    fn add(&self, line: &[u8], at_once: bool) {
        let mut gathered = self.lock();
        let first = gathered.bytes.is_empty();
        if gathered.bytes.len() + line.len() > FULL {
            gathered.write();
        }
        gathered.bytes.extend_from_slice(line);
        if at_once || gathered.closed {
            gathered.write();
        } else if first {
            self.arrived.notify_one();
        }
    }

    pub(super) fn write_now(&self) {
        self.lock().write();
    }

    /// Writes the collected lines. Every later line is written at once, because nothing else will write it.
    pub(super) fn close(&self) {
        let mut gathered = self.lock();
        gathered.closed = true;
        gathered.write();
    }

    /// Writes collected lines periodically. Sleeps while there are none.
    pub(super) fn keep_writing(&self) {
        loop {
            let nothing = |gathered: &mut Gathered<W>| gathered.bytes.is_empty();
            drop(self.arrived.wait_while(self.lock(), nothing).unwrap_or_else(PoisonError::into_inner));
            thread::sleep(DELAY);
            self.write_now();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Gathered<W>> {
        self.gathered.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<W: Write> Gathered<W> {
    fn write(&mut self) {
        // There is nowhere to report that the log cannot be written.
        let _ = self.sink.write_all(&self.bytes).and_then(|()| self.sink.flush());
        self.bytes.clear();
    }
}

/// Makes a writer for each line, as the formatter requires.
pub(super) struct ToLines<W>(pub(super) Arc<LogLines<W>>);

impl<'a, W: Write + 'a> MakeWriter<'a> for ToLines<W> {
    type Writer = LogLine<'a, W>;

    fn make_writer(&'a self) -> Self::Writer {
        LogLine { lines: &self.0, at_once: true }
    }

    fn make_writer_for(&'a self, meta: &Metadata<'_>) -> Self::Writer {
        LogLine { lines: &self.0, at_once: *meta.level() <= Level::WARN }
    }
}

/// The writer of one line.
pub(super) struct LogLine<'a, W> {
    lines: &'a LogLines<W>,
    at_once: bool,
}

impl<W: Write> Write for LogLine<'_, W> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.lines.add(line, self.at_once);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sink that records each write.
    #[derive(Clone, Default)]
    struct Writes(Arc<Mutex<Vec<String>>>);

    impl Writes {
        fn seen(&self) -> Vec<String> {
            self.0.lock().expect("no panic").clone()
        }
    }

    impl Write for Writes {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if !bytes.is_empty() {
                self.0.lock().expect("no panic").push(String::from_utf8_lossy(bytes).into_owned());
            }
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn lines() -> (LogLines<Writes>, Writes) {
        let writes = Writes::default();
        (LogLines::new(writes.clone()), writes)
    }

    #[test]
    fn lines_wait_for_others_and_errors_for_nobody() {
        let (lines, writes) = lines();
        lines.add(b"one\n", false);
        lines.add(b"two\n", false);
        assert_eq!(writes.seen(), Vec::<String>::new());
        lines.add(b"three\n", true);
        assert_eq!(writes.seen(), ["one\ntwo\nthree\n"]);
    }

    #[test]
    fn a_full_buffer_is_written_and_no_line_is_lost() {
        let (lines, writes) = lines();
        let line = "x".repeat(999) + "\n";
        for _ in 0..1_000 {
            lines.add(line.as_bytes(), false);
        }
        lines.add("y".repeat(2 * FULL).as_bytes(), false);
        lines.close();
        let seen = writes.seen();
        assert!(seen.iter().all(|write| write.len() <= FULL || write.starts_with('y')));
        assert_eq!(seen.concat().len(), 1_000 * line.len() + 2 * FULL);
    }

    #[test]
    fn a_closed_log_writes_each_line() {
        let (lines, writes) = lines();
        lines.close();
        lines.add(b"late\n", false);
        assert_eq!(writes.seen(), ["late\n"]);
    }

    #[test]
    fn a_line_that_nothing_follows_is_written_soon() {
        let (lines, writes) = lines();
        let lines = Arc::new(lines);
        let keeper = Arc::clone(&lines);
        thread::spawn(move || keeper.keep_writing());
        for line in ["one\n", "two\n"] {
            lines.add(line.as_bytes(), false);
            while writes.seen().last().is_none_or(|write| write != line) {
                thread::sleep(Duration::from_millis(1));
            }
        }
    }
}
