//! Pseudo-random numbers, seeded by a place. Not for secrets.

/// A `SplitMix64` generator.
pub(super) struct Seed(u64);

impl Seed {
    /// Seeds from a place's name and its position, rounded to about 10 km.
    pub(super) fn of(name: &str, latitude: f64, longitude: f64) -> Self {
        let position = format!("{latitude:.1} {longitude:.1}");
        let bytes = name.bytes().chain([0]).chain(position.bytes());
        // FNV-1a.
        Self(bytes.fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)))
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        mix(self.0)
    }

    /// At least `low` and below `high`.
    pub(super) fn between(&mut self, low: f32, high: f32) -> f32 {
        low + unit(self.next()) * (high - low)
    }

    /// One of the items, which must not be empty.
    pub(super) fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        let index = self.next() % items.len() as u64;
        items[usize::try_from(index).unwrap_or(0)]
    }
}

/// Spreads every bit of a number over all bits.
pub(super) fn mix(number: u64) -> u64 {
    let number = (number ^ number >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let number = (number ^ number >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    number ^ number >> 31
}

/// A number of at least 0 and below 1, from the upper 24 bits.
#[allow(clippy::cast_precision_loss)]
fn unit(number: u64) -> f32 {
    (number >> 40) as f32 / 16_777_216.0
}
