//! Generated files: written, or with `--check` compared with what would be written.

use std::error::Error;
use std::fs;
use std::path::PathBuf;

use similar::TextDiff;

/// What to do with a generated file.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Write nothing; fail, and print the difference, when the file is stale
    #[arg(long)]
    check: bool,
}

/// The workspace's folder.
pub(crate) fn root() -> PathBuf {
    let manifest = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().expect("xtask is in the workspace").to_owned()
}

/// Writes the file, or checks it.
pub(crate) fn settle(args: &Args, file: &str, text: &str) -> Result<(), Box<dyn Error>> {
    let path = root().join(file);
    if !args.check {
        fs::write(&path, text)?;
        println!("wrote {file}");
        return Ok(());
    }
    let there = fs::read_to_string(&path).unwrap_or_default();
    match difference(file, &there, text) {
        None => {
            println!("{file} is up to date");
            Ok(())
        }
        Some(difference) => {
            println!("{difference}");
            Err(format!("{file} is stale: generate it again").into())
        }
    }
}

/// How what is there differs from what should be; `None` when it does not.
fn difference(file: &str, there: &str, wanted: &str) -> Option<String> {
    let diff = || TextDiff::from_lines(there, wanted).unified_diff().header(file, "generated now").to_string();
    (there != wanted).then(diff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stale_file_is_told_with_its_difference() {
        assert_eq!(difference("f", "a\nb\n", "a\nb\n"), None);
        let difference = difference("f", "a\nb\n", "a\nc\n").expect("they differ");
        assert!(difference.contains("-b") && difference.contains("+c"), "{difference}");
    }
}
