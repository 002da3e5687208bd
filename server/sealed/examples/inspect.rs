//! Prints the format of each given file, or why it is rejected. Exits with 1 if one is rejected.

use std::fs::File;
use std::io::Read;
use std::process::ExitCode;
use std::{env, io};

use itinerary_sealed::{Format, Inspector, NotSealed};

fn main() -> io::Result<ExitCode> {
    let mut exit = ExitCode::SUCCESS;
    for path in env::args_os().skip(1) {
        let verdict = match inspect(File::open(&path)?)? {
            Ok(format) => format!("{format:?}"),
            Err(refused) => {
                exit = ExitCode::FAILURE;
                refused.to_string()
            }
        };
        println!("{}: {verdict}", path.display());
    }
    Ok(exit)
}

fn inspect(mut file: impl Read) -> io::Result<Result<Format, NotSealed>> {
    let mut inspector = Inspector::new();
    let mut piece = vec![0; 64 * 1024];
    loop {
        let len = file.read(&mut piece)?;
        if len == 0 {
            return Ok(inspector.finish());
        }
        if let Err(refused) = inspector.push(&piece[..len]) {
            return Ok(Err(refused));
        }
    }
}
