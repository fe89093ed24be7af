"""The signed assertion by which an App says who it is: a JSON web token, RS256, good for ten minutes at most."""

from __future__ import annotations

import jwt
from jwt.types import Options

from bot.clock import MINUTE, SECOND, Millis
from bot.trackers.embedded import apps
from bot.trackers.embedded.apps import App
from bot.trackers.embedded.faults import UNAUTHORIZED, RefusedError, not_found
from bot.trackers.embedded.store import Tx

LONGEST = 10 * MINUTE
"""How far ahead an assertion may end."""
_UNREADABLE = "A JSON web token could not be decoded"
_UNCHECKED: Options = {"verify_signature": False, "verify_exp": False, "verify_iat": False, "verify_nbf": False}
_SIGNED: Options = {
    "verify_exp": False,
    "verify_iat": False,
    "verify_nbf": False,
    "verify_aud": False,
    "verify_iss": False,
}
"""The times are compared by the tracker's own clock, below."""


async def app_of(tx: Tx, assertion: str, *, now: Millis) -> App:
    """Return the App that signed. Raises ``RefusedError``: 401 for what does not hold, 404 for no such App."""
    try:
        claims = jwt.decode(assertion, options=_UNCHECKED)
    except jwt.InvalidTokenError:
        raise RefusedError(UNAUTHORIZED, _UNREADABLE) from None
    app = await _named(tx, claims.get("iss"))
    if app.public_key is None:
        raise not_found("Integration not found")
    try:
        jwt.decode(assertion, app.public_key, algorithms=["RS256"], options=_SIGNED)
    except jwt.InvalidTokenError:
        raise RefusedError(UNAUTHORIZED, _UNREADABLE) from None
    _check_times(claims.get("iat"), claims.get("exp"), now)
    return app


async def _named(tx: Tx, issuer: object) -> App:
    text = str(issuer) if isinstance(issuer, int | str) else ""
    if not text:
        raise RefusedError(UNAUTHORIZED, "'Issuer' claim ('iss') must be an Integer")
    try:
        if text.isascii() and text.isdigit():
            return await apps.find(tx, int(text[:18]))
        return await apps.find_by_client_id(tx, text)
    except RefusedError:
        raise not_found("Integration not found") from None


def _check_times(issued: object, ends: object, now: Millis) -> None:
    seconds = now / SECOND
    if not isinstance(ends, int | float) or ends <= seconds:
        message = (
            "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the "
            "assertion expires"
        )
        raise RefusedError(UNAUTHORIZED, message)
    if ends > seconds + LONGEST / SECOND:
        raise RefusedError(UNAUTHORIZED, "'Expiration time' claim ('exp') is too far in the future")
    if not isinstance(issued, int | float) or issued > seconds:
        message = "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued"
        raise RefusedError(UNAUTHORIZED, message)
