"""The embedded tracker as one object: opened, set up, looked into, and served through ``app``."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Self

import httpx
from starlette.types import ASGIApp

from bot.clock import Clock
from bot.trackers.embedded import branches, comments, history, hooks, people, repositories, reviews, teams
from bot.trackers.embedded.act import Act, Desk
from bot.trackers.embedded.actions import Actions
from bot.trackers.embedded.announce import find_pull, find_thread
from bot.trackers.embedded.app import build_app
from bot.trackers.embedded.app_actions import AppActions
from bot.trackers.embedded.check_desk import CheckActions
from bot.trackers.embedded.courier import Courier
from bot.trackers.embedded.faults import RefusedError, invalid
from bot.trackers.embedded.links import Links
from bot.trackers.embedded.store import Store, open_store
from bot.trackers.embedded.values import (
    EVERYTHING,
    AccountKind,
    Comment,
    Delivery,
    HistoryEntry,
    Hook,
    Pull,
    Repository,
    Review,
    Role,
    Thread,
)


class EmbeddedTracker(Actions, AppActions, CheckActions):
    """
    A running tracker.

    ``app`` answers REST and pages. Setting up is done here with the repository owner's authority; what
    people do is in ``Actions``, what owners do with Apps in ``AppActions``.
    """

    def __init__(self, store: Store, links: Links, *, clock: Clock, client: httpx.AsyncClient) -> None:
        super().__init__(Desk(store, clock, links))
        self._links = links
        self._courier = Courier(self._desk, client)
        self.app: ASGIApp = build_app(self._desk, self._pull_desk)

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        database: Path,
        git_root: Path,
        *,
        clock: Clock,
        client: httpx.AsyncClient,
        base_url: str,
        git_over_http: bool = False,
    ) -> AsyncIterator[Self]:
        """
        Open a tracker on a database file and a directory of bare repositories, both made when missing.

        ``client`` sends webhooks and stays the caller's to close. ``base_url`` begins every address, and its
        host is one that requests may name besides the loopback ones. With ``git_over_http`` git is told to clone below
        it with a token, which wants the tracker to be served there.
        """
        links = Links(base=base_url.rstrip("/"), git_root=git_root, git_over_http=git_over_http)
        async with open_store(database) as store:
            yield cls(store, links, clock=clock, client=client)

    async def add_user(self, login: str, name: str | None = None, *, bot: bool = False) -> str:
        """Add an account and return a token for it, which is not kept. Raises ``RefusedError`` (422)."""
        kind = AccountKind.BOT if bot else AccountKind.USER
        now = self._desk.clock.now()
        async with self._desk.store.transaction() as tx:
            account = await people.add(tx, login, name=name, kind=kind, now=now)
            return await people.add_token(tx, account, now=now)

    async def new_token(self, login: str) -> str:
        """Return one more token for an account. Raises ``RefusedError`` (404)."""
        async with self._desk.store.transaction() as tx:
            return await people.add_token(tx, await people.find(tx, login), now=self._desk.clock.now())

    async def create_repository(
        self, owner: str, name: str, files: Mapping[str, str], *, private: bool = False
    ) -> Repository:
        """
        Make a repository with one commit of ``files`` (path to text) on ``main``.

        An ``owner`` that is not an account yet becomes an organisation. In a public repository every
        account may read, open issues and comment. Raises ``RefusedError`` (422).
        """
        now = self._desk.clock.now()
        store = self._desk.store
        async with store.transaction() as tx:
            account = await repositories.owner_account(tx, owner, now)
            await repositories.check_new(tx, account, name)
        directory = self._links.git_root / account.login / f"{name}.git"
        await branches.create(directory, repositories.DEFAULT_BRANCH)
        by = self._pull_desk.signature(account)
        first = branches.Change(files=files, message="Begin", by=by)
        # There is a commit already when an earlier call ended before the row was written.
        parent = (await branches.tips(directory)).get(repositories.DEFAULT_BRANCH)
        await branches.commit(directory, repositories.DEFAULT_BRANCH, first, parent=parent)
        async with store.transaction() as tx:
            return await repositories.insert(tx, account, name, private=private, now=now)

    async def commit(
        self,
        repo: str,
        branch: str,
        files: Mapping[str, str | None],
        *,
        by: str,
        message: str = "Change",
        start: str = repositories.DEFAULT_BRANCH,
    ) -> str:
        """
        Commit files (None deletes one) onto a branch, as if pushed, and return the new tip.

        A branch that does not exist begins at the branch ``start``. Open pull requests notice it at the next
        ``refresh`` or read. Raises ``RefusedError`` (404, 422).
        """
        repository = await self._visit(repo, by)
        directory = self._links.git_path(repository)
        found = await branches.tips(directory)
        account = await self._desk.account(by)
        change = branches.Change(files=files, message=message, by=self._pull_desk.signature(account))
        parent = found.get(branch) or found.get(start)
        if parent is None:
            raise invalid("Commit", "start")
        return await branches.commit(directory, branch, change, parent=parent)

    async def grant(self, repo: str, login: str, permission: str) -> None:
        """
        Give an account ``read``, ``triage``, ``write``, ``maintain`` or ``admin``; ``none`` takes it back.

        Raises ``RefusedError``: 404 for an unknown login, 422 for another word.
        """
        role = next((each for each in Role if each.value == permission), None)
        if role is None:
            raise invalid("Collaborator", "permission")
        async with self._owning(repo) as (act, repository):
            await repositories.grant(act, repository, login, role)

    async def rename_user(self, login: str, new: str) -> None:
        """Give an account another login. Raises ``RefusedError``: 404 for no account, 422 for a login that is taken."""
        async with self._desk.store.transaction() as tx:
            await people.rename(tx, await people.find(tx, login), new)

    async def set_team(self, organization: str, slug: str, *logins: str) -> None:
        """Let exactly these accounts be in a team, which is made when it is not there. Raises ``RefusedError``."""
        async with self._desk.store.transaction() as tx:
            try:
                team = await teams.find(tx, organization, slug)
            except RefusedError:
                team = await teams.add(tx, organization, slug, now=self._desk.clock.now())
            for account in await people.everyone(tx):
                await teams.set_member(tx, team, account.login, member=account.login in logins)

    async def create_hook(
        self, repo: str, url: str, secret: str, *, events: Sequence[str] = hooks.ALL_EVENTS, active: bool = True
    ) -> Hook:
        """Add a webhook and queue its ``ping``. Raises ``RefusedError`` (422)."""
        async with self._owning(repo) as (act, repository):
            return await hooks.create(act, repository, url=url, secret=secret, events=events, active=active)

    async def set_hook_active(self, repo: str, hook: int, *, active: bool) -> Hook:
        """Switch a webhook on or off; while it is off, nothing is queued for it."""
        async with self._owning(repo) as (act, repository):
            return await hooks.set_active(act, repository, hook, active=active)

    async def deliveries(self, repo: str, hook: int) -> tuple[Delivery, ...]:
        """Return the attempted deliveries of a webhook, newest first."""
        async with self._owning(repo) as (act, repository):
            found = await hooks.find(act, repository, hook)
            return await hooks.deliveries(act, found, before=None, limit=EVERYTHING.limit)

    async def redeliver(self, repo: str, hook: int, delivery: int) -> None:
        """Queue a delivery again, with the same guid."""
        async with self._owning(repo) as (act, repository):
            await hooks.redeliver(act, await hooks.find(act, repository, hook), delivery)

    async def deliver_pending(self) -> int:
        """Send all queued deliveries in their order and return how many were sent; failed ones count too."""
        return await self._courier.deliver_pending()

    async def run_deliveries(self) -> None:
        """Send deliveries as they are queued, until cancelled."""
        await self._courier.run()

    async def refresh(self, repo: str) -> int:
        """Look at the branches of open pull requests; return how many heads moved (each is a ``synchronize``)."""
        async with self._owning(repo) as (_, repository):
            pass
        return await self._pull_desk.refresh(repository)

    async def thread(self, repo: str, number: int) -> Thread:
        """Return an issue or pull request as it is now. Raises ``RefusedError`` (404)."""
        async with self._owning(repo) as (act, repository):
            return await find_thread(act, repository, number)

    async def pull(self, repo: str, number: int) -> Pull:
        """Return the pull request side of a thread as it is now. Raises ``RefusedError`` (404)."""
        await self.refresh(repo)
        async with self._owning(repo) as (act, repository):
            return await find_pull(act, await find_thread(act, repository, number))

    async def comments(self, repo: str, number: int) -> tuple[Comment, ...]:
        """Return a thread's comments, oldest first."""
        async with self._owning(repo) as (act, repository):
            return (await comments.of_thread(act, await find_thread(act, repository, number), EVERYTHING)).entries

    async def reviews(self, repo: str, number: int) -> tuple[Review, ...]:
        """Return a pull request's reviews, oldest first."""
        async with self._owning(repo) as (act, repository):
            return (await reviews.reviews_of(act, await find_thread(act, repository, number), EVERYTHING)).entries

    async def history(self, repo: str, number: int) -> tuple[HistoryEntry, ...]:
        """Return a thread's history, oldest first."""
        async with self._owning(repo) as (act, repository):
            return (await history.of_thread(act, await find_thread(act, repository, number), EVERYTHING)).entries

    @asynccontextmanager
    async def _owning(self, repo: str) -> AsyncIterator[tuple[Act, Repository]]:
        async with self._acting(repo, repo.partition("/")[0]) as (act, repository):
            yield act, repository
