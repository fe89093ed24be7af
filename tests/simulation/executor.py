"""An executor as a host reaches it: the machine's runs, started and found by a process that may die."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass

from bot.domain.account import Account
from bot.domain.control import Injection
from bot.domain.kind import Capability
from bot.domain.result import Order, Result
from bot.errors import ExecutorError, NotAcceptingError, NotAdoptableError
from bot.executors.contract import ExecutionContext, StopEvidence
from bot.ids import ExecutionId
from tests.simulation.choices import Choices
from tests.simulation.machine import Machine, Run, Running
from tests.simulation.mortal import Life


class Launch(enum.Enum):
    """How a launch goes."""

    WELL = "well"
    UNCLEAR = "unclear"
    """The run starts, and the executor cannot say so."""
    FAILED = "failed"
    """Nothing starts."""
    HOPELESS = "hopeless"
    """Nothing starts, and nothing ever will."""


LAUNCHES = ((30, Launch.WELL), (2, Launch.UNCLEAR), (2, Launch.FAILED), (1, Launch.HOPELESS))
STUBBORN = ((6, 0), (2, 1), (2, 8))


ANSWERS = ((4, "takes"), (2, "takes nothing"), (2, "loses"), (1, "forbids"))
"""What a run does with further input."""
ACCOUNT = "provider"


@dataclass(frozen=True, kw_only=True)
class Watch:
    """A handle: a run, watched by one host."""

    run: Run
    life: Life
    choices: Choices

    async def wait(self) -> Result:
        result = await self.run.wait()
        await self.life.reach("the end of a run")
        return result

    async def inject(self, message: Injection) -> None:
        await self.life.reach("inject")
        answer = self.choices.weighted(ANSWERS)
        self.life.tell(f"input {answer}", f"gives {message.event} to {self.run.key}, which {answer} it")
        if answer in {"takes", "loses"} and message.event not in self.run.taken:
            self.run.taken.append(message.event)
        if answer == "takes nothing":
            raise NotAcceptingError
        if answer in {"loses", "forbids"}:
            raise ExecutorError("the run did not answer", code="lost", permanent=answer == "forbids")
        await self.life.reach("the answer of inject")


@dataclass(frozen=True, kw_only=True)
class SimulatedExecutor:
    """
    An ``Executor``. It stores how to find a run after it has started it, so that a host can die between both.

    ``home`` is the machine that it works on: it sees nothing of what runs on others. It takes further input, can be
    asked to stop a run, can resume one, and uses an account.
    """

    name: str
    pool: str
    home: str
    machine: Machine
    life: Life
    choices: Choices

    @property
    def capabilities(self) -> frozenset[Capability]:
        """Return all that there are."""
        return frozenset(Capability)

    @property
    def account(self) -> Account:
        """The account, with what it is used with now."""
        return Account(name=ACCOUNT, credentials=f"key {self.machine.key}")

    def check(self, config: Mapping[str, object]) -> None:
        """Run whatever it is told."""
        del config

    async def run(self, order: Order, context: ExecutionContext) -> Watch:
        await self.life.reach("run")
        return await self._start(order, context)

    async def resume(self, order: Order, context: ExecutionContext) -> Watch:
        await self.life.reach("resume")
        self.life.tell("resumed", f"resumes {order.key}")
        return await self._start(order, context)

    async def recover(self, order: Order, metadata: Mapping[str, object]) -> Watch:
        await self.life.reach("recover")
        found = [run for run in self.machine.of(order.execution, self.home) if run.epoch <= order.epoch]
        if "epoch" in metadata:
            found = [run for run in found if run.epoch == metadata["epoch"]]
        if not found:
            raise NotAdoptableError("no launch of this attempt was found", code="not-found")
        if found[0].running is Running.GONE or self.choices.one_in(16):
            self.life.tell("not adoptable", f"cannot adopt {found[0].key}")
            raise NotAdoptableError("the run cannot be trusted", code="lost")
        return Watch(run=found[0], life=self.life, choices=self.choices)

    async def interrupt(self, execution: ExecutionId, epoch: int) -> None:
        await self.life.reach("interrupt")
        for run in self.machine.of(execution, self.home):
            if run.epoch <= epoch and run.running is Running.ALIVE and not self.choices.one_in(3):
                self.life.tell("wound up", f"asks {run.key} to stop, and it does")
                run.end(Result(ok=True), told=True)
        await self.life.reach("the answer of interrupt")

    async def stop(self, execution: ExecutionId, epoch: int) -> StopEvidence:
        await self.life.reach("stop")
        evidence = self.machine.stop(execution, epoch, home=self.home)
        if evidence is StopEvidence.UNKNOWN:
            self.life.tell("stop unclear", f"does not know whether {execution} has stopped")
        await self.life.reach("the answer of stop")
        return evidence

    async def _start(self, order: Order, context: ExecutionContext) -> Watch:
        launch = self.choices.weighted(LAUNCHES)
        if launch in {Launch.FAILED, Launch.HOPELESS}:
            self.life.tell("launch failed", f"cannot launch {order.key}, {launch.value}")
            raise ExecutorError("it cannot be started", code="unstartable", permanent=launch is Launch.HOPELESS)
        run = self.machine.start(order, self.pool, home=self.home, stubborn=self.choices.weighted(STUBBORN))
        await self.life.reach("the start of a run")
        if launch is Launch.UNCLEAR:
            self.life.tell("launch unclear", f"does not hear of the start of {order.key}")
            raise ExecutorError("it may have been started", code="supervisor")
        await context.persist({"epoch": run.epoch})
        await self.life.reach("the handle of a run")
        return Watch(run=run, life=self.life, choices=self.choices)
