from __future__ import annotations

import json
import os
import secrets
import signal
from pathlib import Path

import pytest

from bot.domain.result import Result
from bot.domain.turn import Turn
from bot.errors import ConfigError, ExecutorError
from bot.executors.shell.executor import ShellExecutor
from bot.executors.toolbelt import spool
from tests.executors.orders import EXECUTION, Host, order
from tests.executors.supervised import run_directory


async def result_of(executor: ShellExecutor, work: Path, config: dict[str, object], **changes: object) -> Result:
    handle = await executor.run(order(work, config, **changes), Host().context)
    return await handle.wait()


def output(state: Path) -> bytes:
    return run_directory(state, EXECUTION).log.read_bytes()


def entries(directory: Path) -> list[Path]:
    return list(directory.iterdir())


def files_with(state: Path, content: bytes) -> list[Path]:
    return [path for path in state.rglob("*") if path.is_file() and content in path.read_bytes()]


@pytest.mark.parametrize(
    ("script", "ok", "summary"),
    [
        ("exit 0", True, "exit code 0"),
        ("exit 3", False, "exit code 3"),
        ("kill -KILL $$", False, "killed by signal 9 (SIGKILL)"),
        # the shell would report 128 + 15 for a child; here it is the command itself
        ("kill -TERM $$", False, "killed by signal 15 (SIGTERM)"),
        # the script ends at the first failure, and at a variable that is not set
        ("false; exit 0", False, "exit code 1"),
    ],
)
async def test_an_end_is_said_in_one_line(
    executor: ShellExecutor, work: Path, script: str, *, ok: bool, summary: str
) -> None:
    result = await result_of(executor, work, {"script": script})
    assert (result.ok, result.summary) == (ok, summary)


# C-166, C-168
async def test_a_run_is_measured_in_minutes(executor: ShellExecutor, work: Path) -> None:
    result = await result_of(executor, work, {"command": ["true"]})
    assert result.units.keys() == {"minutes"}
    assert 0 <= result.units["minutes"] < 1


@pytest.mark.parametrize("command", ["no-such-program", "/etc/passwd"])
async def test_a_program_that_cannot_be_started_fails_for_good(
    executor: ShellExecutor, work: Path, command: str
) -> None:  # C-114, C-116
    with pytest.raises(ExecutorError, match=command) as raised:
        await result_of(executor, work, {"command": [command]})
    assert raised.value.permanent
    adopted = await executor.recover(order(work, {}), {})
    assert (await adopted.wait()).permanent


async def test_a_directory_that_is_missing_may_be_there_at_the_next_try(executor: ShellExecutor, work: Path) -> None:
    with pytest.raises(ExecutorError, match="elsewhere") as raised:
        await result_of(executor, work / "elsewhere", {"command": ["true"]})
    assert not raised.value.permanent


async def test_output_is_kept_byte_for_byte(executor: ShellExecutor, work: Path, state: Path) -> None:
    script = r"printf 'out \377\376\000'; printf 'err' >&2"
    assert (await result_of(executor, work, {"script": script})).ok
    assert output(state) == b"out \xff\xfe\0err"


async def test_a_program_may_write_more_than_any_pipe_holds(executor: ShellExecutor, work: Path, state: Path) -> None:
    assert (await result_of(executor, work, {"command": ["head", "-c", "8000000", "/dev/zero"]})).ok
    assert len(output(state)) == 8_000_000


async def test_a_program_reads_nothing_from_standard_input(executor: ShellExecutor, work: Path) -> None:
    assert (await result_of(executor, work, {"command": ["cat"]})).ok


async def test_signals_are_as_a_program_expects_them(executor: ShellExecutor, work: Path, state: Path) -> None:
    await result_of(executor, work, {"command": ["grep", "-E", "Sig(Blk|Ign)", "/proc/self/status"]})
    masks = [line.split()[1] for line in run_directory(state, EXECUTION).log.read_text().splitlines()]
    assert [int(mask, 16) & 1 << signal.SIGPIPE - 1 for mask in masks] == [0, 0]
    assert int(masks[0], 16) == 0


# ag-G04
async def test_what_a_program_leaves_behind_ends_with_it(
    executor: ShellExecutor, work: Path, state: Path
) -> None:  # C-78, ag-K08
    """The state fixture proves it: nothing that bears the run's mark is left."""
    result = await result_of(executor, work, {"script": "(setsid tail -f /dev/null &); exit 0"})
    assert result.ok
    assert (state / "runs").is_dir()


async def test_text_of_strangers_stays_text(executor: ShellExecutor, work: Path, state: Path) -> None:  # ag-K03
    title = "\"; $(touch pwned) `touch pwned`; touch pwned; '\n$(touch pwned)"
    config: dict[str, object] = {"script": 'cat "$TRACKSIDE_PROMPT"; printf %s "$TITLE"'}
    result = await result_of(executor, work, config, prompt=title, environment={"TITLE": title})
    assert result.ok
    assert run_directory(state, EXECUTION).log.read_text() == title * 2
    assert entries(work) == []


async def test_an_argument_is_not_read_by_a_shell(executor: ShellExecutor, work: Path, state: Path) -> None:
    hostile = "$(touch pwned); {prompt} {{ item.title }}"
    await result_of(executor, work, {"command": ["printf", "%s", hostile]})
    assert run_directory(state, EXECUTION).log.read_text() == hostile
    assert entries(work) == []


async def test_a_run_knows_its_order_and_nothing_of_the_hosts_secrets(state: Path, work: Path) -> None:  # ag-K04
    secret, token = secrets.token_hex(), secrets.token_hex()
    host = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "EDITOR": "ed", "WEBHOOK_SECRET": secret}
    executor = ShellExecutor(state, host=host)
    config: dict[str, object] = {
        "command": ["env", "-0"],
        "env": {"COLOUR": "never"},
        "inherit": ["PATH", "EDITOR", "ABSENT"],
    }
    order_of = {"token": token, "attempt": 2, "api": "http://127.0.0.1:1", "allowance": {"usd": 2.5}}
    await result_of(executor, work, config, environment={"GIVEN": "1"}, **order_of)
    run = run_directory(state, EXECUTION)
    found = dict(line.split("=", 1) for line in run.log.read_text().rstrip("\0").split("\0"))
    assert found.pop("PATH") == f"{state / 'bin'}:{host['PATH']}"
    assert found == {
        "EDITOR": "ed",
        "COLOUR": "never",
        "GIVEN": "1",
        "TRACKSIDE_RUN": str(run.path),
        "TRACKSIDE_PROMPT": str(run.prompt),
        "TRACKSIDE_PREVIOUS": str(run.previous),
        "TRACKSIDE_WORK": "wrk-0000000000000001",
        "TRACKSIDE_ATTEMPT": "2",
        "TRACKSIDE_ALLOWANCE": '{"usd": 2.5}',
        "TRACKSIDE_API": "http://127.0.0.1:1",
        "TRACKSIDE_RUN_TOKEN": token,
    }


async def test_neither_token_nor_environment_is_written_to_disk(state: Path, work: Path) -> None:  # C-26
    token = secrets.token_hex()
    config: dict[str, object] = {"command": ["true"]}
    await result_of(ShellExecutor(state), work, config, token=token, environment={"KEY": token})
    assert files_with(state, b"exe-0000000000000001/1") != []
    assert files_with(state, token.encode()) == []


async def test_files_of_a_run_are_for_this_user_only(executor: ShellExecutor, work: Path, state: Path) -> None:
    await result_of(executor, work, {"command": ["true"]})
    run = run_directory(state, EXECUTION)
    assert [path for path in (state, run.path) if path.stat().st_mode & 0o077] == []
    assert [path for path in run.path.rglob("*") if path.stat().st_mode & 0o077] == []


async def test_earlier_turns_are_handed_on(executor: ShellExecutor, work: Path, state: Path) -> None:
    previous = {"status": "review", "comment": "ö"}
    await result_of(executor, work, {"script": 'cat "$TRACKSIDE_PREVIOUS"'}, previous=previous)
    assert json.loads(run_directory(state, EXECUTION).log.read_text()) == previous


async def test_the_command_in_a_runs_path_is_this_installation(
    executor: ShellExecutor, work: Path, state: Path
) -> None:
    """Even where the run's own directory has a package of the same name."""
    (work / "bot").mkdir()
    (work / "bot" / "__init__.py").write_text("raise SystemExit('not this one')")
    await result_of(executor, work, {"script": "command -v trackside; trackside turn --help"})
    log = run_directory(state, EXECUTION).log.read_text()
    assert log.startswith(f"{state}/bin/trackside\n")
    assert "not this one" not in log


async def test_a_spooled_turn_is_the_results_turn(executor: ShellExecutor, work: Path, state: Path) -> None:
    handle = await executor.run(order(work, {"command": ["true"]}), Host().context)
    spool.put(run_directory(state, EXECUTION).spool, Turn(status="review", comment="Please look."))
    assert (await handle.wait()).turn == Turn(status="review", comment="Please look.")


# gh-Z-26
async def test_another_order_under_the_same_attempt_and_epoch_is_refused(executor: ShellExecutor, work: Path) -> None:
    await result_of(executor, work, {"command": ["true"]})
    with pytest.raises(ExecutorError) as raised:
        await result_of(executor, work, {"command": ["true"]}, key="another")
    assert raised.value.code == "conflict"


async def test_an_execution_id_is_no_path(executor: ShellExecutor, work: Path) -> None:
    with pytest.raises(ValueError, match="not the id"):
        await result_of(executor, work, {"command": ["true"]}, execution="../elsewhere")


def test_one_class_serves_several_names_and_pools(state: Path) -> None:
    plain, agents = ShellExecutor(state), ShellExecutor(state, name="my-agent", pool="agents")
    assert (plain.name, plain.pool) == ("shell", "jobs")
    assert (agents.name, agents.pool) == ("my-agent", "agents")


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({}, "config: .*either 'command'"),
        ({"command": ["a"], "script": "b"}, "config: .*either 'command'"),
        ({"command": []}, "command: "),
        ({"command": [""]}, "names a program"),
        ({"command": "make test"}, "command: "),
        ({"command": ["make", 3]}, r"command\.1: "),
        ({"command": ["a\0b"]}, r"command\.0: .*null byte"),
        ({"script": ""}, "script: "),
        ({"script": "x", "env": {"A": 1}}, r"env\.A: "),
        ({"script": "x", "env": {"A-B": "1"}}, r"env\.A-B"),
        ({"script": "x", "env": {"TRACKSIDE_TOKEN": "1"}}, "set by Trackside"),
        ({"script": "x", "inherit": ["TRACKSIDE_KEY"]}, r"inherit\.0: .*set by Trackside"),
        ({"script": "x", "shell": "bash"}, "shell: "),
    ],
)
def test_a_wrong_config_is_named_by_its_key(executor: ShellExecutor, config: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        executor.check(config)


def test_a_wrong_value_is_not_repeated_as_it_may_be_a_secret(executor: ShellExecutor) -> None:
    secret = secrets.token_hex() + "\0"
    with pytest.raises(ConfigError) as raised:
        executor.check({"script": "x", "env": {"KEY": secret}})
    assert secret not in str(raised.value)


@pytest.mark.parametrize("config", [{"command": ["make", "test"]}, {"script": "make", "env": {"A": "b"}}])
def test_a_right_config_is_accepted(executor: ShellExecutor, config: dict[str, object]) -> None:
    executor.check(config)
