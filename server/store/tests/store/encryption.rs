//! TLS to PostgreSQL: `sslmode=prefer`, the default, encrypts if it can and verifies nothing, and connects in any case.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::time::{Duration, Instant};

use itinerary_store::{Options, Store};
use openssl::asn1::Asn1Time;
use openssl::hash::MessageDigest;
use openssl::pkey::PKey;
use openssl::rsa::Rsa;
use openssl::x509::{X509, X509Name};
use test_support::postgres::Cluster;
use test_support::sql::Connection;

use crate::engines::open;

/// X.509 has version numbers that begin with 0.
const VERSION_1: i32 = 0;
const VERSION_3: i32 = 2;

/// A certificate that its own key has signed, and the key, in PEM.
fn certificate(version: i32) -> [Vec<u8>; 2] {
    let key = PKey::from_rsa(Rsa::generate(2048).expect("a key")).expect("a key");
    let mut name = X509Name::builder().expect("a name");
    name.append_entry_by_text("CN", "nobody.example").expect("a name");
    let name = name.build();
    let mut builder = X509::builder().expect("a certificate");
    builder.set_version(version).expect("a version");
    builder.set_subject_name(&name).expect("a name");
    builder.set_issuer_name(&name).expect("a name");
    builder.set_not_before(&Asn1Time::days_from_now(0).expect("a time")).expect("a time");
    builder.set_not_after(&Asn1Time::days_from_now(1).expect("a time")).expect("a time");
    builder.set_pubkey(&key).expect("a key");
    builder.sign(&key, MessageDigest::sha256()).expect("signed");
    let certificate = builder.build().to_pem().expect("PEM");
    [certificate, key.private_key_to_pem_pkcs8().expect("PEM")]
}

/// Turns TLS on, with a certificate of this version.
async fn encrypt(cluster: &Cluster, version: i32, beside: &Connection) {
    let owner = fs::metadata(&cluster.folder).expect("the cluster's folder");
    for (file, (setting, text)) in
        ["server.crt", "server.key"].iter().zip(["ssl_cert_file", "ssl_key_file"].iter().zip(certificate(version)))
    {
        let path = cluster.folder.join(file);
        fs::write(&path, text).expect("written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("its mode");
        chown(&path, Some(owner.uid()), Some(owner.gid())).expect("its owner");
        cluster.psql("postgres?sslmode=disable", &format!("ALTER SYSTEM SET {setting} = '{}'", path.display()));
    }
    cluster.psql("postgres?sslmode=disable", "ALTER SYSTEM SET ssl = on");
    cluster.psql("postgres?sslmode=disable", "SELECT pg_reload_conf()");
    let began = Instant::now();
    while beside.first::<String>("SELECT current_setting('ssl')", []).await != "on" {
        assert!(began.elapsed() < Duration::from_secs(20), "TLS is not turned on");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// How many connections of others are encrypted, and how many there are.
async fn encrypted(beside: &Connection) -> [i64; 2] {
    let others = "FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) \
         WHERE datname = current_database() AND pid <> pg_backend_pid()";
    let encrypted = beside.first(&format!("SELECT count(*) {others} AND ssl"), []).await;
    [encrypted, beside.first(&format!("SELECT count(*) {others}"), []).await]
}

#[tokio::test(flavor = "multi_thread")]
async fn a_certificate_that_nobody_knows_encrypts_and_one_of_version_1_does_not_matter() {
    let Some(cluster) = Cluster::for_tests(&[]) else { return };
    let url = cluster.create_database("template0");
    let beside = Connection::open(&format!("{url}?sslmode=disable")).await;
    encrypt(&cluster, VERSION_3, &beside).await;
    for mode in ["", "?sslmode=prefer", "?sslmode=require"] {
        let store = open(&format!("{url}{mode}")).await;
        store.ping().await.expect("it answers");
        assert_eq!(encrypted(&beside).await, [1, 1], "{mode}");
        store.close().await.expect("closed");
        while encrypted(&beside).await[1] > 0 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
    let unknown = Store::open(&format!("{url}?sslmode=verify-full"), &Options::default()).await;
    assert!(unknown.expect_err("nobody knows it").to_string().contains("certificate"));

    encrypt(&cluster, VERSION_1, &beside).await;
    // New processes of the database have it a moment later.
    let began = Instant::now();
    while let Ok(store) = Store::open(&format!("{url}?sslmode=require"), &Options::default()).await {
        store.close().await.expect("closed");
        assert!(began.elapsed() < Duration::from_secs(20), "this library refuses such certificates");
    }
    let store = open(&url).await;
    store.ping().await.expect("it answers");
    let [encrypted, all] = encrypted(&beside).await;
    assert!(encrypted == 0 && all > 0, "{encrypted} of {all}");
    store.close().await.expect("closed");
    beside.close().await;
}
