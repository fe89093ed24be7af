"""The story with PostgreSQL behind the bot: by one host, and by two of which one is killed."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from bot.clock import MINUTE
from bot.demo import story
from bot.demo.story import Thread
from bot.demo.world import BOT, REPOSITORY
from bot.domain.execution import Phase
from bot.domain.work import WorkState
from bot.host.config import DATABASE, SECRETS
from bot.host.sections import TOKEN
from tests.postgres import need_server
from tests.scenarios import processes
from tests.scenarios.conftest import assert_nothing_left
from tests.scenarios.playbooks import AWAIT, COMMIT, RECORD, Agent, Signal, runs
from tests.scenarios.stage import Stage, open_stage
from tests.scenarios.theatre import Theatre, open_theatre


@pytest.fixture
def database() -> Iterator[str]:
    """Make a place on a PostgreSQL server, and return its URL."""
    place = need_server().place()
    yield place
    need_server().drop(place)


@pytest.fixture
async def stage(tmp_path: Path, webhooks: bool, database: str) -> AsyncIterator[Stage]:  # noqa: FBT001 - a fixture
    async with open_stage(tmp_path, webhooks=webhooks, database=database) as opened, opened.bot():
        yield opened
        await opened.settle()
        await assert_nothing_left(opened)


async def test_the_whole_story_is_told_on_postgres(stage: Stage) -> None:
    thread = await story.work_is_approved_and_done(stage.cast, stage.until)
    assert len(await stage.ours(thread)) == 3
    refused = await story.work_is_refused(stage.cast, stage.until)
    assert len(await stage.ours(refused)) == 2
    stopped = await story.work_is_stopped(stage.cast, stage.until)
    assert len(await stage.ours(stopped)) == 2
    assert not (stage.config.data / "trackside.db").exists()


@pytest.fixture
async def one(tmp_path: Path, database: str) -> AsyncIterator[Stage]:
    """Set a stage whose agent waits for a signal; the first host is down."""
    playbook = Agent(script=f"{RECORD}; {AWAIT}").write(tmp_path)
    async with open_stage(tmp_path, webhooks=False, playbook=playbook, database=database) as opened:
        yield opened


@pytest.fixture
def two(one: Stage) -> Stage:
    """Return the same stage with another host on it, whose data directory is its own."""
    (one.directory / "second").mkdir()
    return replace(one, directory=one.directory / "second")


async def turns(stage: Stage, times: int = 12) -> None:
    """Turn the wheel for as long as a host would need to notice anything."""
    for _ in range(times):
        await stage.turn()


async def test_a_run_waits_for_its_host_and_is_adopted_by_it(one: Stage, two: Stage, signal: Signal) -> None:
    # C-58
    async with one.bot():
        thread = await one.begin()
        await one.at_work(thread)
        before = await one.up.store.read(lambda tx: tx.executions.live())
    async with two.bot():
        await turns(two)
        (seen,) = await two.up.store.read(lambda tx: tx.executions.live())
        assert (seen.owner, seen.epoch, seen.phase) == (before[0].owner, 1, Phase.RUNNING)
        signal.give()
        await turns(two)
        assert [each.state.final for each in await two.works(thread)] == [False]
    async with one.bot():
        await one.ended(thread)
    assert runs(one.directory) == 1


async def test_only_its_own_host_can_tell_that_a_run_has_ended(one: Stage, two: Stage, signal: Signal) -> None:
    """Another host finds nothing of it, which is no proof."""
    # C-75, C-77
    del signal
    async with one.bot():
        thread = await one.begin()
        await one.at_work(thread)
    async with two.bot():
        await two.say(thread, "/cancel not now")
        await turns(two)
        assert [each.state for each in await two.works(thread)] == [WorkState.CANCELLED]
        assert len(await two.up.store.read(lambda tx: tx.executions.unconfirmed())) == 1
        assert processes.runs(one.directory) != []
    async with one.bot():
        await one.until("stopped", lambda: one.up.store.read(lambda tx: not tx.executions.unconfirmed()))
    assert processes.runs(one.directory) == []


async def test_what_is_over_its_time_is_ended_by_any_host_and_freed_by_its_own(
    one: Stage, two: Stage, signal: Signal
) -> None:
    # C-75
    del signal
    async with one.bot():
        thread = await one.begin()
        await one.at_work(thread)
    one.clock.advance(11 * MINUTE)
    async with two.bot():
        await turns(two)
        (work,) = await two.works(thread)
        assert (work.state, work.failures) == (WorkState.READY, 1)
        one.clock.advance(11 * MINUTE)
        await turns(two)
        assert await two.up.store.read(lambda tx: tx.executions.live()) == [], "it must not be started in its place"
        assert len(await two.up.store.read(lambda tx: tx.executions.unconfirmed())) == 1
    async with one.bot():
        await one.until("stopped", lambda: one.up.store.read(lambda tx: not tx.executions.unconfirmed()))
        await one.say(thread, "/cancel")
        await one.ended(thread)


async def test_a_host_that_is_lost_is_written_off_under_its_name(one: Stage, two: Stage, signal: Signal) -> None:
    del signal
    async with one.bot():
        thread = await one.begin()
        await one.at_work(thread)
    for identity, _ in list(processes.of(one.directory)):
        os.kill(identity, 9)  # the machine is gone, and all of its processes
    (two.directory / "bot").mkdir()
    (two.directory / "bot" / "instance").write_text((one.directory / "bot" / "instance").read_text())
    async with two.bot():
        await two.until("failed", lambda: thread.says("no launch of this attempt was found"))
        await turns(two)
        assert await two.up.store.read(lambda tx: tx.executions.unconfirmed()) == []
        await two.say(thread, "/cancel")
        await two.ended(thread)


async def test_each_attempt_goes_on_from_what_the_one_before_has_published(one: Stage, two: Stage) -> None:
    """Whichever host it ran on, and whatever an older one has left there."""
    count = 'git rev-list --count HEAD > "$STAGE/seen-$TRACKSIDE_ATTEMPT"'
    Agent(script=f"{RECORD}; {count}; {COMMIT}", default="review").write(one.directory)
    async with one.bot():
        thread = await one.begin()
        await one.labelled(thread, "state:review")
    for attempt, stage in ((2, two), (3, one)):
        async with stage.bot():
            await stage.say(thread, "Once more, please.")
            await stage.until("another run", lambda n=attempt: _ran(one, n))  # type: ignore[misc]
            await stage.labelled(thread, "state:review")
    first, second, third = [int((one.directory / f"seen-{attempt}").read_text()) for attempt in (1, 2, 3)]
    assert (second, third) == (first + 1, first + 2)


async def _ran(stage: Stage, times: int) -> bool:
    return runs(stage.directory) == times


async def test_one_host_at_a_time_speaks_to_people(one: Stage, two: Stage, signal: Signal) -> None:
    del signal
    async with one.bot(), two.bot():
        issue = await one.issue()
        await one.label(issue)
        for _ in range(12):
            await asyncio.gather(one.turn(), two.turn())
        assert len(await one.ours(issue)) == 1
        await one.say(issue, "/cancel")
        for _ in range(12):
            await asyncio.gather(one.turn(), two.turn())
        await one.ended(issue)
    assert processes.runs(one.directory) == []


@asynccontextmanager
async def another_host(theatre: Theatre) -> AsyncIterator[asyncio.subprocess.Process]:
    """Start a second host, with a data directory of its own; what is left of it at the end is killed."""
    config = theatre.directory / "other.toml"
    text = theatre.config.read_text().replace('data = "bot"', 'data = "other"')
    config.write_text(
        "\n".join("server = {port = 0}" if line.startswith("server") else line for line in text.splitlines())
    )
    with (theatre.directory / "other.log").open("ab") as log:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-m", "tests.scenarios.doomed", str(config), "0"),
            stdout=log,
            stderr=log,
            env={**os.environ, TOKEN: theatre.tokens.of(BOT), SECRETS: theatre.secret},
        )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.terminate()
        assert await process.wait() in {0, -9}


async def assert_nothing_twice(theatre: Theatre, thread: Thread) -> None:
    """One sticky comment, one ask, one answer to the reader; one pull request; two runs on whichever host."""
    comments = [each["body"] for each in await thread.comments() if each["user"]["type"] == "Bot"]
    assert len(comments) == 3, comments
    pulls = await theatre.cast.maintainer.call("GET", f"/repos/{REPOSITORY}/pulls?state=all")
    assert [pull["number"] for pull in pulls] == [2]
    assert len(list(theatre.directory.glob("*/shell/runs/*/*/launch.json"))) == 2


async def test_two_hosts_on_one_database_tell_the_story_once(
    tmp_path: Path, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # C-18, gh-D-08
    monkeypatch.setenv(DATABASE, database)
    async with open_theatre(tmp_path, point=0) as theatre, another_host(theatre):
        thread = await story.work_is_approved_and_done(theatre.cast, theatre.until)
        await assert_nothing_twice(theatre, thread)


@pytest.mark.parametrize("point", [20, 60])
async def test_of_two_hosts_one_is_killed_and_comes_back(
    point: int, tmp_path: Path, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # C-10, C-58
    monkeypatch.setenv(DATABASE, database)
    async with open_theatre(tmp_path, point=point) as theatre, another_host(theatre):
        thread = await story.work_is_approved_and_done(theatre.cast, theatre.until)
        assert theatre.killed
        await assert_nothing_twice(theatre, thread)


async def test_of_two_hosts_one_is_killed_for_good_and_the_other_goes_on(
    tmp_path: Path, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(DATABASE, database)
    async with open_theatre(tmp_path, point=0, lease="3s") as theatre, another_host(theatre) as other:
        first = await story.open_issue(theatre.cast, "Fix the greeting", "It says wrold.")
        await story.label(theatre.cast, first)
        await theatre.until("held", lambda: story.held(first))
        other.kill()
        await other.wait()
        thread = await story.work_is_refused(theatre.cast, theatre.until)
        assert len([each for each in await thread.comments() if each["user"]["type"] == "Bot"]) == 2
