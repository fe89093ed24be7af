"""What is written for people is written once, beside what people write, and only what the store knows."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot.errors import TrackerUnavailableError
from bot.storage.contract import Tx
from bot.trackers.contract import Comment, Issue
from bot.views.thread import DecisionView
from projectors.safe import Safe
from tests.clock import FakeClock
from tests.projectors.desk import Desk, Projecting
from tests.projectors.samples import EARLIER, GATE, REVIEW, RUNNING, held
from tests.storage.twice import Writable


@dataclass(kw_only=True)
class Losing(Desk):
    """Creates what it is asked to, and answers that it failed."""

    losing: int

    async def create_comment(self, repository: str, number: int, body: str) -> Comment:
        written = await super().create_comment(repository, number, body)
        if self.losing:
            self.losing -= 1
            raise TrackerUnavailableError("the tracker failed with 500", status=500)
        return written


@dataclass(kw_only=True)
class Busy(Desk):
    """Where a person puts a label on right after each time that the bot has looked."""

    async def issue(self, repository: str, number: int) -> Issue:
        seen = await super().issue(repository, number)
        self.labels += [name for name in ("urgent",) if name not in self.labels]
        return seen


async def test_a_comment_whose_creation_answers_500_is_posted_once(store: Writable[Tx], clock: FakeClock) -> None:
    # gh-C-01
    desk = Losing(clock=clock, losing=2)
    projecting = Projecting(store=store, desk=desk)
    await projecting.show(held(GATE))
    for _ in range(5):
        clock.advance(600_000)
        await projecting.again()
    assert desk.losing == 0
    assert len(desk.written) == 2


async def test_a_label_that_a_person_adds_meanwhile_stays(store: Writable[Tx], clock: FakeClock) -> None:
    # gh-L-05
    desk = Busy(clock=clock, labels=["bug"])
    projecting = Projecting(store=store, desk=desk)
    for work in (RUNNING, REVIEW, RUNNING):
        await projecting.show(work)
    assert set(desk.labels) == {"bug", "urgent", "state:building"}


async def test_two_approvals_at_once_are_both_in_what_is_shown(store: Writable[Tx], clock: FakeClock) -> None:
    # gh-L-02
    decisions = tuple(DecisionView(login=login, verb="approve", decided_at=EARLIER) for login in ("bob", "eve"))
    desk = Desk(clock=clock)
    projecting = Projecting(store=store, desk=desk)
    await projecting.show(held(GATE))
    await projecting.show(held(replace(GATE, decisions=decisions)))
    _, ask = desk.written.values()
    assert "bob approved" in ask.body.replace("\u200b", "")
    assert "eve approved" in ask.body.replace("\u200b", "")


def test_a_cut_names_no_full_text_where_there_is_none_to_read() -> None:
    # ag-J02
    shown = Safe().block("word " * 20_000, limit=1_000)
    assert "characters are shown" in shown
    assert "](" not in shown
