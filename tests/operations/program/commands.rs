//! The command line: settings and their precedence, commands beside a running server, starting and stopping.

use std::fs;

use itinerary_tests::bodies::{minimal, with};
use itinerary_tests::engines::Engine;
use itinerary_tests::program::{Program, command, fail, free_address, make_account, make_token, run, succeed, words};
use itinerary_tests::world::PASSWORD;
use itinerary_tests::{Database, Sqlite, api_test};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader};

use itinerary_tests::wire::{Wire, json_head};

// A command's change takes effect with the next request to a server on the same database.
#[api_test]
async fn commands_work_beside_a_running_server(database: Database) {
    let Some(engine) = Engine::on(database) else { return };
    let server = Program::serve(&engine, &[]).await;
    make_account(&engine, "ana").await;
    let token = make_token(&engine, "ana").await;
    let packing = || {
        let body = with(minimal(), json!({ "packing": [{ "name": "Hat" }] }));
        server.call(Method::POST, "/v1/itineraries?dryRun=true").token(&token).json(&body)
    };
    let account = async || server.call(Method::GET, "/v1/account").token(&token).send().await;
    let say = async |more: &[&str]| succeed(command(words(&engine, more)), "").await;

    packing().send().await.expect_error(403, "subscriptionRequired");
    assert_eq!(say(&["account", "plan", "ana", "pro"]).await, "ana is on the plan pro.\n");
    assert_eq!(packing().send().await.status, 200);
    assert_eq!(account().await.json()["plan"], "pro");
    assert_eq!(say(&["account", "plan", "ana", "free"]).await, "ana is on the plan free.\n");
    packing().send().await.expect_error(403, "subscriptionRequired");

    assert_eq!(say(&["integrations", "status"]).await, "Integrations are running.\n");
    say(&["integrations", "pause", "--retry-after", "45"]).await;
    let paused = account().await;
    paused.expect_error(503, "featureUnavailable");
    assert_eq!(paused.header("retry-after"), "45");
    let status = say(&["integrations", "status"]).await;
    assert_eq!(status, "Integrations are paused; apps are told to retry after 45 seconds.\n");
    assert_eq!(say(&["integrations", "resume"]).await, "Integrations are running.\n");
    assert_eq!(account().await.status, 200);

    let list = say(&["account", "list"]).await;
    assert!(list.starts_with("ana ") && list.contains("  free  ") && list.lines().count() == 1, "{list}");
    let said = succeed(command(words(&engine, &["account", "password", "ana"])), "another good one\n");
    assert_eq!(said.await, "Changed the password of ana; every session and connected app has ended.\n");
    account().await.expect_error(401, "unauthenticated");
    let token = make_token(&engine, "ana").await;
    assert_eq!(server.call(Method::GET, "/v1/account").token(&token).send().await.status, 200);
}

// `--no-migrate` leaves an empty database alone and says what to do; `migrate` does it.
#[api_test]
async fn a_database_that_lacks_migrations_is_not_served_without_them(database: Database) {
    let Some(engine) = Engine::on(database) else { return };
    let serve = words(&engine, &["serve", "--listen", &free_address(), "--no-migrate"]);
    let said = fail(command(serve)).await;
    let wrong = if matches!(database, Sqlite) { "itinerary.db does not exist" } else { "lacks " };
    assert!(said.contains("migrate") && said.contains(wrong), "{said}");
    let said = succeed(command(words(&engine, &["migrate"])), "").await;
    assert!(said.ends_with("the database is up to date.\n") && !said.starts_with('0'), "{said}");
    let again = succeed(command(words(&engine, &["migrate"])), "").await;
    assert!(again.starts_with("0 migrations applied"), "{again}");
    let server = Program::serve(&engine, &["--no-migrate"]).await;
    assert_eq!(server.call(Method::GET, "/readyz").send().await.status, 200);
}

// `--data` and `--database-url`.
#[api_test]
async fn data_flags_may_precede_or_follow_the_command(database: Database) {
    let Some(engine) = Engine::on(database) else { return };
    let after = |more: &[&str]| more.iter().map(|word| (*word).to_owned()).chain(engine.flags()).collect::<Vec<_>>();
    let said = succeed(command(after(&["account", "create", "ana"])), PASSWORD).await;
    assert!(said.starts_with("Created the account ana ("), "{said}");
    for arguments in [after(&["account", "list"]), words(&engine, &["account", "list"])] {
        assert!(succeed(command(arguments), "").await.starts_with("ana "));
    }
    let address = free_address();
    for arguments in [after(&["serve", "--listen", &address]), words(&engine, &["--listen", &address])] {
        // They also work without a command.
        let server = Program::start(command(arguments)).await;
        assert_eq!(server.call(Method::GET, "/healthz").send().await.status, 200);
        server.ask_to_stop();
        assert_eq!(server.exit_code().await, Some(0));
    }
}

// The first start prints all addresses and paths; later ones the same without the new key.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_says_where_everything_is() {
    let engine = Engine::sqlite();
    let data = engine.data().canonicalize().expect("the folder is there");
    for first in [true, false] {
        let mut server = Program::serve(&engine, &["--limits", "off"]).await;
        let base = server.base_url.clone();
        let welcome = server.welcome.clone();
        for expected in
            [&base, &format!("{base}/sign-up"), &format!("{base}/openapi.json"), &data.display().to_string()]
        {
            assert!(welcome.contains(expected), "{expected} is not in {welcome}");
        }
        let told = server.next_line().await.expect("another line");
        assert_eq!((welcome.contains("new server key"), welcome.contains("server.key")), (first, true), "{welcome}");
        assert!(told.contains("LIMITS ARE OFF"), "{told}");
        for page in ["/sign-up", "/openapi.json"] {
            assert_eq!(server.call(Method::GET, page).send().await.status, 200);
        }
        server.ask_to_stop();
        assert_eq!(server.exit_code().await, Some(0));
    }
}

// A flag takes precedence over the environment, the environment over the file.
#[tokio::test(flavor = "multi_thread")]
async fn settings_come_from_flags_the_environment_and_the_file() {
    let engine = Engine::sqlite();
    let (file, data) = (engine.file("itinerary.toml"), engine.file("from-file"));
    let (address, from_file) = (free_address(), free_address());
    let text = format!(
        "data = {data:?}\nlisten = {from_file:?}\nbase_url = \"https://file.example\"\nlimits = \"off\"\n\
         log_format = \"json\"\n[oauth]\nstrict_refresh = true\n"
    );
    fs::write(&file, text).expect("a config file");
    let file = file.display().to_string();
    let issuer = async |server: &Program| {
        let metadata = server.call(Method::GET, "/.well-known/oauth-authorization-server").send().await.json();
        metadata["issuer"].as_str().expect("an issuer").to_owned()
    };

    let server = Program::start(command(["--config", &*file])).await;
    assert_eq!(server.base_url, format!("http://{from_file}"));
    assert_eq!(issuer(&server).await, "https://file.example");
    assert!(data.join("itinerary.db").exists() && data.join("server.key").exists());
    drop(server);

    let mut with_environment = command(["serve"]);
    with_environment.env("ITINERARY_CONFIG", &file).env("ITINERARY_LISTEN", &address);
    with_environment.env("ITINERARY_BASE_URL", "https://environment.example");
    with_environment.env("ITINERARY_DATA", engine.file("from-environment"));
    let server = Program::start(with_environment).await;
    assert_eq!(server.base_url, format!("http://{address}"));
    assert_eq!(issuer(&server).await, "https://environment.example");
    assert!(engine.file("from-environment").join("itinerary.db").exists());
    drop(server);

    let mut with_flags = command(["serve", "--base-url", "https://flag.example", "--config", &*file]);
    with_flags.env("ITINERARY_BASE_URL", "https://environment.example").env("ITINERARY_LISTEN", free_address());
    let server = Program::start(with_flags).await;
    assert_eq!(issuer(&server).await, "https://flag.example");
    drop(server);

    // A flag may stand before the command.
    let server = Program::start(command(["--base-url", "https://flag.example", "serve", "--config", &*file])).await;
    assert_eq!(server.base_url, format!("http://{from_file}"));
    assert_eq!(issuer(&server).await, "https://flag.example");
}

/// The settings of `serve` are in its help and the program's, those of storage in every command's.
// The short help fits on a screen of 40 lines, everywhere; all settings are in the long help of serve.
#[tokio::test(flavor = "multi_thread")]
async fn help_lists_what_a_command_needs() {
    for (arguments, has_serve) in [
        (&[][..], false),
        (&["serve"], true),
        (&["config"], false),
        (&["migrate"], false),
        (&["account"], false),
        (&["account", "create"], false),
        (&["places", "import", "geonames"], false),
        (&["backup"], false),
        (&["restore"], false),
        (&["jobs", "run"], false),
    ] {
        let with = |flag: &'static str| command(arguments.iter().copied().chain([flag]));
        let (short, long) = (succeed(with("-h"), "").await, succeed(with("--help"), "").await);
        assert!(short.lines().count() <= 40, "{arguments:?}: {short}");
        for help in [&short, &long] {
            let has_common = help.contains("--database-url <URL>") && help.contains("--data is ITINERARY_DATA");
            assert!(has_common && !help.contains("--legs-walk-kmh"), "{arguments:?}: {help}");
        }
        assert_eq!(long.contains("--wallet-apple-team <IDENTIFIER>"), has_serve, "{arguments:?}: {long}");
    }
}

// Invalid settings are rejected before anything is created.
#[tokio::test(flavor = "multi_thread")]
async fn settings_that_mean_nothing_are_refused() {
    let engine = Engine::sqlite();
    let file = engine.file("itinerary.toml");
    let path = file.display().to_string();
    let data = engine.file("data");
    for (text, word) in [
        ("lisen = \"127.0.0.1:1\"", "did you mean `listen`?"),
        ("[oauth]\nstrict = true", "did you mean `oauth_strict_refresh`?"),
        ("limits = \"maybe\"", "`limits`: must be one of on, off"),
        ("listen = \"localhost\"", "listen"),
        ("base_url = \"https://trips.example/\"", "`base_url`: must be"),
        ("limits = ", "itinerary.toml"),
        ("listen = \"127.0.0.1:0\"", "needs `base_url`"),
    ] {
        fs::write(&file, text).expect("a config file");
        let said = fail(command(["--config", &*path, "--data", &data.display().to_string(), "serve"])).await;
        assert!(said.contains(word), "{text}: {said}");
    }
    let absent = engine.file("absent.toml").display().to_string();
    let said = fail(command(["--config", &*absent, "account", "list"])).await;
    assert!(said.contains("absent.toml"), "{said}");
    assert!(!data.exists(), "nothing was made");
    for arguments in [
        vec!["serve", "--limits", "maybe"],
        vec!["--limits", "maybe", "serve"],
        vec!["serve", "--listen", "nowhere"],
        vec!["account", "plan", "ana", "gold"],
        vec!["integrations", "pause", "--retry-after", "0"],
        vec!["dance"],
    ] {
        let output = run(command(arguments.clone()), "").await;
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    }
}

// Commands report what is wrong with their arguments.
#[tokio::test(flavor = "multi_thread")]
async fn commands_say_what_is_wrong() {
    let engine = Engine::sqlite();
    make_account(&engine, "ana").await;
    for (arguments, input, word) in [
        (&["account", "create", "ana"][..], PASSWORD, "taken"),
        (&["account", "create", "Ana"], PASSWORD, "taken"),
        (&["account", "create", "a b"], PASSWORD, "username"),
        (&["account", "create", "ben"], "short", "password"),
        (&["account", "plan", "nobody", "pro"], "", "account not found"),
        (&["account", "token", "nobody"], "", "account not found"),
        (&["account", "token", "ana", "--scope", "everything"], "", "scope"),
        (&["account", "password", "nobody"], PASSWORD, "account not found"),
    ] {
        let output = run(command(words(&engine, arguments)), input).await;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {said}");
        assert!(said.starts_with("itinerary-server: ") && said.contains(word), "{arguments:?}: {said}");
        assert!(output.stdout.is_empty());
    }
    let unreachable = ["--database-url", "postgres://127.0.0.1:1/nothing", "account", "list"];
    let said = fail(command(unreachable.into_iter().chain(["--data", &*engine.data().display().to_string()]))).await;
    assert!(said.contains("database"), "{said}");
    let said = fail(command([
        "--database-url",
        "mysql://localhost/x",
        "migrate",
        "--data",
        &*engine.data().display().to_string(),
    ]));
    assert!(said.await.contains("sqlite://"));
}

/// Only the address for metrics shows them; they name operations, not paths.
#[tokio::test(flavor = "multi_thread")]
async fn metrics_have_a_listener_of_their_own() {
    let engine = Engine::sqlite();
    make_account(&engine, "ana").await;
    let address = free_address();
    let server = Program::serve(&engine, &["--metrics-listen", &address]).await;
    let http = reqwest::Client::new();
    let metrics = format!("http://{address}/metrics");
    let scrape = async || http.get(&metrics).send().await.expect("an answer").text().await.expect("text");
    assert!(!scrape().await.contains("http_request_duration_seconds_count"));
    for (path, status) in [("/healthz", 200), ("/healthz", 200), ("/v1/account", 401), ("/metrics", 404)] {
        assert_eq!(server.call(Method::GET, path).send().await.status, status, "{path}");
    }
    let text = scrape().await;
    for line in [
        "# TYPE http_request_duration_seconds histogram",
        "http_request_duration_seconds_count{operation=\"health_live\",status=\"200\"} 2",
        "http_request_duration_seconds_bucket{le=\"+Inf\",operation=\"account_self\",status=\"401\"} 1",
        "http_request_duration_seconds_count{operation=\"none\",status=\"404\"} 1",
        "# EOF",
    ] {
        assert!(text.lines().any(|found| found == line), "{line} is not in {text}");
    }
    let response = http.get(&metrics).send().await.expect("an answer");
    assert!(response.headers()["content-type"].to_str().is_ok_and(|it| it.starts_with("application/openmetrics-text")));
    assert_eq!(http.post(&metrics).send().await.expect("an answer").status(), 405);
    assert_eq!(http.get(format!("http://{address}/healthz")).send().await.expect("an answer").status(), 404);

    let said = fail(command(words(&engine, &["--listen", &free_address(), "--metrics-listen", &address]))).await;
    assert!(said.contains(&format!("cannot listen on {address}: ")), "{said}");
}

// A second server on the same address reports the conflict and ends.
#[tokio::test(flavor = "multi_thread")]
async fn a_second_server_on_the_same_address_is_refused() {
    let engine = Engine::sqlite();
    let server = Program::serve(&engine, &[]).await;
    let address = server.address().to_string();
    let said = fail(command(words(&engine, &["serve", "--listen", &address]))).await;
    assert!(said.contains(&format!("cannot listen on {address}: ")), "{said}");
    assert!(said.contains("in use") && said.contains("with --listen"), "reason and remedy are not in {said}");
    assert_eq!(server.call(Method::GET, "/healthz").send().await.status, 200, "the first goes on");
}

// F-21: on SIGTERM the server accepts no more requests, finishes those in progress, and exits with success.
#[api_test]
async fn a_server_that_is_asked_to_stop_finishes_what_it_has(database: Database) {
    let Some(engine) = Engine::on(database) else { return };
    make_account(&engine, "ana").await;
    let token = make_token(&engine, "ana").await;
    let mut server = Program::serve(&engine, &[]).await;
    let address = server.address();
    // One connection is idle, one is in the middle of a request's body.
    let mut idle = Wire::connect(address).await;
    idle.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
    assert_eq!(idle.response().await.status, 200);
    let body = minimal().to_string();
    let mut busy = Wire::connect(address).await;
    let framing = format!("Content-Length: {}\r\nExpect: 100-continue", body.len());
    busy.send(json_head("POST", "/v1/itineraries", &token, &framing)).await;
    // The server has sent 100 Continue, so it has accepted the request.
    assert!(busy.is_asked_to_continue().await);

    server.ask_to_stop();
    let said = server.next_line().await.expect("it says so");
    assert_eq!(said, "Stopping after the requests in progress.");
    assert!(idle.is_closed().await);
    busy.send(body).await;
    let made = busy.response().await;
    assert_eq!(made.status, 201, "{}", made.text());
    assert!(busy.is_closed().await);
    assert_eq!(server.exit_code().await, Some(0));
    assert!(tokio::net::TcpStream::connect(address).await.is_err(), "nothing listens any more");

    let server = Program::serve(&engine, &[]).await;
    let read = server.call(Method::GET, made.header("location")).token(&token).send().await;
    assert_eq!(read.json()["id"], made.json()["id"], "what was answered is there");
}

// `--json` and `--quiet` work before and after each command, as a variable and as a key; errors are JSON too.
#[tokio::test(flavor = "multi_thread")]
async fn commands_print_for_scripts() {
    let engine = Engine::sqlite();
    let json = async |more: &[&str], input: &str| -> Vec<Value> {
        let said = succeed(command(words(&engine, more)), input).await;
        said.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    };
    assert!(json(&["migrate", "--json"], "").await[0]["migrationsApplied"].as_u64() > Some(0));
    let created = json(&["--json", "account", "create", "ana"], PASSWORD).await;
    assert_eq!(created[0]["username"], "ana");
    let list = json(&["account", "list", "--json"], "").await;
    let facts = json!([list.len(), list[0]["accountId"], list[0]["plan"], list[0]["displayName"]]);
    assert_eq!(facts, json!([1, created[0]["accountId"], "free", "ana"]));
    assert_eq!(list[0]["signInMethods"], json!(["password"]));
    assert_eq!(
        json(&["account", "plan", "ana", "pro", "--json"], "").await,
        [json!({ "username": "ana", "plan": "pro" })]
    );
    assert!(json(&["account", "token", "ana", "--json"], "").await[0]["token"].is_string());
    let paused = json(&["integrations", "pause", "--retry-after", "45", "--json"], "").await;
    assert_eq!(paused, [json!({ "paused": true, "retryAfter": 45 })]);
    assert_eq!(json(&["reports", "list", "--json"], "").await, [Value::Null; 0]);

    let quiet = async |more: &[&str]| succeed(command(words(&engine, more)), PASSWORD).await;
    assert_eq!(quiet(&["account", "list", "-q"]).await, "ana\n");
    assert_eq!(quiet(&["integrations", "resume", "--quiet"]).await, "running\n");
    assert_eq!(quiet(&["-q", "account", "password", "ana"]).await, "");
    let mut by_variable = command(words(&engine, &["account", "list"]));
    by_variable.env("ITINERARY_QUIET", "true");
    assert_eq!(succeed(by_variable, "").await, "ana\n");

    let output = run(command(words(&engine, &["account", "plan", "nobody", "pro", "--json"])), "").await;
    let error: Value = serde_json::from_slice(&output.stderr).expect("JSON");
    assert_eq!(
        (output.status.code(), error),
        (Some(1), json!({ "error": { "message": "account not found: nobody" } }))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_says_in_json_where_it_is() {
    let engine = Engine::sqlite();
    let address = free_address();
    let mut child =
        command(words(&engine, &["serve", "--listen", &address, "--json"])).spawn().expect("the program starts");
    let mut lines = BufReader::new(child.stdout.take().expect("it was piped")).lines();
    let line = lines.next_line().await.expect("text").expect("a line");
    let said: Value = serde_json::from_str(&line).expect("JSON");
    let facts = json!([said["address"], said["baseUrl"], said["newKey"]]);
    assert_eq!(facts, json!([address, format!("http://{address}"), true]));
    child.kill().await.expect("it ran");
}

// They need neither a database nor a data folder, and a closed pipe is no failure.
#[tokio::test(flavor = "multi_thread")]
async fn the_shell_gets_completions_and_a_manual() {
    for shell in ["bash", "zsh", "fish"] {
        let script = succeed(command(["completion", shell]), "").await;
        assert!(script.contains("retry-after") && script.contains("sqlite-durability"), "{shell}");
    }
    let page = succeed(command(["man"]), "").await;
    assert!(page.contains(".SH \"EXIT STATUS\"") && page.contains("itinerary\\-server\\-account(1)"), "{page}");
    assert!(page.contains("wallet\\-apple\\-team") && page.contains("ITINERARY_DATA"), "{page}");
    assert!(succeed(command(["--help"]), "").await.contains("  2  invalid arguments"));
    let mut child = command(["man"]).spawn().expect("the program starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().await.expect("it ran");
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
}
