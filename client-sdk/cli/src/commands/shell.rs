//! The commands `completion` and `man`.

use std::io;
use std::path::Path;

use clap_complete::Shell;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

use crate::arguments;
use crate::failure::{Exit, Failure};
use crate::output::Output;

/// The description in the manual page.
const ABOUT: &str = "Plan trips from the terminal.\n\nTRIP is an itinerary's id, the beginning of the title of one of your \
    trips, or `last`: the trip that the previous command was about. Days and stops are counted from 1.";

pub(super) fn completion(output: Output, shell: Shell) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut arguments::complete(), "itinerary", &mut script);
    output.print(&String::from_utf8_lossy(&script))
}

pub(super) fn man(output: Output, folder: Option<&Path>) -> Result<(), Failure> {
    // The commands in the help would be one paragraph in a manual page.
    let command = arguments::complete().after_help("").long_about(ABOUT);
    let Some(folder) = folder else {
        return output.print(&page(command)?);
    };
    std::fs::create_dir_all(folder)?;
    // Adds `help` to every command, and their full names.
    clap_mangen::generate_to(command.clone(), folder)?;
    Ok(std::fs::write(folder.join("itinerary.1"), page(command)?)?)
}

/// The manual page of the program.
fn page(command: clap::Command) -> Result<String, Failure> {
    let man = Man::new(command);
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    man.render_subcommands_section(&mut page)?;
    details().to_writer(&mut page)?;
    man.render_version_section(&mut page)?;
    String::from_utf8(page).map_err(|error| io::Error::other(error).into())
}

/// What the arguments do not say.
fn details() -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["EXIT STATUS"]);
    for (exit, meaning) in Exit::MEANINGS {
        roff.control("TP", []).text([bold((exit as u8).to_string())]).text([roman(meaning)]);
    }
    roff.control("SH", ["FILES"]);
    roff.control("TP", []).text([bold("$XDG_CONFIG_HOME/itinerary/PROFILE")]);
    roff.text([roman("The server, the tokens and the last trip of a profile. Only you can read them.")]);
    roff.control("TP", []).text([bold("$XDG_STATE_HOME/itinerary/edits")]);
    roff.text([roman("Texts of edits that were not stored.")]);
    roff.control("SH", ["ENVIRONMENT"]);
    for (name, meaning) in [
        ("VISUAL, EDITOR", "The editor of the command edit."),
        ("NO_COLOR", "If set, nothing is printed in colour."),
        ("ITINERARY_SERVER, ITINERARY_TOKEN, ITINERARY_PROFILE", "Values of the options with these names."),
    ] {
        roff.control("TP", []).text([bold(name)]).text([roman(meaning)]);
    }
    roff
}
