"""Repositories, and who may do what in them."""

from __future__ import annotations

import re

from bot.clock import Millis
from bot.trackers.embedded import people, rows
from bot.trackers.embedded.act import Act
from bot.trackers.embedded.faults import MovedError, forbidden, invalid, not_found
from bot.trackers.embedded.store import Row, Tx
from bot.trackers.embedded.values import Account, AccountKind, Repository, Role

DEFAULT_BRANCH = "main"
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}")


async def check_new(tx: Tx, owner: Account, name: str) -> None:
    """Raise ``RefusedError`` (422) unless ``owner`` may have a new repository of this name."""
    if _NAME.fullmatch(name) is None or name.lower().endswith(".git"):
        raise invalid("Repository", "name")
    if await tx.one("repository_by_name", owner=owner.login, name=name) is not None:
        raise invalid("Repository", "name", "already_exists")


async def insert(tx: Tx, owner: Account, name: str, *, private: bool, now: Millis) -> Repository:
    """Add the row of a repository. Raises ``RefusedError`` (422) for a bad or taken name."""
    await check_new(tx, owner, name)
    identity = await tx.next_id()
    await tx.run(
        "repository_insert",
        id=identity,
        owner=owner.id,
        name=name,
        default_branch=DEFAULT_BRANCH,
        private=private,
        now=now,
    )
    return Repository(
        id=identity,
        owner=owner,
        name=name,
        default_branch=DEFAULT_BRANCH,
        private=private,
        created_at=now,
        open_threads=0,
    )


async def find(act: Act, owner: str, name: str) -> Repository:
    """
    Return the repository.

    Raises ``RefusedError`` (404) when there is none that the actor may see, ``MovedError`` when it had this name.
    """
    row = await act.tx.one("repository_by_name", owner=owner, name=name)
    if row is None:
        former = await act.tx.one("repository_by_former_name", owner=owner, name=name)
        if former is not None:
            moved = await _seen(act, former)
            raise MovedError(moved.id, moved.full_name)
    return await _seen(act, row)


async def by_id(tx: Tx, identity: int) -> Repository:
    """Return the repository with this id, for who may see it. Raises ``RefusedError`` (404)."""
    row = await tx.one("repository_by_id", id=identity)
    if row is None:
        raise not_found()
    return rows.repository(row)


async def find_by_id(act: Act, identity: int) -> Repository:
    """Return the repository with this id, whatever its name is now. Raises ``RefusedError`` (404)."""
    return await _seen(act, await act.tx.one("repository_by_id", id=identity))


async def _seen(act: Act, row: Row | None) -> Repository:
    if row is None:
        raise not_found()
    repository = rows.repository(row)
    if not (await role_of(act, repository, act.actor)).allows(Role.READ):
        raise not_found()
    return repository


async def find_by_full_name(act: Act, full_name: str) -> Repository:
    """Return the repository ``owner/name``. Raises ``RefusedError`` (404)."""
    owner, _, name = full_name.partition("/")
    return await find(act, owner, name)


async def visible(act: Act) -> tuple[Repository, ...]:
    """Return all repositories that the actor may see."""
    found = [rows.repository(row) for row in await act.tx.all("repositories_all")]
    return tuple([each for each in found if (await role_of(act, each, act.actor)).allows(Role.READ)])


async def role_of(act: Act, repository: Repository, account: Account) -> Role:
    """
    Return the role of an account: what it owns or was granted, and reading where the repository is public.

    An App's bot may write where the App is installed; REST narrows that to the permissions of its token.
    """
    if account.id == repository.owner.id:
        return Role.ADMIN
    row = await act.tx.one("grant_of", repository=repository.id, account=account.id)
    if row is not None:
        return Role(row["role"])
    if await act.tx.one("bot_covers", repository=repository.id, account=account.id) is not None:
        return Role.WRITE
    return Role.NONE if repository.private else Role.READ


async def require(act: Act, repository: Repository, needed: Role) -> None:
    """Raise ``RefusedError`` (403) unless the actor has at least this role."""
    if not (await role_of(act, repository, act.actor)).allows(needed):
        raise forbidden(f"Must have {needed.value} rights to Repository.")


async def grant(act: Act, repository: Repository, login: str, role: Role) -> None:
    """Give an account a role; ``NONE`` takes a granted one back. Raises ``RefusedError`` (404) for an unknown login."""
    account = await people.find(act.tx, login)
    if role is Role.NONE:
        await act.tx.run("grant_delete", repository=repository.id, account=account.id)
    else:
        await act.tx.run("grant_put", repository=repository.id, account=account.id, role=role.value)


async def owner_account(tx: Tx, login: str, now: Millis) -> Account:
    """Return the account that is to own a repository; an unknown login becomes an organisation."""
    row = await tx.one("account_by_login", login=login)
    if row is not None:
        return rows.account(row)
    return await people.add(tx, login, name=None, kind=AccountKind.ORGANIZATION, now=now)
