//! Google Wallet passes: save links, each with a signed JSON Web Token that contains the whole pass.
//!
//! Does not call Google's API: Google creates the pass from the token when the traveller opens the link. A later link
//! does not change an existing object.

mod bookings;
mod content;
mod resources;
mod text;

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, Utc};
use openssl::error::ErrorStack;
use openssl::hash::MessageDigest;
use openssl::pkey::{Id, PKey, Private};
use openssl::sign::Signer;
use serde::{Deserialize, Serialize};

use crate::pass::known;
use crate::{Failure, Misconfigured, Pass};
use content::TextWriter;
use resources::Payload;
use text::TextLimits;

const SAVE: &str = "https://pay.google.com/gp/v/save/";
const HEADER: &str = r#"{"alg":"RS256","typ":"JWT"}"#;
/// The length that Google recommends, because some browsers truncate longer links.
const SAFE_LENGTH: usize = 1_800;
/// RS256 requires it.
const MIN_KEY_BITS: u32 = 2_048;
/// Shown if the airline's name is unknown.
const ISSUER_NAME: &str = "Itinerary";

/// Makes Google Wallet save links.
pub struct Google {
    issuer_id: String,
    issuer_name: String,
    email: String,
    key: PKey<Private>,
    origins: Vec<String>,
    logo: String,
}

impl fmt::Debug for Google {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        let mut debug = formatter.debug_struct("Google");
        debug.field("issuer_id", &self.issuer_id).field("email", &self.email).finish_non_exhaustive()
    }
}

/// The used members of a service account's key file.
#[derive(Deserialize)]
struct ServiceAccount {
    #[serde(rename = "type")]
    kind: String,
    client_email: String,
    private_key: String,
}

#[derive(Serialize)]
struct Claims<'a> {
    iss: &'a str,
    aud: &'static str,
    typ: &'static str,
    iat: i64,
    origins: &'a [String],
    payload: Payload,
}

impl Google {
    /// Takes the issuer id, the service account's JSON key file, the web origins that may show a save button, and the
    /// address at which Google can read the [logo](crate::logo). Links work without origins.
    pub fn new<O>(issuer_id: &str, service_account: &[u8], origins: O, logo: &str) -> Result<Self, Misconfigured>
    where
        O: IntoIterator<Item: Into<String>>,
    {
        if issuer_id.is_empty() || !issuer_id.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(Misconfigured::IssuerId(issuer_id.to_owned()));
        }
        // serde's error could quote the file.
        let account: ServiceAccount =
            serde_json::from_slice(service_account).map_err(|_| Misconfigured::ServiceAccount)?;
        let email = known(&account.client_email).filter(|_| account.kind == "service_account");
        let email = email.ok_or(Misconfigured::ServiceAccount)?.to_owned();
        let key = PKey::private_key_from_pem_passphrase(account.private_key.as_bytes(), b"")
            .ok()
            .filter(|key| key.id() == Id::RSA && key.bits() >= MIN_KEY_BITS)
            .ok_or(Misconfigured::ServiceAccountKey)?;
        let origins = origins.into_iter().map(Into::into).collect();
        let (issuer_id, issuer_name) = (issuer_id.to_owned(), ISSUER_NAME.to_owned());
        Ok(Self { issuer_id, issuer_name, email, key, origins, logo: logo.to_owned() })
    }

    /// Sets the operator's name on flight passes. Google recommends at most 20 characters. A blank name is ignored.
    #[must_use]
    pub fn with_issuer_name(mut self, name: &str) -> Self {
        if let Some(name) = known(name) {
            name.clone_into(&mut self.issuer_name);
        }
        self
    }

    /// Makes the save link, shorter than 1,800 characters if possible: texts are shortened, and optional ones omitted.
    /// The barcode is never changed. A flight or transport without the data that Google requires becomes a generic pass.
    pub fn link(&self, pass: &Pass, now: DateTime<Utc>) -> Result<String, Failure> {
        pass.check()?;
        let room = match self.room(pass, now, true)? {
            Some(room) => room,
            // A long barcode makes the link too long whatever the texts are.
            None => self.room(pass, now, false)?.unwrap_or(TextLimits::LEAST),
        };
        let claims = serde_json::to_string(&self.claims(pass, now, room, true))?;
        Ok(format!("{SAVE}{}", self.token(&claims)?))
    }

    /// The largest limits with which the link is short enough.
    fn room(&self, pass: &Pass, now: DateTime<Utc>, has_barcode: bool) -> Result<Option<TextLimits>, Failure> {
        for room in TextLimits::ALL {
            let claims = serde_json::to_string(&self.claims(pass, now, room, has_barcode))?;
            if self.length(&claims) < SAFE_LENGTH {
                return Ok(Some(room));
            }
        }
        Ok(None)
    }

    fn claims(&self, pass: &Pass, now: DateTime<Utc>, room: TextLimits, has_barcode: bool) -> Claims<'_> {
        let Self { issuer_id, issuer_name, logo, .. } = self;
        let writer = TextWriter { issuer_id, issuer_name, logo, pass, room, has_barcode };
        Claims {
            iss: &self.email,
            aud: "google",
            typ: "savetowallet",
            iat: now.timestamp(),
            origins: &self.origins,
            payload: writer.payload(),
        }
    }

    /// The length of the link with these claims.
    fn length(&self, claims: &str) -> usize {
        let parts = [HEADER.len(), claims.len(), self.key.size()];
        SAVE.len() + parts.map(|bytes| (bytes * 4).div_ceil(3)).iter().sum::<usize>() + ".".len() * 2
    }

    /// A JSON Web Token, signed with RS256.
    fn token(&self, claims: &str) -> Result<String, ErrorStack> {
        let content = format!("{}.{}", URL_SAFE_NO_PAD.encode(HEADER), URL_SAFE_NO_PAD.encode(claims));
        let mut signer = Signer::new(MessageDigest::sha256(), &self.key)?;
        let signature = signer.sign_oneshot_to_vec(content.as_bytes())?;
        Ok(format!("{content}.{}", URL_SAFE_NO_PAD.encode(signature)))
    }
}
