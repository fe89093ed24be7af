"""
Latency: from the answer to a person who adds the label, to the run's start, to the first label that shows it.

The tracker and the host share a process and talk over real sockets, as in the demo; nothing is held by a gate. The
agent is a command that ends at once. One issue after the other, and each finds an idle host; the first one, which
also clones the repository and starts the supervisor, is not counted.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
from pydantic import SecretStr

from bot.clock import HOUR, Millis, SystemClock
from bot.demo.story import LABEL, Person
from bot.demo.world import BOT, DEVELOPER, REPOSITORY, Tokens, furnish
from bot.executors.supervisor.run_directory import launches
from bot.host.app import Host, Surroundings, open_host
from bot.host.config import Config
from bot.host.sections import Settings, TrackerSettings
from bot.ids import ExecutionId
from bot.storage.contract import Store, Tx
from bot.trackers.embedded.tracker import EmbeddedTracker
from tests.benchmarks.quantiles import percentile
from tests.benchmarks.report import Section
from tests.benchmarks.scale import Scale
from tests.benchmarks.serving import address, listening, serving
from tests.executors.supervised import end_everything

PLAYBOOK = Path(__file__).with_name("playbook.md")
PATIENCE = 60.0
"""Seconds after which a host that does not come to rest is given up."""


@dataclass(frozen=True, kw_only=True)
class Latency:
    """Milliseconds from the answer to the label until the claim, the start of the command, and a label that shows."""

    claimed: int
    started: int
    shown: int


@dataclass(kw_only=True)
class Bench:
    """The tracker, the host's store, and the person who labels. ``turned`` is set after each pass of the host."""

    tracker: EmbeddedTracker
    developer: Person
    store: Store
    turned: asyncio.Event
    runs: Path
    clock: SystemClock

    async def issue(self) -> Latency:
        """Open an issue, label it as soon as all is quiet, and wait until it is done."""
        path = f"/repos/{REPOSITORY}/issues"
        number = (await self.developer.call("POST", path, {"title": "Do nothing", "body": "At once."}))["number"]
        await self._until_quiet()
        earlier = set(self.runs.glob("*"))
        await self.developer.call("POST", f"{path}/{number}/labels", {"labels": [LABEL]})
        answered = self.clock.now()
        await self._until_quiet()
        if "state:done" not in (await self.tracker.thread(REPOSITORY, number)).label_names:
            raise RuntimeError(f"issue {number} is not done, and nothing happens any more")
        (attempt,) = set(self.runs.glob("*")) - earlier
        execution = await self.store.read(lambda tx: tx.executions.get(ExecutionId(attempt.name)))
        return Latency(
            claimed=execution.started_at - answered,
            started=_started(attempt) - answered,
            shown=await self._shown(number) - answered,
        )

    async def _until_quiet(self) -> None:
        async with asyncio.timeout(PATIENCE):
            while True:
                self.turned.clear()
                await self.tracker.deliver_pending()
                if await self.store.read(lambda tx: _quiet(tx, self.clock.now())):
                    return
                await self.turned.wait()

    async def _shown(self, number: int) -> Millis:
        history = await self.tracker.history(REPOSITORY, number)
        added = (each for each in history if each.kind == "labeled")
        return next(each.created_at for each in added if each.detail["label"]["name"].startswith("state:"))


def _quiet(tx: Tx, now: Millis) -> bool:
    runs = [*tx.executions.live(), *tx.executions.unconfirmed(), *tx.works.ready()]
    return not (runs or tx.events.pending() or tx.notes.pending() or tx.threads.due(now))


def _started(attempt: Path) -> Millis:
    (run,) = launches(attempt)
    end = run.exit()
    if end is None:
        raise RuntimeError(f"{run.path} has not ended")
    return Millis(end.started_at)


async def measure(directory: Path, scale: Scale) -> Section:
    """Measure in a directory that is thrown away afterwards."""
    try:
        async with _bench(directory) as bench:
            await bench.issue()
            found = [await bench.issue() for _ in range(scale.issues)]
    finally:
        await asyncio.to_thread(end_everything, directory / "bot" / "shell")
    steps = {
        "until the attempt is claimed": [each.claimed for each in found],
        "until the process is started": [each.started for each in found],
        "until a state: label is shown": [each.shown for each in found],
    }
    return Section(
        key="latency",
        title=f"From the label on an issue: {scale.issues} in a row",
        columns=("p50 ms", "p95 ms"),
        rows={name: (percentile(each, 50), percentile(each, 95)) for name, each in steps.items()},
    )


@asynccontextmanager
async def _bench(directory: Path) -> AsyncIterator[Bench]:
    clock, secret = SystemClock(), secrets.token_hex(32)
    front, back = listening(), listening()
    async with AsyncExitStack() as stack:
        sender = await stack.enter_async_context(httpx.AsyncClient(timeout=10))
        tracker = await stack.enter_async_context(
            EmbeddedTracker.open(
                directory / "tracker.db", directory / "git", clock=clock, client=sender, base_url=address(front)
            )
        )
        tokens = await furnish(tracker)
        await tracker.create_hook(REPOSITORY, f"{address(back)}/webhooks/github", secret)
        await stack.enter_async_context(serving(tracker.app, front))
        headers = {"Authorization": f"Bearer {tokens.of(DEVELOPER)}"}
        developer = httpx.AsyncClient(base_url=address(front), headers=headers, timeout=10)
        await stack.enter_async_context(developer)
        turned = asyncio.Event()
        around = Surroundings(clock=clock, api=address(back), after=lambda _: turned.set())
        config = _config(directory, address(front), tokens, secret)
        host = await stack.enter_async_context(open_host(config, around))
        await stack.enter_async_context(serving(host.app, back))
        await stack.enter_async_context(_turning(host, tracker))
        yield Bench(
            tracker=tracker,
            developer=Person(DEVELOPER, developer),
            store=host.store,
            turned=turned,
            runs=directory / "bot" / "shell" / "runs",
            clock=clock,
        )


def _config(directory: Path, url: str, tokens: Tokens, secret: str) -> Config:
    return Config(
        data=directory / "bot",
        repositories=(REPOSITORY,),
        playbooks=(PLAYBOOK,),
        tracker=TrackerSettings(url=url, pace="none"),
        settings=Settings(sweep=HOUR),
        token=SecretStr(tokens.of(BOT)),
        secrets=(SecretStr(secret),),
    )


@asynccontextmanager
async def _turning(host: Host, tracker: EmbeddedTracker) -> AsyncIterator[None]:
    stop = asyncio.Event()
    turning = asyncio.create_task(host.wheels.run(stop))
    delivering = asyncio.create_task(tracker.run_deliveries())
    try:
        yield
    finally:
        stop.set()
        delivering.cancel()
        await asyncio.gather(turning, delivering, return_exceptions=True)
