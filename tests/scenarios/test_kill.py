"""
The story with a kill -9 of the bot right after one of its effects; the end must be the same, and nothing twice.

A few points are tried in the suite; ``make chaos`` tries every one.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.demo import story
from bot.demo.story import Thread
from bot.demo.world import REPOSITORY
from tests.scenarios.theatre import Theatre, open_theatre

EVERY = range(1, 221)
"""Points beyond the last effect of the story kill nothing, and the story is told undisturbed."""
SOME = (2, 17, 34, 52, 70, 90, 110, 130)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "point" in metafunc.fixturenames:
        metafunc.parametrize("point", EVERY if metafunc.config.getoption("--every-step") else SOME)


# ag-G11
async def test_the_story_ends_the_same_after_a_kill(point: int, tmp_path: Path) -> None:
    # ag-A12, ag-B03, C-10, C-58
    async with open_theatre(tmp_path, point=point) as theatre:
        done = await story.work_is_approved_and_done(theatre.cast, theatre.until)
        await assert_nothing_twice(theatre, done)
        refused = await story.work_is_refused(theatre.cast, theatre.until)
        assert len(await _ours(refused)) == 2
        stopped = await story.work_is_stopped(theatre.cast, theatre.until)
        assert len(await _ours(stopped)) == 2
        if point in SOME:
            assert theatre.killed, "the story has become shorter: this point is not reached any more"


async def assert_nothing_twice(theatre: Theatre, thread: Thread) -> None:
    """One sticky comment, one ask, one answer to the reader; one pull request with one commit; two runs."""
    assert len(await _ours(thread)) == 3
    pulls = await theatre.cast.maintainer.call("GET", f"/repos/{REPOSITORY}/pulls?state=all")
    assert [pull["number"] for pull in pulls] == [2]
    files = await theatre.cast.maintainer.call("GET", f"/repos/{REPOSITORY}/pulls/2/files")
    assert [file["filename"] for file in files] == ["greeter.py"]
    launches = list((theatre.directory / "bot" / "shell" / "runs").glob("*/*/launch.json"))
    assert len(launches) == 2
    assert await thread.reactions() == {"eyes"}


async def _ours(thread: Thread) -> list[str]:
    return [comment["body"] for comment in await thread.comments() if comment["user"]["type"] == "Bot"]
