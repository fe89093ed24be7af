"""What people are told of a Work that has ended."""

from __future__ import annotations

import pytest

from bot.domain.work import Gone
from bot.scheduler.cancel import cancel
from bot.views.thread import ThreadState
from tests.scheduler.bench import Bench
from tests.views.test_waiting import view


@pytest.mark.parametrize(
    ("by", "reason", "shown"),
    [
        # ag-F06, ag-F13, ag-J13
        *(("", each.value, ThreadState.GONE) for each in Gone),
        # The same words of a person are a person's reason.
        ("ada", Gone.MOVED.value, ThreadState.CANCELLED),
        ("", "the label was taken off", ThreadState.CANCELLED),
    ],
)
async def test_a_work_whose_item_cannot_be_reached_is_gone(
    bench: Bench, by: str, reason: str, shown: ThreadState
) -> None:
    work = await bench.ready()
    await bench.do(lambda tx, now: cancel(tx, work.id, by=by, reason=reason, now=now))
    assert (await view(bench, work)).state is shown
