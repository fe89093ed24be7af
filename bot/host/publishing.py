"""What an attempt made, published and recorded: the branch, then the pull request, then the Work that owns it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from bot.clock import Clock, Millis
from bot.domain.execution import Execution, Fence
from bot.domain.scope import item_key, repository_id
from bot.domain.work import Work
from bot.executors.workspace.workspaces import Source, Workspaces
from bot.host.places import Places, Wanted
from bot.playbook.outcome import Decision
from bot.playbook.playbook import Playbook
from bot.publishing.branch import NothingToPublish
from bot.publishing.publish import Published, publish
from bot.publishing.pull_request import Proposal
from bot.scheduler import brakes, checks
from bot.scheduler.own_pulls import pull_request_opened
from bot.storage.contract import Store, Tx
from bot.trackers.contract import Tracker
from bot.views.attempts import ended_attempts
from projectors.limiters import Limiters
from projectors.pull_request import pull_request_body, pull_request_title
from projectors.safe import Safe

MOST_PATHS = 5


@dataclass(frozen=True, kw_only=True)
class Publisher:
    """Publishes for attempts. Every step finds what an earlier try has done already."""

    store: Store
    clock: Clock
    tracker: Tracker
    workspaces: Workspaces
    places: Places
    wanted: Wanted
    limiters: Limiters
    safe: Safe

    async def publish(self, work: Work, execution: Execution, decision: Decision) -> str:
        """
        Publish what the attempt committed, if it committed anything and the item still asks for it.

        Returns what people should know beside what the run says, empty when there is nothing.

        Raises ``PublishError``, ``TrackerError``, and ``StaleEpochError`` when the attempt is not ours any more.
        """
        playbook = Playbook.from_document(execution.binding.playbook)
        if await self.wanted.current(work, playbook) is None:
            # Its end is on the way by another event; its commits stay in the workspace.
            return ""
        repository = await self.tracker.repository(await self.places.name(work.scope))
        source = Source(id=repository.id, url=repository.clone_url, base=repository.default_branch)
        workspace = self.workspaces.workspace(source, work.id, work.branch)
        before = await self.store.read(lambda tx: tx.executions.of_work(work.id))
        proposal = Proposal(
            repository=repository.full_name,
            head=work.branch,
            base=repository.default_branch,
            title=pull_request_title(work, self.safe),
            body=pull_request_body(work, decision.comment, self.safe, ended_attempts(before)),
        )
        write = partial(self.limiters.of(repository.full_name).write, creates=True)
        published = await publish(proposal, self.tracker, workspace, write)
        if isinstance(published, NothingToPublish):
            return f"Nothing was published: the run committed nothing.{_uncommitted(published.uncommitted)}"
        now = self.clock.now()
        await self.store.write(lambda tx: _record(tx, execution.fence, published, now))
        return _uncommitted(published.uncommitted).strip()


def _uncommitted(paths: tuple[str, ...]) -> str:
    if not paths:
        return ""
    more = f" and {len(paths) - MOST_PATHS} more" if len(paths) > MOST_PATHS else ""
    return f" Changed and not committed: {', '.join(paths[:MOST_PATHS])}{more}."


def _record(tx: Tx, fence: Fence, published: Published, now: Millis) -> None:
    work = brakes.published(tx, fence, published.head_sha, now)
    work = checks.head_published(tx, work, published.head_sha, now)
    number = published.pull_request
    if work.pull_request == number:
        return
    # What is said on the pull request finds the Work too.
    tx.works.add_key(work.id, item_key(repository_id(work.scope), number))
    pull_request_opened(tx, work, number, now)
    tx.works.save(replace(work, pull_request=number), now)
