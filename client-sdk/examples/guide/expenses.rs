use itinerary_sdk::prelude::*;
use itinerary_sdk::types::*;

/// Adds expenses, corrects one and sums them up.
pub async fn expenses(client: &Client, trip: Uuid) -> Result<(), ApiError> {
    let expenses = client.expenses().list(trip).send().await?;
    let dinner = ExpenseInput::new("Dinner", (48.5, "EUR"))
        .id("dinner")
        .category(ExpenseCategory::Food)
        .date("2027-05-16")
        .belongs_to(BelongsToInput::day("day-1"));
    let now = match client.expenses().add(trip, &expenses, dinner).send().await {
        Err(error) if error.is(code::SUBSCRIPTION_REQUIRED) => {
            println!("Expenses need the Pro subscription.");
            return Ok(());
        }
        added => added?,
    };
    // Without a currency, the amount is in the itinerary's.
    let now = client.expenses().add(trip, &now, ExpenseInput::new("Tram", 3.1)).send().await?;

    let with_tip = ExpensePatch::default().cost(CostPatch::default().amount(53.0));
    let now = client.expenses().update(trip, "dinner", &now, with_tip).send().await?;
    let total: f64 = now.expenses().iter().map(|expense| expense.cost.amount).sum();
    println!("{total} in all");

    client.expenses().remove(trip, "dinner", &now).send().await?;
    Ok(())
}
