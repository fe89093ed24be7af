"""What an executor raises and should not: its words may be those of a provider, and are kept nowhere (C-89)."""

from __future__ import annotations

import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import structlog

from bot.errors import ExecutorError, TracksideError
from bot.ids import new_id

_log = structlog.get_logger(__name__)


@contextmanager
def contained() -> Iterator[None]:
    """
    Call an executor within this: what it raises beside errors of ours becomes an ``ExecutorError`` with an id.

    The log says under that id what kind of error it was, and where it was raised.
    """
    try:
        yield
    except TracksideError:
        raise
    except Exception as error:  # noqa: BLE001 - an executor may raise anything
        error_id = new_id("err")
        _log.error("executor_broken", error_id=error_id, **without_words(error))
        raise ExecutorError(f"error {error_id}; the log of the bot says where", code="internal") from None


def without_words(error: BaseException) -> Mapping[str, object]:
    """Return what may be logged of what an executor raised."""
    frames = traceback.extract_tb(error.__traceback__)
    where = [f"{frame.filename}:{frame.lineno} in {frame.name}" for frame in frames]
    return {"error": type(error).__name__, "where": where}
