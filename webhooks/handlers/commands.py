"""Commands of people: who may, what is done, and what is answered. All commands of a comment are one change."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from bot.approvals.decide import Answer, Decided, Vote, decide, open_gate_holds
from bot.approvals.decide import Verb as Decision
from bot.approvals.policy import Voter
from bot.clock import MINUTE, Millis
from bot.domain.event import Routing
from bot.domain.permission import Permission
from bot.domain.work import Instructions, Work
from bot.errors import TrackerError
from bot.ids import EventId, HoldId, new_id
from bot.scheduler.cancel import cancel
from bot.storage.contract import Tx
from bot.storage.threads import NoteKind
from bot.trackers.contract import Person
from bot.views.instructions import instructions_of
from bot.views.reply import Reply, ReplyCode
from bot.views.standing import Explain
from webhooks.answers import reaction_note, reply_note, throttle
from webhooks.commands import Command, Unknown
from webhooks.desk import Change, Desk, Routed
from webhooks.facts import RepositoryRef
from webhooks.history import ensure_item
from webhooks.verbs import VERBS, Verb

_REPLIES = {
    Answer.STALE: ReplyCode.STALE,
    Answer.NOT_ALLOWED: ReplyCode.NOT_ALLOWED,
    Answer.REPEATED: ReplyCode.REPEATED,
    Answer.REASON_NEEDED: ReplyCode.REASON_NEEDED,
}
"""The answers that end in a reply; all others are told by a reaction and the sticky comment."""

SKEW = MINUTE
"""How far the tracker's clock may be behind ours before what people say looks older than it is (milliseconds)."""


@dataclass(frozen=True, kw_only=True)
class Said:
    """
    Where, when and by whom commands were said.

    ``comment`` is None for a review, which takes no reactions. ``seq`` is the place of the event that told us, and
    ``at`` the tracker's time: a delivery may come late, and a bot that was down hears of everything at once.
    """

    repository: RepositoryRef
    number: int
    source: str
    comment: int | None
    person: Person
    seq: int
    at: Millis


@dataclass(frozen=True, kw_only=True)
class _Prepared:
    """
    What was fetched before the transaction, and the identities that it may use.

    ``permission`` is None when it could not be checked: then nothing is allowed.
    """

    said: Said
    permission: Permission | None
    current: Instructions | None
    hold: HoldId
    events: tuple[EventId, ...]
    explain: Explain


async def carry_out(desk: Desk, said: Said, commands: tuple[Command | Unknown, ...]) -> Change:
    """Return the change that carries out the commands of one comment, in their order."""
    repository = said.repository.full_name
    try:
        permission: Permission | None = await desk.authority.permission(repository, said.person.login)
    except TrackerError:
        permission = None
    issue = await desk.tracker.issue(repository, said.number)
    prepared = _Prepared(
        said=said,
        permission=permission,
        current=None if issue.is_pull_request else instructions_of(issue),
        hold=HoldId(new_id("hld")),
        events=tuple(EventId(new_id("evt")) for _ in commands),
        explain=desk.explain,
    )

    def change(tx: Tx, now: Millis) -> Routed:
        key = ensure_item(tx, said.repository, said.number)
        replies = [_one(tx, key, command, prepared, place, now) for place, command in enumerate(commands)]
        _react(tx, key, said, replies)
        return Routed(routing=Routing.ROUTED, note=", ".join(_said(command) for command in commands))

    return change


@dataclass(frozen=True, kw_only=True)
class _Act:
    """One command about to be carried out, inside the transaction."""

    tx: Tx
    key: str
    command: Command
    prepared: _Prepared
    permission: Permission
    place: int
    now: Millis

    @property
    def source(self) -> str:
        """The comment or review, and which of its commands this is."""
        source = self.prepared.said.source
        return source if self.place == 0 else f"{source}/{self.place}"

    @property
    def login(self) -> str:
        return self.prepared.said.person.login

    def works(self) -> Sequence[Work]:
        return self.tx.works.live_by_key(self.key)


def _one(tx: Tx, key: str, command: Command | Unknown, prepared: _Prepared, place: int, now: Millis) -> Reply | None:
    """Carry out one command. Returns the reply that says why it was not done, or None when it was."""
    login = prepared.said.person.login
    if isinstance(command, Unknown):
        details = {"word": command.word, "nearest": command.nearest.value}
        return Reply(code=ReplyCode.UNKNOWN_VERB, login=login, details=details)
    permission = prepared.permission
    if permission is None:
        return Reply(code=ReplyCode.COULD_NOT_CHECK, login=login)
    act = _Act(tx=tx, key=key, command=command, prepared=prepared, permission=permission, place=place, now=now)
    return _HANDLERS[command.verb](act)


def _help(act: _Act) -> None:
    _tell(act, Reply(code=ReplyCode.HELP, login=act.login))


def _status(act: _Act) -> None:
    lines = [act.prepared.explain.line(act.tx, work, act.now) for work in act.works()]
    text = "\n".join(lines) or "Nothing is running or waiting here."
    _tell(act, Reply(code=ReplyCode.STATUS, login=act.login, details={"text": text}))


def _tell(act: _Act, reply: Reply) -> None:
    """Queue a reply that was asked for: one for each comment that asks."""
    act.tx.notes.add(reply_note(act.key, reply, source=act.source))


def _cancel(act: _Act) -> Reply | None:
    needed = VERBS[Verb.CANCEL].permission
    if act.permission < needed:
        have = f"{needed.word} access is needed, and you have {act.permission.word}"
        return Reply(code=ReplyCode.NOT_ALLOWED, login=act.login, details={"explanation": have})
    works = act.works()
    if not works:
        return Reply(code=ReplyCode.NOTHING_LIVE, login=act.login)
    for work in works:
        cancel(act.tx, work.id, by=act.login, reason=act.command.argument or "cancelled by command", now=act.now)
    return None


def _decide(act: _Act) -> Reply | None:
    """Decide on a hold; who may is the hold's own question, and asked before anything else."""
    current, said = act.prepared.current, act.prepared.said
    named, reason = _named_hold(act.command.argument)
    held = [(work, hold) for work in act.works() for hold in open_gate_holds(act.tx, work) if named in {None, hold.id}]
    if not held or current is None:
        return Reply(code=ReplyCode.NOTHING_HELD, login=act.login)
    if len(held) > 1:
        several = ", ".join(f"`{hold.id}`" for _, hold in held)
        return Reply(code=ReplyCode.SEVERAL, login=act.login, details={"explanation": several})
    work, hold = held[0]
    vote = Vote(
        source=act.source,
        seq=said.seq,
        said_by=Millis(said.at + SKEW),
        voter=Voter(id=said.person.id, login=act.login, permission=act.permission),
        verb=Decision(act.command.verb.value),
        reason=reason,
        current=current,
        hold=act.prepared.hold,
        event=act.prepared.events[act.place],
    )
    return _reply(act.login, decide(act.tx, work, hold, vote, act.now))


_HANDLERS: Mapping[Verb, Callable[[_Act], Reply | None]] = {
    Verb.APPROVE: _decide,
    Verb.REFUSE: _decide,
    Verb.CANCEL: _cancel,
    Verb.STATUS: _status,
    Verb.HELP: _help,
}


def _reply(login: str, decided: Decided) -> Reply | None:
    code = _REPLIES.get(decided.answer)
    return None if code is None else Reply(code=code, login=login, details={"explanation": decided.explanation})


def _named_hold(argument: str) -> tuple[HoldId | None, str]:
    first, _, rest = argument.partition(" ")
    named = first.strip("`").lower()
    return (HoldId(named), rest.strip()) if named.startswith("hld-") else (None, argument)


def _react(tx: Tx, key: str, said: Said, replies: list[Reply | None]) -> None:
    """Answer: a thumb when everything was done, else one reply for each reason, once per person and reason."""
    refused = [reply for reply in replies if reply is not None]
    for reply in refused:
        tx.notes.add(reply_note(key, reply, source=throttle(key, reply)))
    if said.comment is None:
        return
    kinds = [NoteKind.CONFUSED] if refused else [NoteKind.EYES, NoteKind.THUMBS_UP]
    for kind in kinds:
        tx.notes.add(reaction_note(key, kind, source=said.source, comment=said.comment))


def _said(command: Command | Unknown) -> str:
    return f"/{command.verb.value}" if isinstance(command, Command) else f"/{command.word}?"
