//! One-time codes (TOTP, RFC 6238), the second step of signing in with a password, and recovery codes in place of them.
//!
//! A code has six digits and is good for its time step of 30 seconds and one before and after, once. The secret is sealed
//! under the server's key. Of a recovery code, which is random and used once, the SHA-256 is stored.

use chrono::{DateTime, Utc};
use itinerary_core::clock::Random;
use itinerary_core::ids;
use itinerary_platform::context::Service;
use itinerary_store::{Account, Hash, NewOneTimeCodes, Result as Stored, TurnOnOutcome};
use totp_rs::{Algorithm, Secret, TOTP};
use url::Url;
use uuid::Uuid;

/// The number of recovery codes.
pub const RECOVERY_CODES: usize = 10;

const DIGITS: usize = 6;
/// The length of a time step, in seconds.
const STEP: i64 = 30;
/// How many steps a clock may be wrong.
const SKEW: i64 = 1;
/// The characters of recovery codes: 32, without those that look like others.
const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
/// The length of a recovery code: 80 random bits.
const RECOVERY_CODE: usize = 16;
/// Shown by authenticator apps if the service has no host name.
const ISSUER: &str = "Itineraries";

/// A new secret of 160 random bits.
pub fn new_secret(service: &Service) -> Vec<u8> {
    service.random.bytes::<20>().to_vec()
}

/// The secret as text to type into an authenticator app (base32), in groups of four characters.
pub fn secret_text(secret: &[u8]) -> String {
    let text = encoded(secret);
    let groups: Vec<_> = text.as_bytes().chunks(4).map(String::from_utf8_lossy).collect();
    groups.join(" ")
}

/// The address that authenticator apps read from a QR code (`otpauth:`).
pub fn address(service: &Service, secret: &[u8], username: &str) -> String {
    let url = Url::parse(&service.config.base_url).ok();
    let host = url.as_ref().and_then(Url::domain).unwrap_or(ISSUER);
    // Host names and usernames have no characters to escape.
    format!("otpauth://totp/{host}:{username}?secret={}&issuer={host}", encoded(secret))
}

fn encoded(secret: &[u8]) -> String {
    Secret::Raw(secret.to_vec()).to_encoded().to_string()
}

/// The time step of a right code: one after `after`, and now, one before or one after.
fn step_of(secret: &[u8], code: &str, now: DateTime<Utc>, after: i64) -> Option<i64> {
    let step = u64::try_from(STEP).expect("it is positive");
    let totp = TOTP::new(Algorithm::SHA1, DIGITS, 0, step, secret.to_vec()).ok()?;
    let current = now.timestamp().div_euclid(STEP);
    let is_right = |step: &i64| {
        let Ok(time) = u64::try_from(step * STEP) else { return false };
        let expected = totp.generate(time);
        expected.len() == code.len() && openssl::memcmp::eq(expected.as_bytes(), code.as_bytes())
    };
    (current - SKEW..=current + SKEW).filter(|step| *step > after).find(is_right)
}

/// What a person typed, without spaces and hyphens, in lower case.
fn normalised(typed: &str) -> String {
    typed.chars().filter(|it| !it.is_whitespace() && *it != '-').flat_map(char::to_lowercase).collect()
}

fn recovery_code(random: &dyn Random) -> String {
    let bytes = random.bytes::<RECOVERY_CODE>();
    let letters: String = bytes.iter().map(|byte| char::from(LETTERS[usize::from(byte % 32)])).collect();
    let groups: Vec<_> = letters.as_bytes().chunks(4).map(String::from_utf8_lossy).collect();
    groups.join("-")
}

/// Recovery codes, and their hashes.
fn new_recovery_codes(service: &Service, account: Uuid) -> (Vec<String>, Vec<Hash>) {
    let codes: Vec<_> = (0..RECOVERY_CODES).map(|_| recovery_code(&*service.random)).collect();
    let hashes = codes.iter().map(|code| hash(account, code)).collect();
    (codes, hashes)
}

fn hash(account: Uuid, code: &str) -> Hash {
    ids::hash(&format!("{account} {}", normalised(code)))
}

/// The purpose for which the secret of an account is sealed.
fn purpose(account: Uuid) -> String {
    format!("one-time codes of {account}")
}

/// The outcome of turning one-time codes on.
pub enum TurnedOn {
    /// The recovery codes, which cannot be read again.
    On(Vec<String>),
    WrongCode,
    OnBefore,
    SignedOut,
}

/// Turns one-time codes on for the account of a session, if `code` is one of `secret`.
pub async fn turn_on(service: &Service, account: Uuid, session: &Hash, secret: &[u8], code: &str) -> Stored<TurnedOn> {
    let now = service.clock.now();
    let Some(step) = step_of(secret, &normalised(code), now, 0) else { return Ok(TurnedOn::WrongCode) };
    let (codes, recovery_codes) = new_recovery_codes(service, account);
    let new = NewOneTimeCodes {
        account_id: account,
        secret: service.key.seal(&purpose(account), secret, &*service.random),
        step,
        created_at: now,
        recovery_codes,
    };
    Ok(match service.store.one_time_codes_turn_on(&new, session).await? {
        TurnOnOutcome::TurnedOn => TurnedOn::On(codes),
        TurnOnOutcome::OnBefore => TurnedOn::OnBefore,
        TurnOnOutcome::SignedOut => TurnedOn::SignedOut,
    })
}

/// Whether one-time codes are on for an account.
pub async fn are_on(service: &Service, account: Uuid) -> Stored<bool> {
    Ok(service.store.one_time_codes(account).await?.is_some())
}

/// Makes new recovery codes in place of the old ones. `None` if one-time codes are off.
pub async fn renew_recovery_codes(service: &Service, account: Uuid, session: &Hash) -> Stored<Option<Vec<String>>> {
    let (codes, hashes) = new_recovery_codes(service, account);
    Ok(service.store.recovery_codes_replace(account, &hashes, session).await?.then_some(codes))
}

/// Whether a text has the form of a recovery code, which nobody can guess.
pub fn is_recovery_code(typed: &str) -> bool {
    normalised(typed).len() == RECOVERY_CODE
}

/// Which code was right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UsedCode {
    OneTime,
    Recovery,
}

/// Checks a one-time code or a recovery code, and uses it. `None` if it is wrong, was used before, or codes are off.
pub async fn check(service: &Service, account: &Account, typed: &str) -> Stored<Option<UsedCode>> {
    let Some(codes) = service.store.one_time_codes(account.id).await? else { return Ok(None) };
    let code = normalised(typed);
    if code.len() == RECOVERY_CODE && service.store.recovery_code_use(account.id, &hash(account.id, &code)).await? {
        return Ok(Some(UsedCode::Recovery));
    }
    let Some(secret) = service.key.open(&purpose(account.id), &codes.secret) else {
        tracing::error!("the secret of an account's one-time codes cannot be read: was the server's key changed?");
        return Ok(None);
    };
    let Some(step) = step_of(&secret, &code, service.clock.now(), codes.last_step) else { return Ok(None) };
    Ok(service.store.one_time_code_use(account.id, step).await?.then_some(UsedCode::OneTime))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The secret of RFC 6238, appendix B.
    const SECRET: &[u8] = b"12345678901234567890";

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(seconds, 0).expect("a time")
    }

    #[test]
    fn codes_are_those_of_rfc_6238() {
        // The last six digits of the eight in the RFC.
        for (seconds, code) in [(59, "287082"), (1_111_111_109, "081804"), (20_000_000_000, "353130")] {
            assert_eq!(step_of(SECRET, code, at(seconds), 0), Some(seconds / 30), "{seconds}");
        }
    }

    #[test]
    fn a_code_is_good_for_one_step_before_and_after() {
        let step = 1_111_111_109 / 30;
        for (seconds, is_good) in [(-31, false), (-30, true), (0, true), (59, true), (60, false)] {
            let found = step_of(SECRET, "081804", at(step * 30 + seconds), 0);
            assert_eq!(found, is_good.then_some(step), "{seconds}");
        }
        assert_eq!(step_of(SECRET, "081804", at(step * 30), step), None, "it was used");
        for wrong in ["", "81804", "0818040", "081805", "éé"] {
            assert_eq!(step_of(SECRET, wrong, at(step * 30), 0), None, "{wrong}");
        }
    }

    #[test]
    fn typed_codes_may_have_spaces_and_capitals() {
        assert_eq!(normalised(" 081 804\t"), "081804");
        assert_eq!(normalised("ABCD-efgh 2345-mnpq"), "abcdefgh2345mnpq");
        assert_eq!(secret_text(SECRET), "GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ");
    }
}
