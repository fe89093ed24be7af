"""From a scope to the repository as the tracker names it now."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from bot.approvals.policy import Voter
from bot.domain.scope import repository_id
from bot.domain.work import Instructions, Starter, Work
from bot.errors import StorageError, TrackerMissingError
from bot.ids import ScopeId
from bot.playbook.playbook import Playbook
from bot.storage.contract import Store
from bot.trackers.contract import ReadThreads
from webhooks.authority import Authority
from webhooks.current_text import current_text
from webhooks.label_names import with_first_names


@dataclass(frozen=True)
class Places:
    """Names of repositories, as last seen."""

    store: Store

    async def name(self, scope: ScopeId) -> str:
        """Return ``owner/name``. Raises ``StorageError`` for a scope that was never seen."""
        found = await self.store.read(lambda tx: tx.scopes.get(scope))
        if found is None:
            raise StorageError(f"the scope {scope} was never seen")
        return found.name


@dataclass(frozen=True, kw_only=True)
class RepositoryPlace:
    """A repository as ``Authority`` asks about it."""

    id: int
    full_name: str


@dataclass(frozen=True)
class ScopePeople:
    """People by scope, as the approvals extension asks for them."""

    places: Places
    authority: Authority

    async def voter(self, scope: ScopeId, starter: Starter, teams: Iterable[str]) -> Voter:
        """Return a person as they may decide now. Raises ``TrackerError`` when it cannot be checked."""
        place = RepositoryPlace(id=repository_id(scope), full_name=await self.places.name(scope))
        return await self.authority.voter(place, starter, teams)

    async def account_of(self, login: str) -> int | None:
        """Return the id of the account that has a login now. Raises ``TrackerError``."""
        return await self.authority.account_of(login)


@dataclass(frozen=True)
class Wanted:
    """Whether a Work's item still asks for it, looked up live."""

    places: Places
    tracker: ReadThreads

    async def current(self, work: Work, playbook: Playbook) -> Instructions | None:
        """Return the item's text as it is now, or None when it is closed, gone, or lost the trigger label."""
        name = await self.places.name(work.scope)
        try:
            issue = await self.tracker.issue(name, work.number)
        except TrackerMissingError:
            # The same is said of everything in a repository that the bot may not see any more; that ends no Work.
            await self.tracker.repository(name)
            return None
        labels = await self.places.store.read(lambda tx: with_first_names(tx, work.scope, issue.labels))
        if not issue.open or (work.by_label and not playbook.asked_for(labels)):
            return None
        return await current_text(self.tracker, name, issue)
