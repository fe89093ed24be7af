"""
Poll mode: what deliveries would tell, asked for, where none can arrive.

Each round costs two calls for a repository in which nothing happens: what changed of its items, and its new
comments. Only items that concern us are looked at further, by the code of the sweep and under its keys. The
sweep goes on beside it and finds what a list of changes does not tell.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from bot.clock import MINUTE, Clock, Millis
from bot.trackers.contract import Repository
from webhooks.sweep import OVERLAP, Sweep, numbers_of

KNOWN_FOR = 10 * MINUTE
"""How long a repository's id is taken to be known by its name; another one may get the name."""


@dataclass(frozen=True)
class Poll:
    """Asks for what changed in one repository at a time. ``sweep`` accepts what is found."""

    sweep: Sweep
    clock: Clock
    _known: dict[str, tuple[Millis, Repository]] = field(default_factory=dict)

    async def run(self, name: str) -> int:
        """
        Poll a repository, by its ``owner/name``. Returns how many facts were new.

        Raises ``TrackerError`` when the tracker cannot be read; what was found until then is kept.
        """
        repository = await self._repository(name)
        now = self.clock.now()
        found = await self._changes(repository, now)
        return found + await self.sweep.comments(repository, now)

    async def _repository(self, name: str) -> Repository:
        now = self.clock.now()
        asked, repository = self._known.get(name, (now, None))
        if repository is None or not asked <= now < asked + KNOWN_FOR:
            repository = await self.sweep.tracker.repository(name)
            self._known[name] = (now, repository)
        return repository

    async def _changes(self, repository: Repository, now: Millis) -> int:
        store, mark = self.sweep.store, f"issues/{repository.id}"
        since = await store.read(lambda tx: tx.cursors.get(mark))
        start = Millis(int(since) if since is not None else now)
        changed = await self.sweep.tracker.issues_since(repository.full_name, Millis(start - OVERLAP))
        numbers = {issue.number for issue in changed}
        live = await self.sweep.live_in(repository)
        starts = self.sweep.desk.playbook_for_label
        called = {issue.number for issue in changed if any(starts(label) is not None for label in issue.labels)}
        found = await self.sweep.wakes(repository, numbers & (numbers_of(live) | called), now)
        found += await self.sweep.reviews(repository, [work for work in live if work.pull in numbers])
        # A check changes nothing in the list of what changed.
        found += await self.sweep.checks(repository, live)
        newest = str(max([start, *(issue.updated_at for issue in changed)]))
        if newest != since:
            # After the facts are durable: a mark that is behind only has them read once more.
            await store.write(lambda tx: tx.cursors.put(mark, newest))
        return found
