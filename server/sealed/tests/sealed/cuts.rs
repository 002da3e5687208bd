//! The result does not depend on how a file is split into chunks, and nothing panics.

use std::sync::LazyLock;

use itinerary_sealed::{Format, Inspector, NotSealed};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use crate::inspect;
use crate::samples::{age, armored, each_format, openssl, pem, scrypt};

/// Small files of each format, and some whose payload is long enough to be skipped in long runs.
static FILES: LazyLock<Vec<(Format, Vec<u8>)>> = LazyLock::new(|| {
    let mut files = each_format();
    let long = age(&scrypt("18"), 65_552 + 17);
    files.push((Format::AgeArmored, armored(&long).into_bytes()));
    files.push((Format::Age, long));
    let cms = openssl(openssl::symm::Cipher::aes_256_gcm(), &[0x5A; 5_000]).to_der().unwrap();
    files.push((Format::CmsPem, pem("PKCS7", &cms, "\r\n").into_bytes()));
    files.push((Format::CmsDer, cms));
    files
});

fn in_pieces<'file>(pieces: impl IntoIterator<Item = &'file [u8]>) -> Result<Format, NotSealed> {
    let mut inspector = Inspector::new();
    let mut refused = None;
    for piece in pieces {
        let pushed = inspector.push(piece);
        assert!(refused.is_none() || pushed == Err(refused.clone().unwrap()), "once refused, stays refused");
        refused = pushed.err();
    }
    let verdict = inspector.finish();
    assert!(refused.is_none() || verdict == Err(refused.unwrap()));
    verdict
}

fn cut<'file>(file: &'file [u8], cuts: &[Index]) -> Vec<&'file [u8]> {
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(file.len() + 1)).collect();
    cuts.extend([0, file.len()]);
    cuts.sort_unstable();
    cuts.windows(2).map(|ends| &file[ends[0]..ends[1]]).collect()
}

#[test]
fn every_format_is_accepted_in_pieces_of_any_size() {
    for (format, file) in FILES.iter() {
        assert_eq!(inspect(file), Ok(*format));
        for size in 1..200 {
            assert_eq!(in_pieces(file.chunks(size)), Ok(*format), "in pieces of {size} bytes");
        }
    }
}

#[test]
fn every_format_is_accepted_in_any_two_pieces() {
    for (format, file) in each_format() {
        for at in 0..=file.len() {
            assert_eq!(in_pieces([&file[..at], &[], &file[at..]]), Ok(format), "cut after {at} bytes");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn cuts_do_not_matter(file in 0..12_usize, cuts in vec(any::<Index>(), 0..20)) {
        let (format, file) = &FILES[file];
        prop_assert_eq!(in_pieces(cut(file, &cuts)), Ok(*format));
    }

    #[test]
    fn cuts_do_not_matter_in_damaged_files(
        file in 0..12_usize,
        damage in vec((any::<Index>(), prop_oneof![any::<u8>(), Just(b'\n'), Just(b'A'), Just(b'.'), Just(b'"')]), 1..4),
        end in any::<Index>(),
        is_cut_off: bool,
        cuts in vec(any::<Index>(), 0..20),
    ) {
        let mut file = FILES[file].1.clone();
        if is_cut_off {
            file.truncate(end.index(file.len()) + 1);
        }
        for (at, byte) in damage {
            let at = at.index(file.len());
            file[at] = byte;
        }
        prop_assert_eq!(in_pieces(cut(&file, &cuts)), inspect(&file));
    }

    #[test]
    fn random_bytes_are_refused(bytes in vec(any::<u8>(), 0..3_000), cuts in vec(any::<Index>(), 0..5)) {
        let verdict = inspect(&bytes);
        prop_assert!(verdict.is_err());
        prop_assert_eq!(in_pieces(cut(&bytes, &cuts)), verdict);
    }

    #[test]
    fn random_bytes_after_a_good_beginning_do_not_panic(
        file in 0..12_usize,
        at in any::<Index>(),
        bytes in vec(any::<u8>(), 0..300),
        cuts in vec(any::<Index>(), 0..5),
    ) {
        let file = &FILES[file].1;
        let mixed = [&file[..at.index(file.len())], &bytes].concat();
        prop_assert_eq!(in_pieces(cut(&mixed, &cuts)), inspect(&mixed));
    }
}
