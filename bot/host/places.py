"""From a scope to the repository as the tracker names it now."""

from __future__ import annotations

from dataclasses import dataclass

from bot.domain.permission import Permission
from bot.domain.work import Instructions, Work
from bot.errors import StorageError, TrackerMissingError
from bot.ids import ScopeId
from bot.playbook.playbook import Playbook
from bot.storage.contract import Store
from bot.trackers.contract import ReadThreads
from bot.views.instructions import instructions_of
from webhooks.authority import Authority


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


@dataclass(frozen=True)
class ScopePermission:
    """People's permissions by scope, as the approvals extension asks for them."""

    places: Places
    authority: Authority

    async def permission(self, scope: ScopeId, login: str) -> Permission:
        """Return the permission. Raises ``TrackerError`` when it cannot be checked."""
        return await self.authority.permission(await self.places.name(scope), login)


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
        return instructions_of(issue) if issue.open and playbook.asked_for(issue.labels) else None
