"""
The load generator, in a process of its own: ``python -m tests.benchmarks.load``.

Its orders are one JSON object on standard input, its results one on standard output. It speaks HTTP by hand: a
client library would use more of the machine than the server that is measured. Each connection sends its next
delivery when the last one was answered.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass

from tests.benchmarks.deliveries import Post, posts

_END = b"\r\n\r\n"
_LENGTH = b"content-length: "
_ACCEPTED = b'"accepted"'


@dataclass(frozen=True, kw_only=True)
class Orders:
    """Ports by kind of server; each gets ``rounds`` of ``seconds``, in turn, over so many connections."""

    ports: Mapping[str, int]
    rounds: int
    seconds: float
    connections: int
    secret: str


@dataclass(frozen=True, kw_only=True)
class Round:
    """What one server did in one round. ``latencies`` are in seconds; ``sent`` counts the warm-up too."""

    elapsed: float
    sent: int
    latencies: list[float]


async def generate(orders: Orders) -> Mapping[str, list[Round]]:
    """Give each server its rounds, in turn, so that noise hits all alike. Raises when one is not accepted."""
    supply = itertools.cycle(posts(orders.secret.encode()))
    found: dict[str, list[Round]] = {kind: [] for kind in orders.ports}
    for _ in range(orders.rounds):
        for kind, port in orders.ports.items():
            found[kind].append(await _round(port, supply, orders))
    return found


async def _round(port: int, supply: Iterator[Post], orders: Orders) -> Round:
    count = orders.connections
    opened = await asyncio.gather(*(asyncio.open_connection("127.0.0.1", port) for _ in range(count)))
    await asyncio.gather(*(_deliver(*each, next(supply)) for each in opened))
    loop = asyncio.get_running_loop()
    began = loop.time()
    kept = [_keep_delivering(*each, supply, until=began + orders.seconds) for each in opened]
    latencies = list(itertools.chain.from_iterable(await asyncio.gather(*kept)))
    elapsed = loop.time() - began
    for _, writer in opened:
        writer.close()
        await writer.wait_closed()
    return Round(elapsed=elapsed, sent=count + len(latencies), latencies=latencies)


async def _keep_delivering(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, supply: Iterator[Post], *, until: float
) -> list[float]:
    loop = asyncio.get_running_loop()
    latencies: list[float] = []
    began = loop.time()
    while began < until:
        await _deliver(reader, writer, next(supply))
        ended = loop.time()
        latencies.append(ended - began)
        began = ended
    return latencies


async def _deliver(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, post: Post) -> None:
    writer.write(post.request())
    head = await reader.readuntil(_END)
    start = head.index(_LENGTH) + len(_LENGTH)
    body = await reader.readexactly(int(head[start : head.index(b"\r\n", start)]))
    if not head.startswith(b"HTTP/1.1 202 ") or _ACCEPTED not in body:
        raise RuntimeError(f"not accepted: {head!r} {body!r}")


if __name__ == "__main__":
    answer = asyncio.run(generate(Orders(**json.load(sys.stdin))))
    json.dump({kind: [asdict(each) for each in rounds] for kind, rounds in answer.items()}, sys.stdout)
