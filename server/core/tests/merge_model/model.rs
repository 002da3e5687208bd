//! A second implementation of the merge, from its rules, on JSON: slow and simple.

use serde_json::{Map, Value, json};

use crate::order::{Orders, Sublists, ids, is_torn, merged_order, place_of, position};

/// The outcome of the model.
#[derive(Debug)]
pub(crate) enum Outcome {
    Merged(Value),
    /// All conflicts.
    Conflicts(Vec<Value>),
    /// The field that would be too long.
    Invalid(String),
}

/// Which fragments the caller sees.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shown {
    pub(crate) members: bool,
    pub(crate) pro: bool,
}

const FILLED: [&str; 6] = ["coordinate", "address", "placeId", "countryCode", "timeZone", "name"];
const PLACES: [&str; 7] =
    ["origin", "destination", "place", "departureAirport", "arrivalAirport", "departurePlace", "arrivalPlace"];
const NESTED: [&str; 4] = ["flightAirline", "operator", "activity", "image"];

/// The fields of each kind of object; fields in one group are one value.
fn groups(kind: &str) -> Vec<Vec<&'static str>> {
    let text = match kind {
        "scalars" => "title summary startDate travellers currency coverImage destination",
        "origin" => "origin",
        "days" => "image",
        "stops" => "name category place startTime+startTimeSuggested+durationMinutes phoneNumber activity",
        "flights" => {
            "flightAirline flightNumber departureAirport arrivalAirport departureDate+arrivalDate cabinClass seatNumber \
             gateNumber departureTerminal arrivalTerminal phoneNumber"
        }
        "hotels" => "name place checkInDate+checkOutDate roomNumber phoneNumber",
        "transports" => {
            "mode operator number departurePlace arrivalPlace departureDate+arrivalDate+departureDay travelClass tickets"
        }
        "reservations" => "name category place startDate+endDate+startDay+endDay partySize",
        "expenses" => "name cost category date belongsTo",
        "packing" => "name category quantity isPacked belongsTo",
        "activity" => "provider productCode rating reviewCount bookingUrl lastCheckedAt",
        "flightAirline" | "operator" => "code name",
        "image" => "url source",
        other => panic!("no kind {other}"),
    };
    text.split(' ').map(|group| group.split('+').collect()).collect()
}

fn at<'a>(object: &'a Value, name: &str) -> &'a Value {
    object.get(name).unwrap_or(&Value::Null)
}

/// A stop without its suggested time; anything else as it is.
fn compared(object: &Value) -> Value {
    let mut object = object.clone();
    if object.get("startTimeSuggested") == Some(&json!(true)) {
        object["startTimeSuggested"] = json!(false);
        object.as_object_mut().expect("a stop").remove("startTime");
    }
    object
}

/// Whether the current place is the base's, filled in by the server.
fn is_filled(base: &Value, current: &Value) -> bool {
    let (Value::Object(_) | Value::Null, Value::Object(now)) = (base, current) else { return false };
    let was: Map<_, _> = base.as_object().cloned().unwrap_or_default();
    let keeps = was.keys().all(|name| now.get(name) == was.get(name));
    keeps && now.keys().all(|name| was.contains_key(name) || FILLED.contains(&name.as_str()))
}

/// Whether a side changed one of the fields, of compared objects.
fn changes(before: &Value, after: &Value, group: &[&str], is_current: bool) -> bool {
    group.iter().any(|name| {
        let (was, is) = (at(before, name), at(after, name));
        was != is && !(is_current && PLACES.contains(name) && is_filled(was, is))
    })
}

fn is_edited(kind: &str, base: &Value, side: &Value, is_current: bool) -> bool {
    let (base, side) = (compared(base), compared(side));
    groups(kind).iter().any(|group| changes(&base, &side, group, is_current))
}

struct Model {
    /// The versions without links to what a side removed.
    versions: [Value; 3],
    originals: [Value; 3],
    conflicts: Vec<Value>,
}

/// Merges three whole itineraries.
pub(crate) fn merge(base: &Value, current: &Value, yours: &Value, shown: Shown) -> Outcome {
    let originals = [base.clone(), current.clone(), yours.clone()];
    let mut model = Model { versions: originals.clone(), originals, conflicts: Vec::new() };
    model.forget_links();
    let mut merged = current.clone();
    model.fields("scalars", "", &mut merged);
    if shown.members {
        model.fields("origin", "", &mut merged);
    }
    merged["tags"] = model.tags();
    merged["days"] = model.days();
    let members = ["flights", "hotels", "transports", "reservations"].map(|list| (list, shown.members));
    let pro = ["expenses", "packing"].map(|list| (list, shown.pro));
    let lists: Vec<_> = members.into_iter().chain(pro).collect();
    for (list, _) in lists.iter().filter(|(_, is_shown)| *is_shown) {
        merged[*list] = model.list(list);
    }
    if model.conflicts.is_empty() {
        model.links([base, current, yours], &mut merged, shown);
    }
    if !model.conflicts.is_empty() {
        return Outcome::Conflicts(model.conflicts);
    }
    if merged["tags"].as_array().expect("tags").len() > 30 {
        return Outcome::Invalid("tags".to_owned());
    }
    Outcome::Merged(merged)
}

fn find<'a>(list: &'a Value, id: &str) -> Option<&'a Value> {
    list.as_array().expect("a list").iter().find(|item| item["id"] == *id)
}

fn find_stop<'a>(whole: &'a Value, id: &str) -> Option<&'a Value> {
    whole["days"].as_array().expect("days").iter().find_map(|day| find(&day["stops"], id))
}

impl Model {
    fn conflict(&mut self, path: &str, [base, current, yours]: [Value; 3]) {
        self.conflicts.push(json!({"path": path, "base": base, "current": current, "yours": yours}));
    }

    /// Removes the links of the base to what a side removed, and the same links of the same items on both sides.
    fn forget_links(&mut self) {
        let targets = [1, 2].map(|n| crate::random::targets(&self.versions[n]));
        for list in ["expenses", "packing"] {
            for id in ids(&self.versions[0][list]) {
                let link = at(find(&self.versions[0][list], &id).expect("an item"), "belongsTo").clone();
                if link.is_null() || targets.iter().all(|targets| targets.contains(&link)) {
                    continue;
                }
                for version in &mut self.versions {
                    let items = version[list].as_array_mut().expect("a list");
                    for item in items.iter_mut().filter(|item| item["id"] == *id && *at(item, "belongsTo") == link) {
                        item.as_object_mut().expect("an object").remove("belongsTo");
                    }
                }
            }
        }
    }

    fn fields(&mut self, kind: &str, path: &str, merged: &mut Value) {
        let versions = std::mem::take(&mut self.versions);
        let scalars = |version: &Value| {
            let fields = version.as_object().expect("an object").iter().filter(|(_, value)| !value.is_array());
            Value::Object(fields.map(|(name, value)| (name.clone(), value.clone())).collect())
        };
        self.merge_fields(kind, path, &versions.each_ref().map(scalars), merged);
        self.versions = versions;
    }

    /// Merges the fields of an object into the current version of it.
    fn merge_fields(&mut self, kind: &str, path: &str, versions: &[Value; 3], merged: &mut Value) {
        let [base, current, yours] = &versions.each_ref().map(compared);
        let join = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        for group in groups(kind) {
            let objects = [base, current, yours].map(|version| at(version, group[0]).clone());
            if NESTED.contains(&group[0]) && objects.iter().all(Value::is_object) {
                self.merge_fields(group[0], &join(group[0]), &objects, &mut merged[group[0]]);
                continue;
            }
            if !changes(base, yours, &group, false) || !changes(current, yours, &group, false) {
                continue;
            }
            if changes(base, current, &group, true) {
                for name in &group {
                    let values = [base, current, yours].map(|version| at(version, name).clone());
                    if values[0] != values[1] || values[0] != values[2] {
                        self.conflict(&join(name), values);
                    }
                }
                continue;
            }
            let fields = merged.as_object_mut().expect("an object");
            for name in group {
                match versions[2].get(name) {
                    Some(value) => fields.insert(name.to_owned(), value.clone()),
                    None => fields.remove(name),
                };
            }
        }
    }

    fn tags(&self) -> Value {
        let [base, current, yours] = self.versions.each_ref().map(|version| version["tags"].as_array().expect("tags"));
        if base == current {
            return json!(yours);
        }
        if base == yours {
            return json!(current);
        }
        let mut tags = current.clone();
        tags.retain(|tag| !base.contains(tag) || yours.contains(tag));
        let added = yours.iter().filter(|tag| !base.contains(tag) && !current.contains(tag));
        tags.extend(added.cloned().collect::<Vec<_>>());
        json!(tags)
    }

    fn list(&mut self, list: &str) -> Value {
        let lists = self.versions.each_ref().map(|version| version[list].clone());
        let orders = Orders::new(lists.each_ref().map(|list| vec![(String::new(), ids(list))]));
        let mut merged = Vec::new();
        for id in lists[1..].iter().flat_map(ids).collect::<std::collections::BTreeSet<_>>() {
            let versions = lists.each_ref().map(|list| find(list, &id).cloned());
            let path = format!("{list}[id={id}]");
            self.moves(&path, &orders, &id);
            merged.extend(self.item(list, &path, &versions, false));
        }
        let merged = json!(merged);
        let order = merged_order(&orders, "", &|id| find(&merged, id).is_some());
        order.iter().map(|id| find(&merged, id).expect("it remains").clone()).collect()
    }

    fn moves(&mut self, path: &str, orders: &Orders, id: &str) {
        if is_torn(orders, id) {
            self.conflict(path, orders.versions.each_ref().map(|order| position(order, id)));
        }
    }

    /// Merges an item; `None` if it is gone.
    fn item(&mut self, kind: &str, path: &str, versions: &[Option<Value>; 3], differs: bool) -> Option<Value> {
        let values = versions.clone().map(Option::unwrap_or_default);
        let [base, current, yours] = versions;
        let is_conflict = match (base, current, yours) {
            (Some(_), Some(current), Some(_)) => {
                let mut merged = current.clone();
                self.merge_fields(kind, path, &values, &mut merged);
                return Some(merged);
            }
            (Some(base), Some(kept), None) => differs || is_edited(kind, base, kept, true),
            (Some(base), None, Some(kept)) => differs || is_edited(kind, base, kept, false),
            (None, Some(current), Some(yours)) => differs || is_edited(kind, current, yours, false),
            _ => false,
        };
        if is_conflict && let (Some(id), true) = (values.iter().find_map(|item| item.get("id")), kind != "stops") {
            let id = id.as_str().expect("an id");
            let originals = self.originals.each_ref().map(|whole| find(&whole[kind], id).cloned().unwrap_or_default());
            self.conflict(path, originals);
        } else if is_conflict {
            self.conflict(path, values);
        }
        if base.is_some() { None } else { current.clone().or(yours.clone()) }
    }

    fn days(&mut self) -> Value {
        let lists = self.versions.each_ref().map(|version| version["days"].clone());
        let orders = Orders::new(lists.each_ref().map(|list| vec![(String::new(), ids(list))]));
        let stop_orders = Orders::new(lists.each_ref().map(|days| {
            let days = days.as_array().expect("days");
            let sublist = |day: &Value| (day["id"].as_str().expect("an id").to_owned(), ids(&day["stops"]));
            days.iter().map(sublist).collect::<Sublists>()
        }));
        let mut days = Vec::new();
        let mut clashes = Vec::new();
        for id in lists[1..].iter().flat_map(ids).collect::<std::collections::BTreeSet<_>>() {
            let versions = lists.each_ref().map(|list| find(list, &id).cloned());
            let path = format!("days[id={id}]");
            self.moves(&path, &orders, &id);
            let differs = match &versions {
                [Some(base), Some(day), None] | [Some(base), None, Some(day)] => {
                    let was = sent(base);
                    sent(day).iter().any(|leg| !was.contains(leg))
                }
                [None, Some(current), Some(yours)] => !is_same_day(current, yours),
                _ => false,
            };
            if differs && versions[0].is_none() {
                clashes.push(id.clone());
            }
            let Some(mut day) = self.item("days", &path, &versions, differs) else { continue };
            if versions[1].is_some() && versions[2].is_some() && !differs {
                day["legs"] = self.legs(&path, &versions);
            }
            days.push(day);
        }
        let stops = self.stops(&orders, &stop_orders, &clashes);
        if !self.conflicts.is_empty() {
            return json!([]);
        }
        let days = json!(days);
        let order = merged_order(&orders, "", &|id| find(&days, id).is_some());
        order.iter().map(|id| self.day(find(&days, id).expect("it remains"), &stop_orders, &stops)).collect()
    }

    /// The merged stops.
    fn stops(&mut self, days: &Orders, orders: &Orders, clashes: &[String]) -> Value {
        let mut all: Vec<_> = orders.versions[1..].iter().flatten().flat_map(|(_, ids)| ids.clone()).collect();
        all.sort();
        all.dedup();
        let mut merged = Vec::new();
        for id in all {
            let [was, now, mine] =
                orders.versions.each_ref().map(|order| place_of(order, &id).map(|(day, _)| day.to_owned()));
            let versions = self.versions.each_ref().map(|version| find_stop(version, &id).cloned());
            let path = format!("days[id={}].stops[id={id}]", now.clone().or(mine.clone()).expect("a day"));
            if [&now, &mine].into_iter().flatten().any(|day| clashes.contains(day)) {
                continue;
            }
            let is_removed = |day: &String, by: usize| {
                place_of(&days.versions[0], day).is_some() && place_of(&days.versions[by], day).is_none()
            };
            // Added or moved to a day that the other side removed.
            let enters = |day: &Option<String>, by| day != &was && day.as_ref().is_some_and(|day| is_removed(day, by));
            if enters(&now, 2) || enters(&mine, 1) {
                let positions = orders.versions.each_ref().map(|order| position(order, &id));
                let is_everywhere = versions.iter().all(Option::is_some);
                let items = versions.map(Option::unwrap_or_default);
                self.conflict(&path, if is_everywhere { positions } else { items });
                continue;
            }
            // Added by both to different days.
            if was.is_none() && now.is_some() && mine.is_some() && now != mine {
                self.conflict(&path, versions.map(Option::unwrap_or_default));
                continue;
            }
            // Moved out of a day that the other side removed with it.
            let leaves = |day: &Option<String>| day.is_some() && day != &was;
            let went_with_day = |by: usize| was.as_ref().is_some_and(|day| is_removed(day, by));
            if mine.is_none() && leaves(&now) && went_with_day(2) {
                merged.extend(versions[1].clone());
            } else if now.is_none() && leaves(&mine) && went_with_day(1) {
                merged.extend(versions[2].clone());
            } else {
                self.moves(&path, orders, &id);
                merged.extend(self.item("stops", &path, &versions, false));
            }
        }
        json!(merged)
    }

    /// A merged day with its stops in order, and its legs that still fit.
    fn day(&self, day: &Value, orders: &Orders, stops: &Value) -> Value {
        let mut day = day.clone();
        let id = day["id"].as_str().expect("an id").to_owned();
        let order = merged_order(orders, &id, &|id| find(stops, id).is_some());
        day["stops"] = order.iter().map(|id| find(stops, id).expect("it remains").clone()).collect();
        let source = if find(&self.versions[1]["days"], &id).is_some() { 1 } else { 2 };
        let coordinate = |stop: Option<&Value>| stop.map(|stop| at(at(stop, "place"), "coordinate").clone());
        let is_still_there = |id: &Value| {
            let id = id.as_str().expect("an id");
            coordinate(find_stop(&self.versions[source], id)) == coordinate(find(&day["stops"], id))
        };
        let legs = day["legs"].as_array().expect("legs").iter();
        let fits = |leg: &&Value| {
            let joins = order.windows(2).any(|pair| leg["from"] == pair[0] && leg["to"] == pair[1]);
            joins && (!is_computed(leg) || (is_still_there(&leg["from"]) && is_still_there(&leg["to"])))
        };
        day["legs"] = legs.filter(fits).cloned().collect();
        day
    }

    /// The current legs with the changes of those that you sent.
    fn legs(&mut self, path: &str, versions: &[Option<Value>; 3]) -> Value {
        let sets = versions.each_ref().map(|day| day.as_ref().map(sent).unwrap_or_default());
        let mut keys: Vec<_> = sets.iter().flatten().map(|(key, _)| key.clone()).collect();
        keys.sort();
        keys.dedup();
        let current = versions[1].as_ref().expect("a day")["legs"].as_array().expect("legs");
        let mut legs: Vec<_> = current.iter().filter(|leg| is_computed(leg)).cloned().collect();
        for key in keys {
            let [base, current, yours] =
                sets.each_ref().map(|set| set.iter().find(|(other, _)| *other == key).map(|(_, leg)| leg.clone()));
            let chosen = if yours == base || yours == current {
                current
            } else if current == base {
                if let (None, Some(leg)) = (&current, &yours) {
                    legs.retain(|other| {
                        !is_computed(other) || other["from"] != leg["from"] || other["to"] != leg["to"]
                    });
                }
                yours
            } else {
                let values = [base, current, yours].map(Option::unwrap_or_default);
                self.conflict(&format!("{path}.legs[{}]", key.0), values);
                None
            };
            legs.extend(chosen);
        }
        json!(legs)
    }

    /// Clears links to nothing; one that you set is a conflict.
    fn links(&mut self, versions: [&Value; 3], merged: &mut Value, shown: Shown) {
        let targets = crate::random::targets(merged);
        for list in ["expenses", "packing", "documents"] {
            for item in merged[list].as_array_mut().expect("a list") {
                let link = at(item, "belongsTo").clone();
                if link.is_null() || targets.contains(&link) {
                    continue;
                }
                let id = item["id"].as_str().expect("an id");
                let links = versions
                    .map(|version| find(&version[list], id).map_or(Value::Null, |item| at(item, "belongsTo").clone()));
                if list != "documents" && shown.pro && links[2] == link && links[0] != link {
                    self.conflict(&format!("{list}[id={id}].belongsTo"), links);
                }
                item.as_object_mut().expect("an object").remove("belongsTo");
            }
        }
    }
}

fn is_computed(leg: &Value) -> bool {
    ["estimate", "osrm", "valhalla"].iter().any(|source| at(leg, "source") == *source)
}

/// The sent legs of a day. Legs of the same stops and mode are numbered.
fn sent(day: &Value) -> Vec<((String, usize), Value)> {
    let mut sent: Vec<((String, usize), Value)> = Vec::new();
    for leg in day["legs"].as_array().expect("legs").iter().filter(|leg| !is_computed(leg)) {
        let text = |name: &str| leg[name].as_str().expect("text").to_owned();
        let key = format!("from={},to={},mode={}", text("from"), text("to"), text("mode"));
        let number = sent.iter().filter(|((other, _), _)| *other == key).count();
        sent.push(((key, number), leg.clone()));
    }
    sent
}

fn is_same_day(one: &Value, other: &Value) -> bool {
    let strip = |day: &Value| {
        let mut legs = sent(day);
        legs.sort_by(|one, other| one.0.cmp(&other.0));
        let stops: Vec<_> = day["stops"].as_array().expect("stops").iter().map(compared).collect();
        (at(day, "image").clone(), stops, legs)
    };
    strip(one) == strip(other)
}
