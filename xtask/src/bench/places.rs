//! A deterministic file of generated places in the format of GeoNames.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use super::Result;

/// One in this number of places is within half a degree of Lisbon, the destination of the measured trip.
const NEAR_LISBON: u32 = 1_000;

const SYLLABLES: [&str; 24] = [
    "ma", "ri", "to", "sal", "ver", "ben", "cas", "dou", "fon", "gal", "lis", "mon", "nor", "por", "que", "ros", "sin",
    "tor", "val", "zam", "bel", "cam", "jer", "arr",
];
const KINDS: [&str; 6] = ["Museu", "Praça", "Café", "Igreja", "Jardim", "Mercado"];

pub(crate) fn write(file: &Path, number: u32) -> Result<()> {
    let mut file = BufWriter::new(File::create(file)?);
    let mut chance = Chance(1);
    for id in 1..=number {
        let (latitude, longitude) = if id % NEAR_LISBON == 0 {
            (38.2 + chance.fraction(), -9.6 + chance.fraction())
        } else {
            (chance.fraction() * 130.0 - 55.0, chance.fraction() * 360.0 - 180.0)
        };
        let name = format!("{} {} {}", chance.pick(&KINDS), chance.word(), chance.word());
        // 19 columns: id, name, ASCII name, alternates, coordinate, class and code, country, …, population, …, zone, date.
        writeln!(
            file,
            "{}\t{name}\t{name}\t\t{latitude:.5}\t{longitude:.5}\tS\tMUS\tPT\t\t\t\t\t\t0\t\t\tEurope/Lisbon\t2026-01-01",
            900_000_000 + u64::from(id)
        )?;
    }
    Ok(file.flush()?)
}

/// A linear congruential generator, good enough for places and for choosing requests.
pub(crate) struct Chance(u64);

impl Chance {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below this one.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.next() as usize % end
    }

    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as u32
    }

    fn fraction(&mut self) -> f64 {
        f64::from(self.next()) / f64::from(1_u32 << 31)
    }

    fn pick<'c>(&mut self, choices: &[&'c str]) -> &'c str {
        choices[self.next() as usize % choices.len()]
    }

    fn word(&mut self) -> String {
        (0..3).map(|_| self.pick(&SYLLABLES)).collect()
    }
}
