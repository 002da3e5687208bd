//! Names of schemas that generated clients cannot use as they are.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

/// Types that every file of a language can name, or that the usual generators put beside the schemas' types. A schema of
/// the same name hides the type, or is renamed.
const TAKEN: [(&str, &str); 10] = [
    (
        "Rust",
        "Arc Box Clone Copy Debug Default Display Drop Eq Err Error From Future Hash HashMap Into Iterator None Ok Option \
         Ord PartialEq PartialOrd Path Rc Result Self Send Some String Sync ToString Vec",
    ),
    (
        "TypeScript",
        "Any ApiError ApiResponse Array ArrayBuffer BigInt Blob Boolean Date Error ErrorContext Event Exclude Extract \
         FetchError File FormData Function Headers Iterator Map Math Number Object Omit Partial Pick Promise Proxy \
         Readonly Record Reflect RegExp Request RequestContext Required RequiredError Response ResponseContext \
         ResponseError Set String Symbol URL WeakMap WeakSet",
    ),
    (
        "Python",
        "Any ApiException ApiResponse Configuration Dict Enum Exception False File Generator Generic Iterable Iterator List Literal Mapping None Optional Path \
         Protocol Response Self Sequence Set True Tuple Type TypeVar Union Unset Warning",
    ),
    ("Go", "APIClient APIResponse Configuration Context Error GenericOpenAPIError Reader String Time Writer"),
    (
        "Java",
        "ApiCallback ApiClient ApiException ApiResponse Boolean Byte Character Class Comparable Configuration Double Enum \
         Error Exception File Float Integer Iterable Iterator JSON List Long Map Math Module Number Object Optional \
         Override Package Pair Path Process Record Runnable Runtime ServerConfiguration Set Short String System Thread \
         Throwable URI UUID Void",
    ),
    (
        "Kotlin",
        "Annotation Any ApiClient ApiResponse Array Boolean Byte Char CharSequence ClientError ClientException Collection \
         Comparable Double Enum Error Exception Float Function Int Iterable Iterator Lazy List Long Map Nothing Number \
         Pair ResponseType Result Sequence ServerError ServerException Set Short String Success Throwable Triple UInt \
         ULong Unit",
    ),
    (
        "C#",
        "Action ApiException ApiResponse Array Attribute Boolean Buffer Byte Char Configuration Console Convert DateTime DateTimeOffset Delegate \
         Dictionary Directory Double Encoding Enum Environment Event Exception File Func Guid Index Int32 Int64 Lazy List \
         Math Nullable Object Option Path Random Range Stream String Task Thread Timer Tuple Type Uri Version Void",
    ),
    (
        "PHP",
        "ApiException ArrayAccess ArrayIterator Closure Configuration DateInterval DateTime DateTimeInterface Error \
         Exception FormDataProcessor Generator HeaderSelector Iterator ModelInterface ObjectSerializer Stringable Throwable \
         Traversable",
    ),
    (
        "Ruby",
        "ApiClient ApiError ApiModelBase Array Class Comparable Configuration Date DateTime Dir Enumerable Exception File \
         Float Hash IO Integer JSON Kernel Logger Method Module Object Proc Process Random Range Rational Regexp Set \
         StandardError String Struct Symbol Tempfile Thread Time URI VERSION",
    ),
    (
        "Swift",
        "APIHelper Any Array Bool Character Data Date Dictionary Double DownloadException Encodable Error ErrorResponse \
         Int Never Optional RequestBuilder RequestTask Response Result Self Set String Type URL UUID ValidationError",
    ),
];

/// Says which names collide, and why.
fn collisions(document: &Value) -> BTreeSet<String> {
    let schemas = document["components"]["schemas"].as_object().expect("a document has schemas");
    let mut found = BTreeSet::new();
    // Generated files are named after schemas, and some file systems ignore case.
    let mut by_lower_case = BTreeMap::new();
    for (name, schema) in schemas {
        for (language, taken) in TAKEN {
            if taken.split_whitespace().any(|taken| taken == name) {
                found.insert(format!("{name} is taken in {language}"));
            }
        }
        if let Some(other) = by_lower_case.insert(name.to_lowercase(), name) {
            found.insert(format!("{name} differs from {other} by case only"));
        }
        for derived in derived_names(name, schema).into_iter().filter(|derived| schemas.contains_key(derived)) {
            found.insert(format!("{derived} is also what generators call a property of {name}"));
        }
    }
    found
}

/// What generators call the types of inline properties: by the names of the schema and the property.
fn derived_names(name: &str, schema: &Value) -> Vec<String> {
    let mut names = Vec::new();
    for (property, inline) in schema["properties"].as_object().into_iter().flatten() {
        if inline.get("$ref").is_some() || inline.get("allOf").is_some() {
            continue;
        }
        let name = format!("{name}{}", pascal(property));
        let items = inline.get("items").filter(|items| items.get("$ref").is_none());
        names.extend(items.into_iter().flat_map(|items| {
            let item = format!("{name}Item");
            let mut names = derived_names(&item, items);
            names.push(item);
            names
        }));
        names.extend(derived_names(&name, inline));
        names.push(name);
    }
    names
}

fn pascal(name: &str) -> String {
    let words = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(|word| word[..1].to_ascii_uppercase() + &word[1..]).collect()
}

fn found(schemas: &Value) -> Vec<String> {
    collisions(&json!({ "components": { "schemas": schemas } })).into_iter().collect()
}

#[test]
fn no_schema_has_a_name_that_collides() {
    assert_eq!(collisions(&super::document().expect("a document")), BTreeSet::new());
}

#[test]
fn names_of_languages_collide() {
    assert_eq!(found(&json!({ "Trip": {}, "Promise": {} })), ["Promise is taken in TypeScript"]);
    assert_eq!(found(&json!({ "Unit": {} })), ["Unit is taken in Kotlin"]);
}

#[test]
fn names_that_differ_by_case_collide() {
    assert_eq!(
        found(&json!({ "OAuthError": {}, "OauthError": {} })),
        ["OauthError differs from OAuthError by case only"]
    );
}

#[test]
fn names_that_generators_make_of_inline_properties_collide() {
    let trip = |property: Value| json!({ "properties": { "home_place": property } });
    let text = || json!({ "type": "string" });
    let place = || json!({ "$ref": "#/components/schemas/TripHomePlace" });
    let collides = ["TripHomePlace is also what generators call a property of Trip"];
    assert_eq!(found(&json!({ "Trip": trip(text()), "TripHomePlace": {} })), collides);
    assert_eq!(found(&json!({ "Trip": trip(text()), "HomePlace": {} })), Vec::<String>::new());
    for named in [place(), json!({ "nullable": true, "allOf": [place()] })] {
        assert_eq!(found(&json!({ "Trip": trip(named), "TripHomePlace": {} })), Vec::<String>::new());
    }
    let list = || json!({ "type": "array", "items": { "properties": { "name": text() } } });
    for derived in ["TripHomePlace", "TripHomePlaceItem", "TripHomePlaceItemName"] {
        let wanted = [format!("{derived} is also what generators call a property of Trip")];
        assert_eq!(found(&json!({ "Trip": trip(list()), derived: {} })), wanted);
    }
    let object = json!({ "properties": { "name": text() } });
    let wanted = ["TripHomePlaceName is also what generators call a property of Trip"];
    assert_eq!(found(&json!({ "Trip": trip(object), "TripHomePlaceName": {} })), wanted);
}
