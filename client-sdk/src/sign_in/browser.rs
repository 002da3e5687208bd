//! Opening the traveller's browser with the program that the platform provides.

use std::io;
use std::process::Stdio;

use tokio::process::Command;
use url::Url;

/// Opens a URL in the traveller's browser. Fails if there is no program to open it with; success does not guarantee
/// that it opened, so print the URL too. Must be called within a tokio runtime.
///
/// ```no_run
/// # fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let url = "https://trips.example/oauth/authorise".parse()?;
/// if itinerary_sdk::open_browser(&url).is_err() {
///     println!("Open {url} in a browser.");
/// }
/// # Ok(())
/// # }
/// ```
pub fn open_browser(url: &Url) -> io::Result<()> {
    // The same program also opens files and runs programs.
    if !matches!(url.scheme(), "http" | "https") {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not an http or https URL"));
    }
    let mut command = command(url.as_str());
    // The runtime reaps it: a browser started by this may run for a long time.
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().map(drop)
}

fn command(url: &str) -> Command {
    let (program, arguments): (_, &[_]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        // Not `start`: the shell would interpret `&` in the URL.
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
