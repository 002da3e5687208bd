//! Random itineraries and random changes of them, as JSON.
//!
//! Values and new ids come from small pools, so that both sides often touch the same thing.

use serde_json::{Map, Value, json};

/// The generator `SplitMix64`.
pub(crate) struct Random {
    state: u64,
    /// The kind of change that both sides often make, if they should collide.
    focus: Option<usize>,
}

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = Self { state: seed, focus: None };
        random.focus = random.chance(60).then(|| random.below(CHANGES));
        random
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `limit`.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % (limit.max(1) as u64)).expect("below a usize")
    }

    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// The index of an item to change: often the first, if the sides should collide.
    fn index(&mut self, length: usize) -> usize {
        if self.focus.is_some() && self.chance(75) { 0 } else { self.below(length) }
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }
}

/// An itinerary with a few items of each kind; or with so few that changes collide.
pub(crate) fn base(random: &mut Random) -> Value {
    let is_small = random.focus.is_some();
    let mut whole = json!({
        "title": "Trip", "destination": {"name": "Lisbon", "coordinate": coordinate(0)}, "startDate": "2027-05-01",
        "travellers": 2, "tags": [], "days": [], "flights": [], "hotels": [],
        "transports": [], "reservations": [], "expenses": [], "packing": [], "documents": [],
    });
    // Nearly as many tags as are allowed, now and then.
    let tags = if random.chance(2) { 29 } else { random.below(4) };
    whole["tags"] = (0..tags).map(|n| json!(format!("tag{n}"))).collect();
    let mut stop_number = 0;
    for d in 0..if is_small { 1 + random.below(2) } else { random.below(5) } {
        let stops: Vec<_> = (0..if is_small { 1 + random.below(3) } else { random.below(6) })
            .map(|_| {
                stop_number += 1;
                stop(random, &format!("s{stop_number}"))
            })
            .collect();
        whole["days"].as_array_mut().expect("days").push(json!({"id": format!("d{d}"), "stops": stops, "legs": []}));
    }
    for (list, letter, most) in [
        ("flights", "f", 3),
        ("hotels", "h", 4),
        ("transports", "t", 3),
        ("reservations", "r", 3),
        ("expenses", "e", 5),
        ("packing", "p", 4),
        ("documents", "doc", 2),
    ] {
        for n in 0..if is_small { 1 } else { random.below(most) } {
            let item = item(random, list, &format!("{letter}{n}"));
            whole[list].as_array_mut().expect("a list").push(item);
        }
    }
    for _ in 0..random.below(12) {
        edit(random, &mut whole, true);
    }
    repair(&mut whole);
    whole
}

/// A version that one side made from the base by up to six changes. Without `places`, no place changes.
pub(crate) fn changed(random: &mut Random, base: &Value, places: bool) -> Value {
    let mut whole = base.clone();
    let count = random.below(7);
    for _ in 0..if random.focus.is_some() { count.max(4) } else { count } {
        edit(random, &mut whole, places);
    }
    repair(&mut whole);
    whole
}

fn coordinate(n: usize) -> Value {
    json!({"latitude": if n == 0 { 38.5 } else { 39.5 }, "longitude": -9.0})
}

/// Sets a field to a value of the pool, or removes it.
fn set(random: &mut Random, object: &mut Value, name: &str, values: &[Value]) {
    let value = random.pick(values);
    let fields = object.as_object_mut().expect("an object");
    match value {
        Value::Null => drop(fields.remove(name)),
        value => drop(fields.insert(name.to_owned(), value)),
    }
}

fn stop(random: &mut Random, id: &str) -> Value {
    let mut stop = json!({"id": id, "name": random.pick(&["A", "B"]), "startTimeSuggested": false});
    if random.chance(50) {
        stop["place"] = json!({"name": "P", "coordinate": coordinate(random.below(2))});
    }
    if random.chance(30) {
        stop["startTime"] = json!(random.pick(&["09:00", "10:00"]));
        stop["startTimeSuggested"] = json!(random.chance(50));
    }
    if random.chance(20) {
        stop["activity"] = json!({"provider": "V", "productCode": "1"});
    }
    stop
}

fn item(random: &mut Random, list: &str, id: &str) -> Value {
    match list {
        "flights" => json!({"id": id, "flightNumber": "TP1", "flightAirline": {"code": "TP", "name": "TAP"}}),
        "hotels" => json!({"id": id, "name": random.pick(&["Inn", "Hotel"])}),
        "transports" => json!({"id": id, "number": "IC 1", "operator": {"code": "CP"}}),
        "reservations" => json!({"id": id, "name": random.pick(&["Fado", "Dinner"])}),
        "expenses" => {
            json!({"id": id, "name": random.pick(&["Fee", "Fare"]), "cost": {"amount": 5, "currency": "EUR"}})
        }
        "packing" => json!({"id": id, "name": random.pick(&["Hat", "Shoes"]), "quantity": 1, "isPacked": false}),
        "documents" => json!({"id": id, "name": "Ticket", "file": {"path": "x", "name": "t.pdf", "size": 3}}),
        _ => json!({"id": id, "stops": [], "legs": []}),
    }
}

/// The number of kinds of changes.
const CHANGES: usize = 22;

/// One random change. It may leave legs and links that no longer fit: see [`repair`].
fn edit(random: &mut Random, whole: &mut Value, places: bool) {
    let change = random.focus.filter(|_| random.chance(70)).unwrap_or_else(|| random.below(CHANGES));
    match change {
        0 => scalar(random, whole, places),
        1 => tags(random, whole),
        2..=5 => edit_stop(random, whole, places),
        6 => add_stop(random, whole),
        7 => drop(take_stop(random, whole)),
        8..=10 => move_stop(random, whole),
        11 | 12 => leg(random, whole),
        13 => reorder_or_replace(random, whole),
        _ => {
            let lists =
                ["days", "flights", "hotels", "transports", "reservations", "expenses", "packing", "days", "documents"];
            let list = lists[change % lists.len()];
            list_edit(random, whole, list, places);
        }
    }
}

fn scalar(random: &mut Random, whole: &mut Value, places: bool) {
    match random.below(if places { 8 } else { 6 }) {
        0 => set(random, whole, "title", &[json!("Trip"), json!("Tour"), json!("Visit")]),
        1 => set(random, whole, "summary", &[json!("Long"), json!("Short"), Value::Null]),
        2 => set(random, whole, "travellers", &[json!(1), json!(2), json!(3)]),
        3 => set(random, whole, "startDate", &[json!("2027-05-01"), json!("2027-05-02")]),
        4 => set(random, whole, "currency", &[json!("EUR"), json!("USD"), Value::Null]),
        5 => {
            let images = [json!({"url": "https://a.example/1"}), json!({"url": "https://a.example/2"}), Value::Null];
            set(random, whole, "coverImage", &images);
        }
        6 => place(random, whole, "origin", true),
        _ => place(random, whole, "destination", false),
    }
}

fn place(random: &mut Random, object: &mut Value, name: &str, removable: bool) {
    if object.get(name).is_none() {
        object[name] = json!({"name": "P"});
        if random.chance(50) {
            object[name]["coordinate"] = coordinate(random.below(2));
        }
        return;
    }
    if removable && random.chance(15) {
        object.as_object_mut().expect("an object").remove(name);
        return;
    }
    let place = &mut object[name];
    match random.below(6) {
        0 => set(random, place, "name", &[json!("P"), json!("Q")]),
        1 => set(random, place, "coordinate", &[coordinate(0), coordinate(1)]),
        2 => set(random, place, "address", &[json!("Street 1"), Value::Null]),
        3 => set(random, place, "countryCode", &[json!("PT"), json!("ES"), Value::Null]),
        4 => set(random, place, "code", &[json!("LIS"), Value::Null]),
        _ => set(random, place, "placeId", &[json!("geonames:1"), Value::Null]),
    }
}

fn tags(random: &mut Random, whole: &mut Value) {
    let new = json!(format!("tag{}", random.below(34)));
    let tags = whole["tags"].as_array_mut().expect("tags");
    match random.below(4) {
        0 if !tags.is_empty() => drop(tags.remove(random.below(tags.len()))),
        1 => tags.reverse(),
        _ if !tags.contains(&new) && tags.len() < 30 => tags.insert(random.below(tags.len() + 1), new),
        _ => {}
    }
}

/// The days with stops, and a stop of one of them.
fn any_stop(random: &mut Random, whole: &Value) -> Option<(usize, usize)> {
    let days = whole["days"].as_array().expect("days");
    let stops = |d: usize| days[d]["stops"].as_array().expect("stops").len();
    let all: Vec<_> = (0..days.len()).flat_map(|d| (0..stops(d)).map(move |s| (d, s))).collect();
    if all.is_empty() { None } else { Some(all[random.index(all.len())]) }
}

fn edit_stop(random: &mut Random, whole: &mut Value, places: bool) {
    let Some((d, s)) = any_stop(random, whole) else { return };
    let stop = &mut whole["days"][d]["stops"][s];
    match random.below(if places { 8 } else { 6 }) {
        0 => set(random, stop, "name", &[json!("A"), json!("B"), json!("C")]),
        1 => set(random, stop, "category", &[json!("museum"), json!("park"), Value::Null]),
        2 => {
            set(random, stop, "startTime", &[json!("09:00"), json!("10:00"), Value::Null]);
            stop["startTimeSuggested"] = json!(random.chance(60));
        }
        3 => set(random, stop, "durationMinutes", &[json!(30), json!(60), Value::Null]),
        4 if stop.get("activity").is_none() || random.chance(15) => {
            set(random, stop, "activity", &[json!({"provider": "V"}), json!({"provider": "W"}), Value::Null]);
        }
        4 => match random.below(3) {
            0 => set(random, &mut stop["activity"], "productCode", &[json!("1"), json!("2"), Value::Null]),
            1 => set(random, &mut stop["activity"], "reviewCount", &[json!(1), json!(2), Value::Null]),
            _ => set(random, &mut stop["activity"], "provider", &[json!("V"), json!("W")]),
        },
        5 => set(random, stop, "phoneNumber", &[json!("1"), json!("2"), Value::Null]),
        _ => place(random, stop, "place", true),
    }
}

/// The number of a new item whose id the version does not have yet.
fn new_id(random: &mut Random, whole: &Value, letter: &str) -> Option<String> {
    let id = format!("{letter}-new{}", random.below(4));
    (!whole.to_string().contains(&format!("\"id\":\"{id}\""))).then_some(id)
}

fn insert_stop(random: &mut Random, whole: &mut Value, stop: Value) {
    let days = whole["days"].as_array_mut().expect("days");
    let d = random.below(days.len());
    let stops = days[d]["stops"].as_array_mut().expect("stops");
    stops.insert(random.below(stops.len() + 1), stop);
}

fn add_stop(random: &mut Random, whole: &mut Value) {
    if whole["days"].as_array().is_none_or(Vec::is_empty) {
        return;
    }
    if let Some(id) = new_id(random, whole, "s") {
        let stop = if random.chance(50) {
            json!({"id": id, "name": "New", "startTimeSuggested": false})
        } else {
            stop(random, &id)
        };
        insert_stop(random, whole, stop);
    }
}

fn take_stop(random: &mut Random, whole: &mut Value) -> Option<Value> {
    let (d, s) = any_stop(random, whole)?;
    Some(whole["days"][d]["stops"].as_array_mut().expect("stops").remove(s))
}

fn move_stop(random: &mut Random, whole: &mut Value) {
    if random.chance(50) {
        if let Some(stop) = take_stop(random, whole) {
            insert_stop(random, whole, stop);
        }
    } else if let Some((d, s)) = any_stop(random, whole) {
        let stops = whole["days"][d]["stops"].as_array_mut().expect("stops");
        let stop = stops.remove(s);
        stops.insert(random.below(stops.len() + 1), stop);
    }
}

/// Adds, changes or removes a leg of a day.
fn leg(random: &mut Random, whole: &mut Value) {
    let Some((d, s)) = any_stop(random, whole) else { return };
    let ids: Vec<_> =
        whole["days"][d]["stops"].as_array().expect("stops").iter().map(|stop| stop["id"].clone()).collect();
    let legs = whole["days"][d]["legs"].as_array_mut().expect("legs");
    match random.below(6) {
        0 if !legs.is_empty() => drop(legs.remove(random.below(legs.len()))),
        1 | 2 if !legs.is_empty() => {
            let n = random.below(legs.len());
            legs[n]["minutes"] = json!(random.pick(&[5.0, 6.0, 7.0]));
        }
        _ if s + 1 < ids.len() => {
            let mut leg =
                json!({"from": ids[s], "to": ids[s + 1], "mode": random.pick(&["walk", "bus"]), "minutes": 5.0});
            if random.chance(40) {
                leg["source"] = json!("estimate");
            }
            legs.push(leg);
        }
        _ => {}
    }
}

/// Shuffles a list, or replaces an item by another one with the same id, as a replacement of the whole list does.
fn reorder_or_replace(random: &mut Random, whole: &mut Value) {
    let list = random.pick(&["days", "flights", "hotels", "transports", "reservations", "expenses", "packing"]);
    let length = whole[list].as_array().expect("a list").len();
    if random.chance(50) {
        let items = whole[list].as_array_mut().expect("a list");
        for n in (1..items.len()).rev() {
            items.swap(n, random.below(n + 1));
        }
    } else if length > 0 && list != "days" {
        let n = random.below(length);
        let id = whole[list][n]["id"].as_str().expect("an id").to_owned();
        whole[list][n] = item(random, list, &id);
    }
}

fn list_edit(random: &mut Random, whole: &mut Value, list: &str, places: bool) {
    let length = whole[list].as_array().expect("a list").len();
    match random.below(8) {
        0 => {
            let letter = if list == "days" { "d" } else { &list[..2] };
            let Some(id) = new_id(random, whole, letter) else { return };
            let mut new = item(random, list, &id);
            if list == "days"
                && random.chance(60)
                && let Some(stop_id) = new_id(random, whole, "s")
            {
                new["stops"] = json!([stop(random, &stop_id)]);
            }
            whole[list].as_array_mut().expect("a list").insert(random.below(length + 1), new);
        }
        _ if length == 0 => {}
        1 | 2 => drop(whole[list].as_array_mut().expect("a list").remove(random.index(length))),
        3 => {
            let items = whole[list].as_array_mut().expect("a list");
            let item = items.remove(random.index(length));
            items.insert(random.below(length), item);
        }
        _ => {
            let targets = targets(whole);
            let n = random.index(length);
            edit_item(random, list, &mut whole[list][n], &targets, places);
        }
    }
}

fn edit_item(random: &mut Random, list: &str, item: &mut Value, targets: &[Value], places: bool) {
    let links: Vec<_> = targets.iter().cloned().chain([Value::Null]).collect();
    let choice = random.below(if places { 5 } else { 4 });
    match (list, choice) {
        ("days", 0..=2) if item.get("image").is_some() => {
            set(random, &mut item["image"], "source", &[json!("X"), json!("Y"), Value::Null]);
        }
        ("days", _) => set(random, item, "image", &[json!({"url": "https://a.example/d"}), Value::Null]),
        ("flights", 0) => set(random, item, "seatNumber", &[json!("1A"), json!("1B"), Value::Null]),
        ("flights" | "transports", 1) => set(
            random,
            item,
            "departureDate",
            &[json!("2027-05-01T08:00:00Z"), json!("2027-05-01T09:00:00Z"), Value::Null],
        ),
        ("flights", 2) => set(
            random,
            item,
            "arrivalDate",
            &[json!("2027-05-01T18:00:00Z"), json!("2027-05-01T19:00:00Z"), Value::Null],
        ),
        ("flights", 3) if item.get("flightAirline").is_some() && random.chance(80) => {
            let name = random.pick(&["code", "name"]);
            set(random, &mut item["flightAirline"], name, &[json!("TP"), json!("IB"), Value::Null]);
        }
        ("flights", 3) => set(random, item, "flightAirline", &[json!({"code": "IB"}), Value::Null]),
        ("flights", _) => {
            let end = random.pick(&["departureAirport", "arrivalAirport"]);
            place(random, item, end, true);
        }
        ("hotels", 0) => set(random, item, "name", &[json!("Inn"), json!("Hotel"), json!("Hostel")]),
        ("hotels", 1) => set(
            random,
            item,
            "checkInDate",
            &[json!("2027-05-01T15:00:00Z"), json!("2027-05-02T15:00:00Z"), Value::Null],
        ),
        ("hotels", 2) => set(
            random,
            item,
            "checkOutDate",
            &[json!("2027-05-05T10:00:00Z"), json!("2027-05-06T10:00:00Z"), Value::Null],
        ),
        ("hotels", 3) => set(random, item, "roomNumber", &[json!("1"), json!("2"), Value::Null]),
        ("hotels" | "reservations", 4..) => place(random, item, "place", true),
        ("transports", 0) => set(random, item, "mode", &[json!("train"), json!("bus"), Value::Null]),
        ("transports", 2) => {
            set(random, item, "departureDay", &[json!("2027-05-01"), json!("2027-05-02"), Value::Null]);
        }
        ("transports", 3) if item.get("operator").is_some() && random.chance(80) => {
            set(random, &mut item["operator"], "name", &[json!("CP"), json!("SNCF"), Value::Null]);
        }
        ("transports", 3) => {
            set(random, item, "tickets", &[json!([{"holder": "Ana"}]), json!([{"holder": "Ben"}]), Value::Null]);
        }
        ("transports", _) => {
            let end = random.pick(&["departurePlace", "arrivalPlace"]);
            place(random, item, end, true);
        }
        ("reservations", 0) => set(random, item, "partySize", &[json!(2), json!(3), Value::Null]),
        ("reservations", 1) => set(random, item, "startDay", &[json!("2027-05-01"), json!("2027-05-02"), Value::Null]),
        ("reservations", 2) => {
            set(
                random,
                item,
                "startDate",
                &[json!("2027-05-01T18:00:00Z"), json!("2027-05-01T19:00:00Z"), Value::Null],
            );
        }
        ("reservations", 3) => set(random, item, "category", &[json!("restaurant"), json!("other"), Value::Null]),
        ("expenses", 0) => set(random, &mut item["cost"], "amount", &[json!(5), json!(6), json!(7.5)]),
        ("expenses", 1) => set(random, &mut item["cost"], "currency", &[json!("EUR"), json!("USD")]),
        ("expenses", 2) => set(random, item, "category", &[json!("food"), json!("other"), Value::Null]),
        ("packing", 0) => set(random, item, "quantity", &[json!(1), json!(2), json!(3)]),
        ("packing", 1) => set(random, item, "isPacked", &[json!(true), json!(false)]),
        ("documents", 0) => set(random, item, "name", &[json!("Ticket"), json!("Pass")]),
        _ => set(random, item, "belongsTo", &links),
    }
}

/// The links to everything in an itinerary, and one to the itinerary itself.
pub(crate) fn targets(whole: &Value) -> Vec<Value> {
    let list = |kind: &'static str, items: &Value| {
        let items = items.as_array().cloned().unwrap_or_default();
        items.into_iter().map(move |item| json!({"kind": kind, "id": item["id"]})).collect::<Vec<_>>()
    };
    let days = whole["days"].as_array().expect("days");
    let stops = days.iter().flat_map(|day| list("stop", &day["stops"]));
    let all = list("day", &whole["days"]).into_iter().chain(stops).chain(list("flight", &whole["flights"]));
    let itinerary = json!({"kind": "itinerary", "id": crate::ITINERARY.to_string()});
    let travel = list("transport", &whole["transports"]).into_iter().chain(list("reservation", &whole["reservations"]));
    all.chain(list("hotel", &whole["hotels"])).chain(travel).chain([itinerary]).collect()
}

/// Removes legs that join no neighbours, and links to nothing, as every change does.
fn repair(whole: &mut Value) {
    for day in whole["days"].as_array_mut().expect("days") {
        let ids: Vec<_> = day["stops"].as_array().expect("stops").iter().map(|stop| stop["id"].clone()).collect();
        let legs = day["legs"].as_array_mut().expect("legs");
        legs.retain(|leg| ids.windows(2).any(|pair| pair == [leg["from"].clone(), leg["to"].clone()]));
    }
    let targets = targets(whole);
    for list in ["expenses", "packing", "documents"] {
        for item in whole[list].as_array_mut().expect("a list") {
            if item.get("belongsTo").is_some_and(|link| !targets.contains(link)) {
                item.as_object_mut().expect("an object").remove("belongsTo");
            }
        }
    }
}

/// The fields of `whole` with these names.
pub(crate) fn fragment(whole: &Value, names: &[&str]) -> Value {
    let fields = names.iter().filter_map(|name| Some(((*name).to_owned(), whole.get(*name)?.clone())));
    Value::Object(fields.collect::<Map<_, _>>())
}
