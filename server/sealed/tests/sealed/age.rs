//! age, binary and armored.

use itinerary_sealed::{Format, Inspector};
use proptest::prelude::*;

use crate::samples::{age, armored, pem, raw64, scrypt, x25519};
use crate::{assert_accepted, assert_extensions_refused, assert_refused, assert_truncations_refused, inspect};

const CHUNK: usize = 65_536 + 16;

#[test]
fn every_recipient_type_is_accepted() {
    let key = raw64(32);
    for stanzas in [
        x25519(),
        x25519() + &x25519(),
        scrypt("1"),
        scrypt("9"),
        scrypt("18"),
        scrypt("63"),
        format!("-> mlkem768x25519 {}\n{key}\n", raw64(1120)),
        format!("-> p256tag {} {}\n{key}\n", raw64(4), raw64(65)),
        format!("-> mlkem768p256tag {} {}\n{key}\n", raw64(4), raw64(1153)),
        format!("-> piv-p256 {} {}\n{key}\n", raw64(4), raw64(33)),
        "-> ssh-ed25519 !~\n\n".to_owned(),
        format!("-> example.com/x\n{}\n{}\n\n", raw64(48), raw64(48)),
        format!("-> example.com/x\n{}\n{}\n", raw64(48), raw64(47)),
        x25519() + "-> x-grease\n\n",
    ] {
        assert_accepted(age(&stanzas, 16), Format::Age);
        assert_accepted(armored(&age(&stanzas, 16)), Format::AgeArmored);
    }
}

#[test]
fn malformed_stanzas_are_refused() {
    let key = raw64(32);
    let share = raw64(32);
    let body = "canonical unpadded base64";
    for (stanza, words) in [
        (String::new(), "is not a recipient stanza"),
        ("->\n\n".to_owned(), "is not a recipient stanza"),
        ("->X25519\n\n".to_owned(), "is not a recipient stanza"),
        ("\n".to_owned(), "is not a recipient stanza"),
        ("-> \n\n".to_owned(), "visible ASCII"),
        ("-> a  b\n\n".to_owned(), "visible ASCII"),
        ("-> a \n\n".to_owned(), "visible ASCII"),
        ("-> a\r\n\n".to_owned(), "visible ASCII"),
        ("-> a\tb\n\n".to_owned(), "visible ASCII"),
        ("-> \u{e9}\n\n".to_owned(), "visible ASCII"),
        (format!("-> a\n{}A\n\n", raw64(48)), "64 columns"),
        (format!("-> a\n{}\n", raw64(48)), body),
        ("-> a\n".to_owned(), body),
        ("-> a\nAA==\n".to_owned(), body),
        ("-> a\nA\n".to_owned(), body),
        ("-> a\nAB\n".to_owned(), body),
        ("-> a\nAAB\n".to_owned(), body),
        ("-> a\nAA-_\n".to_owned(), body),
        ("-> a\nAAAA \n".to_owned(), body),
        ("-> a\nAAAA\nAAAA\n".to_owned(), "is not a recipient stanza"),
        (format!("-> X25519\n{key}\n"), "other arguments"),
        (format!("-> X25519 {}\n{key}\n", raw64(31)), "other arguments"),
        (format!("-> X25519 {}\n{key}\n", raw64(33)), "other arguments"),
        (format!("-> X25519 {share} a\n{key}\n"), "other arguments"),
        (format!("-> X25519 {share}=\n{key}\n"), "other arguments"),
        (format!("-> X25519 {share}\n{}\n", raw64(31)), "file key of 32 bytes"),
        (format!("-> X25519 {share}\n{}\n", raw64(33)), "file key of 32 bytes"),
        (format!("-> X25519 {share}\n\n"), "file key of 32 bytes"),
        (format!("-> mlkem768x25519 {}\n{key}\n", raw64(1119)), "other arguments"),
        (format!("-> p256tag {} {}\n{key}\n", raw64(4), raw64(33)), "other arguments"),
        (scrypt("0"), "other arguments"),
        (scrypt("01"), "other arguments"),
        (scrypt("64"), "other arguments"),
        (scrypt("100"), "other arguments"),
        (scrypt("+1"), "other arguments"),
        (scrypt("1 1"), "other arguments"),
        (format!("-> scrypt {} 18\n{key}\n", raw64(15)), "other arguments"),
        (format!("-> scrypt {} 18\n{}\n", raw64(16), raw64(48) + "\n"), "file key of 32 bytes"),
        (scrypt("18") + &scrypt("18"), "must be the only one"),
        (x25519() + &scrypt("18"), "must be the only one"),
        (scrypt("18") + "-> x-grease\n\n", "must be the only one"),
    ] {
        assert_refused(age(&stanza, 16), words);
        assert_refused(armored(&age(&stanza, 16)), words);
    }
}

#[test]
fn malformed_headers_are_refused() {
    let (stanza, mac) = (x25519(), raw64(32));
    let payload = "p".repeat(32);
    for (header, words) in [
        (format!("age-encryption.org/v2\n{stanza}--- {mac}\n"), "first line"),
        (format!("age-encryption.org/v1\r\n{stanza}--- {mac}\n"), "first line"),
        (format!("age-encryption.org/v1 \n{stanza}--- {mac}\n"), "first line"),
        (format!("AGE-encryption.org/v1\n{stanza}--- {mac}\n"), "plain text"),
        (format!(" age-encryption.org/v1\n{stanza}--- {mac}\n"), "plain text"),
        (format!("age-encryption.org/v1\n{stanza}---{mac}\n"), "MAC"),
        (format!("age-encryption.org/v1\n{stanza}---  {mac}\n"), "MAC"),
        (format!("age-encryption.org/v1\n{stanza}--- {mac} \n"), "MAC"),
        (format!("age-encryption.org/v1\n{stanza}--- {mac}\r\n"), "MAC"),
        (format!("age-encryption.org/v1\n{stanza}--- {mac}=\n"), "MAC"),
        (format!("age-encryption.org/v1\n{stanza}--- {}\n", raw64(31)), "MAC"),
        (format!("age-encryption.org/v1\n{stanza}--- {}B\n", &mac[..42]), "MAC"),
        (format!("age-encryption.org/v1\n{stanza}\n--- {mac}\n"), "is not a recipient stanza"),
    ] {
        assert_refused(header + &payload, words);
    }
}

#[test]
fn long_headers_are_refused() {
    assert_refused(age(&format!("-> a {}\n\n", "b".repeat(8 * 1024)), 16), "longer than 8 KiB");
    assert_accepted(age(&format!("-> a {}\n\n", "b".repeat(8 * 1024 - 5)), 16), Format::Age);
    let long = format!("-> a\n{}\n", (raw64(48) + "\n").repeat(1_100));
    assert_refused(age(&long, 16), "larger than 64 KiB");
}

#[test]
fn the_payload_is_made_of_whole_chunks() {
    for (payload, is_whole) in [
        (0, false),
        (1, false),
        (15, false),
        (16, true),
        (17, true),
        (CHUNK - 1, true),
        (CHUNK, true),
        (CHUNK + 1, false),
        (CHUNK + 16, false),
        (CHUNK + 17, true),
        (2 * CHUNK, true),
        (2 * CHUNK + 16, false),
        (2 * CHUNK + 17, true),
    ] {
        let file = age(&x25519(), payload);
        assert_eq!(inspect(&file).is_ok(), is_whole, "{payload}");
        assert_eq!(inspect(armored(&file)).is_ok(), is_whole, "{payload}, armored");
    }
}

#[test]
fn truncations_show_unless_a_whole_last_chunk_is_left() {
    let file = age(&x25519(), 100);
    let header = file.len() - 116;
    assert_truncations_refused(&file, |len| len >= header + 32);
    assert_truncations_refused(armored(&file).as_bytes(), |len| len == armored(&file).len() - 1);
}

#[test]
fn extensions_of_the_armor_show() {
    let file = armored(&age(&x25519(), 100));
    assert_extensions_refused(file.as_bytes(), |byte| b" \t\r\n".contains(&byte));
    assert_accepted(file.clone() + &" ".repeat(1024), Format::AgeArmored);
    assert_refused(file.clone() + &" ".repeat(1025), "white space");
    assert_accepted("\n".repeat(1024) + &file, Format::AgeArmored);
    assert_accepted("\u{feff}".to_owned() + &file, Format::AgeArmored);
    assert_accepted("\u{feff}\r\n".to_owned() + &file, Format::AgeArmored);
    assert_refused("\u{feff}\u{feff}".to_owned() + &file, "");
    assert_refused("\u{feff}\n{}", "");
    assert_refused([&b"\xef\xbb\xbf"[..], &age(&x25519(), 100)].concat(), "");
    assert_refused(b"\xef\xbb", "");
    // In pieces of any size.
    for size in 1..8 {
        let mut inspector = Inspector::new();
        for piece in ["\u{feff}", &file].concat().as_bytes().chunks(size) {
            inspector.push(piece).expect("accepted so far");
        }
        assert_eq!(inspector.finish(), Ok(Format::AgeArmored), "{size}");
    }
    assert_refused("\n".repeat(1025) + &file, "white space");
}

#[test]
fn malformed_armor_is_refused() {
    // Ends with one `=`.
    let bytes = age(&x25519(), 79);
    let file = armored(&bytes);
    let first_end = file.find('\n').unwrap() + 65;
    let (begin, body) = file.split_once('\n').unwrap();
    for (file, words) in [
        (file.replace("END AGE", "END PGP"), "something other than its `END`"),
        (file.replace("BEGIN AGE", "BEGIN age"), "another label"),
        (file.replace("\n-----END", "-----END"), "canonical base64"),
        (file.replace("-----END", "\n-----END"), "something other than its `END`"),
        (format!("{begin}\n\n{body}"), "empty line"),
        (format!("{begin}\nComment: x\n\n{body}"), "canonical base64"),
        (format!("{begin} \n{body}"), "another label"),
        (format!(" {file}"), "same line"),
        (format!("text\n{file}"), "plain text"),
        (file.replace('=', ""), "canonical base64"),
        (file.replacen('=', "==", 1), "canonical base64"),
        (file[..first_end].to_owned() + &file[first_end + 1..], "longer than 64 columns"),
        (file[..first_end - 4].to_owned() + &file[first_end..], "something other than its `END`"),
        (file[..first_end].to_owned() + " " + &file[first_end..], "longer than 64 columns"),
        (file.trim_end().to_owned() + " x\n", "something other"),
        (pem("AGE ENCRYPTED FILE", b"", "\n"), "header is truncated"),
        (pem("CMS", &bytes, "\n"), "CMS"),
    ] {
        assert_refused(file, words);
    }
}

#[test]
fn every_character_of_a_long_armor_is_checked() {
    let good = armored(&age(&x25519(), 5_000)).into_bytes();
    let first = good.len() - 3_000;
    for at in first..first + 130 {
        for byte in [b'-', b'_', b'=', b' ', b'\r', 0, 0x80, 0xFF] {
            let mut damaged = good.clone();
            damaged[at] = byte;
            assert!(inspect(&damaged).is_err(), "{byte:#x} at {at}");
        }
    }
    // Any base64 may be ciphertext, but no newline can be missing.
    for at in first..first + 130 {
        let mut damaged = good.clone();
        damaged[at] = if good[at] == b'A' { b'B' } else { b'A' };
        assert_eq!(inspect(&damaged).is_ok(), good[at] != b'\n', "at {at}");
    }
}

#[test]
fn an_armor_may_end_with_a_full_line_or_without_a_newline() {
    let header = age(&x25519(), 0).len();
    let full = age(&x25519(), 48 * 10 - header % 48);
    assert_eq!(full.len() % 48, 0);
    assert_accepted(armored(&full), Format::AgeArmored);
    assert_accepted(armored(&full).trim_end(), Format::AgeArmored);
    assert_accepted(pem("AGE ENCRYPTED FILE", &full, "\r\n").trim_end(), Format::AgeArmored);
}

proptest! {
    #[test]
    fn any_payload_that_age_writes_is_accepted(plaintext in 0_usize..300_000) {
        let payload = if plaintext == 0 { 16 } else { plaintext + 16 * plaintext.div_ceil(65_536) };
        prop_assert_eq!(inspect(age(&x25519(), payload)), Ok(Format::Age));
        prop_assert_eq!(inspect(armored(&age(&x25519(), payload))), Ok(Format::AgeArmored));
    }
}
