//! The operations on itineraries and accounts, for checks that apply to all of them.

use reqwest::Method;
use serde_json::{Value, json};

use crate::call::Call;
use crate::travellers::App;

/// An id that nothing has.
pub const NOTHING: &str = "01890000-0000-7000-8000-00000000dead";

/// An operation of `/v1`.
#[derive(Clone, Copy, Debug)]
pub struct Operation {
    /// The id in the OpenAPI document.
    pub id: &'static str,
    pub method: &'static str,
    /// With `{id}` for the itinerary and `{account}` for an account.
    pub path: &'static str,
    /// The scope that it requires. Empty if none.
    pub scope: &'static str,
    /// A valid JSON body. Empty if the operation takes none.
    body: &'static str,
    /// Whether it requires `If-Match`.
    pub conditional: bool,
    pub pro: bool,
}

const R: &str = "itineraries:read";
const W: &str = "itineraries:write";
const DR: &str = "documents:read";
const DW: &str = "documents:write";

const fn read(id: &'static str, scope: &'static str, path: &'static str) -> Operation {
    Operation { id, method: "GET", path, scope, body: "", conditional: false, pro: false }
}

const fn write(id: &'static str, method: &'static str, path: &'static str, body: &'static str) -> Operation {
    Operation { id, method, path, scope: W, body, conditional: false, pro: false }
}

/// A write that needs no more than the scope to read.
const fn reading_write(id: &'static str, method: &'static str, path: &'static str, body: &'static str) -> Operation {
    Operation { scope: R, ..write(id, method, path, body) }
}

/// A write that requires `If-Match`.
const fn change(id: &'static str, method: &'static str, path: &'static str, body: &'static str) -> Operation {
    Operation { id, method, path, scope: W, body, conditional: true, pro: false }
}

const fn pro(operation: Operation) -> Operation {
    Operation { pro: true, ..operation }
}

/// Operations on an itinerary. The ids of its items are those of [`whole`].
pub const ON_ITINERARIES: &[Operation] = &[
    read("itinerary_view", R, "/v1/itineraries/{id}"),
    read("itinerary_export", R, "/v1/itineraries/{id}/export?format=md"),
    change("itinerary_update", "PATCH", "/v1/itineraries/{id}", r#"{"title":"Changed"}"#),
    change("itinerary_delete", "DELETE", "/v1/itineraries/{id}", ""),
    change("itinerary_places_refresh", "POST", "/v1/itineraries/{id}/places/refresh", ""),
    change("itinerary_shift", "POST", "/v1/itineraries/{id}/shift", r#"{"days":1}"#),
    change("itinerary_cover_image_set", "PUT", "/v1/itineraries/{id}/cover-image", ""),
    read("revision_list", R, "/v1/itineraries/{id}/revisions"),
    read("revision_view", R, "/v1/itineraries/{id}/revisions/1"),
    change("revision_restore", "POST", "/v1/itineraries/{id}/revisions/1/restore", ""),
    read("day_list", R, "/v1/itineraries/{id}/days"),
    change("day_add", "POST", "/v1/itineraries/{id}/days", "{}"),
    change("day_update", "PATCH", "/v1/itineraries/{id}/days/day-1", r#"{"stops":[]}"#),
    change("day_move", "POST", "/v1/itineraries/{id}/days/day-1/move", r#"{"position":1}"#),
    change("day_remove", "DELETE", "/v1/itineraries/{id}/days/day-1", ""),
    change("day_optimise", "POST", "/v1/itineraries/{id}/days/day-1/optimise", "{}"),
    change("stop_add", "POST", "/v1/itineraries/{id}/days/day-1/stops", r#"{"name":"Castle"}"#),
    change("stop_update", "PATCH", "/v1/itineraries/{id}/days/day-1/stops/stop-1", r#"{"name":"Castle"}"#),
    change("stop_remove", "DELETE", "/v1/itineraries/{id}/days/day-1/stops/stop-1", ""),
    change("stop_move", "POST", "/v1/itineraries/{id}/days/day-1/stops/stop-1/move", r#"{"position":1}"#),
    read("stop_activity_list", R, "/v1/itineraries/{id}/days/day-1/stops/stop-1/activities"),
    read("flight_list", R, "/v1/itineraries/{id}/flights"),
    change("flight_add", "POST", "/v1/itineraries/{id}/flights", r#"{"flightNumber":"TP1"}"#),
    change("flight_update", "PATCH", "/v1/itineraries/{id}/flights/flight-1", r#"{"seatNumber":"2B"}"#),
    change("flight_remove", "DELETE", "/v1/itineraries/{id}/flights/flight-1", ""),
    read("hotel_list", R, "/v1/itineraries/{id}/hotels"),
    change("hotel_add", "POST", "/v1/itineraries/{id}/hotels", r#"{"name":"Inn"}"#),
    change("hotel_update", "PATCH", "/v1/itineraries/{id}/hotels/hotel-1", r#"{"roomNumber":"7"}"#),
    change("hotel_remove", "DELETE", "/v1/itineraries/{id}/hotels/hotel-1", ""),
    read("transport_list", R, "/v1/itineraries/{id}/transports"),
    change("transport_add", "POST", "/v1/itineraries/{id}/transports", r#"{"mode":"train"}"#),
    change("transport_update", "PATCH", "/v1/itineraries/{id}/transports/transport-1", r#"{"number":"IC 524"}"#),
    change("transport_remove", "DELETE", "/v1/itineraries/{id}/transports/transport-1", ""),
    read("reservation_list", R, "/v1/itineraries/{id}/reservations"),
    change("reservation_add", "POST", "/v1/itineraries/{id}/reservations", r#"{"name":"Tavern"}"#),
    change("reservation_update", "PATCH", "/v1/itineraries/{id}/reservations/reservation-1", r#"{"partySize":3}"#),
    change("reservation_remove", "DELETE", "/v1/itineraries/{id}/reservations/reservation-1", ""),
    pro(read("expense_list", R, "/v1/itineraries/{id}/expenses")),
    pro(change("expense_add", "POST", "/v1/itineraries/{id}/expenses", r#"{"name":"Tram","cost":{"amount":3}}"#)),
    pro(change("expense_update", "PATCH", "/v1/itineraries/{id}/expenses/expense-1", r#"{"name":"Tram"}"#)),
    pro(change("expense_remove", "DELETE", "/v1/itineraries/{id}/expenses/expense-1", "")),
    pro(read("packing_list", R, "/v1/itineraries/{id}/packing")),
    pro(change("packing_add", "POST", "/v1/itineraries/{id}/packing", r#"{"name":"Hat"}"#)),
    pro(change("packing_update", "PATCH", "/v1/itineraries/{id}/packing/packing-1", r#"{"isPacked":true}"#)),
    pro(change("packing_remove", "DELETE", "/v1/itineraries/{id}/packing/packing-1", "")),
    read("document_list", DR, "/v1/itineraries/{id}/documents"),
    Operation { scope: DW, ..pro(write("document_upload", "POST", "/v1/itineraries/{id}/documents", "")) },
    Operation {
        scope: DW,
        ..change("document_update", "PATCH", "/v1/itineraries/{id}/documents/document-1", r#"{"name":"Visa"}"#)
    },
    Operation { scope: DW, ..change("document_delete", "DELETE", "/v1/itineraries/{id}/documents/document-1", "") },
    read("document_link", DR, "/v1/itineraries/{id}/documents/document-1/link"),
    read("wallet_pass_list", R, "/v1/itineraries/{id}/wallet-passes"),
    read("wallet_pass_view", R, "/v1/itineraries/{id}/wallet-passes/flight/flight-1"),
    read("marks_view", R, "/v1/itineraries/{id}/marks"),
    write("like_set", "PUT", "/v1/itineraries/{id}/like", ""),
    write("like_clear", "DELETE", "/v1/itineraries/{id}/like", ""),
    write("dislike_set", "PUT", "/v1/itineraries/{id}/dislike", ""),
    write("dislike_clear", "DELETE", "/v1/itineraries/{id}/dislike", ""),
    write("itinerary_save", "POST", "/v1/itineraries/{id}/saves", ""),
    write("report_create", "POST", "/v1/itineraries/{id}/reports", r#"{"reason":"spam"}"#),
    read("member_list", R, "/v1/itineraries/{id}/members"),
    write("member_set", "PUT", "/v1/itineraries/{id}/members/{account}", r#"{"role":"viewer"}"#),
    write("member_remove", "DELETE", "/v1/itineraries/{id}/members/{account}", ""),
    read("link_list", R, "/v1/itineraries/{id}/links"),
    write("link_create", "POST", "/v1/itineraries/{id}/links", r#"{"label":"Parents"}"#),
    write("link_delete", "DELETE", "/v1/itineraries/{id}/links/{account}", ""),
];

/// The other operations.
pub const ON_ACCOUNTS: &[Operation] = &[
    read("itinerary_list", R, "/v1/itineraries"),
    write("itinerary_create", "POST", "/v1/itineraries", "{}"),
    write("import_read", "POST", "/v1/imports", r#"{"@context":"http://schema.org","@type":"Thing"}"#),
    read("account_itinerary_list", R, "/v1/accounts/{account}/itineraries"),
    read("account_self", R, "/v1/account"),
    write("account_self_update", "PATCH", "/v1/account", "{}"),
    read("account_view", R, "/v1/accounts/{account}"),
    read("account_find", R, "/v1/accounts?username=nobody"),
    write("follow_set", "PUT", "/v1/accounts/{account}/follow", ""),
    write("follow_clear", "DELETE", "/v1/accounts/{account}/follow", ""),
    write("follower_remove", "DELETE", "/v1/account/followers/{account}", ""),
    read("follower_list", R, "/v1/accounts/{account}/followers"),
    read("following_list", R, "/v1/accounts/{account}/following"),
    read("invitation_list", R, "/v1/invitations"),
    write("invitation_accept", "PUT", "/v1/invitations/{id}", ""),
    write("invitation_decline", "DELETE", "/v1/invitations/{id}", ""),
    read("block_list", R, "/v1/account/blocks"),
    write("block_set", "PUT", "/v1/accounts/{account}/block", ""),
    write("block_clear", "DELETE", "/v1/accounts/{account}/block", ""),
    read("explore_list", "", "/v1/explore"),
    read("change_list", R, "/v1/changes"),
    read("webhook_list", R, "/v1/webhooks"),
    reading_write("webhook_create", "POST", "/v1/webhooks", "{}"),
    read("webhook_view", R, "/v1/webhooks/{account}"),
    reading_write("webhook_update", "PATCH", "/v1/webhooks/{account}", "{}"),
    reading_write("webhook_rotate_secret", "POST", "/v1/webhooks/{account}/secret/rotate", ""),
    reading_write("webhook_test", "POST", "/v1/webhooks/{account}/test", ""),
    read("webhook_delivery_list", R, "/v1/webhooks/{account}/deliveries"),
    reading_write("webhook_redeliver", "POST", "/v1/webhooks/{account}/deliveries/{account}/redeliver", ""),
    reading_write("webhook_delete", "DELETE", "/v1/webhooks/{account}", ""),
];

impl Operation {
    /// A request of this operation for an itinerary.
    pub fn call(&self, app: &App, itinerary: &str) -> Call {
        self.finished(app.call(self.method(), &self.path_for(itinerary, NOTHING)))
    }

    pub fn method(&self) -> Method {
        Method::from_bytes(self.method.as_bytes()).unwrap_or(Method::GET)
    }

    /// The path for an itinerary and an account.
    pub fn path_for(&self, itinerary: &str, account: &str) -> String {
        let document = self.path.replace("document-1", NOTHING);
        document.replace("{id}", itinerary).replace("{account}", account)
    }

    /// The request with the operation's body.
    pub fn finished(&self, call: Call) -> Call {
        if self.id == "document_upload" {
            return call.multipart(&[], "pass.age", b"age");
        }
        if self.id == "import_read" {
            return call.body("application/ld+json", self.body);
        }
        if self.body.is_empty() { call } else { call.body("application/json", self.body) }
    }

    /// The area that the operation belongs to, such as `day`.
    pub fn area(&self) -> &'static str {
        self.id.split('_').next().unwrap_or(self.id)
    }
}

/// Fields of an itinerary that has an item for each operation on items, as far as they need no Pro.
pub fn whole() -> Value {
    json!({
        "days": [
            { "id": "day-1", "stops": [stop("stop-1", 38.7139, -9.1335), stop("stop-2", 38.6916, -9.2160)] },
            { "id": "day-2", "stops": [] },
        ],
        "flights": [{
            "id": "flight-1",
            "flightNumber": "TP1689",
            "flightAirline": { "code": "TP", "name": "TAP Air Portugal" },
            "departureAirport": { "code": "OPO" },
            "arrivalAirport": { "code": "LIS" },
            "departureDate": "2027-09-01T07:05:00+01:00",
            "arrivalDate": "2027-09-01T08:00:00+01:00",
        }],
        "hotels": [{
            "id": "hotel-1",
            "name": "Pensao Central",
            "place": { "coordinate": { "latitude": 38.7110, "longitude": -9.1400 } },
            "checkInDate": "2027-09-01T15:00:00+01:00",
            "checkOutDate": "2027-09-03T11:00:00+01:00",
        }],
        "transports": [{
            "id": "transport-1",
            "mode": "train",
            "number": "IC 523",
            "departurePlace": { "name": "Oriente", "coordinate": { "latitude": 38.7678, "longitude": -9.0992 } },
            "departureDate": "2027-09-02T09:39:00+01:00",
            "arrivalDate": "2027-09-02T12:48:00+01:00",
        }],
        "reservations": [{
            "id": "reservation-1",
            "name": "Taberna Central",
            "place": { "coordinate": { "latitude": 38.7125, "longitude": -9.1434 } },
            "startDate": "2027-09-01T19:30:00+01:00",
            "endDate": "2027-09-01T21:30:00+01:00",
        }],
    })
}

/// [`whole`] with the items that need Pro.
pub fn whole_pro() -> Value {
    let mut fields = whole();
    fields["expenses"] = json!([{ "id": "expense-1", "name": "Tiles", "cost": { "amount": 12.5, "currency": "EUR" } }]);
    fields["packing"] = json!([{ "id": "packing-1", "name": "Boots" }]);
    fields
}

fn stop(id: &str, latitude: f64, longitude: f64) -> Value {
    let place = json!({ "coordinate": { "latitude": latitude, "longitude": longitude } });
    json!({ "id": id, "name": format!("Viewpoint {id}"), "place": place })
}
