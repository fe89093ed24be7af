"""The command line as a whole: its commands, what they import, and how they end."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, NoReturn

import pytest
from typer.testing import CliRunner

from bot.cli.main import app, main
from bot.domain.turn import Turn
from bot.errors import AddressError, ConfigError, StorageError, TracksideError
from bot.executors.toolbelt import spool

COMMANDS = {
    "": "A bot beside an issue tracker",
    "serve": "Serve the repositories of a configuration until SIGTERM.",
    "demo": "Start a tracker with a sample repository, and the bot beside it.",
    "demo-agent": "Take one turn as the demo's agent, in the current directory.",
    "turn": "Declare how this attempt's turn ended; the last declaration wins.",
    "init": "Set the bot up: as a GitHub App, by a page in your browser, or with a token. Then check it.",
    "doctor": "Look for what keeps the bot from working, and name the cure of each finding.",
    "playbook": "Look at playbooks.",
    "playbook check": "Check playbooks: every fault with its file, line and key.",
}
HEAVY = {"fastapi", "githubkit", "uvicorn", "httpx", "structlog", "jinja2", "sqlite3", "aiosqlite"}

Demo = Callable[..., Coroutine[Any, Any, int]]


def names(group: object = None, above: str = "") -> set[str]:
    """Return every command that there is, as it is typed."""
    registered = app if group is None else group
    found = {above}
    for command in registered.registered_commands:  # type: ignore[attr-defined] # groups are typers too
        found.add(f"{above} {command.name or command.callback.__name__}".strip())
    for entry in registered.registered_groups:  # type: ignore[attr-defined]
        found |= names(entry.typer_instance, f"{above} {entry.name or ''}".strip())
    return found


def test_every_command_is_tried_here() -> None:
    assert names() == set(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(command: str) -> None:
    answer = CliRunner().invoke(app, [*command.split(), "--help"], env={"COLUMNS": "120"})
    assert answer.exit_code == 0
    assert f"Usage: trackside {command}".rstrip() in answer.stdout
    assert COMMANDS[command] in answer.stdout


def test_the_agent_of_the_demo_is_not_listed() -> None:
    assert "demo-agent" not in CliRunner().invoke(app, ["--help"]).stdout


@pytest.mark.parametrize(
    "arguments", [["nonsense"], ["serve", "--colour"], ["serve", "extra"], ["playbook", "check"], ["turn"], []]
)
def test_arguments_that_cannot_be_understood_end_with_2(arguments: list[str]) -> None:
    answer = CliRunner().invoke(app, arguments)
    assert answer.exit_code == 2
    assert "Usage: trackside" in answer.output


def test_a_turn_is_declared_through_the_main_command(tmp_path: Path) -> None:
    (tmp_path / "spool").mkdir()
    environment = {"TRACKSIDE_RUN": str(tmp_path), "TRACKSIDE_API": ""}
    answer = CliRunner().invoke(app, ["turn", "review", "--comment", "Please look."], env=environment)
    assert (answer.exit_code, answer.stdout) == (0, "turn recorded: review\n")
    assert spool.latest(tmp_path / "spool") == Turn(status="review", comment="Please look.")


def loaded(*arguments: str, **environment: str) -> set[str]:
    """Return the modules that a command has loaded when it ends."""
    program = f"""\
import json, sys
from bot.cli.main import app
try:
    app({list(arguments)!r})
except SystemExit:
    pass
print(json.dumps(sorted(sys.modules)))
"""
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment)
    return set(json.loads(found.stdout.splitlines()[-1]))


def test_help_is_quick() -> None:
    modules = loaded("--help")
    assert modules.isdisjoint(HEAVY)
    assert {name for name in modules if name.startswith(("bot.host", "bot.demo.", "webhooks", "projectors"))} == set()


def test_declaring_a_turn_is_quick(tmp_path: Path) -> None:
    """It runs in the agent's own time."""
    (tmp_path / "spool").mkdir()
    modules = loaded("turn", "done", TRACKSIDE_RUN=str(tmp_path))
    assert spool.latest(tmp_path / "spool") == Turn(status="done")
    assert modules.isdisjoint(HEAVY)


def test_checking_playbooks_loads_no_server() -> None:
    assert loaded("playbook", "check", "/nowhere").isdisjoint({"fastapi", "githubkit", "uvicorn", "httpx", "sqlite3"})


def test_the_package_runs_as_a_module() -> None:
    found = subprocess.run([sys.executable, "-m", "bot.cli", "--help"], capture_output=True, text=True, check=True)
    assert "A bot beside an issue tracker" in found.stdout


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ConfigError("data: is missing"), 2),
        (AddressError("cannot listen on 127.0.0.1:8421"), 1),
        (StorageError("the disk is full"), 1),
        (TracksideError(), 1),
    ],
)
def test_what_a_person_can_mend_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: TracksideError, code: int
) -> None:
    async def fails(*_: object, **__: object) -> NoReturn:
        raise error

    assert ended(monkeypatch, fails) == code
    assert capsys.readouterr() == ("", f"trackside: {error}\n")


def test_a_fault_of_ours_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    async def fails(*_: object, **__: object) -> NoReturn:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        ended(monkeypatch, fails)


def ended(monkeypatch: pytest.MonkeyPatch, demo: Demo) -> object:
    """Run ``trackside demo`` with another demo, and return its exit code."""
    monkeypatch.setattr("bot.demo.run.run_demo", demo)
    monkeypatch.setattr(sys, "argv", ["trackside", "demo"])
    with pytest.raises(SystemExit) as caught:
        main()
    return caught.value.code


def test_ctrl_c_is_quiet(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    async def interrupted(*_: object, **__: object) -> NoReturn:
        raise KeyboardInterrupt

    assert ended(monkeypatch, interrupted) not in {0, None}
    out, err = capsys.readouterr()
    assert out == ""
    assert err.strip() in {"", "Aborted.", "Aborted!"}
