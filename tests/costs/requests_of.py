"""For each operation of the OpenAPI document, requests in the form that costs the server most. Also what is no operation of
the document: pages and calendars."""

import base64
import json
import struct
import zlib
from urllib.parse import urlencode

from server import Call
from travellers import LISBON, stop, unplaced

CALLS = 30
GZIP = {"Accept-Encoding": "gzip"}
BOUNDARY = "boundary-of-the-form"
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
# The largest image: pixels a side.
PIXELS = 6_000
# Bytes of a chunk of an age file, with its tag.
CHUNK = 65_552


def same(method, path, **more):
    """The same request each time. `{large}` and the like are ids of the stage's itineraries."""
    return lambda stage: [Call(method, path.format(**vars(stage)), stage.token, **more) for _ in range(CALLS)]


def each(make):
    """A request for each number."""
    return lambda stage: [make(stage, number) for number in range(CALLS)]


def large(method, path, json=None, headers=None):
    """A request about the large itinerary, in whose path and body `{n}` is the number of the request."""
    fill = lambda value, n: eval(repr(value).replace("{n}", str(n)))
    return each(lambda stage, n: Call(
        method, f"/v1/itineraries/{stage.large}{path}".replace("{n}", str(n)), stage.token, fill(json, n), headers=headers or {},
    ))


def new_itineraries(**content):
    return each(lambda stage, n: Call(
        "POST", "/v1/itineraries?allowDuplicate=true", stage.token, {"title": f"New {n}", "destination": LISBON, **content},
    ))


def consumed(request):
    """Requests that need an itinerary each."""
    return each(lambda stage, n: request(stage, stage.new(title=f"Consumed {n}")))


def tool(name, arguments):
    """Calls of an MCP tool; `{large}` and the like are ids of the stage's itineraries."""
    def call(stage, number):
        filled = {key: value.format(**vars(stage)) if isinstance(value, str) else value for key, value in arguments.items()}
        message = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": name, "arguments": filled}}
        headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}
        return Call("POST", "/mcp", stage.token, message, headers=headers)
    return each(call)


def picture(stage, _):
    """A large PNG of one colour, which is small to send."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    header = struct.pack(">IIBBBBB", PIXELS, PIXELS, 8, 2, 0, 0, 0)
    rows = zlib.compress((b"\0" + b"\x40\x80\xc0" * PIXELS) * PIXELS, 1)
    body = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
    return Call("PUT", f"/v1/itineraries/{stage.eight}/cover-image", stage.token, body=body, headers={"Content-Type": "image/png"})


def sealed(stage, number, size=20_000_000):
    """A file in the structure of age: a header, a nonce, and chunks of 64 KiB with their tags."""
    key = base64.b64encode(b"Z" * 32).decode().rstrip("=")
    head = f"age-encryption.org/v1\n-> X25519 {key}\n{key}\n--- {key}\n".encode()
    file = head + bytes([number]) * (16 + size // CHUNK * CHUNK + 32)
    disposition = 'Content-Disposition: form-data; name="file"; filename="pass.age"'
    parts = [f"--{BOUNDARY}\r\n{disposition}\r\nContent-Type: application/octet-stream\r\n\r\n".encode(), file, f"\r\n--{BOUNDARY}--\r\n".encode()]
    headers = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}
    return Call("POST", f"/v1/itineraries/{stage.eight}/documents", stage.token, body=b"".join(parts), headers=headers)


def imported(stage, number):
    """A mail of 30 KB with a booking in JSON-LD."""
    booking = {
        "@context": "http://schema.org",
        "@type": "LodgingReservation",
        "reservationNumber": f"R{number}",
        "checkinTime": "2027-05-15T15:00:00+01:00",
        "checkoutTime": "2027-05-18T11:00:00+01:00",
        "reservationFor": {"@type": "LodgingBusiness", "name": "Pensão Amor", "address": {"addressLocality": "Lisbon", "addressCountry": "PT"}},
    }
    script = f'<script type="application/ld+json">{json.dumps(booking)}</script>'
    mail = f"From: hotel@example.org\r\nDate: Mon, 1 Mar 2027 10:00:00 +0000\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<html>{script}"
    mail += "<p>Thank you for your booking.</p>" * ((30_000 - len(mail)) // 34)
    return Call("POST", "/v1/imports", stage.token, body=mail.encode(), headers={"Content-Type": "message/rfc822"})


def of_documents(method, path="", json=None):
    """Requests about a document each."""
    def requests(stage):
        documents = stage.get(f"/v1/itineraries/{stage.eight}/documents")["data"]
        if len(documents) < CALLS:
            for number in range(CALLS):
                stage.server.expect(sealed(stage, number, 0))
            documents = stage.get(f"/v1/itineraries/{stage.eight}/documents")["data"]
        ids = [document["id"] for document in documents[:CALLS]]
        return [Call(method, f"/v1/itineraries/{stage.eight}/documents/{id}{path}", stage.token, json) for id in ids]
    return requests


def redemptions(stage):
    client = stage.register(99)
    return [stage.redemption(client) for _ in range(CALLS)]


def revocations(stage):
    client = stage.register(98)
    body = urlencode({"token": "itp_rt_" + "x" * 65, "client_id": client}).encode()
    return [Call("POST", "/oauth/revoke", body=body, headers=FORM) for _ in range(CALLS)]


def registrations(stage):
    metadata = {"client_name": "App", "redirect_uris": ["http://127.0.0.1/callback"], "token_endpoint_auth_method": "none"}
    return [Call("POST", "/oauth/register", json=metadata) for _ in range(CALLS)]


def consents(stage):
    path, headers = stage.consent_path(stage.register(97)), {"Cookie": stage.cookie, "Accept": "text/html"}
    return [Call("GET", path, headers=headers) for _ in range(CALLS)]


def sign_ins(stage):
    form, visitor = stage.sign_in_form()
    headers = {**FORM, "Cookie": visitor, "Origin": f"http://127.0.0.1:{stage.server.port}"}
    return [Call("POST", "/sign-in", body=urlencode(form).encode(), headers=headers) for _ in range(CALLS)]


def calendars_that_change(stage):
    """Reads of the calendar, each after a change."""
    def read(number):
        path = f"/v1/itineraries/{stage.eight}"
        stage.server.expect(Call("PATCH", path, stage.token, {"title": f"Title {number}"}))
        return Call("GET", stage.calendar)
    # The changes are measured too. They cost little beside the calendar.
    return LazyCalls(read)


def removed_members(stage):
    """Removals of a member, who becomes one again before each."""
    def remove(_):
        path = f"/v1/itineraries/{stage.eight}/members/{stage.ben}"
        stage.server.expect(Call("PUT", path, stage.token, {"role": "viewer"}))
        return Call("DELETE", path, stage.token)
    return LazyCalls(remove)


def accepted_invitations(stage):
    """Acceptances, each of an invitation that is sent before."""
    return LazyCalls(lambda _: Call("PUT", f"/v1/invitations/{stage.invitation(stage.bens)}", stage.token))


def link(stage):
    """The address of a new secret link, in place of earlier ones."""
    path = f"/v1/itineraries/{stage.eight}/links"
    for earlier in stage.get(path)["data"]:
        stage.server.expect(Call("DELETE", f"{path}/{earlier['id']}", stage.token))
    created = stage.server.expect(Call("POST", path, stage.token, {"label": "Parents"}))
    return f"{path}/{created['id']}"


def created_links(stage):
    """Creations of a link, each after the one before was deleted."""
    def create(_):
        path = link(stage)
        stage.server.expect(Call("DELETE", path, stage.token))
        return Call("POST", f"/v1/itineraries/{stage.eight}/links", stage.token, {"label": "Parents"})
    return LazyCalls(create)


def deleted_links(stage):
    return LazyCalls(lambda _: Call("DELETE", link(stage), stage.token))


def linked():
    """Reads of the page of a link to the largest itinerary, with its bookings."""
    def read(stage):
        path = f"/v1/itineraries/{stage.large}/links"
        for earlier in stage.get(path)["data"]:
            stage.server.expect(Call("DELETE", f"{path}/{earlier['id']}", stage.token))
        body = {"label": "Parents", "sections": "bookings"}
        url = stage.server.expect(Call("POST", path, stage.token, body))["url"]
        return [Call("GET", "/t/" + url.rsplit("/", 1)[1], headers={"Accept": "text/html"}) for _ in range(CALLS)]
    return read


HOOK = {"url": "https://hooks.example/", "types": ["itinerary.updated"]}


def webhook(stage):
    """The address of a new webhook, in place of earlier ones."""
    for earlier in stage.get("/v1/webhooks")["data"]:
        stage.server.expect(Call("DELETE", f"/v1/webhooks/{earlier['id']}", stage.token))
    created = stage.server.expect(Call("POST", "/v1/webhooks", stage.token, HOOK))
    return f"/v1/webhooks/{created['id']}"


def created_webhooks(stage):
    """Each is created after the one before is deleted."""
    def create(_):
        webhook(stage)
        return Call("POST", "/v1/webhooks", stage.token, HOOK)
    return LazyCalls(create)


def of_webhook(method, path="", json=None):
    """Requests about a webhook."""
    def requests(stage):
        address = webhook(stage)
        return [Call(method, f"{address}{path}", stage.token, json) for _ in range(CALLS)]
    return requests


def redeliveries(stage):
    address = webhook(stage)
    tested = stage.server.expect(Call("POST", f"{address}/test", stage.token))
    return [Call("POST", f"{address}/deliveries/{tested['id']}/redeliver", stage.token) for _ in range(CALLS)]


def deleted_webhooks(stage):
    return LazyCalls(lambda _: Call("DELETE", webhook(stage), stage.token))


class LazyCalls:
    """Requests that are made when they are sent."""

    def __init__(self, make):
        self.make, self.numbers = make, range(CALLS)

    def __getitem__(self, numbers):
        lazy = LazyCalls(self.make)
        lazy.numbers = self.numbers[numbers]
        return lazy if isinstance(numbers, slice) else self.make(self.numbers[numbers])

    def __iter__(self):
        return (self.make(number) for number in self.numbers)


EVERYTHING = {"days": unplaced(10, 50)}

REQUESTS = {
    "itinerary_view of 8 KB": same("GET", "/v1/itineraries/{eight}"),
    "discovery_authorisation_server": same("GET", "/.well-known/oauth-authorization-server"),
    "discovery_protected_resource": same("GET", "/.well-known/oauth-protected-resource"),
    "discovery_protected_resource_mcp": same("GET", "/.well-known/oauth-protected-resource/mcp"),
    "health_live": same("GET", "/healthz"),
    "health_ready": same("GET", "/readyz"),
    "openapi_document": same("GET", "/openapi.json", headers=GZIP),
    "mcp": tool("optimise_day", {"itineraryId": "{full_day}", "day": 1, "ifMatch": "*", "dryRun": True}),
    "mcp: get_itinerary": tool("get_itinerary", {"itineraryId": "{large}"}),
    "mcp: plan_itinerary": tool("plan_itinerary", {"destination": LISBON, "title": "New", **EVERYTHING, "dryRun": True}),
    "oauth_authorise": consents,
    "oauth_register": registrations,
    "oauth_revoke": revocations,
    "oauth_token": redemptions,
    "account_self": same("GET", "/v1/account"),
    "account_self_update": each(lambda stage, n: Call("PATCH", "/v1/account", stage.token, {"displayName": f"Mia {n}"})),
    "account_find": same("GET", "/v1/accounts?username=ben"),
    "account_view": same("GET", "/v1/accounts/{ben}"),
    "account_itinerary_list": same("GET", "/v1/accounts/{id}/itineraries?limit=100", headers=GZIP),
    "follow_set": same("PUT", "/v1/accounts/{ben}/follow"),
    "follow_clear": same("DELETE", "/v1/accounts/{ben}/follow"),
    "follower_list": same("GET", "/v1/accounts/{id}/followers?limit=100"),
    "following_list": same("GET", "/v1/accounts/{id}/following?limit=100"),
    "explore_list": same("GET", "/v1/explore?limit=100&q=trip", headers=GZIP),
    "itinerary_list": same("GET", "/v1/itineraries?limit=100", headers=GZIP),
    "itinerary_create": new_itineraries(**EVERYTHING),
    "itinerary_view": same("GET", "/v1/itineraries/{large}", headers=GZIP),
    "itinerary_update": large("PATCH", "", {"days": unplaced(10, 50)}),
    "itinerary_export": same("GET", "/v1/itineraries/{large}/export?format=html"),
    "revision_list": same("GET", "/v1/itineraries/{large}/revisions"),
    "revision_view": same("GET", "/v1/itineraries/{large}/revisions/1", headers=GZIP),
    "revision_restore": large("POST", "/revisions/1/restore"),
    "itinerary_places_refresh": same("POST", "/v1/itineraries/{to_place}/places/refresh"),
    "itinerary_shift": large("POST", "/shift", {"days": 1, "dryRun": True}),
    "itinerary_cover_image_set": each(picture),
    "itinerary_save": same("POST", "/v1/itineraries/{of_ben}/saves"),
    "itinerary_delete": consumed(lambda stage, id: Call("DELETE", f"/v1/itineraries/{id}", stage.token)),
    "day_list": same("GET", "/v1/itineraries/{full_day}/days", headers=GZIP),
    "day_optimise": same("POST", "/v1/itineraries/{full_day}/days/day-0/optimise", json={"dryRun": True}),
    "day_add": large("POST", "/days", {"id": "new-day-{n}"}),
    "day_update": large("PATCH", "/days/day-1", {"stops": [stop(5_000 + n, True, "Stop {n}") for n in range(50)]}),
    "day_move": large("POST", "/days/day-0/move", {"position": 1}),
    "day_remove": large("DELETE", "/days/new-day-{n}"),
    "stop_add": large("POST", "/days/day-0/stops", {"id": "new-stop-{n}", "name": "Stop {n}"}),
    "stop_update": large("PATCH", "/days/day-0/stops/new-stop-{n}", {"name": "Santa Maria {n}"}),
    "stop_move": large("POST", "/days/day-0/stops/new-stop-{n}/move", {"dayId": "day-1", "position": 0}),
    "stop_activity_list": same("GET", "/v1/itineraries/{full_day}/days/day-0/stops/stop-1/activities"),
    "stop_remove": large("DELETE", "/days/day-1/stops/new-stop-{n}"),
    "flight_list": same("GET", "/v1/itineraries/{large}/flights"),
    "flight_add": large("POST", "/flights", {"id": "new-flight-{n}", "departureAirport": {"code": "LIS"}}),
    "flight_update": large("PATCH", "/flights/new-flight-{n}", {"arrivalAirport": {"code": "CDG"}}),
    "flight_remove": large("DELETE", "/flights/new-flight-{n}"),
    "hotel_list": same("GET", "/v1/itineraries/{large}/hotels"),
    "hotel_add": large("POST", "/hotels", {"id": "new-hotel-{n}", "name": "Santa Maria {n}"}),
    "hotel_update": large("PATCH", "/hotels/new-hotel-{n}", {"name": "Casal do Rio {n}"}),
    "hotel_remove": large("DELETE", "/hotels/new-hotel-{n}"),
    "transport_list": same("GET", "/v1/itineraries/{large}/transports"),
    "transport_add": large("POST", "/transports", {"id": "new-transport-{n}", "departurePlace": {"name": "Santa Maria {n}"}}),
    "transport_update": large("PATCH", "/transports/new-transport-{n}", {"arrivalPlace": {"name": "Casal do Rio {n}"}}),
    "transport_remove": large("DELETE", "/transports/new-transport-{n}"),
    "reservation_list": same("GET", "/v1/itineraries/{large}/reservations"),
    "reservation_add": large("POST", "/reservations", {"id": "new-reservation-{n}", "name": "Santa Maria {n}"}),
    "reservation_update": large("PATCH", "/reservations/new-reservation-{n}", {"name": "Casal do Rio {n}"}),
    "reservation_remove": large("DELETE", "/reservations/new-reservation-{n}"),
    "expense_list": same("GET", "/v1/itineraries/{large}/expenses"),
    "expense_add": large("POST", "/expenses", {"id": "new-expense-{n}", "name": "Tea", "cost": {"amount": 1, "currency": "EUR"}}),
    "expense_update": large("PATCH", "/expenses/new-expense-{n}", {"name": "Coffee {n}"}),
    "expense_remove": large("DELETE", "/expenses/new-expense-{n}"),
    "packing_list": same("GET", "/v1/itineraries/{large}/packing"),
    "packing_add": large("POST", "/packing", {"id": "new-item-{n}", "name": "Hat"}),
    "packing_update": large("PATCH", "/packing/new-item-{n}", {"name": "Hat {n}"}),
    "packing_remove": large("DELETE", "/packing/new-item-{n}"),
    "member_set": same("PUT", "/v1/itineraries/{eight}/members/{ben}", json={"role": "viewer"}),
    "member_list": same("GET", "/v1/itineraries/{eight}/members"),
    "member_remove": removed_members,
    "link_list": same("GET", "/v1/itineraries/{eight}/links"),
    "link_create": created_links,
    "link_delete": deleted_links,
    # Only the first one removes a follower, because a removed follower may not follow again.
    "follower_remove": same("DELETE", "/v1/account/followers/{ben}", refused=True),
    "invitation_list": same("GET", "/v1/invitations?limit=100", headers=GZIP),
    "invitation_accept": accepted_invitations,
    "invitation_decline": each(lambda stage, n: Call("DELETE", f"/v1/invitations/{stage.invitations[n]}", stage.token)),
    "block_set": same("PUT", "/v1/accounts/{eva}/block"),
    "change_list": same("GET", "/v1/changes"),
    "webhook_create": created_webhooks,
    "webhook_list": same("GET", "/v1/webhooks"),
    "webhook_view": of_webhook("GET"),
    "webhook_update": of_webhook("PATCH", json={"description": "Calendar"}),
    "webhook_rotate_secret": of_webhook("POST", "/secret/rotate"),
    "webhook_test": of_webhook("POST", "/test"),
    "webhook_delivery_list": of_webhook("GET", "/deliveries"),
    "webhook_redeliver": redeliveries,
    "webhook_delete": deleted_webhooks,
    "block_list": same("GET", "/v1/account/blocks?limit=100"),
    "block_clear": same("DELETE", "/v1/accounts/{eva}/block"),
    "like_set": same("PUT", "/v1/itineraries/{of_ben}/like"),
    "like_clear": same("DELETE", "/v1/itineraries/{of_ben}/like"),
    "dislike_set": same("PUT", "/v1/itineraries/{of_ben}/dislike"),
    "dislike_clear": same("DELETE", "/v1/itineraries/{of_ben}/dislike"),
    "marks_view": same("GET", "/v1/itineraries/{of_ben}/marks"),
    "report_create": each(lambda stage, n: Call(
        "POST", f"/v1/itineraries/{stage.new('public', stage.bens, title=f'Reported {n}')}/reports", stage.token, {"reason": "spam"},
    )),
    "document_upload": each(sealed),
    "import_read": each(imported),
    "document_list": same("GET", "/v1/itineraries/{eight}/documents"),
    "document_update": of_documents("PATCH", json={"name": "Boarding pass"}),
    "document_link": of_documents("GET", "/link"),
    "document_delete": of_documents("DELETE"),
    "wallet_pass_list": same("GET", "/v1/itineraries/{large}/wallet-passes"),
    # Without a certificate the server refuses at the end.
    "wallet_pass_view": same("GET", "/v1/itineraries/{large}/wallet-passes/flight/flight-0?format=apple", refused=True),
    "calendar at its secret address": same("GET", "{calendar}"),
    "calendar, after a change each": calendars_that_change,
    "page of an itinerary": each(lambda stage, n: Call("GET", f"/trips/{stage.large}", headers={"Cookie": stage.cookie, "Accept": "text/html"})),
    "page of a secret link": linked(),
    "history of an itinerary, on its page": each(lambda stage, n: Call("GET", f"/trips/{stage.large}/history", headers={"Cookie": stage.cookie, "Accept": "text/html"})),
    "sign-in": sign_ins,
}

# What is bounded by its own limits: bytes, pixels, or checks of passwords.
UPLOADS = {"itinerary_cover_image_set", "document_upload"}

# How many requests an account or address may send in a minute, where the response does not say so; `None` if it may send any
# number.
ELSEWHERE = {
    "discovery_authorisation_server": None,
    "discovery_protected_resource": None,
    "discovery_protected_resource_mcp": None,
    "health_live": None,
    "health_ready": None,
    "openapi_document": None,
    "oauth_authorise": None,
    "oauth_revoke": None,
    "oauth_token": None,
    # Ten an hour.
    "oauth_register": 10,
    "calendar at its secret address": 30,
    "calendar, after a change each": 30,
    "page of an itinerary": 60,
    "history of an itinerary, on its page": 60,
    "sign-in": 20,
}
