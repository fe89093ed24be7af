"""
Whose an attempt is, where several hosts share a database.

A run, its records and what it has committed lie on the machine that started it. Another host can neither adopt it nor
prove that it is gone: asked to stop it, it would find nothing and take that for the proof. So an attempt is taken up,
published and stopped by the host under whose name it was claimed, also after that host was away; what other hosts do
is to end it when its time is over, with its slot taken until its own host comes back.
"""

from __future__ import annotations

from dataclasses import dataclass

from bot.domain.execution import Execution


@dataclass(frozen=True, kw_only=True)
class Home:
    """``owner`` is the name of this host; ``shared`` says that there may be others."""

    owner: str
    shared: bool

    def keeps(self, execution: Execution) -> bool:
        """Whether what there is of an attempt lies here. Alone, everything does, also under a former name."""
        return not self.shared or execution.owner == self.owner
