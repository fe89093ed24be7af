"""
What the checks of ours on a pull request's commit should say. Pure.

There is one for each gate of the playbook and one for where the Work stands. A gate's says success only once the gate
has let the Work start, and a Work's only once the Work is done: a branch may be protected by them, so nothing that
merely ended may look like either.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace

from bot.clock import Millis
from bot.domain.hold import HoldState
from bot.trackers.checks import PREFIX, Conclusion, Shown
from bot.views.thread import HeldFor, HoldView, ThreadState, WorkView
from projectors.digest import digest
from projectors.inline import name
from projectors.moments import Words, moment
from projectors.people import deciders
from projectors.settings import Settings

TURN = "turn"
"""The name of the check that tells where the Work stands."""
_MOST_DECISIONS = 20
_TITLES = {
    ThreadState.QUEUED: "Queued",
    ThreadState.HELD: "Held: a person has to look",
    ThreadState.BLOCKED: "Waiting for something else",
    ThreadState.PAUSED: "Paused, goes on by itself",
    ThreadState.RUNNING: "At work",
    ThreadState.WAITING: "Waiting for people",
    ThreadState.RETRYING: "Failed, is tried again",
    ThreadState.EXHAUSTED: "Stopped after failures: a person has to look",
    ThreadState.COMPLETED: "Done",
    ThreadState.CANCELLED: "Cancelled",
    ThreadState.FAILED: "Failed",
    ThreadState.GONE: "Ended",
}
_CONCLUSIONS = {
    ThreadState.WAITING: Conclusion.NEUTRAL,
    ThreadState.EXHAUSTED: Conclusion.FAILURE,
    ThreadState.COMPLETED: Conclusion.SUCCESS,
    ThreadState.CANCELLED: Conclusion.CANCELLED,
    ThreadState.FAILED: Conclusion.FAILURE,
    ThreadState.GONE: Conclusion.CANCELLED,
}
"""What has one; all others are under way."""
_GATES = {
    HoldState.OPEN: ("Waiting for approval", None),
    HoldState.ADMITTED: ("Approved", Conclusion.SUCCESS),
    HoldState.REFUSED: ("Refused", Conclusion.FAILURE),
    HoldState.STALE: ("Out of date, asked again", None),
    HoldState.RELEASED: ("Not needed any more", Conclusion.CANCELLED),
    HoldState.ENDED: ("Not needed any more", Conclusion.CANCELLED),
}


@dataclass(frozen=True, kw_only=True)
class Links:
    """
    Where the comments stand that say more, by their key.

    ``thread`` is the address of the whole, ``sticky`` the key of the comment that tells where all stands.
    """

    thread: str
    sticky: str
    comments: Mapping[str, str]

    def of(self, key: str) -> str:
        """Return the address of a comment, or of the thread where there is no such comment."""
        return self.comments.get(key, self.thread)


def wanted_checks(work: WorkView, links: Links, settings: Settings, now: Millis) -> tuple[Shown, ...]:
    """Return what the checks of a Work should say."""
    words = Words(settings=settings, now=now)
    # Whoever only looks at a change leaves the short names to the Work that makes it.
    prefix = f"{PREFIX}{work.playbook}/" if work.commit else PREFIX
    gates = [_gate(work, gate, prefix, links, words) for gate in work.gates]
    return (*gates, _turn(work, prefix, links, words))


def outdated(shown: str) -> Shown:
    """Return what an open check says of a commit that is not the head any more."""
    conclusion = Conclusion.NEUTRAL if shown.rpartition("/")[2] == TURN else Conclusion.CANCELLED
    return Shown(name=shown, conclusion=conclusion, title="Out of date: there is another commit by now")


def mark(shown: Shown, *, app: bool) -> str:
    """Return the digest of what a check says, and as what it says it."""
    conclusion = None if shown.conclusion is None else shown.conclusion.value
    return digest(json.dumps([app, shown.name, conclusion, shown.title, shown.summary, shown.url]))


def _turn(work: WorkView, prefix: str, links: Links, words: Words) -> Shown:
    told = moment(work, words)
    number = f", attempt {work.attempt}" if work.state is ThreadState.RUNNING else ""
    by = f" by {work.ended_by}" if work.ended_by and work.state is ThreadState.CANCELLED else ""
    return Shown(
        name=f"{prefix}{TURN}",
        conclusion=_CONCLUSIONS.get(work.state),
        title=f"{_TITLES[work.state]}{number}{by}",
        summary=" ".join(filter(None, (told.title, told.aside, *told.sentences))),
        url=work.details_url or links.of(links.sticky),
    )


def _gate(work: WorkView, gate: str, prefix: str, links: Links, words: Words) -> Shown:
    holds = [hold for hold in work.holds if hold.kind is HeldFor.GATE]
    shown = _asked(holds[-1], links, words) if holds else _not_asked(work, links)
    if work.state.ended and shown.conclusion is None:
        title = "The run ended without an approval"
        shown = replace(shown, conclusion=Conclusion.CANCELLED, title=title)
    # A gate of that name has to be told from the check of the Work.
    return replace(shown, name=f"{prefix}{gate}{'-gate' if gate == TURN else ''}")


def _asked(hold: HoldView, links: Links, words: Words) -> Shown:
    title, conclusion = _GATES[hold.state]
    said = hold.settled_reason if hold.state is HoldState.REFUSED else hold.reason
    who = "\n".join(f"- {deciders(each)}" for each in hold.requirements)
    decided = ", ".join(f"{each.verb} by {name(each.login)}" for each in hold.decisions[-_MOST_DECISIONS:])
    return Shown(
        name="",
        conclusion=conclusion,
        title=title,
        summary="\n\n".join(filter(None, [words.line(said), who, f"Decided: {decided}." if decided else ""])),
        url=links.of(f"hold:{hold.id}"),
    )


def _not_asked(work: WorkView, links: Links) -> Shown:
    if not work.attempt:
        return Shown(name="", conclusion=None, title="Not asked yet", url=links.thread)
    summary = f"Nobody had to be asked: that {name(work.starter)} started it is enough."
    return Shown(name="", conclusion=Conclusion.SUCCESS, title="Approved", summary=summary, url=links.thread)
