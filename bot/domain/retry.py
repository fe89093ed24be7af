"""When a failed attempt is tried again."""

from __future__ import annotations

from dataclasses import dataclass

from bot.clock import DAY, MINUTE, Millis
from bot.domain.kind import Lifecycle
from bot.domain.work import BlockedReason

MAX_DELAYS = 100
RESET_MARGIN = 2 * MINUTE
"""How long after a reset that was told us the next try starts (C-110)."""
UNKNOWN_RESET = 30 * MINUTE
"""How long to wait for a reset whose time is not known (C-110)."""
LONGEST_HINT = 31 * DAY
"""A reset further away than this is taken for a mistake (C-111)."""


@dataclass(frozen=True, kw_only=True)
class RetryPolicy:
    """
    Delays after the first, second … failure, in milliseconds (C-107).

    Raises ``ValueError`` for more than ``MAX_DELAYS`` (C-109) or a negative delay.
    """

    delays: tuple[int, ...] = (5 * MINUTE, 10 * MINUTE)

    def __post_init__(self) -> None:
        if len(self.delays) > MAX_DELAYS:
            raise ValueError(f"at most {MAX_DELAYS} retry delays are possible, not {len(self.delays)}")
        if any(delay < 0 for delay in self.delays):
            raise ValueError("a retry delay cannot be negative")


@dataclass(frozen=True, kw_only=True)
class RetryHint:
    """What a failed run knows of when trying again makes sense: ``reset_at``, or None when it cannot tell."""

    reset_at: Millis | None = None

    def due(self, now: Millis) -> Millis:
        """
        Return when to try again.

        Raises ``ValueError`` for a reset that is past or too far away: a hint that makes no sense is never bent into
        one that does (C-111).
        """
        if self.reset_at is None:
            return Millis(now + UNKNOWN_RESET)
        if not now <= self.reset_at <= now + LONGEST_HINT:
            raise ValueError("the executor named a time of reset that is past, or more than a month away")
        return Millis(self.reset_at + RESET_MARGIN)


@dataclass(frozen=True, kw_only=True)
class RetryAt:
    """Try again at ``due_at``."""

    due_at: Millis


@dataclass(frozen=True, kw_only=True)
class Rest:
    """Do nothing: standing Work waits for its next input (C-117)."""


def after_failure(
    policy: RetryPolicy,
    failures: int,
    now: Millis,
    *,
    permanent: bool,
    hint: RetryHint | None = None,
    lifecycle: Lifecycle = Lifecycle.PLAIN,
) -> RetryAt | Rest | BlockedReason:
    """
    Decide what follows the failure number ``failures`` (counted from 1) of the current round (C-106, C-114).

    A hint moves the next try and still uses up the budget of failures (C-112); for standing Work it only delays, and
    without one nothing is armed (C-117, C-118).
    """
    standing = lifecycle is Lifecycle.STANDING
    if standing and hint is None:
        return Rest()
    if permanent and not standing:
        return BlockedReason.PERMANENT_FAILURE
    if failures > len(policy.delays) and not standing:
        return BlockedReason.RETRIES_EXHAUSTED
    if hint is None:
        return RetryAt(due_at=Millis(now + policy.delays[failures - 1]))
    try:
        return RetryAt(due_at=hint.due(now))
    except ValueError:
        return BlockedReason.INVALID_HINT


def backoff(tries: int, *, base: int, most: int) -> int:
    """Return the milliseconds to wait after ``tries`` failed tries: ``base`` doubled each time, capped at ``most``."""
    return int(min(base * 2 ** min(max(tries - 1, 0), 32), most))
