//! Accepted and rejected files.

mod age;
mod cms;
mod cuts;
mod jwe;
mod plain;
mod samples;

use itinerary_sealed::{Format, Inspector, NotSealed};

/// The result for a file in one chunk.
fn inspect(file: impl AsRef<[u8]>) -> Result<Format, NotSealed> {
    let mut inspector = Inspector::new();
    // `finish` returns the same reason.
    let pushed = inspector.push(file.as_ref());
    let verdict = inspector.finish();
    assert!(pushed.is_ok() || pushed.err() == verdict.clone().err());
    verdict
}

#[track_caller]
fn assert_accepted(file: impl AsRef<[u8]>, format: Format) {
    let file = file.as_ref();
    assert_eq!(inspect(file), Ok(format), "{}", String::from_utf8_lossy(file));
}

/// Asserts that the file is rejected with a reason that contains these words.
#[track_caller]
fn assert_refused(file: impl AsRef<[u8]>, words: &str) {
    let file = file.as_ref();
    let text = String::from_utf8_lossy(file);
    let reason = inspect(file).expect_err(&text).to_string();
    assert!(reason.contains(words), "{reason}\n{text}");
}

/// Asserts that every truncation is rejected, except those that `may` allows.
#[track_caller]
fn assert_truncations_refused(file: &[u8], may: impl Fn(usize) -> bool) {
    for len in 0..file.len() {
        assert_eq!(inspect(&file[..len]).is_ok(), may(len), "after {len} of {} bytes", file.len());
    }
}

/// Asserts that every extension is rejected, except those that `may` allows.
#[track_caller]
fn assert_extensions_refused(file: &[u8], may: impl Fn(u8) -> bool) {
    for byte in 0..=u8::MAX {
        let extended = [file, &[byte]].concat();
        assert_eq!(inspect(&extended).is_ok(), may(byte), "with {byte:#x} after it");
    }
    assert!(inspect([file, file].concat()).is_err(), "twice");
}

#[test]
fn an_inspector_can_move_between_threads() {
    fn is_send<T: Send + Default + std::fmt::Debug>() {}
    is_send::<Inspector>();
    assert_refused("", "empty");
}
