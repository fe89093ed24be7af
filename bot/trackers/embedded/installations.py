"""Installations: where an App may act, and what it may do there."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.clock import Millis
from bot.trackers.embedded import apps, people, rows
from bot.trackers.embedded.act import Act
from bot.trackers.embedded.apps import App
from bot.trackers.embedded.faults import invalid, not_found
from bot.trackers.embedded.hooks import queue
from bot.trackers.embedded.shapes.apps import installation_json, named_repository_json
from bot.trackers.embedded.shapes.people import Json, user_json
from bot.trackers.embedded.store import Row, Tx
from bot.trackers.embedded.values import Installation, Listed, Repository, Window


@dataclass(frozen=True, kw_only=True)
class Choice:
    """Which repositories an App gets: those named, or all that the account has and will have (None)."""

    repositories: Sequence[int] | None

    @property
    def word(self) -> str:
        """GitHub's ``repository_selection``."""
        return "all" if self.repositories is None else "selected"


async def install(act: Act, app: App, login: str, choice: Choice) -> Installation:
    """Install an App for an account. Raises ``RefusedError``: 404 for an unknown one, 422 when it is there already."""
    account = await people.find(act.tx, login)
    if await act.tx.one("installation_of_account", app=app.id, login=login) is not None:
        raise invalid("Installation", "account", "already_exists")
    identity = await act.tx.next_id()
    await act.tx.run(
        "installation_insert",
        id=identity,
        app=app.id,
        account=account.id,
        selection=choice.word,
        permissions=json.dumps(app.permissions),
        events=json.dumps(app.events),
        now=act.now,
    )
    for repository in choice.repositories or ():
        await _put(act, identity, repository, account.id)
    installation = await find(act.tx, identity)
    covered = await repositories_of(act.tx, installation)
    await announce(act, installation, "created", {"repositories": _named(covered), "requester": None})
    return installation


async def _put(act: Act, installation: int, repository: int, owner: int) -> Repository:
    row = await act.tx.one("repository_by_id", id=repository)
    if row is None or row["owner"] != owner:
        raise invalid("Installation", "repository_ids")
    await act.tx.run("installation_repository_put", installation=installation, repository=repository)
    return rows.repository(row)


async def find(tx: Tx, identity: int) -> Installation:
    """Return the installation. Raises ``RefusedError`` (404)."""
    return _found(await tx.one("installation_by_id", id=identity))


async def of_account(tx: Tx, app: App, login: str) -> Installation:
    """Return the App's installation for an account. Raises ``RefusedError`` (404)."""
    return _found(await tx.one("installation_of_account", app=app.id, login=login))


async def of_repository(tx: Tx, app: App, repository: int) -> Installation:
    """Return the App's installation that covers a repository. Raises ``RefusedError`` (404)."""
    return _found(await tx.one("installation_of_repository", app=app.id, repository=repository))


async def of_app(tx: Tx, app: App, window: Window) -> Listed[Installation]:
    """Return the installations of an App, oldest first."""
    found = await tx.all("installations_of_app", app=app.id, limit=window.limit, offset=window.offset)
    return rows.listed(found, _read)


async def repositories_of(tx: Tx, installation: Installation) -> tuple[Repository, ...]:
    """Return the repositories that an installation covers."""
    found = await tx.all("covered_repositories", installation=installation.id)
    return tuple(map(rows.repository, found))


async def suspend(act: Act, installation: Installation, *, suspended: bool) -> Installation:
    """Take everything from an App for a while, or give it back; its tokens end, its events stop."""
    await act.tx.run(
        "installation_suspend",
        id=installation.id,
        suspended_at=act.now if suspended else None,
        suspended_by=act.actor.id if suspended else None,
        now=act.now,
    )
    changed = await find(act.tx, installation.id)
    await announce(act, changed, "suspend" if suspended else "unsuspend", await _covering(act, changed))
    return changed


async def remove(act: Act, installation: Installation) -> None:
    """Uninstall an App; its tokens end."""
    told = await _covering(act, installation)
    await announce(act, installation, "deleted", told)
    await act.tx.run("installation_delete", id=installation.id)


async def accept(act: Act, installation: Installation) -> Installation:
    """Give an installation what its App asks for by now."""
    app = await apps.find(act.tx, installation.app_id)
    permissions, events = json.dumps(app.permissions), json.dumps(app.events)
    await act.tx.run("installation_allow", id=installation.id, permissions=permissions, events=events, now=act.now)
    changed = await find(act.tx, installation.id)
    await announce(act, changed, "new_permissions_accepted", await _covering(act, changed))
    return changed


async def covering(tx: Tx, repository: Repository) -> tuple[Installation, ...]:
    """Return the installations of all Apps that cover a repository."""
    return tuple([_read(row) for row in await tx.all("installations_covering", repository=repository.id)])


async def add_repositories(act: Act, installation: Installation, added: Sequence[int]) -> Installation:
    """Let an App into more repositories of the account. Raises ``RefusedError`` (422) for those of others."""
    put = [await _put(act, installation.id, each, installation.account.id) for each in added]
    return await announce_repositories(act, installation, "added", put)


async def remove_repositories(act: Act, installation: Installation, removed: Sequence[int]) -> Installation:
    """Take repositories from an App; one that had all keeps only the rest, as they are now."""
    covered = await repositories_of(act.tx, installation)
    if installation.selection == "all":
        await act.tx.run("installation_select", id=installation.id, selection="selected", now=act.now)
        for each in covered:
            await act.tx.run("installation_repository_put", installation=installation.id, repository=each.id)
    for repository in removed:
        await act.tx.run("installation_repository_delete", installation=installation.id, repository=repository)
    taken = [each for each in covered if each.id in removed]
    return await announce_repositories(act, installation, "removed", taken)


async def take(act: Act, installation: Installation, repository: Repository) -> None:
    """Take a repository that goes to another owner from an App, which keeps all that the account has left."""
    await act.tx.run("installation_repository_delete", installation=installation.id, repository=repository.id)
    await announce_repositories(act, installation, "removed", [repository])


async def announce_repositories(
    act: Act, installation: Installation, action: str, changed_ones: Sequence[Repository]
) -> Installation:
    """Tell the App that repositories were ``added`` or ``removed``, and return the installation as it is now."""
    changed = await find(act.tx, installation.id)
    body: Json = {
        "repository_selection": changed.selection,
        "repositories_added": _named(changed_ones) if action == "added" else [],
        "repositories_removed": _named(changed_ones) if action == "removed" else [],
        "requester": None,
    }
    await announce(act, changed, action, body, event="installation_repositories")
    return changed


async def announce(
    act: Act, installation: Installation, action: str, body: Json, *, event: str = "installation"
) -> None:
    """Tell the App; what happens to its installations it is told without having asked."""
    app = await apps.find(act.tx, installation.app_id)
    hook = await apps.hook_of(act.tx, app)
    if not hook.active:
        return
    payload: Json = {
        "action": action,
        "installation": installation_json(act.links, installation),
        **body,
        "sender": user_json(act.links, act.actor),
    }
    await queue(act, hook, event=event, action=action, payload=json.dumps(payload), installation=installation.id)


async def _covering(act: Act, installation: Installation) -> Json:
    return {"repositories": _named(await repositories_of(act.tx, installation))}


def _named(covered: Sequence[Repository]) -> list[Json]:
    return [named_repository_json(each) for each in covered]


def _found(row: Row | None) -> Installation:
    if row is None:
        raise not_found()
    return _read(row)


def _read(row: Row) -> Installation:
    permissions: Mapping[str, str] = json.loads(row["permissions"])
    return Installation(
        id=row["id"],
        app_id=row["app"],
        app_slug=row["slug"],
        client_id=row["client_id"],
        account=rows.joined(row, "account", "account"),
        selection=row["selection"],
        permissions=permissions,
        events=tuple(json.loads(row["events"])),
        suspended_at=rows.moment(row["suspended_at"]),
        suspended_by=None if row["suspended_by"] is None else rows.joined(row, "suspender", "suspended_by"),
        created_at=Millis(row["created_at"]),
        updated_at=Millis(row["updated_at"]),
    )
