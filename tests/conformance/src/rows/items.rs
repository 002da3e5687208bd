//! Flights, hotels, expenses and packing items (specification, sections 2.7 to 2.10, 4.4, 4.5 and 4.8), transports and
//! reservations.

use serde_json::{Value, json};

use crate::context::{Context, Made};
use crate::operations::{whole, whole_pro};
use crate::outcome::Checked;
use crate::row::{Row, row};
use crate::shape::ITINERARY;

/// A list of items with operations of its own.
#[derive(Clone, Copy)]
struct Items {
    /// The field of the itinerary, and the path.
    list: &'static str,
    /// The name of one item in ids of operations.
    one: &'static str,
    /// The section with the fields of an item.
    fields: &'static str,
    pro: bool,
}

const ITEMS: [Items; 6] = [
    Items { list: "flights", one: "flight", fields: "2.7", pro: false },
    Items { list: "hotels", one: "hotel", fields: "2.8", pro: false },
    Items { list: "transports", one: "transport", fields: "transport_add", pro: false },
    Items { list: "reservations", one: "reservation", fields: "reservation_add", pro: false },
    Items { list: "expenses", one: "expense", fields: "2.9", pro: true },
    Items { list: "packing", one: "packing", fields: "2.10", pro: true },
];

impl Items {
    /// An itinerary with one item, whose id is that of `operations::whole`.
    async fn itinerary(self, t: &Context) -> Checked<Made> {
        if self.pro { t.pro_itinerary(whole_pro()).await } else { t.itinerary(whole()).await }
    }

    fn path(self) -> String {
        format!("/{}", self.list)
    }

    fn first(self) -> String {
        format!("/{}/{}-1", self.list, self.one)
    }

    /// An item with every field of its section.
    fn full(self) -> Value {
        match self.one {
            "flight" => json!({
                "id": "second", "flightAirline": { "code": "TP", "name": "TAP" }, "flightNumber": "TP1690",
                "departureAirport": { "code": "LIS", "name": "Lisbon" }, "arrivalAirport": { "code": "OPO" },
                "departureDate": "2027-09-03T07:05:00+01:00", "arrivalDate": "2027-09-03T06:55:00.500Z",
                "cabinClass": "economy", "seatNumber": "14A", "gateNumber": "22",
                "departureTerminal": "1", "arrivalTerminal": "A", "phoneNumber": "+351 211 234 400",
            }),
            "hotel" => json!({
                "id": "second", "name": "Quinta", "roomNumber": "12", "phoneNumber": "+351 291 000 000",
                "place": { "name": "Quinta", "coordinate": { "latitude": 38.7, "longitude": -9.2 } },
                "checkInDate": "2027-09-03T15:00:00+01:00", "checkOutDate": "2027-09-04T11:00:00+01:00",
            }),
            "transport" => json!({
                "id": "second", "mode": "bus", "operator": { "code": "RODO", "name": "Rodoeste" }, "number": "139",
                "departurePlace": { "name": "Funchal" }, "arrivalPlace": { "name": "Porto Moniz" },
                "departureDate": "2027-09-03T09:00:00+01:00", "arrivalDate": "2027-09-03T11:30:00+01:00",
                "departureDay": "2027-09-03", "travelClass": "2nd", "departurePlatform": "4", "arrivalPlatform": "B",
                "phoneNumber": "+351 291 220 148", "confirmationNumber": "139-7", "provider": "Rodoeste",
                "bookingUrl": "https://book.example/139", "notes": "On the left.\nBring water.",
                "tickets": [{ "holder": "Ana", "code": { "format": "aztec", "text": " M1 " } }],
            }),
            "reservation" => json!({
                "id": "second", "name": "Tavern", "category": "restaurant", "place": { "name": "Tavern" },
                "startDate": "2027-09-02T19:30:00+01:00", "endDate": "2027-09-02T21:30:00+01:00",
                "startDay": "2027-09-02", "endDay": "2027-09-02", "partySize": 2, "phoneNumber": "+351 291 221 789",
                "confirmationNumber": "4471", "provider": "A guide", "bookingUrl": "https://book.example/4471",
                "notes": "Outside.", "tickets": [{ "ticketNumber": "7" }],
            }),
            "expense" => json!({
                "id": "second", "name": "Seat", "cost": { "amount": 19.99, "currency": "JPY" }, "category": "activity",
                "date": "2027-09-01", "belongsTo": { "kind": "flight", "id": "flight-1" },
            }),
            _ => json!({
                "id": "second", "name": "Hat", "category": "accessories", "quantity": 2, "isPacked": true,
                "belongsTo": { "kind": "flight", "id": "flight-1" },
            }),
        }
    }

    /// A change of one field, and its place in an item.
    fn change(self) -> (Value, &'static str) {
        match self.one {
            "flight" => (json!({ "seatNumber": "2B" }), "seatNumber"),
            "hotel" => (json!({ "roomNumber": "7" }), "roomNumber"),
            "transport" => (json!({ "departurePlatform": "5" }), "departurePlatform"),
            "reservation" => (json!({ "partySize": 3 }), "partySize"),
            "expense" => (json!({ "category": "activity" }), "category"),
            _ => (json!({ "isPacked": true }), "isPacked"),
        }
    }

    /// Whether the itinerary lacks the list while it is empty.
    fn is_left_out(self) -> bool {
        ["transport", "reservation"].contains(&self.one)
    }

    /// A field that an item does not have.
    fn unknown(self) -> Value {
        let mut item = self.full();
        item["note"] = json!("x");
        item
    }

    /// The section about the item's operations, where the specification lists this one.
    fn section(self, verb: &str) -> String {
        let listed = match self.one {
            "flight" => &["update"][..],
            "hotel" => &["add", "remove"],
            "expense" => &["add", "update"],
            _ => &[],
        };
        match listed.contains(&verb) {
            true if self.pro => "4.5".to_owned(),
            true => "4.4".to_owned(),
            false => format!("{}_{verb}", self.one),
        }
    }
}

pub(super) fn rows() -> Vec<Row> {
    let mut rows: Vec<Row> = ITEMS.into_iter().flat_map(of_items).collect();
    rows.extend(flights_and_hotels());
    rows.extend(expenses_and_packing());
    rows
}

fn of_items(items: Items) -> Vec<Row> {
    let Items { list, one, fields, .. } = items;
    let id = |name: &str| format!("{one}.{name}");
    vec![
        row(
            id("add.answer"),
            items.section("add"),
            format!("POST …/{list} answers 200 with the itinerary and the item at the end."),
            move |t| async move {
                let made = items.itinerary(&t).await?;
                let response = made.post(&items.path(), &items.full()).send().await?;
                response.status(200)?.shaped("", ITINERARY)?.at(&format!("/{list}/0/id"), format!("{one}-1"))?;
                response.ensure(response.etag()? != made.etag, "another ETag").map(|_| ())
            },
        ),
        row(
            id("add.fields"),
            fields,
            format!("Every field of an item of {list} comes back as it was sent."),
            move |t| async move {
                let made = items.itinerary(&t).await?;
                let made = made.changed(made.post(&items.path(), &items.full())).await?;
                let response = made.app.get(&made.at(&items.path())).send().await?;
                response.status(200)?.holds(&json!({ "data": [{}, items.full()] })).map(|_| ())
            },
        ),
        row(
            id("add.id"),
            "2.15",
            format!("An item added to {list} gets an id if none is sent."),
            move |t| async move {
                let made = items.itinerary(&t).await?;
                let mut item = items.full();
                if let Some(fields) = item.as_object_mut() {
                    fields.remove("id");
                }
                let response = made.post(&items.path(), &item).send().await?;
                let id = response.json_with(200)?[list][1]["id"].as_str().unwrap_or_default().to_owned();
                response.ensure(!id.is_empty(), format!("an id at /{list}/1/id")).map(|_| ())
            },
        ),
        row(
            id("add.unknown-field"),
            // The specification says this of expenses.
            if one == "expense" { fields.to_owned() } else { items.section("add") },
            format!("An item of {list} has no field note; it is rejected by name."),
            move |t| async move {
                let made = items.itinerary(&t).await?;
                made.post(&items.path(), &items.unknown()).send().await?.invalid("note")
            },
        ),
        row(
            id("update.merge"),
            items.section("update"),
            format!("PATCH …/{list}/{{id}} merges the fields that are sent."),
            move |t| async move {
                let made = items.itinerary(&t).await?;
                let (change, field) = items.change();
                let response = made.patch_at(&items.first(), &change).send().await?;
                let mut wanted = made.json[list][0].clone();
                wanted[field] = change[field].clone();
                response.status(200)?.holds(&json!({ list: [wanted] })).map(|_| ())
            },
        ),
        row(
            id("update.unknown"),
            "7.1",
            format!("PATCH of an item that {list} does not have answers notFound."),
            move |t| async move {
                let made = items.itinerary(&t).await?;
                let path = format!("/{list}/nowhere");
                made.patch_at(&path, &items.change().0).send().await?.error(404, "notFound").map(|_| ())
            },
        ),
        row(
            id("remove.answer"),
            items.section("remove"),
            format!("DELETE …/{list}/{{id}} answers 200 with the itinerary without it."),
            move |t| async move {
                let made = items.itinerary(&t).await?;
                let response = made.delete_at(&items.first()).send().await?;
                response.status(200)?.shaped("", ITINERARY)?;
                let none = if items.is_left_out() { Value::Null } else { json!([]) };
                response.at(&format!("/{list}"), none)?;
                response.ensure(response.etag()? != made.etag, "another ETag").map(|_| ())
            },
        ),
        row(
            id("remove.unknown"),
            "7.1",
            format!("DELETE of an item that {list} does not have answers notFound."),
            move |t| async move {
                let made = items.itinerary(&t).await?;
                made.delete_at(&format!("/{list}/nowhere")).send().await?.error(404, "notFound").map(|_| ())
            },
        ),
    ]
}

fn flights_and_hotels() -> Vec<Row> {
    vec![
        row("flight.update.airport", "2.15", "PATCH merges an airport into the existing one.", |t| async move {
            let made = t.itinerary(whole()).await?;
            let change = json!({ "departureAirport": { "name": "Francisco Sa Carneiro" } });
            let response = made.patch_at("/flights/flight-1", &change).send().await?;
            response.status(200)?.at("/flights/0/departureAirport/code", "OPO")?;
            response.at("/flights/0/departureAirport/name", "Francisco Sa Carneiro").map(|_| ())
        }),
        row("flight.update.empty", "flight_update", "A flight cannot lose its last field.", |t| async move {
            let made = t.itinerary(json!({ "flights": [{ "id": "only", "flightNumber": "TP1" }] })).await?;
            let response = made.patch_at("/flights/only", &json!({ "flightNumber": null })).send().await?;
            response.error(422, "validationFailed").map(|_| ())
        }),
        row("hotel.update.dates", "hotel_update", "A check-out before the check-in is rejected.", |t| async move {
            let made = t.itinerary(whole()).await?;
            let change = json!({ "checkOutDate": "2027-08-30T11:00:00+01:00" });
            made.patch_at("/hotels/hotel-1", &change).send().await?.invalid("checkOutDate")
        }),
        row("hotel.update.name", "hotel_update", "A hotel's name cannot be cleared.", |t| async move {
            let made = t.itinerary(whole()).await?;
            made.patch_at("/hotels/hotel-1", &json!({ "name": null })).send().await?.invalid("name")
        }),
    ]
}

fn expenses_and_packing() -> Vec<Row> {
    let mut rows: Vec<Row> = [("expenses", "expense", "4.5"), ("packing", "packing", "1")]
        .into_iter()
        .map(|(list, one, section)| {
            let promise = format!("Without Pro, {list} answer subscriptionRequired for {list}.");
            row(format!("{one}.plan"), section, promise, move |t| async move {
                let made = t.itinerary(json!({})).await?;
                let item = json!({ "name": "A", "cost": { "amount": 1 } });
                let item = if one == "expense" { item } else { json!({ "name": "A" }) };
                let path = made.at(&format!("/{list}"));
                for call in [made.app.get(&path), made.app.post(&path, &item).if_match(&made.etag)] {
                    let response = call.send().await?;
                    let details = response.error(403, "subscriptionRequired")?;
                    response.ensure(details["section"] == list, format!("error.details.section {list}"))?;
                }
                Ok(())
            })
        })
        .collect();
    rows.extend([
        row(
            "expense.add.currency",
            "expense_add",
            "An expense's currency defaults to the itinerary's.",
            |t| async move {
                let made = t.pro_itinerary(json!({ "currency": "EUR" })).await?;
                let response =
                    made.post("/expenses", &json!({ "name": "Tram", "cost": { "amount": 3 } })).send().await?;
                response.status(200)?.at("/expenses/0/cost/currency", "EUR").map(|_| ())
            },
        ),
        row("expense.add.amount", "expense_add", "An amount has at most three decimals.", |t| async move {
            let made = t.pro_itinerary(json!({})).await?;
            let expense = json!({ "name": "Tram", "cost": { "amount": 1.0001, "currency": "EUR" } });
            made.post("/expenses", &expense).send().await?.invalid("cost.amount")
        }),
        row("expense.add.negative", "expense_add", "An amount is not negative.", |t| async move {
            let made = t.pro_itinerary(json!({})).await?;
            let expense = json!({ "name": "Tram", "cost": { "amount": -1, "currency": "EUR" } });
            made.post("/expenses", &expense).send().await?.invalid("cost.amount")
        }),
        row("expense.add.cost", "expense_add", "An expense needs a cost.", |t| async move {
            let made = t.pro_itinerary(json!({})).await?;
            made.post("/expenses", &json!({ "name": "Tram" })).send().await?.invalid("cost")
        }),
        row(
            "expense.add.belongs-to",
            "expense_add",
            "An expense can belong only to an item of its itinerary.",
            |t| async move {
                let made = t.pro_itinerary(json!({})).await?;
                let belongs_to = json!({ "kind": "flight", "id": "nowhere" });
                let expense = json!({ "name": "Tram", "cost": { "amount": 1 }, "belongsTo": belongs_to });
                let response = made.post("/expenses", &expense).send().await?;
                let details = response.error(422, "validationFailed")?;
                let named = details["field"].as_str().is_some_and(|field| field.starts_with("belongsTo"));
                response.ensure(named, "error.details.field belongsTo").map(|_| ())
            },
        ),
        row(
            "packing.add.defaults",
            "packing_add",
            "A packing item defaults to a quantity of 1 and is not packed.",
            |t| async move {
                let made = t.pro_itinerary(json!({})).await?;
                let response = made.post("/packing", &json!({ "name": "Hat" })).send().await?;
                response.status(200)?.at("/packing/0/quantity", 1)?.at("/packing/0/isPacked", false).map(|_| ())
            },
        ),
        row("packing.add.quantity", "packing_add", "A quantity is 1 to 999.", |t| async move {
            let made = t.pro_itinerary(json!({})).await?;
            for quantity in [0, 1_000] {
                made.post("/packing", &json!({ "name": "Hat", "quantity": quantity }))
                    .send()
                    .await?
                    .invalid("quantity")?;
            }
            Ok(())
        }),
        row("packing.add.category", "2.10", "A packing item's category is a known value.", |t| async move {
            let made = t.pro_itinerary(json!({})).await?;
            made.post("/packing", &json!({ "name": "Hat", "category": "hats" })).send().await?.invalid("category")
        }),
    ]);
    rows
}
