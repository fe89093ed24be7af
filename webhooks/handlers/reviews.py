"""Reviews of pull requests are input to the Work that made them."""

from __future__ import annotations

from bot.clock import Millis
from bot.domain.event import Event, Routing
from bot.domain.permission import Permission
from bot.scheduler.router import add_input
from bot.storage.contract import Tx
from bot.trackers.contract import Verdict
from bot.views.markers import is_marked
from webhooks.commands import parse
from webhooks.desk import Change, Desk, Routed, unmatched
from webhooks.facts import ReviewAction, ReviewFact
from webhooks.handlers.acts import Said
from webhooks.handlers.commands import carry_out

_WORDS = {
    Verdict.APPROVED: "approved",
    Verdict.CHANGES_REQUESTED: "requested changes",
    Verdict.COMMENTED: "commented",
}


async def handle_review(desk: Desk, event: Event, fact: ReviewFact) -> Change:
    """Route a submitted review: its commands are carried out, otherwise it is input."""
    if fact.action is not ReviewAction.SUBMITTED or fact.state not in _WORDS:
        return unmatched(f"a review that was {fact.action.value} is no input")
    if fact.author.bot or fact.author.id == desk.me.id or is_marked(fact.body):
        return unmatched("written by a bot")
    commands = parse(fact.body)
    if commands:
        said = Said(
            repository=fact.repository,
            number=fact.number,
            source=event.natural_key,
            comment=None,
            person=fact.author,
            seq=event.seq,
            at=fact.submitted_at,
        )
        return await carry_out(desk, said, commands)
    permission = await desk.authority.permission(fact.repository.full_name, fact.author.login)
    if permission < Permission.WRITE:
        return unmatched(f"{fact.author.login} has {permission.word} access, which is not enough to review")
    words = f"@{fact.author.login} {_WORDS[fact.state]} commit {fact.commit[:12]}"
    body = f"{words}\n\n{fact.body}".strip()

    def change(tx: Tx, now: Millis) -> Routed:
        works = {work.id: work for key in fact.keys for work in tx.works.live_by_key(key)}
        for work in works.values():
            add_input(tx, work, event, kind="review", author=fact.author.login, body=body, now=now)
        return Routed(routing=Routing.ROUTED if works else Routing.UNMATCHED, note=words)

    return change
