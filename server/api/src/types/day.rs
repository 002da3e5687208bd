//! Days, with their stops and the legs between them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Image, ImagePatch, Itinerary, Label, Name, Notes, Stop};
use crate::values::{Change, ItemId, List, LocalTime, Measure, Patch, limits, resource};

/// The means of transport from one stop to the next.
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
    /// The way from one stop of a day to the next.
    Leg, LegPatch {
        /// The id of the stop where the leg starts.
        required from: ItemId;
        /// The id of the stop where the leg ends: the one directly after `from`.
        required to: ItemId;
        /// The means of transport, such as `walk`.
        required mode: LegMode;
        /// The duration in minutes, 0 to 1,000,000,000.
        optional minutes: Measure;
        /// The distance in metres, 0 to 1,000,000,000.
        optional metres: Measure;
        /// Who computed the leg: `estimate`, or the name of a route provider. The server recomputes its own legs when one of
        /// their stops moves.
        optional source: Label;
    }
}

resource! {
    /// One day of an itinerary, with its stops in order.
    #[derive(Default)]
    Day, DayPatch {
        /// The day's id, unique within the itinerary: 1 to 64 letters, digits, hyphens or underscores. Generated if
        /// absent.
        identity id: ItemId;
        /// What the day is about, such as `Sintra`; 1 to 200 characters.
        optional title: Name;
        /// Notes in plain text with line breaks, at most 2,000 characters. Shown to everyone who sees the day.
        optional notes: Notes;
        /// A picture for the day.
        object image: Image, ImagePatch;
        /// The day's stops in order, at most 100.
        defaulted stops: List<Stop, { limits::STOPS }>;
        /// The legs between adjacent stops, at most 100. If a write of the day sends none, the server computes the
        /// missing legs between stops with a coordinate.
        defaulted legs: List<Leg, { limits::STOPS }>;
    }
}

/// How to optimise a day. All fields are optional.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OptimiseRequest {
    /// The means of transport between the stops. If absent, chosen for each leg by its distance.
    pub mode: Option<LegMode>,
    /// When the day begins, `HH:MM`, in the time zone of the place where it begins: the hotel of the night before, otherwise
    /// the first stop, otherwise the destination. Defaults to 09:00, or earlier if a fixed start time requires it.
    pub start_at: Option<LocalTime>,
    /// When the day ends, `HH:MM`, in the same time zone. No limit if absent.
    pub end_at: Option<LocalTime>,
    /// Returns the optimised day without storing it. Defaults to false.
    pub dry_run: Option<bool>,
}

/// The result of optimising a day.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Optimisation {
    /// The itinerary with the day in its new order.
    pub itinerary: Itinerary,
    /// The travel time in the old order, in minutes.
    pub minutes_before: i64,
    /// The travel time in the new order, in minutes.
    pub minutes_after: i64,
}
