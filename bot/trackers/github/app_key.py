"""
The credentials of an App for itself: short statements, signed with its private key.

They are dated by the tracker's clock as far as it is known, a minute back, and hold for nine minutes: the tracker
refuses one from its future, and one that holds for more than ten (gh-K-03).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from http import HTTPStatus

import jwt
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from bot.clock import SECOND
from bot.errors import ConfigError
from bot.trackers.github.credentials import AppIdentity, Grant
from bot.trackers.github.tracker_time import TrackerTime

BACK = 60
LASTS = 9 * 60
"""Seconds: how far back a statement is dated, and for how long it holds from now on."""

_BEARER = "Bearer "
_APART = 30
"""Seconds between the dates of two statements from which on the second may be taken where the first was not."""


@dataclass(frozen=True, kw_only=True)
class AppKey:
    """Signs for an App. See ``Credentials`` for what each method promises."""

    id: int
    key: RSAPrivateKey = field(repr=False)
    time: TrackerTime

    async def grant(self, path: str) -> Grant:  # noqa: ARG002 - the same for every path
        """Return a fresh statement."""
        now = self.time.now() // SECOND
        claims = {"iat": now - BACK, "exp": now + LASTS, "iss": str(self.id)}
        return Grant(_BEARER + jwt.encode(claims, self.key, algorithm="RS256"), whose="app")

    async def renewed(self, path: str, refused: Grant, status: int) -> Grant | None:
        """Return a statement of another date, when the refusal has told that ours was off."""
        fresh = await self.grant(path)
        if status == HTTPStatus.UNAUTHORIZED and abs(_dated(fresh) - _dated(refused)) > _APART:
            return fresh
        return None


def app_key(identity: AppIdentity, time: TrackerTime) -> AppKey:
    """Return the key of an App. Raises ``ConfigError`` when it is none; nothing of it is in the message."""
    try:
        # Whether its numbers are primes takes a tenth of a second, and the key is the operator's own.
        key = load_pem_private_key(identity.key.encode(), password=None, unsafe_skip_rsa_key_validation=True)
    except (ValueError, TypeError):
        raise ConfigError("the App's private key cannot be read: expected PEM, not encrypted") from None
    if not isinstance(key, RSAPrivateKey):
        raise ConfigError("the App's private key is of another kind than RSA")
    return AppKey(id=identity.id, key=key, time=time)


def _dated(grant: Grant) -> int:
    statement = grant.header.removeprefix(_BEARER)
    return int(jwt.decode(statement, options={"verify_signature": False})["iat"])
