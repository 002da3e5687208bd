//! Expenses and the packing list.

use std::collections::BTreeMap;

use itinerary_api::types::Itinerary;

use super::words::{money, thousandths, value};

pub(super) struct ExpensesView<'a> {
    pub(super) rows: Vec<Expense<'a>>,
    /// One sum for each currency.
    pub(super) totals: Vec<String>,
}

pub(super) struct Expense<'a> {
    pub(super) name: &'a str,
    /// Category and date.
    pub(super) facts: String,
    pub(super) amount: String,
}

impl<'a> ExpensesView<'a> {
    /// `None` if the reader may not see expenses, or if there are none.
    pub(super) fn of(itinerary: &'a Itinerary) -> Option<Self> {
        let expenses = itinerary.expenses.as_ref().filter(|expenses| !expenses.is_empty())?;
        let currency_of = |cost: &'a itinerary_api::types::Cost| {
            cost.currency.as_deref().or(itinerary.currency.as_deref()).unwrap_or_default()
        };
        let mut sums: BTreeMap<&str, u128> = BTreeMap::new();
        for expense in expenses {
            *sums.entry(currency_of(&expense.cost)).or_default() += u128::from(expense.cost.amount.thousandths());
        }
        let row = |expense: &'a itinerary_api::types::Expense| {
            let date = expense.date.map(|date| date.day().format("%-d %B %Y").to_string());
            let facts = [expense.category.map(value), date].into_iter().flatten().collect::<Vec<_>>();
            let amount = money(expense.cost.amount, currency_of(&expense.cost));
            Expense { name: &expense.name, facts: facts.join(" · "), amount }
        };
        Some(Self {
            rows: expenses.iter().map(row).collect(),
            totals: sums
                .into_iter()
                .map(|(currency, sum)| format!("{} {currency}", thousandths(sum)).trim_end().to_owned())
                .collect(),
        })
    }
}

pub(super) struct PackingView<'a> {
    pub(super) groups: Vec<(String, Vec<MoneyLine<'a>>)>,
}

pub(super) struct MoneyLine<'a> {
    pub(super) name: &'a str,
    /// Absent for a single one.
    pub(super) quantity: Option<i64>,
    pub(super) is_packed: bool,
}

impl<'a> PackingView<'a> {
    /// `None` if the reader may not see what is packed, or if there is nothing.
    pub(super) fn of(itinerary: &'a Itinerary) -> Option<Self> {
        let items = itinerary.packing.as_ref().filter(|items| !items.is_empty())?;
        let mut groups: Vec<(String, Vec<MoneyLine<'a>>)> = Vec::new();
        for item in items {
            let category = item.category.map_or_else(|| "Other".to_owned(), value);
            let shown = MoneyLine {
                name: &item.name,
                quantity: Some(item.quantity.get()).filter(|quantity| *quantity != 1),
                is_packed: item.is_packed,
            };
            match groups.iter_mut().find(|(name, _)| *name == category) {
                Some((_, group)) => group.push(shown),
                None => groups.push((category, vec![shown])),
            }
        }
        Some(Self { groups })
    }
}
