"""
Webhooks: how many the receiver accepts, and how long each takes, beside a route that only inserts a row.

Both servers are up all the time and are measured in turn. What each says that it accepted is counted in its
database afterwards. The processor time of a delivery depends less than the other figures on what else the machine
does.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.benchmarks.deliveries import BYTES
from tests.benchmarks.load import Orders, Round
from tests.benchmarks.quantiles import percentile
from tests.benchmarks.report import Section, ratios
from tests.benchmarks.scale import Scale
from tests.benchmarks.statements import count

ROOT = Path(__file__).parents[2]
KINDS = ("receiver", "bare")
_LIMIT = 64 * 1024 * 1024


@dataclass(frozen=True, kw_only=True)
class Server:
    """A server that is up; ``process`` is its id."""

    port: int
    process: int


async def measure(directory: Path, scale: Scale) -> Section:
    """Measure in a directory that is thrown away afterwards."""
    secret = secrets.token_hex(32)
    async with AsyncExitStack() as stack:
        servers = {kind: await stack.enter_async_context(_server(kind, directory / kind, secret)) for kind in KINDS}
        orders = Orders(
            ports={kind: server.port for kind, server in servers.items()},
            rounds=scale.rounds,
            seconds=scale.seconds,
            connections=scale.connections,
            secret=secret,
        )
        idle = {kind: processor_time(server.process) for kind, server in servers.items()}
        found = await _load(orders)
        used = {kind: processor_time(server.process) - idle[kind] for kind, server in servers.items()}
    for kind in KINDS:
        _check(directory / kind, kind, found[kind])
    receiver, bare = (_figures(found[kind], used[kind]) for kind in KINDS)
    counts = [sum(len(each.latencies) for each in found[kind]) for kind in KINDS]
    return Section(
        key="webhooks",
        title=(
            f"Accepted webhooks: signed, {BYTES // 1024} KB, {scale.connections} connections, "
            f"{scale.rounds} x {scale.seconds:g} s for each, in turn"
        ),
        columns=("per second", "p50 ms", "p99 ms", "CPU ms each", "accepted"),
        rows={
            "receiver": (*receiver, counts[0]),
            "bare route, one durable insert": (*bare, counts[1]),
            "receiver / bare route": (*ratios(receiver, bare), None),
        },
    )


def _figures(rounds: Sequence[Round], used: float) -> tuple[float, ...]:
    latencies = [latency * 1_000 for each in rounds for latency in each.latencies]
    rate = len(latencies) / sum(each.elapsed for each in rounds)
    cost = used * 1_000 / sum(each.sent for each in rounds)
    return rate, percentile(latencies, 50), percentile(latencies, 99), cost


def processor_time(process: int) -> float:
    """Return the seconds of processor time that a process has used, in all its threads."""
    # The name stands in parentheses and may itself hold spaces.
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _check(directory: Path, kind: str, rounds: Sequence[Round]) -> None:
    sent, kept = sum(each.sent for each in rounds), count(directory / "trackside.db", f"{kind}_stored")
    if sent != kept:
        raise RuntimeError(f"the {kind} accepted {sent} deliveries and holds {kept}")


async def _load(orders: Orders) -> Mapping[str, Sequence[Round]]:
    async with _process("tests.benchmarks.load") as process:
        output, _ = await process.communicate(json.dumps(asdict(orders)).encode())
        if process.returncode:
            raise RuntimeError("the load generator failed")
    return {kind: [Round(**each) for each in rounds] for kind, rounds in json.loads(output).items()}


@asynccontextmanager
async def _server(kind: str, directory: Path, secret: str) -> AsyncIterator[Server]:
    async with _process(f"tests.benchmarks.{kind}", str(directory)) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(f"{secret}\n".encode())
        port = await process.stdout.readline()
        if not port:
            raise RuntimeError(f"the {kind} did not start")
        yield Server(port=int(port), process=process.pid)
        process.stdin.close()
        await process.wait()


@asynccontextmanager
async def _process(module: str, *arguments: str) -> AsyncIterator[Process]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", module, *arguments, cwd=ROOT, stdin=PIPE, stdout=PIPE, limit=_LIMIT
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
