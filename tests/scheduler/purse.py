"""Starts under budgets, as a host makes them: the binding reserves what the terms expect."""

from __future__ import annotations

from typing import Any

from bot.domain.admission import Reason, Refused, Terms
from bot.domain.budget import Budget, Per, Period, whole
from bot.domain.execution import Execution
from bot.domain.hold import Hold, HoldKind
from bot.domain.result import Outcome, Result
from bot.domain.work import Work
from bot.ids import EventId, HoldId
from bot.scheduler.bars import Bar, bars
from bot.scheduler.claim import BudgetHeld, Claimed
from bot.scheduler.holds import Release, Released, release_hold
from bot.scheduler.usage import settle
from tests.factories import UNLIMITED, make_binding
from tests.scheduler.bench import Bench


def budget(most: float, unit: str = "usd", **changes: Any) -> Budget:
    return Budget(unit=unit, max=whole(most), **changes)


DAILY: dict[str, Any] = {"per": Per.SCOPE, "period": Period.DAY}
FOR_ALL: dict[str, Any] = {"per": Per.ALL}


class Purse:
    """Budgets and an estimate, and what is done under them on a bench."""

    def __init__(self, bench: Bench, *budgets: Budget, **estimate: float) -> None:
        self.bench = bench
        self.terms = Terms(
            pool="agents",
            limits=UNLIMITED,
            budgets=budgets,
            estimate={unit: whole(amount) for unit, amount in estimate.items()},
        )

    async def try_start(self, work: Work, **changes: Any) -> object:
        binding = make_binding(estimate=self.terms.estimate)
        return await self.bench.try_claim(work, **{"terms": self.terms, "binding": binding, **changes})

    async def start(self, work: Work, **changes: Any) -> Execution:
        """Start a Work that its budgets allow."""
        answer = await self.try_start(work, **changes)
        assert isinstance(answer, Claimed), answer
        return answer.execution

    async def held(self, work: Work, **changes: Any) -> Hold:
        """Try to start a Work that a budget holds, and return the hold."""
        answer = await self.try_start(work, **changes)
        assert isinstance(answer, BudgetHeld), answer
        (hold,) = [
            each for each in await self.bench.see(lambda tx: tx.holds.open(work.id)) if each.kind is HoldKind.BUDGET
        ]
        return hold

    async def refused(self, work: Work) -> Reason:
        answer = await self.try_start(work)
        assert isinstance(answer, Refused), answer
        return answer.reason

    async def use(self, execution: Execution, outcome: Outcome = Outcome.HANDOFF, /, **units: float) -> Work:
        """End an attempt that reports what it used, with new input behind it."""
        await self.bench.result(execution.fence, Result(ok=outcome is not Outcome.FAILED, units=units))
        work = (await self.bench.finished(execution.fence, outcome)).work
        return await self.bench.comment(work.id, f"after/{execution.id}/{execution.epoch}")

    async def spent(self, work: Work, **units: float) -> Work:
        """Let a Work start and use so much."""
        return await self.use(await self.start(work), **units)

    async def settle(self) -> bool:
        return await self.bench.do(lambda tx, now: settle(tx, self.terms.budgets, now))

    async def release(self, hold: HoldId) -> Released:
        event = EventId(self.bench.ids.new("evt"))
        release = Release(hold=hold, by="grace", reason="go on", event=event)
        return await self.bench.do(lambda tx, now: release_hold(tx, release, now))

    async def bar(self, work: Work, place: int = 0) -> Bar:
        """Return how a budget stands for a Work now."""
        now = self.bench.clock.now()
        return (await self.bench.see(lambda tx: bars(tx, work, self.terms.budgets, now)))[place]

    async def used(self, work: Work, place: int = 0) -> float:
        """Return what a budget's ledger has counted."""
        return (await self.bar(work, place)).used / whole(1)

    async def reserved(self, work: Work, place: int = 0) -> float:
        """Return what is reserved in a budget's ledger."""
        return (await self.bar(work, place)).reserved / whole(1)
