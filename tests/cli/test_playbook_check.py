"""``trackside playbook check``: what it says, and its exit code."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bot.cli.main import app

ROOT = Path(__file__).parents[2]
GOOD = """\
---
name: tidy
on: {label: "run:tidy"}
kind: work-issue
running: tidying
default: done
binding: {executor: shell, command: ["true"]}
statuses:
  tidying: {}
  done: {complete: true}
---
Tidy up {{ item.title }}.
"""


@dataclass(frozen=True)
class Said:
    code: int
    out: list[str]
    err: list[str]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def check(*paths: str) -> Said:
    answer = CliRunner().invoke(app, ["playbook", "check", *paths])
    return Said(answer.exit_code, answer.stdout.splitlines(), answer.stderr.splitlines())


def write(path: str, *changes: tuple[str, str]) -> None:
    text = GOOD
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    Path(path).write_text(text)


def test_a_good_playbook_is_fine() -> None:
    write("tidy.md")
    assert check("tidy.md") == Said(0, ["tidy.md: tidy is fine"], [])


def test_a_fault_is_said_with_file_line_and_key() -> None:
    write("tidy.md", ("running: tidying", "runing: tidying"))
    said = check("tidy.md")
    assert (said.code, said.out) == (1, [])
    assert said.err == ["tidy.md:5: runing: unknown key; did you mean 'running'?"]


def test_a_setting_that_this_version_does_not_have_is_a_fault() -> None:
    write("tidy.md", ("command: ", "sandbox: bubblewrap, command: "))
    assert check("tidy.md") == Said(
        1,
        [],
        ["tidy.md:1: binding.sandbox: is not available yet; take it out, and run the bot on a machine of its own"],
    )


def test_an_executor_that_is_not_there_is_a_fault() -> None:
    """What is called fine here must not be refused by ``serve``."""
    write("tidy.md", ('shell, command: ["true"]', "codex"))
    assert check("tidy.md") == Said(
        1, [], ["tidy.md:1: binding.executor: there is no executor 'codex'; there are: shell"]
    )


def test_a_binding_that_its_executor_cannot_run_is_a_fault() -> None:
    write("tidy.md", ("command: ", "commands: "))
    said = check("tidy.md")
    assert (said.code, said.out) == (1, [])
    (line,) = said.err
    assert line.startswith("tidy.md:")
    assert "commands" in line


def test_advice_is_no_fault() -> None:
    write("tidy.md", ("  done: {complete: true}", "  done: {complete: true}\n  parked: {}"))
    assert check("tidy.md") == Said(
        0,
        ["tidy.md: tidy is fine"],
        ["tidy.md: statuses.parked: neither ends the work nor says what wakes it"],
    )


def test_a_broken_playbook_does_not_hide_the_good_ones() -> None:
    Path("books").mkdir()
    write("books/a.md", ("name: tidy", "name: first"), ("run:tidy", "run:first"))
    write("books/b.md", ("kind: work-issue", "kind: workissue"))
    write("c.md", ("name: tidy", "name: third"), ("run:tidy", "run:third"))
    said = check("books", "c.md")
    assert (said.code, said.out) == (1, ["books/a.md: first is fine", "c.md: third is fine"])
    assert [line.split(": ")[:2] for line in said.err] == [["books/b.md:4", "kind"]]


def test_playbooks_that_fight_for_a_label_are_a_fault() -> None:
    write("a.md")
    write("b.md", ("name: tidy", "name: other"))
    assert check("a.md", "b.md") == Said(1, ["a.md: tidy is fine"], ["b.md:1: on.label: 'run:tidy' is taken by a.md"])


def test_a_path_that_is_not_there_is_a_fault() -> None:
    assert check("none.md") == Said(1, [], ["none.md:1: No such file or directory"])


def test_a_place_without_a_playbook_is_said() -> None:
    Path("empty").mkdir()
    assert check("empty") == Said(1, [], ["there is no playbook in empty"])


def test_the_built_in_playbook_and_the_demos_are_fine() -> None:
    said = check(str(ROOT / "playbooks"), str(ROOT / "bot" / "demo" / "playbook.md"))
    assert said.err == [
        f"{ROOT}/bot/demo/playbook.md:1: {key} is taken by {ROOT}/playbooks/work-issue.md"
        for key in ("name: 'work-issue'", "on.label: 'run:work-issue'")
    ], "both are for the same label, and neither has another fault"
    assert said.out == [f"{ROOT}/playbooks/{name}.md: {name} is fine" for name in ("review-pr", "work-issue")]
    alone = check(str(ROOT / "bot" / "demo" / "playbook.md"))
    assert (alone.code, alone.err) == (0, [])
