//! The days of a trip, with their stops and the legs between them.

use itinerary_api::types::{self, LegMode};

use super::agenda::{self, DayAgenda};
use super::words::count;
use super::{DAYS, links, maps};
use crate::details::notes;
use crate::map::COLOURS;
use crate::text;
use crate::trip::{Trip, TripDay, TripStop};
use crate::words::{distance, duration, leg_minutes, leg_mode, stop_category};

/// With more stops than this, they have no links to programs for maps, which would make the page twice as large.
const LINKED: usize = 500;

pub(super) struct DayView<'a> {
    /// 1 for the first.
    pub(super) number: usize,
    pub(super) colour: usize,
    pub(super) date: String,
    pub(super) title: Option<&'a str>,
    pub(super) notes: Option<&'a str>,
    /// Weekday and day of the month, for a link.
    pub(super) short: String,
    pub(super) totals: String,
    pub(super) map: Option<String>,
    /// The address of the day's route on a web site for maps.
    pub(super) route: Option<String>,
    pub(super) agenda: DayAgenda,
    pub(super) stops: Vec<StopView<'a>>,
}

pub(super) struct StopView<'a> {
    pub(super) number: usize,
    pub(super) name: &'a str,
    pub(super) time: Option<&'a str>,
    pub(super) is_suggested: bool,
    /// Category and duration.
    pub(super) facts: String,
    /// The place's name, if it says more than the stop's.
    pub(super) place: Option<&'a str>,
    pub(super) address: Option<&'a str>,
    pub(super) phone: Option<&'a str>,
    pub(super) notes: Option<&'a str>,
    pub(super) activity: Option<ActivityView<'a>>,
    /// What is wrong with its start time.
    pub(super) late: Option<&'a str>,
    /// Addresses of its point in programs for maps: `geo:`, and a web site.
    pub(super) maps: Option<[String; 2]>,
    /// The way to the next stop.
    pub(super) leg: Option<String>,
}

pub(super) struct ActivityView<'a> {
    pub(super) provider: &'a str,
    pub(super) rating: Option<String>,
    pub(super) link: Option<String>,
}

pub(super) fn all<'a>(trip: &'a Trip<'a>, tiles: &mut maps::TileBudget<'_>) -> Vec<DayView<'a>> {
    let with_maps = trip.days.len() <= DAYS;
    let zone = trip.itinerary.destination.time_zone.as_deref();
    let with_links = trip.stops().count() <= LINKED;
    let days = trip.days.iter().zip(agenda::all(trip));
    days.map(|(day, agenda)| DayView {
        number: day.number,
        colour: (day.number - 1) % COLOURS,
        date: day.date.strftime("%A %-d %B").to_string(),
        title: day.day.title.as_deref(),
        notes: notes(day.day.notes.as_deref()),
        short: day.date.strftime("%a %-d").to_string(),
        totals: totals(day),
        map: if with_maps { maps::day_map(day, trip.days.len(), tiles) } else { None },
        route: links::route(day.points()),
        agenda,
        stops: day.stops.iter().map(|stop| stop_of(stop, zone, with_links)).collect(),
    })
    .collect()
}

fn totals(day: &TripDay<'_>) -> String {
    let planned = day.stops.iter().filter_map(|stop| minutes_at(stop.stop)).sum::<f64>();
    let mut totals = Vec::new();
    if !day.stops.is_empty() {
        totals.push(count(day.stops.len(), "stop", "stops"));
    }
    if planned > 0.0 {
        totals.push(format!("{} planned", duration(planned)));
    }
    let time = Some(day.leg_minutes).filter(|minutes| *minutes > 0.0).map(duration);
    let length = Some(day.leg_metres).filter(|metres| *metres > 0.0).map(distance);
    let way: Vec<String> = [time, length].into_iter().flatten().collect();
    if !way.is_empty() {
        totals.push(format!("{} on the way", way.join(" and ")));
    }
    totals.join(" · ")
}

/// The planned minutes at a stop, unless there are none.
fn minutes_at(stop: &types::Stop) -> Option<f64> {
    let minutes = stop.duration_minutes?.get();
    #[expect(clippy::cast_precision_loss, reason = "at most 10,080")]
    (minutes > 0).then_some(minutes as f64)
}

/// A stop of a trip to a destination in this time zone.
fn stop_of<'a>(in_trip: &'a TripStop<'a>, destination: Option<&str>, with_links: bool) -> StopView<'a> {
    let stop = in_trip.stop;
    let place = stop.place.as_ref();
    let zone = place.and_then(|place| place.time_zone.as_deref());
    // A time of another zone than the destination's would be misread.
    let elsewhere = zone.filter(|_| stop.start_time.is_some() && zone != destination);
    let facts = [
        stop.category.map(|category| stop_category(category).to_owned()),
        minutes_at(stop).map(duration),
        elsewhere.map(|zone| format!("{} time", city(zone))),
    ];
    StopView {
        number: in_trip.number,
        name: &stop.name,
        time: stop.start_time.as_deref(),
        is_suggested: stop.start_time_suggested,
        facts: facts.into_iter().flatten().collect::<Vec<_>>().join(" · "),
        place: place.and_then(|place| place.name.as_deref()).filter(|name| *name != &*stop.name),
        address: place.and_then(|place| place.address.as_deref()).filter(|address| !address.is_empty()),
        phone: stop.phone_number.as_deref(),
        notes: notes(stop.notes.as_deref()),
        activity: stop.activity.as_ref().map(activity),
        late: in_trip.late.as_deref(),
        maps: in_trip.point.filter(|_| with_links).map(|point| links::place(point, &stop.name)),
        leg: in_trip.leg.map(way),
    }
}

fn activity(activity: &types::Activity) -> ActivityView<'_> {
    let reviews = activity.review_count.and_then(|reviews| usize::try_from(reviews.get()).ok());
    let reviews = reviews.map(|reviews| format!(" ({})", count(reviews, "review", "reviews"))).unwrap_or_default();
    ActivityView {
        provider: &activity.provider,
        rating: activity.rating.map(|rating| format!("{:.1} of 5{reviews}", rating.get())),
        link: activity.booking_url.as_deref().and_then(text::link),
    }
}

/// The city of a time zone: "Amsterdam" of `Europe/Amsterdam`.
pub(crate) fn city(zone: &str) -> String {
    zone.rsplit('/').next().unwrap_or_default().replace('_', " ")
}

fn way(leg: &types::Leg) -> String {
    let mode = match leg.mode {
        LegMode::Transit => "Public transport",
        mode => leg_mode(mode),
    };
    let minutes = leg_minutes(leg);
    let metres = leg.metres.map(|metres| distance(metres.get()));
    [Some(mode.to_owned()), minutes, metres].into_iter().flatten().collect::<Vec<_>>().join(" · ")
}
