//! Places and images.

use schemars::JsonSchema;
use serde::Deserialize;

use super::Label;
use crate::values::{
    AirportCode, Change, CountryCode, Latitude, Longitude, Patch, Text, TimeZone, WebUrl, limits, resource,
};

resource! {
    /// A point on the earth, in degrees (WGS 84).
    #[derive(Copy)]
    Coordinate, CoordinatePatch {
        /// Degrees north of the equator, -90 to 90.
        required latitude: Latitude;
        /// Degrees east of Greenwich, -180 to 180.
        required longitude: Longitude;
    }
}

resource! {
    /// A place. At least one of `name`, `code`, `coordinate` and `placeId` is required.
    #[derive(Default)]
    Place, PlacePatch {
        /// The place's name, 1 to 200 characters.
        optional name: Text<1, { limits::NAME }>;
        /// The postal address, at most 500 characters.
        optional address: Text<0, { limits::ADDRESS }>;
        /// The location of the place on the map.
        object coordinate: Coordinate, CoordinatePatch;
        /// The place's id at the place provider, 1 to 500 characters.
        optional place_id: Text<1, { limits::PLACE_ID }>;
        /// The ISO 3166-1 alpha-2 country code, such as `PT`, or `XK` for Kosovo.
        optional country_code: CountryCode;
        /// The IANA time zone, such as `Europe/Lisbon`; at most 64 characters.
        optional time_zone: TimeZone;
        /// An airport's three-letter IATA code, such as `LIS`.
        optional code: AirportCode;
    }
}

resource! {
    /// The place that a trip goes to. `name` and `coordinate` are required.
    Destination, DestinationPatch {
        /// The destination's name, 1 to 200 characters.
        required name: Text<1, { limits::NAME }>;
        /// The postal address, at most 500 characters.
        optional address: Text<0, { limits::ADDRESS }>;
        /// The location of the destination on the map.
        required_object coordinate: Coordinate, CoordinatePatch;
        /// The place's id at the place provider, 1 to 500 characters.
        optional place_id: Text<1, { limits::PLACE_ID }>;
        /// The ISO 3166-1 alpha-2 country code, such as `PT`, or `XK` for Kosovo. On create, defaults to the country at
        /// the coordinate.
        optional country_code: CountryCode;
        /// The IANA time zone, such as `Europe/Lisbon`; at most 64 characters. On create, defaults to the time zone at
        /// the coordinate.
        optional time_zone: TimeZone;
        /// An airport's three-letter IATA code, such as `LIS`.
        optional code: AirportCode;
    }
}

resource! {
    /// An image on the web.
    Image, ImagePatch {
        /// The image's `https` or `http` address, at most 2,000 characters. The server never fetches it.
        required url: WebUrl;
        /// The author and the licence of the image, 1 to 200 characters.
        optional source: Label;
    }
}

/// A search for a cover image.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CoverImageQuery {
    /// What the image should show, such as `Lisbon tram`; 1 to 200 characters.
    pub query: Text<1, { limits::QUERY }>,
}

/// The path of an itinerary's page. Not a UUID, because a malformed id is answered like an unknown one.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct TripPath {
    /// The itinerary's id.
    pub id: String,
}

/// The path of an image.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct ImagePath {
    /// The image's unguessable id.
    pub id: String,
}
