//! Runs the person's editor.

use std::env;
use std::io;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::failure::{Exit, Failure};

/// Whether an editor has the terminal, and Ctrl-C with it.
static RUNNING: AtomicBool = AtomicBool::new(false);

pub(crate) fn is_running() -> bool {
    RUNNING.load(Ordering::SeqCst)
}

/// Opens a file in `$VISUAL`, `$EDITOR` or the system's usual editor, and waits until it is closed.
pub(crate) async fn edit(path: &Path) -> Result<(), Failure> {
    let editor =
        ["VISUAL", "EDITOR"].iter().find_map(|name| env::var(name).ok().filter(|value| !value.trim().is_empty()));
    let editor = editor.unwrap_or_else(|| if cfg!(windows) { "notepad" } else { "vi" }.to_owned());
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
