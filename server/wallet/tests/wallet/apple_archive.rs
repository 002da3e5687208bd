//! The archive of an Apple pass: its files, their manifest and its signature.

use std::fmt::Write as _;
use std::io::{Cursor, Read};
use std::path::Path;
use std::process::Command;
use std::{env, fs};

use itinerary_wallet::Item;
use openssl::cms::{CMSOptions, CmsContentInfo};
use openssl::sha::sha1;
use openssl::x509::X509PurposeId;
use openssl::x509::store::{X509Store, X509StoreBuilder};
use serde_json::{Map, Value};
use zip::{DateTime, ZipArchive};

use crate::chain::{CHAIN, Holder, apple};
use crate::items::{full_flight, full_hotel, pass};

const NAMES: [&str; 9] = [
    "pass.json",
    "icon.png",
    "icon@2x.png",
    "icon@3x.png",
    "logo.png",
    "logo@2x.png",
    "logo@3x.png",
    "manifest.json",
    "signature",
];

/// The files of a pass, in their order.
pub(crate) fn files(archive: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut archive = ZipArchive::new(Cursor::new(archive)).unwrap();
    (0..archive.len())
        .map(|index| {
            let mut file = archive.by_index(index).unwrap();
            let name = file.name().unwrap().into_owned();
            assert_eq!(file.last_modified(), Some(DateTime::default()), "{name}");
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes).unwrap();
            (name, bytes)
        })
        .collect()
}

/// The manifest and the signature of a new pass.
fn signed() -> (Vec<u8>, Vec<u8>) {
    let mut files = files(&apple().pass(&pass(Item::Flight(full_flight()))).unwrap());
    let signature = files.pop().unwrap().1;
    (files.pop().unwrap().1, signature)
}

fn store(root: &Holder) -> X509Store {
    let mut store = X509StoreBuilder::new().unwrap();
    store.add_cert(root.certificate.clone()).unwrap();
    store.set_purpose(X509PurposeId::ANY).unwrap();
    store.build()
}

fn verifies(signature: &[u8], manifest: &[u8], root: &Holder) -> bool {
    let mut signature = CmsContentInfo::from_der(signature).unwrap();
    signature.verify(None, Some(&store(root)), Some(manifest), None, CMSOptions::BINARY).is_ok()
}

#[test]
fn the_files_are_in_a_stable_order() {
    for item in [Item::Flight(full_flight()), Item::Hotel(full_hotel())] {
        let files = files(&apple().pass(&pass(item)).unwrap());
        let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, NAMES);
    }
}

#[test]
fn the_same_pass_has_the_same_files_but_for_the_signature() {
    let pass = pass(Item::Flight(full_flight()));
    let [first, second] = [(); 2].map(|()| files(&apple().pass(&pass).unwrap()));
    assert_eq!(first[..8], second[..8]);
}

#[test]
fn the_manifest_has_the_sha1_of_every_other_file() {
    let files = files(&apple().pass(&pass(Item::Hotel(full_hotel()))).unwrap());
    let manifest: Map<String, Value> = serde_json::from_slice(&files[7].1).unwrap();
    let expected: Map<String, Value> = files[..7]
        .iter()
        .map(|(name, bytes)| {
            let digest = sha1(bytes).iter().fold(String::new(), |mut hex, byte| {
                write!(hex, "{byte:02x}").unwrap();
                hex
            });
            (name.clone(), Value::from(digest))
        })
        .collect();
    assert_eq!(manifest, expected);
}

#[test]
fn the_signature_verifies_against_the_root() {
    let (manifest, signature) = signed();
    assert!(verifies(&signature, &manifest, &CHAIN.root));
}

#[test]
fn the_signature_refuses_another_manifest_and_another_root() {
    let (manifest, signature) = signed();
    for index in [0, manifest.len() / 2, manifest.len() - 1] {
        let mut changed = manifest.clone();
        changed[index] ^= 1;
        assert!(!verifies(&signature, &changed, &CHAIN.root), "byte {index}");
    }
    assert!(!verifies(&signature, &manifest, &CHAIN.leaf));
}

#[test]
fn the_signature_is_detached_and_has_its_time_and_both_certificates() {
    // The object identifier 1.2.840.113549.1.9.5, and that of S/MIME capabilities.
    const SIGNING_TIME: &[u8] = &[6, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 9, 5];
    const CAPABILITIES: &[u8] = &[6, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 9, 15];
    let (manifest, signature) = signed();
    let has = |part: &[u8]| signature.windows(part.len()).any(|window| window == part);
    assert!(has(SIGNING_TIME));
    assert!(!has(CAPABILITIES));
    assert!(has(&CHAIN.leaf.certificate.to_der().unwrap()));
    assert!(has(&CHAIN.intermediate.certificate.to_der().unwrap()));
    assert!(!has(&CHAIN.root.certificate.to_der().unwrap()));
    assert!(!has(&manifest));
}

#[test]
fn the_openssl_program_agrees() {
    if Command::new("openssl").arg("version").output().is_err() {
        println!("skipped: the program `openssl` is not installed");
        return;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("wallet-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let (manifest, signature) = signed();
    let mut changed = manifest.clone();
    changed[20] ^= 1;
    let contents = [("manifest.json", manifest), ("changed.json", changed), ("signature", signature)];
    for (name, bytes) in contents.iter().chain(&[("root.pem", CHAIN.root.pem())]) {
        fs::write(folder.join(name), bytes).unwrap();
    }
    let verify = |content: &str| {
        let arguments =
            "cms -verify -binary -inform DER -in signature -CAfile root.pem -purpose any -out output -content";
        let mut command = Command::new("openssl");
        command.current_dir(&folder).args(arguments.split(' ')).arg(content).output().unwrap()
    };
    let (intact, tampered) = (verify("manifest.json"), verify("changed.json"));
    fs::remove_dir_all(&folder).unwrap();
    assert!(intact.status.success(), "{}", String::from_utf8_lossy(&intact.stderr));
    assert!(!tampered.status.success());
}
