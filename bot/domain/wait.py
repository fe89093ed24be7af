"""What a Work waits for: kinds of input, other Work's words, or a moment. Always rows, never memory."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from bot.clock import Millis

CHECKS = "checks"
"""The kind of input that failing checks are, and the word by which a playbook waits for checks to end."""
PASSED = "passed"
"""The kind of input that checks are which all passed."""


def ends(waits: Collection[str], kind: str) -> bool:
    """
    Whether input of a kind ends a wait.

    That all checks passed ends a wait for checks alone. Where people are waited for too, it is they who say what comes
    next: an attempt that nobody asked for would find nothing to do.
    """
    return kind in waits or (kind == PASSED and set(waits) == {CHECKS})


@dataclass(frozen=True, kw_only=True)
class Dependency:
    """
    A turn of other Work: under ``key``, with one of ``statuses``, or with any when none is named (C-97).

    A named word may have been said already. Any word at all is one that comes, or came while the attempt ran.
    """

    key: str
    statuses: tuple[str, ...] = ()

    def met_by(self, status: object) -> bool:
        """Whether a turn with this status is what is waited for."""
        return not self.statuses or status in self.statuses


@dataclass(frozen=True, kw_only=True)
class Awaited:
    """
    A predicate to register: any one of these wakes the Work.

    ``kinds`` are kinds of input, ``until`` is a moment. Raises ``ValueError`` for one that nothing could ever fulfil
    (C-105).
    """

    kinds: tuple[str, ...] = ()
    dependencies: tuple[Dependency, ...] = ()
    until: Millis | None = None

    def __post_init__(self) -> None:
        if not self.kinds and not self.dependencies and self.until is None:
            raise ValueError("a wait names what ends it: a kind of input, other Work, or a moment")


@dataclass(frozen=True, kw_only=True)
class Suspension:
    """
    A run that stopped inside its turn, to go on when ``awaited`` comes true.

    ``session`` is what its executor needs to go on from there; only that executor reads it.
    """

    awaited: Awaited
    session: Mapping[str, object] = field(default_factory=dict)
