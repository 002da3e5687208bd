//! A certificate authority of the tests' own.

use openssl::asn1::Asn1Time;
use openssl::bn::BigNum;
use openssl::ec::{EcGroup, EcKey};
use openssl::hash::MessageDigest;
use openssl::nid::Nid;
use openssl::pkey::{PKey, Private};
use openssl::x509::extension::{BasicConstraints, SubjectAlternativeName};
use openssl::x509::{X509, X509Builder, X509Name, X509NameBuilder};

pub(crate) struct Authority {
    certificate: X509,
    key: PKey<Private>,
}

/// A certificate and its key, as PEM.
#[derive(Clone)]
pub(crate) struct Pair {
    pub(crate) certificate: Vec<u8>,
    pub(crate) key: Vec<u8>,
    /// The certificate, as clients receive it.
    pub(crate) der: Vec<u8>,
}

fn new_key() -> PKey<Private> {
    let group = EcGroup::from_curve_name(Nid::X9_62_PRIME256V1).expect("a curve");
    PKey::from_ec_key(EcKey::generate(&group).expect("a key")).expect("a key")
}

fn name(text: &str) -> X509Name {
    let mut name = X509NameBuilder::new().expect("a name");
    name.append_entry_by_text("CN", text).expect("a name");
    name.build()
}

/// A certificate that is valid from one day to another, counted from the year 2020.
fn builder(subject: &str, issuer: &str, key: &PKey<Private>, days: [i64; 2]) -> X509Builder {
    let day = |day: i64| Asn1Time::from_unix(1_577_836_800 + day * 86_400).expect("a time");
    let mut builder = X509::builder().expect("a builder");
    builder.set_version(2).expect("version 3");
    let mut number = BigNum::new().expect("a number");
    number.rand(64, openssl::bn::MsbOption::MAYBE_ZERO, false).expect("a number");
    builder.set_serial_number(&number.to_asn1_integer().expect("a number")).expect("a number");
    builder.set_subject_name(&name(subject)).expect("a subject");
    builder.set_issuer_name(&name(issuer)).expect("an issuer");
    builder.set_pubkey(key).expect("a key");
    builder.set_not_before(&day(days[0])).expect("a beginning");
    builder.set_not_after(&day(days[1])).expect("an end");
    builder
}

impl Authority {
    /// The days in which certificates are valid, from 2020 on.
    pub(crate) const VALID: [i64; 2] = [0, 30_000];
    pub(crate) const EXPIRED: [i64; 2] = [0, 1];

    pub(crate) fn new() -> Self {
        let key = new_key();
        let mut builder = builder("Test CA", "Test CA", &key, Self::VALID);
        builder
            .append_extension(BasicConstraints::new().critical().ca().build().expect("an extension"))
            .expect("it fits");
        builder.sign(&key, MessageDigest::sha256()).expect("a signature");
        Self { certificate: builder.build(), key }
    }

    pub(crate) fn pem(&self) -> Vec<u8> {
        self.certificate.to_pem().expect("PEM")
    }

    /// Issues a certificate for 127.0.0.1.
    pub(crate) fn issue(&self, days: [i64; 2]) -> Pair {
        let key = new_key();
        let mut builder = builder("127.0.0.1", "Test CA", &key, days);
        let mut names = SubjectAlternativeName::new();
        let names = names.ip("127.0.0.1").build(&builder.x509v3_context(None, None)).expect("an extension");
        builder.append_extension(names).expect("it fits");
        builder.sign(&self.key, MessageDigest::sha256()).expect("a signature");
        let certificate = builder.build();
        Pair {
            certificate: certificate.to_pem().expect("PEM"),
            key: key.private_key_to_pem_pkcs8().expect("PEM"),
            der: certificate.to_der().expect("DER"),
        }
    }
}
