"""The side of a tracker on which the checks of commits stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from bot.errors import TrackerError, TrackerMissingError
from bot.trackers.checks import Check, Maker, MakerKind, Shown
from bot.trackers.contract import Person, PullRequest


@dataclass(frozen=True, kw_only=True)
class Run:
    """A check run that stands there, by ``app``."""

    id: int
    head: str
    shown: Shown
    external: str
    app: int | None

    @property
    def check(self) -> Check:
        maker = None if self.app is None else Maker(MakerKind.APP, self.app)
        name, conclusion = self.shown.name, self.shown.conclusion
        return Check(id=self.id, name=name, conclusion=conclusion, maker=maker, external=self.external)


@dataclass(kw_only=True)
class CheckDesk:
    """
    Knows pull requests by their ``heads``, and what is said of commits.

    ``refuses_checks`` is raised by every check that is written; ``loses`` once a check run was made, as when its answer
    gets lost. ``check_writes`` are all that were written, in order.
    """

    app: int | None = None
    heads: dict[int, str] = field(default_factory=dict)
    refuses_checks: TrackerError | None = None
    loses: TrackerError | None = None
    runs: dict[int, Run] = field(default_factory=dict)
    statuses: dict[tuple[str, str], Shown] = field(default_factory=dict)
    check_refusals: int = 0
    check_writes: list[str] = field(default_factory=list)

    async def pull_request(self, repository: str, number: int) -> PullRequest:
        del repository
        if number not in self.heads:
            raise TrackerMissingError(status=404)
        return PullRequest(
            number=number,
            title="Fix it",
            body="",
            open=True,
            merged=False,
            draft=False,
            head_ref="trackside/42-fix-login",
            head_sha=self.heads[number],
            base_ref="main",
            author=Person(id=9, login="trackside", bot=True),
            url="",
        )

    async def checks(self, repository: str, sha: str) -> Sequence[Check]:
        del repository
        return [each.check for each in self.runs.values() if each.head == sha]

    async def create_check(self, repository: str, sha: str, shown: Shown, *, external: str) -> int:
        del repository
        self._write_check("create", shown, sha)
        identity = 500 + len(self.runs)
        self.runs[identity] = Run(head=sha, shown=shown, id=identity, external=external, app=self.app)
        if self.loses is not None:
            raise self.loses
        return identity

    async def update_check(self, repository: str, check: int, shown: Shown) -> None:
        del repository
        if check not in self.runs:
            raise TrackerMissingError(status=404)
        self._write_check("update", shown, self.runs[check].head)
        self.runs[check] = replace(self.runs[check], shown=shown)

    async def set_status(self, repository: str, sha: str, shown: Shown) -> None:
        del repository
        self._write_check("status", shown, sha)
        self.statuses[sha, shown.name] = shown

    def _write_check(self, how: str, shown: Shown, sha: str) -> None:
        if self.refuses_checks is not None:
            self.check_refusals += 1
            raise self.refuses_checks
        conclusion = "open" if shown.conclusion is None else shown.conclusion.value
        self.check_writes.append(f"{how} {shown.name} {conclusion} {sha}")
