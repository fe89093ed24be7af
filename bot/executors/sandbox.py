"""
The seam for sandboxes: what keeps the processes of a launch apart, and holds them until it is pinned.

A launch that was bound to a sandbox is *isolated*. Nothing of it can act before the digest of its sandbox's plan is
stored with the attempt, so that a launch whose lease was lost before that is known to have done nothing, and may be
launched again (C-59). There is no sandbox in this version.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from bot.domain.result import Order
from bot.executors.contract import Release
from bot.scheduler.phases import Trail

Pin = Callable[[str], Awaitable[None]]
"""
Store the digest of a sandbox's plan with the attempt, under its fence (C-80).

Raises ``StaleEpochError`` when the lease is lost: then whoever made the sandbox takes it away again (C-63).
"""


@dataclass(frozen=True, kw_only=True)
class Bound:
    """A launch that is bound to a sandbox: its order as it runs in there, and what lets it run."""

    order: Order
    release: Release


class SandboxBinding(Protocol):
    """One kind of sandbox."""

    async def bind(self, order: Order, trail: Trail, pin: Pin) -> Bound:
        """
        Bind a launch to a sandbox of its own, which is not made yet.

        It is made by ``release``, which the executor awaits before any process of the run may act: it takes away what
        an earlier launch of the same attempt left without pinning it, makes the sandbox, pins its plan, and lets the
        run go, in this order. A pin that is refused takes the sandbox away before the error goes on (C-63). Each of
        these steps is recorded in ``trail``.

        Raises ``ExecutorError`` when there can be no such sandbox.
        """
        ...
