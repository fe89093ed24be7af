"""How full each pool is, and which ready Work its limits hold back (C-158 … C-162)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bot.domain.admission import CapacityCode, Limits
from bot.ids import WorkId
from bot.storage.contract import Tx


@dataclass(frozen=True, kw_only=True)
class HeldBack:
    """What holds a ready Work back: the setting, in words, and the pool that it waits for."""

    pool: str
    code: CapacityCode
    detail: str


Waiting = Mapping[WorkId, HeldBack]
"""The ready Work that the last start pass found held back; of this process, and empty before its first one."""


@dataclass(frozen=True, kw_only=True)
class PoolView:
    """
    One pool: at most ``limit`` attempts hold a slot at once.

    ``in_use`` is read from the store, ``waiting`` is from the last start pass: they may disagree for one (C-161).
    """

    name: str
    limit: int
    in_use: int
    waiting: int


def capacity_of(tx: Tx, limits: Limits, waiting: Waiting) -> tuple[PoolView, ...]:
    """Return every pool that has a limit of its own; Work that a scope holds back waits for none (C-160)."""
    held = [each.pool for each in waiting.values() if each.code is not CapacityCode.SCOPE]
    return tuple(
        PoolView(name=name, limit=limit, in_use=tx.executions.slots_of_pool(name), waiting=held.count(name))
        for name, limit in limits.pools
    )
