"""
One client for the life of the host: what is asked, and how errors are told.

githubkit's own retries are off. They repeat a POST that was answered with an error but done, and they sleep until
a rate limit ends; here the caller looks first and tries again later.
"""

from __future__ import annotations

import email.utils
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import UTC
from typing import Any
from urllib.parse import quote

import githubkit
import httpx
from githubkit import exception as failures

from bot.clock import SECOND
from bot.errors import RateLimitedError, TrackerError, TrackerMissingError, TrackerUnavailableError

PAGE = 100
SECONDARY_WAIT = 60 * SECOND
"""How long to wait when the tracker asks for it without saying how long, in milliseconds."""
_MISSING = frozenset({404, 410})
_LIMITED = frozenset({403, 429})


class Client:
    """Requests to the API, with every error told in the words of the contract."""

    def __init__(self, github: githubkit.GitHub[Any]) -> None:
        self._github = github

    async def call(
        self,
        method: str,
        path: str,
        *,
        body: object | None = None,
        query: Mapping[str, str | int] | None = None,
    ) -> Any:  # noqa: ANN401 - JSON, read narrowly by the caller
        """Return the JSON of one answer, None for an empty one. Raises ``TrackerError`` and its children."""
        try:
            answer = await self._github.arequest(method, path, json=body, params=dict(query or {}))
            return answer.json() if answer.content else None
        except failures.RequestFailed as error:
            raise _refused(error.response.raw_response) from error
        except (failures.GitHubException, httpx.HTTPError) as error:
            raise TrackerUnavailableError(f"the tracker cannot be reached: {type(error).__name__}") from error
        except ValueError as error:
            raise TrackerUnavailableError("the tracker answered with something else than JSON") from error

    async def pages(self, path: str, query: Mapping[str, str | int] | None = None) -> list[Any]:
        """Return the entries of every page of a list (ag-J04)."""
        found: list[Any] = []
        for page in range(1, 10_000):
            entries = await self.call("GET", path, query={**(query or {}), "per_page": PAGE, "page": page})
            if not isinstance(entries, Sequence):
                raise TrackerError(f"the tracker answered {path} with something else than a list")
            found += entries
            if len(entries) < PAGE:
                break
        return found


def escaped(text: str) -> str:
    """Return text as one segment of a path."""
    return quote(text, safe="")


@asynccontextmanager
async def open_client(
    token: str, *, base_url: str, seconds: float, transport: httpx.AsyncBaseTransport | None
) -> AsyncIterator[Client]:
    """Yield a client whose connections stay open until the end. each request may take ``seconds``."""
    github = githubkit.GitHub(
        githubkit.TokenAuthStrategy(token),
        base_url=base_url,
        timeout=seconds,
        user_agent="trackside",
        follow_redirects=True,
        http_cache=False,
        auto_retry=False,
        async_transport=transport,
    )
    async with github:
        yield Client(github)


def _refused(answer: httpx.Response) -> TrackerError:
    status = answer.status_code
    said = _message(answer)
    if status in _LIMITED:
        wait = _wait(answer, said)
        if wait is not None:
            return RateLimitedError(f"the tracker asks to wait: {said}", status=status, retry_after=wait)
    if status in _MISSING:
        return TrackerMissingError(f"the tracker does not know {answer.url.path}", status=status)
    if status >= httpx.codes.INTERNAL_SERVER_ERROR:
        return TrackerUnavailableError(f"the tracker failed with {status}", status=status)
    return TrackerError(f"the tracker refused with {status}: {said}", status=status)


def _wait(answer: httpx.Response, said: str) -> int | None:
    """Return the milliseconds that the tracker asks to wait, or None when this is no limit."""
    headers = answer.headers
    after = headers.get("retry-after", "")
    if after.isdigit():
        return int(after) * SECOND
    if headers.get("x-ratelimit-remaining") == "0":
        # Both moments are the tracker's own, so that no clock of ours takes part.
        reset, date = headers.get("x-ratelimit-reset", ""), headers.get("date", "")
        if reset.isdigit() and date:
            sent = email.utils.parsedate_to_datetime(date).astimezone(UTC).timestamp()
            return max(int(reset) - int(sent), 1) * SECOND
        return SECONDARY_WAIT
    limited = answer.status_code == httpx.codes.TOO_MANY_REQUESTS or "rate limit" in said.lower()
    return SECONDARY_WAIT if limited else None


def _message(answer: httpx.Response) -> str:
    try:
        document = answer.json()
    except ValueError:
        return "no reason given"
    message = document.get("message") if isinstance(document, dict) else None
    return message if isinstance(message, str) else "no reason given"
