//! Orders a day's stops: minimises first the minutes by which fixed times are missed, then overtime, then travel.
//!
//! Travel times are a table of minutes. With up to [`EXACT`] movable stops the order is optimal; with more, insertion
//! and local search find a good one. Deterministic: the same day always yields the same order. The caller provides
//! travel times and updates legs and start times.

mod exact;
mod route;
mod search;

/// Up to this many movable stops, the optimal order is found.
pub const EXACT: usize = 12;

/// Minutes since the midnight at which the day begins. A day may continue past the next midnight.
pub type Minute = u32;

/// The properties of a stop that its day's order depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlannedStop {
    /// The stop's row and column in the table of travel times. `None` for a stop without a place, which keeps its
    /// position.
    pub place: Option<usize>,
    /// How long it takes, in minutes.
    pub duration: u32,
    /// When the traveller wants it to begin.
    pub fixed: Option<Minute>,
}

/// A day to be ordered.
#[derive(Clone, Copy, Debug)]
pub struct Day<'d> {
    /// The stops in their current order.
    pub stops: &'d [PlannedStop],
    /// Minutes of travel from the row's place to the column's place.
    pub travel: &'d [Vec<u32>],
    /// The place where the day begins, such as the hotel.
    pub start: Option<usize>,
    pub begins: Minute,
    /// When the traveller wants the day to end.
    pub ends: Option<Minute>,
}

/// The cost of an order. Orders are compared by `late`, then `overtime`, then `travel`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct OrderCost {
    /// Minutes by which fixed times are missed, in total.
    pub late: u32,
    /// Minutes after the wanted end.
    pub overtime: u32,
    /// Minutes of travel.
    pub travel: u32,
    /// When the last stop ends.
    pub end: Minute,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DayPlan {
    /// The stops, as indexes into the day's current order.
    pub order: Vec<usize>,
    /// When each stop begins, in the new order.
    pub begins: Vec<Minute>,
    pub cost: OrderCost,
}

/// How far a traveller has come in a day.
#[derive(Clone, Copy, Debug)]
struct Progress {
    place: Option<usize>,
    time: Minute,
    late: u32,
    travel: u32,
}

impl Day<'_> {
    /// Returns the best order found. Keeps the current order if no other costs less, or if every order misses a fixed
    /// time.
    pub fn optimise(&self) -> DayPlan {
        let given: Vec<usize> = (0..self.stops.len()).collect();
        let moving = self.moving();
        let found = if moving.len() <= EXACT { exact::best(self, &moving) } else { search::best(self, &moving) };
        let (found, given) = (self.nearer_to_given(found), self.plan(given));
        // If both cost the same, the current order stays.
        if found.cost.late == 0 && found.cost < given.cost { found } else { given }
    }

    /// The plan of an order or of its reverse, whichever costs less. At equal cost, the one that differs later from the
    /// current order.
    fn nearer_to_given(&self, order: Vec<usize>) -> DayPlan {
        let back: Vec<_> = order.iter().rev().copied().filter(|stop| self.stops[*stop].place.is_some()).collect();
        let (there, back) = (self.plan(order), self.plan(self.with_pinned(&back)));
        if (back.cost, &back.order) < (there.cost, &there.order) { back } else { there }
    }

    /// The plan of a given order.
    pub fn plan(&self, order: Vec<usize>) -> DayPlan {
        let mut progress = self.dawn();
        let begins = order.iter().map(|stop| progress.advance_to(self, *stop)).collect();
        DayPlan { order, begins, cost: progress.cost(self) }
    }

    /// The stops that may move.
    fn moving(&self) -> Vec<usize> {
        (0..self.stops.len()).filter(|stop| self.stops[*stop].place.is_some()).collect()
    }

    /// The order of all stops, given the order of those that may move. The others keep their positions.
    fn with_pinned(&self, moving: &[usize]) -> Vec<usize> {
        let mut moving = moving.iter();
        let next = |(position, stop): (usize, &PlannedStop)| match stop.place {
            Some(_) => *moving.next().expect("as many as there are places for"),
            None => position,
        };
        self.stops.iter().enumerate().map(next).collect()
    }

    fn dawn(&self) -> Progress {
        Progress { place: self.start, time: self.begins, late: 0, travel: 0 }
    }
}

impl Progress {
    /// Travels to a stop and stays for its duration. Returns when it begins.
    fn advance_to(&mut self, day: &Day<'_>, stop: usize) -> Minute {
        let PlannedStop { place, duration, fixed } = day.stops[stop];
        if let (Some(from), Some(to)) = (self.place, place) {
            self.travel += day.travel[from][to];
            self.time += day.travel[from][to];
        }
        if let Some(fixed) = fixed {
            self.late += self.time.saturating_sub(fixed);
            self.time = self.time.max(fixed);
        }
        let begins = self.time;
        self.time += duration;
        self.place = place.or(self.place);
        begins
    }

    fn cost(&self, day: &Day<'_>) -> OrderCost {
        let overtime = day.ends.map_or(0, |ends| self.time.saturating_sub(ends));
        OrderCost { late: self.late, overtime, travel: self.travel, end: self.time }
    }

    /// Whether this is at least as good in every respect, however the day continues.
    fn is_as_good_as(&self, other: &Self) -> bool {
        self.late <= other.late && self.travel <= other.travel && self.time <= other.time
    }
}
