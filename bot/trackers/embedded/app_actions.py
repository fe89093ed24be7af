"""What owners do with Apps, by their login: the Python side of what the pages do."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager

from bot.trackers.embedded import apps, hooks, installations, repositories
from bot.trackers.embedded.act import Act, Desk
from bot.trackers.embedded.apps import App, Keys, Manifest
from bot.trackers.embedded.installations import Choice
from bot.trackers.embedded.values import EVERYTHING, Delivery, Installation


class AppActions:
    """Acts on Apps with the authority of whoever owns them or lets them in."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def add_app(self, owner: str, manifest: Manifest, *, pem: str | None = None) -> tuple[App, Keys]:
        """
        Register an App and exchange its code at once; ``pem`` is its private key, made when it is None.

        Raises ``RefusedError``: 404 for an unknown owner, 422 for a name that is taken.
        """
        key = apps.new_key() if pem is None else pem
        account = await self._desk.account(owner)
        async with self._desk.act(account) as act:
            _, code = await apps.register(act, account, manifest)
            return await apps.exchange(act.tx, code, key, now=act.now)

    async def install(self, slug: str, account: str, repositories: Sequence[str] | None = None) -> Installation:
        """Let an App into all repositories of an account, or into those of these full names."""
        async with self._desk.act(await self._desk.account(account)) as act:
            app = await apps.find_by_slug(act.tx, slug)
            chosen = None if repositories is None else await _ids(act, repositories)
            return await installations.install(act, app, account, Choice(repositories=chosen))

    async def suspend(self, installation: int, *, suspended: bool = True) -> Installation:
        """Suspend an installation, or go on with it."""
        async with self._of(installation) as (act, found):
            return await installations.suspend(act, found, suspended=suspended)

    async def uninstall(self, installation: int) -> None:
        """Take an App out of an account."""
        async with self._of(installation) as (act, found):
            await installations.remove(act, found)

    async def add_to_installation(self, installation: int, *names: str) -> Installation:
        """Let an App into more repositories of the account."""
        async with self._of(installation) as (act, found):
            return await installations.add_repositories(act, found, await _ids(act, names))

    async def remove_from_installation(self, installation: int, *names: str) -> Installation:
        """Take repositories from an App."""
        async with self._of(installation) as (act, found):
            return await installations.remove_repositories(act, found, await _ids(act, names))

    async def ask_for(self, slug: str, permissions: Mapping[str, str], events: Sequence[str]) -> App:
        """Change what an App asks for; installations have it once ``accept`` is called for them."""
        async with self._desk.store.transaction() as tx:
            app = await apps.find_by_slug(tx, slug)
        async with self._desk.act(app.owner) as act:
            return await apps.allow(act, app, permissions, events)

    async def accept(self, installation: int) -> Installation:
        """Grant an installation what its App asks for by now."""
        async with self._of(installation) as (act, found):
            return await installations.accept(act, found)

    async def app_deliveries(self, slug: str) -> tuple[Delivery, ...]:
        """Return the attempted deliveries of an App's webhook, newest first."""
        async with self._desk.store.transaction() as tx:
            app = await apps.find_by_slug(tx, slug)
        async with self._desk.look(app.owner) as act:
            hook = await apps.hook_of(act.tx, app)
            return await hooks.deliveries(act, hook, before=None, limit=EVERYTHING.limit)

    @asynccontextmanager
    async def _of(self, installation: int) -> AsyncIterator[tuple[Act, Installation]]:
        async with self._desk.store.transaction() as tx:
            account = (await installations.find(tx, installation)).account
        async with self._desk.act(account) as act:
            yield act, await installations.find(act.tx, installation)


async def _ids(act: Act, names: Sequence[str]) -> list[int]:
    return [(await repositories.find_by_full_name(act, name)).id for name in names]
