"""What a document cannot say: requests that fit their schemas and are refused all the same, each with its reason."""

import json
import re
from dataclasses import dataclass

import schemathesis
from schemathesis.checks import CheckContext
from schemathesis.core.failures import Failure
from schemathesis.core.transport import Response
from schemathesis.generation.case import Case
from schemathesis.specs.openapi.checks import ensure_resource_availability, positive_data_acceptance


@dataclass(frozen=True)
class Exempt:
    """A refusal that is no failure."""

    # The refusal's code (OAuth's: `error`), its message, or the end of its `details.field`.
    what: str
    reason: str
    # Where it may happen: the beginning of an operation's id.
    operation: str = ""


EXEMPT = [
    Exempt(".* must not contain control characters[.]", "patterns leave out U+0080 to U+009F, which some languages match by bytes"),
    Exempt("currency", "ISO 4217 has some 180 codes, and the list changes"),
    Exempt("countryCode", "ISO 3166-1 has some 250 codes, and the list changes"),
    Exempt("regions", "the server has a table of the world's regions"),
    Exempt("timeZone", "the names of time zones change several times a year"),
    Exempt("id", "an id may be used once in an itinerary"),
    Exempt("amount", "three decimals at most: `multipleOf` fails on binary fractions"),
    Exempt("(arrival|departure|checkIn|checkOut|start|end)(Date|Day)", "a pattern does not know how many days a month has, nor what comes first"),
    Exempt("date|startDate|updatedSince|lastCheckedAt", "a pattern does not know how many days a month has"),
    Exempt("place|origin|homePlace|(arrival|departure)Airport", "a place has one of four fields: `anyOf` breaks generators"),
    Exempt(r"flights\[\d+\]", "a flight has at least one field, whichever"),
    Exempt("", "a flight has at least one field besides its id", "flight_add"),
    Exempt("from|to", "a leg joins a stop to the next one of its day"),
    Exempt("", "a transport has at least one field besides its id", "transport_add"),
    Exempt("ticket", "a booking has its tickets", "wallet_pass_view"),
    Exempt("url", "the server decides whether it sends to http, and to which ports", "webhook_"),
    Exempt("dayId", "a stop moves to a day of its itinerary", "stop_move"),
    Exempt("documents", "a patch may send documents back, not change them", "itinerary_update"),
    Exempt("displayName", "Unicode decides which characters are visible", "account_"),
    Exempt("position", "a list has its length"),
    Exempt("cursor", "only the server can make a cursor"),
    Exempt("format", "`Accept` may name the format instead", "itinerary_export"),
    Exempt("expiresAt", "a schema does not know what time it is", "link_create"),
    Exempt("accountId", "nobody follows themselves", "follow_set"),
    Exempt("accountId", "nobody blocks themselves", "block_set"),
    Exempt("accountId", "the owner is no member", "member_set"),
    Exempt("coordinate.(latitude|longitude)", "a patch without a field is whole only if there is something to patch"),
    Exempt("documentNotSealed", "a schema cannot say that a file is encrypted", "document_upload"),
    Exempt("file", "a schema cannot say that a file has a booking", "import_read"),
    Exempt("imageRejected", "a schema cannot say that a file is a picture", "itinerary_cover_image_set"),
    Exempt("idempotencyKeyReused", "the examples send one key with several bodies"),
    Exempt("invalid_redirect_uri", "host names and IP addresses have too many forms for a pattern", "oauth_register"),
    Exempt("invalid_redirect_uri", "a schema does not know which addresses a client has registered", "oauth_authorise"),
    Exempt("invalid_client_metadata", "addresses on the web have too many forms for a pattern", "oauth_register"),
    Exempt("invalid_grant", "codes and refresh tokens are made by the server", "oauth_token"),
    Exempt("invalid_client", "client ids are made by the server", "oauth_"),
    # schemathesis 4.32 ignores the pattern of an optional header if the pattern has quotes in it, and sends what does not match.
    Exempt("If-None-Match", "the tool ignores the pattern"),
    Exempt("Idempotency-Key", "the tool ignores the pattern"),
]


def refusal(response: Response) -> list[str]:
    """The code, the message and the field of a refusal."""
    try:
        error = response.json()["error"]
    except (json.JSONDecodeError, KeyError, TypeError):
        return []
    if isinstance(error, str):
        return [error]
    return [error["code"], error["message"], error.get("details", {}).get("field", "")]


def is_exempt(operation: str, what: str) -> bool:
    return any(
        re.search(rf"(^|\.)({exempt.what})$", what) and operation.startswith(exempt.operation) for exempt in EXEMPT
    )


@schemathesis.check
def accepts_valid_data(ctx: CheckContext, response: Response, case: Case) -> bool | None:
    """The stock check `positive_data_acceptance`, but for what is exempt."""
    try:
        return positive_data_acceptance(ctx, response, case)
    except Failure:
        operation = case.operation.definition.raw["operationId"]
        if response.status_code in (400, 422) and any(is_exempt(operation, what) for what in refusal(response)):
            return None
        raise


@schemathesis.check
def created_resource_is_available(ctx: CheckContext, response: Response, case: Case) -> bool | None:
    """The stock check `ensure_resource_availability`, except after a dry run, which stores nothing."""
    try:
        return ensure_resource_availability(ctx, response, case)
    except Failure:
        parent = ctx.internals.find_parent(case_id=case.id)
        if (parent.query or {}).get("dryRun") in (True, "true"):
            return None
        raise
