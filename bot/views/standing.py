"""Why a Work is or is not running, in one line: the same for ``/status``, the thread and the command line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from bot.clock import Millis
from bot.domain.admission import Reason, Refused, Terms
from bot.domain.work import Work, WorkState
from bot.scheduler.admission import admission
from bot.storage.contract import Tx

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


def sentence(refused: Refused, work: Work) -> str:
    """Return a reason as a sentence, with what ends it."""
    words = {
        Reason.ENDED: "It has ended.",
        Reason.RUNNING: f"Attempt {work.attempts} is running.",
        Reason.EXHAUSTED: f"Stopped after {work.attempts} attempts: {work.reason}",
        Reason.WAITING: f"Waiting for {' or '.join(work.waits) or 'a person'}.",
        Reason.NO_INPUT: "There is nothing new to work on.",
        Reason.HELD: f"Held: {refused.detail}",
        Reason.RETRY_DUE: f"Attempt {work.attempts} failed; the next starts at {clock_time(refused.until)}.",
        Reason.DEFERRED: f"Paused until {clock_time(refused.until)}: {work.reason}. It goes on by itself.",
        Reason.PAUSED_ACCOUNT: f"Paused until {clock_time(refused.until)}: {refused.detail}. It goes on by itself.",
        Reason.BRAKE: f"Held: {refused.detail}",
        Reason.OVER_BUDGET: f"Over budget: {refused.detail}",
        Reason.RESERVED: f"Waiting for money: {refused.detail}. Starts by itself.",
        Reason.NO_PLAYBOOK: "Its playbook is not there any more: the operator can bring it back, `/cancel` ends it.",
        Reason.STOPPING: "The previous run is still being stopped.",
        Reason.POOL_FULL: f"Waiting for a free slot ({refused.detail}). Starts by itself.",
        Reason.SCOPE_FULL: f"Waiting for a free slot ({refused.detail}). Starts by itself.",
    }
    return words[refused.reason]


def clock_time(moment: Millis | None) -> str:
    """Return a moment as ``21:04 UTC``."""
    if moment is None:
        return "an unknown time"
    return datetime.fromtimestamp(moment / 1000, tz=UTC).strftime("%H:%M UTC")
