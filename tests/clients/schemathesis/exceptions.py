"""What a document cannot say: requests that fit their schemas and are refused all the same, each with its reason."""

import json
import re
from dataclasses import dataclass

import schemathesis
from schemathesis.checks import CheckContext
from schemathesis.core.failures import Failure
from schemathesis.core.transport import Response
from schemathesis.generation.case import Case
from schemathesis.specs.openapi.checks import positive_data_acceptance


@dataclass(frozen=True)
class Exception_:
    # Matched against the end of the refusal's `details.field`, or against OAuth's `error`.
    field: str
    reason: str
    # Where it may happen: the beginning of an operation's id.
    operation: str = ""


EXCEPTIONS = [
    Exception_("currency", "ISO 4217 has some 180 codes, and the list changes"),
    Exception_("timeZone", "the names of time zones change several times a year"),
    Exception_("id", "an id may be used once in an itinerary"),
    Exception_("cursor", "a cursor is sealed: only the server can make one"),
    Exception_("accountId", "nobody follows themselves", "follow_set"),
    Exception_("accountId", "the owner is no member", "member_set"),
]


def field_of(response: Response) -> str:
    """The field that a refusal names; for OAuth's endpoints, the error."""
    try:
        error = response.json()["error"]
        return error if isinstance(error, str) else error["details"]["field"]
    except (json.JSONDecodeError, KeyError, TypeError):
        return ""


def is_excepted(operation: str, field: str) -> bool:
    return any(
        re.search(rf"(^|\.){exception.field}$", field) and operation.startswith(exception.operation)
        for exception in EXCEPTIONS
    )


@schemathesis.check
def accepts_valid_data(ctx: CheckContext, response: Response, case: Case) -> bool | None:
    """The stock check `positive_data_acceptance`, but for the exceptions."""
    try:
        return positive_data_acceptance(ctx, response, case)
    except Failure:
        operation = case.operation.definition.raw["operationId"]
        if response.status_code in (400, 422) and is_excepted(operation, field_of(response)):
            return None
        raise
