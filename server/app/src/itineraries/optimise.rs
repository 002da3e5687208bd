//! Puts a day's stops into the best order, with legs and start times.

use itinerary_api::types::{Coordinate, Day, Hotel, OptimiseRequest, Place, Stop, StopCategory};
use itinerary_api::values::{Date, ItemId, List, LocalTime, OffsetTime, TimeZone, Whole};
use itinerary_core::content::{Content, Part};
use itinerary_core::daytime::{self, Midnight};
use itinerary_core::edit::find_day;
use itinerary_core::edit_scope::EditScope;
use itinerary_core::entry_path::EntryPath;
use itinerary_core::legs::{self, coordinate};
use itinerary_core::optimise::{self, DayPlan, Minute, PlannedStop};
use itinerary_core::schedule::date_of;
use itinerary_platform::context::Service;

use super::content_change::ChangeEffect;
use super::legs::{ON_REQUEST, fill_missing, room};
use crate::places::Placing;
use crate::routes::RouteMatrix;
use crate::{Error, Result};

/// When a day begins by default.
const MORNING: &str = "09:00";
/// How long a stop takes by default, in minutes, if its category has no default.
const USUAL_MINUTES: u32 = 60;

/// Optimises a day of an itinerary.
pub(super) async fn optimise(
    service: &Service,
    content: &mut Content,
    id: &ItemId,
    request: &OptimiseRequest,
    placing: &mut Placing<'_>,
) -> Result<ChangeEffect> {
    let index = find_day(&content.everyone.days, id).ok_or(Error::NotFound)?;
    let day = content.everyone.days[index].value()?.into_owned();
    let date = date_of(content, index);
    let hotel = hotel_of(content, date)?;
    let woken_at = hotel.as_ref().and_then(|place| place.coordinate);
    let clock = DayClock::new(content, date, &day, hotel.as_ref())
        .ok_or_else(|| Error::Corrupt("a day without a midnight".to_owned()))?;

    let placed: Vec<Coordinate> = day.stops.iter().filter_map(coordinate).collect();
    let points: Vec<_> = placed.iter().copied().chain(woken_at).collect();
    let start = woken_at.map(|_| placed.len());
    let routes = RouteMatrix::between(service, points, request.mode, placing.deadline()).await;
    let of_day = |time: &Option<LocalTime>| time.as_ref().and_then(|time| clock.of_day(time));
    let unordered = Unordered {
        planned_stops: planned_stops(&day, &clock),
        start,
        begins: of_day(&request.start_at),
        morning: of_day(&LocalTime::new(MORNING).ok()),
        ends: of_day(&request.end_at),
        routes,
    };
    let ordered = service.long_work.run(placing.requester(), move || unordered.ordered()).await?;
    let minutes = Some((ordered.minutes_before, ordered.plan.cost.travel));
    content.everyone.days[index].change(|day| rearrange(day, &ordered, &clock))?;
    let mut room = room(content, ON_REQUEST);
    content.everyone.days[index].change(|day| fill_legs(day, &ordered, &mut room))?;
    fill_missing(service, content, placing, ON_REQUEST, |_, _| true).await?;
    let scope = EditScope::Item(EntryPath::new(Part::Days, index));
    Ok(ChangeEffect { scope, attention: Vec::new(), minutes })
}

/// What the order of a day depends on.
struct Unordered {
    planned_stops: Vec<PlannedStop>,
    /// The hotel's number among the places.
    start: Option<usize>,
    /// When the traveller wants the day to begin.
    begins: Option<Minute>,
    /// When a day begins by default.
    morning: Option<Minute>,
    ends: Option<Minute>,
    routes: RouteMatrix,
}

/// A day's best order.
struct Ordered {
    plan: DayPlan,
    planned_stops: Vec<PlannedStop>,
    routes: RouteMatrix,
    /// Minutes of travel in the order before.
    minutes_before: Minute,
    minutes_from_hotel: Minute,
}

impl Unordered {
    /// Finds the best order. May take some tens of milliseconds.
    fn ordered(self) -> Ordered {
        let travel = self.routes.minutes();
        let begins = self.begins.unwrap_or_else(|| self.earliest(&travel));
        let Self { planned_stops, start, ends, routes, .. } = self;
        let day = optimise::Day { stops: &planned_stops, travel: &travel, start, begins, ends };
        let minutes_before = day.plan((0..planned_stops.len()).collect()).cost.travel;
        let plan = day.optimise();
        let first = plan.order.first().and_then(|first| planned_stops[*first].place);
        let minutes_from_hotel = start.zip(first).map_or(0, |(hotel, first)| travel[hotel][first]);
        Ordered { plan, planned_stops, routes, minutes_before, minutes_from_hotel }
    }

    /// When the day begins by default: early enough to reach each fixed stop.
    fn earliest(&self, travel: &[Vec<Minute>]) -> Minute {
        let way = |planned: &PlannedStop| self.start.zip(planned.place).map_or(0, |(from, to)| travel[from][to]);
        let leave = self.planned_stops.iter().filter_map(|planned| Some(planned.fixed?.saturating_sub(way(planned))));
        leave.chain(self.morning).min().unwrap_or_default()
    }
}

/// Converts times of the day between the time zones of its stops.
struct DayClock {
    midnight: Midnight,
    /// The zone where the day begins: the hotel's or the first stop's, or else the destination's.
    zone: Option<TimeZone>,
}

impl DayClock {
    fn new(content: &Content, date: Date, day: &Day, hotel: Option<&Place>) -> Option<Self> {
        let destination = content.everyone.destination.time_zone.as_ref();
        let at_hotel = hotel.and_then(|place| place.time_zone.as_ref());
        let zone = at_hotel.or_else(|| day.stops.first().and_then(zone)).cloned();
        let midnight = Midnight::new(date, destination.map(|zone| &**zone))?;
        let zones = day.stops.iter().filter_map(self::zone).chain(&zone);
        let midnight = midnight.across(zones.map(|zone| &**zone));
        Some(Self { midnight, zone })
    }

    /// The minute of a time at a stop.
    fn minutes(&self, time: &LocalTime, stop: &Stop) -> Option<Minute> {
        self.midnight.minutes_to(time, zone(stop).map(|zone| &**zone))
    }

    /// The minute of a time where the day begins.
    fn of_day(&self, time: &LocalTime) -> Option<Minute> {
        self.midnight.minutes_to(time, self.zone.as_deref())
    }
}

fn zone(stop: &Stop) -> Option<&TimeZone> {
    stop.place.as_ref()?.time_zone.as_ref()
}

/// Where the traveller wakes up: the hotel of the night before, if it has a coordinate.
fn hotel_of(content: &Content, date: Date) -> Result<Option<Place>> {
    for hotel in &content.members.hotels {
        let hotel = hotel.value()?;
        if is_stay_before(&hotel, date)
            && let Some(place) = hotel.place.as_ref().filter(|place| place.coordinate.is_some())
        {
            return Ok(Some(place.clone()));
        }
    }
    Ok(None)
}

/// Whether the night before a date is spent at a hotel.
fn is_stay_before(hotel: &Hotel, date: Date) -> bool {
    let date = date.day();
    let zone = hotel.place.as_ref().and_then(|place| place.time_zone.as_ref());
    let day = |time: &OffsetTime| daytime::date_at(time, zone);
    let (check_in, check_out) = (hotel.check_in_date.as_ref().map(day), hotel.check_out_date.as_ref().map(day));
    match (check_in, check_out) {
        (Some(check_in), Some(check_out)) => check_in < date && date <= check_out,
        (Some(check_in), None) => check_in < date,
        (None, _) => false,
    }
}

/// The stops as `core::optimise` takes them. Those with a coordinate are numbered.
fn planned_stops(day: &Day, clock: &DayClock) -> Vec<PlannedStop> {
    let mut places = 0..;
    let planned = |stop: &Stop| PlannedStop {
        place: coordinate(stop).and_then(|_| places.next()),
        duration: duration(stop),
        fixed: stop
            .start_time
            .as_ref()
            .filter(|_| !stop.start_time_suggested)
            .and_then(|time| clock.minutes(time, stop)),
    };
    day.stops.iter().map(planned).collect()
}

/// How long a stop takes, in minutes.
fn duration(stop: &Stop) -> u32 {
    use StopCategory as C;
    let usual = match stop.category {
        Some(C::Viewpoint | C::Cafe) => 30,
        Some(C::Religious | C::Landmark | C::Lodging | C::Station | C::Transport) => 45,
        Some(C::Museum | C::Restaurant | C::Park | C::Market) => 90,
        Some(C::Beach | C::Hike | C::Nature | C::Tour | C::Entertainment | C::Sport | C::Airport) => 120,
        _ => USUAL_MINUTES,
    };
    stop.duration_minutes.map(Whole::get).and_then(|minutes| u32::try_from(minutes).ok()).unwrap_or(usual)
}

/// Reorders a day by a plan and suggests start times. Leaves start times unchanged if a fixed one cannot
/// be kept.
fn rearrange(day: &mut Day, ordered: &Ordered, clock: &DayClock) {
    let Ordered { plan, planned_stops, minutes_from_hotel, .. } = ordered;
    let mut stops: Vec<Stop> = plan.order.iter().map(|index| day.stops[*index].clone()).collect();
    if plan.cost.late == 0 {
        // The times leave out the way from the hotel, because everyone sees them, but not where the hotel is.
        let mut way = *minutes_from_hotel;
        for ((stop, index), begins) in stops.iter_mut().zip(&plan.order).zip(&plan.begins) {
            if planned_stops[*index].fixed.is_some() {
                way = 0;
            } else {
                stop.start_time = clock.midnight.time_after(begins.saturating_sub(way), zone(stop).map(|zone| &**zone));
                stop.start_time_suggested = stop.start_time.is_some();
            }
        }
    }
    day.stops = List::new(stops).expect("as many as before");
    // Legs that were sent stay if their ends are still adjacent.
    let neighbours: Vec<_> = day.stops.windows(2).map(|pair| (pair[0].id.clone(), pair[1].id.clone())).collect();
    day.legs.retain(|leg| !legs::is_ours(leg) && neighbours.contains(&(Some(leg.from.clone()), Some(leg.to.clone()))));
}

/// Computes the legs of a day in its new order, as long as there is room for them.
fn fill_legs(day: &mut Day, ordered: &Ordered, room: &mut usize) {
    let Ordered { plan, planned_stops, routes, .. } = ordered;
    let place = |position: usize| plan.order.get(position).and_then(|index| planned_stops[*index].place);
    legs::fill(day, room, |position| Some(routes.route(place(position)?, place(position + 1)?)));
}
