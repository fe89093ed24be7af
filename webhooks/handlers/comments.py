"""Comments: commands are carried out, words of allowed people are input, everything else is left alone."""

from __future__ import annotations

from dataclasses import replace

from bot.clock import Millis
from bot.domain.event import Event, Routing
from bot.domain.permission import Permission
from bot.scheduler.router import add_input
from bot.storage.contract import Tx
from bot.views.markers import is_marked
from bot.views.reply import Reply, ReplyCode
from webhooks.answers import reply_note, throttle
from webhooks.commands import Command, parse
from webhooks.desk import Change, Desk, Routed, unmatched
from webhooks.fact_documents import from_document
from webhooks.facts import CommentFact
from webhooks.handlers.acts import Said
from webhooks.handlers.commands import carry_out
from webhooks.handlers.still_said import REWRITTEN, taken_back_already
from webhooks.handlers.taking_back import take_back
from webhooks.history import ensure_item
from webhooks.in_code import command_in_code
from webhooks.verbs import Verb


async def handle_comment(desk: Desk, event: Event, fact: CommentFact) -> Change:
    """Route a comment."""
    if fact.author.bot or fact.author.id == desk.me.id or is_marked(fact.body):
        # Also when the bot posts under a person's token: its own comments carry a marker (ag-C01).
        return unmatched("written by a bot")
    if await desk.store.read(lambda tx: tx.threads.is_ours(fact.comment_id)):
        return unmatched("written by us")
    commands = parse(fact.body)
    if fact.edited:
        earlier = await _earlier(desk, event, fact)
        if earlier or commands:
            return _edited(fact, earlier)
    if not commands:
        verb = command_in_code(fact.body)
        return await _input(desk, event, fact) if verb is None else _in_code(fact, verb)
    if why := await taken_back_already(desk, event.natural_key, fact, commands):
        return unmatched(why)
    said = Said(
        repository=fact.repository,
        number=fact.number,
        source=event.natural_key,
        comment=fact.comment_id,
        person=fact.author,
        seq=event.seq,
        at=fact.created_at,
    )
    return await carry_out(desk, said, commands)


async def _earlier(desk: Desk, event: Event, fact: CommentFact) -> tuple[CommentFact, ...]:
    """Return what was accepted of a comment before: what it said at first, and each text it was rewritten to."""
    events = await desk.store.read(lambda tx: tx.events.with_key(fact.keys[0]))
    facts = (from_document(each.data) for each in events if each.seq < event.seq and each.type == event.type)
    return tuple(each for each in facts if isinstance(each, CommentFact) and each.comment_id == fact.comment_id)


def _edited(fact: CommentFact, earlier: tuple[CommentFact, ...]) -> Change:
    # Only what a new comment says is done (ag-E06): a command that an edit added is answered, the rest is silence.
    # The API does not tell what an edit replaced, so what was seen before counts too.
    texts = [fact.previous_body or "", *(each.body for each in earlier)]
    before = [command for text in texts for command in parse(text)]
    added = [command for command in parse(fact.body) if isinstance(command, Command) and command not in before]
    said, first = replace(fact, edited=False).natural_key, next(iter(earlier), None)
    voted = () if first is None or first.edited else parse(first.body)

    def change(tx: Tx, now: Millis) -> Routed:
        key = ensure_item(tx, fact.repository, fact.number)
        taken = take_back(tx, key, said, reason=REWRITTEN, now=now, before=voted, after=parse(fact.body))
        if not added:
            note = REWRITTEN if taken else "an edit says nothing new to us"
            return Routed(routing=Routing.ROUTED if taken else Routing.UNMATCHED, note=note)
        reply = Reply(code=ReplyCode.POST_NEW, login=fact.author.login)
        tx.notes.add(reply_note(key, reply, source=throttle(key, reply)))
        return Routed(routing=Routing.ROUTED, note="a command in an edit is not carried out")

    return change


def _in_code(fact: CommentFact, verb: Verb) -> Change:
    """Return the change that hints at the command which somebody wrote as code, where there is Work to command."""

    def change(tx: Tx, _now: Millis) -> Routed:
        if not tx.works.live_by_key(fact.keys[0]):
            return Routed(routing=Routing.UNMATCHED, note="nothing is live here")
        key = ensure_item(tx, fact.repository, fact.number)
        reply = Reply(code=ReplyCode.IN_CODE, login=fact.author.login, details={"verb": verb.value})
        tx.notes.add(reply_note(key, reply, source=throttle(key, reply)))
        return Routed(routing=Routing.ROUTED, note="a command in backticks is not carried out")

    return change


async def _input(desk: Desk, event: Event, fact: CommentFact) -> Change:
    live = await desk.store.read(lambda tx: tx.works.live_by_key(fact.keys[0]))
    if not live:
        return unmatched("nothing is live here")
    permission = await desk.authority.permission(fact.repository, fact.author)
    if permission < Permission.WRITE:
        return unmatched(f"{fact.author.login} has {permission.word} access, which is not enough to give input")

    def change(tx: Tx, now: Millis) -> Routed:
        works = tx.works.live_by_key(fact.keys[0])
        for work in works:
            add_input(tx, work, event, kind="comment", author=fact.author.login, body=fact.body, now=now)
        return Routed(routing=Routing.ROUTED if works else Routing.UNMATCHED, note="input")

    return change
