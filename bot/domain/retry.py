"""When a failed attempt is tried again."""

from __future__ import annotations

from dataclasses import dataclass

from bot.clock import MINUTE, Millis
from bot.domain.work import BlockedReason

MAX_DELAYS = 100


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
class RetryAt:
    """Try again at ``due_at``."""

    due_at: Millis


def after_failure(policy: RetryPolicy, failures: int, now: Millis, *, permanent: bool) -> RetryAt | BlockedReason:
    """Decide what follows the failure number ``failures`` (counted from 1) of the current round (C-106, C-114)."""
    if permanent:
        return BlockedReason.PERMANENT_FAILURE
    if failures > len(policy.delays):
        return BlockedReason.RETRIES_EXHAUSTED
    return RetryAt(due_at=Millis(now + policy.delays[failures - 1]))


def backoff(tries: int, *, base: int, most: int) -> int:
    """Return the milliseconds to wait after ``tries`` failed tries: ``base`` doubled each time, capped at ``most``."""
    return int(min(base * 2 ** min(max(tries - 1, 0), 32), most))
