"""Runs that take input, and what a host does to tell them something."""

from __future__ import annotations

from typing import Any

from bot.clock import Millis
from bot.domain.control import Answer, Answered, Control, ControlState
from bot.domain.execution import Execution, Fence
from bot.domain.kind import Capability
from bot.ids import ExecutionId
from bot.scheduler.controls import (
    Dispatch,
    Undispatched,
    claim_control,
    settle_control,
)
from bot.storage.contract import Tx
from tests import factories
from tests.scheduler.bench import Bench

TALKS = frozenset({Capability.INJECT})
ACCEPTED, NOT_ACCEPTING = Answered(answer=Answer.ACCEPTED), Answered(answer=Answer.NOT_ACCEPTING)
FAILED = Answered(answer=Answer.FAILED, code="unreachable")
CANARY = "sk-canary says: No such model!"
"""What a provider might say in an error."""


async def talking(bench: Bench, number: int = 1, **changes: Any) -> Execution:
    """Bring an attempt to run whose executor takes input."""
    return await bench.running(number, binding=factories.make_binding(capabilities=TALKS, **changes))


async def controls(bench: Bench, execution: ExecutionId) -> list[Control]:
    return list(await bench.see(lambda tx: tx.controls.of_execution(execution)))


async def state(bench: Bench, execution: Execution) -> ControlState:
    (control,) = await controls(bench, execution.id)
    return control.state


async def offered(bench: Bench, execution: Execution, natural_key: str = "comment") -> Control:
    """Let a person say something while the attempt runs, and return the intent that it made."""
    await bench.comment(execution.work, natural_key)
    return (await controls(bench, execution.id))[-1]


async def take(
    bench: Bench, control: Control, *, sender: str = "one", owner: str = "host-a"
) -> Dispatch | Undispatched:
    def change(tx: Tx, now: Millis) -> Dispatch | Undispatched:
        return claim_control(tx, control.id, token=sender, owner=owner, now=now)

    return await bench.do(change)


async def taken(bench: Bench, control: Control, *, sender: str = "one") -> Dispatch:
    dispatch = await take(bench, control, sender=sender)
    assert isinstance(dispatch, Dispatch), dispatch
    return dispatch


async def answer(bench: Bench, control: Control, answered: Answered, *, sender: str = "one") -> ControlState | None:
    return await bench.do(lambda tx, now: settle_control(tx, control.id, token=sender, answered=answered, now=now))


async def accepted(bench: Bench, execution: Execution, natural_key: str = "comment") -> Control:
    """Let a run accept what a person says."""
    control = await offered(bench, execution, natural_key)
    await taken(bench, control)
    assert await answer(bench, control, ACCEPTED) is ControlState.ACCEPTED
    return control


async def renew(bench: Bench, fence: Fence) -> None:
    await bench.do(lambda tx, now: tx.executions.renew(fence, now=now, lease=factories.LEASE))
