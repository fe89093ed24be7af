"""
The credentials of an App: a token for each installation, minted when it is needed and kept in memory only.

A token that has less than five minutes left is not used any more, whichever clock says so: the one that tells the time
may be set back, and the one that only counts may stand still while the machine sleeps (gh-K-02). Each installation is
minted for by itself, one request at a time.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from http import HTTPStatus

from bot.clock import MINUTE, Clock, Millis
from bot.errors import TrackerError, TrackerMissingError, TrackerUnavailableError
from bot.trackers.github.app_key import AppKey
from bot.trackers.github.client import Client
from bot.trackers.github.credentials import Grant, is_about_app, is_repository, owner_of, repository_of
from bot.trackers.github.fields import Fields
from bot.trackers.github.installations import Installation, Installations, suspended

MARGIN = 5 * MINUTE
"""Milliseconds that a token must still have for a request."""
REMEMBERED = 3
"""Tokens of an installation that are kept from sight, with the one in use: an earlier one may work for a while."""

_SCHEME = "token "


@dataclass(frozen=True, kw_only=True)
class _Token:
    """A token that ``lasts`` milliseconds from when it was minted, by either clock."""

    value: str = field(repr=False)
    lasts: int
    at: Millis
    age: int

    def usable(self, now: Millis, age: int) -> bool:
        """Return whether it has enough left."""
        return all(elapsed < self.lasts - MARGIN for elapsed in (now - self.at, age - self.age))


class AppCredentials:
    """
    See ``BotCredentials`` for what each method promises.

    ``client`` asks as the App itself, by ``key``. ``age`` returns milliseconds on a clock that nobody sets.
    """

    def __init__(self, client: Client, key: AppKey, clock: Clock, age: Callable[[], int]) -> None:
        self._client = client
        self._key = key
        self._clock = clock
        self._age = age
        self._installations = Installations(client)
        self._tokens: defaultdict[int, deque[_Token]] = defaultdict(lambda: deque(maxlen=REMEMBERED))
        # Replaced as a whole: texts are made in threads, which read it at any moment.
        self._hidden: frozenset[str] = frozenset()
        self._turns: defaultdict[int, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def grant(self, path: str) -> Grant:
        """Return the App's own statement for what is about it, else the token of the installation that it is for."""
        if is_about_app(path):
            return await self._key.grant(path)
        installation = await self._installation(path)
        try:
            token = await self._token(installation)
        except TrackerMissingError:
            # It may have been installed anew, and is another one then.
            installation = await self._installation(path)
            token = await self._token(installation)
        return Grant(_SCHEME + token, whose=installation.owner.lower())

    async def renewed(self, path: str, refused: Grant, status: int) -> Grant | None:
        """Return a new token for one that was refused, or that of another installation that a repository came to."""
        if is_about_app(path):
            return await self._key.renewed(path, refused, status)
        if status == HTTPStatus.UNAUTHORIZED:
            self._void(refused)
        elif status == HTTPStatus.NOT_FOUND and is_repository(path):
            self._installations.forget_repository(repository_of(path) or "")
        else:
            return None
        fresh = await self.grant(path)
        return None if fresh == refused else fresh

    async def account(self) -> str:
        """Return the path of the account that the tracker made for the App."""
        slug = (await self._client.get("/app")).text("slug")
        return f"/users/{slug}%5Bbot%5D"

    async def git_token(self, repository: str) -> str:
        """Return the token of the installation that a repository belongs to."""
        return (await self.grant(f"/repos/{repository}")).header.removeprefix(_SCHEME)

    @property
    def app(self) -> int | None:
        """The App's id."""
        return self._key.id

    @property
    def hidden(self) -> frozenset[str]:
        """The latest tokens of each installation."""
        return self._hidden

    async def _installation(self, path: str) -> Installation:
        repository = repository_of(path)
        if repository is not None:
            return await self._installations.of_repository(repository)
        return await self._installations.of_owner(owner_of(path))

    async def _token(self, installation: Installation) -> str:
        async with self._turns[installation.id]:
            tokens = self._tokens[installation.id]
            if tokens and tokens[-1].usable(self._clock.now(), self._age()):
                return tokens[-1].value
            # Before it is asked for: what the way takes counts as used up.
            at, age = self._clock.now(), self._age()
            answer = await self._asked(installation)
            lasts = answer.moment("expires_at") - self._key.time.now()
            tokens.append(_Token(value=answer.text("token"), lasts=lasts, at=at, age=age))
            self._hidden = frozenset(each.value for kept in self._tokens.values() for each in kept)
            return tokens[-1].value

    async def _asked(self, installation: Installation) -> Fields:
        path = f"/app/installations/{installation.id}/access_tokens"
        try:
            return await self._client.send("POST", path, {})
        except TrackerUnavailableError:
            raise
        except TrackerMissingError as error:
            self._installations.forget(installation)
            message = f"the App is not installed on {installation.owner} any more"
            raise TrackerMissingError(message, status=error.status) from error
        except TrackerError as error:
            if error.status == HTTPStatus.FORBIDDEN and "suspended" in str(error):
                self._installations.forget(installation)
                raise suspended(installation.owner) from error
            message = f"there is no token for the App's installation on {installation.owner}: {error}"
            raise TrackerError(message, status=error.status) from error

    def _void(self, refused: Grant) -> None:
        """Use a token no more that was refused. One that was minted meanwhile stays."""
        for tokens in self._tokens.values():
            if tokens and _SCHEME + tokens[-1].value == refused.header:
                tokens[-1] = replace(tokens[-1], lasts=0)
