//! Runs the person's editor.

use std::env;
use std::io::{self, IsTerminal as _};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::failure::{Exit, Failure};

/// Whether an editor has the terminal, and Ctrl-C with it.
static RUNNING: AtomicBool = AtomicBool::new(false);

pub(crate) fn is_running() -> bool {
    RUNNING.load(Ordering::SeqCst)
}

/// The editor: `$VISUAL`, `$EDITOR` or, in a terminal, the system's usual one.
pub(crate) fn name() -> Result<String, Failure> {
    let named = ["VISUAL", "EDITOR"].iter().find_map(|name| env::var(name).ok().filter(|it| !it.trim().is_empty()));
    match named {
        Some(editor) => Ok(editor),
        None if cfg!(windows) => Ok("notepad".to_owned()),
        None if io::stdin().is_terminal() && io::stdout().is_terminal() => Ok("vi".to_owned()),
        None => Err(Failure::usage("there is no terminal for an editor: set VISUAL or EDITOR")),
    }
}

/// Opens a file in the editor, and waits until it is closed.
pub(crate) async fn edit(path: &Path) -> Result<(), Failure> {
    let editor = name()?;
    let mut command = command(&editor, path);
    RUNNING.store(true, Ordering::SeqCst);
    let status = tokio::task::spawn_blocking(move || command.status()).await;
    RUNNING.store(false, Ordering::SeqCst);
    match status.map_err(io::Error::other)? {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Failure::new(Exit::Failure, format!("the editor `{editor}` failed with {status}"))),
        Err(error) => Err(Failure::new(Exit::Failure, format!("cannot run the editor `{editor}`: {error}"))),
    }
}

/// The variable may contain arguments and quotes, as the shell understands them.
#[cfg(unix)]
fn command(editor: &str, path: &Path) -> Command {
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("{editor} \"$1\"")).arg("sh").arg(path);
    command
}

#[cfg(not(unix))]
fn command(editor: &str, path: &Path) -> Command {
    let mut words = editor.split_whitespace();
    let mut command = Command::new(words.next().unwrap_or("notepad"));
    command.args(words).arg(path);
    command
}
