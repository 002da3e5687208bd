//! The best order of a day's stops: every fixed time kept that can be, then the least travel.
//!
//! Pure: travel times come in as a table of minutes. Up to [`EXACT`] stops that may move the order is the best there is;
//! above, it is the best that insertion and local search find. The same day always gives the same order. Where the times
//! come from, and what becomes of legs and start times, is not decided here.

mod exact;
mod search;

/// Up to how many stops that may move the best order is found exactly.
pub const EXACT: usize = 12;

/// A minute, counted from the midnight that the day begins with; a day may go on after the next one.
pub type Minute = u32;

/// A stop as its day's order depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Visit {
    /// Its row and column in the table of travel times; `None` for a stop without a place, which keeps its position.
    pub place: Option<usize>,
    /// How many minutes it takes.
    pub duration: u32,
    /// When the traveller wants it to begin.
    pub fixed: Option<Minute>,
}

/// A day that is to be put in order.
#[derive(Clone, Copy, Debug)]
pub struct Day<'d> {
    /// The stops, in the order that they have.
    pub visits: &'d [Visit],
    /// Minutes of travel from the row's place to the column's.
    pub travel: &'d [Vec<u32>],
    /// The place that the day begins at, such as the hotel.
    pub start: Option<usize>,
    /// When the day begins.
    pub begins: Minute,
    /// When the traveller wants it to end.
    pub ends: Option<Minute>,
}

/// What an order costs. Less is better: first by minutes that fixed times are missed by, then by minutes after the end,
/// then by travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Cost {
    /// Minutes by which fixed times are missed, added up.
    pub late: u32,
    /// Minutes after the wanted end.
    pub overtime: u32,
    /// Minutes of travel.
    pub travel: u32,
    /// When the last stop is over.
    pub end: Minute,
}

/// An order of a day's stops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The stops, by their positions in the day that was given.
    pub order: Vec<usize>,
    /// When each of them begins, in this order.
    pub begins: Vec<Minute>,
    /// What the order costs.
    pub cost: Cost,
}

/// Where a traveller is on the way through a day.
#[derive(Clone, Copy, Debug)]
struct Progress {
    place: Option<usize>,
    time: Minute,
    late: u32,
    travel: u32,
}

impl Day<'_> {
    /// Returns the best order found, never worse than the given one. Returns the given order if every order misses a fixed
    /// time.
    pub fn optimise(&self) -> Plan {
        let given: Vec<usize> = (0..self.visits.len()).collect();
        let moving = self.moving();
        let found = if moving.len() <= EXACT { exact::best(self, &moving) } else { search::best(self, &moving) };
        let (found, given) = (self.nearer_to_given(found), self.plan(given));
        // Of two that are as good the day keeps its own.
        if found.cost.late == 0 && found.cost < given.cost { found } else { given }
    }

    /// The plan of an order, or of the opposite direction if that is as good and begins more like the day that was given.
    fn nearer_to_given(&self, order: Vec<usize>) -> Plan {
        let back: Vec<_> = order.iter().rev().copied().filter(|visit| self.visits[*visit].place.is_some()).collect();
        let (there, back) = (self.plan(order), self.plan(self.with_pinned(&back)));
        if (back.cost, &back.order) < (there.cost, &there.order) { back } else { there }
    }

    /// What a given order comes to.
    pub fn plan(&self, order: Vec<usize>) -> Plan {
        let mut progress = self.dawn();
        let begins = order.iter().map(|visit| progress.visit(self, *visit)).collect();
        Plan { order, begins, cost: progress.cost(self) }
    }

    /// The stops that may move.
    fn moving(&self) -> Vec<usize> {
        (0..self.visits.len()).filter(|visit| self.visits[*visit].place.is_some()).collect()
    }

    /// The order of all stops for an order of those that may move: the others stand where they stood.
    fn with_pinned(&self, moving: &[usize]) -> Vec<usize> {
        let mut moving = moving.iter();
        let next = |(position, visit): (usize, &Visit)| match visit.place {
            Some(_) => *moving.next().expect("as many as there are places for"),
            None => position,
        };
        self.visits.iter().enumerate().map(next).collect()
    }

    fn dawn(&self) -> Progress {
        Progress { place: self.start, time: self.begins, late: 0, travel: 0 }
    }
}

impl Progress {
    /// Goes to a stop and stays for its time; gives when it begins.
    fn visit(&mut self, day: &Day<'_>, visit: usize) -> Minute {
        let Visit { place, duration, fixed } = day.visits[visit];
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

    fn cost(&self, day: &Day<'_>) -> Cost {
        let overtime = day.ends.map_or(0, |ends| self.time.saturating_sub(ends));
        Cost { late: self.late, overtime, travel: self.travel, end: self.time }
    }

    /// Whether this is as good as another in every respect, wherever the day goes on from here.
    fn is_as_good_as(&self, other: &Self) -> bool {
        self.late <= other.late && self.travel <= other.travel && self.time <= other.time
    }
}
