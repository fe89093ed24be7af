"""The scheduler as a host drives it, one step at a time, under a clock that the test moves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from bot.clock import Millis
from bot.domain.admission import Reason, Refused
from bot.domain.event import Event, Routing
from bot.domain.execution import Execution, Fence
from bot.domain.result import Ending, Outcome, Result
from bot.domain.timer import Timer, TimerKind
from bot.domain.turn import Turn
from bot.domain.wait import Awaited
from bot.domain.work import Work
from bot.ids import ExecutionId, TimerId, WorkId
from bot.scheduler import launch
from bot.scheduler.claim import BudgetHeld, Claimed, GateHeld, Moved
from bot.scheduler.finish import Finished, Overtaken, finish
from bot.scheduler.observe import store_result
from bot.scheduler.recover import Recovered, recover
from bot.scheduler.router import add_input
from bot.scheduler.timers import fire
from bot.storage.contract import Tx
from bot.storage.works import Input
from tests import factories
from tests.clock import FakeClock
from tests.sequence import Ids
from tests.storage.twice import Twice, Writable

T = TypeVar("T")


class Bench:
    """A store whose every change is run twice, a clock and identities."""

    def __init__(self, store: Writable[Tx], clock: FakeClock, ids: Ids) -> None:
        self.store = Twice(store)
        self.clock = clock
        self.ids = ids

    async def do(self, change: Callable[[Tx, Millis], T]) -> T:
        """Run a change at the time of the clock."""
        now = self.clock.now()
        return await self.store.write(lambda tx: change(tx, now))

    async def see(self, query: Callable[[Tx], T]) -> T:
        return await self.store.read(query)

    async def ready(self, number: int = 1, **changes: Any) -> Work:
        return await factories.ready_work(self.store, number, **{"created_at": self.clock.now(), **changes})

    async def try_claim(self, work: Work, **changes: Any) -> Claimed | GateHeld | BudgetHeld | Refused | Moved:
        return await factories.try_claim(self.store, work.id, now=self.clock.now(), **changes)

    async def claim(self, work: Work, **changes: Any) -> Claimed:
        return await factories.claim_one(self.store, work.id, now=self.clock.now(), **changes)

    async def claimed(self, number: int = 1, **changes: Any) -> Claimed:
        """Claim a new Work."""
        return await self.claim(await self.ready(number), **changes)

    async def begin(self, fence: Fence, *, token: str = "", isolated: bool = False) -> Execution:
        return await self.do(lambda tx, now: launch.begin(tx, fence, token=token, isolated=isolated, now=now))

    async def persist(self, fence: Fence) -> None:
        await self.do(lambda tx, now: launch.persist_recovery(tx, fence, {"pid": 1}, now))

    async def confirm(self, fence: Fence) -> Execution:
        return await self.do(lambda tx, now: launch.confirm(tx, fence, now))

    async def declare(self, token: str, turn: Turn) -> bool:
        return await self.do(lambda tx, now: launch.declare(tx, token, turn, now))

    async def run(self, fence: Fence, *, token: str = "") -> Execution:
        """Bring an attempt to where its run can be observed."""
        await self.begin(fence, token=token)
        await self.persist(fence)
        return await self.confirm(fence)

    async def running(self, number: int = 1, **changes: Any) -> Execution:
        """Claim and launch a new Work."""
        return await self.run((await self.claimed(number, **changes)).execution.fence)

    async def result(self, fence: Fence, result: Result) -> Execution:
        return await self.do(lambda tx, now: store_result(tx, fence, result, now))

    async def finish(
        self, fence: Fence, outcome: Outcome, *, stopped: bool = True, **ending: Any
    ) -> Finished | Overtaken:
        timer = TimerId(self.ids.new("tmr"))
        waits = ending.pop("waits", ("comment",))
        if outcome is Outcome.WAITING:
            ending.setdefault("awaited", Awaited(kinds=waits))
        told = Ending(outcome=outcome, **ending)
        return await self.do(lambda tx, now: finish(tx, fence, told, timer=timer, stopped=stopped, now=now))

    async def finished(self, fence: Fence, outcome: Outcome, *, stopped: bool = True, **ending: Any) -> Finished:
        """Finish an attempt that nothing overtakes."""
        answer = await self.finish(fence, outcome, stopped=stopped, **ending)
        assert isinstance(answer, Finished)
        return answer

    async def fail(self, fence: Fence, **ending: Any) -> Work:
        return (await self.finished(fence, Outcome.FAILED, summary="it broke", **ending)).work

    async def recover(self, execution: ExecutionId, *, owner: str = "host-b") -> Recovered | None:
        """Take over an attempt as it is stored now."""
        seen = await self.execution(execution)
        return await self.do(lambda tx, now: recover(tx, seen, owner=owner, lease=factories.LEASE, now=now))

    async def recovered(self, execution: ExecutionId, *, owner: str = "host-b") -> Recovered:
        """Let the lease of an attempt lapse, and take it over."""
        self.clock.advance(factories.LEASE)
        taken = await self.recover(execution, owner=owner)
        assert taken is not None
        return taken

    async def event(self, natural_key: str, *, routing: Routing = Routing.ROUTED, **changes: Any) -> Event:
        return await self.do(lambda tx, now: factories.put_event(tx, natural_key, now=now, routing=routing, **changes))

    async def comment(self, work: WorkId, natural_key: str = "comment", *, kind: str = "comment") -> Work:
        """Let a person say something to a Work."""
        event = await self.event(natural_key)
        seen = await self.work(work)
        return await self.do(lambda tx, now: add_input(tx, seen, event, kind=kind, author="ada", body="hm", now=now))

    async def timer(self, work: WorkId) -> Timer | None:
        return await self.see(lambda tx: tx.timers.of_work(work, TimerKind.RETRY))

    async def fire(self, timer: Timer) -> bool:
        return await self.do(lambda tx, now: fire(tx, timer, now))

    async def retry(self, work: WorkId) -> Work:
        """Wait until the retry of a failed Work is due, and fire it."""
        timer = await self.timer(work)
        assert timer is not None
        self.clock.advance(max(timer.due_at - self.clock.now(), 0))
        assert await self.fire(timer)
        return await self.work(work)

    async def work(self, work: WorkId) -> Work:
        return await self.see(lambda tx: tx.works.get(work))

    async def execution(self, execution: ExecutionId) -> Execution:
        return await self.see(lambda tx: tx.executions.get(execution))

    async def pending(self, work: WorkId) -> Sequence[Input]:
        return await self.see(lambda tx: tx.inputs.pending(work))

    async def consumed(self, execution: Execution) -> list[str]:
        """Return the events that an attempt took up, in its order."""
        return [
            entry.event for entry in await self.see(lambda tx: tx.inputs.of_execution(execution.work, execution.id))
        ]

    async def refusal(self, work: Work, **changes: Any) -> Reason:
        """Return why a Work cannot be claimed."""
        answer = await self.try_claim(work, **changes)
        assert isinstance(answer, Refused), answer
        return answer.reason

    async def kinds(self, work: WorkId) -> list[str]:
        """Return the kinds of the pending input of a Work, in its order."""
        return [entry.kind for entry in await self.pending(work)]
