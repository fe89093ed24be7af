"""The tracker as it is: repositories with their issues, pull requests and threads. Values that are changed in place."""

from __future__ import annotations

from dataclasses import dataclass, field

from bot.clock import Millis
from bot.domain.permission import Permission
from bot.trackers.checks import Check, Maker, MakerKind, Shown
from bot.trackers.contract import Comment, Issue, IssueEvent, LineComment, Person, PullRequest, Repository, Review

BASE = "main"


@dataclass(kw_only=True)
class Item:
    """An issue, or the issue side of a pull request. ``gone`` is one that was deleted or moved elsewhere."""

    number: int
    title: str
    body: str
    author: Person
    updated_at: Millis
    is_pull_request: bool = False
    open: bool = True
    gone: bool = False
    labels: list[str] = field(default_factory=list)
    events: list[IssueEvent] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)

    def issue(self, place: str) -> Issue:
        """Return it as the bot reads it; ``place`` is the repository's full name."""
        return Issue(
            number=self.number,
            title=self.title,
            body=self.body,
            open=self.open,
            locked=False,
            labels=tuple(self.labels),
            author=self.author,
            is_pull_request=self.is_pull_request,
            updated_at=self.updated_at,
            url=f"https://tracker.test/{place}/issues/{self.number}",
        )


@dataclass(kw_only=True)
class Pull:
    """The other side of a pull request. ``lines`` are what reviews say of lines, by the review's id."""

    item: Item
    head_ref: str
    head_sha: str
    merged: bool = False
    reviews: list[Review] = field(default_factory=list)
    lines: dict[int, list[LineComment]] = field(default_factory=dict)

    def pull_request(self, place: str) -> PullRequest:
        """Return it as the bot reads it."""
        return PullRequest(
            number=self.item.number,
            title=self.item.title,
            body=self.item.body,
            open=self.item.open,
            merged=self.merged,
            draft=False,
            head_ref=self.head_ref,
            head_sha=self.head_sha,
            base_ref=BASE,
            author=self.item.author,
            url=f"https://tracker.test/{place}/pull/{self.item.number}",
        )


@dataclass(kw_only=True)
class Place:
    """
    A repository.

    ``branches`` maps the branches that were pushed to their heads, ``checks`` commits to what is said of them.
    """

    id: int
    owner: str
    owner_id: int
    name: str
    items: dict[int, Item] = field(default_factory=dict)
    pulls: dict[int, Pull] = field(default_factory=dict)
    labels: dict[str, None] = field(default_factory=dict)
    branches: dict[str, str] = field(default_factory=dict)
    checks: dict[str, list[Check]] = field(default_factory=dict)

    @property
    def full_name(self) -> str:
        """``owner/name``."""
        return f"{self.owner}/{self.name}"

    def repository(self) -> Repository:
        """Return it as the bot reads it."""
        return Repository(
            id=self.id,
            owner=self.owner,
            owner_id=self.owner_id,
            name=self.name,
            default_branch=BASE,
            clone_url=f"https://tracker.test/{self.full_name}.git",
        )

    def issues(self) -> list[Item]:
        """Return the issues that are there, oldest first."""
        return [item for item in self.items.values() if not item.is_pull_request and not item.gone]

    def check(self, sha: str, shown: Shown, *, external: str = "", check: int | None = None) -> int:
        """Put a check of the bot on a commit, or rewrite one by its id. Returns its id."""
        there = self.checks.setdefault(sha, [])
        identity = sum(map(len, self.checks.values())) + 1 if check is None else check
        kept = [each for each in there if each.id != identity]
        made = Check(
            id=identity,
            name=shown.name,
            conclusion=shown.conclusion,
            maker=Maker(MakerKind.ACCOUNT, BOT.id),
            external=external or next((each.external for each in there if each.id == identity), ""),
            url=shown.url,
        )
        self.checks[sha] = [*kept, made]
        return identity

    def threads(self) -> list[Item]:
        """Return the issues and pull requests that are there, oldest first."""
        return [item for item in self.items.values() if not item.gone]


@dataclass(frozen=True, kw_only=True)
class Member:
    """A person, and what they may do everywhere."""

    person: Person
    permission: Permission


BOT = Person(id=1, login="trackside", bot=True)
PEOPLE = (
    Member(person=Person(id=2, login="ada"), permission=Permission.WRITE),
    Member(person=Person(id=3, login="max"), permission=Permission.MAINTAIN),
    Member(person=Person(id=4, login="rita"), permission=Permission.READ),
    Member(person=Person(id=5, login="zed"), permission=Permission.NONE),
    Member(person=Person(id=6, login="other-bot", bot=True), permission=Permission.WRITE),
)
"""Two who may decide, two who may not, and another bot."""


def places() -> list[Place]:
    """Return two fresh repositories of one owner."""
    return [Place(id=number, owner="acme", owner_id=9, name=f"repo-{number}") for number in (11, 12)]
