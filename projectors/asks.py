"""
Comments that ask a person for something, so that people are notified.

Each has a key and is posted once. That of a hold is edited at the end, to show who decided what.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bot.clock import Millis
from bot.domain.hold import HoldState
from bot.views.markers import marker
from bot.views.thread import DecisionView, HeldFor, HoldView, ThreadState, ThreadView, WorkView
from projectors.inline import mention, name
from projectors.moments import HASH, Words, held_by, next_round, over_budget, stopped
from projectors.people import deciders
from projectors.settings import Settings
from projectors.size import COMMENT_LIMIT

_ROOM = COMMENT_LIMIT - 2_000
_MOST_DECISIONS = 20
_PAST = {
    "approve": "approved",
    "refuse": "refused",
    "revoke": "took it back",
    "release": "released",
    "budget": "raised the budget",
}
_SETTLED = {
    HoldState.ADMITTED: "Approved",
    HoldState.REFUSED: "Refused",
    HoldState.STALE: "Out of date",
    HoldState.RELEASED: "Released",
    HoldState.ENDED: "Not needed any more",
}
_BECAUSE = {
    HoldState.STALE: "What it asked about has changed; nobody needs to answer this.",
    HoldState.ENDED: "The run has ended.",
}


@dataclass(frozen=True, kw_only=True)
class Ask:
    """A comment; ``due`` is whether it still asks. One that does not is edited if it stands there, never posted."""

    key: str
    body: str
    due: bool = True


def asks(view: ThreadView, settings: Settings, now: Millis) -> tuple[Ask, ...]:
    """Return the comments that the sections of a thread ask for, oldest holds first."""
    words = Words(settings=settings, now=now)
    return tuple(ask for work in view.sections for ask in _of_work(work, words))


def _of_work(work: WorkView, words: Words) -> Iterator[Ask]:
    # A person who holds Work knows it; anything else that holds it must be told.
    for hold in work.holds:
        if hold.kind is not HeldFor.OPERATOR or hold.person is None:
            yield _ask(words, f"hold:{hold.id}", [*_hold(work, hold, words), *_end(hold, words)], due=_open(work, hold))
    match work.state:
        case ThreadState.WAITING if work.notify and "comment" in work.waits:
            yield _ask(words, f"question:{work.work}/{work.attempt}", _question(work, words))
        case ThreadState.WAITING if words.settings.announce_review and work.head and work.pull_request is not None:
            yield _ask(words, f"review:{work.work}/{work.head}", _review(work, words))
        case ThreadState.COMPLETED if work.notify and work.comment and not work.merged:
            yield _ask(words, f"said:{work.work}/{work.attempt}", _said(work, words))
        case ThreadState.EXHAUSTED:
            steps = " ".join(filter(None, (words.line(work.reason), *next_round(work, words))))
            title = f"{stopped(work)} · {words.name(work.playbook)}"
            yield _ask(words, f"stopped:{work.work}/{work.attempt}", [title, steps])
        case _:
            pass


def _ask(words: Words, key: str, parts: list[str], *, due: bool = True) -> Ask:
    return Ask(key=key, body=f"{marker(key, words.settings.instance)}\n" + "\n\n".join(filter(None, parts)), due=due)


def _open(work: WorkView, hold: HoldView) -> bool:
    return hold.state is HoldState.OPEN and not work.state.ended


def _question(work: WorkView, words: Words) -> list[str]:
    said = words.settings.safe.block(work.comment, limit=_ROOM, full=work.details_url)
    asks_for = "the agent asks:" if said else "the agent needs something from you."
    return [f"{mention(work.starter)}, {asks_for}", said, "Answer in a comment here; it goes on by itself."]


def _said(work: WorkView, words: Words) -> list[str]:
    what = f" of commit {words.code(work.commit[:HASH])}" if work.commit else ""
    title = f"**{words.name(work.playbook)}**{what}, for {mention(work.starter)}:"
    return [title, words.settings.safe.block(work.comment, limit=_ROOM, full=work.details_url)]


def _review(work: WorkView, words: Words) -> list[str]:
    commit = words.code((work.head or "")[:HASH])
    how = "Approve it to finish, request changes or comment there to send it back."
    return [f"**Ready for review**: pull request #{work.pull_request} at {commit}. {how}"]


def _hold(work: WorkView, hold: HoldView, words: Words) -> list[str]:
    match hold.kind:
        case HeldFor.GATE:
            return [f"**Approval needed to start** · {words.name(work.playbook)}", *_gate(work, hold, words)]
        case HeldFor.VERDICT:
            title = f"**A decision is needed** · {words.name(work.playbook)}"
            return [title, words.line(hold.reason), *_how_to_decide(hold, words, "lets it go on", "turns it down")]
        case HeldFor.BUDGET:
            title = f"**Over budget** · {words.name(work.playbook)}"
            steps = over_budget(work, hold, words) if hold.state is HoldState.OPEN else (words.line(hold.reason),)
            return [title, " ".join(filter(None, steps))]
        case HeldFor.OPERATOR:
            release = words.step("release", ": `/release`")
            return [f"{held_by(hold, words)} · {words.name(work.playbook)}", f"Only a person can lift this{release}."]


def _gate(work: WorkView, hold: HoldView, words: Words) -> list[str]:
    what = _subject(hold, words)
    does = f"look at {what}" if work.commit else f"work on {what}, on branch {words.code(work.branch)}"
    kept = (
        "It changes the same as the commit before it, so what was approved there counts here." if hold.carried else ""
    )
    return [
        f"An agent will {does}. {name(work.starter)} started this.",
        kept,
        *_how_to_decide(hold, words, "lets it start", "turns it down and ends it"),
    ]


def _how_to_decide(hold: HoldView, words: Words, approve: str, refuse: str) -> list[str]:
    if hold.state is not HoldState.OPEN:
        return []
    who = "; and ".join(deciders(requirement) for requirement in hold.requirements)
    changed = "commit and text" if hold.commit else "text"
    return [
        f"Who decides: {who}." if who else "",
        "\n".join(
            filter(
                None,
                (
                    words.step("approve", f"- `/approve` {approve}."),
                    words.step("refuse", f"- `/refuse reason` {refuse}."),
                    words.step("cancel", "- `/cancel` ends it without a decision."),
                ),
            )
        ),
        f"A decision counts for this {changed} only: if it changes first, this is asked anew." if hold.revision else "",
        f"<sub>hold {words.code(hold.id)}</sub>",
    ]


def _subject(hold: HoldView, words: Words) -> str:
    revision = words.code(hold.revision[:HASH])
    if hold.commit:
        return f"commit {words.code(hold.commit[:HASH])} of this pull request"
    return f"the text of this issue as it is now ({revision})" if hold.revision else "this issue"


def _end(hold: HoldView, words: Words) -> list[str]:
    """Return who decided what so far, and how it ended."""
    decided = "\n".join(f"- {_decision(decision, words)}" for decision in hold.decisions[-_MOST_DECISIONS:])
    if hold.state is HoldState.OPEN:
        return [f"So far:\n\n{decided}"] if decided else []
    by = f" by {name(hold.settled_by)}" if hold.settled_by and hold.state in _BY_PEOPLE else ""
    at = f", {words.time(hold.settled_at)}" if hold.settled_at is not None else ""
    # One decision is told by its end; of several, each is listed.
    several = len(hold.decisions) > 1
    reason = hold.settled_reason if by and hold.settled_reason not in _PAST.values() else ""
    why = words.line(reason) if reason and not several else _BECAUSE.get(hold.state, "")
    if hold.moved_to:
        commit = words.code(hold.moved_to[:HASH])
        why = f"The same change stands at commit {commit} now; what was approved here counts there."
    return ["---", f"**{_SETTLED[hold.state]}**{by}{at}. {why}".rstrip(), decided if several else ""]


_BY_PEOPLE = frozenset({HoldState.ADMITTED, HoldState.REFUSED, HoldState.RELEASED})


def _decision(decision: DecisionView, words: Words) -> str:
    verb = _PAST.get(decision.verb) or words.line(decision.verb).rstrip(".").lower()
    said = f": {words.line(decision.reason)}" if decision.reason else "."
    return f"{name(decision.login)} {verb}, {words.time(decision.decided_at)}{said}"
