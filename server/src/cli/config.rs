//! The command `config`: checks the configuration, and prints the settings in force.

use serde_json::json;

use super::output::Output;
use super::{Cli, CliResult};
use crate::check::check;
use crate::config::{Parsed, unknown_variables};

pub(super) fn run(parsed: &Parsed<Cli>, output: Output) -> CliResult {
    let Cli { storage, serve, .. } = &parsed.settings;
    let config = serve.clone().with_base_url()?;
    check(storage, &config)?;
    let warnings = unknown_variables(&super::command());
    if !output.json {
        for warning in &warnings {
            output.warn(warning);
        }
    }
    let derived = [
        ("base_url", config.base_url),
        ("database_url", storage.database_url()),
        ("key_file", storage.key_file().display().to_string()),
    ];
    let settings = parsed.effective(&derived);
    let value = json!({ "file": parsed.file(), "settings": settings.json(), "warnings": warnings });
    output.print(&value, "", &settings.to_string())
}
