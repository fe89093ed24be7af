"""Commands of people: who may, what is done, and what is answered. All commands of a comment are one change."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from bot.approvals.decide import open_gate_holds, requirements_on
from bot.approvals.policy import Voter
from bot.clock import Millis
from bot.domain.event import Routing
from bot.domain.scope import item_key
from bot.domain.work import Instructions
from bot.errors import TrackerError
from bot.ids import EventId, HoldId, new_id
from bot.scheduler.cancel import cancel
from bot.storage.contract import Tx
from bot.storage.threads import NoteKind
from bot.views.reply import Reply, ReplyCode
from webhooks.answers import reaction_note, reply_note, throttle
from webhooks.commands import Command, Unknown
from webhooks.current_text import current_text
from webhooks.desk import Change, Desk, Routed
from webhooks.handlers.acts import Act, Prepared, Said
from webhooks.handlers.budgets import raise_cap
from webhooks.handlers.decisions import decide_hold
from webhooks.handlers.holding import hold, release
from webhooks.handlers.retries import retry
from webhooks.handlers.still_said import not_said_any_more, votes_of
from webhooks.handlers.stopping import stop
from webhooks.history import ensure_item
from webhooks.verbs import Verb


async def carry_out(desk: Desk, said: Said, commands: tuple[Command | Unknown, ...]) -> Change:
    """
    Return the change that carries out the commands of one comment, in their order, and those that hold at the end.

    Whoever holds work and lets it go on in one breath has it held: nothing is let go by mistake.
    """
    gone: Mapping[str, str] = {}
    if any(isinstance(command, Command) and command.verb is Verb.APPROVE for command in commands):
        key = item_key(said.repository.id, said.number)
        gone = await not_said_any_more(desk, await desk.store.read(lambda tx: votes_of(tx, key)))
    try:
        voter: Voter | None = await desk.authority.voter(said.repository, said.person, await _teams(desk, said))
    except TrackerError:
        voter = None
    prepared = Prepared(
        said=said,
        voter=voter,
        gone=gone,
        texts=await _texts(desk, said),
        hold=HoldId(new_id("hld")),
        events=tuple(EventId(new_id("evt")) for _ in commands),
        explain=desk.explain,
    )

    def change(tx: Tx, now: Millis) -> Routed:
        key = ensure_item(tx, said.repository, said.number)
        ordered = sorted(enumerate(commands), key=lambda each: _holds(each[1]))
        replies = [_one(tx, key, command, prepared, place, now) for place, command in ordered]
        _react(tx, key, said, replies)
        return Routed(routing=Routing.ROUTED, note=", ".join(_said(command) for command in commands))

    return change


async def _teams(desk: Desk, said: Said) -> set[str]:
    """Return the teams whose members may decide in this thread."""
    key = item_key(said.repository.id, said.number)
    return await desk.store.read(
        lambda tx: {
            team
            for work in tx.works.live_by_key(key)
            for hold in open_gate_holds(tx, work)
            for requirement in requirements_on(hold)
            for team in requirement.teams
        }
    )


async def _texts(desk: Desk, said: Said) -> Mapping[int, Instructions]:
    """Return what the items say now whose Work waits for a decision in this thread, by their numbers."""
    key, repository = item_key(said.repository.id, said.number), said.repository.full_name
    held = await desk.store.read(
        lambda tx: {work.number for work in tx.works.live_by_key(key) if open_gate_holds(tx, work)}
    )
    return {
        number: await current_text(desk.tracker, repository, await desk.tracker.issue(repository, number))
        for number in sorted(held)
    }


def _holds(command: Command | Unknown) -> bool:
    return isinstance(command, Command) and command.verb in {Verb.HOLD, Verb.STOP}


def _one(tx: Tx, key: str, command: Command | Unknown, prepared: Prepared, place: int, now: Millis) -> Reply | None:
    """Carry out one command. Returns the reply that says why it was not done, or None when it was."""
    login = prepared.said.person.login
    if isinstance(command, Unknown):
        details = {"word": command.word, "nearest": command.nearest.value}
        return Reply(code=ReplyCode.UNKNOWN_VERB, login=login, details=details)
    voter = prepared.voter
    if voter is None:
        return Reply(code=ReplyCode.COULD_NOT_CHECK, login=login)
    act = Act(tx=tx, key=key, command=command, prepared=prepared, voter=voter, place=place, now=now)
    return _HANDLERS[command.verb](act)


def _help(act: Act) -> None:
    act.tell(Reply(code=ReplyCode.HELP, login=act.login))


def _status(act: Act) -> None:
    lines = [act.prepared.explain.line(act.tx, work, act.now) for work in act.works()]
    text = "\n".join(lines) or "Nothing is running or waiting here."
    act.tell(Reply(code=ReplyCode.STATUS, login=act.login, details={"text": text}))


def _cancel(act: Act) -> Reply | None:
    if forbidden := act.forbidden():
        return forbidden
    works = act.works()
    if not works:
        return Reply(code=ReplyCode.NOTHING_LIVE, login=act.login)
    for work in works:
        cancel(act.tx, work.id, by=act.login, reason=act.command.argument or "cancelled by command", now=act.now)
    return None


_HANDLERS: Mapping[Verb, Callable[[Act], Reply | None]] = {
    Verb.APPROVE: decide_hold,
    Verb.REFUSE: decide_hold,
    Verb.CANCEL: _cancel,
    Verb.RETRY: retry,
    Verb.STOP: stop,
    Verb.HOLD: hold,
    Verb.RELEASE: release,
    Verb.BUDGET: raise_cap,
    Verb.STATUS: _status,
    Verb.HELP: _help,
}


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
