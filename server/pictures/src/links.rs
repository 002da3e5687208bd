//! The picture that other programs show beside a link: 1,200 x 630 pixels, as Open Graph recommends.

use image::{Rgb, RgbImage};

use crate::caption::{self, Caption};
use crate::reencode::read;
use crate::rejected::Rejected;
use crate::resample::shrink;
use crate::stored::jpeg;

const WIDTH: u32 = 1_200;
const HEIGHT: u32 = 630;

/// Cuts the middle out of a stored picture, and writes a caption on it. A picture that is too small is put on a background of
/// its average colour. The same input gives the same bytes.
pub fn for_links(stored: &[u8], caption: &Caption) -> Result<Vec<u8>, Rejected> {
    let picture = read(stored)?;
    let (width, height) = picture.dimensions();
    let mut cut = if width >= WIDTH && height >= HEIGHT { cut(&picture) } else { on_background(&picture) };
    caption::write(&mut cut, caption);
    Ok(jpeg(&cut))
}

/// The largest part of the right shape in the middle, shrunk.
fn cut(picture: &RgbImage) -> RgbImage {
    let (width, height) = picture.dimensions();
    let is_wide = u64::from(width) * u64::from(HEIGHT) > u64::from(height) * u64::from(WIDTH);
    let part = if is_wide { (height * WIDTH / HEIGHT, height) } else { (width, width * HEIGHT / WIDTH) };
    shrink_part(picture, part, (WIDTH, HEIGHT))
}

/// The whole picture in the middle, shrunk if necessary, never enlarged.
fn on_background(picture: &RgbImage) -> RgbImage {
    let (width, height) = picture.dimensions();
    let (mut fitting_width, mut fitting_height) = (width, height);
    if fitting_width > WIDTH {
        (fitting_width, fitting_height) = (WIDTH, (fitting_height * WIDTH / fitting_width).max(1));
    }
    if fitting_height > HEIGHT {
        (fitting_width, fitting_height) = ((fitting_width * HEIGHT / fitting_height).max(1), HEIGHT);
    }
    let fitting = shrink_part(picture, (width, height), (fitting_width, fitting_height));
    let average = shrink_part(picture, (width, height), (1, 1));
    let mut whole = RgbImage::from_pixel(WIDTH, HEIGHT, *average.get_pixel(0, 0));
    let (left, top) = ((WIDTH - fitting_width) / 2, (HEIGHT - fitting_height) / 2);
    for (x, y, pixel) in fitting.enumerate_pixels() {
        whole.put_pixel(left + x, top + y, *pixel);
    }
    whole
}

/// Shrinks the middle part of this size.
fn shrink_part(picture: &RgbImage, part: (u32, u32), to: (u32, u32)) -> RgbImage {
    let (left, top) = ((picture.width() - part.0) / 2, (picture.height() - part.1) / 2);
    shrink(part, to, |y, out| {
        let (out, _) = out.as_chunks_mut::<3>();
        for (x, out) in (left..).zip(out) {
            let Rgb(pixel) = picture.get_pixel(x, top + y);
            *out = pixel.map(f32::from);
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A picture whose left half is red and whose right half is blue.
    fn halves(width: u32, height: u32) -> Vec<u8> {
        jpeg(&RgbImage::from_fn(width, height, |x, _| Rgb(if x < width / 2 { [250, 0, 0] } else { [0, 0, 250] })))
    }

    fn colours(width: u32, height: u32) -> ((u32, u32), [bool; 3]) {
        let made =
            read(&for_links(&halves(width, height), &Caption::default()).expect("a picture")).expect("a picture");
        let is_red = |x: u32| made.get_pixel(x, HEIGHT / 2).0[0] > 180;
        (made.dimensions(), [is_red(4), is_red(WIDTH / 2 - 30), is_red(WIDTH / 2 + 30)])
    }

    #[test]
    fn every_picture_gets_the_same_size_with_its_middle_in_the_middle() {
        for (width, height) in [(2_048, 1_152), (1_200, 630), (1_500, 2_000), (2_048, 640)] {
            assert_eq!(colours(width, height), ((WIDTH, HEIGHT), [true, true, false]), "{width} x {height}");
        }
    }

    #[test]
    fn a_caption_is_part_of_the_picture() {
        let made = |title: &str| {
            let caption = Caption { title: title.to_owned(), ..Caption::default() };
            for_links(&halves(1_280, 720), &caption).expect("a picture")
        };
        assert_eq!(made("Lisbon"), made("Lisbon"));
        assert_ne!(made("Lisbon"), made("Porto"));
        let white = read(&made("Lisbon"))
            .expect("a picture")
            .pixels()
            .filter(|Rgb(pixel)| pixel.iter().all(|part| *part > 240))
            .count();
        assert!(white > 1_000, "{white}");
    }

    #[test]
    fn a_small_picture_is_not_enlarged() {
        for (width, height) in [(400, 300), (2_048, 100), (200, 2_048), (1_000, 1_000)] {
            assert_eq!(colours(width, height).0, (WIDTH, HEIGHT), "{width} x {height}");
            assert!(!colours(200, 2_048).1[0], "beside it is the average colour");
        }
        assert!(for_links(&halves(1, 1), &Caption::default()).is_ok());
        assert!(for_links(b"not a picture", &Caption::default()).is_err());
    }
}
