"""The pass that ends the pauses of accounts, by time or because their credentials were renewed."""

from __future__ import annotations

from dataclasses import dataclass

import structlog

from bot.clock import Clock
from bot.host.account_of import account_of
from bot.host.in_force import InForce
from bot.scheduler.accounts import release_accounts
from bot.storage.contract import Store

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, kw_only=True)
class AccountsPass:
    """Releases what is due."""

    store: Store
    clock: Clock
    in_force: InForce

    async def run(self) -> None:
        """Look at every pause; nothing is written while none is over."""
        now = self.clock.now()
        accounts = filter(None, map(account_of, self.in_force.bindings.executors.values()))
        credentials = {account.name: account.credentials for account in accounts}
        pauses = await self.store.read(lambda tx: tx.accounts.all())
        if not any(each.released_at is None and each.over(credentials.get(each.account), now) for each in pauses):
            return
        for account in await self.store.write(lambda tx: release_accounts(tx, credentials, now)):
            _log.info("account_released", account=account)
