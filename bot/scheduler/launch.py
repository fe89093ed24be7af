"""The steps of a launch that are written down, each under the fence."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

from bot.clock import Millis
from bot.domain.execution import Execution, Fence, Phase
from bot.domain.segment import Invoke
from bot.domain.turn import Turn
from bot.errors import ExecutorError, StaleEpochError
from bot.storage.contract import Tx

RECOVERY_LIMIT = 64 * 1024
"""The most bytes of recovery metadata that an executor may store (C-53)."""


def begin(tx: Tx, fence: Fence, *, token: str, isolated: bool, now: Millis) -> Execution:
    """
    Record that the executor is about to be called (C-47), and the digest of the launch's token.

    Raises ``StaleEpochError``.
    """
    execution = held(tx, fence, now)
    called = execution.segments.mark(invoke=Invoke.CALLED, isolated=isolated)
    return _write(tx, replace(execution, segments=called, token=token), now)


def pin_sandbox(tx: Tx, fence: Fence, digest: str, now: Millis) -> None:
    """
    Store the digest of a sandbox's plan with the open segment: from now on something may run in it (C-64, C-80).

    Raises ``StaleEpochError``, and ``ExecutorError`` when a sandbox is pinned already: one launch has one sandbox.
    """
    execution = held(tx, fence, now)
    if execution.segments.open.sandbox is not None:
        raise ExecutorError("a sandbox of this launch is pinned already", permanent=True)
    _write(tx, replace(execution, segments=execution.segments.pin(digest)), now)


def persist_recovery(tx: Tx, fence: Fence, metadata: Mapping[str, object], now: Millis) -> None:
    """
    Store what the executor needs to find the run again (C-52).

    Raises ``ExecutorError`` for metadata that is too large or is no JSON, and ``StaleEpochError``.
    """
    execution = held(tx, fence, now)
    try:
        size = len(json.dumps(dict(metadata), allow_nan=False).encode())
    except (TypeError, ValueError) as error:
        raise ExecutorError(f"recovery metadata is no JSON: {error}", permanent=True) from error
    if size > RECOVERY_LIMIT:
        raise ExecutorError(f"recovery metadata of {size} bytes is over {RECOVERY_LIMIT}", permanent=True)
    _write(tx, replace(execution, recovery=metadata), now)


def confirm(tx: Tx, fence: Fence, now: Millis) -> Execution:
    """
    Record that the executor returned a handle.

    Raises ``ExecutorError`` when it stored no recovery metadata before that (C-52), or when the launch was isolated
    and its sandbox was not pinned; and ``StaleEpochError``.
    """
    execution = held(tx, fence, now)
    if execution.recovery is None:
        raise ExecutorError("the executor returned a run without storing how to find it again", permanent=True)
    segment = execution.segments.open
    if segment.isolated and segment.sandbox is None:
        # Whatever it started is not in the sandbox that was made for it.
        raise ExecutorError("the executor returned a run that its sandbox did not let run", permanent=True)
    return _write(tx, replace(execution, phase=Phase.RUNNING), now)


def declare(tx: Tx, token: str, turn: Turn, now: Millis) -> bool:
    """
    Record the turn that a run declares, by the digest of its token; applied when its end is observed (C-121).

    Returns False when no unfinished attempt has this token, or its lease has lapsed.
    """
    execution = tx.executions.by_token(token) if token else None
    if execution is None:
        return False
    try:
        _write(tx, replace(execution, declared=turn), now)
    except StaleEpochError:
        return False
    return True


def held(tx: Tx, fence: Fence, now: Millis) -> Execution:
    """
    Return the attempt under this fence, before anything is decided on it.

    Raises ``StaleEpochError`` when another epoch holds it, its lease has lapsed, or it is parked or has ended (C-73).
    """
    execution = tx.executions.get(fence.execution)
    over = execution.phase in {Phase.FINISHED, Phase.PARKED} or execution.lease_until <= now
    if execution.epoch != fence.epoch or over:
        raise StaleEpochError
    return execution


def _write(tx: Tx, execution: Execution, now: Millis) -> Execution:
    tx.executions.write(execution, now)
    return execution
