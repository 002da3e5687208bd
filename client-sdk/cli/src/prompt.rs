//! Questions to the person at the terminal.

use std::io::{self, BufRead as _, IsTerminal as _, Read as _, Write as _};

use anstyle::Style;

use crate::failure::Failure;
use crate::text;

/// No secret is longer, in bytes.
const LONGEST_SECRET: u64 = 64 << 10;

/// Whether there is a person to ask.
pub(crate) fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks a question that is answered with yes or no.
pub(crate) async fn confirm(question: &str, default: bool) -> Result<bool, Failure> {
    let bold = Style::new().bold();
    let choices = if default { "Y/n" } else { "y/N" };
    write!(anstream::stderr(), "{bold}{}{bold:#} [{choices}] ", text::clean(question))?;
    let (count, answer) = line().await?;
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

/// Asks a question that is answered with a line. Empty if the person ends the input.
pub(crate) async fn ask(question: &str) -> Result<String, Failure> {
    let bold = Style::new().bold();
    write!(anstream::stderr(), "{bold}{}{bold:#} ", text::clean(question))?;
    let (count, answer) = line().await?;
    if count == 0 {
        writeln!(anstream::stderr())?;
    }
    Ok(answer.trim().to_owned())
}

/// A line of standard input, with the number of its bytes.
async fn line() -> Result<(usize, String), Failure> {
    let read = tokio::task::spawn_blocking(|| {
        let mut answer = String::new();
        io::stdin().lock().read_line(&mut answer).map(|count| (count, answer))
    });
    Ok(read.await.map_err(io::Error::other)??)
}

/// Reads a secret: from the terminal, which does not show it, or all of standard input. Without white space around it.
pub(crate) async fn secret(question: &'static str) -> Result<String, Failure> {
    let read = tokio::task::spawn_blocking(move || {
        if io::stdin().is_terminal() {
            return rpassword::prompt_password(question);
        }
        let mut text = String::new();
        io::stdin().lock().take(LONGEST_SECRET).read_to_string(&mut text).map(|_| text)
    });
    Ok(read.await.map_err(io::Error::other)??.trim().to_owned())
}
