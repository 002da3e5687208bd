//! Whole response bodies, compared with committed ones in `tests/it/snapshots`. `INSTA_UPDATE=always` renews them; read
//! the difference.

use itinerary_tests::World;
use regex::Regex;
use serde_json::Value;

/// Compares a body with the committed one of this name. What differs from run to run is replaced: the server's address,
/// ids, file names of images, and secrets. An id in Google Wallet begins with the issuer's.
#[track_caller]
pub(crate) fn assert_body(name: &str, world: &World, body: &Value) {
    let text = serde_json::to_string_pretty(body).expect("JSON").replace(&world.base_url, "{server}");
    let text = [
        (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "{uuid}"),
        (r"/images/[A-Za-z0-9_.-]+", "/images/{image}"),
        ("app_[0-9a-f]{32}", "app_{id}"),
        (r"3388000000012345678\.[A-Za-z0-9_-]+", "{issuer}.{id}"),
        (r#"("client_secret": )"[A-Za-z0-9_-]{43,}""#, r#"$1"{secret}""#),
    ]
    .iter()
    .fold(text, |text, (pattern, put)| Regex::new(pattern).expect("a pattern").replace_all(&text, *put).into_owned());
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}
