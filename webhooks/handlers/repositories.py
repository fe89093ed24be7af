"""What becomes of a repository's name and labels."""

from __future__ import annotations

from bot.clock import Millis
from bot.domain.event import Routing
from bot.domain.scope import repository_scope
from bot.domain.work import Work
from bot.scheduler.cancel import cancel
from bot.storage.contract import Tx
from webhooks.desk import Change, Desk, Routed
from webhooks.history import remember_repository
from webhooks.label_names import first_name, forget_name, remember_name
from webhooks.repository_facts import LabelFact, MovedFact


def handle_moved(fact: MovedFact) -> Change:
    """Return the change that calls a repository by its name of now; its Work goes on."""

    def change(tx: Tx, _now: Millis) -> Routed:
        scope = repository_scope(fact.repository.id)
        if tx.scopes.get(scope) is None:
            return Routed(routing=Routing.UNMATCHED, note="nothing is known of this repository")
        remember_repository(tx, fact.repository)
        for work in _live(tx, fact):
            tx.threads.touch(work.item)
        return Routed(routing=Routing.ROUTED, note=f"the repository is {fact.repository.full_name} now")

    return change


def handle_label(desk: Desk, fact: LabelFact) -> Change:
    """
    Return the change for a label that was renamed or deleted.

    Labels of states are made anew where they should show. Work goes on under a renamed label that started it, and ends
    with one that was deleted, which is off all issues then; the thread says so.
    """

    def change(tx: Tx, now: Millis) -> Routed:
        scope = repository_scope(fact.repository.id)
        playbook = desk.playbook_for_label(first_name(tx, scope, fact.before))
        ended = 0
        if fact.name is not None:
            remember_name(tx, scope, before=fact.before, name=fact.name)
        else:
            forget_name(tx, scope, fact.before)
            for work in _live(tx, fact):
                if playbook is not None and work.playbook == playbook.name and work.by_label:
                    cancel(tx, work.id, by="", reason=f"the label {fact.before} was deleted", now=now)
                    ended += 1
        for work in _live(tx, fact):
            tx.threads.touch(work.item)
        tx.cursors.put(labels_changed(fact.repository.full_name), fact.delivery)
        what = "deleted" if fact.name is None else f"renamed to {fact.name}"
        note = f"{fact.before} was {what}" + (f"; Work cancelled: {ended}" if ended else "")
        return Routed(routing=Routing.ROUTED, note=note)

    return change


def labels_changed(repository: str) -> str:
    """Return the name under which it is stored that labels of a repository, by ``owner/name``, have changed."""
    return f"labels-changed/{repository.lower()}"


def _live(tx: Tx, fact: LabelFact | MovedFact) -> list[Work]:
    scope = repository_scope(fact.repository.id)
    return [work for work in tx.works.all_live() if work.scope == scope]
