//! Expenses: category and date. Other files test money and links.

use chrono::NaiveDate;
use itinerary_sdk::types::{BelongsToKind, BelongsToPatch, CostPatch, ExpenseCategory, ExpensePatch, Itinerary};
use itinerary_sdk::{ErrorExt, Nullable, Versioned, code};
use itinerary_tests::bodies::{full, with};
use itinerary_tests::{World, api_test};
use serde_json::{Value, json};

use super::{Part, item, start};

const EXPENSES: Part = Part::Expenses;

#[api_test]
async fn the_sdk_changes_an_expense_field_by_field(world: World) {
    world.pro_account("ana").await;
    let client = world.client("ana").await;
    let trip: itinerary_sdk::types::ItineraryCreate = serde_json::from_value(full()).expect("typed");
    let created = client.itinerary_create(trip).send().await.expect("created");
    let update = |at: &Versioned<Itinerary>, patch: ExpensePatch| {
        client.expense_update(at.id, "expense-1", at.etag(), patch).send()
    };
    let day = NaiveDate::from_ymd_opt(2027, 9, 3).expect("a date");
    let patch = ExpensePatch {
        cost: Some(CostPatch { amount: Some(0.1), ..Default::default() }),
        category: Some(ExpenseCategory::Lodging.into()),
        date: Some(Nullable::Value(day.into())),
        belongs_to: Some(Nullable::Value(BelongsToPatch {
            kind: Some(BelongsToKind::Hotel.into()),
            id: Some("hotel-1".to_owned()),
        })),
        ..Default::default()
    };
    let changed = update(&created, patch).await.expect("changed");
    let expense = &changed.expenses.as_ref().expect("Pro sees them")[0];
    assert_eq!((expense.name.as_str(), expense.cost.currency.as_deref()), ("Seat", Some("JPY")));
    assert!((expense.cost.amount - 0.1).abs() < f64::EPSILON);
    assert_eq!((expense.date, expense.category.clone()), (Some(day), Some(ExpenseCategory::Lodging.into())));
    let link = expense.belongs_to.as_ref().expect("it belongs to something");
    assert_eq!((&link.kind, link.id.as_str()), (&BelongsToKind::Hotel.into(), "hotel-1"));

    let patch =
        ExpensePatch { cost: Some(CostPatch { amount: Some(0.0001), ..Default::default() }), ..Default::default() };
    let error = update(&changed, patch).await.expect_err("four decimals");
    assert_eq!((error.is(code::VALIDATION_FAILED), error.field()), (true, Some("cost.amount")));
}

#[api_test(limits = false)]
async fn its_date_is_a_day_of_the_calendar_between_1900_and_2200(world: World) {
    let (app, mut at) = start(&world).await;
    for wrong in [
        "2027-02-29",
        "2027-02-30",
        "2027-13-01",
        "2027-00-10",
        "2027-04-31",
        "2100-02-29",
        "1899-12-31",
        "2201-01-01",
        "27-05-01",
        "2027-5-1",
        "01.05.2027",
        "2027/05/01",
        "2027-05-01T00:00:00Z",
        " 2027-05-01",
        "",
        "today",
    ] {
        EXPENSES.update(&app, &at, "expense-1", &json!({ "date": wrong })).await.expect_invalid("date");
        EXPENSES.add(&app, &at, &with(EXPENSES.least("n"), json!({ "date": wrong }))).await.expect_invalid("date");
    }
    EXPENSES.update(&app, &at, "expense-1", &json!({ "date": 20_270_501 })).await.expect_invalid("date");
    for good in ["1900-01-01", "2028-02-29", "2000-02-29", "2200-12-31"] {
        at = EXPENSES.updated(&app, &at, "expense-1", &json!({ "date": good })).await;
        assert_eq!(item(&at, EXPENSES, "expense-1")["date"], good);
    }
}

#[api_test(limits = false)]
async fn its_category_is_one_of_ten_and_its_name_has_a_length(world: World) {
    let (app, mut at) = start(&world).await;
    for category in [
        "activity",
        "lodging",
        "flight",
        "transport",
        "food",
        "shopping",
        "insurance",
        "visa",
        "communication",
        "other",
    ] {
        at = EXPENSES.updated(&app, &at, "expense-1", &json!({ "category": category })).await;
        assert_eq!(item(&at, EXPENSES, "expense-1")["category"], category);
    }
    for wrong in [json!("Food"), json!(""), json!("clothing"), json!(0), json!(["food"])] {
        EXPENSES.update(&app, &at, "expense-1", &json!({ "category": wrong })).await.expect_invalid("category");
    }
    for wrong in [json!(""), json!("n".repeat(201)), json!("a\u{8}"), Value::Null, json!(1)] {
        EXPENSES.update(&app, &at, "expense-1", &json!({ "name": wrong })).await.expect_invalid("name");
    }
    let longest = "\u{5186}".repeat(200);
    at = EXPENSES.updated(&app, &at, "expense-1", &json!({ "name": longest })).await;
    assert_eq!(item(&at, EXPENSES, "expense-1")["name"], json!(longest));
}
