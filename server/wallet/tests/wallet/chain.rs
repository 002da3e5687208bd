//! Certificates for the tests: a root, an intermediate and a leaf like Apple's for a pass type.

use std::sync::LazyLock;

use itinerary_wallet::{Apple, AppleSettings};
use openssl::asn1::Asn1Time;
use openssl::bn::BigNum;
use openssl::hash::MessageDigest;
use openssl::pkey::{PKey, Private};
use openssl::rsa::Rsa;
use openssl::x509::extension::{BasicConstraints, KeyUsage};
use openssl::x509::{X509, X509Name};

pub(crate) const PASS_TYPE: &str = "pass.com.example.itinerary";
pub(crate) const TEAM: &str = "A1B2C3D4E5";
const DAY: i64 = 86_400;
/// 2026-01-01.
pub(crate) const BEGIN: i64 = 1_767_225_600;
/// A century, because OpenSSL verifies at the time of the test.
pub(crate) const END: i64 = BEGIN + 36_500 * DAY;

/// A certificate and its key.
pub(crate) struct Holder {
    pub(crate) certificate: X509,
    pub(crate) key: PKey<Private>,
}

pub(crate) struct Chain {
    pub(crate) root: Holder,
    pub(crate) intermediate: Holder,
    pub(crate) leaf: Holder,
}

pub(crate) static CHAIN: LazyLock<Chain> = LazyLock::new(|| {
    let root = Holder::new(&[("CN", "Test Root")], rsa(), None, (BEGIN, END));
    let intermediate = Holder::new(&[("CN", "Test Intermediate")], rsa(), Some(&root), (BEGIN, END));
    let leaf = leaf(&intermediate, PASS_TYPE, TEAM, (BEGIN, END - DAY));
    Chain { root, intermediate, leaf }
});

/// A leaf with a key of its own.
pub(crate) fn leaf(issuer: &Holder, pass_type: &str, team: &str, validity: (i64, i64)) -> Holder {
    let subject = [("UID", pass_type), ("CN", "Pass Type ID"), ("OU", team), ("O", "Example")];
    Holder::new(&subject, rsa(), Some(issuer), validity)
}

pub(crate) fn rsa() -> PKey<Private> {
    PKey::from_rsa(Rsa::generate(2_048).unwrap()).unwrap()
}

impl Holder {
    /// A leaf if there are an issuer and a user id, otherwise an authority.
    pub(crate) fn new(
        subject: &[(&str, &str)],
        key: PKey<Private>,
        issuer: Option<&Holder>,
        (begin, end): (i64, i64),
    ) -> Self {
        let mut name = X509Name::builder().unwrap();
        for (kind, value) in subject {
            name.append_entry_by_text(kind, value).unwrap();
        }
        let name = name.build();
        let mut builder = X509::builder().unwrap();
        builder.set_version(2).unwrap();
        let serial = BigNum::from_u32(u32::try_from(subject.len()).unwrap()).unwrap().to_asn1_integer().unwrap();
        builder.set_serial_number(&serial).unwrap();
        builder.set_subject_name(&name).unwrap();
        builder.set_issuer_name(issuer.map_or(&name, |issuer| issuer.certificate.subject_name())).unwrap();
        builder.set_pubkey(&key).unwrap();
        builder.set_not_before(&Asn1Time::from_unix(begin).unwrap()).unwrap();
        builder.set_not_after(&Asn1Time::from_unix(end).unwrap()).unwrap();
        if subject[0].0 == "UID" {
            builder.append_extension(BasicConstraints::new().build().unwrap()).unwrap();
            builder.append_extension(KeyUsage::new().critical().digital_signature().build().unwrap()).unwrap();
        } else {
            builder.append_extension(BasicConstraints::new().critical().ca().build().unwrap()).unwrap();
            builder.append_extension(KeyUsage::new().critical().key_cert_sign().build().unwrap()).unwrap();
        }
        builder.sign(issuer.map_or(&key, |issuer| &issuer.key), MessageDigest::sha256()).unwrap();
        Self { certificate: builder.build(), key }
    }

    pub(crate) fn pem(&self) -> Vec<u8> {
        self.certificate.to_pem().unwrap()
    }

    pub(crate) fn key_pem(&self) -> Vec<u8> {
        self.key.private_key_to_pem_pkcs8().unwrap()
    }
}

/// Builds an [`Apple`] from these parts; `change` modifies the settings.
pub(crate) fn apple_with(
    leaf: &Holder,
    change: impl FnOnce(&mut AppleSettings),
) -> Result<Apple, itinerary_wallet::Misconfigured> {
    let (certificate, key, intermediate) = (leaf.pem(), leaf.key_pem(), CHAIN.intermediate.pem());
    let mut settings = AppleSettings {
        pass_type_identifier: PASS_TYPE,
        team_identifier: TEAM,
        organization_name: "Example Travel",
        certificate: &certificate,
        key: &key,
        key_password: None,
        intermediate: &intermediate,
    };
    change(&mut settings);
    Apple::new(settings)
}

pub(crate) fn apple() -> Apple {
    apple_with(&CHAIN.leaf, |_| {}).unwrap()
}
