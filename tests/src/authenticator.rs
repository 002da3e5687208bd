//! An authenticator in software: makes a passkey with an ES256 key and signs challenges, as a browser would hand them on.
//! It can be told to lie.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use openssl::bn::{BigNum, BigNumContext};
use openssl::ec::{EcGroup, EcKey};
use openssl::hash::MessageDigest;
use openssl::nid::Nid;
use openssl::pkey::{PKey, Private};
use openssl::sha::sha256;
use openssl::sign::Signer;
use serde_json::{Value, json};

use crate::browser::{Form, Page};

const USER_PRESENT: u8 = 0x01;
const USER_VERIFIED: u8 = 0x04;
const HAS_CREDENTIAL: u8 = 0x40;

/// An authenticator with one passkey, in a browser at one origin.
#[derive(Clone)]
pub struct Authenticator {
    pub key: EcKey<Private>,
    pub credential_id: Vec<u8>,
    /// The account's id, which comes with the request to make the passkey.
    pub user: Option<Vec<u8>>,
    /// The signature counter; it grows with each signature unless it is 0.
    pub counter: u32,
    /// The origin that the browser reports.
    pub origin: String,
    /// Whether it verifies the user.
    pub verifies: bool,
}

/// The options for the browser in the form of a page, for `create` or `get`.
#[track_caller]
pub fn options(page: &Page, kind: &str) -> Value {
    let text = page.text();
    let (_, rest) = text
        .split_once(&format!("data-passkey=\"{kind}\" data-options=\""))
        .unwrap_or_else(|| panic!("no form for a passkey in {text}"));
    let escaped = rest.split_once('"').expect("its end").0;
    serde_json::from_str(&escaped.replace("&#34;", "\"").replace("&#38;", "&")).expect("JSON")
}

/// The form for a passkey in a page.
#[track_caller]
pub fn form(page: &Page, action: &str) -> Form {
    let mut forms = page.forms(action).into_iter();
    forms.find(|form| form.has("credential")).unwrap_or_else(|| panic!("no form for a passkey in {}", page.text()))
}

fn bytes_of(text: &Value) -> Vec<u8> {
    URL_SAFE_NO_PAD.decode(text.as_str().expect("text")).expect("base64url")
}

fn text_of(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// The head of a CBOR value (RFC 8949).
fn cbor(major: u8, length: usize) -> Vec<u8> {
    let head = major << 5;
    match u8::try_from(length) {
        Ok(short @ ..0x18) => vec![head | short],
        Ok(length) => vec![head | 0x18, length],
        Err(_) => [vec![head | 0x19], u16::try_from(length).expect("short").to_be_bytes().to_vec()].concat(),
    }
}

fn cbor_text(text: &str) -> Vec<u8> {
    [cbor(3, text.len()), text.as_bytes().to_vec()].concat()
}

fn cbor_bytes(bytes: &[u8]) -> Vec<u8> {
    [cbor(2, bytes.len()), bytes.to_vec()].concat()
}

impl Authenticator {
    /// An authenticator in a browser at this origin.
    pub fn at(origin: &str) -> Self {
        let group = EcGroup::from_curve_name(Nid::X9_62_PRIME256V1).expect("a curve");
        let key = EcKey::generate(&group).expect("a key");
        let credential_id = sha256(&key.private_key().to_vec())[..24].to_vec();
        Self { key, credential_id, user: None, counter: 0, origin: origin.to_owned(), verifies: true }
    }

    /// The public key (COSE, RFC 9053).
    fn cose_key(&self) -> Vec<u8> {
        let (mut x, mut y) = (BigNum::new().expect("a number"), BigNum::new().expect("a number"));
        let mut context = BigNumContext::new().expect("a context");
        self.key.public_key().affine_coordinates(self.key.group(), &mut x, &mut y, &mut context).expect("coordinates");
        let padded = |number: &BigNum| number.to_vec_padded(32).expect("32 bytes");
        // kty: EC2, alg: ES256, crv: P-256, x, y
        let head = [0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01];
        [&head[..], &[0x21], &cbor_bytes(&padded(&x)), &[0x22], &cbor_bytes(&padded(&y))].concat()
    }

    fn data(&self, party: &str, credential: &[u8]) -> Vec<u8> {
        let verified = if self.verifies { USER_VERIFIED } else { 0 };
        let attested = if credential.is_empty() { 0 } else { HAS_CREDENTIAL };
        let flags = USER_PRESENT | verified | attested;
        [&sha256(party.as_bytes())[..], &[flags], &self.counter.to_be_bytes(), credential].concat()
    }

    fn client_data(&self, kind: &str, challenge: &Value) -> Vec<u8> {
        let data = json!({ "type": kind, "challenge": challenge, "origin": self.origin, "crossOrigin": false });
        data.to_string().into_bytes()
    }

    /// Makes the passkey. Returns what the browser's script sends.
    pub fn create(&mut self, options: &Value) -> String {
        self.user = Some(bytes_of(&options["user"]["id"]));
        let length = u16::try_from(self.credential_id.len()).expect("short").to_be_bytes();
        let credential = [&[0; 16][..], &length, &self.credential_id, &self.cose_key()].concat();
        let data = self.data(options["rp"]["id"].as_str().expect("an id"), &credential);
        let attestation = [
            cbor(5, 3),
            cbor_text("fmt"),
            cbor_text("none"),
            cbor_text("attStmt"),
            cbor(5, 0),
            cbor_text("authData"),
            cbor_bytes(&data),
        ]
        .concat();
        let client_data = self.client_data("webauthn.create", &options["challenge"]);
        self.credential(&json!({
            "clientDataJSON": text_of(&client_data),
            "attestationObject": text_of(&attestation),
        }))
    }

    /// Signs a challenge. Returns what the browser's script sends.
    pub fn get(&mut self, options: &Value) -> String {
        if self.counter > 0 {
            self.counter += 1;
        }
        let data = self.data(options["rpId"].as_str().expect("an id"), &[]);
        let client_data = self.client_data("webauthn.get", &options["challenge"]);
        let key = PKey::from_ec_key(self.key.clone()).expect("a key");
        let mut signer = Signer::new(MessageDigest::sha256(), &key).expect("a signer");
        let message = [data.clone(), sha256(&client_data).to_vec()].concat();
        let signature = signer.sign_oneshot_to_vec(&message).expect("a signature");
        let mut response = json!({
            "clientDataJSON": text_of(&client_data),
            "authenticatorData": text_of(&data),
            "signature": text_of(&signature),
        });
        if let Some(user) = &self.user {
            response["userHandle"] = json!(text_of(user));
        }
        self.credential(&response)
    }

    fn credential(&self, response: &Value) -> String {
        let id = text_of(&self.credential_id);
        json!({ "id": id, "rawId": id, "type": "public-key", "response": response }).to_string()
    }
}
