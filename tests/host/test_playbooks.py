"""Which playbooks a host takes."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.errors import ConfigError
from bot.host.executors import executors
from bot.host.playbooks import load_playbooks

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
Tidy up.
"""


def load(*paths: Path) -> list[str]:
    return sorted(load_playbooks(paths, executors(Path("/nowhere"), grace=1)))


def refusal(path: Path) -> list[str]:
    """Return the lines of the one error that a playbook or directory is refused with, without its path."""
    with pytest.raises(ConfigError) as caught:
        load(path)
    return [line.removeprefix(str(path)) for line in str(caught.value).splitlines()]


def write(directory: Path, name: str = "tidy.md", *changes: tuple[str, str]) -> Path:
    text = GOOD
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path = directory / name
    path.write_text(text)
    return path


def test_a_playbook_of_ones_own_replaces_the_built_in_ones(tmp_path: Path) -> None:
    assert load() == ["review-pr", "work-issue"]
    assert load(write(tmp_path)) == ["tidy"]


def test_an_executor_that_is_not_there_is_said_with_those_that_are(tmp_path: Path) -> None:
    path = write(tmp_path, "tidy.md", ('{executor: shell, command: ["true"]}', "{executor: codex}"))
    assert refusal(path) == [":1: binding.executor: there is no executor 'codex'; there are: shell"]


@pytest.mark.parametrize(
    ("binding", "expected"),
    [
        ("{executor: shell}", "give either 'command' (a list of arguments) or 'script' (text for /bin/sh)"),
        ("{executor: shell, command: [1]}", "command.0: Input should be a valid string"),
        ("{executor: shell, script: x, shell: bash}", "shell: Extra inputs are not permitted"),
    ],
)
def test_a_binding_that_the_executor_cannot_run_is_said(tmp_path: Path, binding: str, expected: str) -> None:
    (line,) = refusal(write(tmp_path, "tidy.md", ('{executor: shell, command: ["true"]}', binding)))
    assert line.startswith(":1: binding: ")
    assert expected in line


def test_a_setting_that_nothing_enforces_yet_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "tidy.md", ("on: {label", "on: {command: tidy, label"))
    assert refusal(path) == [":1: on.command: is not available yet; start by a label"]


def test_everything_that_is_wrong_is_said_in_one_error(tmp_path: Path) -> None:
    write(tmp_path, "a.md", ("name: tidy", "name: one"), ("run:tidy", "run:one"), ("shell", "codex"))
    write(tmp_path, "b.md", ("name: tidy", "name: two"), ("run:tidy", "run:two"), (", command", ", commands"))
    write(tmp_path, "c.md")
    lines = refusal(tmp_path)
    assert [line.partition(":")[0] for line in lines] == ["/a.md", "/b.md"]


def test_a_playbook_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path / "none.md") == [":1: No such file or directory"]
    (tmp_path / "broken.md").write_text("no front matter")
    assert len(refusal(tmp_path / "broken.md")) == 1


def test_a_directory_without_a_playbook_is_refused(tmp_path: Path) -> None:
    """A bot that waits for no label at all would look healthy and do nothing."""
    with pytest.raises(ConfigError, match=r"^there is no playbook in "):
        load(tmp_path)
