"""A tracker that knows one thread, with its labels and comments; and the pass that projects onto it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from bot.clock import Millis
from bot.errors import TrackerError, TrackerMissingError
from bot.storage.contract import Tx
from bot.trackers.contract import Comment, Issue, Person, Tracker
from bot.views.query import Threads
from bot.views.thread import ThreadView, WorkView
from projectors.assigning import Assigning
from projectors.checking import Checking
from projectors.label_pace import LabelPace
from projectors.limiters import Limiters
from projectors.pace import UNPACED, Pace
from projectors.post import Post
from projectors.project import ProjectPass
from projectors.settings import Settings
from tests.clock import FakeClock
from tests.factories import put_place
from tests.projectors.check_desk import CheckDesk
from tests.projectors.samples import SETTINGS
from tests.storage.twice import Writable

ME = Person(id=9, login="trackside", bot=True)
OTHER = Person(id=8, login="ada")
REPOSITORY = "owner-1/repo-1"
ITEM = "item:1/1"


@dataclass(kw_only=True)
class Desk(CheckDesk):
    """The tracker. ``refusal`` is raised by every write, ``refuses_assigning`` by assigning alone."""

    clock: FakeClock
    labels: list[str] = field(default_factory=list)
    written: dict[int, Comment] = field(default_factory=dict)
    assignees: list[str] = field(default_factory=list)
    assignable: bool = True
    refuses_assigning: TrackerError | None = None
    refusal: TrackerError | None = None
    reads: int = 0
    writes: list[str] = field(default_factory=list)
    newest: int = 100

    async def issue(self, repository: str, number: int) -> Issue:
        assert (repository, number) == (REPOSITORY, 1)
        self.reads += 1
        return Issue(
            number=1,
            title="Fix it",
            body="",
            open=True,
            locked=False,
            labels=tuple(self.labels),
            author=OTHER,
            is_pull_request=False,
            updated_at=self.clock.now(),
            url="",
            assignees=tuple(self.assignees),
        )

    async def comments(self, repository: str, number: int) -> Sequence[Comment]:
        assert (repository, number) == (REPOSITORY, 1)
        self.reads += 1
        return list(self.written.values())

    async def create_comment(self, repository: str, number: int, body: str) -> Comment:
        assert (repository, number) == (REPOSITORY, 1)
        self._write("comment")
        return self.put(body)

    async def update_comment(self, repository: str, comment: int, body: str) -> None:
        del repository
        self._write("edit")
        if comment not in self.written:
            raise TrackerMissingError
        self.written[comment] = replace(self.written[comment], body=body)

    async def ensure_label(self, repository: str, name: str, *, color: str, description: str) -> None:
        del repository, name, color, description

    async def add_labels(self, repository: str, number: int, names: Sequence[str]) -> None:
        del repository, number
        self._write(f"+{','.join(names)}")
        self.labels += [name for name in names if name not in self.labels]

    async def remove_label(self, repository: str, number: int, name: str) -> None:
        del repository, number
        self._write(f"-{name}")
        self.labels.remove(name)

    async def assign(self, repository: str, number: int, login: str) -> bool:
        del repository, number
        if self.refuses_assigning is not None:
            raise self.refuses_assigning
        self._write(f"assign {login}")
        if self.assignable:
            self.assignees.append(login)
        return self.assignable

    async def unassign(self, repository: str, number: int, login: str) -> None:
        del repository, number
        self._write(f"unassign {login}")
        self.assignees.remove(login)

    def put(self, body: str, *, by: Person = ME) -> Comment:
        """Write a comment as somebody."""
        now, number = self.clock.now(), self.newest
        self.newest += 1
        self.written[number] = Comment(id=number, number=1, body=body, author=by, created_at=now, updated_at=now)
        return self.written[number]

    def _write(self, what: str) -> None:
        if self.refusal is not None:
            raise self.refusal
        self.writes.append(what)


async def open_thread(store: Writable[Tx]) -> None:
    """Store the item, with a thread that is due."""
    await store.write(put_place)
    await store.write(lambda tx: tx.threads.touch(ITEM))


@dataclass
class Views:
    """What the store would tell of the thread."""

    sections: tuple[WorkView, ...] = ()

    def view(self, tx: Tx, item: str, now: Millis) -> ThreadView:
        del tx, now
        return ThreadView(item=item, repository=REPOSITORY, number=1, sections=self.sections)


@dataclass(kw_only=True)
class Projecting:
    """One instance of the bot that projects the thread."""

    store: Writable[Tx]
    desk: Desk
    views: Views = field(default_factory=Views)
    instance: str = "host-a"
    pace: Pace = UNPACED
    settings: Settings = SETTINGS
    assign: bool = False
    limiters: Limiters = field(init=False)
    label_pace: LabelPace = field(init=False)
    assigning: Assigning = field(init=False)
    checking: Checking = field(init=False)

    def __post_init__(self) -> None:
        self.limiters = Limiters(clock=self.desk.clock, pace=self.pace)
        self.label_pace = LabelPace(clock=self.desk.clock)
        tracker = cast("Tracker", self.desk)
        self.checking = Checking(
            store=self.store,
            tracker=tracker,
            clock=self.desk.clock,
            limiters=self.limiters,
            me=ME,
            settings=replace(self.settings, instance=self.instance),
        )
        self.assigning = Assigning(store=self.store, tracker=tracker, limiters=self.limiters, me=ME, wanted=self.assign)

    async def show(self, *works: WorkView) -> None:
        """Project the thread as it is now."""
        self.views.sections = works
        await open_thread(self.store)
        await self.again()

    async def again(self) -> None:
        """Run the pass once."""
        tracker = cast("Tracker", self.desk)
        settings = replace(self.settings, instance=self.instance)
        post = Post(self.store, tracker, self.limiters, ME, self.instance)
        await ProjectPass(
            store=self.store,
            tracker=tracker,
            clock=self.desk.clock,
            limiters=self.limiters,
            post=post,
            threads=cast("Threads", self.views),
            settings=settings,
            assigning=self.assigning,
            checking=self.checking,
            pace=self.label_pace,
        ).run()
