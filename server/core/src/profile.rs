//! The fields of an account that its traveller may change.

use itinerary_api::read::FieldError;
use itinerary_api::types::{AccountPatch, Place};
use itinerary_api::values::{Change, Merge, Patch};

use crate::legible::is_legible;
use crate::validate;

#[derive(Clone, Debug, PartialEq)]
pub struct OwnProfile {
    pub display_name: String,
    pub image_url: Option<String>,
    /// Where new trips start by default.
    pub home_place: Option<Place>,
}

impl OwnProfile {
    /// Merges a patch. Rejects a display name that is not legible.
    pub fn merge(&mut self, patch: AccountPatch) -> Result<(), FieldError> {
        if let Change::Value(name) = patch.display_name {
            let name = name.trim();
            if name.is_empty() || !is_legible(name) {
                return Err(FieldError::new(
                    "displayName",
                    "must have visible characters and no invisible or control characters",
                ));
            }
            name.clone_into(&mut self.display_name);
        }
        match patch.image_url {
            Patch::Absent => {}
            Patch::Null => self.image_url = None,
            Patch::Value(url) => self.image_url = Some(url.to_string()),
        }
        Merge::merge_optional(&mut self.home_place, patch.home_place)
            .map_err(|missing| FieldError::new(missing.within("homePlace").0, "is required"))?;
        self.home_place.as_ref().map_or(Ok(()), |place| validate::place(place, || "homePlace".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn merged(patch: Value) -> Result<OwnProfile, String> {
        let mut profile = OwnProfile {
            display_name: "Ana".to_owned(),
            image_url: Some("https://example.com/a.png".to_owned()),
            home_place: serde_json::from_value(json!({ "name": "Porto", "code": "OPO" })).expect("a place"),
        };
        let patch: AccountPatch = serde_json::from_value(patch).map_err(|error| error.to_string())?;
        profile.merge(patch).map_err(|error| error.field.unwrap_or_default())?;
        Ok(profile)
    }

    #[test]
    fn patch_merges_sent_fields_and_keeps_the_rest() {
        let profile = merged(json!({ "displayName": "  Ana B. ", "homePlace": { "code": null }, "username": "x" }));
        let profile = profile.expect("a good patch");
        assert_eq!(profile.display_name, "Ana B.");
        assert_eq!(profile.image_url.as_deref(), Some("https://example.com/a.png"));
        assert_eq!(serde_json::to_value(&profile.home_place).expect("a place"), json!({ "name": "Porto" }));
        let cleared = merged(json!({ "imageUrl": null, "homePlace": null })).expect("a good patch");
        assert_eq!((cleared.image_url, cleared.home_place), (None, None));
    }

    #[test]
    fn invalid_fields_are_rejected_by_name() {
        for (patch, field) in [
            (json!({ "displayName": "   " }), "displayName"),
            (json!({ "displayName": "a\u{202e}b" }), "displayName"),
            (json!({ "homePlace": { "name": null, "code": null } }), "homePlace"),
            (json!({ "homePlace": { "coordinate": { "latitude": 1 } } }), "homePlace.coordinate.longitude"),
        ] {
            assert_eq!(merged(patch.clone()), Err(field.to_owned()), "{patch}");
        }
    }
}
