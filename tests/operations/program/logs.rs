//! The log: every line is JSON, none has personal data, the level changes while the server runs, and requests belong to
//! the traces of their callers.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use itinerary_tests::bodies::{minimal, with};
use itinerary_tests::engines::Engine;
use itinerary_tests::program::{Program, command, fail, free_address, make_token, run, succeed, words};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::Command;

const PATIENCE: Duration = Duration::from_secs(20);

/// A server whose log is a file.
struct Logged {
    server: Program,
    log: PathBuf,
}

impl Logged {
    async fn serve(engine: &Engine, more: &[&str]) -> Self {
        let log = engine.file("log");
        let address = free_address();
        let flags = words(engine, &["serve", "--listen", &address, "--log-format", "json"]);
        let mut command = command(flags.into_iter().chain(more.iter().map(|word| (*word).to_owned())));
        command.env_remove("RUST_LOG").stderr(Stdio::from(File::create(&log).expect("a file")));
        Self { server: Program::start(command).await, log }
    }

    fn text(&self) -> String {
        fs::read_to_string(&self.log).expect("text")
    }

    /// All lines, each of which must be JSON.
    fn lines(&self) -> Vec<Value> {
        let text = self.text();
        let parsed = text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("no JSON: {line}")));
        parsed.collect()
    }

    /// Waits for a line.
    async fn line(&self, is_it: impl Fn(&Value) -> bool) -> Value {
        let find = async {
            loop {
                // The last line may be half written.
                let text = self.text();
                let whole = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
                if let Some(found) = whole.into_iter().find(|line| is_it(line)) {
                    return found;
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        let found = tokio::time::timeout(PATIENCE, find).await;
        found.unwrap_or_else(|_| panic!("no such line in {}", self.text()))
    }

    fn reload(&self) {
        let sent = std::process::Command::new("kill").args(["-HUP", &self.server.id()]).status().expect("kill runs");
        assert!(sent.success());
    }
}

/// The access line of the request that was answered with this id.
fn is_access(id: &str) -> impl Fn(&Value) -> bool {
    move |line| line["target"] == "access" && line["span"]["id"] == id
}

/// A geocoder that gives every question the same response, and records the requests.
struct Geocoder {
    url: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Geocoder {
    async fn start(response: String) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let asked = Arc::new(Mutex::new(Vec::new()));
        let record = Arc::clone(&asked);
        tokio::spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                tokio::spawn(reply(connection, Arc::clone(&record), response.clone()));
            }
        });
        Self { url, asked }
    }

    fn flags(&self) -> [&str; 6] {
        let url = self.url.as_str();
        let kind = ["--providers-geocoder", "nominatim", "--providers-geocoder-url", url];
        [kind[0], kind[1], kind[2], kind[3], "--providers-geocoder-interval", "0"]
    }

    /// The header of the last request.
    fn last_header(&self, name: &str) -> Option<String> {
        let asked = self.asked.lock().expect("no panic");
        let headers = asked.last().expect("it was asked").lines();
        let mut found = headers.filter_map(|line| line.split_once(": ")).filter(|(found, _)| *found == name);
        found.next().map(|(_, value)| value.to_owned())
    }

    fn count(&self) -> usize {
        self.asked.lock().expect("no panic").len()
    }
}

async fn reply(mut connection: TcpStream, record: Arc<Mutex<Vec<String>>>, response: String) {
    let mut request = vec![0; 16 * 1024];
    let length = connection.read(&mut request).await.unwrap_or(0);
    record.lock().expect("no panic").push(String::from_utf8_lossy(&request[..length]).into_owned());
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", response.len());
    let _ = connection.write_all(format!("{head}{response}").as_bytes()).await;
}

const NAME: &str = "zenobia-quux";
const PASSWORD: &str = "a password like no other";

async fn account(engine: &Engine) -> String {
    succeed(command(words(engine, &["account", "create", NAME])), &format!("{PASSWORD}\n")).await;
    make_token(engine, NAME).await
}

/// A trip with a stop that only the geocoder may know.
fn trip() -> Value {
    let stops = json!([{ "name": "Grandmother Xantippe's house" }]);
    with(minimal(), json!({ "title": "Honeymoon in secret", "days": [{ "stops": stops }] }))
}

// A broad scenario, with every kind of failure that repeats what was sent.
#[tokio::test(flavor = "multi_thread")]
async fn no_line_has_personal_data() {
    let engine = Engine::sqlite();
    let token = account(&engine).await;
    let geocoder = Geocoder::start(r#"[{"lat": "Grandmother Xantippe's house"}]"#.to_owned()).await;
    let flags = [&geocoder.flags()[..], &["--trusted-proxies", "127.0.0.1"]].concat();
    let logged = Logged::serve(&engine, &flags).await;
    let call = |method: Method, path: &str| {
        logged.server.call(method, path).header("X-Forwarded-For", "203.0.113.77").header("User-Agent", "Quuxbot")
    };
    let made = call(Method::POST, "/v1/itineraries?allowDuplicate=true").token(&token).json(&trip()).send().await;
    assert_eq!(made.status, 201, "{}", made.text());
    assert!(geocoder.count() > 0);
    let id = made.json()["id"].as_str().expect("an id").to_owned();
    let stop = format!("/v1/itineraries/{id}/days/hidden-day/stops/hidden-stop");
    let form = |pairs: &[(&str, &str)], path: &str| call(Method::POST, path).form(pairs);
    let responses = [
        call(Method::GET, &format!("/v1/itineraries/{id}")).token(&token),
        call(Method::GET, "/v1/explore?q=xylophones").token(&token),
        call(Method::GET, &format!("/v1/accounts?username={NAME}")).token(&token),
        call(Method::DELETE, &stop).token(&token),
        call(Method::GET, "/v1/account").token("not-a-token"),
        call(Method::GET, "/zenobia@mail.example/../%71uux"),
        call(Method::GET, &format!("/v1/people/{NAME}")),
        call(Method::GET, "/documents/hidden-signature"),
        call(Method::GET, "/calendar/hidden-secret.ics"),
        call(Method::POST, "/v1/itineraries").token(&token).body("application/json", "{\"title\": \"Unfinished sec"),
        call(Method::POST, "/v1/itineraries").token(&token).json(&json!({ "title": 5, "hiddenField": "Hidden value" })),
        form(&[("username", NAME), ("password", "a wrong password")], "/sign-in"),
        call(Method::GET, "/sign-up?invitation=itn_inv_hidden"),
        form(&[("grant_type", "refresh_token"), ("refresh_token", "hidden-refresh")], "/oauth/token"),
        form(
            &[
                ("username", NAME),
                ("password", PASSWORD),
                ("displayName", "Zenobia Q"),
                ("invitation", "itn_inv_hidden"),
            ],
            "/sign-up",
        ),
        call(Method::GET, "/oauth/authorise?client_id=https://app.example/hidden-client&state=hidden-state"),
        call(Method::POST, "/mcp").token(&token).json(&json!({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": { "name": "find_itineraries", "arguments": { "query": "hidden query" } }
        })),
    ];
    let mut last = String::new();
    for response in responses {
        response.send().await.header("x-request-id").clone_into(&mut last);
    }
    logged.line(is_access(&last)).await;
    let deleted = succeed(command(words(&engine, &["account", "delete", NAME])), "").await;
    assert!(!deleted.is_empty());

    let lines = logged.lines();
    assert!(lines.iter().filter(|line| line["target"] == "access").count() >= 17, "{lines:?}");
    let warned = |line: &Value| line["fields"]["message"] == "geocoding failed";
    assert!(lines.iter().any(warned), "the malformed answer is reported: {lines:?}");
    // It has the server's own address.
    let is_start = |line: &&str| line.contains("\"message\":\"started\"");
    let text = logged.text();
    let text: Vec<_> = text.lines().filter(|line| !is_start(line)).map(str::to_lowercase).collect();
    let personal = ["zenobia", "quux", "203.0.113.77", "127.0.0.1", "xantippe", "honeymoon", "xylophone", "hidden"];
    for personal in personal.into_iter().chain(["unfinished", "password", "lisbon", "mail.example", "?", &token]) {
        let line = text.iter().find(|line| line.contains(&personal.to_lowercase()));
        assert_eq!(line, None, "{personal}");
    }
}

// A server that cannot start says so in the same format.
#[tokio::test(flavor = "multi_thread")]
async fn the_last_line_of_a_failed_start_is_json_too() {
    let engine = Engine::sqlite();
    let taken = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
    let address = taken.local_addr().expect("an address").to_string();
    let mut serve = command(words(&engine, &["serve", "--listen", &address, "--log-format", "json"]));
    serve.env_remove("RUST_LOG");
    let said = fail(serve).await;
    let lines: Vec<Value> = said.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    let last = lines.last().expect("a line");
    assert!(last["error"]["message"].as_str().is_some_and(|why| why.contains("in use")), "{last}");
}

fn write(file: &Path, text: &str) {
    fs::write(file, text).expect("a file");
}

// The file decides at each SIGHUP, unless a flag or a variable does.
#[tokio::test(flavor = "multi_thread")]
async fn the_level_changes_while_the_server_runs() {
    let engine = Engine::sqlite();
    let file = engine.file("config.toml");
    write(&file, "log_level = \"info\"\n");
    let config = file.display().to_string();
    let logged = Logged::serve(&engine, &["--config", &config]).await;
    // Sends a request and returns its id.
    let request = async || {
        let response = logged.server.call(Method::GET, "/healthz").send().await;
        response.header("x-request-id").to_owned()
    };
    logged.line(is_access(&request().await)).await;

    // A bad level, a bad file and no file change nothing.
    for (text, why) in
        [("log_level = \"debgu\"", "must be off"), ("log_level = 5", "must be off"), ("log_level = ", "config.toml")]
    {
        write(&file, text);
        logged.reload();
        let stays = |line: &Value| line["fields"]["error"].as_str().is_some_and(|error| error.contains(why));
        assert_eq!(logged.line(stays).await["level"], "ERROR");
    }
    fs::remove_file(&file).expect("it is there");
    logged.reload();
    logged.line(|line| line["fields"]["error"].as_str().is_some_and(|error| error.contains("No such file"))).await;
    logged.line(is_access(&request().await)).await;

    write(&file, "[log]\nlevel = \"info,access=off\"\n");
    logged.reload();
    logged.line(|line| line["fields"]["level"] == "info,access=off").await;
    let id = request().await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert!(!logged.lines().iter().any(is_access(&id)), "it is not logged");

    write(&file, "listen = \"127.0.0.1:1\"\n");
    logged.reload();
    logged.line(|line| line["fields"]["level"] == "the default").await;
    logged.line(is_access(&request().await)).await;

    let refused = run(command(words(&engine, &["serve", "--log-level", "debgu"])), "").await;
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("must be off, error, warn"), "{refused:?}");
}

// The setting takes precedence over RUST_LOG, and the flag over the file, also at SIGHUP.
#[tokio::test(flavor = "multi_thread")]
async fn a_flag_decides_for_good() {
    let engine = Engine::sqlite();
    let file = engine.file("config.toml");
    write(&file, "log_level = \"error\"\n");
    let (config, log, address) = (file.display().to_string(), engine.file("log"), free_address());
    let flags = ["serve", "--listen", &address, "--log-format", "json", "--config", &config, "--log-level", "info"];
    let mut serve: Command = command(words(&engine, &flags));
    serve.env("RUST_LOG", "off").stderr(Stdio::from(File::create(&log).expect("a file")));
    let logged = Logged { server: Program::start(serve).await, log };
    logged.reload();
    logged.line(|line| line["fields"]["message"] == "log level read again").await;
    let response = logged.server.call(Method::GET, "/healthz").send().await;
    logged.line(is_access(response.header("x-request-id"))).await;
}

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

#[tokio::test(flavor = "multi_thread")]
async fn requests_belong_to_the_traces_of_their_callers() {
    let engine = Engine::sqlite();
    let token = account(&engine).await;
    let geocoder = Geocoder::start("[]".to_owned()).await;
    let logged = Logged::serve(&engine, &geocoder.flags()).await;
    let stop = |name: &str| with(trip(), json!({ "days": [{ "stops": [{ "name": name }] }] }));
    let create = |name: &str| {
        let call = logged.server.call(Method::POST, "/v1/itineraries?allowDuplicate=true").token(&token);
        call.json(&stop(name))
    };

    // A trace is passed on, with this server's span.
    let parent = format!("00-{TRACE}-00f067aa0ba902b7-01");
    let response = create("Casa Amarela").header("traceparent", &parent).header("tracestate", "a=1,b=2").send().await;
    assert_eq!(
        (response.status.as_u16(), response.header("traceparent"), response.header("tracestate")),
        (201, "", "")
    );
    let line = logged.line(is_access(response.header("x-request-id"))).await;
    let [trace, span, of] = ["trace_id", "span_id", "parent_id"].map(|name| line["fields"][name].clone());
    assert_eq!((&trace, &of), (&json!(TRACE), &json!("00f067aa0ba902b7")));
    let span = span.as_str().expect("a span");
    assert_ne!(span, "00f067aa0ba902b7");
    assert_eq!(geocoder.last_header("traceparent"), Some(format!("00-{TRACE}-{span}-01")));
    assert_eq!(geocoder.last_header("tracestate").as_deref(), Some("a=1,b=2"));

    // Without one, a trace begins with the first call.
    let response = create("Casa Branca").send().await;
    let line = logged.line(is_access(response.header("x-request-id"))).await;
    let [trace, span] = ["trace_id", "span_id"].map(|name| line["fields"][name].as_str().expect("an id").to_owned());
    assert_eq!(geocoder.last_header("traceparent"), Some(format!("00-{trace}-{span}-00")));
    assert_eq!((line["fields"].get("parent_id"), geocoder.last_header("tracestate")), (None, None));

    // Malformed ones are ignored, and a request that calls nobody has none.
    let strange = ["", "00", "00-0-0-0", &parent.to_uppercase(), &format!("{parent}-"), &"a".repeat(7_000), "\u{fc}"];
    for parent in strange {
        let call = logged.server.call(Method::GET, "/healthz").header("traceparent", parent);
        let response = call.header("tracestate", "a=1").send().await;
        assert_eq!(response.status, 200);
        let line = logged.line(is_access(response.header("x-request-id"))).await;
        assert_eq!(line["fields"].get("trace_id"), None, "{parent}");
    }
    let long = "x".repeat(513);
    create("Casa Comprida").header("traceparent", &parent).header("tracestate", &long).send().await;
    assert!(geocoder.last_header("traceparent").is_some_and(|sent| sent.contains(TRACE)));
    assert_eq!(geocoder.last_header("tracestate"), None);
}
