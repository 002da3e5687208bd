//! Opening the traveller's browser by what the platform has for it.

use std::io;
use std::process::Stdio;

use tokio::process::Command;
use url::Url;

/// Opens an address in the traveller's browser. An error says that there is nothing to open it with; that it opened is
/// not certain, so show the address too. Call it within a tokio runtime.
pub fn open_browser(url: &Url) -> io::Result<()> {
    // What opens addresses opens files and programs just as well.
    if !matches!(url.scheme(), "http" | "https") {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not an address of the web"));
    }
    let mut command = command(url.as_str());
    // The runtime reaps it: a browser that is started by this may run for long.
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().map(drop)
}

fn command(url: &str) -> Command {
    let (program, arguments): (_, &[_]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        // Not `start`: the shell would read the address's `&` as its own.
        ("rundll32", &["url.dll,FileProtocolHandler"])
    } else {
        ("xdg-open", &[])
    };
    let mut command = Command::new(program);
    command.args(arguments).arg(url);
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_the_web_are_opened() {
        for text in ["file:///etc/passwd", "javascript:alert(1)", "mailto:a@a.example"] {
            let error = open_browser(&text.parse().unwrap()).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput, "{text}");
        }
    }
}
