//! Unsealed files, and the format named in the error.

use openssl::symm::Cipher;

use crate::assert_refused;
use crate::samples::{openssl, pem};

#[test]
fn well_known_formats_are_named() {
    let after = "\0\x01\x02 and so on, for as long as it takes to look like a file";
    for (magic, words) in [
        (b"%PDF-1.7\n%\xE2\xE3\xCF\xD3".as_slice(), "PDF"),
        (b"\xFF\xD8\xFF\xE0\0\x10JFIF", "JPEG"),
        (b"\x89PNG\r\n\x1A\n", "PNG"),
        (b"GIF89a", "GIF"),
        (b"RIFF\0\0\0\0WEBP", "WebP"),
        (b"II*\0", "TIFF"),
        (b"PK\x03\x04", "ZIP"),
        (b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", "Office"),
        (b"\0\0\0\x18ftypheic", "HEIC"),
        (b"\x1F\x8B\x08", "gzip"),
        (b"Salted__12345678", "openssl enc"),
        (b"\x85\x02\x0C\x03", "OpenPGP"),
        (b"\x84\x5E\x03", "OpenPGP"),
        (b"\xC1\xC0\x4C\x03", "OpenPGP"),
        (b"\x8C\x0D\x04\x09", "OpenPGP"),
        (b"\xC3\x1E\x05", "OpenPGP"),
        (b"\xC1\x34\x06", "OpenPGP"),
        (b"\xD2\x34\x02", "OpenPGP"),
        (b"\0\0\0\0", "none of the accepted formats"),
    ] {
        assert_refused([magic, after.as_bytes()].concat(), words);
        assert_refused(magic, words);
    }
}

#[test]
fn text_is_named() {
    for (text, words) in [
        ("", "The file is empty."),
        (" \r\n\t", "only white space"),
        ("x", "plain text"),
        ("Passport number 123456789, and so on and on.", "plain text"),
        ("  Passport number 123456789", "plain text"),
        ("Gr\u{fc}\u{df}e aus \u{d6}sterreich \u{1f1e6}\u{1f1f9} und anderswo", "plain text"),
        ("0123456789 0123456789 0123456789 0123456789", "plain text"),
        ("extra luggage: two pieces, each of 23 kg", "plain text"),
        ("extraluggage:twopieces,eachof23kgandmore", "plain text"),
        ("exactlythirtytwobase64urlcharactersormore but not all", "plain text"),
        ("age-encryption.org", "plain text"),
        ("QUJD", "plain text"),
        ("<html></html>", "plain text"),
        ("MIME-Version: 1.0\nContent-Type: application/pkcs7-mime\n", "S/MIME"),
        ("-----BEGIN ", "another label"),
        ("-----BEGIN PGP MESSAGE-----\n\nwcBMA\n=abcd\n-----END PGP MESSAGE-----\n", "OpenPGP is not accepted"),
        ("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", "another label"),
    ] {
        assert_refused(text, words);
    }
}

#[test]
fn plaintext_in_pem_is_refused() {
    for label in ["CMS", "PKCS7", "AGE ENCRYPTED FILE"] {
        assert!(crate::inspect(pem(label, b"%PDF-1.7 and so on", "\n")).is_err());
    }
    let cms = String::from_utf8(openssl(Cipher::aes_256_cbc(), b"passport").to_pem().unwrap()).unwrap();
    assert_refused(cms.replace("END CMS", "END PKCS7"), "something other than its `END`");
    assert_refused(format!("Passport\n{cms}"), "plain text");
    assert_refused(format!("{cms}Passport\n"), "continues");
    assert_refused(cms.replacen("-\n", "-\nContent-Type: x\n\n", 1), "canonical base64");
}
