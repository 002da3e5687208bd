"""Converts the tools' schemas to strict ones, as the OpenAI Agents SDK does before it offers tools to a model."""

import copy
from collections.abc import Iterator
from typing import Any

from agents.strict_schema import ensure_strict_json_schema


def objects(schema: Any) -> Iterator[dict[str, Any]]:
    """Every schema of an object, at any depth."""
    if isinstance(schema, list):
        for entry in schema:
            yield from objects(entry)
    elif isinstance(schema, dict):
        if "object" in schema.get("type", []):
            yield schema
        for value in schema.values():
            yield from objects(value)


def check(schemas: dict[str, dict[str, Any]]) -> None:
    """A strict schema requires all properties and allows no others, so an object without any could only be empty."""
    for tool, schema in schemas.items():
        for found in objects(ensure_strict_json_schema(copy.deepcopy(schema))):
            if not found["properties"] or found["additionalProperties"]:
                raise SystemExit(f"{tool}: a strict schema cannot describe {found}")
            if sorted(found["required"]) != sorted(found["properties"]):
                raise SystemExit(f"{tool}: not all properties are required in {found}")
