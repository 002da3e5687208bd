//! The palettes of covers, and the choice of one for a place.

use super::seed::Seed;

/// Red, green and blue of 0 to 1.
pub(super) type Colour = [f32; 3];

/// The number of layers of paper, including the deepest.
pub(super) const LAYERS: usize = 7;

/// The colours of a cover, as `0xRRGGBB`.
pub(super) struct Palette {
    climate: Climate,
    /// From the deepest layer to the highest.
    pub(super) layers: [u32; LAYERS],
    /// The sun or the moon.
    pub(super) disc: u32,
    pub(super) route: u32,
    /// Around the route, so that it stands out from every layer.
    pub(super) casing: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Climate {
    Tropical,
    Desert,
    Mild,
    Cool,
    Polar,
}

/// Rectangles of desert: south, west, north and east, in degrees.
const DESERTS: [[f64; 4]; 9] = [
    // Sahara and Arabia.
    [16.0, -15.0, 30.5, 34.5],
    [14.0, 34.5, 33.0, 56.5],
    // Persia and Thar.
    [27.0, 53.0, 34.0, 62.0],
    [24.0, 69.0, 29.0, 74.0],
    // Gobi and Taklamakan.
    [37.0, 76.0, 45.0, 110.0],
    // Sonora and Mojave.
    [27.0, -117.5, 37.0, -109.0],
    // Atacama.
    [-28.0, -71.5, -14.0, -67.5],
    // Namib and Kalahari.
    [-29.0, 12.0, -18.0, 23.0],
    // Australia's interior.
    [-31.0, 117.5, -20.0, 142.0],
];

const PALETTES: [Palette; 21] = [
    // Reef.
    Palette {
        climate: Climate::Tropical,
        layers: [0xFDF6E3, 0xD5F0E4, 0x9BE0D8, 0x57C7CC, 0x2AA3BD, 0x1B7AA3, 0x15527F],
        disc: 0xFFD98A,
        route: 0xF2503F,
        casing: 0xFFFDF7,
    },
    // Sunset over a lagoon.
    Palette {
        climate: Climate::Tropical,
        layers: [0xFFF1D0, 0xFFD9A0, 0xFFB27A, 0xF58465, 0xD95D63, 0xA3406A, 0x63305F],
        disc: 0xFFFDF4,
        route: 0x0E5F73,
        casing: 0xFFF9EC,
    },
    // Palms.
    Palette {
        climate: Climate::Tropical,
        layers: [0xF6F5D8, 0xCFE8B5, 0x93D3A2, 0x4FB59A, 0x1F8F8C, 0x13697A, 0x0F455F],
        disc: 0xFFE08A,
        route: 0xE8453C,
        casing: 0xFFFDF2,
    },
    // Hibiscus.
    Palette {
        climate: Climate::Tropical,
        layers: [0xFFEEDD, 0xFFD0C2, 0xFFA5A0, 0xEE7488, 0xC24C7F, 0x85346F, 0x4A2459],
        disc: 0xFFFDF4,
        route: 0x1D3B6F,
        casing: 0xFFFAF3,
    },
    // Dunes.
    Palette {
        climate: Climate::Desert,
        layers: [0xFFF3DA, 0xFBDFAE, 0xF3C37F, 0xE3A05A, 0xC97C45, 0x9F5B3A, 0x6B3F34],
        disc: 0xFFFFF6,
        route: 0x17597A,
        casing: 0xFFFAEE,
    },
    // Dusk over sand.
    Palette {
        climate: Climate::Desert,
        layers: [0xFFE7CF, 0xFFC49B, 0xF59A7A, 0xD8706C, 0xA85272, 0x743F70, 0x452F5E],
        disc: 0xFFF9EC,
        route: 0x114B5F,
        casing: 0xFFF8EC,
    },
    // Canyon.
    Palette {
        climate: Climate::Desert,
        layers: [0xE9F1EA, 0xF5E3C6, 0xEFC294, 0xDD9467, 0xBE674A, 0x8E463D, 0x572F36],
        disc: 0xFFF6DC,
        route: 0x12686B,
        casing: 0xFFFBF0,
    },
    // Aegean.
    Palette {
        climate: Climate::Mild,
        layers: [0xFDF8EE, 0xD8ECF3, 0xA4D3E8, 0x62B0D9, 0x2F86C1, 0x1E5F9C, 0x183F70],
        disc: 0xFFDD9B,
        route: 0xE5532D,
        casing: 0xFFFEFA,
    },
    // Terracotta.
    Palette {
        climate: Climate::Mild,
        layers: [0xFDF1DC, 0xF8D9B0, 0xF0B784, 0xE2905F, 0xC76B47, 0x97503F, 0x5F3A3C],
        disc: 0xFFFDF2,
        route: 0x0F5F78,
        casing: 0xFFFAF0,
    },
    // Olives and lemons.
    Palette {
        climate: Climate::Mild,
        layers: [0xFCF7DC, 0xEDE9B0, 0xD0D487, 0xA6BC70, 0x769C62, 0x4E7A57, 0x30544A],
        disc: 0xFFD873,
        route: 0xD9482B,
        casing: 0xFFFEF4,
    },
    // Rose dawn.
    Palette {
        climate: Climate::Mild,
        layers: [0xFFF3EA, 0xFBDCD3, 0xF2B8B8, 0xD990A6, 0xB06C97, 0x7D5086, 0x4B3B6D],
        disc: 0xFFE1A8,
        route: 0x0F6A70,
        casing: 0xFFFBF6,
    },
    // Indigo evening.
    Palette {
        climate: Climate::Mild,
        layers: [0xF9D9C2, 0xE9AFAE, 0xB98BAF, 0x826FAA, 0x57559A, 0x393E7D, 0x242859],
        disc: 0xFFF7E0,
        route: 0xFFF3DC,
        casing: 0x242859,
    },
    // Harbour.
    Palette {
        climate: Climate::Mild,
        layers: [0xFBF5E4, 0xDCEAE0, 0xA9D3CD, 0x6FB5B8, 0x3F919F, 0x276B83, 0x1F4A63],
        disc: 0xFFCF8C,
        route: 0xE2553A,
        casing: 0xFFFEF8,
    },
    // Golden hour.
    Palette {
        climate: Climate::Mild,
        layers: [0xFFF5DC, 0xFEE2A8, 0xFAC673, 0xF0A258, 0xD97B4F, 0xA95853, 0x6A3D53],
        disc: 0xFFFFF4,
        route: 0x14566F,
        casing: 0xFFFAEC,
    },
    // Vineyard.
    Palette {
        climate: Climate::Mild,
        layers: [0xFCF0DF, 0xF4D2BC, 0xE0A597, 0xC0767B, 0x955362, 0x683A52, 0x402A43],
        disc: 0xFFE3A6,
        route: 0x17686B,
        casing: 0xFFFBF2,
    },
    // Mist in a forest.
    Palette {
        climate: Climate::Cool,
        layers: [0xF6F5EA, 0xDBE6D8, 0xB3D0C0, 0x82B0A3, 0x558D88, 0x356A70, 0x214A5A],
        disc: 0xFFD9A0,
        route: 0xE2582F,
        casing: 0xFFFEF8,
    },
    // Autumn.
    Palette {
        climate: Climate::Cool,
        layers: [0xFFF2D6, 0xFBDB9C, 0xF2B961, 0xDD9044, 0xB56638, 0x844635, 0x523033],
        disc: 0xFFFEF2,
        route: 0x1D587A,
        casing: 0xFFFAEC,
    },
    // Slate.
    Palette {
        climate: Climate::Cool,
        layers: [0xF7F3EA, 0xD9E1E6, 0xABC1D1, 0x7B9CB8, 0x54779C, 0x3A577F, 0x273B5F],
        disc: 0xFFD39A,
        route: 0xEC5B33,
        casing: 0xFFFDF8,
    },
    // Ice.
    Palette {
        climate: Climate::Polar,
        layers: [0xFBFCFA, 0xE3F0F6, 0xC3DEEB, 0x98C4DB, 0x6AA3C4, 0x457EA6, 0x2D5A84],
        disc: 0xFFDDBB,
        route: 0xE8513F,
        casing: 0xFFFFFF,
    },
    // Northern lights.
    Palette {
        climate: Climate::Polar,
        layers: [0xE4FBEA, 0xA9EFD3, 0x64D6BD, 0x35AEA9, 0x24808F, 0x1D5673, 0x183459],
        disc: 0xFFFFF2,
        route: 0xF0563F,
        casing: 0xFAFFFB,
    },
    // Polar night.
    Palette {
        climate: Climate::Polar,
        layers: [0xB7DDD8, 0x7DBBC4, 0x5392AF, 0x3A6E98, 0x2A4F7C, 0x1E365F, 0x142142],
        disc: 0xFBFFF2,
        route: 0xFFF1C9,
        casing: 0x142142,
    },
];

/// Chooses one of the palettes of the place's climate.
pub(super) fn choose(latitude: f64, longitude: f64, seed: &mut Seed) -> &'static Palette {
    let climate = climate(latitude, longitude);
    let palettes: Vec<&Palette> = PALETTES.iter().filter(|palette| palette.climate == climate).collect();
    seed.pick(&palettes)
}

fn climate(latitude: f64, longitude: f64) -> Climate {
    let within = |[south, west, north, east]: &[f64; 4]| {
        (*south..=*north).contains(&latitude) && (*west..=*east).contains(&longitude)
    };
    match latitude.abs() {
        _ if DESERTS.iter().any(within) => Climate::Desert,
        ..23.5 => Climate::Tropical,
        ..44.0 => Climate::Mild,
        ..60.0 => Climate::Cool,
        _ => Climate::Polar,
    }
}

/// Splits `0xRRGGBB`.
pub(super) fn colour(hex: u32) -> Colour {
    let [_, red, green, blue] = hex.to_be_bytes();
    [red, green, blue].map(|part| f32::from(part) / 255.0)
}

// These run several times for each pixel; `array::map` would cost more than the arithmetic.

/// The colour between two others: `from` at 0, `to` at 1.
#[inline]
pub(super) fn blend(from: Colour, to: Colour, share: f32) -> Colour {
    let part = |from: f32, to: f32| from + (to - from) * share;
    [part(from[0], to[0]), part(from[1], to[1]), part(from[2], to[2])]
}

/// A colour made darker or lighter.
#[inline]
pub(super) fn scale([red, green, blue]: Colour, factor: f32) -> Colour {
    [red * factor, green * factor, blue * factor]
}
