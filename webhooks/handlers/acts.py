"""One command about to be carried out, and what every command answers with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.approvals.policy import Voter
from bot.clock import MINUTE, Millis
from bot.domain.hold import Hold
from bot.domain.permission import Permission
from bot.domain.work import Instructions, Work
from bot.ids import EventId, HoldId
from bot.scheduler.holds import held_since
from bot.storage.contract import Tx
from bot.trackers.contract import Person
from bot.views.reply import Reply, ReplyCode
from bot.views.standing import Explain
from webhooks.answers import reply_note
from webhooks.commands import Command
from webhooks.fact_parts import RepositoryRef
from webhooks.verbs import VERBS

SKEW = MINUTE
"""How far the tracker's clock may be behind ours before what people say looks older than it is (milliseconds)."""


@dataclass(frozen=True, kw_only=True)
class Said:
    """
    Where, when and by whom commands were said.

    ``comment`` is None for a review, which takes no reactions; ``commit`` is what an approving review that says no
    command was given on, and empty otherwise. ``seq`` is the place of the event that told us, and
    ``at`` the tracker's time: a delivery may come late, and a bot that was down hears of everything at once.
    """

    repository: RepositoryRef
    number: int
    source: str
    comment: int | None
    person: Person
    seq: int
    at: Millis
    commit: str = ""


@dataclass(frozen=True, kw_only=True)
class Prepared:
    """
    What was fetched before the transaction, and the identities that it may use.

    ``voter`` is who says it, None when their permission could not be checked: then nothing is allowed. ``gone`` are
    the votes given here that are not said any more, by their sources, each with why. ``texts`` are what the items say
    now whose Work is held here, by their numbers: what is held here can be about another item than that of the thread.
    """

    said: Said
    voter: Voter | None
    gone: Mapping[str, str]
    texts: Mapping[int, Instructions]
    hold: HoldId
    events: tuple[EventId, ...]
    explain: Explain


@dataclass(frozen=True, kw_only=True)
class Act:
    """One command about to be carried out, inside the transaction."""

    tx: Tx
    key: str
    command: Command
    prepared: Prepared
    voter: Voter
    place: int
    now: Millis

    @property
    def source(self) -> str:
        """The comment or review, and which of its commands this is."""
        source = self.prepared.said.source
        return source if self.place == 0 else f"{source}/{self.place}"

    @property
    def permission(self) -> Permission:
        """What who said it may do."""
        return self.voter.permission

    @property
    def login(self) -> str:
        """Who said it."""
        return self.prepared.said.person.login

    @property
    def event(self) -> EventId:
        """The identity of the event that records what this command does."""
        return self.prepared.events[self.place]

    def fresh_event(self, index: int) -> EventId:
        """Return an identity for what this command does to one of several Works."""
        return EventId(f"{self.event}-{index}")

    def fresh_hold(self, index: int) -> HoldId:
        """Return an identity for a hold that this command places on one of several Works."""
        return HoldId(f"{self.prepared.hold}-{self.place}-{index}")

    def works(self) -> Sequence[Work]:
        """Return the live Work of the thread."""
        return self.tx.works.live_by_key(self.key)

    def forbidden(self) -> Reply | None:
        """Return the reply to a person whose access is not enough for this verb."""
        needed = VERBS[self.command.verb].permission
        if self.permission >= needed:
            return None
        have = f"{needed.word} access is needed, and you have {self.permission.word}"
        return Reply(code=ReplyCode.NOT_ALLOWED, login=self.login, details={"explanation": have})

    def knew_of(self, hold: Hold) -> bool:
        """
        Whether a hold can have been meant, since it was there when this was said.

        What is delivered late must not lift what was placed meanwhile. A person's hold stood in the thread from the
        moment that it was said, whenever it was placed.
        """
        said = self.prepared.said
        if hold.person is not None:
            return True
        return said.seq >= held_since(self.tx, hold) and said.at + SKEW >= hold.placed_at

    def tell(self, reply: Reply) -> None:
        """Queue a reply that was asked for: one for each comment that asks."""
        self.tx.notes.add(reply_note(self.key, reply, source=self.source))


def named_hold(argument: str) -> tuple[HoldId | None, str]:
    """Return the hold that a command's argument begins with, if it names one, and the rest of the argument."""
    first, _, rest = argument.partition(" ")
    named = first.strip("`").lower()
    return (HoldId(named), rest.strip()) if named.startswith("hld-") else (None, argument)
