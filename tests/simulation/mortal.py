"""
The life of a host: at every boundary of what it does it may be killed, or stand still for any time.

A boundary is a point before or after a transaction, a call of the tracker, or a call of an executor. What a host
awaits after its death never happens: ``KilledError`` goes through everything that the bot could catch.
"""

from __future__ import annotations

import asyncio
import enum
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from bot.clock import Millis


class KilledError(BaseException):
    """The process is gone; nothing that it would have done next happens."""


class Harm(enum.Enum):
    """What may happen to a host in the middle of something."""

    NONE = "nothing"
    KILL = "dies"
    PARK = "stands still"
    UNAVAILABLE = "does not reach the tracker"
    LOST_ANSWER = "loses the tracker's answer"
    LIMITED = "is asked by the tracker to wait"
    REFUSED = "is refused by the tracker"
    BUSY = "finds the database busy"


LIFE = frozenset({Harm.KILL, Harm.PARK})
"""These may happen at every boundary; each of the others at boundaries of its own."""


@dataclass(kw_only=True)
class Fate:
    """One harm, after so many more boundaries at which it could happen, or so many of those that begin with ``at``."""

    harm: Harm = Harm.NONE
    after: int = 0
    at: str = ""

    def strikes(self, place: str, *harms: Harm) -> Harm:
        """Count one boundary at which any of these could happen, and return the harm if it happens here."""
        if self.harm not in harms or not place.startswith(self.at):
            return Harm.NONE
        self.after -= 1
        if self.after >= 0:
            return Harm.NONE
        harm, self.harm = self.harm, Harm.NONE
        return harm


@dataclass(kw_only=True)
class Life:
    """
    One process of the bot.

    ``tell`` is told what happens to it. ``stood`` are the calls that stand still, oldest first. While it is not
    ``awake`` every call of it stands still.
    """

    name: str
    tell: Callable[[str, str], None]
    fate: Fate = field(default_factory=Fate)
    alive: bool = True
    awake: bool = True
    stood: list[tuple[str, asyncio.Future[None]]] = field(default_factory=list)
    _pulses: list[tuple[Millis, asyncio.Future[None]]] = field(default_factory=list)
    _tasks: list[asyncio.Task[Any]] = field(default_factory=list)

    def adopt(self, task: asyncio.Task[Any]) -> None:
        """Remember a task that dies with the process."""
        self._tasks = [each for each in self._tasks if not each.done()]
        self._tasks.append(task)

    async def reach(self, place: str) -> None:
        """Come to a boundary. Raises ``KilledError`` when the process is dead, or dies here."""
        self._must_live()
        harm = self.fate.strikes(place, Harm.KILL, Harm.PARK)
        if harm is Harm.KILL:
            self.tell("kill", f"dies at {place}")
            self.kill()
        elif harm is Harm.PARK or not self.awake:
            if harm is Harm.PARK:
                self.tell("stand", f"stands still at {place}")
            await self._stand(place)
        self._must_live()

    def kill(self) -> None:
        """End the process. Its tasks are cancelled, and can do nothing more."""
        if not self.alive:
            return
        self.alive = False
        running = asyncio.current_task() if _inside() else None
        for task in self._tasks:
            if task is not running:
                task.cancel()
        self.stood, self._pulses = [], []

    def go_on(self, place: int) -> str:
        """Let one of the calls that stand still go on, and return which."""
        label, future = self.stood.pop(place)
        if not future.done():
            future.set_result(None)
        return label

    async def pulse(self, due: Millis) -> None:
        """Wait until a moment of the true time."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._pulses.append((due, future))
        await future

    def next_pulse(self) -> Millis | None:
        """Return when the next pulse is due."""
        self._pulses = [entry for entry in self._pulses if not entry[1].done()]
        return min((due for due, _ in self._pulses), default=None)

    def beat(self, now: Millis) -> None:
        """Give every pulse that is due."""
        for due, future in self._pulses:
            if due <= now and not future.done():
                future.set_result(None)

    def _must_live(self) -> None:
        if not self.alive:
            raise KilledError

    async def _stand(self, place: str) -> None:
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        entry = (place, future)
        self.stood.append(entry)
        try:
            await future
        except asyncio.CancelledError:
            self.stood = [each for each in self.stood if each is not entry]
            raise


def _inside() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
