"""The words of a playbook: what shapes its values have, and which choices there are."""

from __future__ import annotations

import enum
import re
from collections.abc import Callable
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field, PlainSerializer

from bot.domain.turn import STATUS_PATTERN
from bot.domain.usage import RESERVED_UNITS, UNIT_PATTERN
from bot.playbook.duration import EXPECTED, format_duration, parse_duration

LABEL_LIMIT = 50
DESCRIPTION_LIMIT = 100
LARGEST_AMOUNT = 1_000_000_000

RESERVED_COMMANDS = frozenset(
    {"approve", "budget", "cancel", "explain", "help", "hold", "refuse", "release", "retry", "status", "stop"}
)
"""Verbs that mean the same in every thread; a playbook cannot take them for itself."""


class Kind(enum.StrEnum):
    """What sort of Work a playbook makes."""

    WORK_ISSUE = "work-issue"
    REVIEW_PR = "review-pr"
    JOB = "job"
    EPIC = "epic"


class PullRequests(enum.StrEnum):
    """Whose pull requests start a playbook by themselves."""

    OWN = "own"
    """Those that work of the bot has opened."""


class Sandbox(enum.StrEnum):
    """What keeps a run apart from the machine."""

    NONE = "none"
    BUBBLEWRAP = "bubblewrap"


class Publish(enum.StrEnum):
    """What the host publishes when a run ends with a status."""

    NONE = "none"
    PULL_REQUEST = "pull-request"


class WaitFor(enum.StrEnum):
    """What wakes Work that waits."""

    REVIEW = "review"
    COMMENT = "comment"
    CHECKS = "checks"
    MERGE = "merge"


class Permission(enum.StrEnum):
    """What a person may do in a repository, lowest first."""

    READ = "read"
    TRIAGE = "triage"
    WRITE = "write"
    MAINTAIN = "maintain"
    ADMIN = "admin"


class Excluded(enum.StrEnum):
    """Who cannot decide a gate."""

    STARTER = "starter"
    AUTHOR = "author"


class Per(enum.StrEnum):
    """What a budget counts together."""

    WORK = "work"
    SCOPE = "scope"
    ALL = "all"


class Period(enum.StrEnum):
    """How long a budget counts before it begins anew (days and weeks in UTC)."""

    LIFE = "life"
    DAY = "day"
    WEEK = "week"


def _shape(pattern: str | re.Pattern[str], expected: str) -> Callable[[str], str]:
    compiled = re.compile(pattern)

    def check(text: str) -> str:
        if not compiled.fullmatch(text):
            raise ValueError(f"expected {expected}, not {text[:40]!r}")
        return text

    return check


def _duration(value: object) -> int:
    if not isinstance(value, str):
        raise ValueError(f"{EXPECTED}, not {value!r}")  # noqa: TRY004 - pydantic reports values, not types
    return parse_duration(value)


def _color(value: object) -> object:
    # Six bare digits are a number to YAML, and 5e1234 a very large one; both are meant as colours.
    if not isinstance(value, str):
        raise ValueError('expected six hex digits in quotes, such as "0e8a16"')  # noqa: TRY004 - as above
    return value


def _label(text: str) -> str:
    if not 0 < len(text) <= LABEL_LIMIT:
        raise ValueError(f"a label has 1 to {LABEL_LIMIT} characters, not {len(text)}")
    # Issues are listed by label, and a comma separates labels there.
    if "," in text or text != text.strip() or not text.isprintable():
        raise ValueError(f"a label is one line without commas or outer spaces, not {text!r}")
    return text


def _command(text: str) -> str:
    if text in RESERVED_COMMANDS:
        raise ValueError(f"/{text} has a meaning of its own; choose another word")
    return text


def _estimated(unit: str) -> str:
    if unit in RESERVED_UNITS:
        raise ValueError(f"{unit} are counted by the scheduler and need no estimate")
    return unit


Slug = Annotated[str, AfterValidator(_shape(r"[a-z][a-z0-9-]{0,39}", "a name such as 'work-issue'"))]
Word = Annotated[str, AfterValidator(_shape(STATUS_PATTERN, "a word such as 'review' in lower case"))]
Unit = Annotated[str, AfterValidator(_shape(UNIT_PATTERN, "a unit such as 'usd' or 'minutes'"))]
EstimatedUnit = Annotated[Unit, AfterValidator(_estimated)]
Label = Annotated[str, AfterValidator(_label)]
Color = Annotated[
    str,
    AfterValidator(_shape(r"[0-9A-Fa-f]{6}", 'six hex digits in quotes, such as "0e8a16"')),
    BeforeValidator(_color),
]
Command = Annotated[
    str,
    AfterValidator(_shape(r"[a-z][a-z-]{0,31}", "a verb such as 'work', without the slash")),
    AfterValidator(_command),
]
Login = Annotated[
    str, AfterValidator(_shape(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}(\[bot\])?", "an account name without '@'"))
]
Team = Annotated[
    str, AfterValidator(_shape(r"[A-Za-z0-9][\w-]{0,99}/[\w.-]{1,100}", "a team such as 'owner/reviewers'"))
]
Duration = Annotated[int, BeforeValidator(_duration), PlainSerializer(format_duration, return_type=str)]
"""Milliseconds; written as ``1h30m``."""
Amount = Annotated[float, Field(gt=0, le=LARGEST_AMOUNT)]
"""How much of a unit, such as 2.5 of usd."""
