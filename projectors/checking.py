"""
Putting our checks on the heads of pull requests: check runs as an App, commit statuses with a token.

They are written beside the thread and never keep it from being shown: where they may not be written, that is said once
for each repository and tried again later. A check run is made once: its intent is stored before the call, and whoever
finds an intent without an id looks for the run by the name that we gave it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from http import HTTPStatus

import structlog
from prometheus_client import Counter

from bot.clock import HOUR, Clock, Millis
from bot.errors import TrackerError, TrackerMissingError, TrackerUnavailableError
from bot.metrics import REGISTRY
from bot.storage.checks import INTENT, STATUS, ShownCheck
from bot.storage.contract import Store
from bot.trackers.checks import Shown, Writer
from bot.trackers.contract import Person, Tracker
from bot.views.thread import ThreadView, WorkView
from projectors.check_diff import Retire, Write, check_diff
from projectors.checks import Links, mark, wanted_checks
from projectors.limiters import Limiters
from projectors.place import Place
from projectors.settings import Settings
from projectors.sticky import sticky_key

AGAIN = HOUR
"""Milliseconds after which checks that were refused are tried again."""

_WRITTEN = Counter("trackside_checks_written", "Checks of ours that were written", registry=REGISTRY)
_REFUSED = Counter("trackside_checks_refused", "Checks of ours that the tracker would not have", registry=REGISTRY)

_FORBIDDEN = frozenset({HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND})
"""What a tracker answers where a permission is missing, which all of the repository's checks would be answered."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, kw_only=True)
class Checking:
    """Shows the checks of a thread's Work. ``me`` is the account that writes, ``settings`` how texts are written."""

    store: Store
    tracker: Tracker
    clock: Clock
    limiters: Limiters
    me: Person
    settings: Settings
    _refused: dict[str, Millis] = field(default_factory=dict)
    _left_out: dict[str, Millis] = field(default_factory=dict)

    async def show(self, place: Place, view: ThreadView, url: str) -> None:
        """
        Make the checks say where the Work stands; ``url`` is the address of the thread.

        Raises ``TrackerUnavailableError`` when it has to be tried again.
        """
        known = await self.store.read(lambda tx: tx.checks.of_item(place.item))
        if not known and not any(work.commit or work.pull_request is not None for work in view.sections):
            return
        now = self.clock.now()
        if self._refused.get(place.repository, now) > now:
            self._left_out[place.item] = self._refused[place.repository]
            return
        try:
            known = [each for each in [await self._cleared(place, each) for each in known] if each is not None]
            wanted = await self._wanted(place, view, known, url, now)
            for step in check_diff(wanted, known, app=self.tracker.app is not None):
                await self._apply(place, step)
        except TrackerUnavailableError:
            raise
        except TrackerError as error:
            self._park(place, error)
        else:
            self._refused.pop(place.repository, None)

    def due(self) -> list[str]:
        """Return the items whose checks were left out and may be tried again, once."""
        now = self.clock.now()
        ready = [item for item, until in self._left_out.items() if until <= now]
        for item in ready:
            del self._left_out[item]
        return ready

    async def _wanted(
        self, place: Place, view: ThreadView, known: Sequence[ShownCheck], url: str, now: Millis
    ) -> dict[tuple[str, str], Shown]:
        comments = await self.store.read(lambda tx: tx.threads.comments(place.item))
        addresses = {each.key: f"{url}#issuecomment-{each.comment}" for each in comments if each.comment > 0}
        links = Links(thread=url, sticky=sticky_key(view), comments=addresses)
        wanted: dict[tuple[str, str], Shown] = {}
        for work in view.sections:
            shown = wanted_checks(work, links, self.settings, now)
            head = await self._head(place, work, known, {each.name for each in shown})
            if head is not None:
                wanted |= {(each.name, head): each for each in shown}
        return wanted

    async def _head(self, place: Place, work: WorkView, known: Sequence[ShownCheck], names: set[str]) -> str | None:
        """
        Return the commit that a Work's checks belong on, or None while there is none.

        What it says of one commit must not seem to be said of the next: whoever looked at a change says it of the
        commit that they saw, and what has ended says no more of what is pushed later, unless that was merged by it.
        """
        if work.commit or work.pull_request is None:
            return work.commit or None
        if work.state.ended and not work.merged:
            there = [each.head for each in known if each.name in names]
            if there:
                return there[-1]
        try:
            return (await self.tracker.pull_request(place.repository, work.pull_request)).head_sha
        except TrackerMissingError:
            return None

    async def _cleared(self, place: Place, known: ShownCheck) -> ShownCheck | None:
        """Return a check whose making was not seen to its end as it stands, or None when it was never made."""
        if known.external != INTENT:
            return known
        writer = Writer(account=self.me.id, app=self.tracker.app)
        name = self._external(place, known.name)
        for check in await self.tracker.checks(place.repository, known.head):
            if check.external == name and writer.wrote(check):
                found = replace(known, external=check.id, digest="", ended=check.conclusion is not None)
                await self._remember(place, found)
                return found
        await self.store.write(lambda tx: tx.checks.forget(place.item, known))
        return None

    async def _apply(self, place: Place, step: Write | Retire) -> None:
        match step:
            case Write(head=head, shown=shown, known=known):
                await self._write(place, head, shown, known)
            case Retire(known=known, shown=shown):
                if shown is not None:
                    await self._retire(place, known, shown)
                await self.store.write(lambda tx: tx.checks.forget(place.item, known))

    async def _write(self, place: Place, head: str, shown: Shown, known: ShownCheck | None) -> None:
        app = self.tracker.app is not None
        made = ShownCheck(
            name=shown.name,
            head=head,
            external=STATUS,
            digest=mark(shown, app=app),
            ended=shown.conclusion is not None,
        )
        if not app:
            await self._limited(place, partial(self.tracker.set_status, place.repository, head, shown))
        elif known is None or known.external == STATUS or not await self._updated(place, known, shown):
            made = replace(made, external=await self._create(place, made, shown))
        else:
            made = replace(made, external=known.external)
        await self._remember(place, made)
        _WRITTEN.inc()

    async def _create(self, place: Place, made: ShownCheck, shown: Shown) -> int:
        await self._remember(place, replace(made, external=INTENT, digest=""))
        return await self.limiters.of(place.repository).write(
            lambda: self.tracker.create_check(
                place.repository, made.head, shown, external=self._external(place, made.name)
            )
        )

    async def _updated(self, place: Place, known: ShownCheck, shown: Shown) -> bool:
        """Rewrite a check run. Returns whether it is still there."""
        try:
            await self._limited(place, partial(self.tracker.update_check, place.repository, known.external, shown))
        except TrackerMissingError:
            return False
        return True

    async def _retire(self, place: Place, known: ShownCheck, shown: Shown) -> None:
        try:
            if known.external == STATUS:
                await self._limited(place, partial(self.tracker.set_status, place.repository, known.head, shown))
            elif self.tracker.app is not None:
                await self._updated(place, known, shown)
        except TrackerUnavailableError:
            raise
        except TrackerError as error:
            # A commit that was pushed over may be gone; nobody looks at its checks any more.
            _log.info("check_left_open", item=place.item, check=known.name, reason=str(error))

    def _external(self, place: Place, name: str) -> str:
        return f"{self.settings.instance}/{place.item}/{name}"

    async def _limited(self, place: Place, write: Callable[[], Awaitable[None]]) -> None:
        await self.limiters.of(place.repository).write(write)

    async def _remember(self, place: Place, check: ShownCheck) -> None:
        await self.store.write(lambda tx: tx.checks.put(place.item, check))

    def _park(self, place: Place, error: TrackerError) -> None:
        _REFUSED.inc()
        self._left_out[place.item] = until = Millis(self.clock.now() + AGAIN)
        if error.status not in _FORBIDDEN:
            _log.warning("check_refused", item=place.item, reason=str(error))
            return
        if place.repository not in self._refused:
            _log.warning("checks_refused", repository=place.repository, reason=str(error))
        self._refused[place.repository] = until
