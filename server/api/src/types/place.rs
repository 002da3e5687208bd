//! Places and images.

use schemars::JsonSchema;
use serde::Deserialize;

use super::Label;
use crate::values::{
    AirportCode, Change, CountryCode, Latitude, Longitude, Patch, Text, TimeZone, WebUrl, limits, resource,
};

resource! {
    /// A point on the map.
    #[derive(Copy)]
    Coordinate, CoordinatePatch {
        /// Degrees north of the equator.
        required latitude: Latitude;
        /// Degrees east of Greenwich.
        required longitude: Longitude;
    }
}

resource! {
    /// A place. It has at least one of name, code, coordinate and placeId.
    #[derive(Default)]
    Place, PlacePatch {
        /// Its name.
        optional name: Text<1, { limits::NAME }>;
        /// Its postal address.
        optional address: Text<0, { limits::ADDRESS }>;
        /// Where it is.
        object coordinate: Coordinate, CoordinatePatch;
        /// What the place provider calls it.
        optional place_id: Text<1, { limits::PLACE_ID }>;
        /// Its country: ISO 3166-1 alpha-2, or XK.
        optional country_code: CountryCode;
        /// Its time zone: a name of the IANA database.
        optional time_zone: TimeZone;
        /// An airport's three-letter code.
        optional code: AirportCode;
    }
}

resource! {
    /// The place that an itinerary goes to.
    Destination, DestinationPatch {
        /// Its name.
        required name: Text<1, { limits::NAME }>;
        /// Its postal address.
        optional address: Text<0, { limits::ADDRESS }>;
        /// Where it is.
        required_object coordinate: Coordinate, CoordinatePatch;
        /// What the place provider calls it.
        optional place_id: Text<1, { limits::PLACE_ID }>;
        /// Its country: ISO 3166-1 alpha-2, or XK. On create found from the coordinate when left out.
        optional country_code: CountryCode;
        /// Its time zone: a name of the IANA database. On create found from the coordinate when left out.
        optional time_zone: TimeZone;
        /// An airport's three-letter code.
        optional code: AirportCode;
    }
}

resource! {
    /// A picture on the web.
    Image, ImagePatch {
        /// Where it is.
        required url: WebUrl;
        /// Whose it is, with its licence.
        optional source: Label;
    }
}

/// Words to find a cover image by.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CoverImageQuery {
    /// What the image shows, such as `Lisbon tram`.
    pub query: Text<1, { limits::QUERY }>,
}

/// The path of an image.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct ImagePath {
    /// The image's id.
    pub id: String,
}
