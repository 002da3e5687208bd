//! Several readings of one booking as one: the newer wins field by field, and an absent value erases nothing.

use itinerary_api::types::Ticket;

use crate::item::{End, Item, fold};
use crate::normalise::{name, time};

/// Unites readings of one booking, oldest first. `None` of none.
pub(crate) fn unite<'i>(readings: impl IntoIterator<Item = &'i Item>) -> Option<Item> {
    let mut readings = readings.into_iter();
    let mut united = readings.next()?.clone();
    united.tickets = merge_tickets(&[], &united.tickets, false);
    for newer in readings {
        add(&mut united, newer);
    }
    Some(united)
}

fn add(older: &mut Item, newer: &Item) {
    for end in newer.part.ends() {
        add_time(older, newer, end);
    }
    add_name(older, newer);
    let ends = newer.part.ends();
    let is_time = |path: &str| {
        ends.iter().any(|end| path == end.date || path == end.local || path == end.local_day || Some(path) == end.day)
    };
    for (path, value) in &newer.fields {
        if !is_time(path) && path != "name" && path != "@unnamed" {
            older.fields.insert(path.clone(), value.clone());
        }
    }
    older.tickets = merge_tickets(&older.tickets, &newer.tickets, false);
    older.price = newer.price.clone().or(older.price.take());
    older.modified = newer.modified.or(older.modified);
    older.source = newer.source;
}

/// A name that only stands for a missing one replaces none.
fn add_name(older: &mut Item, newer: &Item) {
    let is_real = !newer.fields.contains_key("@unnamed");
    if let Some(name) = newer.fields.get("name")
        && is_real
    {
        older.fields.insert("name".to_owned(), name.clone());
        older.fields.remove("@unnamed");
    }
}

/// Takes over the newer time of an end. A newer time without an offset keeps the offset of the older one, and a newer day keeps
/// the older time on that day.
pub(crate) fn add_time(older: &mut Item, newer: &Item, end: End) {
    let known = older.instant(end);
    if let (Some(was), Some(now)) = (known, newer.instant(end)) {
        // Some files write all times in UTC.
        if was == now && time::minutes_of(&now) == 0 {
            return;
        }
    } else if let Some(local) = time::local(newer, end) {
        if let Some(was) = known {
            if let Some(date) = time::with_offset(local, time::minutes_of(&was)) {
                older.fields.insert(end.date.to_owned(), (*date).into());
                older.fields.insert(end.local_day.to_owned(), local.date().to_string().into());
            }
            return;
        }
    } else if newer.instant(end).is_none() && (newer.day(end).is_none() || newer.day(end) == older.day(end)) {
        return;
    }
    let paths = [Some(end.date), Some(end.local), Some(end.local_day), end.day];
    for path in paths.into_iter().flatten() {
        older.fields.remove(path);
        if let Some(value) = newer.fields.get(path) {
            older.fields.insert(path.to_owned(), value.clone());
        }
    }
}

/// Merges tickets by holder, else by code, number or seat. Where both have a field, the older wins if it `keeps`, else the
/// newer.
pub(crate) fn merge_tickets(older: &[Ticket], newer: &[Ticket], keeps: bool) -> Vec<Ticket> {
    let mut merged: Vec<Ticket> = older.to_vec();
    let is_only_one = older.len() == 1 && newer.len() == 1;
    for ticket in newer {
        let equal = merged.iter().position(|other| other == ticket);
        let same = || merged.iter().position(|other| is_same_ticket(other, ticket));
        let lone = || (is_only_one && may_be_same(&merged[0], ticket)).then_some(0);
        match equal.or_else(same).or_else(lone) {
            Some(at) if keeps => {
                let mut filled = ticket.clone();
                add_ticket(&mut filled, &merged[at]);
                filled.holder = merged[at].holder.take().or(filled.holder);
                merged[at] = filled;
            }
            Some(at) => add_ticket(&mut merged[at], ticket),
            None => merged.push(ticket.clone()),
        }
    }
    merged
}

fn is_same_ticket(a: &Ticket, b: &Ticket) -> bool {
    if let (Some(a), Some(b)) = (&a.holder, &b.holder) {
        return name::is_same(a, b);
    }
    let is_same_seat = a.seat_number.is_some() && a.seat_number == b.seat_number && a.coach_number == b.coach_number;
    let is_same_number = a.ticket_number.is_some() && a.ticket_number == b.ticket_number;
    match (&a.code, &b.code) {
        (Some(a), Some(b)) => (&a.text, &a.data) == (&b.text, &b.data),
        _ => is_same_number || is_same_seat,
    }
}

/// Whether two tickets, each the only one of its booking, have nothing that differs.
fn may_be_same(a: &Ticket, b: &Ticket) -> bool {
    let agree = |a: &Option<_>, b: &Option<_>| a.is_none() || b.is_none() || a == b;
    (a.holder.is_none() || b.holder.is_none())
        && agree(&a.seat_number, &b.seat_number)
        && agree(&a.coach_number, &b.coach_number)
        && agree(&a.ticket_number, &b.ticket_number)
        && (a.code.is_none() || b.code.is_none())
}

fn add_ticket(older: &mut Ticket, newer: &Ticket) {
    let is_better = match (&older.holder, &newer.holder) {
        (Some(was), Some(now)) => name::quality(now) >= name::quality(was) || fold(now) == fold(was),
        _ => true,
    };
    if is_better {
        older.holder = newer.holder.clone().or(older.holder.take());
    }
    older.seat_number = newer.seat_number.clone().or(older.seat_number.take());
    older.coach_number = newer.coach_number.clone().or(older.coach_number.take());
    older.ticket_number = newer.ticket_number.clone().or(older.ticket_number.take());
    older.code = newer.code.clone().or(older.code.take());
}
