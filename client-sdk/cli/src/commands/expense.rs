//! The commands `expense add` and `expense remove`.

use serde_json::{Value, json};

use super::{show, write};
use crate::arguments::{AddExpense, ExpenseCommand};
use crate::failure::Failure;
use crate::output::Output;
use crate::service::Service;
use crate::{text, trip};

pub(super) async fn run(service: &Service, output: Output, command: ExpenseCommand) -> Result<(), Failure> {
    match command {
        ExpenseCommand::Add(arguments) => add(service, output, arguments).await,
        ExpenseCommand::Remove { trip: name, expense } => {
            let trip = write::read(service, &name).await?;
            let expenses = trip.value.expenses.as_deref().unwrap_or_default();
            let expense = trip::item(expenses, &expense, "expense", |expense| &expense.id, |expense| &expense.name)?;
            let changed = write::remove(service, &trip, "expenses", &expense.id).await?;
            let line = format!("Removed the expense “{}”.", text::clean(&expense.name));
            write::print(output, &changed, &line, &show::expenses(&changed.value, output.width))
        }
    }
}

async fn add(service: &Service, output: Output, arguments: AddExpense) -> Result<(), Failure> {
    let AddExpense { trip: name, name: expense, amount, currency, date, category } = arguments;
    if !amount.is_finite() {
        return Err(Failure::usage("AMOUNT must be a number, such as 48.50"));
    }
    let trip = write::read(service, &name).await?;
    let cost = write::body([("amount", Some(json!(amount))), ("currency", currency.map(Value::from))]);
    let body = write::body([
        ("name", Some(json!(expense))),
        ("cost", Some(cost)),
        ("date", date.map(|date| json!(date))),
        ("category", category.map(Value::from)),
    ]);
    let changed = write::add(service, &trip, "expenses", &body).await?;
    let line = format!("Added the expense “{}”.", text::clean(&expense));
    write::print(output, &changed, &line, &show::expenses(&changed.value, output.width))
}
