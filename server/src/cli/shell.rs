//! The commands `completion` and `man`.

use clap::Command;
use clap_complete::Shell;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

use super::{CliResult, EXIT_CODES, output};

pub(super) fn completion(mut command: Command, shell: Shell) -> CliResult {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, "itinerary-server", &mut script);
    output::print(String::from_utf8(script)?.trim_end())
}

pub(super) fn man(command: Command) -> CliResult {
    let man = Man::new(command.after_long_help(""));
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_options_section(&mut page)?;
    man.render_subcommands_section(&mut page)?;
    let mut roff = Roff::new();
    roff.control("SH", ["ENVIRONMENT"]);
    let rule =
        "Settings are also environment variables: --data is ITINERARY_DATA. A flag takes precedence over its variable.";
    roff.text([roman(rule)]);
    roff.control("SH", ["EXIT STATUS"]);
    for (code, meaning) in EXIT_CODES {
        roff.control("TP", []).text([bold(code)]).text([roman(meaning)]);
    }
    roff.to_writer(&mut page)?;
    man.render_version_section(&mut page)?;
    output::print(String::from_utf8(page)?.trim_end())
}
