//! The command `config`, errors in settings, and the page that lists all settings.

use std::fs;

use itinerary_tests::engines::Engine;
use itinerary_tests::program::{command, fail, run, succeed};
use serde_json::{Value, json};

mod page;

// It prints each setting with its source, can read what it prints, and creates nothing.
#[tokio::test(flavor = "multi_thread")]
async fn config_prints_the_settings_in_force() {
    let engine = Engine::sqlite();
    let (file, data) = (engine.file("itinerary.toml"), engine.file("data"));
    let text = "listen = \"127.0.0.1:9\"\nlog_format = \"json\"\nproviders.viator_key = \"Sesame\"\n";
    fs::write(&file, text).expect("a config file");
    let data = data.display().to_string();
    let with_settings = |words: &[&str]| {
        let mut command =
            command(["--config", &file.display().to_string(), "--data", &data].iter().chain(words).copied());
        command
            .env("ITINERARY_DATABASE_URL", "postgres://ana:Sesame@127.0.0.1:1/trips")
            .env("ITINERARY_CONECTIONS", "9");
        command.env("ITINERARY_TOKEN", "Sesame");
        command
    };
    let output = run(with_settings(&["config"]), "").await;
    let (printed, warned) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{warned}");
    let line = |start: &str| {
        printed.lines().find(|line| line.starts_with(start)).unwrap_or_else(|| panic!("{start}: {printed}"))
    };
    assert!(line("listen = \"127.0.0.1:9\"").ends_with("# file"));
    assert!(line("data = ").ends_with("# flag"));
    assert!(line("gazetteer = \"off\"").ends_with("# environment"));
    assert!(line("connections = 4096").ends_with("# default"));
    assert!(line("# database_url = \"postgres://***@127.0.0.1:1/trips\"").ends_with("# environment, masked"));
    assert!(line("# base_url = \"http://127.0.0.1:9\"").ends_with("# default, follows from other settings"));
    assert!(!printed.contains("Sesame") && !warned.contains("Sesame"), "{printed}{warned}");
    let expected = "itinerary-server: warning: the environment variable ITINERARY_CONECTIONS is not a setting; \
        did you mean ITINERARY_CONNECTIONS?\n";
    assert_eq!(warned, expected);

    let json: Value = serde_json::from_str(&succeed(with_settings(&["config", "--json"]), "").await).expect("JSON");
    assert_eq!(json["settings"]["listen"], json!({ "value": "127.0.0.1:9", "source": "file" }));
    assert_eq!(json["settings"]["providers_viator_key"], json!({ "value": "***", "source": "file", "masked": true }));
    assert_eq!(json["warnings"].as_array().map(Vec::len), Some(1));
    assert_eq!(succeed(with_settings(&["config", "--quiet"]), "").await, "");

    let again = engine.file("again.toml");
    fs::write(&again, printed.as_bytes()).expect("a config file");
    let said = succeed(command(["config", "--config", &*again.display().to_string(), "--json"]), "").await;
    let read: Value = serde_json::from_str(&said).expect("JSON");
    for (key, facts) in json["settings"].as_object().expect("settings") {
        if facts["masked"].is_null() && !["json", "database_url"].contains(&key.as_str()) {
            assert_eq!(read["settings"][key]["value"], facts["value"], "{key}");
        }
    }
    assert!(!engine.file("data").exists(), "config creates nothing");
}

// It fails where `serve` would fail before it opens the database.
#[tokio::test(flavor = "multi_thread")]
async fn config_refuses_what_serve_refuses() {
    let engine = Engine::sqlite();
    let (data, key) = (engine.file("data").display().to_string(), engine.file("short.key"));
    fs::write(&key, "short").expect("a file");
    let key = key.display().to_string();
    for (words, told) in [
        (&["--listen", "127.0.0.1:0"][..], "needs `base_url`"),
        (&["--database-url", "mysql://a.example/x"], "must begin with sqlite:// or postgres://"),
        (&["--database-url", "postgres://ana:Ses@me:x@db.example:y/x"], "postgres://USER:PASSWORD@HOST"),
        (&["--database-replica-url", "postgres://db.example/x"], "only a PostgreSQL database has replicas"),
        (&["--limits", "http://:Ses@me@127.0.0.1"], "must start with redis://"),
        (&["--files-url", "http://bucket"], "files_url must be s3://"),
        (&["--files-url", "s3://key:Ses@me@bucket"], "without user and password"),
        (&["--limits", "http://:Ses@me@counters.example"], "the URL in limits must start with redis://"),
        (&["--key-file", &key], "must have 32 bytes"),
        (&["--no-migrate"], "the key file"),
        (&["--wallet-apple-team", "ABCDE12345"], "wallet.apple_pass_type"),
        (&["--password-sign-in", "off"], "`oidc` must have a provider"),
        (
            &[
                "--oidc",
                r#"[{"name":"A","issuer":"https://a.example","client_id":"x","client_secret_file":"/absent"}]"#,
            ],
            "/absent",
        ),
        (&["--wallet-google-issuer", "1", "--wallet-google-service-account", "/absent.json"], "/absent.json"),
        (&["--providers-geocoder", "photon", "--providers-geocoder-url", "nowhere"], "provider"),
    ] {
        let output = run(command(["config", "--data", &*data].iter().chain(words).copied()), "").await;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{words:?}: {said}");
        assert!(said.starts_with("itinerary-server: ") && said.contains(told), "{words:?}: {said}");
        assert!(output.stdout.is_empty() && !said.contains("Ses@me"), "{words:?}: {said}");
    }
    assert!(!engine.file("data").exists());
}

// Errors of the arguments are JSON like all others; the exit code stays 2.
#[tokio::test(flavor = "multi_thread")]
async fn invalid_arguments_are_reported_as_json() {
    for (words, told) in [
        (&["--json", "dance"][..], "unrecognized subcommand 'dance'"),
        (&["account", "list", "--limits", "maybe", "--json"], "invalid value 'maybe' for '--limits "),
        (&["--json=true", "account"], "requires a subcommand"),
        (
            &["--json", "--oidc", r#"[{"name":"A","client_secret":"Ses@me"}]"#, "config"],
            "provider 1: needs `client_id`",
        ),
        (&["--json", "account", "plan"], "required arguments were not provided"),
    ] {
        let output = run(command(words.iter().copied()), "").await;
        let error: Value = serde_json::from_slice(&output.stderr).expect("JSON");
        let message = error["error"]["message"].as_str().expect("a message");
        assert_eq!(output.status.code(), Some(2), "{words:?}: {message}");
        assert!(
            message.contains(told)
                && !message.contains('\n')
                && !message.contains("Usage")
                && !message.contains("Ses@me"),
            "{words:?}: {message}"
        );
    }
    let mut by_variable = command(["dance"]);
    by_variable.env("ITINERARY_JSON", "true");
    let output = run(by_variable, "").await;
    assert!(serde_json::from_slice::<Value>(&output.stderr).is_ok(), "{output:?}");
    let absent = ["--json", "--config", "/absent.toml", "config"];
    let error: Value = serde_json::from_slice(&run(command(absent), "").await.stderr).expect("JSON");
    assert!(error["error"]["message"].as_str().is_some_and(|message| message.contains("/absent.toml")), "{error}");
}

// Help and errors go to terminals and logs.
#[tokio::test(flavor = "multi_thread")]
async fn neither_help_nor_errors_show_secrets_of_the_environment() {
    let with_secrets = |words: &[&str]| {
        let mut command = command(words.iter().copied());
        command.env("ITINERARY_DATABASE_URL", "postgres://ana:Sesame@db.example/x");
        command.env("ITINERARY_PROVIDERS_GEOCODER_URL", "https://ana:Sesame@a.example");
        command.env("ITINERARY_WALLET_APPLE_KEY_PASSWORD", "Sesame").env("ITINERARY_PROVIDERS_VIATOR_KEY", "Sesame");
        command
    };
    let help = succeed(with_secrets(&["serve", "--help"]), "").await;
    assert!(help.contains("--wallet-apple-key-password") && !help.contains("Sesame"), "{help}");
    let mut invalid = with_secrets(&["config"]);
    invalid.env("ITINERARY_BASE_URL", "https://ana:Sesame@trips.example");
    let said = fail(invalid).await;
    assert!(said.contains("https://***@trips.example") && !said.contains("Sesame"), "{said}");
}

// Not an error, because wrappers and other programs use the prefix too.
#[tokio::test(flavor = "multi_thread")]
async fn serve_warns_of_a_variable_that_is_no_setting() {
    let engine = Engine::sqlite();
    let data = engine.file("data").display().to_string();
    let mut serve = command(["serve", "--no-migrate", "--data", &*data]);
    serve.env("ITINERARY_LISEN", "Sesame");
    let said = fail(serve).await;
    let expected = "the environment variable ITINERARY_LISEN is not a setting; did you mean ITINERARY_LISTEN?";
    assert!(said.contains(expected) && said.contains("WARN") && !said.contains("Sesame"), "{said}");
}
