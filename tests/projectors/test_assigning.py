"""The bot is assigned while it works, where that is wanted, and never takes off what people put on."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs

from bot.errors import RateLimitedError
from bot.storage.contract import Tx
from bot.views.thread import ThreadState
from projectors.assigning import Mark, Step, step
from tests.clock import FakeClock
from tests.projectors.desk import ME, Desk, Projecting
from tests.projectors.samples import GATE, REVIEW, RUNNING, WORK, held
from tests.storage.twice import Writable

DONE = replace(RUNNING, state=ThreadState.COMPLETED)


@pytest.fixture
def projecting(store: Writable[Tx], clock: FakeClock) -> Projecting:
    return Projecting(store=store, desk=Desk(clock=clock), assign=True)


def assignments(projecting: Projecting) -> list[str]:
    return [write for write in projecting.desk.writes if "assign" in write]


async def test_the_bot_is_assigned_from_its_first_attempt_to_the_end(projecting: Projecting) -> None:
    desk = projecting.desk
    await projecting.show(held(GATE))
    assert desk.assignees == []
    for work in (RUNNING, replace(REVIEW), replace(RUNNING, attempt=2)):
        await projecting.show(work)
        assert desk.assignees == [ME.login]
    await projecting.show(DONE)
    assert desk.assignees == []
    assert assignments(projecting) == ["assign trackside", "unassign trackside"]


async def test_without_the_setting_nobody_is_assigned(store: Writable[Tx], clock: FakeClock) -> None:
    projecting = Projecting(store=store, desk=Desk(clock=clock))
    await projecting.show(RUNNING)
    await projecting.show(DONE)
    assert assignments(projecting) == []


async def test_whom_people_assigned_stays_assigned_at_the_end(projecting: Projecting) -> None:
    projecting.desk.assignees += ["Trackside", "ada"]
    await projecting.show(RUNNING)
    await projecting.show(DONE)
    assert projecting.desk.assignees == ["Trackside", "ada"]


async def test_an_assignment_that_somebody_took_off_is_not_made_again_in_this_run(projecting: Projecting) -> None:
    await projecting.show(RUNNING)
    projecting.desk.assignees.clear()
    await projecting.show(REVIEW)
    projecting.desk.assignees.append(ME.login)
    await projecting.show(DONE)
    assert projecting.desk.assignees == [ME.login]
    assert assignments(projecting) == ["assign trackside"]


async def test_the_next_run_assigns_again(projecting: Projecting) -> None:
    await projecting.show(RUNNING)
    await projecting.show(DONE)
    await projecting.show(replace(RUNNING, run=2))
    assert projecting.desk.assignees == [ME.login]


async def test_it_stays_assigned_while_another_playbook_is_at_work(projecting: Projecting) -> None:
    other = replace(RUNNING, playbook="triage", trigger="run:triage")
    await projecting.show(RUNNING, other)
    await projecting.show(DONE, other)
    assert projecting.desk.assignees == [ME.login]


async def test_an_account_that_cannot_be_assigned_is_said_once_and_stops_nothing(projecting: Projecting) -> None:
    # ag-I11
    projecting.desk.assignable = False
    with capture_logs() as logs:
        for work in (RUNNING, REVIEW, DONE, replace(RUNNING, run=2), DONE):
            await projecting.show(work)
    assert [each["event"] for each in logs].count("not_assigned") == 1
    assert assignments(projecting) == ["assign trackside"] * 2
    assert "**Done**" in next(iter(projecting.desk.written.values())).body


async def test_a_refusal_is_said_once_and_a_limit_is_waited_for(projecting: Projecting) -> None:
    desk = projecting.desk
    await projecting.show(WORK)
    desk.refuses_assigning = RateLimitedError(status=429, retry_after=1)
    await projecting.show(RUNNING)
    desk.clock.advance(1)
    desk.refuses_assigning = None
    await projecting.again()
    assert desk.assignees == [ME.login]


@given(st.lists(st.tuples(st.booleans(), st.booleans())))
def test_it_takes_off_only_what_it_put_on(turns: list[tuple[bool, bool]]) -> None:
    mark, ours = Mark.NOTHING, False
    for at_work, assigned in turns:
        ours = ours and assigned
        todo, mark = step(mark, at_work=at_work, assigned=assigned)
        assert todo is not Step.UNASSIGN or ours
        assert todo is not Step.ASSIGN or not assigned
        ours = {Step.ASSIGN: True, Step.UNASSIGN: False, None: ours and mark is Mark.OURS}[todo]
