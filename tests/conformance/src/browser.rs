//! A small browser for the pages of sign-in: keeps cookies, sends forms, and follows redirects within the service.

use std::sync::Arc;

use reqwest::cookie::Jar;
use reqwest::{Method, Url};
use url::Position;

use crate::call::Call;
use crate::outcome::{Checked, Stop};
use crate::response::ReceivedResponse;
use crate::service::{self, Service};

/// The `Accept` header of a browser that follows a link.
const ACCEPT: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
/// More redirects than any flow has.
const MOST_REDIRECTS: usize = 6;

/// A browser with its own cookies.
pub struct Browser {
    service: Arc<Service>,
    origin: Url,
}

/// The page that the browser shows.
#[derive(Debug)]
pub struct Page {
    /// The last response.
    pub response: ReceivedResponse,
    /// The address of that response.
    pub address: Url,
    /// The redirect target, if it is outside the service.
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
    pub fn new(service: &Service) -> Checked<Self> {
        let http = service::client().cookie_provider(Arc::new(Jar::default())).build();
        let http = http.map_err(|error| Stop::failed(format!("an HTTP client ({error})")))?;
        let origin = Url::parse(service.base_url()).map_err(|error| Stop::failed(format!("a base URL ({error})")))?;
        Ok(Self { service: service.with_client(http, &origin[..Position::BeforePath]), origin })
    }

    /// A request of this browser that does not follow redirects.
    pub fn call(&self, method: Method, path: &str) -> Call {
        // Limits of pages are hours long.
        Call::new(&self.service, method, path).header("Accept", ACCEPT).without_waiting()
    }

    /// Opens an address, which may be a path, and follows redirects.
    pub async fn open(&self, address: &str) -> Checked<Page> {
        self.follow(self.call(Method::GET, &self.path(address)?), address).await
    }

    /// Sends a form with some fields filled in, and follows redirects.
    pub async fn submit(&self, form: &Form, filled: &[(&str, &str)]) -> Checked<Page> {
        let form = filled.iter().fold(form.clone(), |form, (name, value)| form.with(name, value));
        let fields: Vec<(&str, &str)> = form.fields.iter().map(|(name, value)| (&**name, &**value)).collect();
        let call = self.call(Method::POST, &self.path(&form.action)?).form(&fields);
        self.follow(call, &form.action).await
    }

    fn path(&self, address: &str) -> Checked<String> {
        let url = self.origin.join(address).map_err(|error| Stop::failed(format!("an address ({error})")))?;
        Ok(url[Position::BeforePath..Position::AfterQuery].to_owned())
    }

    async fn follow(&self, call: Call, address: &str) -> Checked<Page> {
        let join = |base: &Url, to: &str| {
            base.join(to).map_err(|error| Stop::failed(format!("a redirect to an address ({to}: {error})")))
        };
        let mut address = join(&self.origin, address)?;
        let mut response = call.send().await?;
        for _ in 0..MOST_REDIRECTS {
            if !(300..400).contains(&response.status) {
                return Ok(Page { response, address, left_for: None });
            }
            let next = join(&address, response.with_header("location")?)?;
            if next.origin() != self.origin.origin() {
                return Ok(Page { response, address, left_for: Some(next) });
            }
            response = self.call(Method::GET, &self.path(next.as_str())?).send().await?;
            address = next;
        }
        Err(response.unlike("a page and not another redirect"))
    }
}

impl Page {
    /// The first form with this action.
    pub fn form(&self, action: &str) -> Checked<Form> {
        let text = self.response.text();
        let forms = text.split("<form ").skip(1).map(|form| form.split("</form>").next().unwrap_or_default());
        let mut forms = forms.filter_map(Form::read).filter(|form| form.action == action);
        forms.next().ok_or_else(|| self.response.unlike(format!("a page with a form that is sent to {action}")))
    }
}

impl Form {
    fn read(html: &str) -> Option<Self> {
        let (head, rest) = html.split_once('>')?;
        let field = |tag: &str| {
            let tag = tag.split('>').next().unwrap_or_default();
            Some((attribute(tag, "name")?, attribute(tag, "value").unwrap_or_default()))
        };
        let fields = rest.split("<input ").skip(1).filter_map(field).collect();
        Some(Self { action: attribute(head, "action")?, fields })
    }

    /// The value of a field, or an empty string.
    pub fn get(&self, name: &str) -> &str {
        self.fields.iter().find(|(field, _)| field == name).map_or("", |(_, value)| value)
    }

    /// The form with another value in a field.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.fields.retain(|(field, _)| field != name);
        self.fields.push((name.to_owned(), value.to_owned()));
        self
    }
}

/// The value of an attribute of a tag.
fn attribute(tag: &str, name: &str) -> Option<String> {
    let mut rest = tag;
    while let Some((before, after)) = rest.split_once("=\"") {
        let (value, after) = after.split_once('"')?;
        if before.rsplit(char::is_whitespace).next() == Some(name) {
            return Some(unescaped(value));
        }
        rest = after;
    }
    None
}

fn unescaped(html: &str) -> String {
    const ESCAPES: [(&str, &str); 10] = [
        ("&#60;", "<"),
        ("&lt;", "<"),
        ("&#62;", ">"),
        ("&gt;", ">"),
        ("&#34;", "\""),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&#x27;", "'"),
        ("&#38;", "&"),
        ("&amp;", "&"),
    ];
    ESCAPES.iter().fold(html.to_owned(), |text, (escape, character)| text.replace(escape, character))
}

#[cfg(test)]
mod tests {
    use super::Form;

    #[test]
    fn forms_are_read_with_their_hidden_fields() {
        let form = Form::read(
            r#"method="post" action="/sign-up"><input name="guard" value="a&#38;b"><input name="username">"#,
        )
        .expect("a form");
        assert_eq!(form.action, "/sign-up");
        assert_eq!((form.get("guard"), form.get("username"), form.get("other")), ("a&b", "", ""));
        assert_eq!(form.with("username", "ana").get("username"), "ana");
    }
}
