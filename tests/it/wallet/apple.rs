//! Files for Apple Wallet.

use std::collections::BTreeMap;
use std::io::{Cursor, Read};

use itinerary_tests::app::App;
use itinerary_tests::{Database, RawResponse, api_test};
use openssl::cms::{CMSOptions, CmsContentInfo};
use openssl::hash::{MessageDigest, hash};
use openssl::stack::Stack;
use openssl::x509::X509;
use openssl::x509::store::{X509Store, X509StoreBuilder};
use serde_json::{Value, json};

use super::chain::{Operator, PASS_TYPE, TEAM};
use super::{pass, start, trip};

/// The files of a pass.
pub(super) fn files(response: &RawResponse) -> BTreeMap<String, Vec<u8>> {
    assert_eq!(response.status, 200, "{}", response.text());
    assert_eq!(response.header("content-type"), "application/vnd.apple.pkpass");
    let mut archive = zip::ZipArchive::new(Cursor::new(&*response.body)).expect("an archive");
    let files = archive.len();
    let read = |index: usize| {
        let mut file = archive.by_index(index).expect("a file");
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).expect("its bytes");
        (file.name().expect("UTF-8").into_owned(), bytes)
    };
    (0..files).map(read).collect()
}

pub(super) fn json_of(files: &BTreeMap<String, Vec<u8>>, name: &str) -> Value {
    serde_json::from_slice(&files[name]).expect("JSON")
}

/// The fields of a part of a pass, by key.
fn fields(part: &Value) -> BTreeMap<String, Value> {
    let fields = part.as_object().expect("an object").values().filter_map(Value::as_array).flatten();
    fields.map(|field| (field["key"].as_str().expect("a key").to_owned(), field["value"].clone())).collect()
}

fn trusting(root: &X509) -> X509Store {
    let mut store = X509StoreBuilder::new().expect("a store");
    store.add_cert(root.clone()).expect("a certificate");
    store.set_purpose(openssl::x509::X509PurposeId::ANY).expect("a purpose");
    store.build()
}

fn verifies(signature: &[u8], content: &[u8], root: &X509) -> bool {
    let mut signed = CmsContentInfo::from_der(signature).expect("CMS");
    let none = Stack::<X509>::new().expect("a stack");
    let options = CMSOptions::BINARY | CMSOptions::DETACHED;
    signed.verify(Some(&none), Some(&trusting(root)), Some(content), None, options).is_ok()
}

#[api_test]
async fn a_pass_lists_its_files_and_is_signed_by_the_operator(database: Database) {
    let operator = Operator::new();
    let Some(world) = start(database, &operator).await else { return };
    let ana = App::of(&world, "ana").await;
    let tokyo = ana.created(&trip()).await;
    for item in ["flight/out", "hotel/inn"] {
        let files = files(&pass(&ana, &tokyo, item, "").await);
        let manifest = json_of(&files, "manifest.json");
        let listed: BTreeMap<String, Value> = serde_json::from_value(manifest).expect("an object");
        let sha1 = |bytes: &[u8]| {
            let hash = hash(MessageDigest::sha1(), bytes).expect("SHA-1");
            hash.iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"))
        };
        let expected: BTreeMap<String, Value> = files
            .iter()
            .filter(|(name, _)| !["manifest.json", "signature"].contains(&name.as_str()))
            .map(|(name, bytes)| (name.clone(), json!(sha1(bytes))))
            .collect();
        assert_eq!(listed, expected, "{item}");
        assert!(listed.contains_key("icon.png") && listed.contains_key("pass.json"), "{listed:?}");

        let (signature, mut content) = (&files["signature"], files["manifest.json"].clone());
        assert!(verifies(signature, &content, &operator.root), "{item}");
        content[10] ^= 1;
        assert!(!verifies(signature, &content, &operator.root), "{item}: one byte is another");
    }
}

#[api_test]
async fn a_flight_is_a_boarding_pass_in_local_times_and_without_a_barcode(database: Database) {
    let Some(world) = start(database, &Operator::new()).await else { return };
    let ana = App::of(&world, "ana").await;
    let tokyo = ana.created(&trip()).await;
    let pass = json_of(&files(&pass(&ana, &tokyo, "flight/out", "?format=apple").await), "pass.json");
    for (key, value) in [
        ("formatVersion", json!(1)),
        ("passTypeIdentifier", json!(PASS_TYPE)),
        ("teamIdentifier", json!(TEAM)),
        ("organizationName", json!("Example Trips")),
    ] {
        assert_eq!(pass[key], value, "{key}");
    }
    for absent in ["barcode", "barcodes", "webServiceURL", "authenticationToken"] {
        assert!(pass[absent].is_null(), "{absent}: {pass}");
    }
    let boarding = &pass["boardingPass"];
    assert_eq!(boarding["transitType"], "PKTransitTypeAir");
    let primary: Vec<_> = boarding["primaryFields"].as_array().expect("fields").iter().map(|f| &f["value"]).collect();
    assert_eq!(primary, [&json!("LIS"), &json!("HND")]);
    let shown = pass.to_string();
    for text in ["2027-05-01T12:05:00+01:00", "2027-05-02T09:30:00+09:00", "14A", "S22", "Premium Economy", "ana"] {
        assert!(shown.contains(text), "{text}: {pass}");
    }
}

#[api_test(sqlite)]
async fn a_hotel_is_a_generic_pass_at_its_place(database: Database) {
    let Some(world) = start(database, &Operator::new()).await else { return };
    let ana = App::of(&world, "ana").await;
    let tokyo = ana.created(&trip()).await;
    let pass = json_of(&files(&pass(&ana, &tokyo, "hotel/inn", "").await), "pass.json");
    let shown: Vec<Value> = fields(&pass["generic"]).into_values().collect();
    for value in ["Ryokan \u{6885}", "2027-05-02T15:00:00+09:00", "2027-05-08T10:00:00+09:00", "12"] {
        assert!(shown.contains(&json!(value)), "{value}: {pass}");
    }
    assert_eq!(pass["locations"][0]["latitude"], 35.7148);
    assert!(pass["boardingPass"].is_null());
}

#[api_test]
async fn a_pass_keeps_its_serial_and_another_travellers_is_another(database: Database) {
    let Some(world) = start(database, &Operator::new()).await else { return };
    let (ana, ben) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    let tokyo = ana.created(&trip()).await;
    let account = world.service().store.account_by_username("ben").await.expect("a database").expect("ben");
    world.member(&tokyo.id, account.id, "viewer").await;
    let serial = async |app: &App<'_>, item: &str| {
        json_of(&files(&pass(app, &tokyo, item, "").await), "pass.json")["serialNumber"].clone()
    };
    let first = serial(&ana, "flight/out").await;
    assert_eq!(first, serial(&ana, "flight/out").await);
    assert_ne!(first, serial(&ben, "flight/out").await);
    assert_ne!(first, serial(&ana, "hotel/inn").await);
}
