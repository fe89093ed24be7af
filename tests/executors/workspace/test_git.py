"""How git is run: alone, in time, and with a token that nobody else sees."""

from __future__ import annotations

import asyncio
import base64
import os
import secrets
import select
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bot.errors import TrackerError
from bot.executors.workspace.git import Git, GitError, Token


@asynccontextmanager
async def server(heads: list[str]) -> AsyncIterator[str]:
    """Serve an address that refuses everything and remembers how it was asked."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heads.append((await reader.readuntil(b"\r\n\r\n")).decode())
        writer.write(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as listening:
        yield f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"


REMOTE = "https://tracker.test/acme/shop.git"


def fixed(token: str) -> Token:
    async def always(_remote: str) -> str:
        return token

    return always


def spy(place: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put a program in the place of git that writes down its arguments; return where."""
    seen = place / "arguments"
    program = place / "bin" / "git"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\nprintf '%s\\n' \"$@\" >> '{seen}'\necho \"$GIT_CONFIG_COUNT\" >&2\nexit 3\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    return seen


async def test_the_token_goes_to_the_remote_and_to_nobody_else(tmp_path: Path) -> None:
    token = secrets.token_hex(20)
    heads: list[str] = []
    async with server(heads) as address, server(heads) as other:
        git = Git(token=fixed(token))
        for remote in (f"{address}/acme/shop.git", ""):
            with pytest.raises(GitError):
                await git.run(tmp_path, "ls-remote", f"{address}/acme/shop.git", remote=remote)
        with pytest.raises(GitError):
            # The command is for one host, but another is asked.
            await git.run(tmp_path, "ls-remote", f"{other}/acme/shop.git", remote=f"{address}/acme/shop.git")

    basic = base64.b64encode(f"x-access-token:{token}".encode()).decode()
    assert [f"Authorization: Basic {basic}" in head for head in heads] == [True, False, False]


async def test_the_token_is_in_no_argument(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = spy(tmp_path, monkeypatch)
    token = secrets.token_hex(20)

    with pytest.raises(GitError):
        await Git(token=fixed(token)).run(
            tmp_path, "fetch", "https://tracker.test/a/b.git", remote="https://tracker.test/"
        )

    arguments = seen.read_text(encoding="utf-8")
    assert arguments.splitlines() == ["fetch", "https://tracker.test/a/b.git"]
    assert token not in repr(Git(token=fixed(token)))


# ag-I01
async def test_each_command_that_reaches_a_remote_has_the_token_of_the_moment(tmp_path: Path) -> None:
    minted = [secrets.token_hex(20) for _ in range(2)]
    asked: list[str] = []
    heads: list[str] = []

    async def mint(remote: str) -> str:
        asked.append(remote)
        return minted[len(asked) - 1]

    async with server(heads) as address:
        remote = f"{address}/acme/shop.git"
        for reached in (remote, "", remote):
            with pytest.raises(GitError):
                await Git(token=mint).run(tmp_path, "ls-remote", remote, remote=reached)

    assert asked == [remote, remote]
    basics = [base64.b64encode(f"x-access-token:{token}".encode()).decode() for token in minted]
    assert [[f"Authorization: Basic {basic}" in head for basic in basics] for head in heads] == [
        [True, False],
        [False, False],
        [False, True],
    ]


async def test_a_token_that_cannot_be_had_is_a_failure_of_the_command(tmp_path: Path) -> None:
    async def none(_remote: str) -> str:
        raise TrackerError("the App's installation on acme is suspended")

    with pytest.raises(GitError, match="no token for git: the App's installation on acme is suspended"):
        await Git(token=none).run(tmp_path, "ls-remote", REMOTE, remote=REMOTE)


@pytest.mark.parametrize("encoded", [False, True])
async def test_an_error_does_not_tell_the_token(tmp_path: Path, *, encoded: bool) -> None:
    token = secrets.token_hex(20)
    told = base64.b64encode(f"x-access-token:{token}".encode()).decode() if encoded else token

    with pytest.raises(GitError) as caught:
        await Git(token=fixed(token)).run(tmp_path, "clone", f"/nowhere/{told}", remote=REMOTE)

    assert told not in str(caught.value)
    assert told not in caught.value.output
    assert "[redacted]" in caught.value.output


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    """Make a pipe that ends when the last process that writes to it does."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    return path


def waiting(pipe: Path) -> tuple[str, ...]:
    """Return a git command that starts a program which starts another, and waits for it for ever."""
    return ("-c", f"alias.wait=!sleep 600 > '{pipe}' & wait", "wait")


async def test_a_command_that_takes_too_long_is_ended_with_all_that_it_started(tmp_path: Path, pipe: Path) -> None:
    reading = asyncio.create_task(asyncio.to_thread(pipe.read_bytes))

    with pytest.raises(GitError, match=r"took longer than 0\.5 s"):
        await Git(seconds=0.5).run(tmp_path, *waiting(pipe))

    assert await reading == b""


async def test_a_cancelled_command_is_ended_with_all_that_it_started(tmp_path: Path, pipe: Path) -> None:
    task = asyncio.create_task(Git().run(tmp_path, *waiting(pipe)))
    with await asyncio.to_thread(pipe.open, "rb") as reading:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

        assert task.cancelled()
        assert await asyncio.to_thread(reading.read) == b""


async def test_a_command_that_is_cancelled_while_it_starts_is_ended_too(tmp_path: Path, pipe: Path) -> None:
    handle = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with os.fdopen(handle, "rb") as reading:
        alias = f"alias.wait=!(echo started; exec sleep 600) > '{pipe}' & wait"
        task = asyncio.create_task(Git().run(tmp_path, "-c", alias, "wait"))
        for _ in range(2):
            await asyncio.sleep(0)
        # This loop stands still while the command gets to work, so that nothing here knows of it yet.
        assert select.select([handle], [], [], 30)[0]
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        os.set_blocking(handle, True)

        assert task.cancelled()
        assert await asyncio.to_thread(reading.read) == b"started\n"


async def test_git_that_cannot_be_started_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(GitError, match="could not be started"):
        await Git().run(tmp_path / "missing", "version")


async def test_the_configuration_of_the_machine_and_the_user_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "config"
    config.write_text("[alias]\n\thello = version\n", encoding="utf-8")
    for name in ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"):
        monkeypatch.setenv(name, str(config))

    with pytest.raises(GitError, match="hello"):
        await Git().run(tmp_path, "hello")

    assert (await Git().run(tmp_path, "hello", settings={"alias.hello": "version"})).startswith("git version")


async def test_an_address_that_is_a_program_is_not_run(tmp_path: Path) -> None:
    canary = tmp_path / "canary"

    with pytest.raises(GitError, match="ext"):
        await Git().run(tmp_path, "ls-remote", f"ext::sh -c touch% {canary}")

    assert not canary.exists()


async def test_a_failure_tells_how_it_ended_and_why(tmp_path: Path) -> None:
    with pytest.raises(GitError) as caught:
        await Git().run(tmp_path, "rev-parse", "HEAD")

    assert caught.value.status == 128
    assert str(caught.value).startswith("git rev-parse failed: fatal: not a git repository")
