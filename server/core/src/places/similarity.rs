//! How similar two names are.

use super::names::NameWord;

/// From this similarity on, two words count as one word and its misspelling.
const MISSPELT: f64 = 0.93;
/// Words with fewer letters must match exactly.
const LONG_ENOUGH: usize = 5;
/// From this similarity on, names match that one writes as one word and the other as several.
const TOGETHER: f64 = 0.9;

/// The similarity of two names, from 0 to 1: the weight of the words they share, divided by the weight of all words.
pub(super) fn of(one: &[NameWord], other: &[NameWord]) -> f64 {
    if one.is_empty() || other.is_empty() {
        return 0.0;
    }
    let shared: f64 = one.iter().map(|word| word.weight * closest(word, other)).sum();
    let back: f64 = other.iter().map(|word| word.weight * closest(word, one)).sum();
    let by_words = (shared + back) / (weight(one) + weight(other));
    if by_words > 0.999 { by_words.min(1.0) } else { by_words.max(written_together(one, other)) }
}

fn weight(words: &[NameWord]) -> f64 {
    words.iter().map(|word| word.weight).sum()
}

/// The similarity to the most similar of the words.
fn closest(word: &NameWord, others: &[NameWord]) -> f64 {
    let alike = |other: &NameWord| {
        if word.text == other.text {
            return 1.0;
        }
        let (short, long) = (word.text.len().min(other.text.len()), word.text.len().max(other.text.len()));
        // The first letter and the length are cheap to compare, so they are compared first.
        if short < LONG_ENOUGH || long - short > 2 || word.text.as_bytes()[0] != other.text.as_bytes()[0] {
            return 0.0;
        }
        let alike = strsim::jaro_winkler(&word.text, &other.text);
        if alike >= MISSPELT { alike * alike } else { 0.0 }
    };
    others.iter().map(alike).fold(0.0, f64::max)
}

/// `Kiyomizudera` and `Kiyomizu-dera` are the same name.
fn written_together(one: &[NameWord], other: &[NameWord]) -> f64 {
    if one.len() == other.len() {
        return 0.0;
    }
    let join = |words: &[NameWord]| words.iter().map(|word| word.text.as_str()).collect::<String>();
    let (one, other) = (join(one), join(other));
    if one.len().abs_diff(other.len()) > 2 || one.as_bytes().first() != other.as_bytes().first() {
        return 0.0;
    }
    let alike = strsim::normalized_damerau_levenshtein(&one, &other);
    if alike >= TOGETHER { alike } else { 0.0 }
}
