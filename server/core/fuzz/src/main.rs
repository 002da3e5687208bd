//! The search: libFuzzer makes up inputs, follows the branches that they take, and keeps what leads somewhere new.
//!
//! Built without `coverage.toml` it runs the files that it is given, once each: a finding is looked at so.

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
