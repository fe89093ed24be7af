"""
The sweep: what deliveries should have told, asked for.

At the start and every few minutes it reads, for each repository: the labelled open issues, the history of
every item with live Work, new comments, and the reviews of open pull requests of ours. What it finds is
accepted under the same natural keys as by webhook, so that nothing counts twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial

import structlog
from prometheus_client import Counter

from bot.clock import MINUTE, Clock, Millis
from bot.domain.scope import item_key, repository_scope
from bot.domain.work import Work
from bot.errors import TrackerMissingError
from bot.ids import EventId, new_id
from bot.metrics import REGISTRY
from bot.scheduler.checks import checks_missing
from bot.storage.contract import Store, Tx
from bot.trackers.contract import Reads, Repository
from webhooks.check_news import check_news
from webhooks.desk import Desk
from webhooks.fact_parts import RepositoryRef
from webhooks.facts import CommentFact, Fact, ReviewFact, Wake
from webhooks.history import remember_repository
from webhooks.intake import accept_facts, fact_event
from webhooks.rewritten import rewritten

OVERLAP = MINUTE
"""How far each reading of comments goes back before the last one, for clocks that differ."""

_MISSED = Counter(
    "trackside_reconcile_found_missed",
    "Facts that a sweep found before any delivery had told of them, by kind",
    ["kind"],
    registry=REGISTRY,
)

_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Sweep:
    """
    Reads one repository at a time.

    Where ``tracker`` allows no more calls, the next sweep goes on with the item at which this one stopped.
    """

    store: Store
    tracker: Reads
    desk: Desk
    clock: Clock
    found_missed: bool = True
    """Whether what is found counts as missed by deliveries; where the tracker is polled, none are expected."""
    _stopped: dict[int, int] = field(default_factory=dict)
    _renamed: set[str] = field(default_factory=set)

    async def run(self, name: str) -> int:
        """
        Sweep a repository, by its ``owner/name``. Returns how many facts were new.

        Raises ``TrackerError`` when the tracker cannot be read; what was found until then is kept.
        """
        repository = await self.tracker.repository(name)
        now = self.clock.now()
        await self._call(name, repository)
        live = await self.live_in(repository)
        numbers = numbers_of(live)
        for label in self.triggers:
            numbers |= {issue.number for issue in await self.tracker.issues(repository.full_name, label=label)}
        # Comments come first: they are one call, and hold what people ask for.
        found = await self.comments(repository, now)
        pulls: dict[int | None, list[Work]] = {}
        for work in live:
            pulls.setdefault(work.pull, []).append(work)
        for number in self._from_where_it_stopped(repository, numbers):
            self._stopped[repository.id] = number
            found += await self.wakes(repository, [number], now)
            found += await self.reviews(repository, pulls.get(number, []))
            found += await self.checks(repository, pulls.get(number, []))
        self._stopped.pop(repository.id, None)
        return found

    def _from_where_it_stopped(self, repository: Repository, numbers: Iterable[int]) -> list[int]:
        """Return the numbers in the order to look at them: each has its turn, however few calls there are."""
        stopped = self._stopped.get(repository.id, 0)
        return sorted(numbers, key=lambda number: (number < stopped, number))

    async def _call(self, name: str, repository: Repository) -> None:
        """Call a repository that is known by its name of now, also when nothing told that it was renamed."""
        reference = RepositoryRef.of(repository)
        if name.lower() != repository.full_name.lower() and name not in self._renamed:
            self._renamed.add(name)
            cure = "write the name of now into the settings, in repositories and in scopes; the old one may be taken"
            _log.warning("repository_renamed", configured=name, now=repository.full_name, cure=cure)
        known = await self.store.read(lambda tx: tx.scopes.get(repository_scope(repository.id)))
        if known is not None and known.name != repository.full_name:
            await self.store.write(lambda tx: remember_repository(tx, reference))

    @property
    def triggers(self) -> list[str]:
        """The labels that start Work."""
        playbooks = self.desk.playbooks.values()
        return [each.on.label for each in playbooks if each.on is not None and each.on.label is not None]

    async def live_in(self, repository: Repository) -> list[Work]:
        """Return the repository's live Work."""
        scope = repository_scope(repository.id)
        return await self.store.read(lambda tx: [work for work in tx.works.all_live() if work.scope == scope])

    async def wakes(self, repository: Repository, numbers: Iterable[int], now: Millis) -> int:
        """Look at these items, and wake those whose history goes on. Returns how many facts were new."""
        reference = RepositoryRef.of(repository)
        told = await self.store.read(_told)
        wakes = [
            Wake(repository=reference, number=number, delivery=f"sweep/{now}/{repository.id}/{number}")
            for number in sorted(numbers)
            if item_key(repository.id, number) not in told and await self._news(repository, number)
        ]
        return await self._accept(wakes, now)

    async def _news(self, repository: Repository, number: int) -> bool:
        """Whether an item's history goes on after what was read of it, or the item is gone."""
        key = item_key(repository.id, number)
        item = await self.store.read(lambda tx: tx.items.get(key))
        cursor = 0 if item is None else item.cursor
        try:
            return bool(await self.tracker.issue_events(repository.full_name, number, after=cursor))
        except TrackerMissingError:
            # An item that is gone is news too: its Work must end.
            return True

    async def reviews(self, repository: Repository, live: Iterable[Work]) -> int:
        """Read the reviews of the pull requests of this Work. Returns how many facts were new."""
        reference = RepositoryRef.of(repository)
        facts: list[ReviewFact] = []
        for number in sorted({work.pull for work in live if work.pull is not None}):
            try:
                pull = await self.tracker.pull_request(repository.full_name, number)
                reviews = await self.tracker.reviews(repository.full_name, number)
            except TrackerMissingError:
                # Its end is told by its history; the other pull requests must be read all the same.
                continue
            read = [ReviewFact.of(reference, review, pull, from_fork=pull.from_fork) for review in reviews]
            facts += read
            facts += await self.store.read(lambda tx, read=read: rewritten(tx, read))  # type: ignore[misc]
        return await self._accept(facts, self.clock.now())

    async def checks(self, repository: Repository, live: Iterable[Work]) -> int:
        """Look at the checks that this Work waits for. Returns how many facts were new."""
        reference, now = RepositoryRef.of(repository), self.clock.now()
        news = await check_news(self.store, self.tracker, self.desk.writer, reference, live, now)
        for work, head in news.none:
            await self.store.write(partial(_no_checks, work, head, now))
        return await self._accept(news.moved, now) + await self._accept(news.ended, now)

    async def comments(self, repository: Repository, now: Millis) -> int:
        """Read the comments since the last time. Returns how many facts were new."""
        mark = comments_mark(repository.id)
        since = await self.store.read(lambda tx: tx.cursors.get(mark))
        start = Millis(int(since) if since is not None else now)
        comments = await self.tracker.comments_since(repository.full_name, Millis(start - OVERLAP))
        reference = RepositoryRef.of(repository)
        facts = [CommentFact.of(reference, comment, on_pull_request=False) for comment in comments]
        found = await self._accept(facts, now)
        newest = str(max([start, *(comment.updated_at for comment in comments)]))
        if newest != since:
            # After the facts are durable: a mark that is behind only has them read once more.
            await self.store.write(lambda tx: tx.cursors.put(mark, newest))
        return found

    async def _accept(self, facts: Sequence[Fact], now: Millis) -> int:
        """Accept what is new; a sweep that finds nothing new writes nothing."""
        events = [fact_event(fact, EventId(new_id("evt"))) for fact in facts]
        known = await self.store.read(
            lambda tx: {e.natural_key for e in events if tx.events.by_natural_key(e.natural_key) is not None}
        )
        fresh = [event for event in events if event.natural_key not in known]
        if not fresh:
            return 0
        accepted = await self.store.write(lambda tx: accept_facts(tx, fresh, now))
        if accepted and self.found_missed:
            # After the commit, since a change may run twice. One kind at a time is accepted here.
            _MISSED.labels(facts[0].kind.value).inc(accepted)
        return accepted


def _no_checks(work: Work, head: str, now: Millis, tx: Tx) -> bool:
    return checks_missing(tx, work, head, now)


def _told(tx: Tx) -> set[str]:
    """Return the keys of what a wake that is not routed yet has told already: its history is about to be read."""
    wake = f"tracker.{Wake.kind.value}"
    return {key for event in tx.events.pending() if event.type == wake for key in event.keys}


def comments_mark(repository: int) -> str:
    """Return the name under which it is stored up to when a repository's comments were read."""
    return f"comments/{repository}"


def numbers_of(works: Iterable[Work]) -> set[int]:
    """Return the numbers of the items of Work: of its issues and of its pull requests."""
    works = list(works)
    return {work.number for work in works} | {work.pull for work in works if work.pull is not None}
