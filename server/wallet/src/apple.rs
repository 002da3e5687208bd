//! Apple Wallet passes: `.pkpass` files, signed with the operator's certificate.
//!
//! Passes on a device are not updated: they name no web service.

mod archive;
// The names are Apple's.
#[allow(clippy::struct_field_names)]
mod content;

use std::fmt;

use chrono::{DateTime, Utc};
use openssl::asn1::{Asn1Time, Asn1TimeRef};
use openssl::cms::{CMSOptions, CmsContentInfo};
use openssl::error::ErrorStack;
use openssl::nid::Nid;
use openssl::pkey::{PKey, Private};
use openssl::stack::Stack;
use openssl::x509::{X509, X509Ref, X509VerifyResult};

use crate::pass::known;
use crate::pictures::PICTURES;
use crate::{Failure, Misconfigured, Pass};

/// The settings for [`Apple`].
#[derive(Clone, Copy)]
pub struct AppleSettings<'a> {
    /// The registered pass type, such as `pass.com.example.itinerary`.
    pub pass_type_identifier: &'a str,
    /// The team that owns the pass type.
    pub team_identifier: &'a str,
    /// The operator's name, as shown on the lock screen.
    pub organization_name: &'a str,
    /// The pass type's certificate, in PEM or DER form.
    pub certificate: &'a [u8],
    /// The certificate's private key, in PEM form.
    pub key: &'a [u8],
    /// The private key's password, if it is encrypted.
    pub key_password: Option<&'a str>,
    /// Apple's certificate that issued the pass type's, in PEM or DER form.
    pub intermediate: &'a [u8],
}

impl fmt::Debug for AppleSettings<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        debug(formatter, "AppleSettings", self.pass_type_identifier, self.team_identifier)
    }
}

/// Makes Apple Wallet passes.
pub struct Apple {
    issuer: Issuer,
    certificate: X509,
    key: PKey<Private>,
    intermediate: Stack<X509>,
    begin: DateTime<Utc>,
    end: DateTime<Utc>,
}

/// Reads a certificate in PEM form or in DER form, which Apple issues.
fn certificate_of(bytes: &[u8]) -> Result<X509, ErrorStack> {
    X509::from_pem(bytes).or_else(|_| X509::from_der(bytes))
}

struct Issuer {
    pass_type: String,
    team: String,
    organization: String,
}

impl fmt::Debug for Apple {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        debug(formatter, "Apple", &self.issuer.pass_type, &self.issuer.team)
    }
}

impl Apple {
    /// Checks that the settings are consistent. An expired certificate is accepted, so that the server can start; see
    /// [`Apple::check`].
    pub fn new(settings: AppleSettings) -> Result<Self, Misconfigured> {
        let issuer = Issuer::new(&settings)?;
        let certificate = certificate_of(settings.certificate).map_err(|_| Misconfigured::Certificate)?;
        let intermediate = certificate_of(settings.intermediate).map_err(|_| Misconfigured::Intermediate)?;
        // Without a password, OpenSSL would ask for one on the terminal.
        let password = settings.key_password.unwrap_or_default().as_bytes();
        let key = PKey::private_key_from_pem_passphrase(settings.key, password).map_err(|_| Misconfigured::Key)?;
        check_subject(&certificate, &issuer)?;
        if !certificate.public_key().is_ok_and(|public| public.public_eq(&key)) {
            return Err(Misconfigured::KeyOfAnotherCertificate);
        }
        if !issued(&intermediate, &certificate) {
            return Err(Misconfigured::AnotherIssuer);
        }
        let begin = time(certificate.not_before()).max(time(intermediate.not_before()));
        let end = time(certificate.not_after()).min(time(intermediate.not_after()));
        let intermediate = stack(intermediate).map_err(|_| Misconfigured::Intermediate)?;
        Ok(Self { issuer, certificate, key, intermediate, begin, end })
    }

    /// The earliest expiry of the certificates. Devices reject passes that are signed later.
    pub fn expires(&self) -> DateTime<Utc> {
        self.end
    }

    /// Fails with [`Failure::Expired`] unless the certificates are valid now. [`Apple::pass`] has no clock, so it signs
    /// with expired certificates as well.
    pub fn check(&self, now: DateTime<Utc>) -> Result<(), Failure> {
        let &Self { begin, end, .. } = self;
        if (begin..=end).contains(&now) { Ok(()) } else { Err(Failure::Expired { begin, end }) }
    }

    /// Makes the `.pkpass` file. The same pass gives the same files, except the signature, which contains its time.
    pub fn pass(&self, pass: &Pass) -> Result<Vec<u8>, Failure> {
        pass.check()?;
        let content = serde_json::to_vec(&content::content(&self.issuer, pass))?;
        let mut files = vec![("pass.json", content.as_slice())];
        files.extend(PICTURES.iter().map(|(name, bytes)| (*name, bytes.as_slice())));
        let manifest = archive::manifest(&files)?;
        let signature = self.sign(&manifest)?;
        files.extend([("manifest.json", manifest.as_slice()), ("signature", signature.as_slice())]);
        Ok(archive::zip(&files)?)
    }

    /// A detached signature, in DER form. OpenSSL adds the signing time.
    fn sign(&self, manifest: &[u8]) -> Result<Vec<u8>, ErrorStack> {
        let options = CMSOptions::DETACHED | CMSOptions::BINARY | CMSOptions::NOSMIMECAP;
        let (certificate, key) = (Some(&*self.certificate), Some(&*self.key));
        CmsContentInfo::sign(certificate, key, Some(&self.intermediate), Some(manifest), options)?.to_der()
    }
}

impl Issuer {
    fn new(settings: &AppleSettings) -> Result<Self, Misconfigured> {
        let &AppleSettings { pass_type_identifier: pass_type, team_identifier: team, .. } = settings;
        if pass_type.strip_prefix("pass.").and_then(known).is_none() {
            return Err(Misconfigured::PassTypeIdentifier(pass_type.to_owned()));
        }
        if team.is_empty() || !team.chars().all(|character| character.is_ascii_alphanumeric()) {
            return Err(Misconfigured::TeamIdentifier(team.to_owned()));
        }
        let organization = known(settings.organization_name).ok_or(Misconfigured::OrganizationName)?;
        Ok(Self { pass_type: pass_type.to_owned(), team: team.to_owned(), organization: organization.to_owned() })
    }
}

/// Apple's certificates name the pass type as the user id and the team as the organizational unit.
fn check_subject(certificate: &X509Ref, issuer: &Issuer) -> Result<(), Misconfigured> {
    if let Some(other) = other_than(&issuer.pass_type, certificate, Nid::USERID) {
        return Err(Misconfigured::AnotherPassType { certificate: other, configured: issuer.pass_type.clone() });
    }
    if let Some(other) = other_than(&issuer.team, certificate, Nid::ORGANIZATIONALUNITNAME) {
        return Err(Misconfigured::AnotherTeam { certificate: other, configured: issuer.team.clone() });
    }
    Ok(())
}

/// Returns the subject's first entry of this kind if none equals the expected one.
fn other_than(expected: &str, certificate: &X509Ref, kind: Nid) -> Option<String> {
    let entries = certificate.subject_name().entries_by_nid(kind);
    let entries: Vec<String> = entries.map(|entry| String::from_utf8_lossy(entry.data().as_slice()).into()).collect();
    if entries.iter().any(|entry| entry == expected) { None } else { entries.into_iter().next() }
}

fn issued(issuer: &X509Ref, certificate: &X509Ref) -> bool {
    issuer.issued(certificate) == X509VerifyResult::OK
        && issuer.public_key().is_ok_and(|key| certificate.verify(&key).unwrap_or(false))
}

fn stack(certificate: X509) -> Result<Stack<X509>, ErrorStack> {
    let mut stack = Stack::new()?;
    stack.push(certificate)?;
    Ok(stack)
}

/// OpenSSL only gives the difference of two times. A time that it cannot read counts as long ago.
fn time(time: &Asn1TimeRef) -> DateTime<Utc> {
    let since_epoch = Asn1Time::from_unix(0).and_then(|epoch| epoch.diff(time));
    let seconds = since_epoch.map_or(i64::MIN, |since| i64::from(since.days) * 86_400 + i64::from(since.secs));
    DateTime::from_timestamp(seconds, 0).unwrap_or(DateTime::<Utc>::MIN_UTC)
}

/// Omits the key, and the certificates for brevity.
fn debug(formatter: &mut fmt::Formatter, name: &str, pass_type: &str, team: &str) -> fmt::Result {
    let mut debug = formatter.debug_struct(name);
    debug.field("pass_type_identifier", &pass_type).field("team_identifier", &team).finish_non_exhaustive()
}
