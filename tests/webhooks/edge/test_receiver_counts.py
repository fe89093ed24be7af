"""What the receiver counts, and what it makes of secrets that end."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping

import httpx
import pytest
from structlog.testing import capture_logs

from bot.clock import MINUTE, Millis
from bot.metrics import REGISTRY
from tests.clock import START, FakeClock
from tests.webhooks.edge import payloads
from webhooks.delivery import Accepted, Delivery
from webhooks.receiver import Receiver
from webhooks.secret import Secret
from webhooks.signature import sign

NEW, OLD = (secrets.token_hex(16).encode() for _ in range(2))
BODY = json.dumps(payloads.comment(body="/approve")).encode()


def counted(name: str, labels: Mapping[str, str]) -> float:
    return REGISTRY.get_sample_value(name, dict(labels)) or 0.0


class Rise:
    """How far a counter has risen since this was made."""

    def __init__(self, name: str, labels: Mapping[str, str]) -> None:
        self._name, self._labels = f"trackside_{name}_total", labels
        self._before = counted(self._name, labels)

    @property
    def value(self) -> float:
        return counted(self._name, self._labels) - self._before


async def send(receiver: Receiver, key: bytes = NEW, *, event: str = "issue_comment", method: str = "POST") -> int:
    headers = {
        "content-type": "application/json",
        "x-github-event": event,
        "x-github-delivery": secrets.token_hex(8),
        "x-hub-signature-256": sign(BODY, key).decode(),
    }
    async with httpx.AsyncClient(transport=httpx.ASGITransport(receiver), base_url="http://bot.test") as http:
        return (await http.request(method, "/webhooks/github", content=BODY, headers=headers)).status_code


async def accepted(_delivery: Delivery) -> Accepted:
    return Accepted.NEW


async def full(_delivery: Delivery) -> Accepted:
    raise OSError("disk full")


def rotating(clock: FakeClock) -> Receiver:
    ends = Secret(OLD, Millis(START + MINUTE))
    return Receiver(secrets=[Secret(NEW), ends], accept=accepted, clock=clock)


async def test_a_secret_that_has_ended_is_refused_and_the_log_says_which_and_when(clock: FakeClock) -> None:
    # gh-K-10
    receiver, refused = rotating(clock), Rise("deliveries_refused", {"cause": "expired secret"})
    assert await send(receiver, OLD) == 202
    clock.advance(MINUTE)
    with capture_logs() as logs:
        assert await send(receiver, OLD) == 401
    assert "signed by secret 2, which ended on " in logs[0]["reason"]
    assert OLD.decode() not in str(logs)
    assert refused.value == 1
    assert await send(receiver, NEW) == 202


async def test_deliveries_are_counted_by_the_place_of_their_secret(clock: FakeClock) -> None:
    # gh-K-10
    receiver = rotating(clock)
    first, second = Rise("deliveries_signed", {"secret": "1"}), Rise("deliveries_signed", {"secret": "2"})
    for key in (NEW, OLD, OLD):
        await send(receiver, key)
    assert (first.value, second.value) == (1, 2)


async def test_deliveries_are_counted_by_event_and_result() -> None:
    # gh-W-20
    receiver = Receiver(secrets=[Secret(NEW)], accept=accepted)
    known = Rise("deliveries", {"event": "issue_comment", "result": "accepted"})
    other = Rise("deliveries", {"event": "other", "result": "accepted"})
    failed = Rise("deliveries", {"event": "issue_comment", "result": "failed"})
    await send(receiver)
    await send(receiver, event="star")
    await send(receiver, event=f"made_up_{secrets.token_hex(4)}")
    await send(Receiver(secrets=[Secret(NEW)], accept=full))
    assert (known.value, other.value, failed.value) == (1, 2, 1)


@pytest.mark.parametrize(
    ("cause", "signed", "method"),
    [("signature", False, "POST"), ("method", True, "GET"), ("closed", True, "POST")],
)
async def test_refusals_are_counted_by_cause(
    cause: str,
    signed: bool,  # noqa: FBT001 - a parameter of the test
    method: str,
) -> None:
    receiver = Receiver(secrets=[Secret(NEW)], accept=accepted, closed=cause == "closed")
    rise = Rise("deliveries_refused", {"cause": cause})
    assert await send(receiver, NEW if signed else b"another", method=method) in {401, 404, 405}
    assert rise.value == 1
