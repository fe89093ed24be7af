"""From an attempt to an order: its workspace, its prompt, its environment."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from bot.domain.execution import Execution
from bot.domain.permission import Permission
from bot.domain.result import Order
from bot.domain.work import Work
from bot.errors import ExecutorError, PlaybookError, WorkspaceError
from bot.executors.workspace import Workspaces
from bot.host.places import Places
from bot.playbook.playbook import Playbook
from bot.playbook.prompt import Item, OpenPullRequest, Previous, PromptContext, PromptInput, Repository
from bot.playbook.render import render
from bot.storage.contract import Store, Tx
from bot.storage.works import Input
from bot.trackers.contract import Tracker
from webhooks.authority import Authority

IDENTITY = {
    "GIT_AUTHOR_NAME": "Trackside",
    "GIT_AUTHOR_EMAIL": "trackside@localhost",
    "GIT_COMMITTER_NAME": "Trackside",
    "GIT_COMMITTER_EMAIL": "trackside@localhost",
}
"""In whose name a run commits, unless its own settings say otherwise."""


@dataclass(frozen=True, kw_only=True)
class Orders:
    """Prepares what a run needs. ``api`` is the address of the toolbelt, empty when none is served."""

    store: Store
    tracker: Tracker
    workspaces: Workspaces
    places: Places
    authority: Authority
    api: str

    async def make(self, work: Work, execution: Execution, inputs: tuple[Input, ...], token: str) -> Order:
        """
        Return the order of an attempt; its worktree is ready then.

        Raises ``ExecutorError`` when the workspace or the prompt cannot be made, and ``TrackerError``.
        """
        name = await self.places.name(work.scope)
        repository = await self.tracker.repository(name)
        try:
            workspace = await self.workspaces.prepare(
                repository.id, repository.clone_url, work.id, branch=work.branch, base=repository.default_branch
            )
            playbook = Playbook.from_document(_document(execution))
            context = await self._context(work, execution, inputs, Repository(
                full_name=repository.full_name, default_branch=repository.default_branch
            ))
            prompt = render(playbook, context, nonce=secrets.token_hex(16))
        except WorkspaceError as error:
            raise ExecutorError(str(error), code="workspace", permanent=error.permanent) from error
        except PlaybookError as error:
            raise ExecutorError(str(error), code="prompt", permanent=True) from error
        previous = context.previous
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
            environment=IDENTITY,
            previous={} if previous is None else {"status": previous.status, "comment": previous.comment},
        )
