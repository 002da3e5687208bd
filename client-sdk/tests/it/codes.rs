//! The constants for error codes.

use itinerary_sdk::code;

// Not in the crate, because the document is not part of its package.
#[test]
fn they_are_the_codes_of_the_document() {
    let document = include_str!("../../../openapi/itinerary.json");
    let document: serde_json::Value = serde_json::from_str(document).unwrap();
    let codes = document.pointer("/components/schemas/ErrorCode/x-extensible-enum").unwrap();
    assert_eq!(codes, &serde_json::json!(code::ALL));
}
