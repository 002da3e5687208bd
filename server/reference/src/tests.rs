use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use serde_json::{Value, json};

use super::*;

const BASE: &str = "https://trips.example";

static DOCUMENT: LazyLock<Value> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../../openapi/itinerary.json")).expect("the published document is JSON")
});

fn rendered(document: &Value) -> (Reference, HashMap<String, String>) {
    let limit = Limit { name: "write", about: "Changes.", per_minute: 60 };
    let limit_of = |operation: &str| operation.starts_with("itinerary_").then_some(limit);
    let Rendered { reference, pages, .. } =
        render(document, &Facts { base_url: BASE, limits: &[limit], limit_of: &limit_of });
    let count = pages.len();
    let pages: HashMap<_, _> = pages.into_iter().map(|page| (page.path, page.html)).collect();
    assert_eq!(pages.len(), count, "every page has an address of its own");
    (reference, pages)
}

static PAGES: LazyLock<HashMap<String, String>> = LazyLock::new(|| rendered(&DOCUMENT).1);

/// The values of an attribute in HTML.
fn values<'a>(html: &'a str, attribute: &str) -> Vec<&'a str> {
    let start = format!(" {attribute}=\"");
    html.split(&start).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

#[test]
fn every_operation_and_every_schema_has_a_page() {
    let overview = &PAGES[""];
    let mut count = 0;
    for (path, item) in DOCUMENT["paths"].as_object().expect("paths") {
        for (method, operation) in item.as_object().expect("operations") {
            let id = operation["operationId"].as_str().expect("an id");
            let page = &PAGES[id];
            count += 1;
            let summary = text::escape(operation["summary"].as_str().expect("a summary"));
            for part in [&*format!("<h1>{summary}</h1>"), &method.to_uppercase(), path] {
                assert!(page.contains(part), "{part} on the page of {id}");
            }
            for parameter in operation["parameters"].as_array().into_iter().flatten() {
                let parameter = document::ApiDocument::new(&DOCUMENT).resolve(parameter);
                let name = parameter["name"].as_str().expect("a name");
                assert!(page.contains(&format!("<code>{name}</code> <span class=\"kind\">")), "{name} of {id}");
            }
            for status in operation["responses"].as_object().expect("responses").keys() {
                assert!(page.contains(&format!(">{status}</span>")), "{status} of {id}");
            }
            assert!(overview.contains(&format!("href=\"/docs/{id}\"")), "{id} in the index");
        }
    }
    let schemas = DOCUMENT["components"]["schemas"].as_object().expect("schemas");
    for (name, schema) in schemas {
        let page = &PAGES[&format!("schemas/{name}")];
        for field in schema["properties"].as_object().into_iter().flatten() {
            assert!(page.contains(&format!("<code>{}</code>", field.0)), "{} of {name}", field.0);
        }
        assert!(PAGES["schemas"].contains(&format!("href=\"/docs/schemas/{name}\"")), "{name} in the index");
    }
    let written = PAGES.keys().filter(|path| path.starts_with("guides/")).count();
    assert!(written > 10, "{written} guides");
    // And the overview, the indexes of guides and schemas, the quickstart, the changelog, the deprecation policy, and the
    // end of a sign-in.
    assert_eq!(PAGES.len(), count + schemas.len() + written + 7);
}

#[test]
fn every_link_leads_somewhere() {
    let ids: HashMap<&str, HashSet<&str>> =
        PAGES.iter().map(|(path, html)| (path.as_str(), values(html, "id").into_iter().collect())).collect();
    let outside = ["/", "/account", "/openapi.json", "/style.css", "/icon.svg", "/docs/docs.css", "/docs/docs.js"];
    for (path, html) in PAGES.iter() {
        let is_outside = |link: &&str| outside.contains(link) || link.starts_with("https://");
        for link in values(html, "href").into_iter().filter(|link| !is_outside(link)) {
            let (page, anchor) = link.split_once('#').unwrap_or((link, ""));
            let page = if page.is_empty() {
                path
            } else {
                page.strip_prefix("/docs").expect("a page").trim_start_matches('/')
            };
            let there = ids.get(page).unwrap_or_else(|| panic!("{link} of {path} leads nowhere"));
            assert!(anchor.is_empty() || there.contains(anchor), "{link} of {path} has no anchor");
        }
        for attribute in ["for", "aria-labelledby"] {
            for id in values(html, attribute) {
                assert!(ids[path.as_str()].contains(id), "{attribute}={id} of {path}");
            }
        }
        assert_eq!(ids[path.as_str()].len(), values(html, "id").len(), "an id appears twice in {path}");
    }
}

#[test]
fn nothing_is_inline_and_nothing_comes_from_elsewhere() {
    for (path, html) in PAGES.iter() {
        assert_eq!(html.matches("<script").count(), 1, "{path}");
        assert!(html.contains("<script src=\"/docs/docs.js\" defer></script>"), "{path}");
        assert!(!html.contains(" style=\"") && !html.contains(" onclick") && !html.contains("<style"), "{path}");
        for address in values(html, "src").into_iter().chain(values(html, "href")) {
            let is_written = path.starts_with("guides/") || ["changelog", "deprecation"].contains(&path.as_str());
            assert!(address.starts_with(['/', '#']) || is_written, "{address} of {path}");
        }
    }
}

#[test]
fn an_operation_is_described_by_all_that_the_document_says() {
    let page = &PAGES["itinerary_update"];
    for part in [
        "Token with the scope <code>itineraries:write</code>",
        "60 a minute",
        "<code>If-Match</code>",
        "<code>itineraryModified</code>",
        "<span class=\"status good\">200</span>",
        "href=\"/docs/schemas/ItineraryPatch\"",
        "-H &#34;If-Match: $ETAG&#34;",
        "curl -X PATCH &#34;http://127.0.0.1:8080/v1/itineraries/$ID&#34;",
        "client.itinerary_update(id, etag, body).send().await?;",
        "await api.PATCH(&#34;/v1/itineraries/{id}&#34;, {",
        "httpx.patch(",
        "Fields of <code>days</code>",
        "array of objects",
    ] {
        assert!(page.contains(part), "{part} in {page}");
    }
    assert!(PAGES["document_upload"].contains("-F &#34;file=@$FILE&#34;"));
    assert!(PAGES["oauth_token"].contains("--data-urlencode &#39;grant_type=authorization_code&#39;"));
    assert!(!PAGES["oauth_authorise"].contains("id=\"trial\""), "a page is not for scripts");
    let export = &PAGES["itinerary_export"];
    assert!(export.contains("id=\"trial\""), "HTML is one of several formats");
    assert!(export.contains("/export?format=ics&#34;"), "a request that names no format is rejected");
    assert!(!PAGES["health_live"].contains("id=\"sign-in\""), "no token is needed");
}

#[test]
fn a_search_finds_operations_by_all_its_words() {
    let (reference, _) = rendered(&DOCUMENT);
    let index = |search: &str| reference.search(search).split("class=\"page\"").nth(1).expect("a page").to_owned();
    let index = |search: &str| index(search).split("</article>").next().expect("an end").to_owned();
    let found = index(" Create  ITINERARY ");
    assert!(found.contains("href=\"/docs/itinerary_create\"") && !found.contains("href=\"/docs/health_live\""));
    assert!(index("patch hotels").contains("href=\"/docs/hotel_update\""));
    let hostile = reference.search("\"><script>alert(1)</script>");
    assert!(!hostile.contains("<script>alert") && hostile.contains("Nothing matches"));
    assert!(reference.search(&"é".repeat(50_000)).len() < 60_000, "a long search is cut");
}

#[test]
fn a_search_finds_everything_that_has_a_name() {
    let (reference, _) = rendered(&DOCUMENT);
    for (search, href) in [
        ("flightinput", "/docs/schemas/FlightInput"),
        ("StopInput.startTime", "/docs/schemas/StopInput#field-startTime"),
        ("updatedsince", "/docs/itinerary_list#parameter-updatedSince"),
        ("if-match", "/docs/itinerary_update#parameter-If-Match"),
        ("itineraryModified", "/docs#error-itineraryModified"),
        ("Retry-After", "/docs#header-Retry-After"),
        ("edit together", "/docs/guides/edit-together"),
        ("boardingPass", "/docs/schemas/DocumentCategory"),
    ] {
        let found = reference.search(search);
        let page = found.split("<article").nth(1).expect("a page");
        assert!(page.contains(&format!("href=\"{href}\"")), "{search} does not find {href}: {page}");
    }
    let many = reference.search("id");
    assert!(many.contains("more. Add a word to narrow the search.") && many.len() < 80_000, "{}", many.len());
}

#[test]
fn written_pages_have_this_servers_address_and_their_code() {
    let page = &PAGES["guides/sign-in"];
    assert!(page.contains(BASE) && !page.contains("127.0.0.1:8080"));
    assert!(page.contains("<pre class=\"sample\" tabindex=\"0\" aria-label=\"Commands\"><code>"));
    assert!(PAGES["guides/plan-with-an-assistant"].contains("href=\"/docs/guides/mcp"), "links between files");
    assert!(!PAGES["guides/rust"].contains("# Ok(())"), "lines that documentation hides");
    let quickstart = &PAGES["quickstart"];
    for part in ["curl -s &#34;$API?allowDuplicate=true", "#[tokio::main]", "createClient", "httpx.Client("] {
        assert!(quickstart.contains(part), "{part} in {quickstart}");
    }
    assert!(!quickstart.contains("127.0.0.1:8080"));
}

#[test]
fn language_models_get_links_and_the_whole_text() {
    let rendered = render(&DOCUMENT, &Facts { base_url: BASE, limits: &[], limit_of: &|_| None });
    let llms = &rendered.llms;
    assert!(llms.starts_with("# Itinerary Planning Service\n\n> "), "{llms}");
    let links: Vec<&str> = llms.lines().filter(|line| line.starts_with("- ")).collect();
    assert!(links.len() > 20, "{llms}");
    let paths: HashSet<&str> = rendered.pages.iter().map(|page| page.path.as_str()).collect();
    for link in links {
        let address = link.split("](").nth(1).and_then(|rest| rest.split(')').next()).expect("a link");
        let path = address.strip_prefix(BASE).expect("this server");
        let page = path.split('#').next().unwrap_or_default().trim_start_matches("/docs").trim_start_matches('/');
        assert!(paths.contains(page) || ["openapi.json", "llms-full.txt"].contains(&page), "{link}");
    }
    let full = &rendered.llms_full;
    for part in ["- `POST /v1/itineraries` (`itinerary_create`): ", "Source: https://trips.example/docs/guides/mcp"] {
        assert!(full.contains(part), "{part}");
    }
    assert!(full.len() < 250_000, "{}", full.len());
}

// The script reads it, so that a search finds the same with and without it.
#[test]
fn the_index_leads_to_targets_that_exist() {
    let (reference, pages) = rendered(&DOCUMENT);
    let index: Value = serde_json::from_str(&reference.search_index()).expect("JSON");
    let kinds = index.as_array().expect("kinds");
    let entries: Vec<&Value> = kinds.iter().flat_map(|kind| kind["entries"].as_array().expect("entries")).collect();
    assert!(entries.len() > 500, "{} entries", entries.len());
    for entry in entries {
        let link = entry[1].as_str().expect("an address");
        let (page, anchor) = link.split_once('#').unwrap_or((link, ""));
        let page = page.strip_prefix("/docs").expect("a page").trim_start_matches('/');
        let html = pages.get(page).unwrap_or_else(|| panic!("{link} leads nowhere"));
        assert!(anchor.is_empty() || values(html, "id").contains(&anchor), "{link} has no target");
        assert!(entry[2].as_str().is_some_and(|about| !about.contains('`')), "{entry} is plain text");
    }
}

// A document that refers to itself, or to nothing, still has pages.
#[test]
fn strange_documents_are_rendered() {
    let reference = |name: &str| json!({ "$ref": format!("#/components/schemas/{name}") });
    let document = json!({
        "info": { "title": "<T>", "version": "1" },
        "tags": [{ "name": "A b", "description": "`x` & y" }],
        "components": { "schemas": {
            "Tree": { "properties": { "children": { "type": "array", "items": reference("Tree") }, "next": { "oneOf": [reference("Tree"), { "enum": [null] }] } } },
            "Loop": reference("Loop"),
            "Lost": { "properties": { "gone": reference("Nowhere") } },
            "Odd": { "type": "array", "items": { "type": "array", "items": { "enum": [1, "<i>"] } }, "minItems": 2, "maxItems": 2 },
        } },
        "paths": { "/x": { "get": { "operationId": "x", "deprecated": true, "tags": ["A b"], "summary": "<b>", "responses": {}, "parameters": [
            { "name": "q\"", "in": "query", "schema": { "default": 3, "minimum": -1000, "pattern": "a".repeat(80) } },
        ] }, "post": { "operationId": "y", "tags": ["A b"], "requestBody": { "content": { "application/json": { "schema": reference("Tree"), "example": "</textarea>'" } } } } } },
    });
    let (_, pages) = rendered(&document);
    let written = pages.keys().filter(|path| path.starts_with("guides/")).count();
    assert_eq!(pages.len(), 7 + written + 2 + 4);
    for part in ["<h1>&#60;b&#62;</h1>", "at least -1,000", "<code>3</code>", "<summary>Pattern</summary>"] {
        assert!(pages["x"].contains(part), "{part} in {}", pages["x"]);
    }
    assert!(pages["x"].contains("<a class=\"badge\" href=\"/docs/deprecation\">Deprecated</a>"));
    assert!(pages[""].matches("class=\"badge\"").count() == 1 && !pages["y"].contains("class=\"badge\""));
    assert!(pages["schemas/Odd"].contains("array of arrays of any JSON values, 2 entries"), "{}", pages["schemas/Odd"]);
    assert!(!pages["y"].contains("</textarea>'") && pages["schemas/Tree"].contains("or null"));
}
