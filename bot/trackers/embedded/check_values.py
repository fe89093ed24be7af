"""What is said of commits, by accounts and by Apps, as it is in one transaction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.clock import Millis
from bot.trackers.embedded.values import Account


@dataclass(frozen=True, kw_only=True)
class Claim:
    """What is to be said of a commit."""

    state: str
    context: str = "default"
    description: str | None = None
    target_url: str | None = None


@dataclass(frozen=True, kw_only=True)
class Status:
    """What was said of a commit, by whom and when."""

    id: int
    sha: str
    claim: Claim
    creator: Account
    created_at: Millis


@dataclass(frozen=True, kw_only=True)
class Output:
    """What a check run shows: a line, and Markdown."""

    title: str | None = None
    summary: str | None = None
    text: str | None = None


@dataclass(frozen=True, kw_only=True)
class CheckSuite:
    """
    The check runs of one App on one commit; ``branch`` had it as its tip.

    ``head_commit`` is the commit as JSON tells it. ``runs`` counts the latest ones.
    """

    id: int
    app: int
    sha: str
    branch: str | None
    head_commit: Mapping[str, object]
    status: str
    conclusion: str | None
    runs: int
    created_at: Millis
    updated_at: Millis


@dataclass(frozen=True, kw_only=True)
class CheckRun:
    """A check run. ``status`` and ``conclusion`` are GitHub's words; it has a conclusion once it is completed."""

    id: int
    suite: CheckSuite
    app: int
    name: str
    status: str
    conclusion: str | None = None
    external_id: str = ""
    details_url: str | None = None
    output: Output = field(default_factory=Output)
    started_at: Millis
    completed_at: Millis | None = None
