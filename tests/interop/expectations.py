"""Expected results of every client."""

from typing import Any

from server import Server

TOOLS = [
    "add_day",
    "add_stop",
    "delete_itinerary",
    "explore_itineraries",
    "get_itinerary",
    "list_itineraries",
    "move_stop",
    "optimise_day",
    "plan_itinerary",
    "refresh_places",
    "remove_item",
    "set_flight",
    "set_hotel",
    "suggest_activities",
    "update_itinerary",
    "update_stop",
]


def expect(what: str, actual: object, wanted: object) -> None:
    if actual != wanted:
        raise SystemExit(f"{what} must be {wanted!r}, not {actual!r}")


def stops(itinerary: dict[str, Any], key: str = "name") -> list[list[str]]:
    """A list per day."""
    return [[stop[key] for stop in day.get("stops", [])] for day in itinerary["days"]]


def check_trip(server: Server, username: str, trip: dict[str, Any], seen: dict[str, Any]) -> None:
    """Compares the tools' results with the API."""
    planned, read, moved = (seen[answer]["itinerary"] for answer in ("planned", "read", "moved"))
    [names, free] = stops(trip)
    expect("the tools", seen["tools"], TOOLS)
    expect("the title", planned["title"], trip["title"])
    expect("the planned stops", stops(planned), [names, free])
    # The request had names only: the server has placed the stops.
    expect("the stops' countries", [stop["place"]["countryCode"] for stop in planned["days"][0]["stops"]], ["PT"] * 3)
    expect("the ETag that is read", seen["read"]["etag"], seen["planned"]["etag"])
    expect("what is read", read["days"], planned["days"])
    expect("the stops after the move", stops(moved), [[names[-1], *names[:-1]], free])
    expect("a move with an old ETag", seen["stale"]["isError"], True)
    itinerary, etag = server.itinerary(username, planned["id"])
    expect("the ETag after the move", seen["moved"]["etag"], etag)
    expect("the stored stops", stops(itinerary, "id"), stops(moved, "id"))
    if etag not in seen["stale"]["text"]:
        raise SystemExit(f"the refusal of an old ETag must name {etag}: {seen['stale']['text']}")


def check_sign_in(version: str, seen: dict[str, Any]) -> None:
    """Checks that the client has signed in, got a 403, and has stepped up."""
    both = "itineraries:read itineraries:write"
    expect("the protocol version", seen["version"], version)
    expect("the refusals of /mcp", seen["refusals"], [401, 403])
    expect("what was agreed to", seen["granted"], ["itineraries:read", both])
    expect("the token's scope", seen["scope"], both)
