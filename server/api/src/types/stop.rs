//! Stops of a day.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Label, Notes, Place, PlacePatch};
use crate::values::{Change, ItemId, LocalTime, OffsetTime, Patch, Rating, Text, WebUrl, Whole, limits, resource};

/// The kind of stop. `other` if none of the values fits.
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
    /// A bookable activity of a provider.
    Activity, ActivityPatch {
        /// The name of the provider, 1 to 200 characters.
        required provider: Label;
        /// The activity's id at the provider, 1 to 200 characters.
        optional product_code: Label;
        /// The average rating, 0 to 5.
        optional rating: Rating;
        /// The number of reviews, 0 to 1,000,000,000.
        optional review_count: Whole<0, 1_000_000_000>;
        /// The `https` or `http` address at which the activity can be booked, at most 2,000 characters.
        optional booking_url: WebUrl;
        /// When the data was last read from the provider, an RFC 3339 date-time with an offset, in the years 1900 to
        /// 2200.
        optional last_checked_at: OffsetTime;
    }
}

resource! {
    /// One stop of a day: a sight, a meal, an activity.
    Stop, StopPatch {
        /// The stop's id, unique within the itinerary: 1 to 64 letters, digits, hyphens or underscores. Generated if
        /// absent.
        identity id: ItemId;
        /// The stop's name, 1 to 200 characters. A stop without a coordinate is placed by it.
        required name: Text<1, { limits::NAME }>;
        /// The kind of stop, such as `museum`.
        optional category: StopCategory;
        /// Where the stop is. If it has no coordinate, the server looks for one by the stop's name.
        object place: Place, PlacePatch;
        /// The local start time, `HH:MM`, in the time zone of the stop's place, or of the destination if the place has
        /// none.
        optional start_time: LocalTime;
        /// Whether the start time is a suggestion that optimising may change. Defaults to false.
        defaulted start_time_suggested: bool;
        /// The planned duration in minutes, 0 to 10,080 (seven days).
        optional duration_minutes: Whole<0, 10_080>;
        /// A telephone number of the stop, in any format; 1 to 200 characters.
        optional phone_number: Label;
        /// Notes in plain text with line breaks, at most 2,000 characters. Shown to everyone who sees the stop.
        optional notes: Notes;
        /// The bookable activity at the stop.
        object activity: Activity, ActivityPatch;
    }
}

/// A suggested activity, with the fields of a stop. It can be posted to a day's stops unchanged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StopSuggestion {
    /// The name of the activity, 1 to 200 characters.
    pub name: Text<1, { limits::NAME }>,
    /// The kind of stop, such as `museum`.
    pub category: StopCategory,
    /// Where the activity takes place. Absent if the provider gave no coordinate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// The activity at its provider.
    pub activity: Activity,
}
