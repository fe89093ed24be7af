"""The kinds of Work: what an end of an attempt means for each, and which of its input stands for a batch (C-30)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from bot.domain.kind import Lifecycle
from bot.domain.timer import TimerKind
from bot.ids import EventId
from bot.storage.works import Input

_TIMERS = frozenset(kind.value for kind in TimerKind)


def oldest(inputs: Sequence[Input]) -> EventId:
    """Return the input that has waited longest: a run goes on from where it was asked for."""
    return inputs[0].event


def newest(inputs: Sequence[Input]) -> EventId:
    """Return the latest occurrence: of several that came due, one run stands for all (C-34). Timers are none."""
    occurrences = [entry for entry in inputs if entry.kind not in _TIMERS] or inputs
    return occurrences[-1].event


@dataclass(frozen=True, kw_only=True)
class KindPolicy:
    """
    How Work of a kind lives.

    ``terminal`` fails it when its failures are used up, instead of leaving it to a person (C-87). ``trigger`` selects
    which pending input triggers an attempt (C-33).
    """

    lifecycle: Lifecycle = Lifecycle.PLAIN
    terminal: bool = False
    trigger: Callable[[Sequence[Input]], EventId] = oldest


KINDS: Mapping[str, KindPolicy] = {
    "work-issue": KindPolicy(),
    "review-pr": KindPolicy(),
    "job": KindPolicy(lifecycle=Lifecycle.STANDING, trigger=newest),
}


def policy_of(kind: str) -> KindPolicy:
    """Return the policy of a kind; one that is not in the table is plain Work."""
    return KINDS.get(kind, KindPolicy())
