"""
The published descriptions, cut down to what a validator needs, in the words of JSON Schema.

The published file is 13 MB, most of it text and examples. The cut one is kept beside it, for each version of the
package and of this file.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.npm import OPENAPI, package

GITHUB = "api.github.com"
SERVERS = ("ghes-3.17", "ghes-3.18", "ghes-3.19")
"""GitHub Enterprise Server, in the versions that are described."""

Json = dict[str, Any]

_TEXTS = frozenset({"examples", "example", "description", "summary", "externalDocs", "tags", "x-octokit"})
_NAMING = frozenset({"properties", "schemas", "parameters", "responses", "headers", "paths", "x-webhooks"})
"""Below these a key is a name that somebody chose, and may be the same word as a keyword."""
_COMBINING = frozenset({"oneOf", "anyOf", "allOf", "$ref"})


@functools.cache
def cut(host: str) -> Json:
    """Return the cut description of a host."""
    directory = package(OPENAPI)
    recipe = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:12]
    kept = directory.parents[2] / f"cut-{host}-{recipe}.json"
    if not kept.is_file():
        fresh = kept.with_suffix(f".{os.getpid()}")  # workers come at the same time, and each is right
        fresh.write_text(json.dumps(_cut(published(host)), separators=(",", ":")))
        fresh.replace(kept)
        for other in kept.parent.glob(f"cut-{host}-*.json"):
            if other != kept:
                other.unlink(missing_ok=True)
    document: Json = json.loads(kept.read_bytes())
    return document


@functools.cache
def published(host: str) -> Json:
    """Return a description as it was published, examples and all."""
    document: Json = json.loads((package(OPENAPI) / "generated" / f"{host}.json").read_bytes())
    return document


def _cut(document: Mapping[str, Any]) -> Json:
    kept = ("info", "paths", "x-webhooks", "components")
    plain = {"openapi": "3.1.0", **{name: _plain(document[name], names=name == "paths") for name in kept}}
    _mend(plain)
    return plain


def _mend(document: Json) -> None:
    """
    Take the list of installations for what it is.

    There an account is published as a person and an enterprise at once; GitHub's own example is neither. Each of its
    entries is an installation like all others.
    """
    answer = document["paths"]["/app/installations"]["get"]["responses"]["200"]["content"]["application/json"]
    answer["schema"] = {"type": "array", "items": {"$ref": "#/components/schemas/installation"}}


def _plain(part: Any, *, names: bool = False) -> Any:
    if isinstance(part, list):
        return [_plain(each) for each in part]
    if not isinstance(part, dict):
        return part
    plain = {
        key: _plain(value, names=not names and key in _NAMING)
        for key, value in part.items()
        if names or key not in _TEXTS
    }
    return plain if names else _with_null(plain)


def _with_null(schema: Json) -> Json:
    """
    Say in JSON Schema's words that a value may be null.

    OpenAPI 3.0 has ``nullable`` for it, which validators pass over beside ``oneOf`` and its like.
    """
    if schema.pop("nullable", None) is not True:
        return schema
    if _COMBINING & schema.keys():
        return {"anyOf": [schema, {"type": "null"}]}
    if isinstance(schema.get("type"), str):
        schema["type"] = [schema["type"], "null"]
    if "enum" in schema and None not in schema["enum"]:
        schema["enum"] = [*schema["enum"], None]
    return schema
