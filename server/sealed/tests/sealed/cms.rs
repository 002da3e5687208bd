//! CMS, in DER and PEM.

use itinerary_sealed::Format;
use openssl::cms::{CMSOptions, CmsContentInfo};
use openssl::symm::Cipher;

use crate::samples::{der, identity, openssl, pem};
use crate::{assert_accepted, assert_extensions_refused, assert_refused, assert_truncations_refused, inspect};

const INTEGER: u8 = 0x02;
const OCTETS: u8 = 0x04;
const OID: u8 = 0x06;
const SEQUENCE: u8 = 0x30;
const SET: u8 = 0x31;

const DATA: &[u8] = b"\x2A\x86\x48\x86\xF7\x0D\x01\x07\x01";
const ENVELOPED: &[u8] = b"\x2A\x86\x48\x86\xF7\x0D\x01\x07\x03";
const AUTH_ENVELOPED: &[u8] = b"\x2A\x86\x48\x86\xF7\x0D\x01\x09\x10\x01\x17";
const AES_256: &[u8] = b"\x60\x86\x48\x01\x65\x03\x04\x01";

fn oid(contents: &[u8]) -> Vec<u8> {
    der(OID, &[contents])
}

fn version(number: u8) -> Vec<u8> {
    der(INTEGER, &[&[number]])
}

fn any_sequence() -> Vec<u8> {
    der(SEQUENCE, &[&oid(DATA)])
}

fn octets(len: usize) -> Vec<u8> {
    der(OCTETS, &[&vec![0x5A; len]])
}

/// AES with a key of 256 bits in a mode: 42 is CBC, 46 GCM, 47 CCM, 49 GMAC.
fn aes(mode: u8, parameters: &[u8]) -> Vec<u8> {
    der(SEQUENCE, &[&oid(&[AES_256, &[mode]].concat()), parameters])
}

fn cbc() -> Vec<u8> {
    aes(42, &octets(16))
}

fn gcm() -> Vec<u8> {
    aes(46, &der(SEQUENCE, &[&octets(12), &version(16)]))
}

fn key_transport() -> Vec<u8> {
    der(SEQUENCE, &[&version(0), &any_sequence(), &any_sequence(), &octets(256)])
}

fn recipients() -> Vec<u8> {
    der(SET, &[&key_transport()])
}

fn content(algorithm: &[u8], len: usize) -> Vec<u8> {
    der(SEQUENCE, &[&oid(DATA), algorithm, &der(0x80, &[&vec![0x5A; len]])])
}

fn file(content_type: &[u8], fields: &[&[u8]]) -> Vec<u8> {
    der(SEQUENCE, &[&oid(content_type), &der(0xA0, &[&der(SEQUENCE, fields)])])
}

fn enveloped(fields: &[&[u8]]) -> Vec<u8> {
    file(ENVELOPED, fields)
}

fn with_recipient(recipient: &[u8]) -> Vec<u8> {
    enveloped(&[&version(2), &der(SET, &[recipient]), &content(&cbc(), 32)])
}

fn with_content(content: &[u8]) -> Vec<u8> {
    enveloped(&[&version(0), &recipients(), content])
}

fn authenticated(algorithm: &[u8], mac: usize) -> Vec<u8> {
    file(AUTH_ENVELOPED, &[&version(0), &recipients(), &content(algorithm, 5), &octets(mac)])
}

#[test]
fn openssl_cms_files_are_accepted() {
    for cipher in [Cipher::aes_128_cbc(), Cipher::aes_256_cbc(), Cipher::des_ede3_cbc(), Cipher::aes_256_gcm()] {
        for len in [1, 100, 70_000] {
            let cms = openssl(cipher, &vec![0x5A; len]);
            let bytes = cms.to_der().unwrap();
            assert_accepted(&bytes, Format::CmsDer);
            assert_accepted(cms.to_pem().unwrap(), Format::CmsPem);
            assert_accepted(pem("PKCS7", &bytes, "\r\n"), Format::CmsPem);
        }
    }
}

#[test]
fn truncations_and_extensions_show() {
    for cipher in [Cipher::aes_256_cbc(), Cipher::aes_256_gcm()] {
        let cms = openssl(cipher, b"passport");
        let bytes = cms.to_der().unwrap();
        assert_truncations_refused(&bytes, |_| false);
        assert_extensions_refused(&bytes, |_| false);
        let text = cms.to_pem().unwrap();
        assert_truncations_refused(&text, |len| len == text.len() - 1);
        assert_extensions_refused(&text, |byte| b" \t\r\n".contains(&byte));
        for len in 0..bytes.len() {
            assert!(inspect(pem("CMS", &bytes[..len], "\n")).is_err(), "{len} bytes in PEM");
        }
        assert_refused(pem("CMS", &[&bytes, b"x".as_slice()].concat(), "\n"), "continues after the end of the CMS");
    }
}

#[test]
fn every_recipient_type_is_accepted() {
    let (any, key) = (any_sequence(), octets(40));
    for recipient in [
        key_transport(),
        der(SEQUENCE, &[&version(2), &der(0x80, &[b"identifier"]), &any, &key]),
        der(0xA1, &[&version(3), &der(0xA0, &[&any]), &any, &der(SEQUENCE, &[&any])]),
        der(0xA1, &[&version(3), &der(0xA0, &[&any]), &der(0xA1, &[&octets(8)]), &any, &der(SEQUENCE, &[&any, &any])]),
        der(0xA2, &[&version(4), &any, &any, &key]),
        der(0xA3, &[&version(0), &any, &key]),
        der(0xA3, &[&version(0), &der(0xA0, &[DATA_OID]), &any, &key]),
        der(0xA4, &[&oid(DATA), &any]),
        der(0xA4, &[&oid(DATA), &der(0xBE, &[])]),
    ] {
        assert_accepted(with_recipient(&recipient), Format::CmsDer);
        assert_accepted(pem("CMS", &with_recipient(&recipient), "\n"), Format::CmsPem);
    }
}

const DATA_OID: &[u8] = b"\x06\x09\x2A\x86\x48\x86\xF7\x0D\x01\x07\x01";

#[test]
fn malformed_recipients_are_refused() {
    let (any, key) = (any_sequence(), octets(40));
    for (recipient, words) in [
        (vec![], "empty list"),
        (der(SEQUENCE, &[]), "no `version`"),
        (der(SEQUENCE, &[&any, &any, &key]), "no `version`"),
        (der(SEQUENCE, &[&version(0), &any, &any]), "no `encryptedKey`"),
        (der(SEQUENCE, &[&version(0), &any, &key]), "no `keyEncryptionAlgorithm`"),
        (der(SEQUENCE, &[&version(0), &any, &any, &key, &key]), "more fields"),
        (der(0xA1, &[&version(3), &any]), "no `originator`"),
        (der(0xA1, &[&version(3), &der(0xA0, &[&any]), &any, &der(SEQUENCE, &[])]), "empty list"),
        (der(0xA3, &[&version(0)]), "no `keyEncryptionAlgorithm`"),
        (der(0xA4, &[&any]), "no `oriType`"),
        (der(0xA4, &[&oid(DATA)]), "no `oriValue`"),
        (der(0xA5, &[&version(0)]), "wrong type"),
        (octets(8), "wrong type"),
    ] {
        assert_refused(with_recipient(&recipient), words);
    }
    assert_refused(enveloped(&[&version(0), &content(&cbc(), 32)]), "no `recipientInfos`");
}

#[test]
fn optional_fields_are_accepted_in_their_places() {
    let attributes = |tag| der(tag, &[&any_sequence()]);
    let (version, recipients) = (version(0), recipients());
    let (cbc, gcm) = (content(&cbc(), 16), content(&gcm(), 1));
    assert_accepted(enveloped(&[&version, &attributes(0xA0), &recipients, &cbc, &attributes(0xA1)]), Format::CmsDer);
    for (fields, words) in [
        (vec![&recipients, &version, &cbc], "no `version`"),
        (vec![&version, &recipients, &attributes(0xA0), &cbc], "no `encryptedContentInfo`"),
        (vec![&version, &recipients, &cbc, &attributes(0xA2)], "more fields"),
        (vec![&version, &recipients, &cbc, &attributes(0xA1), &attributes(0xA1)], "more fields"),
        (vec![&version, &recipients, &cbc, &der(0xA1, &[])], "empty list"),
        (vec![&version, &recipients, &cbc, &octets(16)], "more fields"),
    ] {
        let fields: Vec<&[u8]> = fields.into_iter().map(Vec::as_slice).collect();
        assert_refused(enveloped(&fields), words);
    }
    let mac = octets(16);
    let (signed, unsigned) = (attributes(0xA1), attributes(0xA2));
    assert_accepted(file(AUTH_ENVELOPED, &[&version, &recipients, &gcm, &signed, &mac, &unsigned]), Format::CmsDer);
    assert_refused(file(AUTH_ENVELOPED, &[&version, &recipients, &gcm, &signed]), "no `mac`");
    assert_refused(file(AUTH_ENVELOPED, &[&version, &recipients, &gcm, &mac, &signed]), "more fields");
    assert_refused(file(AUTH_ENVELOPED, &[&self::version(1), &recipients, &gcm, &mac]), "unknown version");
    assert_refused(enveloped(&[&self::version(1), &recipients, &cbc]), "unknown version");
}

#[test]
fn the_ciphertext_is_there_and_fits_its_algorithm() {
    let algorithm = cbc();
    let pieces = |pieces: &[usize]| {
        let pieces: Vec<u8> = pieces.iter().flat_map(|&len| octets(len)).collect();
        with_content(&der(SEQUENCE, &[DATA_OID, &algorithm, &der(0xA0, &[&pieces])]))
    };
    assert_accepted(pieces(&[16]), Format::CmsDer);
    assert_accepted(pieces(&[0, 1000, 24]), Format::CmsDer);
    assert_accepted(with_content(&content(&cbc(), 300_000)), Format::CmsDer);
    for (file, words) in [
        (pieces(&[]), "empty list"),
        (pieces(&[0]), "no ciphertext"),
        (pieces(&[16, 15]), "whole blocks"),
        (with_content(&content(&cbc(), 0)), "no ciphertext"),
        (with_content(&content(&cbc(), 17)), "whole blocks"),
        (with_content(&der(SEQUENCE, &[DATA_OID, &cbc()])), "no `encryptedContent`"),
        (with_content(&der(SEQUENCE, &[DATA_OID, &cbc(), &octets(16)])), "no `encryptedContent`"),
        (with_content(&der(SEQUENCE, &[&cbc(), &der(0x80, &[&[0; 16]])])), "no `contentType`"),
        (with_content(&der(SEQUENCE, &[DATA_OID, &cbc(), &der(0xA0, &[&any_sequence()])])), "wrong type"),
    ] {
        assert_refused(file, words);
    }
}

#[test]
fn algorithms_that_do_not_encrypt_are_refused() {
    let null: &[u8] = &[0x05, 0x00];
    let gmac = aes(49, &der(SEQUENCE, &[&octets(12), &version(16)]));
    let sha_256 = der(SEQUENCE, &[&oid(b"\x60\x86\x48\x01\x65\x03\x04\x02\x01"), null]);
    let zlib = der(SEQUENCE, &[&oid(b"\x2A\x86\x48\x86\xF7\x0D\x01\x09\x10\x03\x08")]);
    for (algorithm, words) in [
        (sha_256, "is not accepted"),
        (zlib, "is not accepted"),
        (gmac.clone(), "is not accepted"),
        (der(SEQUENCE, &[null]), "no object identifier"),
        (der(SEQUENCE, &[]), "field that is empty"),
        (aes(42, &[]), "malformed parameters"),
        (aes(42, null), "malformed parameters"),
        (aes(42, &octets(12)), "malformed parameters"),
        (aes(42, &[octets(16), octets(0)].concat()), "malformed parameters"),
        (aes(42, &octets(600)), "longer than 512 bytes"),
        (gcm(), "belongs to the other"),
    ] {
        assert_refused(with_content(&content(&algorithm, 32)), words);
    }
    assert_refused(authenticated(&gmac, 16), "is not accepted");
    assert_refused(authenticated(&cbc(), 16), "belongs to the other");
}

#[test]
fn the_authentication_tag_fits_its_algorithm() {
    let nonce_alone = aes(46, &der(SEQUENCE, &[&octets(12)]));
    let ccm = |tag| aes(47, &der(SEQUENCE, &[&octets(13), &version(tag)]));
    let chacha = der(SEQUENCE, &[&oid(b"\x2A\x86\x48\x86\xF7\x0D\x01\x09\x10\x03\x12"), &octets(12)]);
    for (algorithm, mac) in
        [(gcm(), 16), (nonce_alone.clone(), 12), (nonce_alone.clone(), 16), (ccm(8), 8), (chacha.clone(), 16)]
    {
        assert_accepted(authenticated(&algorithm, mac), Format::CmsDer);
    }
    for (algorithm, mac) in
        [(gcm(), 0), (gcm(), 12), (gcm(), 17), (nonce_alone.clone(), 11), (ccm(9), 9), (ccm(8), 16), (chacha, 12)]
    {
        assert_refused(authenticated(&algorithm, mac), "authentication tag");
    }
}

#[test]
fn other_content_types_are_refused() {
    let (key, certificate) = identity();
    let signed = CmsContentInfo::sign(Some(&certificate), Some(&key), None, Some(b"text"), CMSOptions::BINARY).unwrap();
    let signed = signed.to_der().unwrap();
    assert_refused(&signed, "SignedData");
    assert_refused(pem("CMS", &signed, "\n"), "SignedData");
    for (content_type, words) in [(1, "CMS Data"), (2, "SignedData"), (5, "DigestedData"), (6, "EncryptedData")] {
        let content_type = [&ENVELOPED[..8], &[content_type]].concat();
        assert_refused(file(&content_type, &[&version(0), &recipients(), &content(&cbc(), 32)]), words);
    }
    assert_refused(file(b"\x2A\x03", &[&version(0)]), "neither");
    assert_refused(certificate.to_der().unwrap(), "no `contentType`");
    assert_refused(certificate.to_pem().unwrap(), "another label");
    assert_refused(pem("CMS", &certificate.to_der().unwrap(), "\n"), "no `contentType`");
    assert_refused(key.private_key_to_pem_pkcs8().unwrap(), "another label");
}

#[test]
fn encodings_other_than_der_are_refused() {
    let good = with_content(&content(&cbc(), 32));
    assert_accepted(&good, Format::CmsDer);
    let outer = &good[3..];
    assert_eq!(good[1], 0x82 - u8::from(good[1] == 0x81), "the length takes one or two bytes");
    let mut long = vec![SEQUENCE, 0x84, 0, 0];
    long.extend_from_slice(&good[2..]);
    for (file, words) in [
        ([b"\x30\x80".as_slice(), outer, b"\0\0"].concat(), "indefinite"),
        (long, "not minimal"),
        ([b"\x30\x85".as_slice(), outer].concat(), "more than four bytes"),
        ([b"\x30\xFF".as_slice(), outer].concat(), "more than four bytes"),
        (with_recipient(&[0x30, 0x81, 0x05, 1, 2, 3, 4, 5]), "not minimal"),
        (with_recipient(&[0x30, 0x80, 0, 0]), "indefinite"),
        (with_recipient(&[0x3F, 0x81, 0x05, 0]), "above 30"),
        (with_recipient(&[0x30, 0x05, 0x02, 0x01, 0x00]), "longer than the one that holds it"),
        (with_recipient(&[0x30, 0x03, 0x02, 0x02, 0x00]), "longer than the one that holds it"),
    ] {
        assert_refused(file, words);
    }
}

#[test]
fn recipient_info_is_limited_in_size_and_depth() {
    let deep = (0..40).fold(vec![], |inner, _| der(SEQUENCE, &[&inner]));
    assert_refused(with_recipient(&der(0xA4, &[DATA_OID, &deep])), "nested deeper");
    let large = der(0xA4, &[DATA_OID, &octets(64 * 1024)]);
    assert_refused(with_recipient(&large), "more than 64 KiB");
    let many = der(0xA4, &[DATA_OID, &der(SEQUENCE, &[&[0x05, 0x00].repeat(40_000)])]);
    assert_refused(with_recipient(&many), "more than 64 KiB");
}
