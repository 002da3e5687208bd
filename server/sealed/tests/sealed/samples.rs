//! Sealed files with invented keys and ciphertexts, and some made by OpenSSL.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use itinerary_sealed::Format;
use openssl::asn1::Asn1Time;
use openssl::cms::{CMSOptions, CmsContentInfo};
use openssl::hash::MessageDigest;
use openssl::pkey::{PKey, Private};
use openssl::rsa::Rsa;
use openssl::stack::Stack;
use openssl::symm::Cipher;
use openssl::x509::{X509, X509NameBuilder};

/// Base64 for age.
pub(crate) fn raw64(len: usize) -> String {
    STANDARD_NO_PAD.encode(vec![0x5A; len])
}

/// Base64url for JOSE.
pub(crate) fn url64(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

pub(crate) fn x25519() -> String {
    format!("-> X25519 {}\n{}\n", raw64(32), raw64(32))
}

pub(crate) fn scrypt(factor: &str) -> String {
    format!("-> scrypt {} {factor}\n{}\n", raw64(16), raw64(32))
}

/// An age file with these stanzas, and a payload of this length after its nonce.
pub(crate) fn age(stanzas: &str, payload: usize) -> Vec<u8> {
    let header = format!("age-encryption.org/v1\n{stanzas}--- {}\n", raw64(32));
    [header.as_bytes(), &vec![0xA7; 16 + payload]].concat()
}

/// PEM with this line ending.
pub(crate) fn pem(label: &str, bytes: &[u8], newline: &str) -> String {
    let lines: String = bytes.chunks(48).map(|line| STANDARD.encode(line) + newline).collect();
    format!("-----BEGIN {label}-----{newline}{lines}-----END {label}-----{newline}")
}

pub(crate) fn armored(age: &[u8]) -> String {
    pem("AGE ENCRYPTED FILE", age, "\n")
}

/// An element in DER.
pub(crate) fn der(tag: u8, contents: &[&[u8]]) -> Vec<u8> {
    let contents = contents.concat();
    let len = u32::try_from(contents.len()).unwrap().to_be_bytes();
    let mut element = vec![tag];
    match contents.len() {
        0..0x80 => element.push(len[3]),
        0x80..0x100 => element.extend([0x81, len[3]]),
        0x100..0x1_0000 => element.extend([0x82, len[2], len[3]]),
        _ => element.extend([0x83, len[1], len[2], len[3]]),
    }
    element.extend(contents);
    element
}

/// A key and a certificate for it.
pub(crate) fn identity() -> (PKey<Private>, X509) {
    let key = PKey::from_rsa(Rsa::generate(2048).unwrap()).unwrap();
    let mut name = X509NameBuilder::new().unwrap();
    name.append_entry_by_text("CN", "traveller").unwrap();
    let name = name.build();
    let mut certificate = X509::builder().unwrap();
    certificate.set_subject_name(&name).unwrap();
    certificate.set_issuer_name(&name).unwrap();
    certificate.set_not_before(&Asn1Time::from_unix(0).unwrap()).unwrap();
    certificate.set_not_after(&Asn1Time::from_unix(1).unwrap()).unwrap();
    certificate.set_pubkey(&key).unwrap();
    certificate.sign(&key, MessageDigest::sha256()).unwrap();
    (key, certificate.build())
}

/// CMS made by OpenSSL.
pub(crate) fn openssl(cipher: Cipher, plaintext: &[u8]) -> CmsContentInfo {
    let mut certificates = Stack::new().unwrap();
    certificates.push(identity().1).unwrap();
    CmsContentInfo::encrypt(&certificates, plaintext, cipher, CMSOptions::BINARY).unwrap()
}

/// A compact JWE. Lengths are those of the parts after the header.
pub(crate) fn compact(header: &str, lengths: [usize; 4]) -> String {
    let parts = lengths.map(|len| url64(vec![0x5A; len]));
    [url64(header), parts.join(".")].join(".")
}

pub(crate) const DIRECT: &str = r#"{"alg":"dir","enc":"A256GCM"}"#;

/// The members of a JSON JWE with A256GCM, except header and key.
pub(crate) fn gcm_members() -> String {
    let part = |len| url64(vec![0x5A; len]);
    format!(r#""iv":"{}","ciphertext":"{}","tag":"{}""#, part(12), part(100), part(16))
}

/// One small file of each format.
pub(crate) fn each_format() -> Vec<(Format, Vec<u8>)> {
    let age = age(&(x25519() + "-> x-grease 1 ~\n\n"), 100);
    let cbc = openssl(Cipher::aes_256_cbc(), b"passport");
    let flattened = format!(r#"{{"protected":"{}",{}}}"#, url64(DIRECT), gcm_members());
    let general = format!(
        r#"{{"unprotected": {{"enc":"A256GCM"}}, {}, "recipients": [ {{"header":{{"alg":"A128KW"}},"encrypted_key":"{}"}} ]}}"#,
        gcm_members(),
        url64([0x5A; 40])
    );
    vec![
        (Format::AgeArmored, armored(&age).into_bytes()),
        (Format::AgeArmored, pem("AGE ENCRYPTED FILE", &age, "\r\n").into_bytes()),
        (Format::Age, age),
        (Format::CmsPem, cbc.to_pem().unwrap()),
        (Format::CmsDer, cbc.to_der().unwrap()),
        (Format::JweCompact, compact(DIRECT, [0, 12, 100, 16]).into_bytes()),
        (Format::JweJson, flattened.into_bytes()),
        (Format::JweJson, general.into_bytes()),
    ]
}
