//! The days of an itinerary, with their stops and the legs between them.

use std::collections::HashMap;

use chrono::Days;
use itinerary_api::types::{self, Itinerary, LegMode};

use super::{DAYS, maps};
use crate::map::COLOURS;
use crate::words::{count, metres, minutes, value};

pub(super) struct Day<'a> {
    /// 1 for the first.
    pub(super) number: usize,
    pub(super) colour: usize,
    pub(super) date: String,
    /// Weekday and day of the month, for a link.
    pub(super) short: String,
    pub(super) totals: String,
    pub(super) map: Option<String>,
    pub(super) stops: Vec<Stop<'a>>,
}

pub(super) struct Stop<'a> {
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
    pub(super) activity: Option<Activity<'a>>,
    /// The way to the next stop.
    pub(super) leg: Option<String>,
}

pub(super) struct Activity<'a> {
    pub(super) provider: &'a str,
    pub(super) rating: Option<String>,
    pub(super) link: Option<&'a str>,
}

pub(super) fn all(itinerary: &Itinerary) -> Vec<Day<'_>> {
    let with_maps = itinerary.days.len() <= DAYS;
    let days = itinerary.days.iter().enumerate();
    days.map(|(index, day)| {
        let date = itinerary.start_date.day().checked_add_days(Days::new(index as u64));
        let written = |format| date.map(|date| date.format(format).to_string()).unwrap_or_default();
        Day {
            number: index + 1,
            colour: index % COLOURS,
            date: written("%A %-d %B"),
            short: written("%a %-d"),
            totals: totals(day),
            map: if with_maps { maps::of_day(day, index) } else { None },
            stops: stops(day, itinerary),
        }
    })
    .collect()
}

fn totals(day: &types::Day) -> String {
    let sum = |measures: &mut dyn Iterator<Item = f64>| Some(measures.sum::<f64>()).filter(|sum| *sum > 0.0);
    #[expect(clippy::cast_precision_loss, reason = "at most 100 times 10,080")]
    let planned = day.stops.iter().filter_map(|stop| stop.duration_minutes).map(|it| it.get() as f64).sum::<f64>();
    let on_the_way = sum(&mut day.legs.iter().filter_map(|leg| leg.minutes).map(|it| it.get()));
    let length = sum(&mut day.legs.iter().filter_map(|leg| leg.metres).map(|it| it.get()));
    let mut totals = Vec::new();
    if !day.stops.is_empty() {
        totals.push(count(day.stops.len(), "stop", "stops"));
    }
    if planned > 0.0 {
        totals.push(format!("{} planned", minutes(planned)));
    }
    match (on_the_way, length) {
        (Some(time), Some(length)) => totals.push(format!("{} and {} on the way", minutes(time), metres(length))),
        (Some(time), None) => totals.push(format!("{} on the way", minutes(time))),
        (None, Some(length)) => totals.push(format!("{} on the way", metres(length))),
        (None, None) => {}
    }
    totals.join(" · ")
}

fn stops<'a>(day: &'a types::Day, itinerary: &'a Itinerary) -> Vec<Stop<'a>> {
    let legs: HashMap<&str, &types::Leg> = day.legs.iter().map(|leg| (&*leg.from, leg)).collect();
    let of = |(index, stop): (usize, &'a types::Stop)| {
        let leg = stop.id.as_ref().and_then(|id| legs.get(&**id));
        Stop { leg: leg.map(|leg| way(leg)), ..stop_of(index, stop, itinerary) }
    };
    day.stops.iter().enumerate().map(of).collect()
}

fn stop_of<'a>(index: usize, stop: &'a types::Stop, itinerary: &'a Itinerary) -> Stop<'a> {
    let mut facts: Vec<String> = stop.category.map(value).into_iter().collect();
    #[expect(clippy::cast_precision_loss, reason = "at most 10,080")]
    facts.extend(stop.duration_minutes.map(|it| minutes(it.get() as f64)).filter(|_| stop.duration_minutes.is_some_and(|it| it.get() > 0)));
    let place = stop.place.as_ref();
    let zone = place.and_then(|place| place.time_zone.as_deref());
    // A time of another zone than the destination's would be misread.
    let is_elsewhere = zone.is_some() && zone != itinerary.destination.time_zone.as_deref();
    if let Some(zone) = zone.filter(|_| is_elsewhere && stop.start_time.is_some()) {
        facts.push(format!("{} time", city(zone)));
    }
    Stop {
        number: index + 1,
        name: &stop.name,
        time: stop.start_time.as_deref(),
        is_suggested: stop.start_time_suggested,
        facts: facts.join(" · "),
        place: place.and_then(|place| place.name.as_deref()).filter(|name| *name != &*stop.name),
        address: place.and_then(|place| place.address.as_deref()).filter(|address| !address.is_empty()),
        phone: stop.phone_number.as_deref(),
        activity: stop.activity.as_ref().map(|activity| Activity {
            provider: &activity.provider,
            rating: activity.rating.map(|rating| {
                let reviews = activity.review_count.map(|it| usize::try_from(it.get()).unwrap_or_default());
                let reviews = reviews.map(|it| format!(" ({})", count(it, "review", "reviews")));
                format!("{:.1} of 5{}", rating.get(), reviews.unwrap_or_default())
            }),
            link: activity.booking_url.as_deref(),
        }),
        leg: None,
    }
}

/// The city of a time zone: "Amsterdam" of `Europe/Amsterdam`.
pub(super) fn city(zone: &str) -> String {
    zone.rsplit('/').next().unwrap_or_default().replace('_', " ")
}

fn way(leg: &types::Leg) -> String {
    let mode = match leg.mode {
        LegMode::Transit => "Public transport".to_owned(),
        mode => value(mode),
    };
    let minutes = leg.minutes.map(|it| minutes(it.get()));
    let metres = leg.metres.map(|it| metres(it.get()));
    [Some(mode), minutes, metres].into_iter().flatten().collect::<Vec<_>>().join(" · ")
}
