"""The browser step of a sign-in: from the app's link to the redirect to the app.

    browser.py LINK USERNAME PASSWORD [SCOPE [KEPT]]
    browser.py --any LINK USERNAME PASSWORD

Prints the final redirect. With SCOPE the link requests only these scopes. KEPT of these scopes
the traveller has approved before (default: 0): the consent page must list the others as new. Without --any the link must be
one for MCP.
"""

import re
import sys
from collections import Counter
from html.parser import HTMLParser
from http.cookiejar import CookieJar
from urllib.error import HTTPError
from urllib.parse import parse_qs, urlencode, urljoin, urlsplit
from urllib.request import HTTPCookieProcessor, HTTPRedirectHandler, ProxyHandler, Request, build_opener

SCOPES = "itineraries:read itineraries:write"
REQUIRED = {"response_type": "code", "code_challenge_method": "S256"}


class Page(HTMLParser):
    """The form, the bold text and the lengths of the lists of a page."""

    def __init__(self, address: str, html: str) -> None:
        super().__init__()
        self.address = address
        self.action = ""
        self.fields: dict[str, str] = {}
        self.bold: list[str] = []
        # The number of entries, by the list's class.
        self.lists: Counter[str] = Counter()
        self._list = ""
        self._is_bold = False
        self.feed(html)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        attribute = {name: value or "" for name, value in attributes}
        if tag == "form" and attribute.get("method") == "post":
            self.action = urljoin(self.address, attribute["action"])
        if tag == "input" and "name" in attribute:
            self.fields[attribute["name"]] = attribute.get("value", "")
        self._is_bold = tag == "strong"
        if tag == "ul":
            self._list = attribute.get("class", "")
        if tag == "li":
            self.lists[self._list] += 1

    def handle_endtag(self, tag: str) -> None:
        self._is_bold = False

    def handle_data(self, data: str) -> None:
        if self._is_bold:
            self.bold.append(data)


class _NoRedirects(HTTPRedirectHandler):
    def redirect_request(self, *_: object) -> None:
        return None


class Browser:
    """Stores cookies, and stops at redirects that leave the service."""

    def __init__(self, service: str) -> None:
        self.service = service
        self._opener = build_opener(ProxyHandler({}), HTTPCookieProcessor(CookieJar()), _NoRedirects)

    def open(self, address: str, form: dict[str, str] | None = None) -> Page | str:
        """The final page within the service, or the redirect that leaves it."""
        while address.startswith(f"{self.service}/"):
            data = urlencode(form).encode() if form is not None else None
            try:
                with self._opener.open(Request(address, data, {"Accept": "text/html"})) as response:
                    return Page(address, response.read().decode())
            except HTTPError as answer:
                if answer.code not in (302, 303):
                    text = re.sub(r"(<[^>]*>|\s)+", " ", answer.read().decode())
                    raise SystemExit(f"{address} answered {answer.code}:{text[:1000]}") from answer
                address, form = urljoin(address, answer.headers["Location"]), None
        return address


def approve(link: str, username: str, password: str, scope: str = SCOPES, kept: int | str = 0) -> str:
    """Signs in and approves. Returns the final redirect."""
    address = urlsplit(link)
    service = f"{address.scheme}://{address.netloc}"
    query = {name: values[0] for name, values in parse_qs(address.query, strict_parsing=True).items()}
    # A client that started with the address of /mcp only has discovered all of this.
    expected = REQUIRED | {"resource": f"{service}/mcp"}
    if {name: query.get(name) for name in expected} != expected or set(query["scope"].split()) != set(SCOPES.split()):
        raise SystemExit(f"the link is not what an app should ask for: {link}")

    return agree(address._replace(query=urlencode(query | {"scope": scope})).geturl(), username, password, kept)


def agree(link: str, username: str, password: str, kept: int | str = 0) -> str:
    """Signs in and approves any link. Returns the final redirect."""
    address = urlsplit(link)
    query = parse_qs(address.query)
    redirect, scopes = query["redirect_uri"][0], query["scope"][0].split()
    browser = Browser(f"{address.scheme}://{address.netloc}")
    sign_in = browser.open(link)
    if not isinstance(sign_in, Page) or urlsplit(sign_in.address).path != "/sign-in":
        raise SystemExit(f"the link does not lead to the sign-in page: {sign_in}")
    consent = browser.open(sign_in.action, sign_in.fields | {"username": username, "password": password})
    if not isinstance(consent, Page) or urlsplit(consent.address).path != "/oauth/authorise":
        raise SystemExit(f"signing in does not lead to the consent page: {consent}")
    if username not in consent.bold:
        raise SystemExit(f"the consent page does not say whose account it is: {consent.bold}")
    shown = (consent.lists["scopes"], consent.lists["allowed"])
    if shown != (len(scopes) - int(kept), int(kept)):
        raise SystemExit(f"the consent page asks for {shown[0]} scopes and says that {shown[1]} are allowed")
    back = browser.open(consent.action, consent.fields | {"decision": "approve"})
    if not isinstance(back, str) or not back.startswith(f"{redirect}?"):
        raise SystemExit(f"approving does not lead back to the app: {back}")
    return back


if __name__ == "__main__":
    if sys.argv[1] == "--any":
        print(agree(*sys.argv[2:]))
    else:
        print(approve(*sys.argv[1:]))
