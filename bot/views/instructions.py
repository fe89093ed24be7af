"""The text that a Work is about, with the revision that decisions are bound to."""

from __future__ import annotations

import hashlib

from bot.domain.work import Instructions
from bot.trackers.contract import Issue


def instructions_of(issue: Issue) -> Instructions:
    """Return an issue's text as it is now. The revision changes with title or body, and with nothing else."""
    digest = hashlib.sha256(f"{issue.title}\0{issue.body}".encode()).hexdigest()
    return Instructions(title=issue.title, body=issue.body, author=issue.author.login, revision=digest[:16])
