"""
A pull request that one of our Works has opened starts the playbooks that ask for that.

It is read from what we did ourselves, not from a delivery: so it is known whose authority stands behind it, and it
comes whether or not webhooks do. A run that looks at pull requests opens none, so that no chain of runs can come of it.
"""

from __future__ import annotations

from bot.clock import Millis
from bot.domain.event import Event, Routing
from bot.domain.scope import owner_id, repository_id
from bot.domain.work import Starter
from bot.errors import StorageError
from bot.ids import ScopeId
from bot.storage.contract import Tx
from webhooks.desk import Change, Desk, Routed, unmatched
from webhooks.fact_parts import RepositoryRef
from webhooks.handlers.starting import Wish, start


async def handle_own_pull(desk: Desk, event: Event) -> Change:
    """Return the change that starts what a new pull request of ours starts. Raises ``TrackerError``."""
    playbooks = [each for each in desk.playbooks.values() if each.on is not None and each.on.pull_request is not None]
    if not playbooks:
        return unmatched("no playbook is started by our own pull requests")
    starter = event.data.get("starter")
    if event.scope is None or not isinstance(starter, dict):
        raise StorageError(f"event {event.id} does not say who started the Work")
    scope, number = event.scope, int(str(event.data["number"]))
    repository = await desk.store.read(lambda tx: _repository(tx, scope))
    changes = [
        await start(
            desk,
            Wish(
                event=event,
                repository=repository,
                number=number,
                playbook=playbook,
                starter=Starter(**starter),
                by_label=False,
            ),
        )
        for playbook in playbooks
    ]

    def change(tx: Tx, now: Millis) -> Routed:
        routed = [each(tx, now) for each in changes]
        some = any(each.routing is Routing.ROUTED for each in routed)
        note = "; ".join(each.note for each in routed)
        return Routed(routing=Routing.ROUTED if some else Routing.UNMATCHED, note=note)

    return change


def _repository(tx: Tx, scope: ScopeId) -> RepositoryRef:
    found = tx.scopes.get(scope)
    if found is None:
        raise StorageError(f"the scope {scope} was never seen")
    owner, _, name = found.name.partition("/")
    return RepositoryRef(id=repository_id(scope), owner=owner, owner_id=owner_id(tx.scopes.line(scope)[1]), name=name)
