//! The schemas of arguments and results of the tools, in JSON Schema 2020-12.
//!
//! Schemas of arguments are generated from the types that parse them. Every byte takes up a model's context, so limits
//! that are rarely reached are left to the parser, and the descriptions of the contract's types are replaced by
//! [`HINTS`]. Each schema is complete in itself.

use schemars::JsonSchema;
use schemars::r#gen::SchemaSettings;
use serde_json::{Map, Value, json};

/// Descriptions of fields of the contract's types. Other fields have only their name.
const HINTS: &[(&str, &str)] = &[
    ("currency", "ISO 4217"),
    ("expenses", "Pro only"),
    ("packing", "Pro only"),
    ("startDate", "YYYY-MM-DD"),
    ("startTime", "Local HH:MM"),
];

/// The types of bookings.
const BOOKINGS: [&str; 8] =
    ["Flight", "FlightPatch", "Hotel", "HotelPatch", "Transport", "TransportPatch", "Reservation", "ReservationPatch"];
/// Fields of bookings that models rarely need, and that are left out like the ids of places. The parser accepts them, so that
/// models can send a booking back as they read it.
pub(super) const LEFT_OUT: [&str; 12] = [
    "category",
    "tickets",
    "provider",
    "bookingUrl",
    "notes",
    "phoneNumber",
    "travelClass",
    "departurePlatform",
    "arrivalPlatform",
    "departureDay",
    "startDay",
    "endDay",
];

const DEFINITIONS: &str = "#/definitions/";
const DEFS: &str = "#/$defs/";

/// The schema of a tool's arguments: the fields of an `A` and of a `B`, and no others.
pub(super) fn arguments<A: JsonSchema, B: JsonSchema>() -> Value {
    let mut schema = json!({ "type": "object", "properties": {}, "required": [], "additionalProperties": false });
    let mut defs = Map::new();
    for (root, allows_null) in [(root::<A>(), is_patch(&A::schema_name())), (root::<B>(), is_patch(&B::schema_name()))]
    {
        let mut converter = Converter { definitions: &root["definitions"], defs: &mut defs };
        let fields = converter.convert(&root, Origin { is_own: true, allows_null, is_booking: false });
        merge(&mut schema["properties"], &fields["properties"]);
        let required = fields["required"].as_array().cloned().unwrap_or_default();
        schema["required"].as_array_mut().expect("an array").extend(required);
    }
    schema["$defs"] = Value::Object(defs);
    inline_single_uses(&mut schema);
    finish(&mut schema);
    for (name, empty) in [("$defs", json!({})), ("required", json!([]))] {
        if schema[name] == empty {
            schema.as_object_mut().expect("an object").remove(name);
        }
    }
    schema
}

/// The types of merge patches, in which null clears a field.
fn is_patch(name: &str) -> bool {
    name.ends_with("Patch")
}

fn root<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft07().with(|settings| {
        settings.option_nullable = true;
        settings.option_add_null_type = false;
    });
    let root = settings.into_generator().into_root_schema_for::<T>();
    serde_json::to_value(root).expect("a schema is plain data")
}

fn merge(into: &mut Value, fields: &Value) {
    let fields = fields.as_object().into_iter().flatten().map(|(name, schema)| (name.clone(), schema.clone()));
    into.as_object_mut().expect("an object").extend(fields);
}

/// Where a schema comes from.
#[derive(Clone, Copy)]
struct Origin {
    /// A type of the tools, whose descriptions are written for models.
    is_own: bool,
    /// Null has a meaning.
    allows_null: bool,
    /// A booking, of which some fields are left out.
    is_booking: bool,
}

/// Converts schemas of schemars to the keywords that the tools use.
struct Converter<'d> {
    definitions: &'d Value,
    /// The converted definitions of objects.
    defs: &'d mut Map<String, Value>,
}

impl Converter<'_> {
    fn convert(&mut self, schema: &Value, origin: Origin) -> Value {
        let target = [&schema["allOf"][0], &schema["oneOf"][0], schema].into_iter().find_map(|it| it["$ref"].as_str());
        let mut converted = match target.and_then(|target| target.strip_prefix(DEFINITIONS)) {
            Some(name) => self.reference(name),
            None => self.inline(schema, origin),
        };
        if origin.allows_null && is_nullable(schema) {
            converted["nullable"] = json!(true);
        }
        if let Some(description) = schema.get("description").filter(|_| origin.is_own) {
            converted["description"] = description.clone();
        }
        converted
    }

    /// A reference to an object, or a copy of any other definition.
    fn reference(&mut self, name: &str) -> Value {
        let definition = &self.definitions[name];
        let origin = Origin { is_own: false, allows_null: is_patch(name), is_booking: BOOKINGS.contains(&name) };
        if !definition["properties"].is_object() {
            return self.convert(definition, origin);
        }
        if !self.defs.contains_key(name) {
            // Also ends the recursion of a type that contains itself.
            self.defs.insert(name.to_owned(), Value::Null);
            let definition = self.convert(definition, origin);
            self.defs.insert(name.to_owned(), definition);
        }
        json!({ "$ref": format!("{DEFS}{name}") })
    }

    fn inline(&mut self, schema: &Value, origin: Origin) -> Value {
        let mut converted = Map::new();
        let minimum = origin.is_own.then_some(&"minimum");
        for keyword in ["type", "enum", "required"].iter().chain(minimum) {
            converted.extend(schema.get(*keyword).map(|value| ((*keyword).to_owned(), value.clone())));
        }
        if let Some(items) = schema.get("items") {
            converted.insert("items".to_owned(), self.convert(items, origin));
        }
        if let Some(variants) = schema["anyOf"].as_array() {
            let variants = variants.iter().map(|variant| self.convert(variant, origin)).collect();
            converted.insert("anyOf".to_owned(), variants);
        }
        if let Some(properties) = schema["properties"].as_object() {
            // The id of a patch can only be sent back unchanged.
            let properties = properties.iter().filter(|(name, _)| !(origin.allows_null && *name == "id"));
            let is_left_out = |name: &str| name == "placeId" || (origin.is_booking && LEFT_OUT.contains(&name));
            let properties = properties.filter(|(name, _)| !is_left_out(name));
            let properties = properties.map(|(name, schema)| {
                let mut converted = self.convert(schema, origin);
                if let (None, Some(hint)) = (converted.get("description"), hint(name)) {
                    converted["description"] = json!(hint);
                }
                (name.clone(), converted)
            });
            converted.insert("properties".to_owned(), properties.collect());
        }
        Value::Object(converted)
    }
}

fn hint(field: &str) -> Option<&'static str> {
    HINTS.iter().find(|(name, _)| *name == field).map(|(_, hint)| *hint)
}

fn is_nullable(schema: &Value) -> bool {
    schema["nullable"] == true || schema["oneOf"].as_array().is_some_and(|variants| variants.iter().any(is_nullable))
}

/// Calls a function for a schema and every schema within it.
fn walk(schema: &mut Value, visit: &mut impl FnMut(&mut Value)) {
    visit(schema);
    match schema {
        Value::Object(fields) => fields.values_mut().for_each(|schema| walk(schema, visit)),
        Value::Array(schemas) => schemas.iter_mut().for_each(|schema| walk(schema, visit)),
        _ => {}
    }
}

/// Moves the definitions that are used once to their use.
fn inline_single_uses(schema: &mut Value) {
    let names: Vec<_> = schema["$defs"].as_object().expect("an object").keys().cloned().collect();
    for name in names {
        let reference = json!(format!("{DEFS}{name}"));
        let mut uses = 0;
        walk(schema, &mut |schema| uses += u32::from(schema.get("$ref") == Some(&reference)));
        if uses == 1 {
            let definition = schema["$defs"].as_object_mut().and_then(|defs| defs.remove(&name)).expect("it is there");
            walk(schema, &mut |schema| {
                if schema.get("$ref") == Some(&reference) {
                    let fields = schema.as_object_mut().expect("it has a field");
                    fields.remove("$ref");
                    let definition = definition.as_object().expect("an object");
                    fields.extend(definition.iter().map(|(name, value)| (name.clone(), value.clone())));
                }
            });
        }
    }
}

/// Writes null as a type, and leaves nothing beside references.
fn finish(schema: &mut Value) {
    walk(schema, &mut |schema| {
        let Some(fields) = schema.as_object_mut() else { return };
        let is_nullable = fields.remove("nullable").is_some_and(|nullable| nullable == true);
        if fields.contains_key("$ref") {
            if is_nullable {
                let reference = json!({ "$ref": fields.remove("$ref") });
                *schema = json!({ "anyOf": [reference, { "type": "null" }] });
            } else {
                fields.retain(|name, _| name == "$ref");
            }
        } else if is_nullable {
            let kind = fields.get("type").cloned().unwrap_or_default();
            fields.insert("type".to_owned(), json!([kind, "null"]));
            if let Some(Value::Array(values)) = fields.get_mut("enum") {
                values.push(Value::Null);
            }
        }
    });
}

/// Whether a property of a converted schema takes null.
pub(super) fn takes_null(property: &Value) -> bool {
    let is_null = |kind: &Value| kind == "null";
    property["type"].as_array().is_some_and(|types| types.iter().any(is_null))
        || property["anyOf"].as_array().is_some_and(|variants| variants.iter().any(|it| is_null(&it["type"])))
}

fn result(properties: Value) -> Value {
    let mut schema = json!({ "type": "object" });
    schema["properties"] = properties;
    schema
}

/// An itinerary that was read. The result may contain more.
pub(super) fn read() -> Value {
    result(json!({ "itinerary": { "type": "object" }, "etag": { "type": "string" } }))
}

/// An itinerary that was written. `etag` is null if nothing was stored.
pub(super) fn written() -> Value {
    let etag = json!({ "type": ["string", "null"] });
    result(json!({ "itinerary": { "type": "object" }, "etag": etag }))
}

pub(super) fn deleted() -> Value {
    result(json!({ "deleted": { "type": "string" } }))
}

pub(super) fn page() -> Value {
    result(json!({ "data": { "type": "array" }, "nextCursor": { "type": ["string", "null"] } }))
}

pub(super) fn suggestions() -> Value {
    result(json!({ "data": { "type": "array" } }))
}
