"""One process at a time serves a data directory."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bot.clock import SystemClock
from bot.errors import ConfigError
from bot.host.app import Surroundings, open_host
from bot.host.config import load_config
from bot.host.instance import instance
from bot.host.sections import TOKEN
from tests.host.service import Desk, write_config

HOLDER = """\
import sys
from pathlib import Path
from bot.host.instance import instance

with instance(Path(sys.argv[1])) as name:
    print(name, flush=True)
    sys.stdin.read()
"""


@asynccontextmanager
async def holder(data: Path) -> AsyncIterator[tuple[asyncio.subprocess.Process, str]]:
    """Run another process that holds the directory, and yield it with the name that it got."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", HOLDER, str(data), stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    name = (await process.stdout.readline()).decode().strip()
    assert name
    try:
        yield process, name
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


# gh-Z-08, gh-Z-17, ag-G09
async def test_a_second_process_is_refused_until_the_first_is_killed(tmp_path: Path) -> None:
    async with holder(tmp_path / "data") as (process, name):
        with pytest.raises(ConfigError, match="another Trackside serves this directory"), instance(tmp_path / "data"):
            pass
        process.kill()
        await process.wait()
        with instance(tmp_path / "data") as after:
            # what the dead one held is found by its name
            assert after == name


def test_the_name_stays_and_belongs_to_the_directory(tmp_path: Path) -> None:
    names = []
    for directory in ("a", "a", "b"):
        with instance(tmp_path / directory) as name:
            names.append(name)
    assert names[0] == names[1] != names[2]


def test_two_holders_in_one_process_are_two(tmp_path: Path) -> None:
    with instance(tmp_path), pytest.raises(ConfigError), instance(tmp_path):
        pass


def test_a_place_that_cannot_be_a_directory_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with (
        pytest.raises(ConfigError, match=r"cannot be used for `data`: Not a directory$"),
        instance(tmp_path / "file/x"),
    ):
        pass


async def test_a_host_leaves_a_directory_alone_that_another_serves(desk: Desk, tmp_path: Path) -> None:
    config = load_config(write_config(tmp_path, url=desk.url), {TOKEN: desk.token})
    with instance(config.data), pytest.raises(ConfigError, match="another Trackside"):
        async with open_host(config, Surroundings(clock=SystemClock())):
            pass
    assert [entry.name for entry in sorted(config.data.iterdir())] == ["instance"]


async def test_a_host_says_when_the_tracker_does_not_know_its_token(desk: Desk, tmp_path: Path) -> None:
    wrong = desk.token[::-1]
    config = load_config(write_config(tmp_path, url=desk.url), {TOKEN: wrong})
    with pytest.raises(ConfigError) as caught:
        async with open_host(config, Surroundings(clock=SystemClock())):
            pass
    assert str(caught.value) == (
        f"{desk.url}: the tracker refused with 401: Bad credentials; "
        "TRACKSIDE_TOKEN must hold a token that is valid there"
    )
    # it is not kept from trying again
    with instance(config.data):
        pass
