//! Prices of bookings as expenses that belong to them.

use std::collections::HashSet;

use itinerary_api::types::{
    BelongsTo, BelongsToKind, Cost, Expense, ExpenseCategory, ImportIgnoredCode, ImportState, ImportedChange,
};
use itinerary_api::values::{Text, limits};

use crate::gather::{Gathered, label};
use crate::item::{Item, Part};
use crate::normalise::text;
use crate::update::{Linked, Update};

/// Adds an expense for each booking with a price. `None` for the trip's expenses: the caller has no Pro subscription, and the
/// prices are listed as ignored.
pub(crate) fn add(update: &mut Update, gathered: &mut Gathered, mut expenses: Option<&mut Vec<Expense>>) {
    let mut paid = HashSet::new();
    for linked in update.linked.clone() {
        let item = gathered.items[linked.booking].clone();
        let Some((amount, currency)) = &item.price else { continue };
        // The legs of one booking often each have the price of all.
        let confirmation = item.text("confirmationNumber").map(str::to_owned);
        if let Some(confirmation) = confirmation
            && !paid.insert((item.part, confirmation, *amount, currency.clone()))
        {
            continue;
        }
        let Some(list) = expenses.as_deref_mut() else {
            let message = format!("The price of {} needs the Pro subscription.", label(&item));
            gathered.ignore(Some(item.source), ImportIgnoredCode::NeedsPro, message);
            continue;
        };
        let cost = Cost { amount: *amount, currency: Some(currency.clone()) };
        let Some((at, state, changes)) = place(update, list, &item, &linked, cost) else { continue };
        update.report(gathered, item.source, format!("expenses[{at}]"), state, changes);
    }
}

fn place(
    update: &mut Update,
    list: &mut Vec<Expense>,
    item: &Item,
    linked: &Linked,
    cost: Cost,
) -> Option<(usize, ImportState, Vec<ImportedChange>)> {
    let link = BelongsTo { kind: kind(linked.part), id: linked.id.clone()? };
    let category = category(item);
    let is_its = |expense: &Expense| {
        expense.belongs_to.as_ref() == Some(&link) && expense.category.is_none_or(|own| own == category)
    };
    if let Some(at) = list.iter().position(is_its) {
        let was = list[at].cost.clone();
        if was.amount == cost.amount && was.currency.as_ref().is_none_or(|own| Some(own) == cost.currency.as_ref()) {
            return Some((at, ImportState::Unchanged, Vec::new()));
        }
        let json = |cost: &Cost| serde_json::to_value(cost).ok();
        let change = ImportedChange { field: "cost".to_owned(), was: json(&was), now: json(&cost) };
        let state = if update.overwrite { ImportState::Updated } else { ImportState::Unchanged };
        if update.overwrite {
            list[at].cost = cost;
        }
        return Some((at, state, vec![change]));
    }
    if list.len() >= limits::ITEMS {
        update.over_limit += 1;
        return None;
    }
    let name = text::cut(label(item), limits::NAME).0;
    let name = Text::new(name).ok()?;
    let id = update.ids.make("expense");
    list.push(Expense { id, name, cost, category: Some(category), date: None, belongs_to: Some(link) });
    Some((list.len() - 1, ImportState::Added, Vec::new()))
}

fn kind(part: Part) -> BelongsToKind {
    match part {
        Part::Flights => BelongsToKind::Flight,
        Part::Hotels => BelongsToKind::Hotel,
        Part::Transports => BelongsToKind::Transport,
        Part::Reservations => BelongsToKind::Reservation,
    }
}

fn category(item: &Item) -> ExpenseCategory {
    match item.part {
        Part::Flights => ExpenseCategory::Flight,
        Part::Hotels => ExpenseCategory::Lodging,
        Part::Transports => ExpenseCategory::Transport,
        Part::Reservations if item.text("category") == Some("restaurant") => ExpenseCategory::Food,
        Part::Reservations => ExpenseCategory::Activity,
    }
}
