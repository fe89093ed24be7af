"""A transport that judges whatever passes through it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import httpx

from tests.published.description import Description, NotAsPublishedError, Operation, description

_API = ("/app/", "/installation/", "/orgs/", "/repos/", "/repositories/", "/user/", "/users/")


@dataclass
class Watched(httpx.AsyncBaseTransport):
    """
    Hands requests on, and answers back, when both are as published.

    What is not raises ``NotAsPublishedError``, and a request is not sent then. A client may take that for a broken
    connection, so it is kept in ``faults`` too, for the test to ``settle`` at its end. ``requests`` and ``answers`` are
    whether those are judged: a test may ask for nonsense, or for pages, or answer with no more than it is about.
    """

    inner: httpx.AsyncBaseTransport
    requests: bool = True
    answers: bool = True
    published: Description = field(default_factory=description)
    seen: Counter[Operation] = field(default_factory=Counter)
    answered: Counter[tuple[Operation, int]] = field(default_factory=Counter)
    asked: list[httpx.Request] = field(default_factory=list)
    faults: list[NotAsPublishedError] = field(default_factory=list)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Judge the request, have it answered, and judge the answer."""
        await request.aread()
        try:
            if self.requests:
                self.seen[self.published.check_request(request)] += 1
                self.asked.append(request)
            answer = await self.inner.handle_async_request(request)
            if self.answers and (self.requests or _from_api(request, answer)):
                await answer.aread()
                if operation := self.published.check_answer(request, answer):
                    self.answered[operation, answer.status_code] += 1
        except NotAsPublishedError as fault:
            self.faults.append(fault)
            raise
        return answer

    def settle(self) -> None:
        """Raise what was not as published."""
        if self.faults:
            raise ExceptionGroup("not as published", self.faults)

    async def aclose(self) -> None:
        """Close what it hands requests to."""
        await self.inner.aclose()


def _from_api(request: httpx.Request, answer: httpx.Response) -> bool:
    """Return whether an answer is JSON, or nothing, of the API: at the same host there are pages and git, too."""
    kind, path = answer.headers.get("content-type", "application/json"), request.url.path.removeprefix("/api/v3")
    return kind.startswith("application/json") and f"{path}/".startswith(_API)
