//! A real browser: Debian's Chromium, driven through the few `chromedriver` calls that the tests need.
//!
//! If it is not installed, the tests are skipped, unless `ITINERARY_REQUIRE_BROWSER=1` is set.

use std::env;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use itinerary_tests::raw;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::sync::{Semaphore, SemaphorePermit};

/// The maximum number of concurrent browsers, each of which takes a core for a moment.
static TURNS: Semaphore = Semaphore::const_new(2);

/// How long a page, or a script in it, may take.
const PATIENCE: Duration = Duration::from_mins(1);

/// The key of element ids in the protocol.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// A browser with one window. It ends with the test.
pub(super) struct Chromium {
    http: reqwest::Client,
    session: Session,
    driver: Child,
    _turn: SemaphorePermit<'static>,
}

struct Session {
    server: SocketAddr,
    id: String,
}

impl Drop for Chromium {
    // Ending the session ends the browser; killing `chromedriver` would leave it running.
    fn drop(&mut self) {
        self.session.end();
        // It may have ended already.
        _ = self.driver.kill();
        _ = self.driver.wait();
    }
}

impl Session {
    fn end(&self) {
        let Ok(mut server) = TcpStream::connect(self.server) else { return };
        let (id, address) = (&self.id, self.server);
        let request = format!("DELETE /session/{id} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
        _ = server.set_read_timeout(Some(PATIENCE));
        if server.write_all(request.as_bytes()).is_ok() {
            _ = server.read(&mut [0; 512]);
        }
    }
}

/// Whether the tests in a browser must run.
pub(super) fn is_required() -> bool {
    env::var_os("ITINERARY_REQUIRE_BROWSER").is_some_and(|value| value == "1")
}

/// Finds a program in `PATH`.
fn program(name: &str) -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join(name)).find(|file| file.is_file())
}

impl Chromium {
    /// A browser without cookies. `None` if it is not installed.
    pub(super) async fn start() -> Option<Self> {
        let (Some(chromium), Some(driver)) = (program("chromium"), program("chromedriver")) else {
            assert!(!is_required(), "ITINERARY_REQUIRE_BROWSER=1, but chromium or chromedriver is not installed");
            itinerary_tests::skipped("chromium or chromedriver is not installed");
            return None;
        };
        let turn = TURNS.acquire().await.expect("it is never closed");
        let (driver, server) = start_driver(&driver);
        let http = raw::client_builder().timeout(PATIENCE).build().expect("a client");
        let session = begin(&http, server, &chromium).await;
        Some(Self { http, session, driver, _turn: turn })
    }

    /// Sends a command of the protocol. Returns its value, or the error.
    async fn attempt(&self, method: Method, path: &str, body: Value) -> Result<Value, Value> {
        let Session { server, id } = &self.session;
        let call = self.http.request(method.clone(), format!("http://{server}/session/{id}{path}"));
        let call = if method == Method::POST { call.json(&body) } else { call };
        let response = call.send().await.expect("chromedriver answers");
        let good = response.status().is_success();
        let mut response: Value = response.json().await.expect("JSON");
        let value = response["value"].take();
        if good { Ok(value) } else { Err(value) }
    }

    async fn command(&self, method: Method, path: &str, body: Value) -> Value {
        let value = self.attempt(method, path, body).await;
        value.unwrap_or_else(|error| panic!("{path}: {}: {}", error["error"], error["message"]))
    }

    pub(super) async fn visit(&self, address: &str) {
        self.command(Method::POST, "/url", json!({ "url": address })).await;
    }

    pub(super) async fn address(&self) -> reqwest::Url {
        let address = self.command(Method::GET, "/url", Value::Null).await;
        address.as_str().expect("text").parse().expect("an address")
    }

    async fn element(&self, selector: &str) -> String {
        let query = json!({ "using": "css selector", "value": selector });
        let element = self.command(Method::POST, "/element", query).await;
        element[ELEMENT].as_str().expect("an element").to_owned()
    }

    /// Replaces the text of a field.
    pub(super) async fn type_into(&self, selector: &str, text: &str) {
        let element = self.element(selector).await;
        self.command(Method::POST, &format!("/element/{element}/clear"), json!({})).await;
        self.command(Method::POST, &format!("/element/{element}/value"), json!({ "text": text })).await;
    }

    /// Clicks on something that does not leave the page.
    pub(super) async fn tick(&self, selector: &str) {
        let element = self.element(selector).await;
        self.command(Method::POST, &format!("/element/{element}/click"), json!({})).await;
    }

    /// Clicks on a link or button and waits for the next page, for which the protocol has no event.
    pub(super) async fn click(&self, selector: &str) {
        self.run("window.isFormer = true").await;
        self.tick(selector).await;
        let arrived = async {
            let script = "return !window.isFormer && document.readyState == 'complete'";
            // Fails between two pages.
            let ask = || self.attempt(Method::POST, "/execute/sync", json!({ "script": script, "args": [] }));
            while ask().await != Ok(Value::Bool(true)) {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        let arrived = tokio::time::timeout(PATIENCE, arrived).await;
        assert!(arrived.is_ok(), "{selector} leads to no other page: {}", self.text().await);
    }

    /// Waits until an expression is true on the page that is then shown.
    pub(super) async fn until(&self, expression: &str) {
        let script = format!("return Boolean({expression})");
        let reached = async {
            // Fails between two pages.
            let ask = || self.attempt(Method::POST, "/execute/sync", json!({ "script": script, "args": [] }));
            while ask().await != Ok(Value::Bool(true)) {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        let reached = tokio::time::timeout(PATIENCE, reached).await;
        assert!(reached.is_ok(), "never {expression}: {}", self.text().await);
    }

    /// Checks that nothing was written to the console since the last call: no error, no warning, no blocked resource.
    pub(super) async fn assert_quiet(&self) {
        let lines = self.command(Method::POST, "/se/log", json!({ "type": "browser" })).await;
        assert_eq!(lines, json!([]), "the console");
    }

    /// Runs a script, as the body of a function and exempt from the page's policy. Returns its value.
    pub(super) async fn run(&self, script: &str) -> Value {
        self.command(Method::POST, "/execute/sync", json!({ "script": script, "args": [] })).await
    }

    /// The same for a script that passes its value to its last argument.
    pub(super) async fn run_async(&self, script: &str) -> Value {
        self.command(Method::POST, "/execute/async", json!({ "script": script, "args": [] })).await
    }

    /// The page's visible text.
    pub(super) async fn text(&self) -> String {
        let text = self.run("return document.body.innerText").await;
        text.as_str().expect("text").to_owned()
    }

    pub(super) async fn assert_says(&self, words: &str) {
        let text = self.text().await;
        assert!(text.contains(words), "{words} in {text}");
    }

    /// Sends a command of Chromium's own protocol. Returns its result.
    pub(super) async fn devtools(&self, command: &str, parameters: Value) -> Value {
        self.command(Method::POST, "/goog/cdp/execute", json!({ "cmd": command, "params": parameters })).await
    }

    /// Adds a virtual authenticator (WebAuthn, level 2, section 11) that keeps passkeys and whose user always agrees.
    pub(super) async fn add_authenticator(&self) -> String {
        let wanted = json!({
            "protocol": "ctap2",
            "transport": "internal",
            "hasResidentKey": true,
            "hasUserVerification": true,
            "isUserConsenting": true,
            "isUserVerified": true,
        });
        let id = self.command(Method::POST, "/webauthn/authenticator", wanted).await;
        id.as_str().expect("an id").to_owned()
    }

    /// Sets whether the user of a virtual authenticator agrees to the next requests, or leaves them without a response.
    pub(super) async fn set_agrees(&self, id: &str, agrees: bool) {
        let parameters = json!({ "authenticatorId": id, "enabled": agrees });
        self.devtools("WebAuthn.setAutomaticPresenceSimulation", parameters).await;
    }

    /// Removes a virtual authenticator with its passkeys.
    pub(super) async fn remove_authenticator(&self, id: &str) {
        self.command(Method::DELETE, &format!("/webauthn/authenticator/{id}"), Value::Null).await;
    }

    /// A screenshot (PNG, base64).
    pub(super) async fn picture(&self) -> String {
        let picture = self.command(Method::GET, "/screenshot", Value::Null).await;
        picture.as_str().expect("text").to_owned()
    }
}

/// Starts `chromedriver` on a free loopback port. It listens on IPv4 and IPv6 and ends if another program has just taken
/// the port on one of them; then it is started again.
fn start_driver(program: &Path) -> (Child, SocketAddr) {
    (0..5).find_map(|_| try_driver(program)).expect("chromedriver starts")
}

/// `None` if it ends without printing its port.
fn try_driver(program: &Path) -> Option<(Child, SocketAddr)> {
    let mut driver = Command::new(program)
        .arg("--port=0")
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("chromedriver starts");
    let lines = BufReader::new(driver.stdout.take().expect("it is piped")).lines();
    let port = lines
        .map_while(Result::ok)
        .find_map(|line| line.strip_suffix('.')?.split_once("started successfully on port ")?.1.parse::<u16>().ok());
    if port.is_none() {
        _ = driver.wait();
    }
    Some((driver, SocketAddr::from((Ipv4Addr::LOCALHOST, port?))))
}

async fn begin(http: &reqwest::Client, server: SocketAddr, chromium: &Path) -> Session {
    // No sandbox, because CI runs as root and the pages are our own. Other hosts do not resolve.
    let arguments = [
        "--headless=new",
        "--no-sandbox",
        "--disable-dev-shm-usage",
        "--disable-gpu",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
        "--no-proxy-server",
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
        "--force-color-profile=srgb",
        "--hide-scrollbars",
    ];
    let options = json!({ "binary": chromium, "args": arguments });
    let wanted = json!({ "capabilities": { "alwaysMatch": {
            "browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": { "browser": "ALL" },
            // A script may still be showing the element that a test looks for.
            "timeouts": { "implicit": 5_000 },
        } } });
    let response = http.post(format!("http://{server}/session")).json(&wanted).send().await;
    let response: Value = response.expect("chromedriver answers").json().await.expect("JSON");
    let id = response["value"]["sessionId"].as_str().unwrap_or_else(|| panic!("no browser: {response}"));
    Session { server, id: id.to_owned() }
}
