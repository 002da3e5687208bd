//! Prints the result for each given file, and the throughput of the inspection in chunks of 64 KiB.

use std::time::Instant;
use std::{env, fs, io};

use itinerary_sealed::{Format, Inspector, NotSealed};

const ROUNDS: u32 = 20;

fn main() -> io::Result<()> {
    for path in env::args().skip(1) {
        let file = fs::read(&path)?;
        let start = Instant::now();
        let mut verdict = inspect(&file);
        for _ in 1..ROUNDS {
            verdict = inspect(&file);
        }
        let seconds = start.elapsed().as_secs_f64();
        #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
        let bytes = file.len() as f64 * f64::from(ROUNDS);
        println!("{path}: {verdict:?}, {:.0} MB/s", bytes / seconds / 1e6);
    }
    Ok(())
}

fn inspect(file: &[u8]) -> Result<Format, NotSealed> {
    let mut inspector = Inspector::new();
    for piece in file.chunks(64 * 1024) {
        inspector.push(piece)?;
    }
    inspector.finish()
}
