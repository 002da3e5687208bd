//! Known browsers of an account, so that its owner hears of a sign-in with another one.
//!
//! A browser is known by a cookie with a code for each of the last accounts that it was signed in to. The codes are made with
//! the server's key, nothing is stored, and they open nothing.

use cookie::time;
use http::header::USER_AGENT;
use http::{HeaderMap, HeaderValue};
use itinerary_app::mails::{self, Notice};
use itinerary_platform::context::Service;
use uuid::Uuid;

use crate::sessions;

const NAME: &str = "known";
/// The maximum number of accounts for which a browser is known.
const ACCOUNTS: usize = 5;
/// As long as browsers keep cookies.
const LIFETIME: time::Duration = time::Duration::days(400);

/// Notes that somebody has signed in, after all that was asked of them. Tells the owner if the browser is not known, and
/// returns the cookie by which it is known from now on. `None` if the server sends no mail.
pub(crate) async fn signed_in(service: &Service, headers: &HeaderMap, account: Uuid) -> Option<HeaderValue> {
    if mails::is_on(service) && !codes(service, headers).contains(&code(service, account)) {
        let agent = headers.get(USER_AGENT).and_then(|agent| agent.to_str().ok()).unwrap_or_default();
        mails::notify(service, account, Notice::NewSignIn { browser: &browser(agent) }).await;
    }
    known(service, headers, account)
}

/// The cookie by which the browser is known for an account. `None` if the server sends no mail.
pub(crate) fn known(service: &Service, headers: &HeaderMap, account: Uuid) -> Option<HeaderValue> {
    if !mails::is_on(service) {
        return None;
    }
    let own = code(service, account);
    let mut codes = codes(service, headers);
    codes.retain(|code| *code != own);
    codes.insert(0, own);
    codes.truncate(ACCOUNTS);
    Some(sessions::set_cookie(service, NAME, codes.join("."), Some(LIFETIME)))
}

fn code(service: &Service, account: Uuid) -> String {
    service.key.code("known browser", &account.to_string())
}

/// The codes of the browser's cookie. Those of other servers are no code of any account.
fn codes(service: &Service, headers: &HeaderMap) -> Vec<String> {
    let is_code = |code: &&str| {
        code.len() == 43 && code.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
    };
    let cookie = sessions::cookie(service, headers, NAME).unwrap_or_default();
    cookie.split('.').filter(is_code).take(ACCOUNTS).map(str::to_owned).collect()
}

/// A browser in words, such as "Firefox on Linux". Only words from here: the header may be anything.
fn browser(agent: &str) -> String {
    // The first that matches: each browser also names those that it resembles.
    const BROWSERS: [(&str, &str); 7] = [
        ("Edg", "Edge"),
        ("OPR/", "Opera"),
        ("SamsungBrowser/", "Samsung Internet"),
        ("Firefox/", "Firefox"),
        ("FxiOS/", "Firefox"),
        ("Chrome/", "Chrome"),
        ("Safari/", "Safari"),
    ];
    const SYSTEMS: [(&str, &str); 7] = [
        ("Android", "Android"),
        ("iPhone", "iPhone"),
        ("iPad", "iPad"),
        ("Windows", "Windows"),
        ("Mac OS X", "macOS"),
        ("CrOS", "ChromeOS"),
        ("Linux", "Linux"),
    ];
    let find =
        |words: &[(&str, &'static str)]| words.iter().find(|(mark, _)| agent.contains(mark)).map(|(_, name)| *name);
    match (find(&BROWSERS), find(&SYSTEMS)) {
        (Some(browser), Some(system)) => format!("{browser} on {system}"),
        (Some(browser), None) => browser.to_owned(),
        (None, Some(system)) => format!("a browser on {system}"),
        (None, None) => "an unknown browser".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::browser;

    #[test]
    fn browsers_are_named_in_known_words() {
        for (agent, name) in [
            ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Linux"),
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36 Edg/140.0",
                "Edge on Windows",
            ),
            (
                "Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Mobile Safari/537.36",
                "Chrome on Android",
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Safari/604.1",
                "Safari on iPhone",
            ),
            ("curl/8.0", "an unknown browser"),
            ("", "an unknown browser"),
            ("<script>Linux\r\nBcc: x", "a browser on Linux"),
        ] {
            assert_eq!(browser(agent), name, "{agent}");
        }
    }
}
