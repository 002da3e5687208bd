//! The commands.

mod account;
mod block;
mod create;
mod delete;
mod documents;
mod edit;
mod expense;
mod explore;
mod export;
mod flight;
mod history;
mod hotel;
mod import;
mod invitation;
mod links;
mod list;
mod marks;
mod open;
mod optimise;
mod pack;
mod parts;
mod refresh;
mod share;
mod shell;
mod show;
mod stop;
mod watch;
mod write;

use crate::arguments::{Arguments, Command};
use crate::failure::Failure;
use crate::flags;
use crate::output::Output;
use crate::service::Service;

pub(crate) async fn run(Arguments { global, command }: Arguments) -> Result<(), Failure> {
    let output = Output::new(&global);
    let flags = flags::of(&command);
    match command {
        Command::Login { print_url, with_token } => {
            return if with_token || global.token.is_some() {
                account::login_with_token(&global, output).await
            } else {
                account::login(&global, output, print_url).await
            };
        }
        Command::Logout => return account::logout(&global, output).await,
        Command::Completion { shell } => return shell::completion(output, shell),
        Command::Man { dir } => return shell::man(output, dir.as_deref()),
        _ => {}
    }
    let service = Service::open(&global).await?;
    signed_in(&service, output, command).await.map_err(|failure| failure.with_flags(flags))
}

/// Runs a command that needs a sign-in.
async fn signed_in(service: &Service, output: Output, command: Command) -> Result<(), Failure> {
    match command {
        Command::Whoami => account::whoami(service, output).await,
        Command::List(arguments) => list::run(service, output, &arguments).await,
        Command::Show { trip, day } => show::run(service, output, &trip, day).await,
        Command::Open { trip } => open::run(service, output, &trip).await,
        Command::Create(arguments) => create::run(service, output, &arguments).await,
        Command::Import(arguments) => import::run(service, output, &arguments).await,
        Command::Edit { trip } => edit::run(service, output, &trip).await,
        Command::History(arguments) => history::run(service, output, &arguments).await,
        Command::Restore { trip, version } => history::restore(service, output, &trip, version).await,
        Command::Watch(arguments) => watch::run(service, output, arguments).await,
        Command::Stop(command) => stop::run(service, output, command).await,
        Command::Flight(command) => flight::run(service, output, command).await,
        Command::Hotel(command) => hotel::run(service, output, command).await,
        Command::Expense(command) => expense::run(service, output, command).await,
        Command::Pack(arguments) => pack::run(service, output, &arguments).await,
        Command::Documents(arguments) => documents::run(service, output, arguments).await,
        Command::Optimise(arguments) => optimise::run(service, output, &arguments).await,
        Command::Refresh { trip } => refresh::run(service, output, &trip).await,
        Command::Delete { trip, yes } => delete::run(service, output, &trip, yes).await,
        Command::Explore(arguments) => explore::run(service, output, &arguments).await,
        Command::Save { trip } => marks::save(service, output, &trip).await,
        Command::Like { trip, undo } => marks::like(service, output, &trip, undo).await,
        Command::Export(arguments) => export::run(service, output, &arguments).await,
        Command::Share(arguments) => share::run(service, output, &arguments).await,
        Command::Links(arguments) => links::run(service, output, arguments).await,
        Command::Invitation(command) => invitation::run(service, output, command).await,
        Command::Block { person, undo } => block::run(service, output, &person, undo).await,
        Command::Login { .. } | Command::Logout | Command::Completion { .. } | Command::Man { .. } => Ok(()),
    }
}
