"""People stop what runs, hold what would start, and let it go on; nothing else lets it go on."""

from __future__ import annotations

import pytest

from bot.demo.story import Thread
from bot.demo.world import BOT, DEVELOPER, MAINTAINER, READER
from bot.domain.hold import HoldKind
from bot.domain.result import Outcome
from bot.domain.work import WorkState
from bot.ids import WorkId
from bot.storage.contract import Tx
from bot.views.markers import marker
from tests.scenarios import processes
from tests.scenarios.playbooks import APPROVED, AWAIT, RECORD, Signal, runs
from tests.scenarios.scenes import behaves, silent_only
from tests.scenarios.stage import Stage

FAMILY = f"{RECORD}; sleep 3600 & setsid sleep 3600 & wait"
"""An agent with children, one of which has left its session."""


async def _nothing_runs(stage: Stage) -> bool:
    return processes.runs(stage.directory) == []


async def _begun(stage: Stage, number: int) -> None:
    """Turn the wheel until so many runs have counted themselves: one that is stopped before has not begun."""

    async def check() -> bool:
        return runs(stage.directory) == number

    await stage.until(f"{number} begun", check)


async def _not_held(thread: Thread) -> bool:
    return "hold:operator" not in await thread.labels()


def _work(tx: Tx) -> WorkId:
    (work,) = tx.works.recent()
    return work.id


async def _prompt(stage: Stage, attempt: int) -> str:
    return (stage.directory / f"prompt-{attempt}").read_text(encoding="utf-8")


@behaves(FAMILY)
async def test_a_stop_ends_what_runs_and_only_a_release_lets_it_go_on(stage: Stage) -> None:
    # C-140, C-142, ag-F01, ag-F11, ag-E14, ag-C01, ag-C02
    thread = await stage.begin()
    await stage.at_work(thread)
    await _begun(stage, 1)
    spoken = await stage.say(thread, "/stop wrong file")
    await stage.labelled(thread, "hold:operator")
    await stage.until("stopped", lambda: _nothing_runs(stage))
    await stage.settle()
    assert await thread.reactions(spoken) == {"eyes", "+1"}
    assert "state:building" not in await thread.labels()
    (sticky,) = await stage.ours(thread)
    assert f"**Held** by @\u200b{MAINTAINER}" in sticky
    assert "Wrong file. Only a person can lift this: `/release`." in sticky
    (attempt,) = await stage.up.store.read(lambda tx: tx.executions.of_work(_work(tx)))
    assert (attempt.outcome, attempt.slot) == (Outcome.INTERRUPTED, False)

    await stage.say(thread, "Look at the other file instead.")
    await stage.say(thread, "/release", by=BOT)
    await stage.say(thread, f"{marker('status:1')}\n\n/release")
    await stage.settle()
    assert "hold:operator" in await thread.labels()
    assert runs(stage.directory) == 1

    await stage.say(thread, "/release")
    await stage.at_work(thread)
    await stage.until("not held", lambda: _not_held(thread))
    await _begun(stage, 2)
    assert "Look at the other file instead." in await _prompt(stage, 2)
    (work,) = await stage.works(thread)
    assert (work.failures, work.attempts) == (0, 2)
    await stage.say(thread, "/cancel")
    await stage.ended(thread)
    await stage.until("stopped", lambda: _nothing_runs(stage))


@silent_only
@behaves(f"{RECORD}; {AWAIT}", default="help")
async def test_whoever_may_read_can_hold_and_what_runs_goes_on(stage: Stage, signal: Signal) -> None:
    thread = await stage.begin()
    await stage.at_work(thread)
    await stage.say(thread, "/hold", by=READER)
    await stage.said(thread, "a hold needs its reason: `/hold the reason`")
    spoken = await stage.say(thread, "/hold it deletes the tests", by=READER)
    await stage.labelled(thread, "hold:operator")
    await stage.settle()
    assert await thread.reactions(spoken) == {"eyes", "+1"}
    assert "state:building" in await thread.labels()
    assert await thread.says(f"@\u200b{READER} holds it, so nothing starts after this")

    signal.give()
    await stage.labelled(thread, "state:help")
    await stage.say(thread, "Then leave them alone.")
    await stage.said(thread, f"**Held** by @\u200b{READER}")
    await stage.say(thread, "/release", by=READER)
    await stage.said(thread, "write access is needed, and you have read")
    await stage.settle()
    assert runs(stage.directory) == 1

    await stage.say(thread, "/release")
    await stage.at_work(thread)
    assert runs(stage.directory) == 2
    assert "Then leave them alone." in await _prompt(stage, 2)
    await stage.say(thread, "/cancel")
    await stage.ended(thread)
    await stage.until("stopped", lambda: _nothing_runs(stage))


# gh-A-15
@silent_only
@pytest.mark.parametrize("said", ["/hold wait for ann\n/release\n/approve", "/approve\n/release\n/hold wait for ann"])
@behaves(RECORD, gates=APPROVED)
async def test_a_hold_beats_what_lets_go_on_in_one_comment_whatever_the_order(stage: Stage, said: str) -> None:
    thread = await stage.begin()
    await stage.labelled(thread, "hold:gate")
    await stage.say(thread, said)
    await stage.labelled(thread, "hold:operator")
    await stage.settle()
    assert "hold:operator" in await thread.labels()
    assert runs(stage.directory) == 0

    await stage.say(thread, "/release")
    await stage.ended(thread)
    assert runs(stage.directory) == 1


@silent_only
@behaves(RECORD, gates=APPROVED)
async def test_what_waits_for_an_approval_is_not_released(stage: Stage) -> None:
    # C-192
    thread = await stage.begin()
    await stage.labelled(thread, "hold:gate")
    spoken = await stage.say(thread, "/release")
    await stage.said(thread, "this waits for an approval, which cannot be released. `/approve` lets it start")
    await stage.settle()
    assert await thread.reactions(spoken) == {"confused"}
    assert "hold:gate" in await thread.labels()
    (hold,) = await stage.up.store.read(lambda tx: tx.holds.open(_work(tx)))
    await stage.say(thread, f"/release {hold.id}")
    await stage.settle()
    assert "hold:gate" in await thread.labels()
    await stage.say(thread, "/cancel")
    await stage.ended(thread)
    (work,) = await stage.works(thread)
    assert work.state is WorkState.CANCELLED
    assert runs(stage.directory) == 0


@silent_only
@behaves(RECORD, gates=APPROVED)
async def test_a_stop_where_nothing_runs_is_a_hold_beside_the_others(stage: Stage) -> None:
    thread = await stage.begin()
    await stage.labelled(thread, "hold:gate")
    await stage.say(thread, "/stop", by=DEVELOPER)
    await stage.labelled(thread, "hold:operator")
    await stage.say(thread, "/approve")
    await stage.until("approved", lambda: _no_gate(thread))
    await stage.settle()
    assert runs(stage.directory) == 0
    await stage.say(thread, "/release")
    await stage.ended(thread)
    assert runs(stage.directory) == 1


async def _no_gate(thread: Thread) -> bool:
    return "hold:gate" not in await thread.labels()


@silent_only
@behaves(RECORD, gates=APPROVED)
async def test_of_several_holds_one_is_named(stage: Stage) -> None:
    thread = await stage.begin()
    await stage.labelled(thread, "hold:gate")
    await stage.say(thread, "/hold not on a Friday", by=DEVELOPER)
    await stage.say(thread, "/hold I look first\n/hold I really do")
    await stage.settle()
    holds = await stage.up.store.read(lambda tx: tx.holds.open(_work(tx)))
    people = {hold.holder: hold for hold in holds if hold.kind is HoldKind.OPERATOR}
    assert {login: hold.reason for login, hold in people.items()} == {
        DEVELOPER: "not on a Friday",
        MAINTAINER: "I look first",
    }
    await stage.say(thread, "/release")
    await stage.said(thread, f"`{people[DEVELOPER].id}`: not on a Friday")
    await stage.said(thread, "Name one, as in `/release hold`")
    await stage.say(thread, f"/release {people[DEVELOPER].id} it is Monday")
    await stage.settle()
    assert "hold:operator" in await thread.labels()
    await stage.say(thread, "/release")
    await stage.until("not held", lambda: _not_held(thread))
    assert "hold:gate" in await thread.labels()
    await stage.say(thread, "/cancel")
    await stage.ended(thread)


@silent_only
@behaves(RECORD, gates=APPROVED)
async def test_other_holds_than_those_that_were_listed_are_listed_anew(stage: Stage) -> None:
    thread = await stage.begin()
    await stage.labelled(thread, "hold:gate")
    for day in ("Friday", "Monday"):
        await stage.say(thread, f"/hold not on a {day}", by=DEVELOPER)
        await stage.say(thread, f"/hold I look first on {day}")
        await stage.say(thread, "/release")
        await stage.labelled(thread, "hold:operator")
        await stage.settle()
        for hold in await stage.up.store.read(lambda tx: tx.holds.open_of_kind(HoldKind.OPERATOR)):
            await stage.said(thread, f"`{hold.id}`: {hold.reason}")
            await stage.say(thread, f"/release {hold.id}")
        await stage.until("not held", lambda: _not_held(thread))
    await stage.say(thread, "/cancel")
    await stage.ended(thread)


@silent_only
async def test_where_nothing_lives_nothing_is_stopped_held_or_released(stage: Stage) -> None:
    thread = await stage.issue()
    for command in ("/stop", "/hold wait", "/release"):
        spoken = await stage.say(thread, command)
        await stage.settle()
        assert await thread.reactions(spoken) == {"confused"}
    assert await stage.works(thread) == []


@silent_only
@behaves(FAMILY)
async def test_who_may_only_read_stops_nothing(stage: Stage) -> None:
    """The negative control: the same command of somebody with less access changes nothing."""
    thread = await stage.begin()
    await stage.at_work(thread)
    await stage.say(thread, "/stop", by=READER)
    await stage.said(thread, "triage access is needed, and you have read")
    await stage.settle()
    assert "hold:operator" not in await thread.labels()
    assert processes.runs(stage.directory) != []
    await stage.say(thread, "/cancel")
    await stage.ended(thread)
    await stage.until("stopped", lambda: _nothing_runs(stage))
