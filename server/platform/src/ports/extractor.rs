//! The operator's program for files that the server does not read, such as PDFs.
//!
//! Each file gets a process of its own in a sandbox (bubblewrap): no network, no other files than the system's programs, at
//! most 200 MB of memory and 10 seconds.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use itinerary_store::Payer;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{ChildStdin, ChildStdout, Command};
use tokio::time::{Instant, timeout_at};

use super::PortsError;
use crate::cpu_time::AccountPayer;
use crate::fair_pool::{Busy, FairPool, PoolLimits, Requester};
use crate::settings::ImportSettings;

/// How long the files of one request may take in all.
pub const LONGEST: Duration = Duration::from_secs(10);
/// The maximum memory of a process, in KiB.
const MEMORY: usize = 200 * 1024;
/// The maximum size of the files of a process, in bytes.
const FILES: &str = "67108864";
/// The maximum size of what a process writes to its standard output.
const OUTPUT: usize = 1024 * 1024;
/// How many processes run at once; for one account half of them.
const PROCESSES: usize = 2;
/// How many requests of one account may wait.
const WAITING: usize = 4;

/// Folders with the programs and libraries of the system, and files that they need.
const SYSTEM: [&str; 7] = ["/usr", "/bin", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/fonts", "/etc/alternatives"];

/// Why nothing was extracted.
#[derive(Debug, thiserror::Error)]
pub enum ExtractorError {
    #[error("the extractor cannot be run: {0}")]
    Io(#[from] io::Error),
    #[error("the extractor took more than {} seconds", LONGEST.as_secs())]
    TimedOut,
    #[error("the extractor failed with {0}")]
    Failed(ExitStatus),
    #[error("the extractor wrote more than {OUTPUT} bytes")]
    TooMuch,
    #[error("too many files wait for the extractor")]
    Busy(#[from] Busy),
}

/// The program, and turns for its processes.
pub struct Extractor {
    program: PathBuf,
    turns: FairPool,
}

impl Extractor {
    /// The configured program, if there is one. Fails if it is no file, or if the sandbox does not work here.
    pub(crate) fn configured(settings: &ImportSettings) -> Result<Option<Self>, PortsError> {
        let Some(program) = settings.extractor.clone() else { return Ok(None) };
        if !program.is_absolute() || !program.is_file() {
            return Err(PortsError::Extractor(program));
        }
        let probe = sandbox(&program, "true").into_std();
        check(probe).map_err(PortsError::Sandbox)?;
        let limits = PoolLimits { slots: PROCESSES, running_per_key: PROCESSES.div_ceil(2), waiting_per_key: WAITING };
        Ok(Some(Self { program, turns: FairPool::new(limits) }))
    }

    /// Passes a file to the program, and returns what it writes. The time is charged as processor time.
    pub async fn extract(
        &self,
        requester: Requester,
        payer: &AccountPayer,
        file: &[u8],
        deadline: Instant,
    ) -> Result<Vec<u8>, ExtractorError> {
        let _turn = self.turns.turn(requester, deadline).await?;
        let began = Instant::now();
        let outcome = timeout_at(deadline, self.run(file)).await;
        payer.pay(began.elapsed());
        outcome.map_err(|_| ExtractorError::TimedOut)?
    }

    /// Runs the program. Dropping the future kills it.
    async fn run(&self, file: &[u8]) -> Result<Vec<u8>, ExtractorError> {
        let mut command = sandbox(&self.program, r#"exec "$0""#);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
        let mut child = command.spawn()?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let (output, ()) = tokio::try_join!(output(stdout), input(stdin, file))?;
        let status = child.wait().await?;
        if !status.success() {
            return Err(ExtractorError::Failed(status));
        }
        Ok(output)
    }
}

/// Writes the file to the standard input. A program need not read it to its end.
async fn input(stdin: Option<ChildStdin>, file: &[u8]) -> Result<(), ExtractorError> {
    let Some(mut stdin) = stdin else { return Ok(()) };
    match stdin.write_all(file).await {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

async fn output(stdout: Option<ChildStdout>) -> Result<Vec<u8>, ExtractorError> {
    let mut output = Vec::new();
    if let Some(stdout) = stdout {
        stdout.take(OUTPUT as u64 + 1).read_to_end(&mut output).await?;
    }
    if output.len() > OUTPUT { Err(ExtractorError::TooMuch) } else { Ok(output) }
}

/// A command of the shell in the sandbox; `$0` is the program.
fn sandbox(program: &Path, script: &str) -> Command {
    let mut command = Command::new("bwrap");
    command.args(["--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv"]);
    // Without a screen, and with UTF-8 as the encoding of texts.
    for (name, value) in
        [("PATH", "/usr/bin:/bin"), ("LANG", "C.UTF-8"), ("HOME", "/tmp"), ("QT_QPA_PLATFORM", "offscreen")]
    {
        command.args(["--setenv", name, value]);
    }
    for path in SYSTEM {
        command.args(["--ro-bind-try", path, path]);
    }
    command.args(["--dev", "/dev", "--proc", "/proc", "--size", FILES, "--tmpfs", "/tmp", "--chdir", "/tmp"]);
    // Last, because it may be below a folder that is replaced above.
    command.arg("--ro-bind").args([program, program]);
    // Some shells take one limit at a time.
    let limits = format!("ulimit -v {MEMORY} && ulimit -t {} && {script}", LONGEST.as_secs());
    command.args(["/bin/sh", "-c", &limits]).arg(program);
    command
}

/// Runs a command that must succeed.
fn check(mut command: std::process::Command) -> io::Result<()> {
    let output = command.stdin(Stdio::null()).output()?;
    if output.status.success() {
        return Ok(());
    }
    let reason = String::from_utf8_lossy(&output.stderr);
    Err(io::Error::other(reason.lines().next().unwrap_or("it failed").to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_does_not_exist_is_refused() {
        for wrong in ["/no/such/extractor", "relative", "/tmp"] {
            let settings = ImportSettings { extractor: Some(wrong.into()) };
            let error = Extractor::configured(&settings).err().expect(wrong);
            assert!(matches!(&error, PortsError::Extractor(path) if path.as_os_str() == wrong), "{error}");
        }
    }
}
