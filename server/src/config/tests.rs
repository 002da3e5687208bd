//! The config file, and which source of a setting takes precedence.

use clap::Parser;

use super::file::{apply, with_variables};
use super::*;

#[derive(Debug, Parser)]
struct Settings {
    #[command(flatten)]
    storage: Storage,
    #[command(flatten)]
    serve: Config,
}

/// The settings by a config file and these words of the command line. No variable of this process is set.
fn settings(file: &str, words: &[&str]) -> Result<Settings, String> {
    use clap::{CommandFactory, FromArgMatches};
    let (command, speeds) = apply(with_variables(Settings::command()), file)?;
    let words = ["itinerary-server"].iter().chain(words);
    let matches = command.try_get_matches_from(words).map_err(|error| error.to_string())?;
    let settings = Settings::from_arg_matches(&matches).expect("valid settings");
    Ok(Settings { serve: Config { speeds, ..settings.serve }, ..settings })
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
    assert_eq!(serve.speeds, Speeds { walk_up_to: 9.0, ..Speeds::default() });
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
    assert_eq!(storage.data, PathBuf::from("./data"));
    assert_eq!(Config::new(serve.listen).base_url, serve.with_base_url().expect("a port").base_url);
}

#[test]
fn an_invalid_file_is_refused_without_its_text() {
    for (text, told) in [
        ("# A\ndatabase_url = \"Sesame\\q\"", "line 2: "),
        ("database_url = 'Sesame\n'", "line 2: "),
        ("database_connections = 'Sesame'", "`database_connections`: invalid digit"),
        ("limits = 'Sesame'", "`limits`: must be one of on, off"),
        ("limits_timeout = 0", "`limits_timeout`: must be a number of milliseconds"),
        ("limits_unavailable = 'Sesame'", "`limits_unavailable`: must be one of allow, reject"),
        ("log_format = 'Sesame'", "`log_format`: must be one of text, json"),
        ("database_url = ['Sesame']", "`database_url` must be a string, a number or a boolean"),
        ("providers.viator_key.x = 'Sesame'", "`providers_viator_key` must be a string, a number or a boolean"),
        ("listen = 3", "`listen`: invalid socket address"),
        ("data = ''", "`data`: must not be empty"),
        ("base_url = 'Sesame'", "`base_url`: must be http://"),
        ("base_url = ''", "`base_url`: must be http://"),
        ("mcp_origins = ['https://a.example', 'Sesame']", "`mcp_origins`: must be an origin"),
        ("quota.members = -1", "`quota_members`: "),
        ("lisen = 'Sesame'", "there is no key `lisen`; did you mean `listen`?"),
        ("base-url = 'https://a.example'", "there is no key `base-url`"),
        ("oauth.strict = true", "there is no key `oauth_strict`; did you mean `oauth_strict_refresh`?"),
        ("quotas.members = 1", "there is no key `quotas_members`; did you mean `quota_members`?"),
        ("config = 'Sesame'", "there is no key `config`"),
        ("help = true", "there is no key `help`"),
    ] {
        let error = settings(text, &[]).expect_err(text);
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
    for url in
        ["http://a.example/", "ftp://a.example", "a.example", "https://a.example?x=1", "https://a.example/trips", ""]
    {
        assert!(base_url(url).is_err(), "{url}");
    }
    for text in ["https://a.example/", "a.example", "*"] {
        assert!(origin(text).is_err(), "{text}");
    }
    for speed in ["kmh = 0.0, detour = 1.3", "kmh = nan, detour = 1.3", "kmh = 5.0, detour = -1.0"] {
        let error = settings(&format!("[legs]\nwalk = {{ {speed}, minutes = 0.0 }}"), &[]).expect_err(speed);
        assert!(error.starts_with("[legs]: kmh must be"), "{error}");
    }
    let error = settings("[legs]\nwalk = { kmh = 'fast' }", &[]).expect_err("a text");
    assert!(error.contains("[legs]: ") && error.contains("`walk.kmh`"), "{error}");
    let any_port = settings("", &["--listen", "127.0.0.1:0"]).expect("an address");
    assert!(matches!(any_port.serve.with_base_url(), Err(ConfigError::NoPort)));
}

#[test]
fn a_flag_s_variable_and_key_have_its_name() {
    let command = with_variables(<Settings as clap::CommandFactory>::command());
    for arg in command.get_arguments() {
        let long = arg.get_long().expect("settings have long flags");
        let variable = arg.get_env().expect("and variables").to_str().expect("text");
        assert_eq!(variable.strip_prefix("ITINERARY_"), Some(&*long.replace('-', "_").to_uppercase()));
    }
}
