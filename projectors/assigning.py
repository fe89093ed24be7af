"""
The bot's account among the assignees of an item while it works on it, where the operator wants that.

What people do counts more: an assignment that was there before is not taken off at the end, and one that somebody
took off is not put on again before the next run.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass, field

import structlog

from bot.errors import TrackerError, TrackerUnavailableError
from bot.storage.contract import Store
from bot.trackers.contract import Person, Tracker
from bot.views.thread import ThreadView
from projectors.limiters import Limiters
from projectors.place import Place

_log = structlog.get_logger(__name__)


class Mark(enum.Enum):
    """What the bot did about an item; the value is stored and must not change."""

    NOTHING = ""
    OURS = "on"
    """It assigned itself."""
    LEFT = "left"
    """This run leaves it as it is: it was assigned before, could not be, or was taken off by somebody."""


class Step(enum.Enum):
    """What is to be done."""

    ASSIGN = "assign"
    UNASSIGN = "unassign"


def step(mark: Mark, *, at_work: bool, assigned: bool) -> tuple[Step | None, Mark]:
    """Return what is to be done, and the mark once it is done."""
    match mark, at_work:
        case Mark.NOTHING, True:
            return (None, Mark.LEFT) if assigned else (Step.ASSIGN, Mark.OURS)
        case Mark.OURS, True:
            return None, Mark.OURS if assigned else Mark.LEFT
        case Mark.OURS, False:
            return Step.UNASSIGN if assigned else None, Mark.NOTHING
        case Mark.LEFT, False:
            return None, Mark.NOTHING
        case _:
            return None, mark


@dataclass(frozen=True, kw_only=True)
class Assigning:
    """Assigns ``me``, if it is ``wanted``; without that nothing is read or written. Warns once of each repository."""

    store: Store
    tracker: Tracker
    limiters: Limiters
    me: Person
    wanted: bool = False
    _warned: set[str] = field(default_factory=set)

    async def show(self, place: Place, view: ThreadView, assignees: Sequence[str]) -> None:
        """
        Make the assignment say whether a run is under way.

        Raises ``TrackerUnavailableError`` when it has to be tried again. A refusal is logged, and leaves it as it is.
        """
        if not self.wanted:
            return
        name = f"assigned/{place.item}"
        mark = Mark(await self.store.read(lambda tx: tx.cursors.get(name)) or "")
        at_work = any(work.attempt and not work.state.ended for work in view.sections)
        assigned = self.me.login.casefold() in {login.casefold() for login in assignees}
        todo, after = step(mark, at_work=at_work, assigned=assigned)
        if todo is not None and not await self._done(place, todo):
            after = Mark.LEFT if at_work else Mark.NOTHING
        if after is not mark:
            await self.store.write(lambda tx: tx.cursors.put(name, after.value))

    async def _done(self, place: Place, todo: Step) -> bool:
        try:
            if todo is Step.UNASSIGN:
                await self._limited(place, todo)
                return True
            if await self._limited(place, todo):
                return True
            reason = "the tracker does not assign this account"
        except TrackerUnavailableError:
            raise
        except TrackerError as error:
            reason = str(error)
        if place.repository not in self._warned:
            self._warned.add(place.repository)
            _log.warning("not_assigned", repository=place.repository, login=self.me.login, reason=reason)
        return False

    async def _limited(self, place: Place, todo: Step) -> bool:
        async def assign() -> bool:
            return await self.tracker.assign(place.repository, place.number, self.me.login)

        async def unassign() -> bool:
            await self.tracker.unassign(place.repository, place.number, self.me.login)
            return True

        return await self.limiters.of(place.repository).write(assign if todo is Step.ASSIGN else unassign)
