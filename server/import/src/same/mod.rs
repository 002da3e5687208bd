//! The same booking in several files: recognised, and united. The result does not depend on the order of the files.
//!
//! The same is: the same kind and leg (flight or train number and local date of departure; else places and date; a hotel's
//! name and check-in; a reservation's name and start), and no two different confirmation numbers. A confirmation number alone
//! matches only a message without a leg. A cancellation cancels a booking unless a reading of the booking is newer; of the
//! same age, or both without one, the cancellation wins.

mod recognise;
mod unite;

use std::collections::HashMap;

use chrono::{Days, NaiveDate};

use crate::item::{Item, Part};

pub(crate) use recognise::Traits;
pub(crate) use unite::{add_time, merge_tickets};

/// The most readings that are compared. An itinerary has room for fewer bookings.
pub(crate) const MAX_READINGS: usize = 2_000;

/// What the readings come to.
#[derive(Debug, Default)]
pub(crate) struct Bookings {
    /// The bookings, ordered by time.
    pub items: Vec<Item>,
    /// Bookings that are cancelled, as far as they are known.
    pub cancelled: Vec<Item>,
    /// Cancellations that are older than what else is known.
    pub outdated: Vec<Item>,
    /// How many readings were over the limit.
    pub dropped: usize,
}

/// Unites the readings of the same bookings.
pub(crate) fn unite(mut readings: Vec<Item>) -> Bookings {
    in_order(&mut readings);
    let dropped = readings.len().saturating_sub(MAX_READINGS);
    readings.truncate(MAX_READINGS);
    let traits: Vec<Traits> = readings.iter().map(Traits::of).collect();
    let mut bookings = Bookings { dropped, ..Bookings::default() };
    for cluster in clusters(&readings, &traits) {
        add_cluster(&mut bookings, cluster.iter().map(|index| &readings[*index]).collect());
    }
    by_time(&mut bookings.items);
    bookings
}

/// Sorts by age, oldest first, then by content; equal ones are one.
fn in_order(readings: &mut Vec<Item>) {
    readings.sort_by_cached_key(|item| (item.modified, item.cancelled, content(item), item.source));
    readings.dedup_by(|a, b| Item { source: b.source, ..a.clone() } == *b);
}

fn content(item: &Item) -> String {
    let tickets = serde_json::to_string(&item.tickets).unwrap_or_default();
    let fields = serde_json::to_string(&item.fields).unwrap_or_default();
    format!("{:?}{fields}{tickets}{:?}", item.part, item.price)
}

/// Sorts by day and time, then by content.
fn by_time(items: &mut Vec<Item>) {
    let key = |item: &Item| {
        let start = item.part.start();
        let instant = item.instant(start).map(|time| time.timestamp());
        let day = item.day(start);
        (day.is_none(), day, instant, item.text(start.local).map(str::to_owned))
    };
    let mut keyed: Vec<_> = std::mem::take(items).into_iter().map(|item| (key(&item), item)).collect();
    keyed.sort_by(|(a, first), (b, second)| a.cmp(b).then_with(|| content(first).cmp(&content(second))));
    items.extend(keyed.into_iter().map(|(_, item)| item));
}

/// The readings of one booking, in order, and their common confirmation number.
#[derive(Debug, Default)]
struct Cluster {
    members: Vec<usize>,
    confirmation: Option<String>,
}

/// The readings of each booking, as indexes in ascending order.
fn clusters(readings: &[Item], traits: &[Traits]) -> Vec<Vec<usize>> {
    let (mut legs, mut messages): (Vec<usize>, Vec<usize>) =
        (0..readings.len()).partition(|index| traits[*index].has_leg());
    // Readings with a confirmation number first: those without join them.
    legs.sort_by_key(|index| traits[*index].confirmation.is_none());
    messages.sort_by_key(|index| traits[*index].confirmation.is_none());
    let mut bookings = join(readings, traits, &legs);
    for message in join(readings, traits, &messages) {
        let matching = matching(&bookings, &message, traits, readings);
        if matching.is_empty() {
            bookings.push(message);
            continue;
        }
        for at in matching {
            bookings[at].members.extend(&message.members);
        }
    }
    let sorted = |mut cluster: Cluster| {
        cluster.members.sort_unstable();
        cluster.members
    };
    bookings.into_iter().map(sorted).collect()
}

/// The bookings that a message without a leg is about.
fn matching(bookings: &[Cluster], message: &Cluster, traits: &[Traits], readings: &[Item]) -> Vec<usize> {
    let Some(confirmation) = &message.confirmation else { return Vec::new() };
    let part = readings[message.members[0]].part;
    let is_about = |cluster: &Cluster| {
        cluster.confirmation.as_ref() == Some(confirmation)
            && readings[cluster.members[0]].part == part
            && message.members.iter().all(|m| cluster.members.iter().any(|c| traits[*m].is_same(&traits[*c])))
    };
    bookings.iter().enumerate().filter(|(_, cluster)| is_about(cluster)).map(|(at, _)| at).collect()
}

/// Joins readings of the same booking.
fn join(readings: &[Item], traits: &[Traits], order: &[usize]) -> Vec<Cluster> {
    let mut clusters: Vec<Cluster> = Vec::new();
    let mut by_day: HashMap<(Part, Option<NaiveDate>), Vec<usize>> = HashMap::new();
    for index in order.iter().copied() {
        let mut joined: Option<usize> = None;
        for at in candidates(&by_day, readings[index].part, traits[index].day) {
            let is_match = is_compatible(clusters[at].confirmation.as_ref(), traits[index].confirmation.as_ref())
                && clusters[at].members.iter().any(|member| traits[*member].is_same(&traits[index]));
            match joined {
                _ if !is_match => {}
                None => {
                    add_member(&mut clusters[at], index, traits);
                    joined = Some(at);
                }
                Some(first)
                    if is_compatible(clusters[first].confirmation.as_ref(), clusters[at].confirmation.as_ref()) =>
                {
                    let other = std::mem::take(&mut clusters[at]);
                    other.members.into_iter().for_each(|member| add_member(&mut clusters[first], member, traits));
                }
                Some(_) => {}
            }
        }
        let at = joined.unwrap_or_else(|| {
            clusters.push(Cluster::default());
            add_member(clusters.last_mut().expect("it was pushed"), index, traits);
            clusters.len() - 1
        });
        let list = by_day.entry((readings[index].part, traits[index].day)).or_default();
        if !list.contains(&at) {
            list.push(at);
        }
    }
    clusters.retain(|cluster| !cluster.members.is_empty());
    clusters
}

fn add_member(cluster: &mut Cluster, index: usize, traits: &[Traits]) {
    cluster.members.push(index);
    cluster.confirmation = cluster.confirmation.take().or_else(|| traits[index].confirmation.clone());
}

fn is_compatible(a: Option<&String>, b: Option<&String>) -> bool {
    a.is_none() || b.is_none() || a == b
}

/// The clusters of the day and of its neighbours, on which the same instant may be.
fn candidates(
    by_day: &HashMap<(Part, Option<NaiveDate>), Vec<usize>>,
    part: Part,
    day: Option<NaiveDate>,
) -> Vec<usize> {
    let days = match day {
        None => vec![None],
        Some(day) => {
            let (before, after) = (day.checked_sub_days(Days::new(1)), day.checked_add_days(Days::new(1)));
            [Some(day), before, after].into_iter().flatten().map(Some).collect()
        }
    };
    let found = days.into_iter().filter_map(|day| by_day.get(&(part, day))).flatten();
    let mut found: Vec<usize> = found.copied().collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Adds what the readings of one booking, oldest first, come to.
fn add_cluster(bookings: &mut Bookings, members: Vec<&Item>) {
    let newest =
        |cancelled: bool| members.iter().filter(|item| item.cancelled == cancelled).map(|item| item.modified).max();
    let is_cancelled = match (newest(true), newest(false)) {
        (Some(cancelled), Some(other)) => cancelled >= other,
        (Some(_), None) => true,
        (None, _) => false,
    };
    if is_cancelled {
        let mut item = unite::unite(members.iter().copied());
        if let (Some(item), Some(last)) = (&mut item, members.iter().rev().find(|item| item.cancelled)) {
            item.source = last.source;
        }
        bookings.cancelled.extend(item);
        return;
    }
    let (cancelled, others): (Vec<&Item>, Vec<&Item>) = members.into_iter().partition(|item| item.cancelled);
    bookings.items.extend(unite::unite(others));
    bookings.outdated.extend(cancelled.into_iter().cloned());
}

#[cfg(test)]
mod tests;
