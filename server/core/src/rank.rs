//! Ranks the itineraries of Explore. Likes, saves, views and age give a score; the score gives a rank key among search
//! results and a tier of the feed.
//!
//! Pure arithmetic: the store counts, stores keys, and orders each tier at random.

/// The number of bands that scores are divided into.
pub const BANDS: usize = 256;

/// The number of random bits below the band in a rank key.
const CHANCE_BITS: u32 = 55;

/// The tiers of the feed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tier {
    /// The best tenth.
    Best,
    /// The next three tenths, and itineraries that are not ranked yet.
    Middle,
    /// All others.
    Rest,
}

impl Tier {
    /// The tier as it is stored: 0 is the best.
    pub fn number(self) -> i16 {
        self as i16
    }
}

/// The counts that a score is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub likes: i64,
    pub saves: i64,
    /// How often the itinerary was read.
    pub views: i64,
}

/// The band of a score, on a logarithmic scale: eight bands are one doubling of the counts, and quadrupling the age
/// subtracts one doubling. A save weighs more than a like, a like more than a view.
pub fn band(counts: Counts, age_days: i64) -> u8 {
    #[expect(clippy::cast_precision_loss, reason = "counts of people and days are far below 2^52")]
    let [likes, saves, views, days] = [counts.likes, counts.saves, counts.views, age_days].map(|n| n.max(0) as f64);
    let worth = (1.0 + 4.0 * saves + 2.0 * likes + views / 8.0).log2();
    let wear = (1.0 + days / 30.0).log2() / 2.0;
    let steps = (8.0 * (worth - wear) + 64.0).round().clamp(0.0, 255.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to a byte")]
    {
        steps as u8
    }
}

/// The rank key of a band, lowest first. The order within a band is random.
pub fn place(band: u8, chance: u64) -> i64 {
    let chance = chance & ((1 << CHANCE_BITS) - 1);
    (i64::from(u8::MAX - band) << CHANCE_BITS) | chance.cast_signed()
}

/// The rank key with another band and the same random bits.
pub fn moved(from: i64, band: u8) -> i64 {
    place(band, from.cast_unsigned())
}

/// The lowest bands of the best and the middle tier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cuts {
    best: u16,
    middle: u16,
}

impl Default for Cuts {
    /// The cuts before anything was counted: an itinerary that two people like is in the best tier.
    fn default() -> Self {
        Self { best: 80, middle: 64 }
    }
}

impl Cuts {
    /// The cuts that put a tenth of all itineraries into the best tier and three tenths into the middle tier, or fewer,
    /// so that no band is divided.
    pub fn of(bands: &[u64; BANDS]) -> Self {
        let all: u64 = bands.iter().sum();
        let cut = |tenths: u64| {
            let mut above = 0;
            let within = (0..=u8::MAX).rev().take_while(|band| {
                above += bands[usize::from(*band)];
                above * 10 <= all * tenths
            });
            within.last().map_or(256, u16::from)
        };
        Self { best: cut(1), middle: cut(4) }
    }

    pub fn tier(self, band: u8) -> Tier {
        match u16::from(band) {
            band if band >= self.best => Tier::Best,
            band if band >= self.middle => Tier::Middle,
            _ => Tier::Rest,
        }
    }

    /// Parses cuts that were stored as text. Invalid text yields the default.
    pub fn remembered(text: &str) -> Self {
        let numbers = text.split_once(' ').and_then(|(best, middle)| Some((best.parse().ok()?, middle.parse().ok()?)));
        numbers.map_or_else(Self::default, |(best, middle)| Self { best, middle })
    }

    /// The cuts as text for storing.
    pub fn memory(self) -> String {
        format!("{} {}", self.best, self.middle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn liked(likes: i64) -> Counts {
        Counts { likes, ..Counts::default() }
    }

    #[test]
    fn liked_and_newer_itineraries_rank_higher() {
        assert!(band(liked(10), 5) > band(liked(1), 5));
        assert!(band(liked(10), 5) > band(liked(10), 500));
        assert!(band(Counts { saves: 3, ..Counts::default() }, 1) > band(liked(3), 1));
        assert!(band(liked(3), 1) > band(Counts { views: 3, ..Counts::default() }, 1));
        assert_eq!(band(liked(i64::MAX), 0), 255);
        assert_eq!(band(liked(-5), -5), band(liked(0), 0));
        assert!(band(liked(0), 1_000_000) < band(liked(0), 0));
    }

    #[test]
    fn a_place_is_ordered_by_band_and_keeps_its_chance() {
        assert!(place(200, u64::MAX) < place(199, 0));
        assert!(place(0, u64::MAX) > 0);
        assert_eq!(moved(place(200, 77), 13), place(13, 77));
        assert_eq!(moved(place(13, u64::MAX), 13), place(13, u64::MAX));
    }

    #[test]
    fn tenths_are_cut_off_without_dividing_a_band() {
        let mut bands = [0; BANDS];
        bands[..100].fill(1);
        let cuts = Cuts::of(&bands);
        let tiers: Vec<_> = (0..100).map(|band| cuts.tier(band)).collect();
        assert_eq!(tiers.iter().filter(|tier| **tier == Tier::Best).count(), 10);
        assert_eq!(tiers.iter().filter(|tier| **tier == Tier::Middle).count(), 30);
        let mut equal = [0; BANDS];
        equal[64] = 1_000;
        assert_eq!(Cuts::of(&equal).tier(64), Tier::Rest, "equals are not divided");
        assert_eq!(Cuts::of(&equal).tier(65), Tier::Best);
        assert_eq!(Cuts::of(&[0; BANDS]).tier(0), Tier::Best, "of nothing everything is the best");
    }

    #[test]
    fn cuts_are_remembered() {
        let cuts = Cuts { best: 256, middle: 70 };
        assert_eq!(Cuts::remembered(&cuts.memory()), cuts);
        for text in ["", "7", "x y", "1 2 3"] {
            assert_eq!(Cuts::remembered(text), Cuts::default(), "{text}");
        }
    }
}
