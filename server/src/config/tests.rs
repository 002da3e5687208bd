//! The config file, which source of a setting takes precedence, names, and secrets.

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Arg, Command, CommandFactory, FromArgMatches, Parser};
use itinerary_core::legs::{Speed, Speeds};
use itinerary_platform::settings::*;
use itinerary_store::Quotas;
use serde_json::Value;

use super::effective::masked;
use super::file::apply;
use super::names::{is_url, key, settings as settings_of, variable, with_variables};
use super::variables::unknown;
use super::*;

#[derive(Debug, Parser)]
struct Settings {
    #[command(flatten)]
    storage: Storage,
    #[command(flatten)]
    serve: Config,
}

/// The settings by a config file and these words of the command line. No variable of this process is set.
fn parsed(file: &str, words: &[&str]) -> Result<Parsed<Settings>, String> {
    let (command, keys) = apply(with_variables(Settings::command()), file)?;
    let words = ["itinerary-server"].iter().chain(words);
    let matches = command.clone().try_get_matches_from(words).map_err(|error| error.to_string())?;
    let settings = Settings::from_arg_matches(&matches).expect("valid settings");
    Ok(Parsed { settings, command, matches, file: Some((PathBuf::from("itinerary.toml"), keys)) })
}

fn settings(file: &str, words: &[&str]) -> Result<Settings, String> {
    Ok(parsed(file, words)?.settings)
}

#[test]
fn flags_take_precedence_over_the_file_and_the_file_over_the_defaults() {
    let file = "listen = \"127.0.0.1:9\"\nlimits = \"off\"\ndata = \"/var/lib/itinerary\"\n\
        trusted_proxies = [\"127.0.0.1\", \"::1\"]\nanswers_memory = 5\n[oauth]\nstrict_refresh = true\n\
        [quota]\nmembers = 7\nfollowing = 8\n[legs]\nwalk_up_to = 9.0\n";
    let Settings { storage, serve } =
        settings(file, &["--limits", "on", "--quota-following", "9"]).expect("valid settings");
    assert!(serve.limits && serve.oauth_strict_refresh && !serve.no_migrate);
    assert_eq!(serve.quotas(), Quotas { members: 7, following: 9, ..Quotas::default() });
    assert_eq!(serve.trusted_proxies, [IpAddr::from([127, 0, 0, 1]), "::1".parse().expect("an address")]);
    assert_eq!(serve.answers_memory, 5 << 20);
    assert_eq!(serve.legs.speeds, Speeds { walk_up_to: 9.0, ..Speeds::default() });
    assert_eq!(serve.with_base_url().expect("a port").base_url, "http://127.0.0.1:9");
    assert_eq!(storage.database_url(), "sqlite:///var/lib/itinerary/itinerary.db");
    assert_eq!(storage.key_file(), PathBuf::from("/var/lib/itinerary/server.key"));
}

#[test]
fn the_defaults_are_those_of_the_documentation() {
    let Settings { storage, serve } = settings("", &[]).expect("the defaults");
    assert_eq!(serve.quotas(), Quotas::default());
    assert_eq!((serve.body_stall, serve.connections, serve.answers_memory), (Duration::from_secs(30), 4096, 64 << 20));
    assert!(serve.limits && serve.gazetteer && serve.oauth_client_documents && !serve.oauth_strict_refresh);
    assert_eq!(serve.legs.speeds, Speeds::default());
    assert_eq!((storage.data, storage.access), (PathBuf::from("./data"), Access::Create));
    assert_eq!(Config::new(serve.listen).base_url, serve.with_base_url().expect("a port").base_url);
}

// A table is a prefix at any depth, so each of these means the same.
#[test]
fn tables_may_be_written_in_any_way() {
    let speed = Speed { kmh: 4.0, detour: 1.5, minutes: 1.0 };
    for file in [
        "[legs]\nwalk = { kmh = 4, detour = 1.5, minutes = 1.0 }",
        "[legs.walk]\nkmh = 4.0\ndetour = 1.5\nminutes = 0x1",
        "legs.walk.kmh = 4.0\nlegs_walk_detour = 1.5\nlegs.walk_minutes = '1'",
    ] {
        let Settings { serve, .. } = settings(file, &[]).expect(file);
        assert_eq!(serve.legs.speeds, Speeds { walk: speed, ..Speeds::default() }, "{file}");
    }
    assert!(settings("[legs]\nwalk_kmh = 4.0", &[]).expect("one number").serve.legs.speeds.walk.detour > 1.0);
    assert!(settings("[oauth]", &[]).is_ok(), "an empty table says nothing");
}

#[test]
fn an_invalid_file_is_refused_without_its_text() {
    for (text, told) in [
        ("# A\ndatabase_url = \"Sesame\\q\"", "line 2: "),
        ("database_url = 'Sesame\n'", "line 2: "),
        ("listen = '127.0.0.1:1'\nlisten = '127.0.0.1:2'", "line 2: "),
        ("database_connections = 'Sesame'", "line 1: `database_connections`: must be a whole number"),
        (
            "database_connections = 99999999999",
            "line 1: `database_connections`: must be a whole number from 0 to 4294967295",
        ),
        ("sqlite_cache_mb = 0", "line 1: `sqlite_cache_mb`: must be a whole number from 1 to 65536"),
        ("limits = 'Sesame'", "line 1: `limits`: must be one of on, off"),
        ("limits_timeout = 0", "line 1: `limits_timeout`: must be a number of milliseconds"),
        ("limits_unavailable = 'Sesame'", "line 1: `limits_unavailable`: must be one of allow, reject"),
        ("\n\nlog_format = 'Sesame'", "line 3: `log_format`: must be one of text, json"),
        ("database_url = ['Sesame']", "line 1: `database_url` must be a string, a number or a boolean"),
        (
            "providers.viator_key.x = 'Sesame'",
            "line 1: there is no key `providers_viator_key_x`; did you mean `providers_viator_key`?",
        ),
        ("listen = 3", "line 1: `listen`: must be an IP address and a port"),
        ("trusted_proxies = ['10.0.0.0/8']", "line 1: `trusted_proxies`: must be a single IP address"),
        ("data = ''", "line 1: `data`: must not be empty"),
        ("data = 2026-01-01", "line 1: `data` must be a string"),
        ("base_url = 'Sesame'", "line 1: `base_url`: must be http://"),
        ("base_url = ''", "line 1: `base_url`: must be http://"),
        ("mcp_origins = ['https://a.example', 'Sesame']", "line 1: `mcp_origins`: must be an origin"),
        ("[quota]\nmembers = -1", "line 2: `quota_members`: "),
        ("lisen = 'Sesame'", "line 1: there is no key `lisen`; did you mean `listen`?"),
        ("base-url = 'https://a.example'", "line 1: there is no key `base-url`; did you mean `base_url`?"),
        ("[oauth]\nstrict = true", "line 2: there is no key `oauth_strict`; did you mean `oauth_strict_refresh`?"),
        ("quotas.members = 1", "line 1: there is no key `quotas_members`; did you mean `quota_members`?"),
        (
            "[wallet]\nstrict_refresh = true",
            "line 2: there is no key `wallet_strict_refresh`; did you mean `oauth_strict_refresh`?",
        ),
        (
            "[oauth]\nbase_url = 'Sesame'",
            "line 2: there is no key `oauth_base_url`; did you mean `base_url`? Keys without a table come before",
        ),
        ("oauth_strict_refresh = true\n[oauth]\nstrict_refresh = false", "line 3: `oauth_strict_refresh` is set twice"),
        ("[dance]", "line 1: there is no table `[dance]`"),
        ("[dance]\nfloor = 'Sesame'", "line 2: there is no key `dance_floor`"),
        ("config = 'Sesame'", "line 1: there is no key `config`"),
        ("help = true", "line 1: there is no key `help`"),
    ] {
        let error = parsed(text, &[]).map(|_| ()).expect_err(text);
        assert!(error.starts_with(told) && !error.contains("Sesame"), "{text}: {error}");
    }
}

#[test]
fn limits_may_be_a_url_which_is_not_shown() {
    let limits = |file: &str, words: &[&str]| settings(file, words).expect("valid settings").serve;
    assert!(limits("", &[]).has_limits() && !limits("limits = 'off'", &[]).has_limits());
    let shared = limits("limits = 'redis://:Sesame@counters.example'", &[]);
    assert_eq!(shared.limit_settings.from, Limits::Shared("redis://:Sesame@counters.example".to_owned()));
    assert!(shared.has_limits() && !format!("{shared:?}").contains("Sesame"));
    assert_eq!(
        limits("limits = 'redis://:Sesame@counters.example'", &["--limits", "on"]).limit_settings.from,
        Limits::Own
    );
}

#[test]
fn impossible_values_are_refused() {
    for (number, told) in [
        ("walk = { kmh = 0.0 }", "`legs_walk_kmh`: must be a number more than 0"),
        ("walk.kmh = nan", "`legs_walk_kmh`: must be"),
        ("walk.kmh = 'fast'", "`legs_walk_kmh`: must be"),
        ("taxi.detour = 0.9", "`legs_taxi_detour`: must be a number of at least 1"),
        ("bus.minutes = -1", "`legs_bus_minutes`: must be a number of at least 0"),
        ("drive_up_to = inf", "`legs_drive_up_to`: must be"),
    ] {
        let error = settings(&format!("[legs]\n{number}"), &[]).expect_err(number);
        assert!(error.starts_with(&format!("line 2: {told}")), "{error}");
    }
    let any_port = settings("", &["--listen", "127.0.0.1:0"]).expect("an address");
    assert!(matches!(any_port.serve.with_base_url(), Err(SettingsError::NoPort)));
    let same = settings("", &["--metrics-listen", "127.0.0.1:8080"]).expect("an address");
    assert!(matches!(same.serve.with_base_url(), Err(SettingsError::SameListener)));
}

#[test]
fn a_map_service_is_checked_and_needs_its_credit() {
    for (line, told) in [
        ("tiles = 'https://{s}.Sesame.example/{z}/{x}/{y}.png'", "`maps_tiles`: must not contain {s}"),
        ("tiles = 'https://Sesame.example/{z}/{x}.png'", "`maps_tiles`: must contain {z}, {x} and {y}, each once"),
        ("tiles = 'http://sesame.example/{z}/{x}/{y}.png'", "`maps_tiles`: must begin with https://"),
        ("tiles = 'https://a:Sesame@tile.example/{z}/{x}/{y}'", "`maps_tiles`: must not contain a user"),
        ("tiles = 'Sesame/{z}/{x}/{y}'", "`maps_tiles`: must be an https:// address"),
        ("attribution = '<b>Sesame</b>'", "`maps_attribution`: must be plain text"),
        ("attribution = ''", "`maps_attribution`: must"),
        ("attribution_link = 'http://Sesame.example'", "`maps_attribution_link`: must begin with https://"),
    ] {
        let error = settings(&format!("[maps]\n{line}"), &[]).map(|_| ()).expect_err(line);
        assert!(error.starts_with(&format!("line 2: {told}")) && !error.to_lowercase().contains("sesame"), "{error}");
    }
    let tiles = "[maps]\ntiles = 'https://tile.example/{z}/{x}/{y}.png'\n";
    let serve = |file: &str| settings(file, &[]).expect("valid settings").serve.with_base_url();
    let error = serve(tiles).map(|_| ()).expect_err("no attribution").to_string();
    assert_eq!(error, "`maps_tiles` needs `maps_attribution`");
    let maps = serve(&format!("{tiles}attribution = '© OpenStreetMap contributors'")).expect("valid settings").maps;
    assert_eq!(maps.attribution.as_deref(), Some("© OpenStreetMap contributors"));
    assert_eq!(maps.tiles.expect("tiles").origin(), "https://tile.example");
    assert!(settings("", &[]).expect("the defaults").serve.maps.tiles.is_none());
}

// An array of tables in the file is the same as JSON in a flag. Errors have no values.
#[test]
fn providers_are_an_array_of_tables() {
    let table =
        "[[oidc]]\nname = 'Acme'\nissuer = 'https://id.acme.example'\nclient_id = 'trips'\nclient_secret = 'Sesame'\n";
    let more = "email_domains = ['acme.example']\ncreate_accounts = false\n";
    let flag = r#"[{"name": "Acme", "issuer": "https://id.acme.example", "client_id": "trips", "client_secret": "Sesame",
        "email_domains": ["acme.example"], "create_accounts": false}]"#;
    let read = settings(&format!("{table}{more}"), &[]).expect("valid settings").serve.sign_in.oidc;
    assert_eq!(read.as_ref().map(|oidc| oidc.0.len()), Some(1));
    assert_eq!(settings("", &["--oidc", flag]).expect("valid settings").serve.sign_in.oidc, read);
    let second = table.replace("Acme", "B").replace("acme", "b");
    let both = settings(&format!("{table}{second}"), &["--password-sign-in", "off"]).expect("valid settings").serve;
    assert_eq!(both.sign_in.oidc.as_ref().map(|oidc| oidc.0.len()), Some(2));
    assert!(both.with_base_url().is_ok());
    let effective = parsed(&format!("{table}{more}"), &[]).expect("valid settings").effective(&[]).to_string();
    assert!(effective.contains("# oidc = \"***\"") && !effective.contains("Sesame"), "{effective}");
    for (file, told) in [
        (format!("{table}creat_accounts = 'Sesame'"), "line 1: `oidc`: provider 1: there is no key `creat_accounts`"),
        (format!("{table}{table}"), "line 1: `oidc`: each provider must have another `issuer`"),
        (
            table.replace("[[oidc]]", "[oidc]"),
            "line 2: `oidc` is an array of tables: write `[[oidc]]` instead of `[oidc]`",
        ),
        (table.replace("'Acme'", "2026-01-01"), "line 1: `oidc` must be"),
        ("oidc = 'Sesame'".to_owned(), "line 1: `oidc`: must be an array of tables"),
    ] {
        let error = settings(&file, &[]).map(|_| ()).expect_err(&file);
        assert!(error.starts_with(told) && !error.contains("Sesame"), "{error}");
    }
    let error = settings("password_sign_in = 'off'", &[]).expect("valid settings").serve.with_base_url();
    assert_eq!(
        error.map(|_| ()).expect_err("nobody can sign in").to_string(),
        "`password_sign_in` is off, so `oidc` must have a provider"
    );
}

/// Every flag of the program and of its commands, with the names of its command.
fn all_args(command: &Command, path: &str) -> Vec<(String, Arg)> {
    let own = command.get_arguments().filter(|arg| arg.get_long().is_some_and(|long| long != "help"));
    let mut args: Vec<_> = own.map(|arg| (path.to_owned(), arg.clone())).collect();
    for inner in command.get_subcommands().filter(|command| command.get_name() != "help") {
        args.extend(all_args(inner, &format!("{path}{} ", inner.get_name())));
    }
    args
}

// The rule for names, without exceptions: a setting has a flag, a variable and a key of one name; an option of a command has
// a flag only.
#[test]
fn a_flag_s_variable_and_key_have_its_name() {
    let command = with_variables(crate::cli::bare_command());
    for (path, arg) in all_args(&command, "") {
        let (long, variable) = (arg.get_long().expect("a long flag"), arg.get_env().and_then(|name| name.to_str()));
        if !path.is_empty() {
            assert_eq!(variable, None, "{path}--{long} is an option of a command, which has no variable");
        } else if long != "version" {
            let name = long.replace('-', "_");
            assert_eq!(variable, Some(&*format!("ITINERARY_{}", name.to_uppercase())));
            assert!(
                name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_'),
                "{name}"
            );
            assert!(arg.is_global_set() && arg.get_help().is_some(), "{name}");
            assert!(arg.get_index().is_none() && arg.get_all_aliases().is_none(), "{name} has one name");
        }
    }
    let found = settings_of(&command);
    for arg in found {
        // Every setting can be a key, whose value the flag's parser checks.
        let error = apply(command.clone(), &format!("{} = [[]]", key(arg))).map(|_| ()).expect_err("no value");
        assert!(error.starts_with(&format!("line 1: `{}` must be", key(arg))), "{error}");
    }
}

// `hide_env_values` is the one mark of a secret.
#[test]
fn secrets_and_urls_hide_their_env_values() {
    let command = with_variables(crate::cli::bare_command());
    for arg in settings_of(&command) {
        let (name, values) = (key(arg), arg.get_value_names().unwrap_or_default());
        let is_named = ["password", "secret", "token"].iter().any(|word| name.ends_with(word));
        let is_value = values.iter().any(|value| ["PASSWORD", "SECRET", "TOKEN", "KEY"].contains(&value.as_str()));
        assert!(!(is_named || is_value) || arg.is_hide_env_values_set(), "{name} is shown");
        assert!(!is_url(arg) || arg.is_hide_env_values_set(), "{name}, a URL, is shown in the help");
    }
}

#[test]
fn secrets_are_never_printed() {
    let command = with_variables(Settings::command());
    let (mut file, mut secrets) = (String::new(), 0);
    for arg in settings_of(&command).filter(|arg| arg.is_hide_env_values_set()) {
        let value = if is_url(arg) { "redis://ana:Sesame@db.example:1/x?auth=Sesame" } else { "Sesame" };
        let line = format!("{} = '{value}'\n", key(arg));
        // Some URLs may have no user.
        if apply(command.clone(), &line).is_ok() {
            (file, secrets) = (file + &line, secrets + 1);
        }
    }
    assert!(secrets >= 8, "{file}");
    let effective = parsed(&file, &[]).expect(&file).effective(&[]);
    for text in [effective.to_string(), effective.json().to_string()] {
        assert!(!text.contains("Sesame") && text.contains("***@db.example:1/x"), "{text}");
    }
    assert_eq!(effective.0.iter().filter(|setting| setting.is_masked).count(), secrets);
}

#[test]
fn the_secret_parts_of_a_url_are_hidden() {
    let command = with_variables(Settings::command());
    let url = settings_of(&command).find(|arg| key(arg) == "database_url").expect("the setting");
    for (value, shown) in [
        ("postgres://ana:Sesame@db.example/trips?sslmode=require", "postgres://***@db.example/trips?sslmode=require"),
        ("postgres://Sesame@db.example", "postgres://***@db.example"),
        (
            "postgres://ana:Ses,ame@a,b:5433,[::1]/x?target_session_attrs=read-write&password=Sesame",
            "postgres://***@a,b:5433,[::1]/x?target_session_attrs=read-write&***",
        ),
        ("redis+sentinel://:Sesame@a,b/c?sentinel_password=Sesame", "redis+sentinel://***@a,b/c?***"),
        ("postgres://db.example/x?user=ana&password=Sesame", "postgres://db.example/x?***&***"),
        ("postgres://ana:Ses@me@db.example/x", "postgres://***@db.example/x"),
        ("postgres://ana:Ses/ame@db.example/x", "***"),
        ("postgres://ana:1?Sesame@db.example/x", "***"),
        ("postgres://ana:1#Sesame@db.example/x", "***"),
        ("https://db.example/#Sesame", "https://db.example/#***"),
        ("ana:Sesame@db.example", "***@db.example"),
        ("redis://:Sesame@[::1]:6379/0", "redis://***@[::1]:6379/0"),
    ] {
        assert_eq!(masked(url, value).as_deref(), Some(shown), "{value}");
    }
    for value in ["postgres://db.example:5432/trips?sslmode=verify-full", "sqlite:///var/lib/itinerary.db", "s3://b/p"]
    {
        assert_eq!(masked(url, value), None, "{value}");
    }
    let contact = settings_of(&command).find(|arg| key(arg) == "providers_contact").expect("the setting");
    assert_eq!(masked(contact, "ops@trips.example"), None);
}

// What `config` prints means the same as a config file.
#[test]
fn the_effective_settings_are_a_config_file() {
    let file = "data = \"/a \\\"b\\\"\\u007F\\n\"\ntrusted_proxies = ['::1', '127.0.0.1']\nmcp_origins = []\nlimits = 'off'\n\
        [oauth]\nstrict_refresh = true\n[legs.walk]\nkmh = 4\n";
    let first = parsed(file, &["--connections", "7"]).expect("valid settings");
    let derived = [("base_url", "http://127.0.0.1:8080".to_owned())];
    let effective = first.effective(&derived);
    let again = parsed(&effective.to_string(), &[]).expect("a config file");
    assert_eq!(format!("{:?}", again.settings), format!("{:?}", first.settings));
    let source = |name: &str| effective.0.iter().find(|it| it.key == name).map(|it| it.source);
    for (name, expected) in [
        ("data", Source::File),
        ("oauth_strict_refresh", Source::File),
        ("connections", Source::Flag),
        ("listen", Source::Default),
    ] {
        assert_eq!(source(name), Some(expected), "{name}");
    }
    let text = effective.to_string();
    for line in [
        "oauth_strict_refresh = true                         # file",
        "connections = 7                                     # flag",
        "# base_url = \"http://127.0.0.1:8080\"                # default, follows from other settings",
        "# files_url =                                       # default, not set",
        "limits = \"off\"                                      # file",
        "legs_walk_kmh = 4.0                                 # file",
        "trusted_proxies = [\"::1\",\"127.0.0.1\"]               # file",
    ] {
        assert!(text.lines().any(|found| found == line), "{line} is not in\n{text}");
    }
    assert_eq!(effective.json()["connections"], serde_json::json!({ "value": 7, "source": "flag" }));
    assert_eq!(effective.json()["files_url"]["value"], Value::Null);
}

#[test]
fn a_variable_that_is_no_setting_is_reported() {
    let command = with_variables(Settings::command());
    let names =
        ["ITINERARY_LISTEN", "ITINERARY_SERVER", "ITINERARY_LISEN", "HOME", "ITINERARY_ZZZ", "ITINERARY_CONFIG"];
    let warnings = unknown(&command, names.into_iter().map(str::to_owned));
    assert_eq!(
        warnings,
        [
            "the environment variable ITINERARY_LISEN is not a setting; did you mean ITINERARY_LISTEN?",
            "the environment variable ITINERARY_ZZZ is not a setting",
        ]
    );
    assert_eq!(variable("base_url"), "ITINERARY_BASE_URL");
}
