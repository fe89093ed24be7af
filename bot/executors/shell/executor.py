"""The executor itself: from an order to a run directory, and from a run directory to a handle."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Mapping
from pathlib import Path

from bot.domain.kind import Capability
from bot.domain.result import Order
from bot.errors import ConfigError, ExecutorError, NotAdoptableError
from bot.executors.contract import ExecutionContext, StopEvidence
from bot.executors.processes.identity import alive
from bot.executors.shell import stopping
from bot.executors.shell.config import ShellConfig, parse
from bot.executors.shell.environment import environment, install_tools
from bot.executors.shell.handle import RunHandle, summarise
from bot.executors.supervisor import files
from bot.executors.supervisor.client import SupervisorClient
from bot.executors.supervisor.command import Command
from bot.executors.supervisor.exit_record import End
from bot.executors.supervisor.monitor import LaunchOrder
from bot.executors.supervisor.run_directory import DEFAULT_GRACE, RunDirectory, launches
from bot.ids import ExecutionId

_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")


class ShellExecutor:
    """
    Runs commands under the supervisor of a state directory.

    ``host`` is the environment of which configs may inherit; ``grace`` is the time between TERM and KILL
    in milliseconds. Executors of the same state directory, in whatever process, see the same runs.
    """

    def __init__(
        self,
        state: Path,
        *,
        name: str = "shell",
        pool: str = "jobs",
        grace: int = DEFAULT_GRACE,
        host: Mapping[str, str] = os.environ,
    ) -> None:
        self._name = name
        self._pool = pool
        self._state = state.absolute()
        self._runs = self._state / "runs"
        self._tools = self._state / "bin"
        self._grace = grace
        self._host = host
        self._supervisor = SupervisorClient(self._state)

    @property
    def name(self) -> str:
        """The word by which bindings name it."""
        return self._name

    @property
    def pool(self) -> str:
        """The capacity pool that its runs count against."""
        return self._pool

    @property
    def capabilities(self) -> frozenset[Capability]:
        """None: a command is told nothing once it runs, and its stop asks politely first anyway."""
        return frozenset()

    def check(self, config: Mapping[str, object]) -> None:
        """Raise ``ConfigError`` when a binding's config is not one that this executor can run."""
        parse(config)

    async def run(self, order: Order, context: ExecutionContext) -> RunHandle:
        """
        Start the order's command, once for each key.

        Raises ``ExecutorError``: permanent when the config is wrong or names no program that can be
        started; code ``stopped`` when the attempt was told to stop before.
        """
        try:
            config = parse(order.config)
        except ConfigError as error:
            raise ExecutorError(str(error), code="config", permanent=True) from error
        run = RunDirectory(self._attempt(order.execution) / str(order.epoch))
        if not await asyncio.to_thread(run.was_launched):
            await asyncio.to_thread(self._prepare, order, run)
            await context.release()
            await self._supervisor.launch(self._launch(order, config, run))
        handle = await asyncio.to_thread(_started, run, order.key)
        await context.persist(await asyncio.to_thread(_metadata, run))
        return handle

    async def recover(self, order: Order, metadata: Mapping[str, object]) -> RunHandle:
        """
        Adopt the run of an earlier host, also one that it had no time to tell of (empty ``metadata``).

        Raises ``NotAdoptableError`` when there is none, or when its monitor is gone without a word.
        """
        return await asyncio.to_thread(self._adopt, order, metadata)

    async def stop(self, execution: ExecutionId, epoch: int) -> StopEvidence:
        """Stop all processes of the attempt's launches up to ``epoch``, and forbid any later one of these."""
        attempt = self._attempt(execution)
        launched = await asyncio.to_thread(stopping.forbid, attempt, epoch, self._grace)
        evidence = [await stopping.stop(run, self._supervisor, self._grace) for run in launched]
        return stopping.combine(evidence)

    def _attempt(self, execution: ExecutionId) -> Path:
        if not _PLAIN.fullmatch(execution):
            raise ValueError(f"{execution!r} is not the id of an execution")
        return self._runs / execution

    def _prepare(self, order: Order, run: RunDirectory) -> None:
        self._state.mkdir(mode=0o700, parents=True, exist_ok=True)
        install_tools(self._tools)
        run.make()
        files.write(run.prompt, order.prompt.encode(errors="replace"))
        files.write_record(run.previous, order.previous)
        files.write_record(run.order, _description(order))

    def _launch(self, order: Order, config: ShellConfig, run: RunDirectory) -> LaunchOrder:
        variables = environment(order, config, run, tools=self._tools, host=self._host)
        return LaunchOrder(order.key, run, Command(config.argv, variables, order.directory, run.log))

    def _adopt(self, order: Order, metadata: Mapping[str, object]) -> RunHandle:
        for run in self._candidates(order, metadata):
            try:
                handle = _adopted(run, metadata.get("monitor"))
            except ValueError as error:
                raise NotAdoptableError(f"the run's records cannot be read: {error}", code="lost") from error
            if handle is not None:
                return handle
        raise NotAdoptableError("no launch of this attempt was found", code="not-found")

    def _candidates(self, order: Order, metadata: Mapping[str, object]) -> list[RunDirectory]:
        attempt = self._attempt(order.execution)
        epoch = metadata.get("epoch")
        if isinstance(epoch, int):
            return [RunDirectory(attempt / str(epoch))]
        found = [run for run in launches(attempt) if run.epoch <= order.epoch]
        return sorted(found, key=lambda run: run.epoch, reverse=True)


def _started(run: RunDirectory, key: str) -> RunHandle:
    try:
        launch, end = run.launch(), run.exit()
    except ValueError as error:
        raise ExecutorError(f"the run's records cannot be read: {error}", code="lost") from error
    if launch is None:
        raise ExecutorError("the command was not launched", code="supervisor")
    if launch.key != key:
        raise ExecutorError("another order was launched under this attempt and epoch", code="conflict")
    if end is not None and end.end in {End.REFUSED, End.UNSTARTABLE}:
        code = "stopped" if end.end is End.REFUSED else "unstartable"
        raise ExecutorError(summarise(end), code=code, permanent=end.permanent)
    return RunHandle(run, launch.monitor)


def _adopted(run: RunDirectory, expected: object) -> RunHandle | None:
    launch, end = run.launch(), run.exit()
    if launch is None or (end is not None and end.end is End.REFUSED):
        return None
    if expected is not None and expected != launch.monitor.record():
        raise NotAdoptableError("this is not the run that was recorded", code="stranger")
    if end is None and not alive(launch.monitor):
        # it may have written the record and ended between the two looks
        end = run.exit()
        if end is None:
            raise NotAdoptableError("the run's monitor is gone without a word", code="lost")
    if end is not None and end.end is End.LOST:
        raise NotAdoptableError("the run's monitor was killed", code="lost")
    return RunHandle(run, launch.monitor)


def _metadata(run: RunDirectory) -> dict[str, object]:
    launch, process = run.launch(), run.process()
    return {
        "version": 1,
        "directory": str(run.path),
        "epoch": run.epoch,
        "monitor": launch and launch.monitor.record(),
        "process": process and process.record(),
    }


def _description(order: Order) -> dict[str, object]:
    # neither the token nor an environment, and not the config, which may name secrets of its own
    return {
        "version": 1,
        "key": order.key,
        "work": order.work,
        "execution": order.execution,
        "epoch": order.epoch,
        "attempt": order.attempt,
        "executor": order.executor,
        "directory": order.directory,
        "timeout": order.timeout,
        "api": order.api,
    }
