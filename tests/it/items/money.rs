//! Money: amounts have at most three decimals, and are returned as exactly the number that was sent.

use itinerary_tests::app::{App, Stored};
use itinerary_tests::bodies::{on_day, with};
use itinerary_tests::{RawResponse, World, api_test, sql};
use reqwest::Method;
use serde_json::{Value, json};

use super::{Part, done, item, start};

const EXPENSES: Part = Part::Expenses;

/// Valid amounts in their shortest spelling.
const AMOUNTS: [&str; 14] = [
    "0",
    "0.001",
    "0.1",
    "0.7",
    "0.999",
    "1",
    "1.005",
    "19.99",
    "19.999",
    "33.333",
    "450359962737.049",
    "123456789012.345",
    "999999999999",
    "999999999999.999",
];

/// The raw text of the expenses' amounts, in order.
fn raw_amounts(json: &str) -> Vec<&str> {
    let after = json.split("\"amount\":").skip(1);
    after.map(|rest| rest.split([',', '}']).next().unwrap_or_default()).collect()
}

/// Sends an amount with this exact spelling.
async fn add(app: &App<'_>, at: &Stored, amount: &str) -> RawResponse {
    let body = format!(r#"{{"name": "n", "cost": {{"amount": {amount}}}}}"#);
    let call = app.call(Method::POST, &EXPENSES.path(&at.id)).header("If-Match", &at.etag);
    call.body("application/json", body).send().await
}

async fn update(app: &App<'_>, at: &Stored, expense: &str, amount: &str) -> RawResponse {
    let body = format!(r#"{{"cost": {{"amount": {amount}}}}}"#);
    let call = app.call(Method::PATCH, &EXPENSES.item_path(&at.id, expense)).header("If-Match", &at.etag);
    call.body("application/json", body).send().await
}

/// The section's stored text.
async fn stored_text(world: &World) -> String {
    sql::ask(world.database_url(), "SELECT pro FROM itineraries").await
}

#[api_test(limits = false)]
async fn an_amount_is_the_same_text_wherever_it_is_read(world: World) {
    let app = App::pro(&world, "ana").await;
    let mut at = app.created(&on_day(1)).await;
    for amount in AMOUNTS {
        at = done(&add(&app, &at, amount).await);
    }
    // Ten other changes, each of which reads and writes all amounts.
    for n in 0..5 {
        at = Part::Packing.added(&app, &at, &json!({ "name": n.to_string() })).await;
        at = app.patched(&at, &json!({ "title": n.to_string() })).await;
    }
    let list = EXPENSES.list(&app, &at.id).await.text();
    let whole = app.view(&at.id).await.text();
    for text in [list, whole, stored_text(&world).await] {
        assert_eq!(raw_amounts(&text), AMOUNTS);
    }
    // Sent back by a client that reads numbers as doubles.
    let read = app.viewed(&at.id).await;
    let response = app.patch(&read, &read.json).await;
    assert_eq!(raw_amounts(&response.text()), AMOUNTS);
}

// A number has several spellings; the shortest one is returned.
#[api_test(limits = false)]
async fn an_amount_may_be_written_in_any_way(world: World) {
    let app = App::pro(&world, "ana").await;
    let mut at = app.created(&on_day(1)).await;
    at = done(&add(&app, &at, "5").await);
    let id = at.json["expenses"][0]["id"].as_str().expect("an id").to_owned();
    for (sent, told) in [
        ("12.50", "12.5"),
        ("12.500000", "12.5"),
        ("7.0", "7"),
        ("1e2", "100"),
        ("1.25E+1", "12.5"),
        ("1e-3", "0.001"),
        ("0.0", "0"),
        ("-0", "0"),
        ("-0.0", "0"),
        ("999999999999.9990", "999999999999.999"),
    ] {
        let response = update(&app, &at, &id, sent).await;
        assert_eq!((response.status.as_u16(), raw_amounts(&response.text())), (200, vec![told]), "{sent}");
        at = done(&response);
        assert_eq!(raw_amounts(&stored_text(&world).await), [told]);
    }
}

#[api_test(limits = false)]
async fn invalid_amounts_are_rejected_by_path(world: World) {
    let (app, at) = start(&world).await;
    for wrong in [
        "-1",
        "-0.001",
        "1.0001",
        "0.0001",
        "1e-4",
        "0.7000000000000001",
        "1e12",
        "1000000000000",
        "999999999999.9999",
        "1e300",
        "1e400",
        "\"1\"",
        "\"NaN\"",
        "true",
        "[]",
        "{}",
        "[1]",
    ] {
        add(&app, &at, wrong).await.expect_invalid("cost.amount");
        update(&app, &at, "expense-1", wrong).await.expect_invalid("cost.amount");
        let body = format!(r#"{{"expenses": [{{"name": "n", "cost": {{"amount": {wrong}}}}}]}}"#);
        let call = app.call(Method::PATCH, &itinerary_tests::app::path(&at.id)).header("If-Match", &at.etag);
        call.body("application/json", body).send().await.expect_invalid("expenses[0].cost.amount");
    }
    for no_json in ["NaN", "Infinity", "01", ".5", "1.", "+1", "0x10", "1_000", "1,5"] {
        assert_eq!(add(&app, &at, no_json).await.expect_error(422, "validationFailed"), Value::Null, "{no_json}");
    }
    assert_eq!(app.viewed(&at.id).await.etag, at.etag);
}

// Sums of thousandths are stored exactly.
#[api_test(limits = false)]
async fn a_thousand_small_amounts_add_up(world: World) {
    let app = App::pro(&world, "ana").await;
    let amounts: Vec<_> = (0..1000_u32).map(|n| format!("{}.{:03}", n % 7, n)).collect();
    let items = amounts.iter().map(|amount| format!(r#"{{"name": "n", "cost": {{"amount": {amount}}}}}"#));
    let at = app.created(&on_day(1)).await;
    let body = format!(r#"{{"expenses": [{}]}}"#, items.collect::<Vec<_>>().join(","));
    let call = app.call(Method::PATCH, &itinerary_tests::app::path(&at.id)).header("If-Match", &at.etag);
    let at = done(&call.body("application/json", body).send().await);
    let at = Part::Packing.added(&app, &at, &json!({ "name": "n" })).await;
    let thousandths = |text: &str| {
        let (units, decimals) = text.split_once('.').unwrap_or((text, ""));
        format!("{units}{decimals:0<3}").parse::<u64>().expect("digits")
    };
    let sum = |texts: &[&str]| texts.iter().map(|text| thousandths(text)).sum::<u64>();
    let sent: Vec<_> = amounts.iter().map(String::as_str).collect();
    for text in [EXPENSES.list(&app, &at.id).await.text(), stored_text(&world).await] {
        let told = raw_amounts(&text);
        assert_eq!((told.len(), sum(&told)), (1000, sum(&sent)));
    }
}

#[api_test(limits = false)]
async fn a_currency_that_is_not_named_is_the_itinerarys(world: World) {
    let app = App::pro(&world, "ana").await;
    let mut at = app.created(&with(on_day(1), json!({ "currency": "JPY" }))).await;
    let expense =
        |id: &str, currency: Value| json!({ "id": id, "name": "n", "cost": { "amount": 1, "currency": currency } });
    at = EXPENSES.added(&app, &at, &EXPENSES.item("a")).await;
    at = EXPENSES.added(&app, &at, &expense("b", Value::Null)).await;
    at = EXPENSES.added(&app, &at, &expense("c", json!("CHF"))).await;
    let currency = |at: &Stored, id: &str| item(at, EXPENSES, id)["cost"]["currency"].clone();
    assert_eq!(["a", "b", "c"].map(|id| currency(&at, id)), ["JPY", "JPY", "CHF"]);
    // An expense keeps its currency when the itinerary's changes.
    at = app.patched(&at, &json!({ "currency": "EUR" })).await;
    assert_eq!(["a", "b", "c"].map(|id| currency(&at, id)), ["JPY", "JPY", "CHF"]);
    at = EXPENSES.updated(&app, &at, "a", &json!({ "cost": { "amount": 2 } })).await;
    assert_eq!(currency(&at, "a"), "JPY");
    at = EXPENSES.updated(&app, &at, "a", &json!({ "cost": { "currency": null } })).await;
    assert_eq!(item(&at, EXPENSES, "a")["cost"], json!({ "amount": 2, "currency": "EUR" }));
    // Without a currency of the itinerary there is no default.
    at = app.patched(&at, &json!({ "currency": null })).await;
    at = EXPENSES.added(&app, &at, &EXPENSES.item("d")).await;
    assert_eq!(item(&at, EXPENSES, "d")["cost"], json!({ "amount": 1 }));
    assert_eq!(currency(&at, "a"), "EUR");
}

#[api_test(limits = false)]
async fn a_currency_is_one_that_is_in_use(world: World) {
    let (app, mut at) = start(&world).await;
    let cost = |currency: &Value| json!({ "amount": 1, "currency": currency });
    // Unknown, in lower case, a symbol, withdrawn (Germany, France, Croatia, Venezuela).
    let wrong = ["XYZ", "eur", "Eur", "EURO", "EU", "", "\u{20ac}", "DEM", "FRF", "HRK", "VEF"].map(Value::from);
    for wrong in wrong.iter().chain(&[json!(978), json!(["EUR"])]) {
        let add = json!({ "name": "n", "cost": cost(wrong) });
        EXPENSES.add(&app, &at, &add).await.expect_invalid("cost.currency");
        EXPENSES
            .update(&app, &at, "expense-1", &json!({ "cost": { "currency": wrong } }))
            .await
            .expect_invalid("cost.currency");
    }
    for good in ["EUR", "USD", "JPY", "BHD", "VES", "CLF"] {
        at = EXPENSES.updated(&app, &at, "expense-1", &json!({ "cost": { "currency": good } })).await;
        assert_eq!(item(&at, EXPENSES, "expense-1")["cost"], json!({ "amount": 19.99, "currency": good }));
    }
}
