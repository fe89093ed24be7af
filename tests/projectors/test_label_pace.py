"""Two that change a label back and forth for ever are one too many (gh-L-10)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs

from bot.clock import MINUTE, SECOND
from bot.storage.contract import Tx
from projectors.label_pace import FREEZE, LATELY, MOST_A_MINUTE, MOST_REPAIRS, LabelPace
from tests.clock import FakeClock
from tests.projectors.desk import Desk, Projecting
from tests.projectors.samples import REVIEW, RUNNING
from tests.storage.twice import Writable

BUILDING = "state:building"


async def test_a_label_that_is_taken_off_again_and_again_is_left_off_and_the_comment_says_so(
    store: Writable[Tx], clock: FakeClock
) -> None:
    # gh-L-10
    desk = Desk(clock=clock)
    projecting = Projecting(store=store, desk=desk)
    with capture_logs() as logs:
        for _ in range(60):
            await projecting.show(RUNNING)
            desk.labels.clear()
            clock.advance(SECOND)
    await projecting.show(RUNNING)
    assert desk.writes.count(f"+{BUILDING}") == MOST_REPAIRS + 2
    assert [each["event"] for each in logs].count("labels_frozen") == 1
    (sticky,) = desk.written.values()
    assert "The labels are left as they are until" in sticky.body

    clock.advance(FREEZE)
    await projecting.again()
    assert desk.labels == [BUILDING]
    (sticky,) = desk.written.values()
    assert "The labels are left as they are" not in sticky.body


async def test_comments_are_written_while_labels_are_left_alone(store: Writable[Tx], clock: FakeClock) -> None:
    desk = Desk(clock=clock)
    projecting = Projecting(store=store, desk=desk)
    for _ in range(MOST_REPAIRS + 2):
        await projecting.show(RUNNING)
        desk.labels.clear()
    await projecting.show(REVIEW)
    assert desk.labels == []
    assert "**Ready for review**" in next(iter(desk.written.values())).body


async def test_of_very_many_changes_of_our_own_so_many_a_minute_are_shown_and_then_the_last(
    store: Writable[Tx], clock: FakeClock
) -> None:
    desk = Desk(clock=clock)
    projecting = Projecting(store=store, desk=desk)
    for _ in range(MOST_A_MINUTE):
        await projecting.show(RUNNING)
        await projecting.show(REVIEW)
    await projecting.show(RUNNING)
    labels = [write for write in desk.writes if write[0] in "+-"]
    assert MOST_A_MINUTE <= len(labels) <= MOST_A_MINUTE + 1
    clock.advance(MINUTE)
    await projecting.again()
    assert desk.labels == [BUILDING]


def test_changes_of_our_own_are_no_quarrel(clock: FakeClock) -> None:
    pace = LabelPace(clock=clock)
    for _ in range(50):
        assert not pace.note("i", [BUILDING], added=True)
        assert not pace.note("i", [BUILDING], added=False)
    assert pace.frozen_until("i") is None


def test_a_quarrel_about_one_item_leaves_the_others_alone(clock: FakeClock) -> None:
    pace = LabelPace(clock=clock)
    spelled = [BUILDING, BUILDING.upper()] * MOST_REPAIRS
    froze = [pace.note("i", [name], added=True) for name in spelled[: MOST_REPAIRS + 2]]
    assert froze == [*[False] * (MOST_REPAIRS + 1), True]
    assert (pace.wait("i"), pace.wait("j")) == (clock.now() + FREEZE, None)


def test_what_is_put_right_now_and_then_is_no_quarrel(clock: FakeClock) -> None:
    pace = LabelPace(clock=clock)
    for _ in range(100):
        assert not pace.note("i", [BUILDING.upper()], added=True)
        clock.advance(LATELY // MOST_REPAIRS)


def test_each_item_that_waited_is_due_once_when_its_time_has_come(clock: FakeClock) -> None:
    pace = LabelPace(clock=clock)
    for _ in range(MOST_REPAIRS + 2):
        pace.note("i", [BUILDING], added=True)
    assert pace.due() == []
    clock.advance(FREEZE)
    assert (pace.due(), pace.due()) == (["i"], [])
    assert pace.wait("i") is None


@given(st.lists(st.tuples(st.integers(-MINUTE, 2 * MINUTE), st.sampled_from("ab"), st.booleans()), max_size=200))
def test_whatever_happens_no_item_is_written_more_often_than_allowed(steps: list[tuple[int, str, bool]]) -> None:
    # gh-L-10
    clock = FakeClock()
    pace = LabelPace(clock=clock)
    written: list[int] = []
    for moves, label, added in steps:
        clock.advance(moves)
        if moves < 0:
            written.clear()
        if pace.wait("i") is None:
            written.append(clock.now())
            pace.note("i", [label], added=added)
        assert sum(time > clock.now() - MINUTE for time in written) <= MOST_A_MINUTE
        assert (pace.wait("i") or 0) <= clock.now() + FREEZE + 2 * MINUTE * len(steps)
