"""What is asked of the API: objects, changes, and lists with all their pages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote

import httpx

from bot.errors import TrackerError
from bot.trackers.github.credentials import Credentials
from bot.trackers.github.fields import Fields
from bot.trackers.github.wire import Asks, Query, Request

PAGE = 100


@dataclass(frozen=True)
class Client:
    """Requests to the API. Every method raises ``TrackerError`` and its children, and nothing else."""

    wire: Asks
    credentials: Credentials

    async def get(self, path: str) -> Fields:
        """Return one object."""
        return Fields.of(json_of(await self.answer("GET", path)))

    async def send(self, method: str, path: str, body: Mapping[str, object]) -> Fields:
        """Change something, once, and return the object that the tracker answers with."""
        return Fields.of(json_of(await self.answer(method, path, body)))

    async def tell(self, method: str, path: str, body: Mapping[str, object] | None = None) -> None:
        """Change something, once, whatever the tracker answers with."""
        await self.answer(method, path, body)

    async def pages(self, path: str, query: Query | None = None) -> list[Fields]:
        """Return the entries of every page of a list (ag-J04)."""
        found: list[Fields] = []
        seen: list[Query] = []
        page: Query | None = {**(query or {}), "per_page": PAGE}
        while page is not None:
            if page in seen:
                raise TrackerError(f"the pages of {path} go round in a circle")
            seen.append(page)
            answer = await self.answer("GET", path, query=page)
            found += entries_of(answer)
            page = next_page(answer)
        return found

    async def answer(
        self,
        method: str,
        path: str,
        body: Mapping[str, object] | None = None,
        query: Query | None = None,
        accept: str | None = None,
    ) -> httpx.Response:
        """
        Ask, and ask once more where other credentials are to be had than those that were refused (ag-I01).

        ``accept`` is the media type that is wanted, None for JSON.
        """
        headers = {} if accept is None else {"Accept": accept}
        request = Request(method=method, path=path, body=body, query=query, headers=headers)
        grant = await self.credentials.grant(path)
        try:
            return await self.wire.ask(request, grant)
        except TrackerError as error:
            renewed = None if error.status is None else await self.credentials.renewed(path, grant, error.status)
            if renewed is None:
                raise
        return await self.wire.ask(request, renewed)


def path_of(repository: str, *rest: str | int) -> str:
    """
    Return the path of a repository, or of something in it; each part is escaped, so that it stays one part.

    Raises ``TrackerError`` for a repository that is not ``owner/name``.
    """
    parts = [*repository.split("/"), *map(str, rest)]
    if repository.count("/") != 1 or not all(parts):
        raise TrackerError(f"{'/'.join(parts)!r} is not something that the tracker can know")
    return "/".join(["/repos", *map(_escaped, parts)])


def json_of(answer: httpx.Response) -> object:
    """Return the document of an answer. Raises ``TrackerError`` when it is none."""
    try:
        document: object = answer.json()
    except ValueError as error:
        message = f"the tracker answered {answer.url.path} with something else than JSON"
        raise TrackerError(message, status=answer.status_code) from error
    return document


def entries_of(answer: httpx.Response) -> list[Fields]:
    """Return the entries of an answer. Raises ``TrackerError`` when it is no list of objects."""
    entries = json_of(answer)
    if not isinstance(entries, list):
        raise TrackerError(f"the tracker answered {answer.url.path} with something else than a list")
    return list(map(Fields.of, entries))


def next_page(answer: httpx.Response) -> Query | None:
    """Return the query of the next page. Only the query is taken, so that a link leads nowhere else."""
    link = answer.links.get("next", {}).get("url")
    return None if link is None else dict(httpx.URL(link).params)


def _escaped(part: str) -> str:
    escaped = quote(part, safe="")
    # Dots are kept by quoting, and a part of dots alone would lead upwards.
    return escaped.replace(".", "%2E") if part in {".", ".."} else escaped
