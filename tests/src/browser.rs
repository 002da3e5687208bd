//! A small browser: keeps cookies, parses and sends forms, and follows redirects within the server. At a redirect to an
//! app it stops, because the app would take over. It runs no scripts and understands only the HTML of the server's own
//! pages.

use std::collections::BTreeMap;
use std::sync::Arc;

use reqwest::cookie::{CookieStore, Jar};
use reqwest::{Method, Url};

use crate::raw::{self, Call};
use crate::world::PASSWORD;
use crate::{RawResponse, World};

/// The `Accept` header of a browser that follows a link.
const ACCEPT: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
/// More redirects than any flow has.
const MOST_REDIRECTS: usize = 5;

/// A browser on one server.
pub struct Browser {
    http: reqwest::Client,
    jar: Arc<Jar>,
    origin: Url,
}

/// The page that the browser shows.
#[derive(Debug)]
pub struct Page {
    /// The server's last response.
    pub response: RawResponse,
    /// The address of that answer.
    pub address: Url,
    /// The redirect target, if it is outside the server.
    pub left_for: Option<Url>,
}

/// A form of a page, with the values of its fields.
#[derive(Clone, Debug)]
pub struct Form {
    action: String,
    fields: Vec<(String, String)>,
}

impl Browser {
    /// A browser without cookies.
    pub fn new(world: &World) -> Self {
        Self::at(&format!("http://{}", world.address()))
    }

    /// A browser without cookies for the server at this address.
    pub fn at(origin: &str) -> Self {
        let jar = Arc::new(Jar::default());
        let http = raw::client_builder().cookie_provider(Arc::clone(&jar)).build().expect("a client");
        Self { http, jar, origin: Url::parse(origin).expect("an address") }
    }

    /// Creates a traveller who is signed in with this browser.
    pub async fn signed_up(world: &World, name: &str) -> Self {
        let browser = Self::new(world);
        let page = browser.sign_up(name, name, PASSWORD).await;
        assert_eq!((page.response.status.as_u16(), page.address.path()), (200, "/"), "{}", page.text());
        browser
    }

    /// The value of a cookie, if it is set.
    pub fn cookie(&self, name: &str) -> Option<String> {
        let all = self.jar.cookies(&self.origin)?;
        let cookies = all.to_str().expect("plain text").split("; ").filter_map(|cookie| cookie.split_once('='));
        cookies.filter(|(key, _)| *key == name).map(|(_, value)| value.to_owned()).next()
    }

    /// Sets a cookie, as an attacker might.
    pub fn plant(&self, cookie: &str) {
        self.jar.add_cookie_str(cookie, &self.origin);
    }

    /// A single request without following redirects. `address` may be a path.
    pub fn call(&self, method: Method, address: &str) -> Call {
        let url = self.origin.join(address).expect("an address");
        Call(self.http.request(method, url)).header("Accept", ACCEPT)
    }

    /// Goes to an address and follows redirects.
    pub async fn visit(&self, address: &str) -> Page {
        self.go(self.call(Method::GET, address), address).await
    }

    /// Sends a form with some fields filled in and follows redirects.
    pub async fn submit(&self, form: &Form, filled: &[(&str, &str)]) -> Page {
        self.go(self.post(form, filled), &form.action).await
    }

    /// The request of a form, without following redirects.
    pub fn post(&self, form: &Form, filled: &[(&str, &str)]) -> Call {
        let form = filled.iter().fold(form.clone(), |form, (name, value)| form.with(name, value));
        let fields: Vec<(&str, &str)> = form.fields.iter().map(|(name, value)| (&**name, &**value)).collect();
        self.call(Method::POST, &form.action).form(&fields)
    }

    async fn go(&self, call: Call, address: &str) -> Page {
        let mut address = self.origin.join(address).expect("an address");
        let mut response = call.send().await;
        for _ in 0..MOST_REDIRECTS {
            if !response.status.is_redirection() {
                return Page { response, address, left_for: None };
            }
            let next = address.join(response.header("location")).expect("an address to go on to");
            if next.origin() != self.origin.origin() {
                return Page { response, address, left_for: Some(next) };
            }
            response = self.call(Method::GET, next.as_str()).send().await;
            address = next;
        }
        panic!("{address} leads round and round");
    }

    /// Signs up through the page.
    pub async fn sign_up(&self, username: &str, display_name: &str, password: &str) -> Page {
        let form = self.visit("/sign-up").await.form("/sign-up");
        let typed = [("username", username), ("display_name", display_name), ("password", password)];
        self.submit(&form, &typed).await
    }

    /// Signs in through the page.
    pub async fn sign_in(&self, username: &str, password: &str) -> Page {
        let form = self.visit("/sign-in").await.form("/sign-in");
        self.submit(&form, &[("username", username), ("password", password)]).await
    }

    /// Approves or denies the request at this address. Returns the redirect to the app.
    pub async fn decide(&self, address: &str, decision: &str) -> Url {
        let consent = self.visit(address).await;
        assert_eq!(consent.response.status, 200, "{}", consent.text());
        let page = self.submit(&consent.form("/oauth/authorise/decision"), &[("decision", decision)]).await;
        page.left_for.unwrap_or_else(|| panic!("no way back to the app: {}", page.response.text()))
    }
}

impl Page {
    pub fn text(&self) -> String {
        self.response.text()
    }

    /// Checks the visible text of the page.
    #[track_caller]
    pub fn assert_says(&self, words: &str) {
        assert!(unescaped(&self.text()).contains(words), "{words} in {}", self.text());
    }

    /// The first form with this action.
    #[track_caller]
    pub fn form(&self, action: &str) -> Form {
        self.forms(action).into_iter().next().unwrap_or_else(|| panic!("no form to {action} in {}", self.text()))
    }

    /// All forms with this action.
    pub fn forms(&self, action: &str) -> Vec<Form> {
        let text = self.text();
        let forms = text.split("<form ").skip(1).map(|form| form.split("</form>").next().unwrap_or_default());
        forms.map(Form::read).filter(|form| form.action == action).collect()
    }
}

impl Form {
    fn read(html: &str) -> Self {
        let (head, rest) = html.split_once('>').expect("a tag ends");
        let fields = rest.split("<input ").skip(1).map(|tag| attributes(tag.split('>').next().unwrap_or_default()));
        let fields = fields.map(|mut field| {
            let mut take = |name| field.remove(name).unwrap_or_default();
            (take("name"), take("value"))
        });
        let mut attributes = attributes(head);
        assert_eq!(attributes.remove("method").as_deref(), Some("post"), "{head}");
        Self { action: attributes.remove("action").expect("where it is sent"), fields: fields.collect() }
    }

    pub fn has(&self, name: &str) -> bool {
        self.fields.iter().any(|(key, _)| key == name)
    }

    pub fn get(&self, name: &str) -> &str {
        self.fields.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value)
    }

    /// The form without a field, such as an unchecked box.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.fields.retain(|(key, _)| key != name);
        self
    }

    /// The form with another value in a field.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.fields.retain(|(key, _)| key != name);
        self.fields.push((name.to_owned(), value.to_owned()));
        self
    }
}

/// The attributes with a value.
fn attributes(tag: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut rest = tag;
    while let Some((name, after)) = rest.split_once("=\"") {
        let Some((value, after)) = after.split_once('"') else { break };
        let name = name.rsplit(char::is_whitespace).next().unwrap_or_default();
        found.insert(name.to_owned(), unescaped(value));
        rest = after;
    }
    found
}

fn unescaped(html: &str) -> String {
    let mut text = html.to_owned();
    for (escape, character) in [("&#60;", "<"), ("&#62;", ">"), ("&#34;", "\""), ("&#39;", "'"), ("&#38;", "&")] {
        text = text.replace(escape, character);
    }
    text
}
