//! Files: sealed ones with made-up keys and ciphertexts, of which only the structure matters, and unsealed ones.

use std::sync::LazyLock;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use openssl::asn1::Asn1Time;
use openssl::cms::{CMSOptions, CmsContentInfo};
use openssl::hash::MessageDigest;
use openssl::pkey::{PKey, Private};
use openssl::rsa::Rsa;
use openssl::stack::Stack;
use openssl::symm::Cipher;
use openssl::x509::{X509, X509NameBuilder};

/// The size of a full chunk of an age payload with its tag.
const CHUNK: usize = 65_552;

/// An upload of an empty file, sealed by age as far as its structure tells.
pub const SEALED: &str = "--b\r\ncontent-disposition: form-data; name=\"file\"; filename=\"pass.age\"\r\n\r\nage-encryption.org/v1\n\
     -> X25519 AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n\
     --- AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n0123456789abcdef0123456789abcdef\r\n--b--\r\n";

/// The header of an age file with one recipient.
pub fn age_header() -> String {
    let key = STANDARD_NO_PAD.encode([0x5A; 32]);
    format!("age-encryption.org/v1\n-> X25519 {key}\n{key}\n--- {key}\n")
}

/// An age file of exactly this size, with position-dependent bytes.
pub fn age(size: usize) -> Vec<u8> {
    age_of(size, 0)
}

/// An age file of exactly this size. Different numbers give different bytes.
pub fn age_of(size: usize, number: u32) -> Vec<u8> {
    let mut file = age_header().into_bytes();
    let payload = size.checked_sub(file.len()).expect("no file is shorter than its header");
    let last = payload.checked_sub(16).expect("a nonce") % CHUNK;
    assert!(payload == 32 || last == 0 || last > 16, "no payload has {payload} bytes");
    // Each block begins with its position. The other bytes are constant, because computing them would take longer than
    // sending.
    let pattern: Vec<u8> = (0..4_096_u32).map(|n| n.wrapping_mul(2_654_435_761).to_be_bytes()[0]).collect();
    for block in 0..u32::try_from(payload.div_ceil(pattern.len())).expect("a file of this size") {
        file.extend_from_slice(&number.to_be_bytes());
        file.extend_from_slice(&block.to_be_bytes());
        file.extend_from_slice(&pattern[8..]);
    }
    file.truncate(size);
    file
}

/// The smallest age file: an empty file, sealed.
pub fn least_age() -> Vec<u8> {
    age(age_header().len() + 32)
}

fn pem(label: &str, bytes: &[u8]) -> Vec<u8> {
    let lines: String = bytes.chunks(48).map(|line| STANDARD.encode(line) + "\n").collect();
    format!("-----BEGIN {label}-----\n{lines}-----END {label}-----\n").into_bytes()
}

/// An age file in ASCII armor.
pub fn armored_age() -> Vec<u8> {
    pem("AGE ENCRYPTED FILE", &age(1_000))
}

/// A key and its certificate.
static IDENTITY: LazyLock<(PKey<Private>, X509)> = LazyLock::new(|| {
    let key = PKey::from_rsa(Rsa::generate(2048).expect("a key")).expect("a key");
    let mut name = X509NameBuilder::new().expect("a name");
    name.append_entry_by_text("CN", "traveller").expect("a name");
    let name = name.build();
    let mut certificate = X509::builder().expect("a certificate");
    certificate.set_subject_name(&name).expect("a name");
    certificate.set_issuer_name(&name).expect("a name");
    certificate.set_not_before(&Asn1Time::from_unix(0).expect("a time")).expect("a time");
    certificate.set_not_after(&Asn1Time::from_unix(1).expect("a time")).expect("a time");
    certificate.set_pubkey(&key).expect("a key");
    certificate.sign(&key, MessageDigest::sha256()).expect("a signature");
    (key, certificate.build())
});

/// A file sealed by OpenSSL, in DER.
pub fn cms() -> Vec<u8> {
    let mut recipients = Stack::new().expect("a stack");
    recipients.push(IDENTITY.1.clone()).expect("a stack");
    let sealed = CmsContentInfo::encrypt(&recipients, b"A visa", Cipher::aes_256_cbc(), CMSOptions::BINARY);
    sealed.and_then(|sealed| sealed.to_der()).expect("a CMS structure")
}

/// A file sealed by OpenSSL, in PEM.
pub fn cms_pem() -> Vec<u8> {
    pem("CMS", &cms())
}

/// Signed but not sealed by OpenSSL: PKCS #7 `SignedData` with its content.
pub fn signed() -> Vec<u8> {
    let (key, certificate) = &*IDENTITY;
    let signed = CmsContentInfo::sign(Some(certificate), Some(key), None, Some(b"A visa"), CMSOptions::BINARY);
    signed.and_then(|signed| signed.to_der()).expect("a CMS structure")
}

fn url64(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// The parts of a JWE: protected header, key, initialisation vector, ciphertext, tag.
fn jwe_parts() -> [String; 5] {
    let header = br#"{"alg":"A256KW","enc":"A256GCM"}"#;
    [&header[..], &[1; 40], &[2; 12], &[3; 500], &[4; 16]].map(url64)
}

/// A JWE in compact serialization.
pub fn jwe() -> Vec<u8> {
    jwe_parts().join(".").into_bytes()
}

pub fn jwe_json() -> Vec<u8> {
    let [protected, encrypted_key, iv, ciphertext, tag] = jwe_parts();
    serde_json::json!({
        "protected": protected, "encrypted_key": encrypted_key, "iv": iv, "ciphertext": ciphertext, "tag": tag,
    })
    .to_string()
    .into_bytes()
}

/// A JWS: signed, and readable by anyone.
pub fn jws() -> Vec<u8> {
    [&br#"{"alg":"HS256"}"#[..], b"A visa", &[5; 32]].map(url64).join(".").into_bytes()
}

/// Every kind of sealed file.
pub fn sealed() -> [(&'static str, Vec<u8>); 6] {
    [
        ("age", age(70_000)),
        ("armored age", armored_age()),
        ("CMS", cms()),
        ("CMS in PEM", cms_pem()),
        ("JWE", jwe()),
        ("JWE in JSON", jwe_json()),
    ]
}

/// Unsealed files, small and large. Large ones are rejected while they arrive.
pub fn plain() -> Vec<(&'static str, Vec<u8>)> {
    let long = |begin: &[u8]| [begin, &vec![b'a'; 300_000]].concat();
    vec![
        ("nothing", Vec::new()),
        ("a blank", b" ".to_vec()),
        ("a PDF", long(b"%PDF-1.7\n")),
        ("a JPEG", long(b"\xFF\xD8\xFF\xE0\0\x10JFIF\0")),
        ("a ZIP", long(b"PK\x03\x04\x14\0")),
        ("text", long(b"Dear diary,\n")),
        ("short text", b"Hi".to_vec()),
        ("SignedData", signed()),
        ("SignedData in PEM", pem("PKCS7", &signed())),
        ("a JWS", jws()),
        ("JSON", br#"{"visa":1}"#.to_vec()),
        ("OpenPGP", b"\x85\x01\x0c\x03".iter().copied().chain([7; 300]).collect()),
        ("a certificate", pem("CERTIFICATE", &IDENTITY.1.to_der().expect("DER"))),
        ("a PDF labelled CMS", pem("CMS", b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>")),
        ("an age header alone", age_header().into_bytes()),
        ("an age header and text", [age_header().as_bytes(), b"Dear diary"].concat()),
        // A full chunk and ten bytes, which is too short for a chunk.
        (
            "an age header and text of no chunks' length",
            [age_header().into_bytes(), vec![b'a'; 16 + CHUNK + 10]].concat(),
        ),
        ("age of another version", [&b"age-encryption.org/v2\n"[..], &age(1_000)[22..]].concat()),
        ("a nested form", b"--b\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\nx\r\n--b--\r\n".to_vec()),
    ]
}

/// Truncated sealed files, and ones with extra bytes, as far as their structure shows it.
pub fn damaged() -> Vec<(String, Vec<u8>)> {
    let mut damaged = Vec::new();
    for (kind, file) in sealed() {
        let all_but = |bytes: usize| file[..file.len() - bytes].to_vec();
        // An extra byte could belong to the last chunk of an age payload.
        if kind == "age" {
            let whole = age(age_header().len() + 16 + CHUNK);
            damaged.push(("age and one byte".to_owned(), [&whole[..], b"x"].concat()));
            damaged.push((
                "age without its last chunk's end".to_owned(),
                age(whole.len() + 17)[..whole.len() + 16].to_vec(),
            ));
        } else {
            damaged.push((format!("{kind} and more"), [&file[..], b"more"].concat()));
            damaged.push((format!("{kind} twice"), [&file[..], &file[..]].concat()));
            damaged.push((format!("most of {kind}"), all_but(3)));
        }
        damaged.push((format!("the beginning of {kind}"), file[..100].to_vec()));
    }
    damaged
}
