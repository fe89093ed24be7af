"""The life of a kind of Work, and what its executor can take while it runs."""

from __future__ import annotations

import enum


class Lifecycle(enum.Enum):
    """What an end of an attempt means for Work of a kind (C-30)."""

    PLAIN = "plain"
    """It ends when it is completed."""
    STANDING = "standing"
    """It is ready again, idle, after each attempt, and failures arm nothing by themselves (C-31)."""
    RUN_ONCE = "run-once"
    """One attempt does it all: handing back completes it (C-32)."""


class Capability(enum.Enum):
    """What a run of an executor can take; pinned with its attempt (C-131, C-132)."""

    INJECT = "inject"
    """Further input while it runs."""
    INTERRUPT = "interrupt"
    """A request to stop its turn."""
    RESUME = "resume"
    """To go on, in the same attempt, after it was suspended."""


class Fallback(enum.Enum):
    """What becomes of input that a run could not take because of an error (C-135)."""

    QUEUE = "queue"
    """It stays for the next attempt."""
    DROP = "drop"
    """It is not tried again; it still stays for the next attempt."""
