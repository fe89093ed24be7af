"""
One set of connections for the life of the host, and how failures to ask are told.

githubkit's own retries are off. They repeat a POST that was answered with an error but done, and they sleep until
a rate limit ends; here the caller looks first and tries again later.
"""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import AsyncIterator, Coroutine, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

import githubkit
import httpx
from githubkit.exception import GitHubException, RequestError

from bot.errors import TrackerError, TrackerUnavailableError
from bot.trackers.github.credentials import Grant
from bot.trackers.github.quota import note_quota
from bot.trackers.github.refusal import refusal
from bot.trackers.github.tracker_time import TrackerTime

MAX_HOPS = 3
"""How many times in a row a moved repository may point further."""

_PARTS = 3
"""A request may take this many times as long as one of its parts: connecting, sending, waiting for an answer."""

Query = Mapping[str, str | int]
T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Request:
    """What is asked."""

    method: str
    path: str
    body: Mapping[str, object] | None = None
    query: Query | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


class Asks(Protocol):
    """Sends requests."""

    async def ask(self, request: Request, grant: Grant) -> httpx.Response:
        """Ask. Raises ``TrackerError`` and its children, and nothing else."""
        ...


@dataclass(frozen=True)
class Wire:
    """Sends requests. Raises ``TrackerError`` and its children, and nothing else."""

    github: githubkit.GitHub[Any]
    context: contextvars.Context
    seconds: float
    time: TrackerTime

    async def ask(self, request: Request, grant: Grant) -> httpx.Response:
        """Ask, and ask again where a renamed repository is now; all but the address stays what it was."""
        url, query = request.path, request.query
        for _ in range(1 + MAX_HOPS):
            answer = await self._ask(request, url, query, grant)
            if not answer.has_redirect_location:
                return answer
            target = answer.url.join(answer.headers["location"])
            if (target.scheme, target.netloc) != (answer.url.scheme, answer.url.netloc):
                raise TrackerError(f"the tracker sends {request.path} to another host, {target.host}")
            url = str(target)
            query = None if target.query else query
        raise TrackerError(f"the tracker sends {request.path} on and on")

    async def _ask(self, request: Request, url: str, query: Query | None, grant: Grant) -> httpx.Response:
        sending = self.github.arequest(
            request.method,
            url,
            json=request.body,
            params=None if query is None else dict(query),
            headers={**request.headers, "Authorization": grant.header},
        )
        # githubkit keeps its connections in a context variable. Asking within the context in which the client was
        # opened finds them from every task, however that one came about.
        try:
            async with asyncio.timeout(_PARTS * self.seconds):
                answer = (await _within(self.context, sending)).raw_response
        except RequestError as error:
            if isinstance(error.exc, _RefusedError):
                self._note(error.exc.answer, grant)
                raise refusal(error.exc.answer) from None
            raise _unreachable(error.exc) from error
        except (GitHubException, TimeoutError) as error:
            raise _unreachable(error) from error
        self._note(answer, grant)
        return answer

    def _note(self, answer: httpx.Response, grant: Grant) -> None:
        self.time.note(answer)
        note_quota(answer, grant.whose)


class _RefusedError(Exception):
    """Carries an answer that is an error past githubkit."""

    def __init__(self, answer: httpx.Response) -> None:
        super().__init__()
        self.answer = answer


@asynccontextmanager
async def open_wire(
    *, base_url: str, seconds: float, transport: httpx.AsyncBaseTransport | None, time: TrackerTime
) -> AsyncIterator[Wire]:
    """Yield a wire whose connections stay open until the end. Each part of a request may take ``seconds``."""
    github = githubkit.GitHub(
        githubkit.UnauthAuthStrategy(),
        base_url=base_url,
        timeout=seconds,
        user_agent="trackside",
        follow_redirects=False,
        http_cache=False,
        auto_retry=False,
        async_transport=transport,
        async_event_hooks={"response": [_judge]},
    )
    context = contextvars.copy_context()
    stack = AsyncExitStack()
    await _within(context, stack.enter_async_context(github))
    try:
        yield Wire(github, context, seconds, time)
    finally:
        await _within(context, stack.aclose())


async def _judge(answer: httpx.Response) -> None:
    # Before githubkit does, which takes the time of this machine and fails on a ``Retry-After`` that is a date.
    if answer.is_error:
        await answer.aread()
        raise _RefusedError(answer)


async def _within(context: contextvars.Context, work: Coroutine[Any, Any, T]) -> T:
    return await asyncio.get_running_loop().create_task(work, context=context)


def _unreachable(error: Exception) -> TrackerUnavailableError:
    return TrackerUnavailableError(f"the tracker cannot be reached: {type(error).__name__}")
