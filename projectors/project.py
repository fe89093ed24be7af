"""The pass that brings threads to what the store says, one thread at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

import structlog
from prometheus_client import Counter, Gauge

from bot.clock import MINUTE, SECOND, Clock, Millis
from bot.domain.retry import backoff
from bot.errors import RateLimitedError, TrackerError, TrackerMissingError, TrackerUnavailableError
from bot.metrics import REGISTRY
from bot.storage.contract import Store, Tx
from bot.storage.threads import Thread
from bot.trackers.contract import Tracker
from bot.views.query import Threads, trigger_mark
from bot.views.thread import ThreadView
from projectors.assigning import Assigning
from projectors.checking import Checking
from projectors.desired import desired
from projectors.diff import Actual, AddLabels, CreateComment, EditComment, Operation, RemoveLabel, diff
from projectors.label_pace import LabelPace
from projectors.labels import Label
from projectors.limiters import Limiters
from projectors.place import Place
from projectors.post import Post
from projectors.settings import Settings

_PLANNED = Counter(
    "trackside_projection_planned", "Differences between a thread and the store, by kind", ["kind"], registry=REGISTRY
)
_DONE = Counter("trackside_projection_done", "Differences that were written, by kind", ["kind"], registry=REGISTRY)
_REFUSED = Counter("trackside_labels_refused", "Labels that the tracker would not have", registry=REGISTRY)
_FROZEN = Counter(
    "trackside_labels_frozen",
    "How often labels were left alone, since something else kept changing them",
    registry=REGISTRY,
)
_PARKED = Gauge("trackside_threads_parked", "Threads that cannot be written to", registry=REGISTRY)

_INVALID = 422

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, kw_only=True)
class ProjectPass:
    """
    Projects every thread that is due.

    A thread that cannot be written to, since it is gone or locked, is parked with the reason until something
    changes; any other failure is tried again later. A failed projection never fails the Work.
    """

    store: Store
    tracker: Tracker
    clock: Clock
    limiters: Limiters
    post: Post
    threads: Threads
    settings: Settings
    assigning: Assigning
    checking: Checking
    pace: LabelPace

    async def run(self) -> None:
        """Project what is due."""
        now = self.clock.now()
        if items := sorted({*self.pace.due(), *self.checking.due()}):
            await self.store.write(lambda tx: _touch(tx, items))
        due, parked = await self.store.read(lambda tx: (tx.threads.due(now), tx.threads.parked()))
        _PARKED.set(len(parked))
        for thread in due:
            try:
                await self._project(thread)
            except TrackerUnavailableError as error:
                await self._postpone(thread, error)
            except TrackerError as error:
                await self._park(thread, error)

    async def _project(self, thread: Thread) -> None:
        now = self.clock.now()
        view = await self.store.read(lambda tx: self.threads.view(tx, thread.item, now))
        place = Place(item=thread.item, repository=view.repository, number=view.number)
        if view.sections:
            if wait := self.limiters.of(place.repository).wait():
                # What is read now would be out of date when something may be written, and reading counts too.
                raise RateLimitedError("enough was written for now", retry_after=wait)
            view = replace(view, labels_left_until=self.pace.frozen_until(thread.item))
            # Taking a long text apart can take seconds, in which nothing else would turn.
            wanted = await asyncio.to_thread(desired, view, self.settings, now)
            issue = await self.tracker.issue(place.repository, place.number)
            lasting = [] if wanted.sticky is None else [wanted.sticky.key]
            comments = await self.post.known(place, lasting=lasting)
            actual = Actual(labels=frozenset(issue.labels), comments=comments)
            operations = self._allowed(thread.item, diff(wanted, actual))
            for operation in operations:
                _PLANNED.labels(type(operation).__name__).inc()
            for operation in operations:
                await self._apply(place, operation)
                _DONE.labels(type(operation).__name__).inc()
            await self.assigning.show(place, view, issue.assignees)
            await self.checking.show(place, view, issue.url)
        await self.store.write(lambda tx: _shown(tx, thread, view))

    def _allowed(self, item: str, operations: Sequence[Operation]) -> list[Operation]:
        """Return what may be done now: without the labels while those of the item are left as they are."""
        others: list[Operation] = [each for each in operations if not isinstance(each, AddLabels | RemoveLabel)]
        return others if len(others) < len(operations) and self.pace.wait(item) is not None else list(operations)

    async def _note(self, place: Place, names: Sequence[str], *, added: bool) -> None:
        if self.pace.note(place.item, names, added=added):
            _FROZEN.inc()
            _log.warning("labels_frozen", item=place.item, labels=list(names))
            # So that its comment says so.
            await self.store.write(lambda tx: tx.threads.touch(place.item))

    async def _apply(self, place: Place, operation: Operation) -> None:
        match operation:
            case AddLabels(labels=labels):
                names = [label.name for label in labels if await self._there(place, label)]
                if names:
                    await self.limiters.of(place.repository).write(
                        lambda: self.tracker.add_labels(place.repository, place.number, names)
                    )
                    await self._note(place, names, added=True)
            case RemoveLabel(name=name):
                await self.limiters.of(place.repository).write(
                    lambda: self.tracker.remove_label(place.repository, place.number, name)
                )
                await self._note(place, [name], added=False)
            case CreateComment(key=key, body=body):
                await self.post.create(place, key, body)
            case EditComment(comment=comment, body=body):
                await self.post.edit(place, comment, body)

    async def _there(self, place: Place, label: Label) -> bool:
        """Make a label where there is none. One that the tracker finds invalid keeps no other from being shown."""
        try:
            await self.limiters.of(place.repository).write(
                lambda: self.tracker.ensure_label(
                    place.repository, label.name, color=label.color, description=label.description
                )
            )
        except TrackerError as error:
            if error.status != _INVALID:
                raise
            _REFUSED.inc()
            _log.warning("label_refused", item=place.item, label=label.name, reason=str(error))
            return False
        return True

    async def _postpone(self, thread: Thread, error: TrackerUnavailableError) -> None:
        # A limit says itself how long it lasts, and is no sign that anything is wrong with the thread.
        limit = error.retry_after if isinstance(error, RateLimitedError) else None
        wait = backoff(thread.tries + 1, base=SECOND, most=5 * MINUTE) if limit is None else limit
        until = Millis(self.clock.now() + wait)
        _log.warning("projection_postponed", item=thread.item, wait_ms=wait, reason=str(error))
        await self.store.write(lambda tx: tx.threads.postpone(thread, until=until, counted=limit is None))

    async def _park(self, thread: Thread, error: TrackerError) -> None:
        gone = isinstance(error, TrackerMissingError)
        reason = "the thread is gone" if gone else str(error)
        _log.warning("projection_parked", item=thread.item, reason=reason)
        await self.store.write(lambda tx: tx.threads.park(thread.item, reason))


def _touch(tx: Tx, items: Sequence[str]) -> None:
    for item in items:
        tx.threads.touch(item)


def _shown(tx: Tx, thread: Thread, view: ThreadView) -> None:
    tx.threads.shown(thread.item, thread.wanted)
    for work in view.sections:
        if work.state.ended and not work.trigger_settled:
            # From here on the trigger label is a person's wish for another run.
            tx.cursors.put(trigger_mark(work.work), "off")
