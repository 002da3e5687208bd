//! What commands print. Styles are removed where they do not belong: without a terminal, and with `NO_COLOR`.

use std::io::{self, IsTerminal as _, Write as _};

use anstyle::{AnsiColor, Style};
use serde::Serialize;

use crate::arguments::Global;
use crate::failure::Failure;
use crate::{json, text};

/// Lines longer than this are hard to read.
const WIDEST: usize = 110;
/// Narrower terminals cannot show a table.
const NARROWEST: usize = 40;

pub(crate) const TITLE: Style = Style::new().bold();
pub(crate) const DIM: Style = Style::new().dimmed();

/// A colour of the terminal's own palette, so that it is legible on dark and light backgrounds.
pub(crate) const fn colour(colour: AnsiColor) -> Style {
    Style::new().fg_color(Some(anstyle::Color::Ansi(colour)))
}

/// How much a command prints, and how.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Output {
    pub(crate) json: bool,
    pub(crate) quiet: bool,
    /// The width to lay out text for; `None` if standard output is not a terminal.
    pub(crate) width: Option<usize>,
}

impl Output {
    pub(crate) fn new(global: &Global) -> Self {
        Self { json: global.json, quiet: global.quiet, width: width() }
    }

    /// Prints text with styles.
    #[expect(clippy::unused_self, reason = "like the other ways to print")]
    pub(crate) fn print(self, text: &str) -> Result<(), Failure> {
        let mut stdout = anstream::stdout().lock();
        stdout.write_all(text.as_bytes())?;
        Ok(stdout.flush()?)
    }

    /// Prints one line for people, except with `--json` or `--quiet`.
    pub(crate) fn say(self, text: &str) -> Result<(), Failure> {
        if self.json || self.quiet { Ok(()) } else { self.print(&format!("{text}\n")) }
    }

    /// Prints a warning on standard error, except with `--quiet`.
    pub(crate) fn warn(self, text: &str) {
        if !self.quiet {
            let yellow = colour(AnsiColor::Yellow);
            // If standard error is closed, nobody can be warned.
            let _ = writeln!(anstream::stderr(), "{yellow}note:{yellow:#} {}", text::clean(text));
        }
    }

    /// Prints the service's JSON on one line.
    pub(crate) fn raw(self, raw: &str) -> Result<(), Failure> {
        self.print(&format!("{}\n", json::one_line(raw)))
    }

    /// Prints a value of the API as JSON on one line.
    pub(crate) fn value(self, value: &impl Serialize) -> Result<(), Failure> {
        self.raw(&serde_json::to_string(value).map_err(io::Error::from)?)
    }

    /// Prints the outcome of a command: JSON, an id with `--quiet`, or a line.
    pub(crate) fn outcome(self, value: &impl Serialize, id: &str, line: &str) -> Result<(), Failure> {
        self.answer(&serde_json::to_string(value).map_err(io::Error::from)?, id, line)
    }

    /// The same with the service's JSON.
    pub(crate) fn answer(self, raw: &str, id: &str, line: &str) -> Result<(), Failure> {
        match self {
            Self { json: true, .. } => self.raw(raw),
            Self { quiet: true, .. } => self.print(&format!("{id}\n")),
            _ => self.print(&format!("{line}\n")),
        }
    }
}

fn width() -> Option<usize> {
    if !io::stdout().is_terminal() {
        return None;
    }
    let columns = terminal_size::terminal_size().map_or(80, |(width, _)| usize::from(width.0));
    Some(columns.clamp(NARROWEST, WIDEST))
}
