//! Land and water as layers of cut paper, lit from the upper left, with a sun or moon printed on the land.

use tiny_skia::Pixmap;

use super::coast;
use super::field::{HeightField, PixelIndex};
use super::palette::{Colour, LAYERS, Palette, blend, colour, scale};
use super::projection::View;
use super::seed::{Seed, mix};
use super::{HEIGHT, WIDTH};

/// The layers of paper, of which the highest is land.
const SHEETS: usize = coast::COAST as usize + 1;
const LAND: usize = SHEETS - 1;
/// The colours of the water in the palette, from the deepest to the coast.
const WATER: [usize; LAND] = [4, 3, 2];

/// The offset of a shadow to the right and down, in pixels.
const SHADOW_SHIFT: usize = 8;
/// The distance over which a shadow fades out, in pixels.
const SHADOW_REACH: f32 = 29.0;
/// The distance under the paper at which a shadow is darkest, in pixels.
const CORE: f32 = 11.0;
const SHADOW_STRENGTH: f32 = 0.62;
/// Light from the sky leaves a weaker shadow on all sides.
const AMBIENT_REACH: f32 = 25.0;
const AMBIENT_STRENGTH: f32 = 0.75;
/// The lit edge of the paper, in pixels.
const EDGE: f32 = 2.2;

/// How many different grains there are.
const GRAINS: usize = 4_096;
/// Half the width of the line half-way up each layer, in pixels.
const CONTOUR: f32 = 1.1;

/// Paints land and water over the whole picture.
pub(super) fn paint(pixmap: &mut Pixmap, palette: &Palette, seed: &mut Seed, view: &View) {
    let layers = palette.layers.map(colour);
    let paper = Paper {
        field: coast::heights(view),
        land: Land::new(palette, seed),
        water: WATER.map(|layer| layers[layer]),
        shade: layers[LAYERS - 1],
    };
    let width = WIDTH as usize;
    let grain: Vec<f32> = (0..GRAINS as u64).map(grain).collect();
    let mut shades = vec![Shade::UNKNOWN; width.div_ceil(2)];
    let half = HEIGHT as f32 / 2.0;
    let tint = |x, y| 1.0 - 0.035 * ((x - WIDTH as f32 / 2.0) / half * 0.6 + y / half - 1.0);
    let tint_step = (tint(0.0, 0.0) - tint(WIDTH as f32, 0.0)) / WIDTH as f32;
    for (y, line) in pixmap.data_mut().chunks_exact_mut(width * 4).enumerate() {
        let tint_of_row = tint(0.0, y as f32);
        for (x, pixel) in line.as_chunks_mut().0.iter_mut().enumerate() {
            let shade = &mut shades[x / 2];
            if x % 2 == 0 && y % 2 == 0 {
                *shade = Shade::UNKNOWN;
            }
            let tint = tint_of_row - x as f32 * tint_step;
            // Each line has the grain of the one above, shifted.
            *pixel = dithered(scale(paper.colour(x, y, shade), tint), grain[(y * 1_283 + x) % GRAINS]);
        }
    }
}

/// The strength of the shadow on a layer, which four neighbouring pixels share if they show the same layer: it changes
/// slowly, and costs most.
#[derive(Clone, Copy)]
struct Shade {
    layer: usize,
    strength: f32,
}

impl Shade {
    const UNKNOWN: Self = Self { layer: usize::MAX, strength: 0.0 };
}

struct Paper {
    field: HeightField,
    land: Land,
    water: [Colour; LAND],
    /// The colour of shadows.
    shade: Colour,
}

impl Paper {
    fn colour(&self, x: usize, y: usize, shade: &mut Shade) -> Colour {
        let pixel = PixelIndex::new(x, y);
        let slope = self.field.slope(pixel);
        let steepness = length(slope).max(1e-4);
        // A pixel belongs to the layer whose edge it touches, to be blended with the one below.
        let height = (self.field.height(pixel) + steepness / 2.0).clamp(0.0, SHEETS as f32 - 0.01);
        let layer = height as usize;
        if shade.layer != layer {
            *shade = Shade { layer, strength: self.strength(layer, pixel) };
        }
        let own = |layer: usize| self.water.get(layer).copied().unwrap_or_else(|| self.land.colour(x as f32, y as f32));
        let part = height - layer as f32;
        let mut painted = self.shaded(contour(own(layer), part, steepness), shade.strength);
        if layer == 0 {
            return painted;
        }
        // Not divided where there is no edge: this runs for each pixel.
        if part < EDGE * steepness {
            let inside = part / steepness;
            let facing = (slope[0] + slope[1]) / steepness * 0.707;
            let strength = 0.20 + 0.16 * facing;
            painted = blend(painted, [1.0; 3], strength * ((EDGE - inside) / 1.5).min(1.0));
        }
        if part < steepness {
            let inside = part / steepness;
            painted = blend(self.shaded(own(layer - 1), self.strength(layer - 1, pixel)), painted, inside);
        }
        painted
    }

    /// The strength of the shadow of the layers above a layer, of 0 to 1.
    fn strength(&self, layer: usize, pixel: PixelIndex) -> f32 {
        if layer == LAND { 0.0 } else { SHADOW_STRENGTH * self.shadow(layer as f32 + 1.0, pixel) }
    }

    /// A colour in a shadow of this strength.
    fn shaded(&self, own: Colour, strength: f32) -> Colour {
        if strength == 0.0 {
            return own;
        }
        blend(own, scale(blend(own, self.shade, 0.35), 0.5), strength)
    }

    /// The strength of the shadow of the paper from height `above` on the layers below, from 0 to 1.
    fn shadow(&self, above: f32, pixel: PixelIndex) -> f32 {
        let ambient = self.fading(above, pixel, AMBIENT_REACH) * AMBIENT_STRENGTH;
        ambient.max(self.cast_shadow(above, pixel))
    }

    fn cast_shadow(&self, above: f32, pixel: PixelIndex) -> f32 {
        let towards_light = |step: usize| self.field.height(pixel.up_left(step * SHADOW_SHIFT));
        let highest = towards_light(1).max(towards_light(2)).max(towards_light(4));
        // The slope gives the distance to an edge only if there is one.
        let edge = (1.0 - (above - highest) / 0.08).clamp(0.0, 1.0);
        if edge == 0.0 { 0.0 } else { edge * self.fading(above, pixel.up_left(SHADOW_SHIFT), SHADOW_REACH) }
    }

    /// How dark the shadow of the nearest edge at height `above` still is, from 0 to 1.
    fn fading(&self, above: f32, pixel: PixelIndex, reach: f32) -> f32 {
        let missing = above - self.field.height(pixel);
        let near = (1.0 - missing / 0.5).clamp(0.0, 1.0);
        if near == 0.0 {
            return 0.0;
        }
        let distance = missing / length(self.field.slope(pixel)).max(1e-3);
        let fading = ((reach - distance) / (reach + CORE)).clamp(0.0, 1.0);
        fading * fading * near
    }
}

/// A fine line half-way up each layer.
fn contour(own: Colour, part: f32, slope: f32) -> Colour {
    let distance = (part - 0.5).abs();
    if distance > CONTOUR * slope {
        return own;
    }
    let line = (CONTOUR - distance / slope).min(1.0);
    scale(own, 1.0 - 0.05 * line)
}

fn length([x, y]: [f32; 2]) -> f32 {
    (x * x + y * y).sqrt()
}

/// The largest ring around the disc, in radii of the disc.
const OUTER_RING: f32 = 2.5;

/// The land: a glow around a sun or moon.
struct Land {
    near: Colour,
    far: Colour,
    disc: Colour,
    x: f32,
    y: f32,
    radius: f32,
}

impl Land {
    fn new(palette: &Palette, seed: &mut Seed) -> Self {
        let side = if seed.next().is_multiple_of(2) { 1.0 } else { -1.0 };
        Self {
            near: colour(palette.layers[0]),
            far: blend(colour(palette.layers[0]), colour(palette.layers[1]), 0.75),
            disc: colour(palette.disc),
            x: WIDTH as f32 * (0.5 + side * seed.between(0.10, 0.24)),
            y: HEIGHT as f32 * seed.between(0.26, 0.40),
            radius: HEIGHT as f32 * seed.between(0.12, 0.16),
        }
    }

    fn colour(&self, x: f32, y: f32) -> Colour {
        let distance = length([x - self.x, y - self.y]);
        let away = (distance / (HEIGHT as f32 * 0.8)).min(1.0);
        let mut painted = blend(self.near, self.far, away);
        if distance > self.radius * OUTER_RING + 1.0 {
            return painted;
        }
        // Rings around the disc, each paler than the one inside it.
        for (size, strength) in [(OUTER_RING, 0.10), (1.95, 0.14), (1.45, 0.20), (1.0, 0.85)] {
            let covered = (self.radius * size - distance + 0.5).min(1.0);
            if covered <= 0.0 {
                break;
            }
            painted = blend(painted, self.disc, covered * strength);
        }
        painted
    }
}

/// Rounds to bytes with a grain of less than two steps, which hides the steps of slow gradients.
fn dithered(colour: Colour, grain: f32) -> [u8; 4] {
    let byte = |part: f32| (part * 255.0 + 0.5 + grain) as u8;
    [byte(colour[0]), byte(colour[1]), byte(colour[2]), 255]
}

/// A pseudo-random number of -1.5 to 1.5, mostly about 0.
fn grain(index: u64) -> f32 {
    let bits = mix(index);
    ((bits & 0xFF) as f32 + (bits >> 8 & 0xFF) as f32) / 170.0 - 1.5
}
