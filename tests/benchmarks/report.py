"""What a run of the benchmarks found, as a plain table and as JSON, with the machine that it was found on."""

from __future__ import annotations

import os
import platform
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

Number = int | float | None
"""Counts are integers. None stands where a column has no meaning for a row."""

_LABEL, _CELL = 34, 14


@dataclass(frozen=True, kw_only=True)
class Section:
    """One table: for each row its figures, in the order of the columns. ``key`` names it in the JSON."""

    key: str
    title: str
    columns: Sequence[str]
    rows: Mapping[str, Sequence[Number]]

    def text(self) -> str:
        """Return the table."""
        lines = [self.title, _line("", self.columns)]
        lines += [_line(name, [_shown(value) for value in values]) for name, values in self.rows.items()]
        return "\n".join(lines)

    def document(self) -> Mapping[str, Mapping[str, Number]]:
        """Return the figures by row and column."""
        return {name: dict(zip(self.columns, values, strict=True)) for name, values in self.rows.items()}


def ratios(ones: Sequence[float], others: Sequence[float]) -> tuple[Number, ...]:
    """Return how the figures of one row compare with those of another; None where there is nothing to compare with."""
    return tuple(one / other if other else None for one, other in zip(ones, others, strict=True))


def _line(label: str, cells: Sequence[str]) -> str:
    return f"  {label:<{_LABEL}}{''.join(f'{cell:>{_CELL}}' for cell in cells)}".rstrip()


def _shown(value: Number) -> str:
    match value:
        case None:
            return ""
        case int():
            return f"{value:,}"
        case _ if value >= 1_000:
            return f"{value:,.0f}"
        case _:
            return f"{value:.2f}"


def _machine() -> Mapping[str, str | int]:
    """Return what the figures depend on: processor, operating system, interpreter, database."""
    return {
        "cores": len(os.sched_getaffinity(0)),
        "architecture": platform.machine(),
        "Linux": platform.release(),
        "Python": platform.python_version(),
        "SQLite": sqlite3.sqlite_version,
    }


@dataclass(frozen=True, kw_only=True)
class Report:
    """Everything that one run found."""

    scale: str
    sections: Sequence[Section]
    machine: Mapping[str, str | int] = field(default_factory=_machine)

    def text(self) -> str:
        """Return all tables, below a line about the machine."""
        about = ", ".join(f"{name} {value}" for name, value in self.machine.items())
        return "\n\n".join([f"{self.scale} run; {about}", *(section.text() for section in self.sections)])

    def document(self) -> Mapping[str, object]:
        """Return everything as a JSON document."""
        figures = {section.key: section.document() for section in self.sections}
        return {"version": 1, "scale": self.scale, "machine": dict(self.machine), "figures": figures}
