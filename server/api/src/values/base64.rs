//! Bytes in base64.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::limits;
use super::text::checked_text;

checked_text!(
    /// Bytes in base64 (RFC 4648, section 4, with padding), 1 to 4,000 characters.
    Base64,
    |text| {
        if text.is_empty() || text.len() > limits::TICKET_DATA {
            return Err(format!("must have 1 to {} characters, not {}", limits::TICKET_DATA, text.chars().count()));
        }
        STANDARD.decode(text).map(drop).map_err(|_| "must be base64 with padding".to_owned())
    },
    format: None,
    // Decoders reject a last character whose unused bits are not zero.
    pattern: Some("^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$"),
    max: Some(limits::TICKET_DATA)
);

impl Base64 {
    /// Encodes bytes.
    pub fn encode(bytes: &[u8]) -> Result<Self, String> {
        Self::new(STANDARD.encode(bytes))
    }

    /// The bytes.
    pub fn decode(&self) -> Vec<u8> {
        STANDARD.decode(&**self).expect("it was checked when it was made")
    }
}
