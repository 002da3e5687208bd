//! The title of a trip on its picture for links: white text at the bottom, over a shade that makes it legible on any
//! picture.

use image::{Rgb, RgbImage};
use tiny_skia::{FillRule, Mask, Transform};

use crate::font::Font;

/// The distance of text from the sides and from the bottom, in pixels.
const MARGIN: f32 = 72.0;
const BOTTOM: f32 = 66.0;
/// The sizes of the title, of which the largest is used at which it fits into [`LINES`].
const TITLE: [f32; 3] = [78.0, 66.0, 56.0];
const LINES: usize = 2;
/// The distance between the base lines of the title, as a part of its size.
const LEADING: f32 = 1.16;
/// The size of the line with place and dates.
const FACTS: f32 = 33.0;
/// The height of a capital letter with an accent, as a part of the size.
const ASCENT: f32 = 0.95;
/// Between the base line of the title and the top of the line below.
const GAP: f32 = 22.0;

/// How far the shade rises above the text, and how strong it is there and at the bottom. At 0.7, white text has a contrast of
/// more than 4.5 even on a white picture.
const FADE: f32 = 190.0;
const SHADE: (f32, f32) = (0.7, 0.86);
/// The brightest channel of the shade, of 255.
const DARKEST: f32 = 34.0;

/// What a picture for links says. A line that the built-in font cannot draw is left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Caption {
    pub title: String,
    pub place: String,
    pub dates: String,
}

/// A line of text: its size and its base line.
struct TextLine {
    text: String,
    size: f32,
    base: f32,
}

/// Draws a caption on a picture. Leaves the picture as it is if nothing of the caption can be drawn.
pub(crate) fn write(picture: &mut RgbImage, caption: &Caption) {
    let font = Font::built_in();
    #[expect(clippy::cast_precision_loss, reason = "a picture has some thousand pixels on a side")]
    let (width, height) = (picture.width() as f32, picture.height() as f32);
    let lines = layout(&font, caption, (width, height));
    let Some(first) = lines.first() else { return };
    shade(picture, first.base - first.size * ASCENT);
    let mut mask = Mask::new(picture.width(), picture.height()).expect("a picture has a size");
    for line in &lines {
        if let Some(path) = font.outlines(&line.text, line.size, (MARGIN, line.base)) {
            mask.fill_path(&path, FillRule::Winding, true, Transform::identity());
        }
    }
    for (pixel, &coverage) in picture.pixels_mut().zip(mask.data()) {
        if coverage > 0 {
            blend(pixel, [255.0; 3], f32::from(coverage) / 255.0);
        }
    }
}

/// The lines of a caption, from the top.
fn layout(font: &Font, caption: &Caption, (width, height): (f32, f32)) -> Vec<TextLine> {
    let room = width - 2.0 * MARGIN;
    let mut lines = Vec::new();
    let mut base = height - BOTTOM;
    if let Some(text) = facts(font, caption, room) {
        lines.push(TextLine { text, size: FACTS, base });
        base -= FACTS * ASCENT + GAP;
    }
    if let Some(title) = font.drawable(&caption.title) {
        let (title, size) = fitted(font, &title, room);
        for text in title.into_iter().rev() {
            lines.push(TextLine { text, size, base });
            base -= size * LEADING;
        }
    }
    lines.reverse();
    lines
}

/// Place and dates in one line. The dates are whole; the place is shortened, or left out if it is the title.
fn facts(font: &Font, caption: &Caption, room: f32) -> Option<String> {
    let place = font.drawable(&caption.place).filter(|_| caption.place != caption.title);
    let dates = font.drawable(&caption.dates);
    match (place, dates) {
        (Some(place), Some(dates)) => {
            let dates = format!(" · {dates}");
            Some(shortened(font, &place, FACTS, room - font.width(&dates, FACTS)) + &dates)
        }
        (line, None) | (None, line) => line.map(|line| shortened(font, &line, FACTS, room)),
    }
}

/// A title in at most two lines of a width, and its size.
fn fitted(font: &Font, title: &str, room: f32) -> (Vec<String>, f32) {
    for size in TITLE {
        if let Some(lines) = balanced(font, title, size, room) {
            return (lines, size);
        }
    }
    let size = TITLE[TITLE.len() - 1];
    (cut(font, title, size, room), size)
}

/// The title in one line, or in two lines of similar widths. `None` if neither fits.
fn balanced(font: &Font, title: &str, size: f32, room: f32) -> Option<Vec<String>> {
    if font.width(title, size) <= room {
        return Some(vec![title.to_owned()]);
    }
    let breaks = title.match_indices(' ').map(|(at, _)| (&title[..at], &title[at + 1..]));
    let widths = breaks.map(|(first, second)| (font.width(first, size).max(font.width(second, size)), first, second));
    let (width, first, second) = widths.min_by(|one, other| one.0.total_cmp(&other.0))?;
    (width <= room).then(|| vec![first.to_owned(), second.to_owned()])
}

/// As much of the title as fits into its lines, with an ellipsis at the end. A word that is longer than a line is broken.
fn cut(font: &Font, title: &str, size: f32, room: f32) -> Vec<String> {
    let mut lines = Vec::new();
    let mut rest = title;
    while lines.len() + 1 < LINES {
        let end = fitting(font, rest, size, room);
        let end = rest[..end].rfind(' ').filter(|_| end < rest.len()).unwrap_or(end);
        lines.push(rest[..end].to_owned());
        rest = rest[end..].trim_start();
    }
    lines.push(shortened(font, rest, size, room));
    lines
}

/// The text, with an ellipsis if it is wider than there is room.
fn shortened(font: &Font, text: &str, size: f32, room: f32) -> String {
    if font.width(text, size) <= room {
        return text.to_owned();
    }
    let end = fitting(font, text, size, room - font.width("…", size));
    format!("{}…", text[..end].trim_end_matches([' ', ',', '.', '–', '—', '-', '·']))
}

/// How many bytes of the text fit, in whole characters.
fn fitting(font: &Font, text: &str, size: f32, room: f32) -> usize {
    let mut width = 0.0;
    let mut buffer = [0; 4];
    let is_too_wide = |&(_, character): &(usize, char)| {
        width += font.width(character.encode_utf8(&mut buffer), size);
        width > room
    };
    text.char_indices().find(is_too_wide).map_or(text.len(), |(at, _)| at)
}

/// Darkens the picture below its text, which begins at `top`, with the picture's own hue.
fn shade(picture: &mut RgbImage, top: f32) {
    let colour = shade_of(picture);
    #[expect(clippy::cast_precision_loss, reason = "a picture has some thousand pixels on a side")]
    let height = picture.height() as f32;
    for (y, row) in (0_u16..).zip(picture.rows_mut()) {
        let strength = strength(f32::from(y), top, height);
        if strength > 0.0 {
            for pixel in row {
                blend(pixel, colour, strength);
            }
        }
    }
}

/// The strength of the shade in a row, which rises smoothly from nothing to the first line, and slowly from there.
fn strength(y: f32, top: f32, height: f32) -> f32 {
    let above = ((y - (top - FADE)) / FADE).clamp(0.0, 1.0);
    let below = ((y - top) / (height - top)).clamp(0.0, 1.0);
    above * above * (3.0 - 2.0 * above) * SHADE.0 + below * (SHADE.1 - SHADE.0)
}

/// The average colour of the lower half, as dark as a shade is.
fn shade_of(picture: &RgbImage) -> [f32; 3] {
    let lower = picture.height() / 2;
    let mut sums = [0.0_f32; 3];
    // Every eighth pixel of every eighth row says enough.
    for y in (lower..picture.height()).step_by(8) {
        for x in (0..picture.width()).step_by(8) {
            let Rgb(pixel) = picture.get_pixel(x, y);
            for (sum, channel) in sums.iter_mut().zip(pixel) {
                *sum += f32::from(*channel);
            }
        }
    }
    // More of the hue, without which the shade of a pale picture is mud.
    let palest = sums.into_iter().fold(f32::INFINITY, f32::min);
    let sums = sums.map(|sum| sum - palest / 2.0);
    let brightest = sums.into_iter().fold(0.0, f32::max);
    if brightest > 0.0 { sums.map(|sum| sum / brightest * DARKEST) } else { [0.0; 3] }
}

fn blend(Rgb(pixel): &mut Rgb<u8>, colour: [f32; 3], strength: f32) {
    for (channel, other) in pixel.iter_mut().zip(colour) {
        let mixed = f32::from(*channel) * (1.0 - strength) + other * strength + 0.5;
        // A cast saturates, and the mixture is between 0 and 255.5.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a value of 0 to 255")]
        let mixed = mixed as u8;
        *channel = mixed;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: (u32, u32) = (1_200, 630);
    const LONG: &str = "Seven slow days along the coast of the Algarve, with a detour to Évora, its cathedral, and three \
        vineyards that nobody has heard of";

    fn caption(title: &str, place: &str) -> Caption {
        Caption { title: title.to_owned(), place: place.to_owned(), dates: "15 – 21 May 2027".to_owned() }
    }

    fn blank(grey: u8) -> RgbImage {
        RgbImage::from_pixel(SIZE.0, SIZE.1, Rgb([grey; 3]))
    }

    fn written(caption: &Caption, grey: u8) -> RgbImage {
        let mut picture = blank(grey);
        write(&mut picture, caption);
        picture
    }

    fn lines(caption: &Caption) -> Vec<(String, f32)> {
        let lines = layout(&Font::built_in(), caption, (1_200.0, 630.0));
        assert!(lines.iter().all(|line| line.base - line.size > 200.0 && line.base < 600.0));
        lines.into_iter().map(|line| (line.text, line.size)).collect()
    }

    /// The rows and columns between which the picture is white.
    fn ink(picture: &RgbImage) -> Option<[u32; 4]> {
        let white = picture.enumerate_pixels().filter(|(_, _, pixel)| pixel.0 == [255; 3]);
        white.fold(None, |found, (x, y, _)| {
            let [left, right, top, bottom] = found.unwrap_or([x, x, y, y]);
            Some([left.min(x), right.max(x), top.min(y), bottom.max(y)])
        })
    }

    #[test]
    fn another_title_changes_the_pixels_of_its_lines_only() {
        let [one, other] = ["Lisbon", "Porto"].map(|title| written(&caption(title, "Portugal"), 120));
        assert_eq!(one, written(&caption("Lisbon", "Portugal"), 120), "the same again");
        let differing = one.enumerate_pixels().filter(|(x, y, pixel)| other.get_pixel(*x, *y) != *pixel);
        let rows: Vec<u32> = differing.map(|(_, y, _)| y).collect();
        let (first, last) = (rows.iter().min().expect("differences"), rows.iter().max().expect("differences"));
        assert!(*first > 420 && *last < 540, "{first} {last}");
    }

    #[test]
    fn long_titles_are_shortened_within_two_lines() {
        let short = lines(&caption("Lisbon", "Portugal"));
        assert_eq!(short, [("Lisbon".to_owned(), TITLE[0]), ("Portugal · 15 – 21 May 2027".to_owned(), FACTS)]);
        let two = lines(&caption("Seven days in Lisbon, with Sintra and the sea", "Lisbon"));
        assert_eq!((&*two[0].0, &*two[1].0), ("Seven days in Lisbon,", "with Sintra and the sea"));
        let long = lines(&caption(LONG, "Portugal"));
        assert!(long.len() == 3 && long[1].0.ends_with('…') && long[1].1 < TITLE[1], "{long:?}");
        assert!(LONG.starts_with(&format!("{} {}", long[0].0, long[1].0.trim_end_matches('…'))), "{long:?}");
        let one_word = lines(&caption(&"Llanfair".repeat(25), &"Place".repeat(100)));
        assert!(one_word[1].0.ends_with('…') && one_word[2].0.ends_with("… · 15 – 21 May 2027"), "{one_word:?}");
        for title in [LONG.to_owned(), "Llanfair".repeat(25), "W".repeat(200)] {
            let [left, right, top, bottom] = ink(&written(&caption(&title, "Portugal"), 40)).expect("text");
            assert!(left >= 70 && right <= 1_130 && top > 250 && bottom < 590, "{left} {right} {top} {bottom}");
        }
    }

    #[test]
    fn lines_that_the_font_lacks_are_left_out() {
        assert_eq!(lines(&caption("東京の春", "Tokyo"))[0].0, "Tokyo · 15 – 21 May 2027");
        assert_eq!(lines(&caption("東京の春", "東京"))[0].0, "15 – 21 May 2027");
        assert_eq!(lines(&caption("Spring", "東京"))[1].0, "15 – 21 May 2027");
        assert_eq!(lines(&caption("東京の春", "Tokyo")).len(), 1);
        assert_eq!(lines(&caption("Tokyo", "Tokyo"))[1].0, "15 – 21 May 2027", "the place is the title");
        let nothing = Caption { title: "東京の春".to_owned(), ..Caption::default() };
        assert_eq!(written(&nothing, 200), blank(200));
    }

    #[test]
    fn white_text_has_contrast_on_any_picture() {
        let luminance = |Rgb(pixel): &Rgb<u8>| {
            let linear = pixel.map(|channel| (f32::from(channel) / 255.0).powf(2.2));
            0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
        };
        for title in ["Lisbon", LONG] {
            for grey in [255, 128, 0] {
                let picture = written(&caption(title, "Portugal"), grey);
                let [left, _, top, bottom] = ink(&written(&caption(title, "Portugal"), 40)).expect("text");
                for y in top..=bottom {
                    // Left of the text there is only the shade.
                    let contrast = 1.05 / (luminance(picture.get_pixel(left - 20, y)) + 0.05);
                    assert!(contrast >= 4.5, "{title} on {grey}: {contrast} in row {y}");
                }
                assert_eq!(picture.get_pixel(600, 100).0, [grey; 3], "the upper part is as it was");
            }
        }
    }
}
