"""
``POST /webhooks/github``: size, signature, strict JSON, facts, one durable write, 202.

A bare ASGI application, because request objects and typed payload models cost more than all of the work
done here. Nothing is fetched and nothing is decided in the request: the tracker gives up after ten seconds
and does not try again by itself.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus

import structlog
from prometheus_client import Counter
from starlette.types import Receive, Scope, Send

from bot.clock import Clock, SystemClock
from bot.errors import PayloadError
from bot.ids import new_id
from bot.metrics import REGISTRY
from webhooks.body import Unread, read_body
from webhooks.delivery import Accept, Delivery
from webhooks.envelope import Cause, Envelope, Refusal, open_envelope, too_large
from webhooks.github.normalise import EVENTS, Malformed, normalise
from webhooks.payload import json_bytes, parse_object
from webhooks.secret import Secret
from webhooks.signature import signed_by

MAX_BODY = 25 * 1024 * 1024
"""Bytes. The tracker delivers nothing larger."""
MAX_SECONDS = 10.0
"""How long a body may take to arrive: as long as the tracker itself waits for an answer."""

LARGE = 256 * 1024
"""Bytes from which on a body is read in a thread: hashing and parsing it would hold up everything else."""

_DELIVERIES = Counter(
    "trackside_deliveries",
    "Verified deliveries, by event and what became of them",
    ["event", "result"],
    registry=REGISTRY,
)
_REFUSED = Counter(
    "trackside_deliveries_refused", "Requests that were not taken, by cause", ["cause"], registry=REGISTRY
)
_SIGNED = Counter(
    "trackside_deliveries_signed", "Deliveries by the place of their secret in the list", ["secret"], registry=REGISTRY
)
_OTHER = "other"
"""What events that are not in use are counted as: anybody who knows a secret can name any number of them."""
_WALL = SystemClock()

_ACTION = re.compile(r"[a-z][a-z0-9_]{0,99}")
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, kw_only=True)
class _Reply:
    status: HTTPStatus
    document: Mapping[str, str]


class Receiver:
    """
    The ASGI application to put behind a route, for any method.

    ``secrets`` are all that there are; with none, every delivery is refused, and so is one that is signed by a secret
    which has ended by the ``clock``. ``accept`` is awaited once
    for each verified delivery; its exceptions are answered with 500 and an id that the log explains. Where
    it is ``closed``, since the tracker is polled, every request is refused.
    """

    def __init__(
        self,
        *,
        secrets: Sequence[Secret],
        accept: Accept,
        clock: Clock = _WALL,
        max_body: int = MAX_BODY,
        max_seconds: float = MAX_SECONDS,
        closed: bool = False,
    ) -> None:
        self._closed = closed
        self._secrets = tuple(secrets)
        self._clock = clock
        self._accept = accept
        self._max_body = max_body
        self._max_seconds = max_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request. A sender who goes away before his body is complete gets no answer."""
        if self._closed:
            reason = "no deliveries are taken: the bot polls the tracker (tracker.mode)"
            await _send(send, _refuse(Refusal(status=HTTPStatus.NOT_FOUND, reason=reason, cause=Cause.CLOSED)))
            return
        envelope = open_envelope(scope["method"], scope["headers"], limit=self._max_body)
        if isinstance(envelope, Refusal):
            await _send(send, _refuse(envelope))
            return
        body = await read_body(receive, limit=self._max_body, seconds=self._max_seconds)
        if body is Unread.DISCONNECTED:
            return
        reply = await self._answer(envelope, body) if isinstance(body, bytes) else self._unread(body)
        await _send(send, reply)

    async def _answer(self, envelope: Envelope, body: bytes) -> _Reply:
        if len(body) > LARGE:
            delivery = await asyncio.to_thread(self._read, envelope, body)
        else:
            delivery = self._read(envelope, body)
        if isinstance(delivery, Refusal):
            return _refuse(delivery)
        try:
            accepted = await self._accept(delivery)
        except Exception:  # noqa: BLE001 - whatever it is, the sender learns no more than an id
            error_id = new_id("err")
            _log.exception(
                "delivery_not_accepted",
                error_id=error_id,
                delivery=delivery.guid,
                delivery_event=delivery.event,
            )
            _DELIVERIES.labels(_counted_as(delivery.event), "failed").inc()
            return _Reply(status=HTTPStatus.INTERNAL_SERVER_ERROR, document={"error": error_id})
        _DELIVERIES.labels(_counted_as(delivery.event), accepted.value).inc()
        return _Reply(status=HTTPStatus.ACCEPTED, document={"delivery": delivery.guid, "status": accepted.value})

    def _read(self, envelope: Envelope, body: bytes) -> Delivery | Refusal:
        place = signed_by(body, envelope.signature, [secret.value for secret in self._secrets])
        if place is None:
            return _unsigned("the signature does not match", Cause.SIGNATURE)
        secret = self._secrets[place]
        if not secret.counts(self._clock.now()):
            return _unsigned(f"it is signed by secret {place + 1}, which ended on {secret.end}", Cause.EXPIRED)
        _SIGNED.labels(str(place + 1)).inc()
        try:
            return _delivery(envelope, json_bytes(body, envelope.encoding))
        except PayloadError as error:
            return Refusal(status=HTTPStatus.BAD_REQUEST, reason=str(error))

    def _unread(self, why: Unread) -> _Reply:
        if why is Unread.TOO_LARGE:
            return _refuse(too_large(self._max_body))
        reason = "the body took too long to arrive"
        return _refuse(Refusal(status=HTTPStatus.REQUEST_TIMEOUT, reason=reason, cause=Cause.SLOW))


def _delivery(envelope: Envelope, text: bytes) -> Delivery:
    payload = parse_object(text)
    given = payload.get("action")
    action = given if isinstance(given, str) and _ACTION.fullmatch(given) else ""
    found = normalise(envelope.event, action, payload, delivery=envelope.delivery)
    note = ""
    if isinstance(found, Malformed):
        note = f"malformed: {found.reason}"
    elif not found:
        note = "nothing in use here"
    return Delivery(
        guid=envelope.delivery,
        event=envelope.event,
        action=action,
        hook=envelope.hook,
        payload=text,
        facts=() if isinstance(found, Malformed) else found,
        note=note,
    )


def _counted_as(event: str) -> str:
    return event if event in EVENTS else _OTHER


def _unsigned(reason: str, cause: Cause) -> Refusal:
    return Refusal(status=HTTPStatus.UNAUTHORIZED, reason=reason, cause=cause)


def _refuse(refusal: Refusal) -> _Reply:
    _REFUSED.labels(refusal.cause.value).inc()
    _log.info("delivery_refused", status=refusal.status.value, reason=refusal.reason)
    return _Reply(status=refusal.status, document={"error": refusal.reason})


async def _send(send: Send, reply: _Reply) -> None:
    content = json.dumps(reply.document).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(content)).encode())]
    if reply.status == HTTPStatus.METHOD_NOT_ALLOWED:
        headers.append((b"allow", b"POST"))
    if reply.status in {HTTPStatus.NOT_FOUND, HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.REQUEST_ENTITY_TOO_LARGE}:
        # The rest of the body is not wanted: without this the server would go on to receive it.
        headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": reply.status.value, "headers": headers})
    await send({"type": "http.response.body", "body": content})
