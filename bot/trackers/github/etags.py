"""
Asking only for what has changed.

The tracker gives each answer a tag. Who names the tag of what he has is told that nothing changed, which costs no
quota. A tag holds for the credentials that it was given to (a new token of an installation is answered in full again),
so these are part of the key.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from http import HTTPStatus

import httpx

from bot.trackers.calls import Meter
from bot.trackers.github.credentials import Grant
from bot.trackers.github.wire import Asks, Request

MOST = 16 * 1024 * 1024
"""Bytes of all answers that are kept together."""
LARGE = 1024 * 1024
"""Bytes from which on an answer is not kept."""

_READ_LATER = ("link", "etag")


@dataclass(frozen=True)
class _Kept:
    tag: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Answers:
    """The answers that were used last, by what was asked and by whom."""

    most: int = MOST
    _kept: OrderedDict[str, _Kept] = field(default_factory=OrderedDict)
    _size: int = 0

    def tag(self, key: str) -> str | None:
        """Return the tag of the answer that is kept, if one is."""
        found = self._kept.get(key)
        return None if found is None else found.tag

    def keep(self, key: str, answer: httpx.Response) -> None:
        """Keep an answer in place of the one before, unless it has no tag or is too large."""
        self._drop(key)
        tag = answer.headers.get("etag")
        if tag is None or len(answer.content) > LARGE:
            return
        headers = {name: answer.headers[name] for name in _READ_LATER if name in answer.headers}
        self._kept[key] = _Kept(tag, headers, answer.content)
        self._size += len(answer.content)
        while self._size > self.most:
            self._drop(next(iter(self._kept)))

    def again(self, key: str, unchanged: httpx.Response) -> httpx.Response:
        """Return the answer that is kept, as if it had been sent once more."""
        found = self._kept[key]
        self._kept.move_to_end(key)
        return httpx.Response(HTTPStatus.OK, headers=found.headers, content=found.body, request=unchanged.request)

    def _drop(self, key: str) -> None:
        found = self._kept.pop(key, None)
        if found is not None:
            self._size -= len(found.body)


@dataclass(frozen=True)
class SparingWire:
    """Sends requests, each of them counted; of a reading that is repeated, only what has changed is sent."""

    wire: Asks
    answers: Answers
    meter: Meter

    async def ask(self, request: Request, grant: Grant) -> httpx.Response:
        """Ask. Raises ``CallsSpentError`` too."""
        self.meter.spend()
        if request.method != "GET":
            return await self.wire.ask(request, grant)
        key = _key(request, grant)
        tag = self.answers.tag(key)
        if tag is None:
            answer = await self.wire.ask(request, grant)
        else:
            answer = await self.wire.ask(replace(request, headers={"If-None-Match": tag}), grant)
            if answer.status_code == HTTPStatus.NOT_MODIFIED and self.answers.tag(key) == tag:
                self.meter.give_back()
                return self.answers.again(key, answer)
            if answer.status_code == HTTPStatus.NOT_MODIFIED:
                # Dropped for another one while we asked.
                answer = await self.wire.ask(request, grant)
        self.answers.keep(key, answer)
        return answer


def _key(request: Request, grant: Grant) -> str:
    query = "" if request.query is None else str(httpx.QueryParams(dict(request.query)))
    return hashlib.sha256(f"{request.path}\0{query}\0{grant.header}".encode()).hexdigest()
