"""The settlement pass: what runs used is charged, and what a budget held goes on when the budget allows it again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import structlog

from bot.clock import Clock, Millis
from bot.domain.admission import Terms
from bot.domain.hold import HoldKind
from bot.host.scope_limits import ScopeLimits
from bot.ids import WorkId
from bot.scheduler.raises import ALLOWED_AGAIN, lift, liftable
from bot.scheduler.usage import settle
from bot.storage.contract import Store, Tx

_log = structlog.get_logger(__name__)

Liftable = tuple[WorkId, Terms]


@dataclass(frozen=True, kw_only=True)
class SettlePass:
    """Settles, then lifts. ``terms`` are those on which Work of a playbook may start; it writes only what is due."""

    store: Store
    clock: Clock
    scopes: ScopeLimits
    terms: Callable[[str], Terms]
    wake: Callable[[], None]

    async def run(self) -> None:
        """Do what is due."""
        # Budgets of a scope are known by its id from here on: nothing may be settled without them.
        await self.scopes.look()
        now = self.clock.now()
        if await self.store.read(lambda tx: bool(tx.ledgers.staged())):
            budgets = self.terms("").budgets
            if await self.store.write(lambda tx: settle(tx, budgets, now)):
                self.wake()
        for work, terms in await self.store.read(lambda tx: self._liftable(tx, now)):
            if await self.store.write(lambda tx, w=work, t=terms: _lift(tx, w, t, now)):  # type: ignore[misc]
                _log.info("budget_hold_lifted", work=work)
                self.wake()

    def _liftable(self, tx: Tx, now: Millis) -> list[Liftable]:
        held = dict.fromkeys(hold.work for hold in tx.holds.open_of_kind(HoldKind.BUDGET))
        asked = [(work, self.terms(work.playbook)) for work in filter(None, map(tx.works.legible, held))]
        return [(work.id, terms) for work, terms in asked if liftable(tx, work, terms, now)]


def _lift(tx: Tx, work: WorkId, terms: Terms, now: Millis) -> bool:
    return lift(tx, tx.works.get(work), terms, by="", reason=ALLOWED_AGAIN, now=now)
