"""
One client for the life of the host: what is asked, and how failures to ask are told.

githubkit's own retries are off. They repeat a POST that was answered with an error but done, and they sleep until
a rate limit ends; here the caller looks first and tries again later.
"""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import AsyncIterator, Coroutine, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import quote

import githubkit
import httpx
from githubkit.exception import GitHubException, RequestError

from bot.errors import TrackerError, TrackerUnavailableError
from bot.trackers.github.fields import Fields
from bot.trackers.github.quota import note_quota
from bot.trackers.github.refusal import refusal

PAGE = 100
MAX_HOPS = 3
"""How many times in a row a moved repository may point further."""

_PARTS = 3
"""A request may take this many times as long as one of its parts: connecting, sending, waiting for an answer."""

Query = Mapping[str, str | int]
T = TypeVar("T")


@dataclass(frozen=True)
class Client:
    """Requests to the API. Every method raises ``TrackerError`` and its children, and nothing else."""

    github: githubkit.GitHub[Any]
    context: contextvars.Context
    seconds: float

    async def get(self, path: str) -> Fields:
        """Return one object."""
        return Fields.of(json_of(await self._answer("GET", path, None, None)))

    async def send(self, method: str, path: str, body: Mapping[str, object]) -> Fields:
        """Change something, once, and return the object that the tracker answers with."""
        return Fields.of(json_of(await self._answer(method, path, body, None)))

    async def tell(self, method: str, path: str, body: Mapping[str, object] | None = None) -> None:
        """Change something, once, whatever the tracker answers with."""
        await self._answer(method, path, body, None)

    async def pages(self, path: str, query: Query | None = None) -> list[Fields]:
        """Return the entries of every page of a list (ag-J04)."""
        found: list[Fields] = []
        seen: list[Query] = []
        page: Query | None = {**(query or {}), "per_page": PAGE}
        while page is not None:
            if page in seen:
                raise TrackerError(f"the pages of {path} go round in a circle")
            seen.append(page)
            answer = await self._answer("GET", path, None, page)
            entries = json_of(answer)
            if not isinstance(entries, list):
                raise TrackerError(f"the tracker answered {path} with something else than a list")
            found += map(Fields.of, entries)
            page = _next(answer)
        return found

    async def _answer(
        self, method: str, path: str, body: Mapping[str, object] | None, query: Query | None
    ) -> httpx.Response:
        """Ask, and ask again where a renamed repository is now; the method and the body stay what they were."""
        url = path
        for _ in range(1 + MAX_HOPS):
            answer = await self._ask(method, url, body, query)
            if not answer.has_redirect_location:
                return answer
            target = answer.url.join(answer.headers["location"])
            if (target.scheme, target.netloc) != (answer.url.scheme, answer.url.netloc):
                raise TrackerError(f"the tracker sends {path} to another host, {target.host}")
            url = str(target)
            query = None if target.query else query
        raise TrackerError(f"the tracker sends {path} on and on")

    async def _ask(
        self, method: str, url: str, body: Mapping[str, object] | None, query: Query | None
    ) -> httpx.Response:
        # githubkit keeps its connections in a context variable. Asking within the context in which the client was
        # opened finds them from every task, however that one came about.
        request = self.github.arequest(method, url, json=body, params=None if query is None else dict(query))
        try:
            async with asyncio.timeout(_PARTS * self.seconds):
                answer = await _within(self.context, request)
        except RequestError as error:
            if isinstance(error.exc, TrackerError):
                raise error.exc from None
            raise _unreachable(error.exc) from error
        except (GitHubException, TimeoutError) as error:
            raise _unreachable(error) from error
        return answer.raw_response


def path_of(repository: str, *rest: str | int) -> str:
    """
    Return the path of a repository, or of something in it; each part is escaped, so that it stays one part.

    Raises ``TrackerError`` for a repository that is not ``owner/name``.
    """
    parts = [*repository.split("/"), *map(str, rest)]
    if repository.count("/") != 1 or not all(parts):
        raise TrackerError(f"{'/'.join(parts)!r} is not something that the tracker can know")
    return "/".join(["/repos", *map(_escaped, parts)])


@asynccontextmanager
async def open_client(
    token: str, *, base_url: str, seconds: float, transport: httpx.AsyncBaseTransport | None
) -> AsyncIterator[Client]:
    """Yield a client whose connections stay open until the end. Each part of a request may take ``seconds``."""
    github = githubkit.GitHub(
        githubkit.TokenAuthStrategy(token),
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
        yield Client(github, context, seconds)
    finally:
        await _within(context, stack.aclose())


async def _judge(answer: httpx.Response) -> None:
    note_quota(answer)
    # Before githubkit does, which takes the time of this machine and fails on a ``Retry-After`` that is a date.
    if answer.is_error:
        await answer.aread()
        raise refusal(answer)


async def _within(context: contextvars.Context, work: Coroutine[Any, Any, T]) -> T:
    return await asyncio.get_running_loop().create_task(work, context=context)


def _unreachable(error: Exception) -> TrackerUnavailableError:
    return TrackerUnavailableError(f"the tracker cannot be reached: {type(error).__name__}")


def json_of(answer: httpx.Response) -> object:
    """Return the document of an answer. Raises ``TrackerError`` when it is none."""
    try:
        document: object = answer.json()
    except ValueError as error:
        message = f"the tracker answered {answer.url.path} with something else than JSON"
        raise TrackerError(message, status=answer.status_code) from error
    return document


def _next(answer: httpx.Response) -> Query | None:
    """Return the query of the next page. Only the query is taken, so that a link leads nowhere else."""
    link = answer.links.get("next", {}).get("url")
    return None if link is None else dict(httpx.URL(link).params)


def _escaped(part: str) -> str:
    escaped = quote(part, safe="")
    # Dots are kept by quoting, and a part of dots alone would lead upwards.
    return escaped.replace(".", "%2E") if part in {".", ".."} else escaped
