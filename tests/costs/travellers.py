"""A traveller with large itineraries, and apps that the traveller has connected."""

import base64
import hashlib
import html
import http.client
import json
import re
from urllib.parse import parse_qs, quote, urlencode, urlsplit

from server import Call

PASSWORD = "correct horse battery"
SCOPES = "itineraries:read itineraries:write documents:read documents:write"
CALLBACK = "http://127.0.0.1:8765/callback"
VERIFIER = "a-verifier-of-more-than-forty-three-characters"
APPS = 10
LISBON = {"name": "Lisbon", "coordinate": {"latitude": 38.72, "longitude": -9.14}}
# Stored bytes of the large itinerary, which leave room for changes below 256 KB.
LARGE = 235_000


def point(number):
    """Points scattered over Lisbon."""
    return {"latitude": round(38.70 + (number * 7_919 % 1_000) / 12_000, 6), "longitude": round(-9.20 + (number * 104_729 % 997) / 9_000, 6)}


def stop(number, placed=True, name=None):
    made = {"id": f"stop-{number}", "name": name or f"Stop {number}", "durationMinutes": 20}
    if placed:
        made["place"] = {"coordinate": point(number), "name": "x" * 20, "address": "Rua Augusta, Lisboa"}
    return made


# Words with which many names around Lisbon begin.
WORDS = ["Santa Maria", "Sao Pedro", "Praia da Costa", "Monte Novo", "Casal do Rio", "Quinta da Torre", "Vale de Lobos"]


def unplaced(days, stops):
    """Days whose stops have to be looked for: each around another point."""
    name = lambda day, n: f"{WORDS[(day + n) % len(WORDS)]} {WORDS[n % len(WORDS)]} {day * 100 + n}"
    made = []
    for day in range(days):
        looked_for = [stop(day * stops + n, False, name(day, n)) for n in range(1, stops)]
        made.append({"id": f"day-{day}", "stops": [stop(day * stops), *looked_for]})
    return made


class Stage:
    def __init__(self, server):
        self.server, self.made = server, 0
        server.command("account", "create", "mia", input=PASSWORD + "\n")
        server.command("account", "plan", "mia", "pro")
        for name in ("ben", "eva"):
            server.command("account", "create", name, input=PASSWORD + "\n")
        self.cookie = self.sign_in()
        self.tokens = [self.connect_app(number) for number in range(APPS)]
        self.token = self.tokens[0]
        self.id = self.get("/v1/account")["accountId"]
        self.bens = server.command("account", "token", "ben")
        self.ben = self.get("/v1/account", self.bens)["accountId"]
        self.eva = self.get("/v1/account", server.command("account", "token", "eva"))["accountId"]
        # A follower becomes a member without an invitation.
        server.expect(Call("PUT", f"/v1/accounts/{self.id}/follow", self.bens))
        self.invitations = [id for owner in range(3) for id in self.invited_by(f"owner-{owner}")]
        self.eight = self.new(summary="s" * 4_800, days=[{"stops": [stop(n) for n in range(14)]}])
        self.large = self.new(visibility="public", **self.large_content())
        self.full_day = self.new(days=[{"id": "day-0", "stops": [stop(n) for n in range(100)]}])
        self.to_place = self.new(days=unplaced(10, 50))
        self.of_ben = self.new(visibility="public", token=self.bens)
        for number in range(100):
            self.new(title="t" * 200, summary="\N{EARTH GLOBE EUROPE-AFRICA}" * 5_000, visibility="public")
        self.calendar = self.calendar_address()

    def get(self, path, token=None):
        return json.loads(self.server.expect(Call("GET", path, token or self.token)).content)

    def post(self, path, body, token=None):
        return json.loads(self.server.expect(Call("POST", path, token or self.token, body)).content)

    def new(self, visibility="private", token=None, **content):
        """The id of a new itinerary."""
        self.made += 1
        body = {"title": f"Trip {self.made}", "destination": LISBON, "startDate": "2027-05-01", **content}
        id = self.post("/v1/itineraries?allowDuplicate=true", body, token)["id"]
        if visibility != "private":
            self.server.expect(Call("PATCH", f"/v1/itineraries/{id}", token or self.token, {"visibility": visibility}))
        return id

    def invited_by(self, owner):
        """The ids of ten itineraries of a new account, to which the traveller is invited."""
        self.server.command("account", "create", owner, input=PASSWORD + "\n")
        token = self.server.command("account", "token", owner)
        return [self.invitation(token) for _ in range(10)]

    def invitation(self, token):
        """The id of a new itinerary to which the traveller is invited."""
        id = self.new(token=token)
        self.server.expect(Call("PUT", f"/v1/itineraries/{id}/members/{self.id}", token, {"role": "editor"}))
        return id

    def large_content(self):
        """Everything that an itinerary can have, below the limit of its size."""
        days = [{"id": f"day-{day}", "stops": [stop(day * 50 + n) for n in range(50)]} for day in range(20)]
        place = {"name": "Hotel", "coordinate": point(1)}
        content = {
            "days": days,
            "hotels": [{"id": f"hotel-{n}", "name": "Hotel", "place": place, "checkInDate": "2027-05-01T15:00:00+01:00"} for n in range(50)],
            "flights": [
                {"id": f"flight-{n}", "flightNumber": "TP123", "departureAirport": {"code": "LIS"}, "arrivalAirport": {"code": "CDG"},
                 "departureDate": "2027-05-01T10:00:00+01:00", "arrivalDate": "2027-05-01T13:00:00+02:00"} for n in range(20)
            ],
            "expenses": [{"id": f"expense-{n}", "name": "Coffee", "cost": {"amount": 2.5, "currency": "EUR"}} for n in range(100)],
            "packing": [{"id": f"item-{n}", "name": "Socks", "quantity": 3} for n in range(100)],
        }
        while len(json.dumps(content, separators=(",", ":"))) > LARGE:
            days.pop()
        return content

    def browser(self, method, path, form=None, cookie=""):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port)
        headers = {"Cookie": cookie, "Accept": "text/html", "Origin": f"http://127.0.0.1:{self.server.port}"}
        if form is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        connection.request(method, path, body=None if form is None else urlencode(form), headers=headers)
        answer = connection.getresponse()
        answer.content = answer.read().decode()
        return answer

    def form(self, page):
        """The hidden fields of a page."""
        found = re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)"', page.content)
        return {name: html.unescape(value) for name, value in found}

    def sign_in_form(self):
        """The fields of a sign-in, and the cookie that belongs to them."""
        page = self.browser("GET", "/sign-in")
        visitor = page.getheader("Set-Cookie").split(";")[0]
        return {**self.form(page), "username": "mia", "password": PASSWORD}, visitor

    def sign_in(self):
        form, visitor = self.sign_in_form()
        page = self.browser("POST", "/sign-in", form, visitor)
        assert page.status == 303, page.content
        return page.getheader("Set-Cookie").split(";")[0]

    def register(self, number):
        metadata = {"client_name": f"App {number}", "redirect_uris": [CALLBACK], "token_endpoint_auth_method": "none"}
        return json.loads(self.server.expect(Call("POST", "/oauth/register", json=metadata)).content)["client_id"]

    def consent_path(self, client):
        challenge = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).decode().rstrip("=")
        return "/oauth/authorise?" + urlencode({
            "response_type": "code", "client_id": client, "redirect_uri": CALLBACK, "scope": SCOPES, "state": "s",
            "code_challenge": challenge, "code_challenge_method": "S256",
        })

    def code(self, client):
        page = self.browser("GET", self.consent_path(client), cookie=self.cookie)
        form = {**self.form(page), "decision": "approve"}
        page = self.browser("POST", "/oauth/authorise/decision", form, self.cookie)
        return parse_qs(urlsplit(page.getheader("Location")).query)["code"][0]

    def redemption(self, client):
        form = {
            "grant_type": "authorization_code", "code": self.code(client), "redirect_uri": CALLBACK, "client_id": client,
            "code_verifier": VERIFIER,
        }
        return Call("POST", "/oauth/token", body=urlencode(form).encode(), headers={"Content-Type": "application/x-www-form-urlencoded"})

    def connect_app(self, number):
        """An access token of a new app."""
        client = self.register(number)
        return json.loads(self.server.expect(self.redemption(client)).content)["access_token"]

    def calendar_address(self):
        page = self.browser("GET", "/account/calendar", cookie=self.cookie)
        page = self.browser("POST", "/account/calendar", self.form(page), self.cookie)
        found = re.search(r"/calendar/[\w-]+\.ics", page.content)
        return found[0]
