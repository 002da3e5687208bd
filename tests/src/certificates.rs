//! Certificates for the tests' own listeners.

use std::net::Ipv4Addr;

use openssl::asn1::Asn1Time;
use openssl::ec::{EcGroup, EcKey};
use openssl::hash::MessageDigest;
use openssl::nid::Nid;
use openssl::pkey::PKey;
use openssl::x509::extension::SubjectAlternativeName;
use openssl::x509::{X509, X509NameBuilder};

/// A self-signed certificate for a host, and its key.
pub fn certify(host: &str) -> (X509, PKey<openssl::pkey::Private>) {
    let group = EcGroup::from_curve_name(Nid::X9_62_PRIME256V1).expect("a curve");
    let key = PKey::from_ec_key(EcKey::generate(&group).expect("a key")).expect("a key");
    let mut name = X509NameBuilder::new().expect("a name");
    name.append_entry_by_text("CN", host).expect("a name");
    let name = name.build();
    let mut builder = X509::builder().expect("a builder");
    builder.set_version(2).expect("version 3");
    builder.set_subject_name(&name).expect("a subject");
    builder.set_issuer_name(&name).expect("an issuer");
    builder.set_pubkey(&key).expect("a key");
    builder.set_not_before(&Asn1Time::days_from_now(0).expect("a time")).expect("a beginning");
    builder.set_not_after(&Asn1Time::days_from_now(1).expect("a time")).expect("an end");
    let mut names = SubjectAlternativeName::new();
    if host.parse::<Ipv4Addr>().is_ok() {
        names.ip(host)
    } else {
        names.dns(host)
    };
    let names = names.build(&builder.x509v3_context(None, None)).expect("an extension");
    builder.append_extension(names).expect("an extension");
    builder.sign(&key, MessageDigest::sha256()).expect("a signature");
    (builder.build(), key)
}
