"""
What a delivery says outside its body: method and headers, checked before a byte of the body is read.

Headers are not covered by the signature. So they only name the delivery and its event; nothing is decided
on them, and a name of an unexpected shape is refused here instead of reaching the database.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable
from dataclasses import dataclass
from http import HTTPStatus

_EVENT = re.compile(rb"[a-z][a-z0-9_]{0,99}")
_DELIVERY = re.compile(rb"[\x21-\x7e]{1,200}")
_HOOK = re.compile(rb"[0-9]{1,18}")
_LENGTH = re.compile(rb"[0-9]+")


class Encoding(enum.Enum):
    """How the body carries the payload; the value is its content type."""

    JSON = b"application/json"
    FORM = b"application/x-www-form-urlencoded"


class Cause(enum.Enum):
    """Why a request is not taken, in few words; the value is what refusals are counted by."""

    CLOSED = "closed"
    METHOD = "method"
    TYPE = "content type"
    MALFORMED = "malformed"
    LARGE = "too large"
    SLOW = "slow"
    SIGNATURE = "signature"
    EXPIRED = "expired secret"


@dataclass(frozen=True, kw_only=True)
class Refusal:
    """A request that is not taken: the status, and one line that tells the sender why."""

    status: HTTPStatus
    reason: str
    cause: Cause = Cause.MALFORMED


@dataclass(frozen=True, kw_only=True)
class Envelope:
    """
    The outside of a delivery.

    ``delivery`` is the tracker's id of it, the same when it is delivered again; ``hook`` is the id of the
    webhook, when given. ``signature`` is the header's bytes, unchecked.
    """

    event: str
    delivery: str
    hook: int | None
    encoding: Encoding
    signature: bytes | None


def open_envelope(method: str, headers: Iterable[tuple[bytes, bytes]], *, limit: int) -> Envelope | Refusal:
    """
    Return the envelope of a request, or why the request is refused.

    ``headers`` are as ASGI gives them: names in lower case. ``limit`` is the most bytes that a body may
    have; a body that announces more is refused unread.
    """
    if method != "POST":
        return Refusal(status=HTTPStatus.METHOD_NOT_ALLOWED, reason="only POST is answered here", cause=Cause.METHOD)
    values: dict[bytes, list[bytes]] = {}
    for name, value in headers:
        values.setdefault(name, []).append(value)
    encoding = _encoding(_single(values, b"content-type"))
    if encoding is None:
        return Refusal(
            status=HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            reason="the content type must be application/json or a form",
            cause=Cause.TYPE,
        )
    if (refusal := _length(values, limit)) is not None:
        return refusal
    event = _single(values, b"x-github-event")
    if event is None or _EVENT.fullmatch(event) is None:
        return Refusal(status=HTTPStatus.BAD_REQUEST, reason="X-GitHub-Event must be given once and name an event")
    delivery = _single(values, b"x-github-delivery")
    if delivery is None or _DELIVERY.fullmatch(delivery) is None:
        return Refusal(
            status=HTTPStatus.BAD_REQUEST,
            reason="X-GitHub-Delivery must be given once, in at most 200 printable ASCII characters",
        )
    return Envelope(
        event=event.decode(),
        delivery=delivery.decode(),
        hook=_hook(_single(values, b"x-github-hook-id")),
        encoding=encoding,
        signature=_single(values, b"x-hub-signature-256"),
    )


def _single(values: dict[bytes, list[bytes]], name: bytes) -> bytes | None:
    """Return the header's value if it was sent exactly once: of two, nobody can say which one is meant."""
    found = values.get(name, [])
    return found[0] if len(found) == 1 else None


def _encoding(value: bytes | None) -> Encoding | None:
    media_type = (value or b"").partition(b";")[0].strip().lower()
    return next((encoding for encoding in Encoding if encoding.value == media_type), None)


def _length(values: dict[bytes, list[bytes]], limit: int) -> Refusal | None:
    if b"content-length" not in values:
        return None
    length = _single(values, b"content-length")
    if length is None or _LENGTH.fullmatch(length) is None:
        return Refusal(status=HTTPStatus.BAD_REQUEST, reason="Content-Length must be one whole number")
    digits = length.lstrip(b"0")
    # Compared by its digits first: Python refuses to convert very long ones.
    if len(digits) > len(str(limit)) or int(digits or b"0") > limit:
        return too_large(limit)
    return None


def too_large(limit: int) -> Refusal:
    """Return the refusal of a body over ``limit`` bytes, announced or not."""
    return Refusal(
        status=HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        reason=f"the body may have at most {limit} bytes",
        cause=Cause.LARGE,
    )


def _hook(value: bytes | None) -> int | None:
    return int(value) if value is not None and _HOOK.fullmatch(value) else None
