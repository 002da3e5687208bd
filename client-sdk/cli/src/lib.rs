//! The command `itinerary`: plans trips from a terminal, through the SDK.

mod arguments;
mod attention;
mod changes;
mod choices;
mod commands;
mod destination;
mod editor;
mod expiry;
mod failure;
mod file;
mod flags;
mod json;
mod moment;
mod names;
mod output;
mod patch;
mod profile;
mod prompt;
mod service;
mod table;
mod text;
mod trip;

use std::future::poll_fn;
use std::io::ErrorKind;
use std::pin::pin;
use std::process::ExitCode;
use std::task::Poll;

use clap::FromArgMatches as _;

use arguments::Arguments;
use failure::{Exit, Failure};

/// Runs the command line of this process.
pub fn run() -> ExitCode {
    let arguments = match parsed() {
        Ok(arguments) => arguments,
        Err(error) if error.use_stderr() && asks_for_json() => {
            Failure::from(error).print(true);
            return Exit::Usage.into();
        }
        Err(error) => {
            // Nobody reads the help of a closed pipe.
            let _ = error.print();
            return if error.use_stderr() { Exit::Usage.into() } else { Exit::Success.into() };
        }
    };
    let json = arguments.global.json;
    match execute(arguments) {
        Ok(()) => Exit::Success.into(),
        Err(failure) => {
            failure.print(json);
            failure.exit.into()
        }
    }
}

fn parsed() -> Result<Arguments, clap::Error> {
    Arguments::from_arg_matches(&arguments::command().try_get_matches()?)
}

/// Whether invalid arguments contain `--json`.
fn asks_for_json() -> bool {
    std::env::args_os().take_while(|argument| argument != "--").any(|argument| argument == "--json")
}

fn execute(arguments: Arguments) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let outcome = runtime.block_on(until_interrupted(commands::run(arguments)));
    // A thread may be reading standard input, which ends with the process.
    runtime.shutdown_background();
    match outcome {
        // The reader has seen enough, like `head`.
        Err(failure) if failure.io == Some(ErrorKind::BrokenPipe) => Ok(()),
        outcome => outcome,
    }
}

/// Runs a command until Ctrl-C, which drops it and with it its temporary files. While an editor runs, Ctrl-C is the
/// editor's.
async fn until_interrupted(command: impl Future<Output = Result<(), Failure>>) -> Result<(), Failure> {
    let mut command = pin!(command);
    loop {
        let mut interrupt = pin!(tokio::signal::ctrl_c());
        let ended = poll_fn(|context| {
            if let Poll::Ready(outcome) = command.as_mut().poll(context) {
                return Poll::Ready(Some(outcome));
            }
            interrupt.as_mut().poll(context).map(|_| None)
        });
        match ended.await {
            Some(outcome) => return outcome,
            None if editor::is_running() => {}
            None => return Err(Failure::new(Exit::Interrupted, "interrupted")),
        }
    }
}
