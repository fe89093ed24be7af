"""What the doctor finds: how bad it is, what it is, and its cure."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass


class Severity(enum.IntEnum):
    """How bad it is; the value is the exit code of the doctor when it found nothing worse."""

    FINE = 0
    WARNING = 1
    ERROR = 2


@dataclass(frozen=True, kw_only=True)
class Finding:
    """
    The outcome of one check.

    ``check`` is its name, which does not change; ``text`` says what was found; ``cure`` what to do, empty when nothing.
    """

    check: str
    severity: Severity
    text: str
    cure: str = ""

    @property
    def document(self) -> dict[str, str]:
        """The finding as JSON, with the severity as a word."""
        return {
            "check": self.check,
            "severity": self.severity.name.lower(),
            "text": self.text,
            "cure": self.cure,
        }


def fine(check: str, text: str) -> Finding:
    """Return that a check found nothing wrong."""
    return Finding(check=check, severity=Severity.FINE, text=text)


def warning(check: str, text: str, cure: str) -> Finding:
    """Return something that the bot can work with."""
    return Finding(check=check, severity=Severity.WARNING, text=text, cure=cure)


def error(check: str, text: str, cure: str) -> Finding:
    """Return something that keeps the bot from working."""
    return Finding(check=check, severity=Severity.ERROR, text=text, cure=cure)


def worst(findings: Iterable[Finding]) -> Severity:
    """Return the worst severity of all."""
    return max((finding.severity for finding in findings), default=Severity.FINE)
