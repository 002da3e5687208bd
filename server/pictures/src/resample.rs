//! Shrinks a picture row by row with a Catmull-Rom filter.
//!
//! Reads rows in order and holds only those under the filter, so the memory depends on the size of the result, not of
//! the source. (`image::imageops::resize` holds a copy with four floats per pixel.) Never enlarges.

use std::collections::VecDeque;

use image::RgbImage;

/// The size that fits in `side` x `side`, keeps the aspect ratio and is not larger than `size`.
pub(crate) fn fit((width, height): (u32, u32), side: u32) -> (u32, u32) {
    let longest = width.max(height);
    if longest <= side {
        return (width, height);
    }
    let scaled = |length: u32| {
        let rounded = (u64::from(length) * u64::from(side) + u64::from(longest) / 2) / u64::from(longest);
        u32::try_from(rounded).unwrap_or(side).max(1)
    };
    (scaled(width), scaled(height))
}

/// Shrinks a picture of `from` pixels to `to` pixels. `read_row` is called once for each row, from the top, and fills
/// in red, green and blue of 0 to 255 for each pixel.
pub(crate) fn shrink(from: (u32, u32), to: (u32, u32), mut read_row: impl FnMut(u32, &mut [f32])) -> RgbImage {
    let columns = taps(from.0, to.0);
    let mut source = vec![0.0; from.0 as usize * 3];
    let mut held: VecDeque<Vec<f32>> = VecDeque::new();
    let mut spare: Vec<Vec<f32>> = Vec::new();
    let (mut first, mut next) = (0, 0);
    let mut sums = vec![0.0; to.0 as usize * 3];
    let mut pixels = Vec::with_capacity(to.0 as usize * to.1 as usize * 3);
    for Taps { start, weights } in taps(from.1, to.1) {
        while next < start as usize + weights.len() {
            read_row(u32::try_from(next).unwrap_or(u32::MAX), &mut source);
            let mut row = spare.pop().unwrap_or_else(|| vec![0.0; to.0 as usize * 3]);
            shrink_row(&source, &columns, &mut row);
            held.push_back(row);
            next += 1;
        }
        while first < start as usize {
            spare.extend(held.pop_front());
            first += 1;
        }
        sums.fill(0.5);
        for (row, weight) in held.iter().zip(&weights) {
            for (sum, value) in sums.iter_mut().zip(row) {
                *sum += value * weight;
            }
        }
        pixels.extend(sums.iter().map(|&value| to_byte(value)));
    }
    RgbImage::from_raw(to.0, to.1, pixels).expect("one pixel was written for each column and row")
}

/// A cast saturates: below 0 is 0, above 255 is 255.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn to_byte(value: f32) -> u8 {
    value as u8
}

fn shrink_row(source: &[f32], columns: &[Taps], out: &mut [f32]) {
    let (source, _) = source.as_chunks::<3>();
    let (out, _) = out.as_chunks_mut::<3>();
    for (out, Taps { start, weights }) in out.iter_mut().zip(columns) {
        let mut sum = [0.0_f32; 3];
        for (pixel, weight) in source[*start as usize..].iter().zip(weights) {
            sum[0] += pixel[0] * weight;
            sum[1] += pixel[1] * weight;
            sum[2] += pixel[2] * weight;
        }
        *out = sum;
    }
}

/// The source pixels that one pixel of the result is made of.
struct Taps {
    start: u32,
    weights: Vec<f32>,
}

/// The taps of each of `to` pixels along a line of `from` pixels.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn taps(from: u32, to: u32) -> Vec<Taps> {
    let scale = f64::from(from) / f64::from(to);
    let last = f64::from(from - 1);
    (0..to)
        .map(|index| {
            let centre = (f64::from(index) + 0.5) * scale - 0.5;
            let start = (centre - 2.0 * scale).ceil().clamp(0.0, last);
            let end = (centre + 2.0 * scale).floor().clamp(start, last);
            let mut start = start as u32;
            let mut weights: Vec<f64> =
                (start..=end as u32).map(|at| catmull_rom((f64::from(at) - centre) / scale)).collect();
            // Without scaling, all weights but one are zero.
            while weights.last() == Some(&0.0) {
                weights.pop();
            }
            let zeros = weights.iter().take_while(|&&weight| weight == 0.0).count();
            weights.drain(..zeros);
            start += zeros as u32;
            let sum: f64 = weights.iter().sum();
            Taps { start, weights: weights.into_iter().map(|weight| (weight / sum) as f32).collect() }
        })
        .collect()
}

/// The Catmull-Rom spline's kernel; zero from a distance of 2 on.
fn catmull_rom(distance: f64) -> f64 {
    let x = distance.abs();
    if x < 1.0 {
        (1.5 * x - 2.5) * x * x + 1.0
    } else if x < 2.0 {
        ((-0.5 * x + 2.5) * x - 4.0) * x + 2.0
    } else {
        0.0
    }
}
