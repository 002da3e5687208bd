//! The command `migrate`: applies pending migrations, or lists them.

use clap::Args;
use itinerary_platform::settings::{Access, Storage};
use itinerary_platform::system::SystemRandom;
use itinerary_store::{Applied, DatabaseKind, Store};
use serde_json::{Value, json};

use super::CliResult;
use super::output::Output;
use crate::serve::{StartError, open_store, prepare_files};

#[derive(Args)]
pub(super) struct MigrateCommand {
    /// Only check: list the pending migrations, write nothing, and fail if there are any
    #[arg(long)]
    check: bool,
}

pub(super) async fn run(storage: &Storage, command: &MigrateCommand, output: Output) -> CliResult {
    if command.check {
        return report(&pending(storage).await?, output);
    }
    let store = open_store(storage).await?;
    let applied = store.migrate().await?;
    prepare_files(storage, &store, &SystemRandom).await?;
    store.close().await?;
    let names: Vec<_> = applied.iter().map(|applied| applied.name.as_str()).collect();
    let value =
        json!({ "migrationsApplied": applied.len(), "migrations": applied.iter().map(json_of).collect::<Vec<_>>() });
    output.print(&value, &names.join("\n"), &text_of(&applied))
}

/// The pending migrations: all of them if there is no database yet.
async fn pending(storage: &Storage) -> Result<Vec<String>, StartError> {
    let store = match open_store(&storage.with_access(Access::Existing)).await {
        Err(StartError::NoDatabase(_)) => {
            let migrations = Store::migrations(DatabaseKind::Sqlite);
            return Ok(migrations.into_iter().map(|migration| migration.name).collect());
        }
        opened => opened?,
    };
    let pending = store.pending_names().await?.into_iter().map(str::to_owned).collect();
    store.close().await?;
    Ok(pending)
}

fn report(pending: &[String], output: Output) -> CliResult {
    let value = json!({ "migrationsPending": pending.len(), "migrations": pending });
    if pending.is_empty() {
        return output.print(&value, "", "No migration is pending; the database is up to date.");
    }
    let names = pending.join("\n");
    output.print(&value, &names, &names)?;
    Err(StartError::NotMigrated(pending.len().try_into()?).into())
}

fn json_of(applied: &Applied) -> Value {
    json!({ "name": applied.name, "seconds": milliseconds(applied) })
}

fn text_of(applied: &[Applied]) -> String {
    let lines = applied.iter().map(|applied| format!("{}  {:.3} s\n", applied.name, milliseconds(applied)));
    let count = applied.len();
    let migrations = if count == 1 { "migration" } else { "migrations" };
    format!("{}{count} {migrations} applied; the database is up to date.", lines.collect::<String>())
}

/// Seconds, without meaningless digits.
fn milliseconds(applied: &Applied) -> f64 {
    (applied.took.as_secs_f64() * 1_000.0).round() / 1_000.0
}
