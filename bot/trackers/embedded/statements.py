"""The tracker's SQL: named statements, read once from the ``.sql`` files beside this module."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from importlib import resources

from bot.errors import StorageError

_HEADER = re.compile(r"^-- name: (\w+)$", re.MULTILINE)


def _parse(file: str) -> dict[str, str]:
    text = resources.files(__package__).joinpath("sql", file).read_text(encoding="utf-8")
    _, *parts = _HEADER.split(text)
    return {name: body.strip() for name, body in zip(parts[::2], parts[1::2], strict=True)}


@functools.cache
def schema() -> tuple[str, ...]:
    """Return the statements that make the tables, and the views of one connection, in their order."""
    return tuple(_parse("schema.sql").values())


@functools.cache
def statements() -> Mapping[str, str]:
    """Return every other statement by its name."""
    found: dict[str, str] = {}
    for file in (
        "people.sql",
        "teams.sql",
        "threads.sql",
        "pulls.sql",
        "lines.sql",
        "hooks.sql",
        "apps.sql",
        "checks.sql",
    ):
        part = _parse(file)
        if twice := found.keys() & part.keys():
            raise StorageError(f"{file}: named a second time: {', '.join(sorted(twice))}")
        found |= part
    return found
