"""A comment was deleted: ours is written anew where it should still stand (ag-J05), and a vote in it is taken back."""

from __future__ import annotations

from bot.clock import Millis
from bot.domain.event import Routing
from bot.storage.contract import Tx
from webhooks.desk import Change, Routed
from webhooks.handlers.still_said import DELETED
from webhooks.handlers.taking_back import taken_back
from webhooks.vote_facts import CommentDeletedFact


def handle_deleted(fact: CommentDeletedFact) -> Change:
    """Return the change for a comment that was deleted."""
    vote = taken_back(fact.repository, fact.number, fact.said, DELETED)

    def change(tx: Tx, now: Millis) -> Routed:
        if tx.threads.lost(fact.comment_id):
            return Routed(routing=Routing.ROUTED, note="a comment of ours is written anew")
        return vote(tx, now)

    return change
