"""The machines on which runs go on, whoever started them: they outlive every host."""

from __future__ import annotations

import asyncio
import enum
from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.clock import Millis
from bot.domain.result import Order, Result
from bot.errors import ExecutorError
from bot.executors.contract import StopEvidence
from bot.ids import EventId, ExecutionId, WorkId
from tests.simulation.times import TrueTime


class Running(enum.Enum):
    """How a run stands."""

    ALIVE = "alive"
    ENDED = "ended"
    """It left a result."""
    GONE = "gone"
    """It left nothing: it was stopped, or died."""


@dataclass(kw_only=True)
class Run:
    """
    A run of an order.

    ``told`` is whether its end can be seen already. ``stubborn`` is how often it is asked to stop in vain. ``session``
    is where it goes on from, when it does. ``taken`` is the input that it took in while it ran.
    """

    key: str
    execution: ExecutionId
    epoch: int
    work: WorkId
    pool: str
    home: str
    token: str
    timeout: int
    session: Mapping[str, object]
    started_at: Millis
    stubborn: int = 0
    running: Running = Running.ALIVE
    told: bool = False
    result: Result | None = None
    taken: list[EventId] = field(default_factory=list)
    watchers: list[asyncio.Future[None]] = field(default_factory=list)

    async def wait(self) -> Result:
        """Wait until the end can be seen. Raises ``ExecutorError`` when nothing was left."""
        if not self.told:
            future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self.watchers.append(future)
            await future
        if self.result is None:
            raise ExecutorError("the run left nothing behind", code="lost")
        return self.result

    def end(self, result: Result | None, *, told: bool) -> None:
        """Let it end, with a result or without one."""
        self.running = Running.GONE if result is None else Running.ENDED
        self.result = result
        if told:
            self.tell()

    def tell(self) -> None:
        """Let its end be seen."""
        self.told = True
        for watcher in self.watchers:
            if not watcher.done():
                watcher.set_result(None)
        self.watchers = []


@dataclass(kw_only=True)
class Machine:
    """
    All runs there ever were on all machines, and up to which epoch an attempt may be launched on none any more.

    ``key`` is what the provider's account is used with; it changes when people renew it.
    """

    time: TrueTime
    runs: list[Run] = field(default_factory=list)
    key: int = 1
    _forbidden: dict[tuple[ExecutionId, str], int] = field(default_factory=dict)

    def alive(self) -> list[Run]:
        """Return the runs that go on, oldest first."""
        return [run for run in self.runs if run.running is Running.ALIVE]

    def untold(self) -> list[Run]:
        """Return the runs that have ended, and of which nobody can see that yet."""
        return [run for run in self.runs if run.running is not Running.ALIVE and not run.told]

    def of(self, execution: ExecutionId, home: str) -> list[Run]:
        """Return the runs of an attempt on one machine, the newest first."""
        return [run for run in reversed(self.runs) if run.execution == execution and run.home == home]

    def start(self, order: Order, pool: str, *, home: str, stubborn: int) -> Run:
        """Start an order's run, once for each key. Raises ``ExecutorError`` when the attempt was told to stop."""
        if self._forbidden.get((order.execution, home), 0) >= order.epoch:
            raise ExecutorError("the attempt was told to stop", code="stopped")
        for run in self.of(order.execution, home):
            if run.key == order.key:
                return run
        run = Run(
            key=order.key,
            execution=order.execution,
            epoch=order.epoch,
            work=order.work,
            pool=pool,
            home=home,
            token=order.token,
            timeout=order.timeout,
            session=order.session,
            started_at=self.time.now,
            stubborn=stubborn,
        )
        self.runs.append(run)
        return run

    def stop(self, execution: ExecutionId, epoch: int, *, home: str) -> StopEvidence:
        """Stop what runs of an attempt up to an epoch, and forbid any later launch of it."""
        self._forbidden[execution, home] = max(self._forbidden.get((execution, home), 0), epoch)
        evidence = StopEvidence.NEVER_STARTED
        for run in self.of(execution, home):
            if run.epoch > epoch:
                continue
            if run.running is not Running.ENDED and run.stubborn > 0:
                run.stubborn -= 1
                return StopEvidence.UNKNOWN
            if run.running is Running.ALIVE:
                run.end(None, told=True)
            evidence = StopEvidence.STOPPED
        return evidence
