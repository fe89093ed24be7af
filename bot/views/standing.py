"""Why a Work is or is not running, in one line: the same for ``/status``, the thread and the command line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from bot.clock import Millis
from bot.domain.admission import Reason, Refused, Terms
from bot.domain.work import Work, WorkState
from bot.scheduler.admission import admission
from bot.storage.contract import Tx
from bot.views import waiting

_ENDED = {
    WorkState.COMPLETED: "Done",
    WorkState.CANCELLED: "Cancelled",
    WorkState.FAILED: "Failed",
}


@dataclass(frozen=True, kw_only=True)
class Explain:
    """
    Asks admission, on the terms in force.

    ``known`` tells whether there is a playbook of a name, ``terms`` on what terms its Work may start.
    """

    known: Callable[[str], bool]
    terms: Callable[[str], Terms]

    def refusal(self, tx: Tx, work: Work, now: Millis) -> Refused | None:
        """Return why a Work does not start now, or None when it may."""
        answer = admission(tx, work, now, terms=self.terms(work.playbook))
        if isinstance(answer, Refused) and answer.reason is Reason.WAITING:
            return replace(answer, detail=_awaited(tx, work), until=waiting.until(tx, work))
        if isinstance(answer, Refused) and answer.reason is Reason.NO_INPUT:
            return replace(answer, detail=work.reason)
        if isinstance(answer, Refused):
            return answer
        return None if self.known(work.playbook) else Refused(reason=Reason.NO_PLAYBOOK)

    def line(self, tx: Tx, work: Work, now: Millis) -> str:
        """Return the one line."""
        name = f"**{work.playbook}**"
        if work.state in _ENDED:
            by = f" by @{work.ended_by}" if work.ended_by else ""
            return f"{name}: {_ENDED[work.state]}{by}. {work.reason}".rstrip()
        refused = self.refusal(tx, work, now)
        if refused is None:
            return f"{name}: starts now."
        return f"{name}: {sentence(refused, work)}"


def _awaited(tx: Tx, work: Work) -> str:
    """Return what a Work waits for, as ``for review or #12, until 23:02 UTC at the latest``."""
    end = waiting.until(tx, work)
    names = [*waiting.kinds(tx, work), *(blocker.name for blocker in waiting.blockers(tx, work))]
    if not names:
        return "" if end is None else f"until {clock_time(end)}"
    return _for(names) + ("" if end is None else f", until {clock_time(end)} at the latest")


def _for(names: Sequence[str]) -> str:
    return f"for {' or '.join(names) or 'a person'}"


def sentence(refused: Refused, work: Work) -> str:
    """Return a reason as a sentence, with what ends it."""
    words = {
        Reason.ENDED: "It has ended.",
        Reason.RUNNING: f"Attempt {work.attempts} is running.",
        Reason.EXHAUSTED: f"Stopped after {work.attempts} attempts: {work.reason}",
        Reason.WAITING: f"Waiting {refused.detail or _for(work.waits)}.",
        Reason.NO_INPUT: f"There is nothing new to work on. {refused.detail}".rstrip(),
        Reason.HELD: f"Held: {refused.detail}",
        Reason.RETRY_DUE: f"Attempt {work.attempts} failed; the next starts at {clock_time(refused.until)}.",
        Reason.DEFERRED: f"Paused until {clock_time(refused.until)}: {work.reason}. It goes on by itself.",
        Reason.PAUSED_ACCOUNT: _paused(refused),
        Reason.PROBING: "Its account was paused and is tried by one run first. Starts by itself.",
        Reason.BRAKE: f"Held: {refused.detail}",
        Reason.OVER_BUDGET: f"Over budget: {refused.detail}",
        Reason.RESERVED: f"Waiting for money: {refused.detail}. Starts by itself.",
        Reason.NO_PLAYBOOK: "Its playbook is not there any more: the operator can bring it back, `/cancel` ends it.",
        Reason.STOPPING: "The previous run is still being stopped.",
        Reason.POOL_FULL: f"Waiting for a free slot ({refused.detail}). Starts by itself.",
        Reason.SCOPE_FULL: f"Waiting for a free slot ({refused.detail}). Starts by itself.",
    }
    return words[refused.reason]


def _paused(refused: Refused) -> str:
    if refused.until is None:
        return f"Paused: {refused.detail}. It goes on by itself when the credentials of its account are renewed."
    return f"Paused until {clock_time(refused.until)}: {refused.detail}. It goes on by itself."


def clock_time(moment: Millis | None) -> str:
    """Return a moment as ``21:04 UTC``."""
    if moment is None:
        return "an unknown time"
    return datetime.fromtimestamp(moment / 1000, tz=UTC).strftime("%H:%M UTC")
