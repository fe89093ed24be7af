"""What people are told of a Work that has ended."""

from __future__ import annotations

import pytest

from bot.domain.work import Gone
from bot.scheduler.cancel import cancel, complete_elsewhere, lose
from bot.views.thread import ThreadState
from tests.scheduler.bench import Bench
from tests.views.test_waiting import view


@pytest.mark.parametrize("why", list(Gone))
async def test_a_work_whose_item_cannot_be_reached_is_gone(bench: Bench, why: Gone) -> None:
    # ag-F06, ag-F13, ag-J13
    work = await bench.ready()
    await bench.do(lambda tx, now: lose(tx, work.id, why, now=now))
    shown = await view(bench, work)
    assert (shown.state, shown.reason, shown.ended_by) == (ThreadState.GONE, why.value, None)


@pytest.mark.parametrize(
    ("by", "reason"), [("ada", Gone.MOVED.value), ("", Gone.MOVED.value), ("", "the label was taken off")]
)
async def test_a_work_that_was_called_off_is_cancelled_whatever_the_words(bench: Bench, by: str, reason: str) -> None:
    work = await bench.ready()
    await bench.do(lambda tx, now: cancel(tx, work.id, by=by, reason=reason, now=now))
    assert (await view(bench, work)).state is ThreadState.CANCELLED


async def test_a_question_is_not_asked_again_by_a_work_that_was_merged_meanwhile(bench: Bench) -> None:
    work = await bench.ready(status="stuck", comment="Which one?")
    assert (await view(bench, work)).notify
    await bench.do(lambda tx, now: complete_elsewhere(tx, work.id, by="ada", reason="merged", now=now))
    assert not (await view(bench, work)).notify
