"""Who asks, for which repository: what every REST route does first."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.requests import Request

from bot.trackers.embedded import people, repositories
from bot.trackers.embedded.act import Act, Desk
from bot.trackers.embedded.faults import UNAUTHORIZED, RefusedError, not_found
from bot.trackers.embedded.pull_desk import PullDesk
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


async def caller(request: Request) -> Account:
    """Return whose token the request carries. Raises ``RefusedError`` (401)."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if not token:
        raise RefusedError(UNAUTHORIZED, "Requires authentication")
    async with desk(request).store.transaction() as tx:
        account = await people.by_token(tx, token.strip())
    if account is None or scheme.lower() not in {"bearer", "token"}:
        raise RefusedError(UNAUTHORIZED, "Bad credentials")
    return account


async def visit(request: Request) -> tuple[Account, Repository]:
    """Return who asks and the repository of the path. Raises ``RefusedError`` (401, 404)."""
    account = await caller(request)
    async with desk(request).look(account) as act:
        return account, await _repository(act, request)


@asynccontextmanager
async def acting(request: Request) -> AsyncIterator[tuple[Act, Repository]]:
    """Open a transaction in which the caller may change things in the repository of the path."""
    account = await caller(request)
    async with desk(request).act(account) as act:
        yield act, await _repository(act, request)


@asynccontextmanager
async def looking(request: Request) -> AsyncIterator[tuple[Act, Repository]]:
    """Open a transaction in which the caller reads in the repository of the path."""
    account = await caller(request)
    async with desk(request).look(account) as act:
        yield act, await _repository(act, request)


@asynccontextmanager
async def looking_afresh(request: Request) -> AsyncIterator[tuple[Act, Repository]]:
    """As ``looking``, after a look at where the branches of pull requests stand now."""
    account, repository = await visit(request)
    await pull_desk(request).refresh(repository)
    async with desk(request).look(account) as act:
        yield act, repository


async def _repository(act: Act, request: Request) -> Repository:
    return await repositories.find(act, request.path_params["owner"], request.path_params["repo"])


def identity(request: Request, name: str = "number") -> int:
    """Return a number of the path. Raises ``RefusedError`` (404) for one that no database holds."""
    value = int(request.path_params[name])
    if value > MAX_INTEGER:
        raise not_found()
    return value
