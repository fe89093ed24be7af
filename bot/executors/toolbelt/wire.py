"""A declared turn as bytes: the body of a request and the content of a spooled file are the same."""

from __future__ import annotations

import json

from bot.domain.turn import Turn

BODY_LIMIT = 1024 * 1024
_KEYS = frozenset({"status", "comment", "used"})


def encode(turn: Turn) -> bytes:
    """Return a turn as JSON."""
    return json.dumps(turn.to_document(), ensure_ascii=False).encode()


def decode(body: bytes) -> Turn:
    """Return the turn that a body holds. Raises ``ValueError`` with a reason that can be shown."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        raise ValueError("the body is not JSON in UTF-8") from None
    if not isinstance(value, dict) or not value.keys() <= _KEYS:
        raise ValueError("a turn is an object with 'status' and, if there are any, 'comment' and 'used'")
    status, comment = value.get("status"), value.get("comment", "")
    if not isinstance(status, str) or not isinstance(comment, str):
        raise ValueError("a turn needs a 'status'; it and 'comment' are text")  # noqa: TRY004 - as the rest
    try:
        comment.encode()
    except UnicodeEncodeError:
        raise ValueError("the comment holds half of a surrogate pair, which is no character") from None
    if "\0" in comment:
        raise ValueError("the comment holds a null character")
    return Turn(status=status, comment=comment, used=_used(value.get("used", {})))


def _used(value: object) -> dict[str, float]:
    if not isinstance(value, dict) or any(type(amount) not in {int, float} for amount in value.values()):
        raise ValueError("'used' is an object of units and amounts, such as {\"usd\": 0.12}")
    return {str(unit): float(amount) for unit, amount in value.items()}
