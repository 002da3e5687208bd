//! Questions to the person at the terminal.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};

use anstyle::Style;

use crate::failure::Failure;
use crate::text;

/// Whether there is a person to ask.
pub(crate) fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks a question that is answered with yes or no.
pub(crate) async fn confirm(question: &str, default: bool) -> Result<bool, Failure> {
    let bold = Style::new().bold();
    let choices = if default { "Y/n" } else { "y/N" };
    write!(anstream::stderr(), "{bold}{}{bold:#} [{choices}] ", text::clean(question))?;
    let read = tokio::task::spawn_blocking(|| {
        let mut answer = String::new();
        io::stdin().lock().read_line(&mut answer).map(|count| (count, answer))
    });
    let (count, answer) = read.await.map_err(io::Error::other)??;
    if count == 0 {
        // The line of the question is still open.
        writeln!(anstream::stderr())?;
        return Ok(false);
    }
    Ok(match answer.trim().to_lowercase().as_str() {
        "" => default,
        answer => matches!(answer, "y" | "yes"),
    })
}
