"""Repositories that get another name or another owner, and where their former names lead."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bot.trackers.embedded import installations, repositories
from bot.trackers.embedded.act import Act
from bot.trackers.embedded.hooks import emit
from bot.trackers.embedded.shapes.people import Json, organization_json, user_json
from bot.trackers.embedded.values import Account, AccountKind, Installation, Repository, Role


async def rename(act: Act, repository: Repository, name: str) -> Repository:
    """Give a repository another name. Raises ``RefusedError``: 403, 422 for a bad or taken name."""
    await repositories.require(act, repository, Role.ADMIN)
    await repositories.check_new(act.tx, repository.owner, name)
    moved = await _move(act, repository, repository.owner, name)
    changes: Json = {"repository": {"name": {"from": repository.name}}}
    await emit(act, moved, "repository", "renamed", {"changes": changes})
    return moved


async def transfer(act: Act, repository: Repository, owner: Account) -> Repository:
    """
    Give a repository to another owner; Apps that the former one let in lose it, those that have all of the new gain it.

    Raises ``RefusedError``: 403, 422 where the new owner has one of this name.
    """
    await repositories.require(act, repository, Role.ADMIN)
    await repositories.check_new(act.tx, owner, repository.name)
    lost = await installations.covering(act.tx, repository)
    for installation in lost:
        await installations.take(act, installation, repository)
    moved = await _move(act, repository, owner, repository.name)
    changes: Json = {"owner": {"from": _former(act, repository.owner)}}
    await emit(act, moved, "repository", "transferred", {"changes": changes})
    await _tell(act, moved, await installations.covering(act.tx, moved))
    return moved


def _former(act: Act, owner: Account) -> Json:
    if owner.kind is AccountKind.ORGANIZATION:
        return {"organization": organization_json(act.links, owner)}
    return {"user": user_json(act.links, owner)}


async def _tell(act: Act, repository: Repository, gained: Sequence[Installation]) -> None:
    for installation in gained:
        await installations.announce_repositories(act, installation, "added", [repository])


async def _move(act: Act, repository: Repository, owner: Account, name: str) -> Repository:
    await act.tx.run("former_name_put", owner=repository.owner.id, name=repository.name, repository=repository.id)
    await act.tx.run("repository_move", id=repository.id, owner=owner.id, name=name)
    moved = await repositories.by_id(act.tx, repository.id)
    _move_directory(act.links.git_path(repository), act.links.git_path(moved))
    return moved


def _move_directory(source: Path, target: Path) -> None:
    # The last step of the change: one call that is done or not, so that no lock of the database waits for a program.
    target.parent.mkdir(parents=True, exist_ok=True)
    source.rename(target)
