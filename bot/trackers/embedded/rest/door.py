"""Who asks, for which repository: what every REST route does first."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from starlette.requests import Request

from bot.trackers.embedded import access, people, repositories
from bot.trackers.embedded.access import Access
from bot.trackers.embedded.act import Act, Desk
from bot.trackers.embedded.apps import App
from bot.trackers.embedded.faults import UNAUTHORIZED, RefusedError, forbidden, not_found
from bot.trackers.embedded.pull_desk import PullDesk
from bot.trackers.embedded.rest.assertion import app_of
from bot.trackers.embedded.rest.permits import permit
from bot.trackers.embedded.values import Account, Repository

MAX_INTEGER = 2**63 - 1


def desk(request: Request) -> Desk:
    """Return the desk that opens acts."""
    found: Desk = request.app.state.desk
    return found


def pull_desk(request: Request) -> PullDesk:
    """Return the desk for what needs git."""
    found: PullDesk = request.app.state.pull_desk
    return found


@dataclass(frozen=True, kw_only=True)
class Who:
    """Whose token a request carries, and what the token of an App may do."""

    account: Account
    access: Access | None


def _credentials(request: Request) -> str:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if not token:
        raise RefusedError(UNAUTHORIZED, "Requires authentication")
    if scheme.lower() not in {"bearer", "token"}:
        raise RefusedError(UNAUTHORIZED, "Bad credentials")
    return token.strip()


async def _who(request: Request) -> Who:
    token = _credentials(request)
    now = desk(request).clock.now()
    async with desk(request).store.transaction() as tx:
        account = await people.by_token(tx, token)
        if account is not None:
            return Who(account=account, access=None)
        found = await access.by_token(tx, token, now=now)
    if found is None:
        raise RefusedError(UNAUTHORIZED, "Bad credentials")
    permit(found[1], request.method, request.url.path.removeprefix(request.scope.get("root_path", "")))
    return Who(account=found[0], access=found[1])


async def caller(request: Request) -> Account:
    """Return whose token the request carries. Raises ``RefusedError`` (401, or 403 for what its App may not do)."""
    return (await _who(request)).account


async def calling_app(request: Request) -> App:
    """Return the App that signed the request. Raises ``RefusedError`` (401, 404)."""
    assertion = _credentials(request)
    now = desk(request).clock.now()
    async with desk(request).store.transaction() as tx:
        return await app_of(tx, assertion, now=now)


async def calling_installation(request: Request) -> Access:
    """Return what the token of an App may do. Raises ``RefusedError``: 401, or 403 for the token of a person."""
    who = await _who(request)
    if who.access is None:
        raise forbidden(
            "You must authenticate with an installation access token in order to list repositories for an installation."
        )
    return who.access


async def visit(request: Request) -> tuple[Account, Repository]:
    """Return who asks and the repository of the path. Raises ``RefusedError`` (401, 403, 404)."""
    who = await _who(request)
    async with desk(request).look(who.account) as act:
        return who.account, await _repository(act, who, request)


@asynccontextmanager
async def acting(request: Request) -> AsyncIterator[tuple[Act, Repository]]:
    """Open a transaction in which the caller may change things in the repository of the path."""
    who = await _who(request)
    async with desk(request).act(who.account) as act:
        yield act, await _repository(act, who, request)


@asynccontextmanager
async def looking(request: Request) -> AsyncIterator[tuple[Act, Repository]]:
    """Open a transaction in which the caller reads in the repository of the path."""
    who = await _who(request)
    async with desk(request).look(who.account) as act:
        yield act, await _repository(act, who, request)


@asynccontextmanager
async def looking_afresh(request: Request) -> AsyncIterator[tuple[Act, Repository]]:
    """As ``looking``, after a look at where the branches of pull requests stand now."""
    account, repository = await visit(request)
    await pull_desk(request).refresh(repository)
    async with desk(request).look(account) as act:
        yield act, repository


@asynccontextmanager
async def looking_by_id(request: Request) -> AsyncIterator[tuple[Act, Repository]]:
    """As ``looking``, for a repository whose id is in the path."""
    who = await _who(request)
    async with desk(request).look(who.account) as act:
        yield act, await _reached(act, who, await repositories.find_by_id(act, identity(request, "id")))


async def _repository(act: Act, who: Who, request: Request) -> Repository:
    found = await repositories.find(act, request.path_params["owner"], request.path_params["repo"])
    return await _reached(act, who, found)


async def _reached(act: Act, who: Who, repository: Repository) -> Repository:
    """Return the repository. Raises ``RefusedError`` (404) when the App of the token was not let into it."""
    if who.access is not None and repository not in await access.repositories_of(act.tx, who.access):
        raise not_found()
    return repository


def identity(request: Request, name: str = "number") -> int:
    """Return a number of the path. Raises ``RefusedError`` (404) for one that no database holds."""
    value = int(request.path_params[name])
    if value > MAX_INTEGER:
        raise not_found()
    return value
