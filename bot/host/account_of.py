"""Which account the runs of an executor use."""

from __future__ import annotations

from bot.domain.account import Account
from bot.executors.contract import Executor, UsesAccount


def account_of(executor: Executor) -> Account | None:
    """Return the account, or None when the executor uses none."""
    return executor.account if isinstance(executor, UsesAccount) else None
