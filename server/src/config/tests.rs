//! The config file and how settings are put together.

use super::*;

#[test]
fn flags_win_over_the_file_and_the_file_over_the_defaults() {
    let file = ConfigFile::parse(
        "listen = \"127.0.0.1:9\"\nlimits = \"off\"\ndata = \"/var/lib/itinerary\"\n[oauth]\nstrict_refresh = true\n\
         [quotas]\nmembers = 7\nfollowing = 8\n",
    )
    .expect("a config file");
    let quotas = QuotaSettings { following: Some(9), ..QuotaSettings::default() };
    let flags = ServeSettings { limits: Some(Switch::On), quotas, ..ServeSettings::default() };
    let config = flags.resolve(file.serve).expect("a config");
    assert!(config.limits && config.strict_refresh && config.migrate);
    assert_eq!(config.quotas, Quotas { members: 7, following: 9, ..Quotas::default() });
    assert_eq!(config.base_url, "http://127.0.0.1:9");
    let storage = StorageSettings::default().resolve(file.storage);
    assert_eq!(storage.database_url, "sqlite:///var/lib/itinerary/itinerary.db");
}

#[test]
fn what_is_wrong_with_a_file_is_told_without_its_text() {
    for (text, told) in [
        ("# A\ndatabase_url = \"Sesame\\q\"", "line 2: "),
        ("database_url = 'Sesame\n'", "line 2: "),
        ("database_connections = 'Sesame'", "the value must be of another kind: u32 in `database_connections`"),
        ("limits = 'Sesame, expected'", "the value must be of another kind: `on` or `off` in `limits`"),
        ("database_url = ['Sesame']", "the value must be of another kind: a string in `database_url`"),
    ] {
        let error = ConfigFile::parse(text).expect_err(text);
        assert!(error.starts_with(told) && !error.contains("Sesame"), "{error}");
    }
}

#[test]
fn what_means_nothing_is_refused() {
    for text in [
        "lisen = \"127.0.0.1:9\"",
        "[oauth]\nstrict = true",
        "[quotas]\nmembers = -1",
        "[quotas]\nfriends = 1",
        "limits = \"maybe\"",
        "listen = 3",
    ] {
        assert!(ConfigFile::parse(text).is_err(), "{text}");
    }
    for url in
        ["http://a.example/", "ftp://a.example", "a.example", "https://a.example?x=1", "https://a.example/trips", ""]
    {
        assert!(check_base_url(url).is_err(), "{url}");
    }
    for origin in ["https://a.example/", "a.example", "*"] {
        let settings = ServeSettings { mcp_origins: Some(vec![origin.to_owned()]), ..ServeSettings::default() };
        assert!(matches!(settings.resolve(ServeSettings::default()), Err(ConfigError::McpOrigin(_))), "{origin}");
    }
    for speed in ["kmh = 0.0, detour = 1.3", "kmh = nan, detour = 1.3", "kmh = 5.0, detour = -1.0"] {
        let text = format!("listen = \"127.0.0.1:9\"\n[legs]\nwalk = {{ {speed}, minutes = 0.0 }}");
        let file = ConfigFile::parse(&text).expect("a table of numbers");
        let refused = ServeSettings::default().resolve(file.serve);
        assert!(matches!(refused, Err(ConfigError::Legs)), "{speed}");
    }
}
