"""A Work that is held for approval, and the votes of people on it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from bot.approvals.decide import Answer, Verb, Vote, decide, open_gate_holds
from bot.approvals.gate import NAME, details
from bot.approvals.policy import Requirement, Voter
from bot.approvals.votes import Revoked, revoke
from bot.clock import Millis
from bot.domain.hold import Hold
from bot.domain.permission import Permission
from bot.domain.work import Instructions, Work
from bot.ids import EventId, HoldId
from bot.scheduler.gates import Held, StartHold, place_gate_hold
from bot.storage.contract import Tx
from tests.clock import START
from tests.factories import ready_work
from tests.storage.twice import Writable

TEXT = Instructions(title="Fix it", body="It is broken.", author="ada", author_id=7, revision="revision-1")
LATEST = 10**9
"""The place of a vote in the order of events that is after everything else."""


def requirement(**changes: Any) -> Requirement:
    usual: dict[str, Any] = {"name": "start", "need": 1, "permission": Permission.WRITE}
    return Requirement(**{**usual, **changes})


def voter(identity: int, permission: Permission = Permission.WRITE, **changes: Any) -> Voter:
    return Voter(**{"id": identity, "login": f"person-{identity}", "permission": permission, **changes})


@dataclass(kw_only=True)
class Ballot:
    """One held Work; ``text`` is what its item says now."""

    store: Writable[Tx]
    work: Work
    text: Instructions = TEXT
    now: Millis = START
    _names: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def name(self) -> str:
        """Return a name that was not used before."""
        return f"{self.work.id}-{next(self._names)}"

    async def hold(self) -> Hold:
        """Return the newest hold of the Work."""
        return (await self.store.read(lambda tx: tx.holds.of_work(self.work.id)))[-1]

    async def vote(
        self, person: Voter, verb: Verb = Verb.APPROVE, *, source: str | None = None, **changes: Any
    ) -> Answer:
        """Decide on the open hold, as somebody who has just read what is asked."""
        self.now = Millis(self.now + 1)
        usual: dict[str, Any] = {
            "source": source or f"comment:1/{self.name()}",
            "seq": LATEST,
            "said_by": self.now,
            "voter": person,
            "verb": verb,
            "reason": "because",
            "current": self.text,
            "hold": HoldId(f"hld-{self.name()}"),
            "event": EventId(f"evt-{self.name()}"),
        }
        vote = Vote(**{**usual, **changes})

        def change(tx: Tx) -> Answer:
            work = tx.works.get(self.work.id)
            (hold,) = open_gate_holds(tx, work)
            return decide(tx, work, hold, vote, self.now).answer

        return await self.store.write(change)

    async def revoke(self, source: str) -> Revoked:
        """Take a vote back."""
        self.now = Millis(self.now + 1)
        return await self.store.write(lambda tx: revoke(tx, source, reason="deleted", now=self.now))


async def held(
    store: Writable[Tx], *requirements: Requirement, number: int = 1, text: Instructions = TEXT, **changes: Any
) -> Ballot:
    """Place a hold on a new Work that somebody with the id 7 started and wrote."""
    work = await ready_work(store, number, instructions=text, **changes)
    ballot = Ballot(store=store, work=work, text=text)
    asked = details(requirements or (requirement(),), (), head=text.head)
    start = StartHold(reason="approval", revision=text.revision, details=asked)
    hold, event = HoldId(f"hld-{ballot.name()}"), EventId(f"evt-{ballot.name()}")

    def change(tx: Tx) -> None:
        place_gate_hold(tx, tx.works.get(work.id), Held(holder=NAME, hold=start), hold=hold, event=event, now=START)

    await store.write(change)
    return ballot


def edited(text: Instructions, revision: str) -> Instructions:
    """Return another text."""
    return replace(text, body=f"Another text: {revision}.", revision=revision)
