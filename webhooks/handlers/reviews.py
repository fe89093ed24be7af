"""
Reviews of pull requests: an approving one decides what waits there; all others are input to the Work (gh-A-07).

That changes are requested refuses nothing. It takes back what the same person approved by an earlier review.
"""

from __future__ import annotations

from dataclasses import replace

from bot.approvals.decide import open_gate_holds
from bot.approvals.votes import revoke, standing_votes
from bot.clock import Millis
from bot.domain.event import Event, Routing
from bot.domain.permission import Permission
from bot.domain.scope import item_key
from bot.scheduler.router import add_input
from bot.storage.contract import Tx
from bot.trackers.contract import Verdict
from bot.views.markers import is_marked
from webhooks.commands import Command, Unknown, parse
from webhooks.desk import Change, Desk, Routed, unmatched
from webhooks.fact_documents import from_document
from webhooks.facts import ReviewAction, ReviewFact
from webhooks.handlers.acts import Said
from webhooks.handlers.commands import carry_out
from webhooks.handlers.still_said import REPLACED, REWRITTEN, taken_back_already
from webhooks.handlers.taking_back import said_in, take_back, taken_back
from webhooks.history import ensure_item
from webhooks.lines import answer_commands, lines_of, text_of
from webhooks.verbs import Verb

_WORDS = {
    Verdict.APPROVED: "approved",
    Verdict.CHANGES_REQUESTED: "requested changes",
    Verdict.COMMENTED: "commented",
}


async def handle_review(desk: Desk, event: Event, fact: ReviewFact) -> Change:
    """
    Route a review.

    The commands of its text are carried out. One without any decides an open hold on the pull request by its approval,
    with its text as the reason, and is input where nothing waits.
    """
    if fact.action is ReviewAction.DISMISSED or fact.state not in _WORDS:
        return taken_back(fact.repository, fact.number, _said(fact), REPLACED)
    if fact.action is ReviewAction.EDITED:
        return await _edited(desk, fact)
    if fact.author.bot or fact.author.id == desk.me.id or is_marked(fact.body):
        return unmatched("written by a bot")
    commands = parse(fact.body)
    if commands:
        return await _carried_out(desk, event, fact, commands)
    if fact.state is Verdict.APPROVED and await _waits(desk, fact):
        approval = Command(verb=Verb.APPROVE, argument=fact.body.strip())
        return await _carried_out(desk, event, fact, (approval,), commit=fact.commit)
    return await _input(desk, event, fact)


async def _carried_out(
    desk: Desk, event: Event, fact: ReviewFact, commands: tuple[Command | Unknown, ...], *, commit: str = ""
) -> Change:
    if why := await taken_back_already(desk, event.natural_key, fact, commands):
        return unmatched(why)
    said = Said(
        repository=fact.repository,
        number=fact.number,
        source=event.natural_key,
        comment=None,
        person=fact.author,
        seq=event.seq,
        at=fact.submitted_at,
        commit=commit,
    )
    return await carry_out(desk, said, commands)


async def _input(desk: Desk, event: Event, fact: ReviewFact) -> Change:
    permission = await desk.authority.permission(fact.repository, fact.author)
    if permission < Permission.WRITE:
        return unmatched(f"{fact.author.login} has {permission.word} access, which is not enough to review")
    words = f"@{fact.author.login} {_WORDS[fact.state]} commit {fact.commit[:12]}"
    lines = await lines_of(desk, fact)
    if fact.state is Verdict.COMMENTED and not fact.body.strip() and not lines:
        return unmatched("it says nothing")
    body = "\n\n".join(filter(None, (words, fact.body.strip(), text_of(lines))))

    def change(tx: Tx, now: Millis) -> Routed:
        answer_commands(tx, fact, lines)
        if fact.state is Verdict.CHANGES_REQUESTED:
            _take_back_earlier(tx, fact, now)
        works = {work.id: work for key in fact.keys for work in tx.works.live_by_key(key)}
        for work in works.values():
            add_input(tx, work, event, kind="review", author=fact.author.login, body=body, now=now)
        return Routed(routing=Routing.ROUTED if works else Routing.UNMATCHED, note=words)

    return change


def _said(fact: ReviewFact) -> str:
    return replace(fact, action=ReviewAction.SUBMITTED).natural_key


async def _waits(desk: Desk, fact: ReviewFact) -> bool:
    """Whether Work about this pull request itself waits for a decision."""
    key = item_key(fact.repository.id, fact.number)
    return await desk.store.read(
        lambda tx: any(work.item == key and open_gate_holds(tx, work) for work in tx.works.live_by_key(key))
    )


async def _edited(desk: Desk, fact: ReviewFact) -> Change:
    """Return the change for a review whose text was rewritten: a command that went from it counts no more."""
    said = _said(fact)
    event = await desk.store.read(lambda tx: tx.events.by_natural_key(said))
    first = None if event is None else from_document(event.data)
    before = parse(first.body) if isinstance(first, ReviewFact) else ()
    if not before:
        return unmatched("an edit of a review says nothing new to us")

    def change(tx: Tx, now: Millis) -> Routed:
        key = ensure_item(tx, fact.repository, fact.number)
        taken = take_back(tx, key, said, reason=REWRITTEN, now=now, before=before, after=parse(fact.body))
        return Routed(routing=Routing.ROUTED if taken else Routing.UNMATCHED, note=REWRITTEN)

    return change


def _take_back_earlier(tx: Tx, fact: ReviewFact, now: Millis) -> None:
    """Take back what the same person approved by an earlier review, where that still waits for others."""
    earlier = f"review:{fact.repository.id}/"
    for work in tx.works.live_by_key(item_key(fact.repository.id, fact.number)):
        for hold in open_gate_holds(tx, work):
            for vote in standing_votes(tx, hold):
                said = said_in(vote.source)[0]
                theirs = vote.person == fact.author.id and said.startswith(earlier)
                if theirs and int(said.removeprefix(earlier)) < fact.review_id:
                    revoke(tx, vote.source, reason=REPLACED, now=now)
