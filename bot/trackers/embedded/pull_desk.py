"""
Pull requests between git and the database.

Git is asked before or after a transaction, never inside one. All of it runs under one lock, so that two
looks at the same branch are recorded in the order in which they were taken.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from bot.trackers.embedded import branches, comparing, merging, pulls
from bot.trackers.embedded.act import Desk
from bot.trackers.embedded.announce import find_pull, find_thread
from bot.trackers.embedded.comparing import ChangedFile
from bot.trackers.embedded.faults import CONFLICT, NOT_ALLOWED, RefusedError, invalid
from bot.trackers.embedded.git import GitError, Signature
from bot.trackers.embedded.merging import Method
from bot.trackers.embedded.pulls import Proposal, Tips
from bot.trackers.embedded.values import Account, Pull, Repository, Thread


class PullDesk:
    """Opens, follows, compares and merges pull requests."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._turn = asyncio.Lock()

    async def refresh(self, repository: Repository) -> int:
        """
        Look at the branches and record those that moved; return how many heads did.

        A push carries no account here, so the pull request's author stands as the sender.
        """
        async with self._turn:
            return await self._refresh(repository)

    async def _refresh(self, repository: Repository) -> int:
        async with self._desk.look(repository.owner) as act:
            open_pulls = await pulls.open_pulls(act, repository)
        if not open_pulls:
            return 0
        found = await branches.tips(self._directory(repository))
        moved = 0
        for pull in open_pulls:
            head, base = found.get(pull.head_ref, pull.head_sha), found.get(pull.base_ref, pull.base_sha)
            if (head, base) != (pull.head_sha, pull.base_sha):
                moved += await self._move(repository, pull, head, base)
        return moved

    async def _move(self, repository: Repository, pull: Pull, head: str, base: str) -> bool:
        tips = await self._tips(repository, head, base)
        await branches.keep(self._directory(repository), pull.number, head)
        async with self._desk.look(repository.owner) as act:
            author = (await find_thread(act, repository, pull.number)).author
        async with self._desk.act(author) as act:
            await pulls.move(act, repository, pull, tips)
        return head != pull.head_sha

    async def _tips(self, repository: Repository, head: str, base: str) -> Tips:
        measure = await comparing.measure(self._directory(repository), base, head)
        return Tips(head_sha=head, base_sha=base, measure=measure)

    async def open(self, actor: Account, repository: Repository, proposal: Proposal) -> Thread:
        """Open a pull request. Raises ``RefusedError`` (403, 422)."""
        async with self._turn:
            found = await branches.tips(self._directory(repository))
            for field, ref in (("head", proposal.head_ref), ("base", proposal.base_ref)):
                if ref not in found:
                    raise invalid("PullRequest", field)
            head, base = found[proposal.head_ref], found[proposal.base_ref]
            if not await comparing.related(self._directory(repository), base, head):
                message = f"The {proposal.head_ref} branch has no history in common with {proposal.base_ref}"
                raise invalid("PullRequest", "head", "custom", message)
            tips = await self._tips(repository, head, base)
            if tips.measure.commits == 0:
                message = f"No commits between {proposal.base_ref} and {proposal.head_ref}"
                raise invalid("PullRequest", "head", "custom", message)
            async with self._desk.act(actor) as act:
                thread = await pulls.create(act, repository, proposal, tips)
            await branches.keep(self._directory(repository), thread.number, head)
            return thread

    async def diff(self, repository: Repository, pull: Pull) -> str:
        """Return the diff of a pull request."""
        return await comparing.diff(self._directory(repository), pull.base_sha, pull.head_sha)

    async def files(self, repository: Repository, pull: Pull) -> tuple[ChangedFile, ...]:
        """Return the files that a pull request changes."""
        return await comparing.changed_files(self._directory(repository), pull.base_sha, pull.head_sha)

    async def merge(
        self,
        actor: Account,
        repository: Repository,
        number: int,
        *,
        method: Method = Method.MERGE,
        expected_head: str | None = None,
        message: str | None = None,
    ) -> Pull:
        """
        Merge a pull request.

        Raises ``RefusedError``: 403, 404, 405 when its state or a conflict forbids it, 409 when a branch moved.
        """
        async with self._turn:
            await self._refresh(repository)
            async with self._desk.look(actor) as act:
                pull = await pulls.check_mergeable(act, repository, number, expected_head)
                thread = await find_thread(act, repository, number)
            sha = await self._merge(actor, repository, pull, method, message or _message(repository, thread, pull))
            async with self._desk.act(actor) as act:
                await pulls.merged(act, repository, pull, sha)
                return await find_pull(act, thread)

    async def _merge(self, actor: Account, repository: Repository, pull: Pull, method: Method, message: str) -> str:
        try:
            sha = await merging.merge(
                self._directory(repository),
                pull.base_ref,
                base=pull.base_sha,
                head=pull.head_sha,
                message=message,
                by=self.signature(actor),
                method=method,
            )
        except GitError as error:
            raise RefusedError(CONFLICT, "Base branch was modified. Review and try the merge again.") from error
        if sha is None:
            raise RefusedError(NOT_ALLOWED, "Pull Request is not mergeable")
        return sha

    def signature(self, actor: Account) -> Signature:
        """Return how commits name an account, now."""
        email = f"{actor.id}+{actor.login}@users.noreply.localhost"
        return Signature(name=actor.name or actor.login, email=email, when=self._desk.clock.now())

    def _directory(self, repository: Repository) -> Path:
        return self._desk.links.git_path(repository)


def _message(repository: Repository, thread: Thread, pull: Pull) -> str:
    source = f"{repository.owner.login}/{pull.head_ref}"
    return f"Merge pull request #{thread.number} from {source}\n\n{thread.title}\n"
