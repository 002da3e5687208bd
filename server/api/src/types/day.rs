//! Days, with their stops and the legs between them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Image, ImagePatch, Itinerary, Label, Stop};
use crate::values::{Change, ItemId, List, LocalTime, Measure, Patch, limits, resource};

/// How one gets from stop to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs, reason = "a comment on a variant would turn the schema's plain list into a oneOf")]
pub enum LegMode {
    Walk,
    Bicycle,
    Drive,
    Taxi,
    Transit,
    Bus,
    Train,
    Ferry,
    Flight,
}

resource! {
    /// The way from a stop of a day to the next.
    Leg, LegPatch {
        /// The id of the stop where it starts.
        required from: ItemId;
        /// The id of the stop where it ends: the one that comes right after.
        required to: ItemId;
        /// How one gets there.
        required mode: LegMode;
        /// How long it takes, in minutes.
        optional minutes: Measure;
        /// How far it is, in metres.
        optional metres: Measure;
        /// Who computed it: `estimate`, or a provider's name.
        optional source: Label;
    }
}

resource! {
    /// A day of an itinerary.
    #[derive(Default)]
    Day, DayPatch {
        /// Its id, which nothing else in the itinerary has; made when left out.
        identity id: ItemId;
        /// Its picture.
        object image: Image, ImagePatch;
        /// Its stops, in their order.
        defaulted stops: List<Stop, { limits::STOPS }>;
        /// The ways from its stops to the ones right after them.
        defaulted legs: List<Leg, { limits::STOPS }>;
    }
}

/// How to optimise a day.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OptimiseRequest {
    /// How the traveller gets from stop to stop. Chosen by distance if absent.
    pub mode: Option<LegMode>,
    /// When the day begins, `HH:MM`, in the time zone of the place where it begins: the hotel of the night before, otherwise
    /// the first stop, otherwise the destination. Defaults to 09:00, or earlier if a fixed start time requires it.
    pub start_at: Option<LocalTime>,
    /// When the day ends, `HH:MM`, in the same time zone. No limit if absent.
    pub end_at: Option<LocalTime>,
    /// Returns the optimised day without storing it. Defaults to false.
    pub dry_run: Option<bool>,
}

/// An optimised day.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Optimisation {
    /// The itinerary with the day in its new order.
    pub itinerary: Itinerary,
    /// Minutes of travel in the order before.
    pub minutes_before: i64,
    /// Minutes of travel in the new order.
    pub minutes_after: i64,
}
