"""Between rows and JSON: how a document is written in a column, and what becomes of a row that nobody can read."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import structlog

from bot.storage.sql import Row

T = TypeVar("T")

_told: set[tuple[str, str]] = set()
_log = structlog.get_logger(__name__)


def dump(value: object) -> str:
    """Return the text of a document: compact, keys sorted, so that equal documents are equal texts."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def load(text: str) -> Any:  # noqa: ANN401 - a document is arbitrary JSON until its codec has read it
    """Return the document in a column."""
    return json.loads(text)


def load_mapping(text: str) -> Mapping[str, Any]:
    """Return the object in a column. Raises ``ValueError`` when it is something else."""
    value = json.loads(text)
    if not isinstance(value, dict):
        raise ValueError("a JSON object was expected")  # noqa: TRY004 - what is wrong is the stored value
    return value


def readable(decode: Callable[[Row], T], page: Callable[[Row | None], Sequence[Row]], limit: int) -> list[T]:
    """
    Return up to ``limit`` of what pages of rows say, in their order; ``page`` is given the last row of the one before.

    A row that nobody can read, such as one of a later version, is left out, so that it hides nothing else, however
    many there are (gh-Z-01, gh-Z-06). It is logged once.
    """
    found: list[T] = []
    last: Row | None = None
    while rows := page(last):
        for row in rows:
            try:
                found.append(decode(row))
            except Exception as error:  # noqa: BLE001 - whatever is wrong with one row, the others are read
                _tell(decode.__name__.strip("_"), str(row["id"]), error)
            if len(found) == limit:
                return found
        if len(rows) < limit:
            break
        last = rows[-1]
    return found


def _tell(kind: str, identity: str, error: Exception) -> None:
    if (kind, identity) not in _told:
        _told.add((kind, identity))
        _log.error("row_unreadable", kind=kind, id=identity, reason=f"{type(error).__name__}: {error}")
