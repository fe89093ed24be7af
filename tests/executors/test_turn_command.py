from __future__ import annotations

import asyncio
import io
import os
import secrets
import socket
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import uvicorn
from fastapi import FastAPI
from typer.testing import CliRunner

from bot.cli.turn import app, turn
from bot.domain.turn import COMMENT_LIMIT, Turn
from bot.executors.shell.executor import ShellExecutor
from bot.executors.toolbelt import routes, spool
from tests.executors.orders import EXECUTION, Host, order
from tests.executors.supervised import run_directory

COMMAND = f"{sys.executable} -P -m bot.cli.turn"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Give the directory of a run whose host is away."""
    (tmp_path / "spool").mkdir()
    return tmp_path


def spooled(run: Path) -> Turn | None:
    return spool.latest(run / "spool")


def environment(run: Path) -> dict[str, str]:
    return {"TRACKSIDE_RUN": str(run), "TRACKSIDE_API": ""}


def test_a_recorded_turn_is_said_in_one_line(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert turn("review", comment="Please look.", environment=environment(run)) == 0
    assert capsys.readouterr().out == "turn recorded: review\n"
    assert spooled(run) == Turn(status="review", comment="Please look.")


def test_the_last_declaration_wins(run: Path) -> None:
    for status in ("review", "help"):
        turn(status, environment=environment(run))
    assert spooled(run) == Turn(status="help")


@pytest.mark.parametrize("status", ["Review", "", "a b", "é", "a" * 65])
def test_a_status_of_another_shape_is_explained(run: Path, capsys: pytest.CaptureFixture[str], status: str) -> None:
    assert turn(status, environment=environment(run)) == 2
    assert "lower-case letter" in capsys.readouterr().err
    assert spooled(run) is None


def test_a_comment_that_is_too_long_is_refused(run: Path) -> None:
    assert turn("done", comment="x" * COMMENT_LIMIT, environment=environment(run)) == 0
    assert turn("help", comment="x" * (COMMENT_LIMIT + 1), environment=environment(run)) == 2
    assert spooled(run) == Turn(status="done", comment="x" * COMMENT_LIMIT)


def test_a_comment_comes_from_one_place(run: Path) -> None:
    assert turn("done", comment="a", comment_file="b", environment=environment(run)) == 2
    assert turn("done", comment_file=str(run / "missing"), environment=environment(run)) == 2
    assert spooled(run) is None


def test_a_comment_file_may_hold_any_bytes(run: Path) -> None:
    (run / "comment").write_bytes(b"a\xff\0b")
    assert turn("done", comment_file=str(run / "comment"), environment=environment(run)) == 0
    assert spooled(run) == Turn(status="done", comment="a\ufffd\ufffdb")


def test_a_comment_argument_may_hold_any_bytes(run: Path) -> None:
    assert turn("done", comment=os.fsdecode(b"a\xffb"), environment=environment(run)) == 0
    assert spooled(run) == Turn(status="done", comment="a\ufffdb")


def test_a_comment_may_come_from_standard_input(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"from\nthere")))
    assert turn("done", comment_file="-", environment=environment(run)) == 0
    assert spooled(run) == Turn(status="done", comment="from\nthere")


def test_a_turn_outside_a_run_is_not_recorded(capsys: pytest.CaptureFixture[str]) -> None:
    assert turn("done", environment={}) == 1
    assert "not recorded" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "code"),
    [(["done", "--comment", "x"], 0), (["Done"], 2), ([], 2), (["done", "--colour", "red"], 2)],
)
def test_exit_codes_tell_what_happened(run: Path, arguments: list[str], code: int) -> None:
    assert CliRunner().invoke(app, arguments, env=environment(run)).exit_code == code


async def test_a_run_declares_its_turn_by_the_spool(executor: ShellExecutor, state: Path, work: Path) -> None:
    config = {"script": f'{COMMAND} help; echo "$TRACKSIDE_RUN" | {COMMAND} review --comment-file -'}
    result = await (await executor.run(order(work, config), Host().context)).wait()
    assert result.ok
    run = run_directory(state, EXECUTION)
    assert result.turn == Turn(status="review", comment=f"{run.path}\n")
    assert run.log.read_text() == "turn recorded: help\nturn recorded: review\n"


class Served:
    """A host that listens on a free port, and what was declared to it."""

    def __init__(self, port: int) -> None:
        self.api = f"http://127.0.0.1:{port}"
        self.token = secrets.token_hex()
        self.turns: list[Turn] = []

    async def record(self, token: str, turn: Turn) -> bool:
        if token == self.token:
            self.turns.append(turn)
        return token == self.token


@pytest.fixture
async def served() -> AsyncIterator[Served]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        host = Served(listener.getsockname()[1])
        api = FastAPI()
        api.include_router(routes.router(host.record))
        server = uvicorn.Server(uvicorn.Config(api, log_config=None, lifespan="off"))
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        yield host
        server.should_exit = True
        await serving


async def test_a_run_declares_its_turn_over_http(executor: ShellExecutor, work: Path, served: Served) -> None:
    config = {"script": f"{COMMAND} review --comment 'Please look.'"}
    ordered = order(work, config, api=served.api, token=served.token)
    result = await (await executor.run(ordered, Host().context)).wait()
    assert result.ok
    assert served.turns == [Turn(status="review", comment="Please look.")]
    # the host has it; nothing was spooled
    assert result.turn is None


async def test_a_run_whose_token_was_revoked_records_nothing(
    executor: ShellExecutor, work: Path, served: Served
) -> None:
    ordered = order(work, {"script": f"{COMMAND} review"}, api=served.api, token=secrets.token_hex())
    result = await (await executor.run(ordered, Host().context)).wait()
    assert result.summary == "exit code 1"
    assert (served.turns, result.turn) == ([], None)


# C-168
def test_what_a_run_used_goes_with_its_turn(run: Path) -> None:
    assert turn("done", used=["usd=0.12", "tokens=1500"], environment=environment(run)) == 0
    assert spooled(run) == Turn(status="done", used={"usd": 0.12, "tokens": 1500})


@pytest.mark.parametrize("amount", ["usd", "usd=", "usd=much", "USD=1", "turns=1", "usd=-1", "usd=nan"])
def test_an_amount_that_is_none_is_a_usage_error(run: Path, amount: str) -> None:
    assert turn("done", used=[amount], environment=environment(run)) == 2
    assert spooled(run) is None
