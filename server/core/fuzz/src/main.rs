//! The search: libFuzzer generates inputs, observes which branches they reach, and keeps those that reach new ones.
//!
//! Without `coverage.toml` the program runs each file that it is given once, to reproduce a finding.

#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = itinerary_fuzz::run(bytes);
});

#[cfg(not(fuzzing))]
fn main() -> std::io::Result<()> {
    for file in std::env::args_os().skip(1) {
        let outcome = itinerary_fuzz::run(&std::fs::read(&file)?);
        println!("{}: {outcome:?}", file.display());
    }
    Ok(())
}
