"""What may go wrong between the bot and the tracker: a layer around the bot's transport that obeys the test."""

from __future__ import annotations

import asyncio
import enum
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

import httpx


class Kind(enum.Enum):
    """What happens to a request."""

    LOST = "lost"
    """It is carried out, but its answer never arrives."""
    REFUSED = "refused"
    """It is not carried out, and answered with ``status``, ``headers`` and ``message``."""
    HUNG = "hung"
    """It is neither carried out nor answered before the fault is healed."""


@dataclass(kw_only=True)
class Fault:
    """A fault of requests by method and path; ``times`` is how many more it meets, None for all."""

    kind: Kind
    method: str
    path: re.Pattern[str]
    status: int = 502
    headers: Mapping[str, str] = field(default_factory=dict)
    message: str = "This fault is part of the test"
    times: int | None = None
    met: int = 0
    reached: asyncio.Event = field(default_factory=asyncio.Event)
    healed: asyncio.Event = field(default_factory=asyncio.Event)

    def meets(self, request: httpx.Request) -> bool:
        """Whether this request is hit by it now."""
        left = not self.healed.is_set() and (self.times is None or self.met < self.times)
        return left and request.method == self.method and self.path.fullmatch(request.url.path) is not None


class Faults(httpx.AsyncBaseTransport):
    """Leads to the tracker, as far as the test lets it. Paths are patterns that match a whole path."""

    def __init__(self, inner: httpx.AsyncBaseTransport) -> None:
        self._inner = inner
        self._faults: list[Fault] = []
        self.seen: list[tuple[str, str]] = []

    def lose(self, method: str, path: str, *, times: int = 1) -> Fault:
        """Carry out matching requests, and lose their answers."""
        return self._add(Fault(kind=Kind.LOST, method=method, path=re.compile(path), times=times))

    def refuse(self, method: str, path: str, *, status: int = 502, times: int | None = None) -> Fault:
        """Answer matching requests with an error, without carrying them out."""
        return self._add(Fault(kind=Kind.REFUSED, method=method, path=re.compile(path), status=status, times=times))

    def exhaust(self, method: str, path: str, *, reset: int, times: int | None = None) -> Fault:
        """Answer as GitHub does when the hour's requests are used up until ``reset`` (Unix seconds)."""
        used = {"X-RateLimit-Limit": "5000", "X-RateLimit-Remaining": "0", "X-RateLimit-Used": "5000"}
        headers = {**used, "X-RateLimit-Reset": str(reset), "X-RateLimit-Resource": "core"}
        return self._answer(method, path, 403, "API rate limit exceeded for this installation.", headers, times)

    def slow_down(self, method: str, path: str, *, retry_after: int | None = None, times: int | None = 1) -> Fault:
        """Answer with the secondary limit; ``retry_after`` are seconds, which GitHub does not always tell."""
        headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
        return self._answer(method, path, 403, "You have exceeded a secondary rate limit.", headers, times)

    def reject(self, method: str, path: str, *, times: int | None = 1) -> Fault:
        """Answer as to a token that is not valid any more."""
        return self._answer(method, path, 401, "Bad credentials", {}, times)

    def hang(self, method: str, path: str) -> Fault:
        """Leave matching requests without an answer."""
        return self._add(Fault(kind=Kind.HUNG, method=method, path=re.compile(path)))

    def heal(self) -> None:
        """End all faults; what hung is carried out now."""
        for fault in self._faults:
            fault.healed.set()
        self._faults.clear()

    def count(self, method: str, path: str) -> int:
        """Return how many matching requests the bot has made."""
        pattern = re.compile(path)
        return sum(each == method and pattern.fullmatch(where) is not None for each, where in self.seen)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.seen.append((request.method, request.url.path))
        fault = next((fault for fault in self._faults if fault.meets(request)), None)
        if fault is None:
            return await self._inner.handle_async_request(request)
        fault.met += 1
        fault.reached.set()
        if fault.kind is Kind.REFUSED:
            document = {"message": fault.message}
            return httpx.Response(fault.status, headers=fault.headers, json=document, request=request)
        if fault.kind is Kind.HUNG:
            await fault.healed.wait()
            return await self._inner.handle_async_request(request)
        answer = await self._inner.handle_async_request(request)
        await answer.aread()
        raise httpx.ReadError("the answer was lost", request=request)

    def _answer(
        self, method: str, path: str, status: int, message: str, headers: Mapping[str, str], times: int | None
    ) -> Fault:
        pattern = re.compile(path)
        return self._add(
            Fault(
                kind=Kind.REFUSED,
                method=method,
                path=pattern,
                status=status,
                message=message,
                headers=headers,
                times=times,
            )
        )

    def _add(self, fault: Fault) -> Fault:
        self._faults.append(fault)
        return fault
