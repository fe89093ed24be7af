"""What the bot gets from outside of its parts, replaced while a simulation runs: randomness, git, and the log."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import contextmanager
from typing import Any

import structlog

from bot.publishing import publish

LogLine = MutableMapping[str, Any]

PUSH = "push_branch"
"""The one function by which git is reached when something is published."""


@contextmanager
def substituted(
    *, randomness: Callable[[int], bytes], push: Callable[..., Any], told: Callable[[LogLine], None]
) -> Iterator[None]:
    """Draw secrets and identities from ``randomness``, push with ``push``, and hand lines of the log to ``told``."""
    before = secrets.token_bytes, getattr(publish, PUSH), structlog.get_config()

    def take(_logger: object, _method: str, line: LogLine) -> Any:
        told(line)
        raise structlog.DropEvent

    secrets.token_bytes = lambda nbytes=None: randomness(32 if nbytes is None else nbytes)
    setattr(publish, PUSH, push)
    structlog.configure(
        processors=[take],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        cache_logger_on_first_use=False,
    )
    try:
        yield
    finally:
        secrets.token_bytes = before[0]
        setattr(publish, PUSH, before[1])
        structlog.configure(**before[2])
