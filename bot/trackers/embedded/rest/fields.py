"""Reading what a request says, field by field; what is wrong is refused in GitHub's words."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from http import HTTPStatus
from typing import Self

from starlette.requests import Request

from bot.clock import Millis
from bot.trackers.embedded import moments
from bot.trackers.embedded.faults import UNPROCESSABLE, RefusedError, invalid


class Fields:
    """The fields of a JSON object that is about a ``resource``."""

    def __init__(self, resource: str, document: Mapping[str, object]) -> None:
        self._resource = resource
        self._document = document

    @classmethod
    async def read(cls, request: Request, resource: str, *, bare: str | None = None) -> Self:
        """Read the request's body; where it may be a bare list, ``bare`` names it. Raises ``RefusedError`` (400)."""
        body = await request.body()
        try:
            document = json.loads(body) if body else {}
            json.dumps(document, ensure_ascii=False).encode()  # half a surrogate pair is no text
        except ValueError:
            raise RefusedError(HTTPStatus.BAD_REQUEST, "Problems parsing JSON") from None
        if isinstance(document, list) and bare is not None:
            document = {bare: document}
        if not isinstance(document, dict):
            raise RefusedError(HTTPStatus.BAD_REQUEST, "Body should be a JSON object")
        return cls(resource, document)

    def text(self, name: str) -> str | None:
        """Return a text, or None when it is absent or null. Raises ``RefusedError`` (422)."""
        value = self._document.get(name)
        if value is None or isinstance(value, str):
            return value
        raise self._wrong(name, "a string")

    def cleared(self, name: str) -> str | None:
        """As ``text``, but null means the empty text."""
        return "" if name in self._document and self._document[name] is None else self.text(name)

    def required(self, name: str) -> str:
        """Return a text that must be there. Raises ``RefusedError`` (422)."""
        value = self.text(name)
        if value is None:
            raise invalid(self._resource, name, "missing_field")
        return value

    def choice(self, name: str, options: Collection[str]) -> str | None:
        """Return one of the options, or None. Raises ``RefusedError`` (422)."""
        value = self.text(name)
        if value is not None and value not in options:
            raise invalid(self._resource, name)
        return value

    def flag(self, name: str, *, default: bool) -> bool:
        """Return a truth value. Raises ``RefusedError`` (422)."""
        value = self._document.get(name, default)
        if isinstance(value, bool):
            return value
        raise self._wrong(name, "a boolean")

    def has(self, name: str) -> bool:
        """Return whether there is such a field that is not null."""
        return self._document.get(name) is not None

    def part(self, name: str) -> Fields:
        """Return an object inside. Raises ``RefusedError`` (422)."""
        value = self._document.get(name)
        if isinstance(value, dict):
            return Fields(self._resource, value)
        raise self._wrong(name, "an object")

    def parts(self, name: str) -> list[Fields]:
        """Return the objects of a list; none when absent. Raises ``RefusedError`` (422)."""
        value = self._document.get(name)
        if value is None:
            return []
        if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
            raise self._wrong(name, "an array of objects")
        return [Fields(self._resource, entry) for entry in value]

    def number(self, name: str) -> int:
        """Return a whole number that must be there. Raises ``RefusedError`` (422)."""
        value = self._document.get(name)
        if type(value) is not int:
            raise self._wrong(name, "an integer")
        return value

    def names(self, name: str) -> list[str] | None:
        """Return a list of names, each a text or an object with ``name``; None when absent."""
        value = self._document.get(name)
        if value is None:
            return None
        if not isinstance(value, list):
            raise self._wrong(name, "an array")
        return [self._name(name, entry) for entry in value]

    def numbers(self, name: str) -> list[int] | None:
        """Return a list of whole numbers; None when absent. Raises ``RefusedError`` (422)."""
        value = self._document.get(name)
        if value is None:
            return None
        if not isinstance(value, list) or not all(type(entry) is int for entry in value):
            raise self._wrong(name, "an array of integers")
        return value

    def levels(self, name: str) -> dict[str, str] | None:
        """Return an object of texts; None when absent. Raises ``RefusedError`` (422)."""
        value = self._document.get(name)
        if value is None:
            return None
        if not isinstance(value, dict) or not all(isinstance(entry, str) for entry in value.values()):
            raise self._wrong(name, "an object of strings")
        return value

    def _name(self, field: str, entry: object) -> str:
        if isinstance(entry, str):
            return entry
        if isinstance(entry, dict) and isinstance(name := entry.get("name"), str):
            return name
        raise self._wrong(field, "a list of names")

    def _wrong(self, name: str, expected: str) -> RefusedError:
        return RefusedError(UNPROCESSABLE, f"Invalid request.\n\nFor 'properties/{name}', expected {expected}.")


def option(request: Request, name: str, options: Collection[str], default: str) -> str:
    """Return one of the options from the query. As at GitHub, anything else is the default."""
    value = request.query_params.get(name, default)
    return value if value in options else default


def descending(request: Request, *, default: bool) -> bool:
    """Return whether the query asks for the newest first."""
    return option(request, "direction", ("asc", "desc"), "desc" if default else "asc") == "desc"


def since(request: Request) -> Millis:
    """Return the moment from which changes are asked for. Raises ``RefusedError`` (422)."""
    text = request.query_params.get("since")
    if text is None:
        return Millis(0)
    try:
        return moments.parse(text)
    except ValueError:
        raise invalid("Query", "since") from None
