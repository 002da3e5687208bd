//! The barcode of a ticket.

/// The kind of barcode. Both wallets show these four.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BarcodeFormat {
    Aztec,
    Qr,
    Pdf417,
    Code128,
}

/// What a barcode contains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BarcodeContent {
    Text(String),
    Data(Vec<u8>),
}

/// A barcode, as it is on the ticket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Barcode {
    pub format: BarcodeFormat,
    pub content: BarcodeContent,
}

impl Barcode {
    /// The content as text. Bytes are the characters of ISO 8859-1, which both wallets encode as the same bytes.
    pub(crate) fn message(&self) -> String {
        match &self.content {
            BarcodeContent::Text(text) => text.clone(),
            BarcodeContent::Data(bytes) => bytes.iter().copied().map(char::from).collect(),
        }
    }

    /// Whether every character is one of ISO 8859-1.
    pub(crate) fn is_latin1(&self) -> bool {
        match &self.content {
            BarcodeContent::Text(text) => text.chars().all(|character| u8::try_from(character).is_ok()),
            BarcodeContent::Data(_) => true,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        match &self.content {
            BarcodeContent::Text(text) => text.is_empty(),
            BarcodeContent::Data(bytes) => bytes.is_empty(),
        }
    }
}
