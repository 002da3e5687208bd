//! Inconsistent settings are rejected with the reason, and keys are never printed.

use std::fmt::Write as _;

use chrono::{DateTime, TimeDelta};
use itinerary_wallet::{Failure, Google, Misconfigured};
use openssl::ec::{EcGroup, EcKey};
use openssl::nid::Nid;
use openssl::pkey::PKey;
use openssl::rsa::Rsa;
use openssl::symm::Cipher;
use serde_json::{Value, json};

use crate::chain::{self, BEGIN, CHAIN, END, PASS_TYPE, TEAM, apple, apple_with};
use crate::google::{account, google};
use crate::items::{full_hotel, now, pass};

#[test]
fn an_identifier_must_be_one() {
    let refused = |change: fn(&mut itinerary_wallet::AppleSettings)| apple_with(&CHAIN.leaf, change).unwrap_err();
    let pass_type = |text: &str| Misconfigured::PassTypeIdentifier(text.into());
    assert_eq!(refused(|settings| settings.pass_type_identifier = "com.example"), pass_type("com.example"));
    assert_eq!(refused(|settings| settings.pass_type_identifier = "pass."), pass_type("pass."));
    assert_eq!(refused(|settings| settings.team_identifier = ""), Misconfigured::TeamIdentifier(String::new()));
    assert_eq!(refused(|settings| settings.organization_name = " "), Misconfigured::OrganizationName);
}

#[test]
fn invalid_certificates_and_keys_are_rejected() {
    let garbage = b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    for bytes in [&b""[..], b"garbage", garbage] {
        let refused = apple_with(&CHAIN.leaf, |settings| settings.certificate = bytes.to_vec().leak());
        assert_eq!(refused.unwrap_err(), Misconfigured::Certificate);
        let refused = apple_with(&CHAIN.leaf, |settings| settings.intermediate = bytes.to_vec().leak());
        assert_eq!(refused.unwrap_err(), Misconfigured::Intermediate);
        let refused = apple_with(&CHAIN.leaf, |settings| settings.key = bytes.to_vec().leak());
        assert_eq!(refused.unwrap_err(), Misconfigured::Key);
    }
}

#[test]
fn certificates_may_be_der() {
    let (leaf, intermediate) = (CHAIN.leaf.certificate.to_der(), CHAIN.intermediate.certificate.to_der());
    let apple = apple_with(&CHAIN.leaf, |settings| {
        settings.certificate = leaf.unwrap().leak();
        settings.intermediate = intermediate.unwrap().leak();
    });
    assert!(apple.is_ok());
}

#[test]
fn the_key_must_be_the_certificates() {
    let other = CHAIN.root.key_pem();
    let refused = apple_with(&CHAIN.leaf, |settings| settings.key = other.leak());
    assert_eq!(refused.unwrap_err(), Misconfigured::KeyOfAnotherCertificate);
}

#[test]
fn an_encrypted_key_needs_its_password() {
    let encrypted = CHAIN.leaf.key.private_key_to_pem_pkcs8_passphrase(Cipher::aes_256_cbc(), b"sesame").unwrap();
    let encrypted: &[u8] = encrypted.leak();
    let with = |password: Option<&'static str>| {
        apple_with(&CHAIN.leaf, |settings| (settings.key, settings.key_password) = (encrypted, password))
    };
    assert!(with(Some("sesame")).unwrap().pass(&pass(itinerary_wallet::Item::Hotel(full_hotel()))).is_ok());
    assert_eq!(with(None).unwrap_err(), Misconfigured::Key);
    assert_eq!(with(Some("wrong")).unwrap_err(), Misconfigured::Key);
    assert_eq!(with(Some("")).unwrap_err(), Misconfigured::Key);
}

#[test]
fn the_certificate_must_be_the_pass_types_and_the_teams() {
    let leaf = |pass_type, team| chain::leaf(&CHAIN.intermediate, pass_type, team, (BEGIN, END));
    let refused = apple_with(&leaf("pass.com.example.other", TEAM), |_| {}).unwrap_err();
    let certificate = "pass.com.example.other".to_owned();
    assert_eq!(refused, Misconfigured::AnotherPassType { certificate, configured: PASS_TYPE.into() });
    let refused = apple_with(&leaf(PASS_TYPE, "Z9Z9Z9Z9Z9"), |_| {}).unwrap_err();
    assert_eq!(refused, Misconfigured::AnotherTeam { certificate: "Z9Z9Z9Z9Z9".into(), configured: TEAM.into() });
}

#[test]
fn a_subject_without_a_uid_and_an_ou_is_accepted() {
    let bare = chain::Holder::new(&[("CN", "Bare")], chain::rsa(), Some(&CHAIN.intermediate), (BEGIN, END));
    assert!(apple_with(&bare, |_| {}).is_ok());
}

#[test]
fn the_intermediate_must_have_issued_the_certificate() {
    let refused = apple_with(&CHAIN.leaf, |settings| settings.intermediate = CHAIN.root.pem().leak());
    assert_eq!(refused.unwrap_err(), Misconfigured::AnotherIssuer);
    // Has the issuer's name, but not its key.
    let impostor = chain::Holder::new(&[("CN", "Test Intermediate")], chain::rsa(), Some(&CHAIN.root), (BEGIN, END));
    let refused = apple_with(&CHAIN.leaf, |settings| settings.intermediate = impostor.pem().leak());
    assert_eq!(refused.unwrap_err(), Misconfigured::AnotherIssuer);
}

#[test]
fn expired_certificates_are_accepted_at_the_start_and_reported_later() {
    let expired = chain::leaf(&CHAIN.intermediate, PASS_TYPE, TEAM, (BEGIN, BEGIN + 60));
    let apple = apple_with(&expired, |_| {}).unwrap();
    let [begin, end] = [0, 60].map(|seconds| DateTime::from_timestamp(BEGIN + seconds, 0).unwrap());
    assert_eq!(apple.expires(), end);
    assert!(apple.check(begin).is_ok());
    assert!(apple.check(end).is_ok());
    for time in [begin - TimeDelta::seconds(1), end + TimeDelta::seconds(1)] {
        let failure = apple.check(time).unwrap_err();
        assert!(matches!(failure, Failure::Expired { begin: b, end: e } if (b, e) == (begin, end)), "{failure}");
    }
    assert!(self::apple().check(now()).is_ok());
}

fn refused(file: &Value) -> Misconfigured {
    Google::new("123", file.to_string().as_bytes(), [""; 0], "").unwrap_err()
}

#[test]
fn a_service_account_must_be_one() {
    let key = &CHAIN.leaf.key;
    for issuer in ["", "12a", "pass.com", "１２"] {
        let refused = Google::new(issuer, account(key).to_string().as_bytes(), [""; 0], "").unwrap_err();
        assert_eq!(refused, Misconfigured::IssuerId(issuer.into()));
    }
    let changed = |name: &str, value: Value| {
        let mut file = account(key);
        file[name] = value;
        refused(&file)
    };
    assert_eq!(refused(&json!("garbage")), Misconfigured::ServiceAccount);
    assert_eq!(refused(&json!({})), Misconfigured::ServiceAccount);
    assert_eq!(changed("type", json!("authorized_user")), Misconfigured::ServiceAccount);
    assert_eq!(changed("client_email", json!("")), Misconfigured::ServiceAccount);
    assert_eq!(changed("private_key", json!(7)), Misconfigured::ServiceAccount);
    assert_eq!(changed("private_key", json!("garbage")), Misconfigured::ServiceAccountKey);
}

#[test]
fn a_service_accounts_key_must_do_for_rs256() {
    let curve = EcGroup::from_curve_name(Nid::X9_62_PRIME256V1).unwrap();
    let elliptic = PKey::from_ec_key(EcKey::generate(&curve).unwrap()).unwrap();
    let short = PKey::from_rsa(Rsa::generate(1_024).unwrap()).unwrap();
    for key in [elliptic, short] {
        assert_eq!(refused(&account(&key)), Misconfigured::ServiceAccountKey);
    }
}

#[test]
fn private_keys_are_never_printed() {
    let pem = String::from_utf8(CHAIN.leaf.key_pem()).unwrap();
    let secret = pem.lines().nth(3).unwrap();
    let mut printed = String::new();
    let apple = apple_with(&CHAIN.leaf, |settings| {
        settings.key_password = Some("sesame");
        printed = format!("{settings:?}");
    });
    write!(printed, "{:?} {:?}", apple.unwrap(), google()).unwrap();
    assert_eq!(printed.matches(PASS_TYPE).count(), 2);
    let mut broken = account(&CHAIN.leaf.key);
    broken["client_email"] = Value::Null;
    broken["type"] = json!({"private_key": pem});
    let failure = refused(&broken);
    write!(printed, "{failure} {failure:?}").unwrap();
    let key_as_certificate =
        apple_with(&CHAIN.leaf, |settings| settings.certificate = CHAIN.leaf.key_pem().leak()).unwrap_err();
    write!(printed, "{key_as_certificate} {key_as_certificate:?}").unwrap();
    for secret in [secret, "sesame", "PRIVATE KEY", "[45, 45"] {
        assert!(!printed.contains(secret), "{printed}");
    }
}

#[test]
fn threads_can_share_them() {
    fn shared<T: Send + Sync>() {}
    shared::<itinerary_wallet::Apple>();
    shared::<Google>();
}
