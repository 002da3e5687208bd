//! The commands.

mod account;
mod block;
mod create;
mod delete;
mod edit;
mod explore;
mod export;
mod invitation;
mod list;
mod marks;
mod share;
mod shell;
mod show;
mod stop;

use crate::arguments::{Arguments, Command};
use crate::failure::Failure;
use crate::output::Output;
use crate::service::Service;

pub(crate) async fn run(Arguments { global, command }: Arguments) -> Result<(), Failure> {
    let output = Output::new(&global);
    match command {
        Command::Login { print_url } => return account::login(&global, output, print_url).await,
        Command::Logout => return account::logout(&global, output).await,
        Command::Completion { shell } => return shell::completion(output, shell),
        Command::Man { dir } => return shell::man(output, dir.as_deref()),
        _ => {}
    }
    let service = Service::open(&global).await?;
    match command {
        Command::Whoami => account::whoami(&service, output).await,
        Command::List(arguments) => list::run(&service, output, &arguments).await,
        Command::Show { trip, day } => show::run(&service, output, &trip, day).await,
        Command::Create(arguments) => create::run(&service, output, &arguments).await,
        Command::Edit { trip } => edit::run(&service, output, &trip).await,
        Command::Stop(command) => stop::run(&service, output, command).await,
        Command::Delete { trip, yes } => delete::run(&service, output, &trip, yes).await,
        Command::Explore(arguments) => explore::run(&service, output, &arguments).await,
        Command::Save { trip } => marks::save(&service, output, &trip).await,
        Command::Like { trip, undo } => marks::like(&service, output, &trip, undo).await,
        Command::Export(arguments) => export::run(&service, output, &arguments).await,
        Command::Share(arguments) => share::run(&service, output, &arguments).await,
        Command::Invitation(command) => invitation::run(&service, output, command).await,
        Command::Block { person, undo } => block::run(&service, output, &person, undo).await,
        Command::Login { .. } | Command::Logout | Command::Completion { .. } | Command::Man { .. } => Ok(()),
    }
}
