//! An operator's certificates and keys, from the test's own authority.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use itinerary_platform::settings::WalletSettings;
use openssl::asn1::Asn1Time;
use openssl::bn::BigNum;
use openssl::hash::MessageDigest;
use openssl::pkey::{PKey, Private, Public};
use openssl::rsa::Rsa;
use openssl::x509::extension::{BasicConstraints, KeyUsage};
use openssl::x509::{X509, X509Builder, X509Name};
use serde_json::json;
use tempfile::TempDir;

pub(super) const PASS_TYPE: &str = "pass.example.trips";
pub(super) const TEAM: &str = "ABCDE12345";
pub(super) const ISSUER: &str = "3388000000012345678";

/// An operator's files and settings.
pub(crate) struct Operator {
    pub(crate) settings: WalletSettings,
    /// The root of the signatures' certificates.
    pub(super) root: X509,
    /// The key that verifies links for Google.
    pub(super) google: PKey<Public>,
    _folder: TempDir,
}

impl Operator {
    /// An operator whose certificates are valid now and at the time of the tests' clock.
    pub(crate) fn new() -> Self {
        Self::with_certificate_until(4_000_000_000)
    }

    /// The same with this end of the certificate's validity, in seconds since 1970.
    pub(super) fn with_certificate_until(end: i64) -> Self {
        let [root_key, key, google] = &*KEYS;
        let root = certificate(&[("CN", "Test root")], root_key, None, 4_000_000_000);
        let subject = [("UID", PASS_TYPE), ("OU", TEAM), ("CN", "Test pass")];
        let leaf = certificate(&subject, key, Some((&root, root_key)), end);
        let folder = TempDir::new().expect("a folder");
        let write = |name: &str, text: Vec<u8>| write(folder.path(), name, &text);
        let account = json!({
            "type": "service_account",
            "client_email": "wallet@trips.example",
            "private_key": String::from_utf8(pem(google)).expect("PEM is text"),
        });
        let settings = WalletSettings {
            apple_pass_type: Some(PASS_TYPE.to_owned()),
            apple_team: Some(TEAM.to_owned()),
            organisation: "Example Trips".to_owned(),
            apple_certificate: Some(write("pass.pem", leaf.to_pem().expect("PEM"))),
            apple_key: Some(write("pass.key", pem(key))),
            apple_key_password: None,
            apple_intermediate: Some(write("wwdr.pem", root.to_pem().expect("PEM"))),
            google_issuer: Some(ISSUER.to_owned()),
            google_service_account: Some(write("google.json", account.to_string().into_bytes())),
        };
        let public = google.public_key_to_pem().expect("PEM");
        let google = PKey::public_key_from_pem(&public).expect("a key");
        Self { settings, root, google, _folder: folder }
    }
}

fn write(folder: &Path, name: &str, text: &[u8]) -> PathBuf {
    let file = folder.join(name);
    std::fs::write(&file, text).expect("a file");
    file
}

/// The keys of root, pass and Google account, the same for every operator because generating them takes a second.
static KEYS: LazyLock<[PKey<Private>; 3]> = LazyLock::new(|| [(); 3].map(|()| rsa()));

fn rsa() -> PKey<Private> {
    PKey::from_rsa(Rsa::generate(2_048).expect("a key")).expect("a key")
}

fn pem(key: &PKey<Private>) -> Vec<u8> {
    key.private_key_to_pem_pkcs8().expect("PEM")
}

fn certificate(
    subject: &[(&str, &str)],
    key: &PKey<Private>,
    issuer: Option<(&X509, &PKey<Private>)>,
    end: i64,
) -> X509 {
    let build = || {
        let mut name = X509Name::builder()?;
        for (kind, value) in subject {
            name.append_entry_by_text(kind, value)?;
        }
        let name = name.build();
        let mut builder: X509Builder = X509::builder()?;
        builder.set_version(2)?;
        let serial = BigNum::from_u32(if issuer.is_some() { 2 } else { 1 })?.to_asn1_integer()?;
        builder.set_serial_number(&serial)?;
        builder.set_subject_name(&name)?;
        builder.set_issuer_name(issuer.map_or(&name, |(issuer, _)| issuer.subject_name()))?;
        builder.set_pubkey(key)?;
        builder.set_not_before(&*Asn1Time::from_unix(1_700_000_000)?)?;
        builder.set_not_after(&*Asn1Time::from_unix(end)?)?;
        if issuer.is_some() {
            builder.append_extension(KeyUsage::new().critical().digital_signature().build()?)?;
        } else {
            builder.append_extension(BasicConstraints::new().critical().ca().build()?)?;
            builder.append_extension(KeyUsage::new().critical().key_cert_sign().build()?)?;
        }
        builder.sign(issuer.map_or(key, |(_, key)| key), MessageDigest::sha256())?;
        Ok::<_, openssl::error::ErrorStack>(builder.build())
    };
    build().expect("a certificate")
}
