"""What people do, by their login: the Python side of the same functions that REST and the pages use."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from bot.trackers.embedded import comments, labels, moving, pulls, reactions, reviews, threads
from bot.trackers.embedded.act import Act, Desk
from bot.trackers.embedded.announce import find_thread
from bot.trackers.embedded.lines import Remark
from bot.trackers.embedded.merging import Method
from bot.trackers.embedded.pull_desk import PullDesk
from bot.trackers.embedded.pulls import Proposal
from bot.trackers.embedded.repositories import find_by_full_name
from bot.trackers.embedded.values import Comment, Label, Pull, Reaction, Repository, Review, Thread


class Actions:
    """
    Acts as an account: ``by`` is its login, ``repo`` is ``owner/name``.

    What that account may not do raises ``RefusedError`` with GitHub's status, as does what does not exist.
    """

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._pull_desk = PullDesk(desk)

    @asynccontextmanager
    async def _acting(self, repo: str, by: str) -> AsyncIterator[tuple[Act, Repository]]:
        actor = await self._desk.account(by)
        async with self._desk.act(actor) as act:
            yield act, await find_by_full_name(act, repo)

    async def _visit(self, repo: str, by: str) -> Repository:
        actor = await self._desk.account(by)
        async with self._desk.look(actor) as act:
            return await find_by_full_name(act, repo)

    async def open_issue(
        self, repo: str, *, by: str, title: str, body: str | None = None, labels: Sequence[str] = ()
    ) -> Thread:
        """Open an issue. Labels need triage rights, and are dropped without them."""
        async with self._acting(repo, by) as (act, repository):
            return await threads.open_issue(act, repository, title=title, body=body, labels=labels)

    async def edit_issue(
        self, repo: str, number: int, *, by: str, title: str | None = None, body: str | None = None
    ) -> Thread:
        """Change title or text of an issue or pull request; None leaves it."""
        async with self._acting(repo, by) as (act, repository):
            return await threads.edit(act, repository, number, title=title, body=body)

    async def close(self, repo: str, number: int, *, by: str, reason: str = "completed") -> Thread:
        """Close an issue or pull request; ``reason`` is completed, not_planned or duplicate."""
        async with self._acting(repo, by) as (act, repository):
            return await threads.close(act, repository, number, reason=reason)

    async def reopen(self, repo: str, number: int, *, by: str) -> Thread:
        """Open a closed issue or pull request again."""
        async with self._acting(repo, by) as (act, repository):
            return await threads.reopen(act, repository, number)

    async def lock(self, repo: str, number: int, *, by: str, locked: bool = True) -> Thread:
        """Lock a thread against comments, or unlock it."""
        async with self._acting(repo, by) as (act, repository):
            return await threads.lock(act, repository, number, locked=locked)

    async def create_label(
        self, repo: str, name: str, *, by: str, color: str = labels.DEFAULT_COLOR, description: str | None = None
    ) -> Label:
        """Add a label to the repository."""
        async with self._acting(repo, by) as (act, repository):
            return await labels.create(act, repository, name, color=color, description=description)

    async def label(self, repo: str, number: int, *names: str, by: str) -> Thread:
        """Put labels on an issue or pull request, all in one change; new names are made."""
        async with self._acting(repo, by) as (act, repository):
            return await labels.add(act, repository, number, names)

    async def unlabel(self, repo: str, number: int, name: str, *, by: str) -> Thread:
        """Take a label off."""
        async with self._acting(repo, by) as (act, repository):
            return await labels.remove(act, repository, number, name)

    async def comment(self, repo: str, number: int, body: str, *, by: str) -> Comment:
        """Write a comment."""
        async with self._acting(repo, by) as (act, repository):
            return await comments.add(act, repository, number, body)

    async def edit_comment(self, repo: str, comment: int, body: str, *, by: str) -> Comment:
        """Replace the text of the comment with this id."""
        async with self._acting(repo, by) as (act, repository):
            return await comments.edit(act, repository, comment, body)

    async def delete_comment(self, repo: str, comment: int, *, by: str) -> None:
        """Delete the comment with this id."""
        async with self._acting(repo, by) as (act, repository):
            await comments.delete(act, repository, comment)

    async def react(self, repo: str, number: int, content: str, *, by: str) -> Reaction:
        """React to an issue or pull request; ``content`` is GitHub's word, such as ``eyes`` or ``+1``."""
        async with self._acting(repo, by) as (act, repository):
            thread = await find_thread(act, repository, number)
            return (await reactions.add(act, repository, thread, content))[0]

    async def react_to_comment(self, repo: str, comment: int, content: str, *, by: str) -> Reaction:
        """React to the comment with this id."""
        async with self._acting(repo, by) as (act, repository):
            subject = await comments.find(act, repository, comment)
            return (await reactions.add(act, repository, subject, content))[0]

    async def open_pull(
        self,
        repo: str,
        *,
        by: str,
        title: str,
        head: str,
        base: str = "main",
        body: str | None = None,
        draft: bool = False,
    ) -> Thread:
        """Open a pull request from one branch of the repository into another."""
        repository = await self._visit(repo, by)
        proposal = Proposal(title=title, body=body, head_ref=head, base_ref=base, draft=draft)
        return await self._pull_desk.open(await self._desk.account(by), repository, proposal)

    async def ready(self, repo: str, number: int, *, by: str) -> Thread:
        """Say that a draft is ready for review."""
        async with self._acting(repo, by) as (act, repository):
            return await pulls.ready(act, repository, number)

    async def review(
        self,
        repo: str,
        number: int,
        verdict: str,
        body: str = "",
        *,
        by: str,
        commit: str | None = None,
        remarks: Sequence[Remark] = (),
    ) -> Review:
        """Review a pull request: ``APPROVE``, ``REQUEST_CHANGES`` or ``COMMENT``, on its head or on ``commit``."""
        await self._pull_desk.refresh(await self._visit(repo, by))
        async with self._acting(repo, by) as (act, repository):
            return await reviews.submit(act, repository, number, verdict, body, commit=commit, remarks=remarks)

    async def dismiss_review(self, repo: str, number: int, review: int, *, by: str) -> Review:
        """Dismiss the review with this id."""
        async with self._acting(repo, by) as (act, repository):
            return await reviews.dismiss(act, repository, number, review)

    async def merge(self, repo: str, number: int, *, by: str, squash: bool = False) -> Pull:
        """Merge a pull request; issues that its text closes are closed with it."""
        repository = await self._visit(repo, by)
        method = Method.SQUASH if squash else Method.MERGE
        return await self._pull_desk.merge(await self._desk.account(by), repository, number, method=method)

    async def rename(self, repo: str, name: str, *, by: str) -> Repository:
        """Give a repository another name; the former one leads to it."""
        async with self._acting(repo, by) as (act, repository):
            return await moving.rename(act, repository, name)

    async def transfer(self, repo: str, owner: str, *, by: str) -> Repository:
        """Give a repository to another account; the former name leads to it."""
        new = await self._desk.account(owner)
        async with self._acting(repo, by) as (act, repository):
            return await moving.transfer(act, repository, new)
