use proptest::prelude::*;
use serde_json::{Map, Value};

use super::literal::{JSON, PYTHON, TYPESCRIPT, text};
use super::*;

/// What a POSIX shell reads from text in single quotes.
fn unquoted(quoted: &str) -> String {
    let mut text = String::new();
    let mut is_inside = false;
    let mut letters = quoted.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\'' => is_inside = !is_inside,
            '\\' if !is_inside => text.extend(letters.next()),
            letter => {
                assert!(is_inside, "{letter} is not quoted in {quoted}");
                text.push(letter);
            }
        }
    }
    assert!(!is_inside, "a quote is open in {quoted}");
    text
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        r#"['"\\${}`%\n -~é]{0,90}"#.prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((any::<String>(), inner), 0..5)
                .prop_map(|fields| Value::from(fields.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

proptest! {
    #[test]
    fn the_shell_reads_the_body_that_was_written(value in values()) {
        let body = unquoted(&curl::quoted(&JSON.literal(&value, 2)));
        prop_assert_eq!(serde_json::from_str::<Value>(&body).expect("JSON"), value);
    }

    // A string of JSON has the same meaning in both languages. U+2028 is allowed in strings since ECMAScript 2019.
    #[test]
    fn strings_have_no_escapes_that_other_languages_lack(content in any::<String>()) {
        let quoted = text(&content);
        let mut escapes = quoted[1..quoted.len() - 1].chars();
        while let Some(letter) = escapes.next() {
            prop_assert!(letter >= ' ' && letter != '"');
            if letter == '\\' {
                prop_assert!(escapes.next().is_some_and(|it| "\"\\nrtbfu".contains(it)), "{}", quoted);
            }
        }
        prop_assert_eq!(serde_json::from_str::<String>(&quoted).expect("a string"), content);
    }

    #[test]
    fn rust_reads_the_strings_that_were_written(content in any::<String>()) {
        let literal: syn::LitStr = syn::parse_str(&format!("{content:?}")).expect("a literal");
        prop_assert_eq!(literal.value(), content);
    }
}

#[test]
fn literals_follow_the_language() {
    let value = json!({ "a": null, "b-c": [true, false], "text": "it's \"so\"" });
    assert_eq!(PYTHON.literal(&value, 0), r#"{"a": None, "b-c": [True, False], "text": "it's \"so\""}"#);
    assert_eq!(TYPESCRIPT.literal(&value, 0), r#"{ a: null, "b-c": [true, false], text: "it's \"so\"" }"#);
    let long = json!({ "names": ["a".repeat(40), "b".repeat(40)], "n": 1 });
    let expected = format!(
        "{{\n      n: 1,\n      names: [\n        \"{}\",\n        \"{}\",\n      ],\n    }}",
        "a".repeat(40),
        "b".repeat(40)
    );
    assert_eq!(TYPESCRIPT.literal(&long, 4), expected);
}

#[test]
fn every_operation_has_four_samples_with_its_request() {
    let document = super::super::document().expect("a document");
    let mut count = 0;
    for (method, path) in operations(&document) {
        let operation = &document["paths"][path][method];
        let id = operation["operationId"].as_str().expect("an id");
        let Some(samples) = operation[FIELD].as_array() else {
            assert_eq!(id, "oauth_authorise", "only a page has no samples");
            continue;
        };
        count += 1;
        let labels: Vec<&str> = samples.iter().filter_map(|sample| sample["label"].as_str()).collect();
        assert_eq!(labels, ["curl", "Rust", "TypeScript", "Python"], "{id}");
        let source = |index: usize| samples[index]["source"].as_str().expect("a source");
        let body = &operation["requestBody"]["content"]["application/json"]["example"];
        if let Some((_, rest)) = source(0).split_once(" -d ") {
            let sent: Value = serde_json::from_str(&unquoted(rest)).expect("JSON");
            assert_eq!(sent, *body, "{id} sends the recorded example");
        } else {
            assert!(body.is_null(), "{id} sends its body");
        }
        assert!(source(2).contains(&format!("api.{}(\"{path}\"", method.to_uppercase())), "{id}");
        assert!(source(3).contains(&format!("httpx.{method}(")), "{id}");
        assert!(id == "mcp" || source(1).contains(&format!(".{id}(")), "{id}");
        assert!(samples.iter().all(|it| it["source"].as_str().is_some_and(|it| it.len() < 1_600)), "{id} is short");
    }
    assert!(count > 70, "{count} operations");
}
