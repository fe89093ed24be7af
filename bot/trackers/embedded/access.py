"""Installation tokens: what an App may do in one installation, for an hour."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.clock import HOUR, Millis
from bot.trackers.embedded import apps, installations
from bot.trackers.embedded.faults import forbidden, unprocessable_message
from bot.trackers.embedded.store import Tx
from bot.trackers.embedded.values import Account, Installation, Repository

LIFE = HOUR
LEVELS = ("read", "write", "admin")
"""What a permission is granted as, each including the ones before it."""
_PREFIX = "ghs_"
_SUSPENDED = "This installation has been suspended"


@dataclass(frozen=True, kw_only=True)
class Access:
    """What a token may do. ``repositories`` are ids; None is everything that the installation covers."""

    installation: Installation
    permissions: Mapping[str, str]
    repositories: frozenset[int] | None
    expires_at: Millis

    def allows(self, permission: str, level: str) -> bool:
        """Return whether the token has a permission at this level or above."""
        granted = self.permissions.get(permission)
        return granted is not None and LEVELS.index(granted) >= LEVELS.index(level)


@dataclass(frozen=True, kw_only=True)
class Subset:
    """What a token is asked for; None is all that the installation has."""

    permissions: Mapping[str, str] | None = None
    names: Sequence[str] | None = None
    ids: Sequence[int] | None = None


async def issue(tx: Tx, installation: Installation, wanted: Subset, *, now: Millis) -> tuple[str, Access]:
    """Make a token. Raises ``RefusedError``: 403 while suspended, 422 for more than the installation has."""
    if installation.suspended_at is not None:
        raise forbidden(_SUSPENDED)
    granted = Access(installation=installation, permissions=installation.permissions, repositories=None, expires_at=now)
    asked = installation.permissions if wanted.permissions is None else wanted.permissions
    if not all(level in LEVELS and granted.allows(name, level) for name, level in asked.items()):
        raise unprocessable_message("The permissions requested are not granted to this installation.")
    chosen = _chosen(await installations.repositories_of(tx, installation), wanted)
    token = _PREFIX + secrets.token_hex(18)
    # GitHub tells whole seconds.
    expires = Millis((now + LIFE) // 1000 * 1000)
    await tx.run(
        "installation_token_insert",
        digest=_digest(token),
        installation=installation.id,
        permissions=json.dumps(dict(asked)),
        repositories=None if chosen is None else json.dumps(sorted(chosen)),
        expires_at=expires,
    )
    return token, Access(installation=installation, permissions=asked, repositories=chosen, expires_at=expires)


def _chosen(covered: Sequence[Repository], wanted: Subset) -> frozenset[int] | None:
    if wanted.names is None and wanted.ids is None:
        return None
    by_name = {each.name.lower(): each.id for each in covered}
    known = {each.id for each in covered}
    chosen = [by_name.get(name.lower()) for name in wanted.names or ()]
    chosen += [each if each in known else None for each in wanted.ids or ()]
    if None in chosen:
        message = (
            "There is at least one repository that does not exist or is not accessible to the parent installation."
        )
        raise unprocessable_message(message)
    return frozenset(each for each in chosen if each is not None)


async def by_token(tx: Tx, token: str, *, now: Millis) -> tuple[Account, Access] | None:
    """
    Return whom an installation token acts as, and what it may do; None when it is no valid one.

    Raises ``RefusedError`` (403) while the installation is suspended.
    """
    row = await tx.one("installation_token", digest=_digest(token), now=now)
    if row is None:
        return None
    installation = await installations.find(tx, row["installation"])
    if installation.suspended_at is not None:
        raise forbidden(_SUSPENDED)
    app = await apps.find(tx, installation.app_id)
    chosen = None if row["repositories"] is None else frozenset(json.loads(row["repositories"]))
    access = Access(
        installation=installation,
        permissions=json.loads(row["permissions"]),
        repositories=chosen,
        expires_at=Millis(row["expires_at"]),
    )
    return app.bot, access


async def repositories_of(tx: Tx, access: Access) -> tuple[Repository, ...]:
    """Return the repositories that a token reaches."""
    covered = await installations.repositories_of(tx, access.installation)
    return tuple([each for each in covered if access.repositories is None or each.id in access.repositories])


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
