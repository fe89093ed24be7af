"""
Declaring a turn from inside a run.

Runs in the attempt's own process tree, where start-up time is felt and nothing is known but the
environment. The host is asked first, as it alone can say that a turn is recorded; the spool is for when it
cannot be reached.
"""

from __future__ import annotations

import http.client
import json
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from bot.domain.turn import Turn
from bot.errors import UserError
from bot.executors.toolbelt import spool, wire

TIMEOUT = 10.0
_RECORDED = 204
_REFUSALS = frozenset({400, 401, 413})


class NotRecordedError(UserError):
    """The turn could not be recorded."""


def declare(turn: Turn, environment: Mapping[str, str]) -> None:
    """
    Record a turn for the run whose environment this is.

    Raises ``NotRecordedError`` when the host refused it, or when there is neither a host nor a spool.
    """
    api, run = environment.get("TRACKSIDE_API", ""), environment.get("TRACKSIDE_RUN", "")
    directory = Path(run, "spool") if run else None
    if api and _post(api, environment.get("TRACKSIDE_RUN_TOKEN", ""), turn):
        if directory is not None:
            spool.clear(directory)
        return
    if directory is None or not directory.is_dir():
        raise NotRecordedError("this is not a run of Trackside, or its directory is gone")
    try:
        spool.put(directory, turn)
    except OSError as error:
        raise NotRecordedError(f"the turn could not be stored: {error.strerror}") from error


def _post(api: str, token: str, turn: Turn) -> bool:
    """Return whether the host recorded the turn; False when there was no answer of a host."""
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    try:
        url = urlsplit(api)
        kind = http.client.HTTPSConnection if url.scheme == "https" else http.client.HTTPConnection
        connection = kind(url.hostname or "", url.port, timeout=TIMEOUT)
        try:
            path = f"{url.path.rstrip('/')}/toolbelt/turn"
            connection.request("POST", path, body=wire.encode(turn), headers=headers)
            response = connection.getresponse()
            status, answer = response.status, response.read(wire.BODY_LIMIT)
        finally:
            connection.close()
    except (OSError, ValueError, http.client.HTTPException):
        return False
    if status in _REFUSALS:
        raise NotRecordedError(_reason(answer))
    return status == _RECORDED


def _reason(answer: bytes) -> str:
    try:
        return str(json.loads(answer)["detail"])
    except (ValueError, KeyError, TypeError):
        return "the host refused the turn"
