"""From an attempt to an order: its workspace and its prompt."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass

from bot.clock import Clock
from bot.domain.admission import Terms
from bot.domain.execution import Execution
from bot.domain.permission import Permission
from bot.domain.result import Order
from bot.domain.scope import repository_id
from bot.domain.work import Starter, Work
from bot.errors import ExecutorError, PlaybookError
from bot.executors.workspace.workspaces import Head, Source, Workspaces
from bot.host.home import Home
from bot.host.places import Places, RepositoryPlace
from bot.playbook.playbook import Playbook
from bot.playbook.prompt import Item, OpenPullRequest, Previous, PromptContext, PromptInput, Repository
from bot.playbook.render import render
from bot.scheduler.budgets import allowance
from bot.storage.contract import Store, Tx
from bot.storage.works import Input
from bot.trackers.contract import Person, PullRequest, Tracker
from bot.trackers.contract import Repository as TrackerRepository
from webhooks.authority import Authority


@dataclass(frozen=True, kw_only=True)
class Orders:
    """
    Prepares what a run needs.

    ``me`` is the account that the bot acts as. ``terms`` are those on which Work of a playbook starts now, ``api`` is
    the address of the toolbelt, empty when none is served.
    """

    store: Store
    tracker: Tracker
    me: Person
    workspaces: Workspaces
    home: Home
    places: Places
    authority: Authority
    terms: Callable[[str], Terms]
    clock: Clock
    api: str

    async def make(self, work: Work, execution: Execution, inputs: tuple[Input, ...], token: str) -> Order:
        """
        Return the order of an attempt; its worktree is ready then.

        Raises ``ExecutorError`` when the workspace or the prompt cannot be made, and ``TrackerError``.
        """
        name = await self.places.name(work.scope)
        repository = await self.tracker.repository(name)
        pull = None if work.pull is None else await self.tracker.pull_request(name, work.pull)
        try:
            source = _source(work, repository, pull)
            if token:
                # A launch: a run that is adopted is at work in its workspace.
                await self._freshen(work, execution, source)
            workspace = await self.workspaces.prepare(source, work.id, work.branch)
            playbook = Playbook.from_document(execution.binding.playbook)
            context = await self._context(
                work,
                execution,
                inputs,
                Repository(full_name=repository.full_name, default_branch=repository.default_branch),
                pull,
            )
            prompt = render(playbook, context, nonce=secrets.token_hex(16))
        except PlaybookError as error:
            raise ExecutorError(str(error), code="prompt", permanent=True) from error
        previous = context.previous
        budgets, now = self.terms(work.playbook).budgets, self.clock.now()
        left = await self.store.read(lambda tx: allowance(tx, work, execution, budgets, now))
        return Order(
            key=f"{execution.id}/{execution.epoch}",
            work=work.id,
            execution=execution.id,
            epoch=execution.epoch,
            attempt=execution.number,
            executor=execution.binding.executor,
            config=execution.binding.config,
            prompt=prompt,
            directory=str(workspace.path),
            timeout=execution.binding.timeout,
            token=token,
            api=self.api,
            previous={} if previous is None else {"status": previous.status, "comment": previous.comment},
            allowance=left,
        )

    async def _freshen(self, work: Work, execution: Execution, source: Source) -> None:
        """
        Remove a workspace that is behind; a new one goes on from where the work stands.

        It is behind when another host had the attempt before, and always when a commit is only looked at: that may be
        another one now, and nothing in it is to be kept.
        """
        if source.head is not None:
            await self.workspaces.remove(work.id)
            return
        attempts = await self.store.read(lambda tx: tx.executions.of_work(work.id))
        before = [each for each in attempts if each.number < execution.number]
        if before and not self.home.keeps(before[-1]):
            await self.workspaces.remove(work.id)

    async def _trust(self, work: Work, repository: str) -> Permission:
        """Return what the author of the text may do."""
        text = work.instructions
        place = RepositoryPlace(id=repository_id(work.scope), full_name=repository)
        return await self.authority.permission(place, Starter(id=text.author_id, login=text.author))

    async def _context(
        self,
        work: Work,
        execution: Execution,
        inputs: tuple[Input, ...],
        repository: Repository,
        pull: PullRequest | None,
    ) -> PromptContext:
        text = work.instructions
        permission = await self._trust(work, repository.full_name)
        looked_at = pull if text.head else None
        # What a run of ours wrote repeats what others wrote, however much its account may do.
        ours = looked_at is not None and looked_at.author.id == self.me.id
        made = None if text.head else pull
        issue = await self.tracker.issue(repository.full_name, work.number)
        return PromptContext(
            item=Item(
                number=work.number,
                # What was approved, not what the issue says by now.
                title=text.title,
                body=text.body,
                url=issue.url,
                kind="pull request" if text.head else "issue",
                author=text.author,
                trusted=permission >= Permission.WRITE and not ours,
                commit=text.head,
                base="" if looked_at is None else looked_at.base_ref,
                fork=looked_at is not None and looked_at.from_fork,
            ),
            repository=repository,
            branch=work.branch,
            attempt=execution.number,
            run=work.run,
            starter=work.starter.login,
            inputs=tuple(
                # Only people who may give input have some queued; a label or a timer says nothing. What checks are
                # called and where they lead is up to who made them, who may be anybody.
                PromptInput(kind=entry.kind, author=entry.author, trusted=bool(entry.author), body=entry.body)
                for entry in inputs
                if entry.body
            ),
            previous=await self.store.read(lambda tx: _previous(tx, work, execution)),
            pull_request=None if made is None else OpenPullRequest(number=made.number, url=made.url),
        )


def _source(work: Work, repository: TrackerRepository, pull: PullRequest | None) -> Source:
    commit = work.instructions.head
    if not commit or pull is None:
        return Source(id=repository.id, url=repository.clone_url, base=repository.default_branch)
    head = Head(number=work.number, commit=commit)
    return Source(id=repository.id, url=repository.clone_url, base=pull.base_ref, head=head)


def _previous(tx: Tx, work: Work, execution: Execution) -> Previous | None:
    """Return how the newest earlier attempt with a word of its own ended."""
    earlier = [each for each in tx.executions.of_work(work.id) if each.number < execution.number]
    for each in reversed(earlier):
        if each.result is not None and each.result.turn is not None:
            return Previous(status=each.result.turn.status, comment=each.result.turn.comment)
    return None
