"""
What is said of commits, between git and the database.

Whether there is such a commit is asked of git before a transaction, never inside one.
"""

from __future__ import annotations

from bot.trackers.embedded import check_runs, commits, statuses
from bot.trackers.embedded.act import Desk
from bot.trackers.embedded.check_runs import Report
from bot.trackers.embedded.check_values import CheckRun, Claim, Status
from bot.trackers.embedded.commits import Commit
from bot.trackers.embedded.repositories import find_by_full_name
from bot.trackers.embedded.values import EVERYTHING, Account, Repository


async def commit_at(desk: Desk, repository: Repository, ref: str) -> Commit:
    """Return the commit that a ref leads to. Raises ``RefusedError`` (422)."""
    return await commits.describe(desk.links.git_path(repository), ref)


class CheckActions:
    """What a continuous integration says, by the login that it has: the Python side of what REST offers."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def report_status(
        self, repo: str, sha: str, state: str, *, by: str, context: str = "default", description: str | None = None
    ) -> Status:
        """Set a status: ``pending``, ``success``, ``failure`` or ``error``. Raises ``RefusedError``."""
        actor, repository, commit = await self._commit(repo, sha, by)
        async with self._desk.act(actor) as act:
            claim = Claim(state=state, context=context, description=description)
            return await statuses.report(act, repository, commit, claim)

    async def report_check(self, repo: str, sha: str, name: str, conclusion: str | None = None, *, by: str) -> CheckRun:
        """
        Add a check run as an App, by the login of its bot: ended with ``conclusion``, or begun when that is None.

        Raises ``RefusedError``.
        """
        actor, repository, commit = await self._commit(repo, sha, by)
        report = Report(name=name, conclusion=conclusion, status="in_progress" if conclusion is None else None)
        async with self._desk.act(actor) as act:
            return await check_runs.create(act, repository, commit, report)

    async def end_check(self, repo: str, run: int, conclusion: str, *, by: str) -> CheckRun:
        """End a check run, or end it otherwise. Raises ``RefusedError``."""
        actor = await self._desk.account(by)
        async with self._desk.act(actor) as act:
            repository = await find_by_full_name(act, repo)
            return await check_runs.update(act, repository, run, Report(conclusion=conclusion))

    async def check_runs(self, repo: str, sha: str) -> tuple[CheckRun, ...]:
        """Return the latest check runs of a commit, newest first."""
        actor = await self._desk.account(repo.partition("/")[0])
        async with self._desk.look(actor) as act:
            repository = await find_by_full_name(act, repo)
            return (await check_runs.of_commit(act, repository, sha, check_runs.Filter(), EVERYTHING)).entries

    async def statuses(self, repo: str, sha: str) -> tuple[Status, ...]:
        """Return the last status of each context of a commit."""
        actor = await self._desk.account(repo.partition("/")[0])
        async with self._desk.look(actor) as act:
            return await statuses.latest(act, await find_by_full_name(act, repo), sha)

    async def _commit(self, repo: str, sha: str, by: str) -> tuple[Account, Repository, Commit]:
        actor = await self._desk.account(by)
        async with self._desk.look(actor) as act:
            repository = await find_by_full_name(act, repo)
        return actor, repository, await commit_at(self._desk, repository, sha)
