"""The tracker as a host reaches it: over a network that fails, for a process that may die."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from bot.clock import MINUTE, Millis
from bot.domain.permission import Permission
from bot.errors import RateLimitedError, TrackerError, TrackerMissingError, TrackerUnavailableError
from bot.trackers.calls import Meter
from bot.trackers.checks import Check, Shown
from bot.trackers.contract import (
    Comment,
    Issue,
    IssueEvent,
    LineComment,
    Person,
    PullRequest,
    Reaction,
    Repository,
    Review,
)
from bot.trackers.deliveries import Attempt
from tests.simulation.mortal import Harm, Life
from tests.simulation.tracker.desk import TrackerDesk
from tests.simulation.tracker.state import BOT, PEOPLE, Item, Place

T = TypeVar("T")


@dataclass(kw_only=True)
class Network:
    """What lies between the tracker and everybody; while it is ``down`` nothing gets through."""

    down: bool = False


@dataclass(frozen=True, kw_only=True)
class TrackerDoor:
    """A ``Tracker``. Every method is a boundary before its effect and one after it."""

    desk: TrackerDesk
    life: Life
    network: Network

    async def me(self) -> Person:
        return BOT

    async def git_token(self, repository: str) -> str:
        return await self._read("git_token", lambda: f"a token for {self._place(repository).name}")

    @property
    def hidden(self) -> frozenset[str]:
        return frozenset()

    def sparing(self, meter: Meter) -> TrackerDoor:
        del meter
        return self

    async def repository(self, full_name: str) -> Repository:
        return await self._read("repository", lambda: self._place(full_name).repository())

    async def issue(self, repository: str, number: int) -> Issue:
        return await self._read("issue", lambda: self._item(repository, number).issue(repository))

    async def issues(self, repository: str, *, label: str) -> Sequence[Issue]:
        def find() -> list[Issue]:
            found = self._place(repository).issues()
            return [item.issue(repository) for item in found if item.open and label in item.labels]

        return await self._read("issues", find)

    async def issues_since(self, repository: str, since: Millis) -> Sequence[Issue]:
        def find() -> list[Issue]:
            found = [item.issue(repository) for item in self._place(repository).threads()]
            return sorted((each for each in found if each.updated_at >= since), key=lambda each: each.updated_at)

        return await self._read("issues_since", find)

    async def issue_events(self, repository: str, number: int, *, after: int = 0) -> Sequence[IssueEvent]:
        return await self._read(
            "issue_events", lambda: [each for each in self._item(repository, number).events if each.id > after]
        )

    async def comments(self, repository: str, number: int) -> Sequence[Comment]:
        return await self._read("comments", lambda: list(self._item(repository, number).comments))

    async def comment(self, repository: str, comment: int) -> Comment:
        return await self._read("comment", lambda: self._comment(repository, comment))

    async def comments_since(self, repository: str, since: Millis) -> Sequence[Comment]:
        def find() -> list[Comment]:
            found = [each for item in self._place(repository).threads() for each in item.comments]
            return sorted((each for each in found if each.updated_at >= since), key=lambda each: each.updated_at)

        return await self._read("comments_since", find)

    async def reviews(self, repository: str, number: int) -> Sequence[Review]:
        return await self._read("reviews", lambda: list(self._place(repository).pulls[number].reviews))

    async def line_comments(self, repository: str, number: int, review: int) -> Sequence[LineComment]:
        lines = self._place(repository).pulls[number].lines
        return await self._read("line_comments", lambda: list(lines.get(review, ())))

    async def pull_request(self, repository: str, number: int) -> PullRequest:
        def find() -> PullRequest:
            self._item(repository, number)
            return self._place(repository).pulls[number].pull_request(repository)

        return await self._read("pull_request", find)

    async def diff(self, repository: str, number: int) -> bytes | None:
        del repository, number
        return await self._read("diff", lambda: None)

    async def find_pull_request(self, repository: str, *, head_ref: str) -> PullRequest | None:
        def find() -> PullRequest | None:
            pulls = [pull for pull in self._place(repository).pulls.values() if pull.head_ref == head_ref]
            return pulls[-1].pull_request(repository) if pulls else None

        return await self._read("find_pull_request", find)

    async def permission(self, repository: str, login: str, *, account: int | None = None) -> Permission:
        del repository, account
        return await self._read("permission", lambda: self.desk.permission(login))

    async def account_of(self, login: str) -> int | None:
        ids = {each.person.login: each.person.id for each in PEOPLE}
        return await self._read("account_of", lambda: ids.get(login))

    async def create_comment(self, repository: str, number: int, body: str) -> Comment:
        return await self._write(
            "create_comment",
            lambda: self.desk.comment(self._place(repository), self._item(repository, number), BOT, body),
        )

    async def update_comment(self, repository: str, comment: int, body: str) -> None:
        def change() -> None:
            self.desk.rewrite(self._place(repository), self._comment(repository, comment), body)

        await self._write("update_comment", change)

    async def ensure_label(self, repository: str, name: str, *, color: str, description: str) -> None:
        del color, description
        place = self._place(repository)
        await self._write("ensure_label", lambda: place.labels.setdefault(name), counts=name not in place.labels)

    async def add_labels(self, repository: str, number: int, names: Sequence[str]) -> None:
        def change() -> None:
            for name in names:
                self.desk.label(self._place(repository), self._item(repository, number), BOT, name)

        await self._write("add_labels", change)

    async def remove_label(self, repository: str, number: int, name: str) -> None:
        def change() -> None:
            self.desk.unlabel(self._place(repository), self._item(repository, number), BOT, name)

        await self._write("remove_label", change)

    async def react_to_issue(self, repository: str, number: int, reaction: Reaction) -> None:
        del reaction
        await self._write("react_to_issue", lambda: self._item(repository, number))

    async def react_to_comment(self, repository: str, comment: int, reaction: Reaction) -> None:
        del reaction
        await self._write("react_to_comment", lambda: self._comment(repository, comment))

    async def create_pull_request(
        self, repository: str, *, head_ref: str, base_ref: str, title: str, body: str, draft: bool
    ) -> PullRequest:
        del base_ref, draft
        return await self._write(
            "create_pull_request",
            lambda: self.desk.open_pull(self._place(repository), BOT, head_ref, title, body),
        )

    async def update_pull_request(self, repository: str, number: int, *, title: str, body: str) -> PullRequest:
        def change() -> PullRequest:
            place = self._place(repository)
            self.desk.edit(place, self._item(repository, number), title=title, body=body)
            return place.pulls[number].pull_request(repository)

        return await self._write("update_pull_request", change)

    async def checks(self, repository: str, sha: str) -> Sequence[Check]:
        return await self._read("checks", lambda: list(self._place(repository).checks.get(sha, ())))

    @property
    def app(self) -> int | None:
        return None

    async def create_check(self, repository: str, sha: str, shown: Shown, *, external: str) -> int:
        return await self._write("create_check", lambda: self._place(repository).check(sha, shown, external=external))

    async def update_check(self, repository: str, check: int, shown: Shown) -> None:
        def change() -> None:
            place = self._place(repository)
            shas = [sha for sha, checks in place.checks.items() if any(each.id == check for each in checks)]
            if not shas:
                raise TrackerMissingError("there is no such check", status=404)
            place.check(shas[0], shown, check=check)

        await self._write("update_check", change)

    async def set_status(self, repository: str, sha: str, shown: Shown) -> None:
        def change() -> None:
            place = self._place(repository)
            before = next((each.id for each in place.checks.get(sha, ()) if each.name == shown.name), None)
            place.check(sha, shown, check=before)

        await self._write("set_status", change)

    async def assign(self, repository: str, number: int, login: str) -> bool:
        del repository, number, login
        # Nobody asks for it here.
        raise TrackerError("forbidden", status=403)

    async def unassign(self, repository: str, number: int, login: str) -> None:
        await self.assign(repository, number, login)

    async def attempts(self, since: Millis, *, after: int = 0) -> Sequence[Attempt]:
        del since, after
        return await self._read("attempts", list)

    async def redeliver(self, attempt: int) -> None:
        del attempt

        def see() -> None:
            raise TrackerMissingError("there is no App", status=404)

        await self._read("redeliver", see)

    async def in_team(self, team: str, login: str) -> bool:
        del login

        def see() -> bool:
            raise TrackerError(f"there is no team {team} that the bot may see", status=404)

        return await self._read("in_team", see)

    async def _read(self, name: str, answer: Callable[[], T]) -> T:
        await self._before(name, Harm.UNAVAILABLE, Harm.LIMITED)
        value = answer()
        await self.life.reach(f"the answer of {name}")
        return value

    async def _write(self, name: str, change: Callable[[], T], *, counts: bool = True) -> T:
        await self._before(name, Harm.UNAVAILABLE, Harm.LIMITED, Harm.REFUSED)
        value = change()
        self.desk.writes += counts
        await self.life.reach(f"the answer of {name}")
        if self.life.fate.strikes(name, Harm.LOST_ANSWER) is not Harm.NONE:
            self.life.tell("lost answer", f"loses the answer of {name}")
            raise TrackerUnavailableError("the answer was lost")
        return value

    async def _before(self, name: str, *harms: Harm) -> None:
        await self.life.reach(name)
        harm = self.life.fate.strikes(name, *harms)
        if harm is not Harm.NONE:
            self.life.tell(harm.name.lower(), f"{harm.value} for {name}")
        if harm is Harm.UNAVAILABLE or self.network.down:
            raise TrackerUnavailableError("the tracker cannot be reached")
        if harm is Harm.LIMITED:
            raise RateLimitedError("slow down", status=429, retry_after=MINUTE)
        if harm is Harm.REFUSED:
            raise TrackerError("forbidden", status=403)

    def _place(self, full_name: str) -> Place:
        place = self.desk.place(full_name)
        if place is None:
            raise TrackerMissingError("there is no such repository", status=404)
        return place

    def _item(self, repository: str, number: int) -> Item:
        item = self._place(repository).items.get(number)
        if item is None or item.gone:
            raise TrackerMissingError("there is no such issue", status=404)
        return item

    def _comment(self, repository: str, comment: int) -> Comment:
        for item in self._place(repository).threads():
            for each in item.comments:
                if each.id == comment:
                    return each
        raise TrackerMissingError("there is no such comment", status=404)
