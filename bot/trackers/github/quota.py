"""What the tracker says of our quota with each answer."""

from __future__ import annotations

import httpx
from prometheus_client import Gauge

from bot.metrics import REGISTRY

_LEFT = Gauge("trackside_tracker_requests_left", "What is left of the quota", ["owner", "resource"], registry=REGISTRY)


def note_quota(answer: httpx.Response, whose: str = "") -> None:
    """
    Note what an answer says is left of a quota; ``whose`` is the owner that an App has it for, empty for a token.

    An answer without the headers, as of a tracker without limits, says nothing.
    """
    left = answer.headers.get("x-ratelimit-remaining", "")
    resource = answer.headers.get("x-ratelimit-resource", "core")
    # Both come from outside: a label is a short word or nothing.
    if left.isascii() and left.isdigit() and resource.isascii() and resource.replace("_", "").isalnum():
        _LEFT.labels(whose, resource[:50]).set(int(left[:12]))
