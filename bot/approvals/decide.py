"""A person's decision on a gate hold, in one transaction."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bot.approvals.gate import NAME
from bot.approvals.policy import Requirement, Voter, objection, unmet, unsure
from bot.approvals.votes import APPROVE, REFUSE, counted_holds, standing_votes
from bot.clock import Millis
from bot.domain.hold import Hold, HoldKind
from bot.domain.permission import Permission
from bot.domain.work import Instructions, Work
from bot.ids import EventId, HoldId
from bot.scheduler.gates import (
    Held,
    Settlement,
    StartHold,
    admit_gate_hold,
    refuse_gate_hold,
    replace_gate_hold,
)
from bot.scheduler.holds import held_since
from bot.storage.contract import Tx
from bot.storage.holds import Decision


class Verb(enum.Enum):
    """What a person decides."""

    APPROVE = APPROVE
    REFUSE = REFUSE


@dataclass(frozen=True, kw_only=True)
class Vote:
    """
    A decision as it was said.

    ``source`` says which command of which comment or review it is, so that it counts once. ``seq`` is its place in
    the order of accepted events, and ``said_by`` a time after which it was not said. ``current`` is the item's text
    as it is live now. ``commit`` is what a review was given on, empty for a comment. ``hold`` and ``event`` are
    identities to use, arguments so that the transaction can be run again.
    """

    source: str
    seq: int
    said_by: Millis
    voter: Voter
    verb: Verb
    reason: str
    current: Instructions
    commit: str = ""
    hold: HoldId
    event: EventId


class Answer(enum.Enum):
    """What became of a vote."""

    ADMITTED = "admitted"
    COUNTED = "counted"
    """It counts; more people are needed."""
    REFUSED = "refused"
    STALE = "stale"
    """It is about another text than the hold asks about now; where that has changed, the hold was placed anew."""
    NOT_ALLOWED = "not allowed"
    NOT_CHECKED = "not checked"
    """Whether the person is in a team that may decide could not be found out."""
    REPEATED = "repeated"
    """This person had decided already."""
    REASON_NEEDED = "reason needed"


@dataclass(frozen=True, kw_only=True)
class Decided:
    """The answer, and the one line that explains it where one is needed."""

    answer: Answer
    explanation: str = ""


def open_gate_holds(tx: Tx, work: Work) -> list[Hold]:
    """Return the open holds of a Work that people decide."""
    return [hold for hold in tx.holds.open(work.id) if hold.kind is HoldKind.GATE and hold.holder == NAME]


def requirements_on(hold: Hold) -> list[Requirement]:
    """Return what an open gate hold asks for."""
    return [Requirement.from_document(entry) for entry in _list(hold, "requirements")]


def decide(tx: Tx, work: Work, hold: Hold, vote: Vote, now: Millis) -> Decided:
    """
    Decide on an open gate hold of a Work.

    Checked in this order: the person may decide, the text is the one that was asked about, and was
    when they decided, a refusal has its reason, the person had not decided before. Only a decision that counts is
    recorded.
    """
    requirements = requirements_on(hold)
    text = work.instructions
    if any(unsure(entry, vote.voter, starter=work.starter, text=text) for entry in requirements):
        return Decided(answer=Answer.NOT_CHECKED)
    objections = [objection(entry, vote.voter, starter=work.starter, text=text) for entry in requirements]
    if all(objections):
        return Decided(answer=Answer.NOT_ALLOWED, explanation=next(filter(None, objections)))
    moved = vote.current.revision != hold.revision
    if moved and not work.instructions.same_change(vote.current):
        return _stale(tx, hold, vote, now)
    if _about_another(tx, hold, vote):
        return Decided(answer=Answer.STALE)
    if moved:
        hold = _carried(tx, hold, vote, now)
    if vote.verb is Verb.REFUSE:
        return _refuse(tx, hold, vote, now)
    return _approve(tx, work, hold, requirements, vote, now)


def _about_another(tx: Tx, hold: Hold, vote: Vote) -> bool:
    """Whether a vote is about something that was seen before this was asked."""
    if vote.seq < held_since(tx, hold) or vote.said_by < hold.placed_at:
        # Said before it was asked, or in the same comment as what had it asked anew.
        return True
    # A review of an earlier commit, given after a later one was asked about (gh-A-01).
    return bool(vote.commit) and vote.commit not in {hold.details.get("head"), vote.current.head}


def _stale(tx: Tx, hold: Hold, vote: Vote, now: Millis) -> Decided:
    anew = StartHold(
        reason=hold.reason,
        revision=vote.current.revision,
        # Nobody has answered for the new text: the person who started the Work does not count any more.
        details={**hold.details, "credited": [], "carried": [], "head": vote.current.head},
        instructions=vote.current,
    )
    replace_gate_hold(tx, hold.id, Held(holder=NAME, hold=anew), new=vote.hold, event=vote.event, now=now)
    return Decided(answer=Answer.STALE)


def _carried(tx: Tx, hold: Hold, vote: Vote, now: Millis) -> Hold:
    """Place a hold anew at the commit of now, which changes the same: whoever approved has approved this too."""
    carried = counted_holds(hold)
    anew = StartHold(
        reason=hold.reason,
        revision=vote.current.revision,
        details={**hold.details, "carried": carried, "head": vote.current.head},
        instructions=vote.current,
    )
    # The decision itself is recorded by an event of its own.
    event = EventId(f"{vote.event}-carried")
    replace_gate_hold(tx, hold.id, Held(holder=NAME, hold=anew), new=vote.hold, event=event, now=now)
    return tx.holds.get(vote.hold) or hold


def _refuse(tx: Tx, hold: Hold, vote: Vote, now: Millis) -> Decided:
    if not vote.reason:
        return Decided(answer=Answer.REASON_NEEDED)
    _record(tx, hold, vote, now)
    refuse_gate_hold(tx, _settlement(hold, vote, vote.reason), now)
    return Decided(answer=Answer.REFUSED)


def _approve(tx: Tx, work: Work, hold: Hold, requirements: list[Requirement], vote: Vote, now: Millis) -> Decided:
    earlier = standing_votes(tx, hold)
    if any(entry.person == vote.voter.id for entry in earlier):
        return Decided(answer=Answer.REPEATED)
    _record(tx, hold, vote, now)
    voters = [
        *(_credited(entry) for entry in _list(hold, "credited")),
        *map(_voter, earlier),
        vote.voter,
    ]
    missing = unmet(requirements, voters, starter=work.starter, text=work.instructions)
    if missing:
        tx.threads.touch(work.item)
        names = ", ".join(requirement.name for requirement in missing)
        return Decided(answer=Answer.COUNTED, explanation=names)
    admit_gate_hold(tx, _settlement(hold, vote, vote.reason or "approved"), now)
    return Decided(answer=Answer.ADMITTED)


def _record(tx: Tx, hold: Hold, vote: Vote, now: Millis) -> None:
    tx.decisions.add(
        Decision(
            source=vote.source,
            hold=hold.id,
            person=vote.voter.id,
            login=vote.voter.login,
            verb=vote.verb.value,
            reason=vote.reason,
            revision=vote.current.revision,
            permission=int(vote.voter.permission),
            teams=tuple(sorted(vote.voter.teams)),
            decided_at=now,
        )
    )


def _settlement(hold: Hold, vote: Vote, reason: str) -> Settlement:
    return Settlement(hold=hold.id, holder=NAME, by=vote.voter.login, reason=reason, event=vote.event)


def _voter(vote: Decision) -> Voter:
    """Return who gave an earlier vote as they were then: what counts is that they were allowed to at that moment."""
    return Voter(id=vote.person, login=vote.login, permission=Permission(vote.permission), teams=frozenset(vote.teams))


def _credited(document: Mapping[str, Any]) -> Voter:
    return Voter(
        id=document["id"],
        login=document["login"],
        permission=Permission[document["permission"].upper()],
        teams=frozenset(document.get("teams", ())),
    )


def _list(hold: Hold, key: str) -> list[Mapping[str, Any]]:
    value = hold.details.get(key)
    return list(value) if isinstance(value, list) else []
