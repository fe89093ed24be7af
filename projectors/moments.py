"""
Where a Work stands, in words: a title, a sentence, and what a person can do next.

One function for each state. A next step is offered only where this installation knows its command.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from bot.clock import Millis
from bot.views.thread import BlockerView, HeldFor, HoldView, ThreadState, WorkView
from projectors.figures import amount_of_cap, clock_time, count
from projectors.inline import name
from projectors.people import first_decider
from projectors.settings import Settings

HASH = 7
"""Characters of a commit that are shown."""
_FIRST = (HeldFor.OPERATOR, HeldFor.BUDGET, HeldFor.VERDICT, HeldFor.GATE)
"""Of several holds, the one that a person should lift first."""
_ALSO = {
    HeldFor.OPERATOR: "held by a person or a brake",
    HeldFor.BUDGET: "over budget",
    HeldFor.VERDICT: "waiting for a verdict",
    HeldFor.GATE: "waiting for approval",
}
_HELD_BESIDE = frozenset({ThreadState.RUNNING, ThreadState.WAITING})
"""Where a Work may stand while it is held, and shows that it is held beside that."""
_WAKES = {"review": "a review", "comment": "a comment", "checks": "the checks to end", "merge": "the merge"}


@dataclass(frozen=True, kw_only=True)
class Moment:
    """``title`` is bold at its beginning; ``aside`` follows it on the same line; ``sentences`` make one line."""

    title: str
    aside: str = ""
    sentences: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Words:
    """What the texts need besides the Work itself."""

    settings: Settings
    now: Millis

    def line(self, text: str) -> str:
        """Return words from outside as a sentence: with a capital letter and an end."""
        safe = self.settings.safe.line(text)
        if not safe:
            return ""
        return f"{safe[0].upper()}{safe[1:]}" + ("" if safe[-1] in ".!?…" else ".")

    def name(self, text: str) -> str:
        """Return a name from outside as plain words."""
        return self.settings.safe.line(text)

    def code(self, text: str) -> str:
        """Return a name from outside as code."""
        return self.settings.safe.code(text)

    def time(self, moment: Millis) -> str:
        """Return a moment."""
        return clock_time(moment, self.now)

    def step(self, verb: str, text: str) -> str:
        """Return a next step, or nothing where its command does not exist."""
        return text if self.settings.offers(verb) else ""

    def again(self, work: WorkView) -> str:
        """Return how the playbook is started once more."""
        return "" if work.trigger is None else f"Add {self.code(work.trigger)} to start again."


def moment(work: WorkView, words: Words) -> Moment:
    """Return the words for where a Work stands."""
    told = _MOMENTS[work.state](work, words)
    if work.state not in _HELD_BESIDE:
        return told
    return replace(told, sentences=(*told.sentences, *_held_beside(work, words)))


def over_budget(work: WorkView, hold: HoldView, words: Words) -> tuple[str, ...]:
    """Return what ran out, and how it goes on."""
    unit, spent = hold.unit, ""
    if unit is not None and unit in work.usage.caps:
        used, cap = work.usage.units.get(unit, 0.0), work.usage.caps[unit]
        # A start may also be held because less is left than it would take; the reason tells that.
        spent = f"{amount_of_cap(used, cap, unit)} used on this issue." if used >= cap else ""
    return (
        spent or words.line(hold.reason),
        words.step("approve", "`/approve` allows one more turn."),
        "" if unit is None else words.step("budget", f"`/budget +5 {unit}` raises the cap."),
    )


def held_by(hold: HoldView, words: Words) -> str:
    """Return the title of an operator's hold: who placed it, or the brake that did."""
    if hold.person is not None:
        return f"**Held** by {name(hold.person)}"
    return f"**Held: {words.line(hold.reason).rstrip('.')}**"


def stopped(work: WorkView) -> str:
    """Return the title of Work that has stopped trying."""
    return f"**Stopped after {count(work.failed or work.attempt, 'attempt')}**"


def _queued(work: WorkView, words: Words) -> Moment:
    reason = words.line(work.waiting_for)
    return Moment(title="**Queued**", sentences=(reason or "Waiting for a free slot. Starts by itself.",))


def _held(work: WorkView, words: Words) -> Moment:
    holds = sorted(work.open_holds, key=lambda hold: _FIRST.index(hold.kind))
    if not holds:
        return _queued(work, words)
    title, sentences = _hold(work, holds[0], words)
    rest = dict.fromkeys(_ALSO[hold.kind] for hold in holds[1:])
    also = (f"Also {' and '.join(rest)}.",) if rest else ()
    return Moment(title=title, sentences=(*sentences, *also))


def _hold(work: WorkView, hold: HoldView, words: Words) -> tuple[str, tuple[str, ...]]:
    match hold.kind:
        case HeldFor.GATE:
            who = first_decider(hold.requirements)
            return "**Waiting for approval**", (f"{who} can let it start: see the comment below.",)
        case HeldFor.VERDICT:
            return "**Waiting for a decision**", (words.line(hold.reason), "See the comment below.")
        case HeldFor.BUDGET:
            return "**Over budget**", over_budget(work, hold, words)
        case HeldFor.OPERATOR:
            said = words.line(hold.reason) if hold.person is not None else ""
            release = words.step("release", ": `/release`")
            return held_by(hold, words), (said, f"Only a person can lift this{release}.")


def _held_beside(work: WorkView, words: Words) -> Iterator[str]:
    """Yield that nothing more starts, of Work that shows something else while a person or a brake holds it."""
    for hold in work.open_holds:
        if hold.kind is HeldFor.OPERATOR:
            by = f"{name(hold.person)} holds it" if hold.person is not None else "It is held"
            release = words.step("release", ": `/release`")
            yield f"{by}, so nothing starts after this until a person lifts that{release}."
            return


def _blocked(work: WorkView, words: Words) -> Moment:
    names = [_name(blocker, words) for blocker in work.blockers]
    if not names:
        return _queued(work, words)
    begins = "goes on" if work.attempt else "starts"
    when = " or ".join(_met(blocker, words) for blocker in work.blockers)
    stuck = [f"{_name(blocker, words)} needs a person first." for blocker in work.blockers if blocker.needs_person]
    also = (f"Also waiting for {_wakes(work, words)}.",) if work.waits else ()
    sentences = (f"It {begins} when {when}.", *stuck, *also, _latest(work, words))
    return Moment(title=f"**Waiting for {' or '.join(names)}**", sentences=sentences)


def _name(blocker: BlockerView, words: Words) -> str:
    """Return what people call another item; the tracker makes a link of it."""
    return f"{words.name(blocker.repository)}#{blocker.number}"


def _met(blocker: BlockerView, words: Words) -> str:
    """Return what has to become true of another item."""
    said = " or ".join(word if word == "done" else words.code(word) for word in blocker.words)
    return f"{_name(blocker, words)} is {said}" if said else f"there is news of {_name(blocker, words)}"


def _wakes(work: WorkView, words: Words) -> str:
    return " or ".join(_WAKES.get(wait, words.code(wait)) for wait in work.waits)


def _latest(work: WorkView, words: Words) -> str:
    """Return when a wait ends by itself."""
    return "" if work.next_at is None else f"It goes on by itself at {words.time(work.next_at)} at the latest."


def _paused(work: WorkView, words: Words) -> Moment:
    until = "" if work.next_at is None else f" until {words.time(work.next_at)}"
    reason = words.line(work.reason) or "The provider's usage limit is reached."
    when = " when the credentials are renewed" if work.next_at is None else ""
    kept = f"Nothing is lost, no attempt is spent; it goes on by itself{when}."
    return Moment(title=f"**Paused{until}**", sentences=(reason, kept))


def _running(work: WorkView, words: Words) -> Moment:
    started = "" if work.started_at is None else f" {words.time(work.started_at)}"
    stop = words.step("stop", "`/stop` stops it") or words.step("cancel", "`/cancel` ends it")
    tell = "Comment here to tell the agent something"
    return Moment(
        title=f"**{_shown(work.status) or 'Running'}**",
        aside=f"attempt {work.attempt}",
        sentences=(
            f"Started{started} on {_place(work, words)}.",
            f"{tell}; {stop}." if stop else f"{tell}.",
        ),
    )


def _place(work: WorkView, words: Words) -> str:
    return f"commit {words.code(work.commit[:HASH])}" if work.commit else f"branch {words.code(work.branch)}"


def _waiting(work: WorkView, words: Words) -> Moment:
    if work.pull_request is not None and "review" in work.waits:
        how = "Approve it to finish, request changes or comment to send it back."
        return Moment(title="**Ready for review**", sentences=(f"Pull request #{work.pull_request} is open.", how))
    if work.notify and "comment" in work.waits:
        asks = "The agent asks a question below." if work.comment else "The agent needs something from you."
        return Moment(title="**Needs an answer**", sentences=(asks, "Answer in a comment; it goes on by itself."))
    wakes = _wakes(work, words) or ("a person" if work.next_at is None else "its time")
    none = "No check has appeared on its commit for a while: see whether yours run on what the bot pushes."
    sentences = (f"Waiting for {wakes}.", none if work.unchecked else "", _latest(work, words))
    return Moment(title=f"**{_shown(work.status) or 'Waiting'}**", sentences=sentences)


def _retrying(work: WorkView, words: Words) -> Moment:
    tried = work.failed or work.attempt
    at = "" if work.next_at is None else f", next at {words.time(work.next_at)}"
    return Moment(
        title=f"**Attempt {work.attempt} failed**{at} ({tried + 1} of {work.attempts_allowed})",
        sentences=(
            words.line(work.reason),
            words.step("retry", "`/retry` tries now."),
            words.step("cancel", "`/cancel` ends it."),
        ),
    )


def _exhausted(work: WorkView, words: Words) -> Moment:
    tried = "What was tried is folded below." if work.log else ""
    return Moment(
        title=stopped(work),
        sentences=(words.line(work.reason), tried, *next_round(work, words)),
    )


def next_round(work: WorkView, words: Words) -> tuple[str, ...]:
    """Return how Work that has stopped trying goes on."""
    cancel = words.step("cancel", "`/cancel` ends it.")
    if words.settings.offers("retry"):
        return "`/retry` starts a fresh round.", cancel
    return (cancel, "" if work.trigger is None else f"Then add {words.code(work.trigger)} to start again.")


def _completed(work: WorkView, words: Words) -> Moment:
    merged = f"Pull request #{work.pull_request} merged." if work.merged and work.pull_request is not None else ""
    return Moment(title="**Done**", sentences=(merged or words.line(work.reason) or "Nothing is left to do.",))


def _cancelled(work: WorkView, words: Words) -> Moment:
    by = "" if work.ended_by is None else f" by {name(work.ended_by)}"
    return Moment(
        title=f"**Cancelled**{by}", sentences=(words.line(work.reason), _kept(work, words), words.again(work))
    )


def _kept(work: WorkView, words: Words) -> str:
    """Return where the work so far is: it is on the tracker only once a pull request was opened for it."""
    if work.commit:
        return ""
    if work.pull_request is not None:
        return f"Work so far is on branch {words.code(work.branch)}."
    return "What it had not published yet is kept on the bot's machine." if work.attempt else ""


def _failed(work: WorkView, words: Words) -> Moment:
    return Moment(title="**Failed**", sentences=(words.line(work.reason), words.again(work)))


def _gone(work: WorkView, words: Words) -> Moment:
    reason = words.line(work.reason) or "The issue was transferred, deleted, or the app was removed."
    return Moment(title="**Ended**", sentences=(reason,))


def _shown(status: str | None) -> str:
    """Return a status word as a title; it has only letters, digits, ``-`` and ``_``."""
    return (status or "").replace("-", " ").replace("_", " ").capitalize()


_MOMENTS: Mapping[ThreadState, Callable[[WorkView, Words], Moment]] = {
    ThreadState.QUEUED: _queued,
    ThreadState.HELD: _held,
    ThreadState.BLOCKED: _blocked,
    ThreadState.PAUSED: _paused,
    ThreadState.RUNNING: _running,
    ThreadState.WAITING: _waiting,
    ThreadState.RETRYING: _retrying,
    ThreadState.EXHAUSTED: _exhausted,
    ThreadState.COMPLETED: _completed,
    ThreadState.CANCELLED: _cancelled,
    ThreadState.FAILED: _failed,
    ThreadState.GONE: _gone,
}
