//! Running a program at a terminal.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::time::{Duration, Instant};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};
use tokio::process::Command;

const PATIENCE: Duration = Duration::from_mins(1);

/// The end of a question whose answer is not shown.
const SECRET: &str = "token: ";

/// Waits until the terminal does not show what is typed, as a person does who types after reading the question: the
/// program asks first.
fn wait_until_hidden(screen: &File) {
    let began = Instant::now();
    while tcgetattr(screen).is_ok_and(|modes| modes.local_modes.contains(LocalModes::ECHO)) {
        assert!(began.elapsed() < Duration::from_secs(20), "the terminal shows what is typed");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Runs a program at a terminal with this many columns. Each response is typed once its question is seen. Returns the
/// exit code and everything that is seen.
pub async fn at_terminal(
    mut command: Command,
    columns: u16,
    responses: &[(&'static str, &'static str)],
) -> (Option<i32>, String) {
    let controller = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    grantpt(&controller).and_then(|()| unlockpt(&controller)).expect("a terminal");
    let name = ptsname(&controller, Vec::new()).expect("a name");
    tcsetwinsize(&controller, Winsize { ws_row: 40, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 }).expect("a size");
    let terminal =
        || File::options().read(true).write(true).open(OsStr::from_bytes(name.as_bytes())).expect("a terminal");
    command.stdin(terminal()).stdout(terminal()).stderr(terminal());
    command.env("TERM", "xterm-256color");
    let mut child = command.spawn().expect("the program starts");
    // Its copies of the terminal; reading ends when the last one is closed.
    drop(command);
    let mut screen = File::from(controller);
    let responses = responses.to_vec();
    let reading = tokio::task::spawn_blocking(move || {
        let mut responses = responses.into_iter().peekable();
        let (mut seen, mut buffer, mut answered) = (Vec::new(), [0; 4096], 0);
        // Fails when the last copy is closed.
        while let Ok(count @ 1..) = screen.read(&mut buffer) {
            seen.extend_from_slice(&buffer[..count]);
            let text = String::from_utf8_lossy(&seen).into_owned();
            if let Some((_, response)) =
                responses.next_if(|(question, _)| text[answered.min(text.len())..].contains(question))
            {
                answered = text.len();
                if text.ends_with(SECRET) {
                    wait_until_hidden(&screen);
                }
                screen.write_all(response.as_bytes()).expect("a terminal");
            }
        }
        String::from_utf8_lossy(&seen).into_owned()
    });
    let status = tokio::time::timeout(PATIENCE, child.wait()).await.expect("it ends").expect("it ran");
    (status.code(), reading.await.expect("no panic"))
}
