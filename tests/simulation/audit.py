"""The audit: every change that a host makes is looked at in its own transaction, against what was there before."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from bot.clock import Millis
from bot.storage.contract import Tx
from tests.simulation.facts import Facts
from tests.simulation.snapshot import Snapshot, take


@dataclass(frozen=True, kw_only=True)
class Step:
    """One committed change: what was stored before and after it, and which host made it, at what time by its clock."""

    before: Snapshot
    after: Snapshot
    writer: str
    now: Millis
    facts: Facts


Check = Callable[[Step], Iterable[str]]
"""An invariant: yields what is violated by a change."""


@dataclass(kw_only=True)
class Audit:
    """
    ``violations`` are what was found, first things first, as ``name: what``.

    ``checks`` are asked of each committed change, ``always`` also between two. ``seen`` is told each committed change.
    """

    facts: Facts
    checks: tuple[Check, ...]
    always: tuple[Check, ...]
    seen: Callable[[Step], None]
    violations: list[str] = field(default_factory=list)
    current: Snapshot = field(default_factory=Snapshot)
    _next: Step | None = None
    _runs: int = 0

    def look(self, tx: Tx, writer: str, now: Millis) -> None:
        """Look at a change that is about to be committed. It may be run again, or undone."""
        self._next = Step(before=self.current, after=take(tx, self.current), writer=writer, now=now, facts=self.facts)

    def keep(self) -> None:
        """Count the change: it was committed."""
        step, self._next = self._next, None
        if step is None:
            return
        if step.after is step.before:
            return
        self.current = step.after
        self._check(self.checks, step)
        self.seen(step)

    def look_again(self) -> None:
        """Look once more at what was committed last, if more runs were started since: they go on without the store."""
        runs = len(self.facts.machine.runs)
        if runs == self._runs:
            return
        self._runs = runs
        step = Step(before=self.current, after=self.current, writer="", now=Millis(0), facts=self.facts)
        self._check(self.always, step)

    def _check(self, checks: Iterable[Check], step: Step) -> None:
        for check in checks:
            self.violations += [f"{check.__name__}: {found}" for found in check(step)]
