//! Stops: what a day is made of.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Label, Place, PlacePatch};
use crate::values::{Change, ItemId, LocalTime, OffsetTime, Patch, Rating, Text, WebUrl, Whole, limits, resource};

/// What kind of stop it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs, reason = "a comment on a variant would turn the schema's plain list into a oneOf")]
pub enum StopCategory {
    Beach,
    Landmark,
    Museum,
    Park,
    Nature,
    Viewpoint,
    Hike,
    Restaurant,
    Cafe,
    Bar,
    Nightlife,
    Shopping,
    Market,
    Activity,
    Tour,
    Entertainment,
    Sport,
    Wellness,
    Religious,
    Lodging,
    Transport,
    Airport,
    Station,
    Other,
}

resource! {
    /// Something to do that can be booked.
    Activity, ActivityPatch {
        /// Who offers it.
        required provider: Label;
        /// What the provider calls it.
        optional product_code: Label;
        /// Its rating out of five.
        optional rating: Rating;
        /// How many people rated it.
        optional review_count: Whole<0, 1_000_000_000>;
        /// Where it can be booked.
        optional booking_url: WebUrl;
        /// When the provider was last asked.
        optional last_checked_at: OffsetTime;
    }
}

resource! {
    /// A stop of a day.
    Stop, StopPatch {
        /// Its id, which nothing else in the itinerary has; made when left out.
        identity id: ItemId;
        /// Its name.
        required name: Text<1, { limits::NAME }>;
        /// What kind of stop it is.
        optional category: StopCategory;
        /// Where it is.
        object place: Place, PlacePatch;
        /// When it starts, `HH:MM` in the time zone of its place, or of the destination when it has none.
        optional start_time: LocalTime;
        /// Whether the start time is a suggestion rather than an appointment.
        defaulted start_time_suggested: bool;
        /// How long it takes, in minutes.
        optional duration_minutes: Whole<0, 10_080>;
        /// A telephone number.
        optional phone_number: Label;
        /// The activity that is booked there.
        object activity: Activity, ActivityPatch;
    }
}
