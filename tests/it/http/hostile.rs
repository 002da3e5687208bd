//! Malicious bodies (F-06): each is rejected for what it is, and none harms the server.

use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::json;

use super::{create_at, lisbon};

/// This many members with distinct short names.
fn members(count: usize) -> String {
    let members: Vec<String> = (0..count).map(|n| format!("\"{n:x}\":0")).collect();
    members.join(",")
}

/// A valid body with this text as the value of its title.
fn titled(value: &str) -> Vec<u8> {
    let good = lisbon().to_string();
    format!("{},\"title\":{value}}}", good.strip_suffix('}').expect("an object")).into_bytes()
}

/// A valid body with this latitude.
fn at_latitude(value: &str) -> Vec<u8> {
    lisbon().to_string().replace("38.7223", value).into_bytes()
}

/// Invalid bodies, and the field that the error names.
fn bad_bodies() -> Vec<(&'static str, Vec<u8>, Option<&'static str>)> {
    let byte_order_mark = [b"\xef\xbb\xbf".to_vec(), lisbon().to_string().into_bytes()].concat();
    let utf16: Vec<u8> = lisbon().to_string().encode_utf16().flat_map(u16::to_le_bytes).collect();
    vec![
        ("nothing", Vec::new(), None),
        ("blanks", b" \n\t ".to_vec(), None),
        ("a brace", b"{".to_vec(), None),
        ("no object", b"[]".to_vec(), None),
        ("null", b"null".to_vec(), None),
        ("a number", b"1".to_vec(), None),
        ("two values", [lisbon().to_string(), lisbon().to_string()].concat().into_bytes(), None),
        ("a comment", b"{/* */}".to_vec(), None),
        ("a byte order mark", byte_order_mark, None),
        ("UTF-16", utf16, None),
        ("zeros", vec![0; 1000], None),
        (
            "invalid UTF-8 in text",
            titled("\"\u{1}\"").iter().map(|byte| if *byte == 1 { 0xff } else { *byte }).collect(),
            None,
        ),
        ("an overlong NUL", [b"{\"title\":\"".as_slice(), b"\xc0\x80", b"\"}"].concat(), None),
        ("a lone high surrogate", titled("\"\\ud800\""), None),
        ("a lone low surrogate", titled("\"\\udc00x\""), None),
        ("an escaped NUL", titled("\"a\\u0000b\""), Some("title")),
        ("a control character", titled("\"a\u{7}b\""), None),
        ("a title twice", titled("\"a\",\"title\":\"b\""), Some("title")),
        ("an unknown field", titled("\"a\",\"__proto__\":{}"), Some("__proto__")),
        ("many unknown fields", format!("{{{}}}", members(40_000)).into_bytes(), Some("0")),
        ("nested deeply", format!("{}{}", "[".repeat(100_000), "]".repeat(100_000)).into_bytes(), None),
        ("nested deeply in a field", titled(&("[".repeat(100_000) + &"]".repeat(100_000))), Some("title")),
        ("nested deeply where it is ignored", ignored(&("{\"a\":".repeat(50_000) + "1" + &"}".repeat(50_000))), None),
        ("never closed", "{\"a\":".repeat(50_000).into_bytes(), Some("a")),
        ("not a number", at_latitude("NaN"), None),
        ("infinity", at_latitude("-Infinity"), None),
        ("a huge exponent", at_latitude("1e400"), None),
        ("a huger exponent", at_latitude("1e99999999999999999999"), None),
        ("too large a number", at_latitude("1e300"), Some("destination.coordinate.latitude")),
        ("many digits", at_latitude(&"9".repeat(100_000)), None),
        ("a hexadecimal number", at_latitude("0x10"), None),
        ("a number with a plus", at_latitude("+1"), None),
        ("a number as text", at_latitude("\"38.7\""), Some("destination.coordinate.latitude")),
        ("a truth value", at_latitude("true"), Some("destination.coordinate.latitude")),
    ]
}

/// A body with a value in a field that is ignored.
fn ignored(value: &str) -> Vec<u8> {
    let good = lisbon().to_string();
    format!("{},\"author\":{value}}}", good.strip_suffix('}').expect("an object")).into_bytes()
}

#[api_test(limits = false)]
async fn a_hostile_itinerary_is_refused(world: World) {
    world.account("ana").await;
    let token = world.token("ana", "itineraries:read itineraries:write").await;
    let at = create_at(&world, &token).await;
    for (what, body, field) in bad_bodies() {
        for (method, path) in [(Method::POST, "/v1/itineraries"), (Method::PATCH, &*at)] {
            let call = world.call(method, path).token(&token).header("If-Match", "*");
            // A key makes the body pass through the fingerprint, too.
            let call = call.header("Idempotency-Key", "01890000-0000-7000-8000-00000000000d");
            let response = call.body("application/json", body.clone()).send().await;
            assert_eq!(response.status, 422, "{what}: {}", response.text());
            let details = response.expect_error(422, "validationFailed");
            if let Some(field) = field {
                assert_eq!(details["field"], field, "{what}");
            }
            assert!(response.body.len() < 2_000, "{what}: the refusal repeats what was sent");
        }
    }
    assert_eq!(world.call(Method::GET, "/healthz").send().await.status, 200);
    let list = world.call(Method::GET, "/v1/itineraries").token(&token).send().await;
    assert_eq!(list.json()["data"].as_array().map(Vec::len), Some(1), "nothing was made");
}

// Strange but valid JSON is accepted.
#[api_test(limits = false)]
async fn an_odd_itinerary_is_taken(world: World) {
    world.account("ana").await;
    let token = world.token("ana", "itineraries:read itineraries:write").await;
    let ignored_members = ignored(&format!("{{{}}}", members(30_000)));
    for (what, body) in [
        ("many members where they are ignored", ignored_members),
        ("the same member twice where it is ignored", ignored("{\"a\":1,\"a\":2}")),
        ("a pair of surrogates", titled("\"\\ud83d\\ude00\"")),
        ("a number with an exponent", at_latitude("3.87223e1")),
        ("many digits behind the point", at_latitude(&format!("38.{}", "7".repeat(10_000)))),
        ("blanks around everything", lisbon().to_string().replace(':', " \r\n\t: ").into_bytes()),
    ] {
        let call = world.call(Method::POST, "/v1/itineraries?dryRun=true").token(&token);
        let call = call.header("Idempotency-Key", "01890000-0000-7000-8000-00000000000e");
        let response = call.body("application/json", body).send().await;
        assert_eq!(response.status, 200, "{what}: {}", response.text());
    }
}

// A body over the size limit is rejected without parsing its members.
#[api_test]
async fn too_many_members_are_too_large(world: World) {
    world.account("ana").await;
    let token = world.token("ana", "itineraries:read itineraries:write").await;
    let body = format!("{{{}}}", members(100_000));
    let response =
        world.call(Method::POST, "/v1/itineraries").token(&token).body("application/json", body).send().await;
    response.expect_error(413, "itineraryTooLarge");
}

#[api_test(limits = false)]
async fn hostile_sign_in_requests_are_refused(world: World) {
    for (what, body, _) in bad_bodies() {
        for (path, content_type) in [
            ("/oauth/register", "application/json"),
            ("/oauth/token", "application/x-www-form-urlencoded"),
            ("/oauth/revoke", "application/x-www-form-urlencoded"),
        ] {
            let too_large = body.len() > 65_536;
            let response = world.call(Method::POST, path).body(content_type, body.clone()).send().await;
            let status = response.status.as_u16();
            assert!(if too_large { status == 413 } else { [400, 401].contains(&status) }, "{what} {path}: {status}");
            let error = response.json();
            assert!(error["error"].is_string() && error["error_description"].is_string(), "{what} {path}: {error}");
            let description = error["error_description"].as_str().expect("text");
            assert!(description.chars().all(|c| matches!(c, ' '..='~') && c != '"' && c != '\\'), "{description}");
        }
    }
    let deep = format!("{{\"redirect_uris\":{}{}}}", "[".repeat(30_000), "]".repeat(30_000));
    let response = world.call(Method::POST, "/oauth/register").body("application/json", deep).send().await;
    assert_eq!(response.status, 400);
    let good = json!({ "redirect_uris": ["https://app.example/back"] });
    assert_eq!(world.call(Method::POST, "/oauth/register").json(&good).send().await.status, 201);
}

// Invalid header values and parameters are rejected by name.
#[api_test(limits = false)]
async fn hostile_headers_and_parameters_are_refused(world: World) {
    world.account("ana").await;
    let token = world.token("ana", "itineraries:read itineraries:write").await;
    let at = create_at(&world, &token).await;
    let bytes = |value: &[u8]| reqwest::header::HeaderValue::from_bytes(value).expect("bytes that a header can carry");
    let update = |name: &'static str, value: &[u8]| {
        let call = world.call(Method::PATCH, &at).token(&token).json(&json!({ "title": "Changed" }));
        itinerary_tests::raw::Call(call.0.header(name, bytes(value)))
    };
    let long = "x".repeat(20_000);
    for value in [b"\xff\xfe".as_slice(), b"v1.m", b"\"v1.m", b"W/", b"\"a\" \"b\"", b"", long.as_bytes()] {
        update("if-match", value).send().await.expect_invalid("If-Match");
    }
    for value in [b"\xff".as_slice(), b"", b"no", b"{01890000-0000-7000-8000-00000000000f}", long.as_bytes()] {
        update("idempotency-key", value).send().await.expect_invalid("Idempotency-Key");
    }
    for value in [b"Bearer \xff".as_slice(), b"Bearer \x00".split_at(7).0, format!("Bearer {long}").as_bytes()] {
        let call = itinerary_tests::raw::Call(world.call(Method::GET, &at).0.header("authorization", bytes(value)));
        call.send().await.expect_error(401, "unauthenticated");
    }
    for (query, field) in [
        ("limit=%ff", "limit"),
        ("limit=%00", "limit"),
        ("limit=99999999999999999999999", "limit"),
        ("limit=-1", "limit"),
        ("limit=1&limit=1", "limit"),
        ("cursor=%00%ff", "cursor"),
        ("cursor=", "cursor"),
        ("updatedSince=2027-01-01", "updatedSince"),
        ("filter=owned%00", "filter"),
    ] {
        let response = world.call(Method::GET, &format!("/v1/itineraries?{query}")).token(&token).send().await;
        response.expect_invalid(field);
    }
    let cursor = format!("/v1/itineraries?cursor={}", "A".repeat(8_000));
    world.call(Method::GET, &cursor).token(&token).send().await.expect_invalid("cursor");
}

// An error message is short and does not repeat long input.
#[api_test]
async fn a_refusal_is_short(world: World) {
    world.account("ana").await;
    let token = world.token("ana", "itineraries:read itineraries:write").await;
    let at = create_at(&world, &token).await;
    let long = "é".repeat(100_000);
    for (body, field) in [
        (format!(r#"{{"visibility": "{long}"}}"#), Some("visibility")),
        (format!(r#"{{"origin": "{long}"}}"#), Some("origin")),
        (format!(r#"{{"travellers": "{long}"}}"#), Some("travellers")),
        (format!(r#"{{"{long}": 1}}"#), None),
        (format!(r#""{long}""#), None),
    ] {
        let call = world.call(Method::PATCH, &at).token(&token).header("If-Match", "*");
        let response = call.body("application/json", body).send().await;
        let details = response.expect_error(422, "validationFailed");
        assert!(response.body.len() < 3_000, "{} bytes", response.body.len());
        assert!(field.is_none_or(|field| details["field"] == field), "{}", response.text());
    }
}
