"""A small tracker that has pull requests only: a model of what one does, and of how its answers get lost."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from bot.errors import TrackerError
from bot.trackers.contract import Person, PullRequest
from tests.executors.workspace.repositories import Remote

BOT = Person(id=1, login="trackside[bot]", bot=True)


@dataclass
class PullRequestTracker:
    """
    Pull requests of one repository.

    ``before`` and ``after`` are errors that the next writes end with: before anything is done, or after it is.
    """

    remote: Remote | None = None
    pulls: list[PullRequest] = field(default_factory=list)
    before: list[TrackerError] = field(default_factory=list)
    after: list[TrackerError] = field(default_factory=list)
    writes: int = 0
    someone_opens: bool = False

    async def find_pull_request(self, repository: str, *, head_ref: str) -> PullRequest | None:
        del repository
        found = [pull for pull in self.pulls if pull.head_ref == head_ref]
        return found[-1] if found else None

    async def create_pull_request(
        self, repository: str, *, head_ref: str, base_ref: str, title: str, body: str, draft: bool
    ) -> PullRequest:
        del repository
        self._begin()
        if self.someone_opens:
            self._add(head_ref, base_ref, "By someone", "", draft=False)
        if any(pull.open and pull.head_ref == head_ref for pull in self.pulls):
            raise TrackerError("A pull request already exists", status=422)
        if self.remote is not None and not self.remote.log(head_ref, base_ref):
            raise TrackerError("No commits between them", status=422)
        self._add(head_ref, base_ref, title, body, draft=draft)
        return self._end(self.pulls[-1])

    async def update_pull_request(self, repository: str, number: int, *, title: str, body: str) -> PullRequest:
        del repository
        self._begin()
        self.edit(number, title=title, body=body)
        return self._end(self.pulls[number - 1])

    def edit(self, number: int, *, title: str, body: str) -> None:
        self.pulls[number - 1] = replace(self.pulls[number - 1], title=title, body=body.replace("\n", "\r\n"))

    def end(self, number: int, *, merged: bool) -> None:
        self.pulls[number - 1] = replace(self.pulls[number - 1], open=False, merged=merged)

    def _begin(self) -> None:
        if self.before:
            raise self.before.pop()
        self.writes += 1

    def _end(self, pull: PullRequest) -> PullRequest:
        if self.after:
            raise self.after.pop()
        return pull

    def _add(self, head_ref: str, base_ref: str, title: str, body: str, *, draft: bool) -> None:
        number = len(self.pulls) + 1
        tip = None if self.remote is None else self.remote.tip(head_ref)
        pull = PullRequest(
            number=number,
            title=title,
            body=body.replace("\n", "\r\n"),
            open=True,
            merged=False,
            draft=draft,
            head_ref=head_ref,
            head_sha=tip or "",
            base_ref=base_ref,
            author=BOT,
            url=f"https://tracker.test/acme/shop/pull/{number}",
        )
        self.pulls.append(pull)
