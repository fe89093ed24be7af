"""
The votes on a hold that count, and how one is taken back.

Decisions are rows that never change. A vote that is taken back stays, with a row of its own beside it.
"""

from __future__ import annotations

import enum

from bot.clock import Millis
from bot.domain.hold import Hold, HoldState
from bot.ids import HoldId
from bot.storage.contract import Tx
from bot.storage.holds import Decision

APPROVE = "approve"
REFUSE = "refuse"
REVOKE = "revoke"
"""The verb of a row that takes a vote back."""


def counted_holds(hold: Hold) -> list[HoldId]:
    """Return the holds whose votes count on this one: itself, and those that it was carried over from."""
    carried = hold.details.get("carried")
    return [*(HoldId(each) for each in carried), hold.id] if isinstance(carried, list) else [hold.id]


def standing_votes(tx: Tx, hold: Hold) -> list[Decision]:
    """Return the approvals that count on a hold, oldest first."""
    rows = [row for each in counted_holds(hold) for row in tx.decisions.of_hold(each)]
    revoked = {row.revokes for row in rows}
    return [row for row in rows if row.verb == APPROVE and row.source not in revoked]


class Revoked(enum.Enum):
    """What became of taking back a vote."""

    DONE = "done"
    ALREADY = "already"
    """It was taken back before, or never counted; nothing changed."""
    TOO_LATE = "too late"
    """What was decided is done already; nothing changed."""


def revoke(tx: Tx, source: str, *, reason: str, now: Millis) -> Revoked:
    """
    Take back the vote that was said by ``source``, while its hold is open (gh-A-11).

    Who took it back is not recorded: a comment or review that is gone does not tell. The person may decide again.
    """
    vote = tx.decisions.by_source(source)
    if vote is None or vote.verb == REVOKE:
        return Revoked.ALREADY
    match _state(tx, vote):
        case HoldState.ADMITTED | HoldState.REFUSED:
            return Revoked.TOO_LATE
        case HoldState.OPEN:
            pass
        case _:
            return Revoked.ALREADY
    row = Decision(
        source=f"{source}/revoked",
        hold=vote.hold,
        person=vote.person,
        login=vote.login,
        verb=REVOKE,
        reason=reason,
        revision=vote.revision,
        permission=vote.permission,
        revokes=source,
        decided_at=now,
    )
    if not tx.decisions.add(row):
        return Revoked.ALREADY
    hold = tx.holds.get(vote.hold)
    if hold is not None:
        tx.threads.touch(tx.works.get(hold.work).item)
    return Revoked.DONE


def _state(tx: Tx, vote: Decision) -> HoldState | None:
    """Return the state of the newest hold on which a vote counts."""
    hold = tx.holds.get(vote.hold)
    holds = () if hold is None else tx.holds.of_work(hold.work)
    counted = [each.state for each in holds if vote.hold in counted_holds(each)]
    return counted[-1] if counted else None
