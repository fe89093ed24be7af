"""Where runs work and what they publish, without git: a branch is a name with a head at the tracker."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bot.executors.workspace.workspaces import Source
from bot.ids import WorkId
from bot.publishing.branch import NothingToPublish, PublishedBranch
from tests.simulation.mortal import Life
from tests.simulation.tracker.desk import TrackerDesk


@dataclass(frozen=True, kw_only=True)
class SimulatedWorkspace:
    """A workspace of one host."""

    path: Path
    branch: str
    repository: int
    desk: TrackerDesk
    life: Life


@dataclass(frozen=True, kw_only=True)
class SimulatedWorkspaces:
    """Stands for ``Workspaces``."""

    desk: TrackerDesk
    life: Life

    def workspace(self, source: Source, work: WorkId, branch: str) -> SimulatedWorkspace:
        """Return the workspace of a Work."""
        place = Path("workspaces") / work
        return SimulatedWorkspace(path=place, branch=branch, repository=source.id, desk=self.desk, life=self.life)

    async def prepare(self, source: Source, work: WorkId, branch: str) -> SimulatedWorkspace:
        """Return the workspace of a Work."""
        await self.life.reach("the workspace")
        return self.workspace(source, work, branch)

    async def remove(self, work: WorkId) -> None:
        """Remove the workspace of a Work."""
        await self.life.reach(f"the removal of {work}'s workspace")


async def push_branch(workspace: SimulatedWorkspace, base: str) -> PublishedBranch | NothingToPublish:
    """Stand for ``push_branch``: every run has committed something."""
    del base
    await workspace.life.reach("push")
    desk = workspace.desk
    place = next(each for each in desk.places if each.id == workspace.repository)
    head = desk.push(place, workspace.branch)
    await workspace.life.reach("the answer of push")
    return PublishedBranch(head_sha=head, changed=True, uncommitted=())
