"""Accounts and the tokens by which programs act for them."""

from __future__ import annotations

import hashlib
import re
import secrets

from bot.clock import Millis
from bot.trackers.embedded import rows
from bot.trackers.embedded.faults import invalid, not_found
from bot.trackers.embedded.store import Tx
from bot.trackers.embedded.values import Account, AccountKind

_LOGIN = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})(?:\[bot\])?")
_RESERVED = frozenset(
    {"actor", "api", "app", "app-manifests", "apps", "installation", "organizations", "orgs"}
    | {"repos", "repositories", "settings", "static", "user", "users", "version"}
)
"""First parts of paths that mean something else here."""


async def add(tx: Tx, login: str, *, name: str | None, kind: AccountKind, now: Millis) -> Account:
    """Add an account. Raises ``RefusedError`` when the login cannot be one or is taken, in any case."""
    await _check_new(tx, login)
    identity = await tx.next_id()
    await tx.run("account_insert", id=identity, login=login, name=name, kind=kind.value, now=now)
    return Account(id=identity, login=login, kind=kind, name=name, created_at=now)


async def rename(tx: Tx, account: Account, login: str) -> None:
    """Give an account another login; anybody may take the old one. Raises ``RefusedError`` (422)."""
    await _check_new(tx, login)
    await tx.run("account_rename", id=account.id, login=login)


async def add_token(tx: Tx, account: Account, *, now: Millis) -> str:
    """Make a token for an account. Only its digest is kept, so this is the one time that it can be seen."""
    token = f"ghp_{secrets.token_hex(20)}"
    await tx.run("token_insert", digest=_digest(token), account=account.id, now=now)
    return token


async def by_token(tx: Tx, token: str) -> Account | None:
    """Return whose token this is."""
    row = await tx.one("account_by_token", digest=_digest(token))
    return None if row is None else rows.account(row)


async def find(tx: Tx, login: str) -> Account:
    """Return the account. Raises ``RefusedError`` (404)."""
    row = await tx.one("account_by_login", login=login)
    if row is None:
        raise not_found()
    return rows.account(row)


async def everyone(tx: Tx) -> tuple[Account, ...]:
    """Return all people and bots, people first."""
    return tuple(rows.account(row) for row in await tx.all("accounts_all"))


async def _check_new(tx: Tx, login: str) -> None:
    if _LOGIN.fullmatch(login) is None or login.lower() in _RESERVED:
        raise invalid("User", "login")
    if await tx.one("account_by_login", login=login) is not None:
        raise invalid("User", "login", "already_exists")


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
