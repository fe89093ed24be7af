"""
Votes that are taken back: their comment was deleted or rewritten, their review was dismissed (gh-A-11).

While the hold is open the vote counts no more. What was decided by then stays, and whoever voted is told so once.
"""

from __future__ import annotations

from collections.abc import Sequence

from bot.approvals.votes import Revoked, revoke
from bot.clock import Millis
from bot.domain.event import Routing
from bot.storage.contract import Tx
from bot.views.reply import Reply, ReplyCode
from webhooks.answers import reply_note
from webhooks.commands import MAX_COMMANDS, Command, Unknown
from webhooks.desk import Change, Routed
from webhooks.fact_parts import RepositoryRef
from webhooks.history import ensure_item

Commands = Sequence[Command | Unknown]


def source_of(said: str, place: int) -> str:
    """Return the source of a vote: what it was said in, and which of the commands there it is."""
    return said if place == 0 else f"{said}/{place}"


def said_in(source: str) -> tuple[str, int]:
    """Return what a vote was said in, and which of the commands there it is: the opposite of ``source_of``."""
    kind, place = source.split("/")[:2], source.split("/")[2:]
    return "/".join(kind), int(place[0]) if place else 0


def stays(before: Commands, place: int, now: Commands) -> bool:
    """Whether the command at a place of a text is still in the text as it is now."""
    return place < len(before) and before[place] in now


def take_back(
    tx: Tx, key: str, said: str, *, reason: str, now: Millis, before: Commands = (), after: Commands = ()
) -> bool:
    """
    Take back the votes that a comment or review said, and return whether there was any to take back.

    Those whose command is in both ``before`` and ``after`` stay.
    """
    outcomes = []
    for place in range(MAX_COMMANDS):
        source = source_of(said, place)
        vote = tx.decisions.by_source(source)
        if vote is None or stays(before, place, after):
            continue
        outcome = revoke(tx, source, reason=reason, now=now)
        if outcome is Revoked.TOO_LATE:
            reply = Reply(code=ReplyCode.TOO_LATE, login=vote.login)
            tx.notes.add(reply_note(key, reply, source=f"{source}/late"))
        outcomes.append(outcome)
    return any(outcome is not Revoked.ALREADY for outcome in outcomes)


def taken_back(repository: RepositoryRef, number: int, said: str, reason: str) -> Change:
    """Return the change for a comment or review that counts no more, whatever it said."""

    def change(tx: Tx, now: Millis) -> Routed:
        key = ensure_item(tx, repository, number)
        voted = take_back(tx, key, said, reason=reason, now=now)
        return Routed(routing=Routing.ROUTED if voted else Routing.UNMATCHED, note=reason)

    return change
