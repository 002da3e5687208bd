//! Text as outlines, in the one font that is built in: Latin, Greek and Cyrillic, without shaping.

use std::iter;

use skrifa::instance::{LocationRef, Size};
use skrifa::outline::{DrawSettings, OutlinePen};
use skrifa::{FontRef, GlyphId, MetadataProvider};
use tiny_skia::{Path, PathBuilder};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

static FILE: &[u8] = include_bytes!("../font/Literata-SemiBold.ttf");

/// The built-in font.
pub(crate) struct Font {
    font: FontRef<'static>,
}

impl Font {
    pub(crate) fn built_in() -> Self {
        Self { font: FontRef::new(FILE).expect("the built-in font is valid") }
    }

    /// The text as one line that can be drawn: composed, and without symbols that the font lacks, such as emoji. `None` if it
    /// lacks a letter, a digit or an accent, because the text would say something else, or if nothing remains.
    pub(crate) fn drawable(&self, text: &str) -> Option<String> {
        let mut line = String::with_capacity(text.len());
        for character in text.nfc().filter(|character| !is_variant(*character)) {
            match character {
                blank if blank.is_whitespace() => line.push(' '),
                // The font has accents, but nothing here knows where to put them.
                accent if is_combining_mark(accent) => return None,
                known if !known.is_control() && self.glyph(known).is_some() => line.push(known),
                letter if letter.is_alphanumeric() => return None,
                _ => {}
            }
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        Some(words.join(" ")).filter(|line| !line.is_empty())
    }

    /// The width of a line at a size in pixels.
    pub(crate) fn width(&self, line: &str, size: f32) -> f32 {
        self.advances(line, size).map(|(_, advance)| advance).sum()
    }

    /// The outlines of a line whose first character begins at `x` on the base line `y`. `None` if it is blank.
    pub(crate) fn outlines(&self, line: &str, size: f32, (x, y): (f32, f32)) -> Option<Path> {
        let mut pen = Pen { builder: PathBuilder::new(), x, y };
        let outlines = self.font.outline_glyphs();
        for (glyph, advance) in self.advances(line, size) {
            if let Some(outline) = outlines.get(glyph) {
                let settings = DrawSettings::unhinted(Size::new(size), LocationRef::default());
                outline.draw(settings, &mut pen).expect("the built-in font is valid");
            }
            pen.x += advance;
        }
        pen.builder.finish()
    }

    fn glyph(&self, character: char) -> Option<GlyphId> {
        self.font.charmap().map(character)
    }

    fn advances(&self, line: &str, size: f32) -> impl Iterator<Item = (GlyphId, f32)> {
        let metrics = self.font.glyph_metrics(Size::new(size), LocationRef::default());
        let mut characters = line.chars();
        iter::from_fn(move || {
            let glyph = self.glyph(characters.next()?).unwrap_or_default();
            Some((glyph, metrics.advance_width(glyph).unwrap_or_default()))
        })
    }
}

/// Whether a character only chooses the look of the one before, such as an emoji's.
fn is_variant(character: char) -> bool {
    matches!(character, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' | '\u{20e3}')
}

/// Draws outlines, which have `y` upwards, at a position with `y` downwards.
struct Pen {
    builder: PathBuilder,
    x: f32,
    y: f32,
}

impl OutlinePen for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        self.builder.move_to(self.x + x, self.y - y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.builder.line_to(self.x + x, self.y - y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.builder.quad_to(self.x + x1, self.y - y1, self.x + x, self.y - y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let (left, base) = (self.x, self.y);
        self.builder.cubic_to(left + x1, base - y1, left + x2, base - y2, left + x, base - y);
    }

    fn close(&mut self) {
        self.builder.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_that_the_font_lacks_make_a_text_undrawable_and_symbols_do_not() {
        let font = Font::built_in();
        for (text, drawn) in [
            ("São Miguel — Açores", Some("São Miguel — Açores")),
            ("Sa\u{303}o Miguel", Some("São Miguel")),
            ("  Đà\tNẵng\n–  Hội An ", Some("Đà Nẵng – Hội An")),
            ("Αθήνα, Санкт-Петербург", Some("Αθήνα, Санкт-Петербург")),
            ("Sun \u{1f31e}\u{fe0f} and \u{1f468}\u{200d}\u{1f469} sea", Some("Sun and sea")),
            ("a\u{202e}b", Some("ab")),
            ("東京の春", None),
            ("Tokyo 東京", None),
            ("رحلة إلى لشبونة", None),
            ("שלום", None),
            ("กรุงเทพ", None),
            ("x\u{335}", None),
            ("\u{1f31e}", None),
            ("", None),
        ] {
            assert_eq!(font.drawable(text).as_deref(), drawn, "{text}");
        }
    }

    #[test]
    fn widths_grow_with_the_text_and_the_size() {
        let font = Font::built_in();
        assert!(font.width("Lisbon", 40.0) < font.width("Lisbon ", 40.0));
        assert!((font.width("Lisbon", 80.0) - 2.0 * font.width("Lisbon", 40.0)).abs() < 0.5);
        let bounds = font.outlines("Lisbon", 40.0, (100.0, 200.0)).expect("outlines").bounds();
        assert!(bounds.left() >= 100.0 && bounds.right() <= 100.0 + font.width("Lisbon", 40.0) + 2.0, "{bounds:?}");
        assert!(bounds.top() > 160.0 && (199.0..203.0).contains(&bounds.bottom()), "{bounds:?}");
        assert!(font.outlines(" ", 40.0, (0.0, 0.0)).is_none());
    }
}
