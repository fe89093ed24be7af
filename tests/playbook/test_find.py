from __future__ import annotations

import os
from pathlib import Path

import pytest

from bot.errors import PlaybookError
from bot.playbook.find import builtin, load_all, load_directory, load_files
from tests.playbook.samples import SMALL, changed

OTHER = changed(("name: tidy", "name: other"), ("run:tidy", "run:other"), ("command: tidy", "command: other"))


def write(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    return folder


def test_every_markdown_file_of_a_folder_is_a_playbook_but_its_readme(tmp_path: Path) -> None:
    write(tmp_path, b_tidy=SMALL, a_other=OTHER, README="# Playbooks\n")
    (tmp_path / "notes.txt").write_text("no playbook", encoding="utf-8")
    loaded = load_directory(tmp_path)
    assert [playbook.name for playbook in loaded.require()] == ["other", "tidy"]
    assert loaded.playbooks[0].path == f"{tmp_path}/a_other.md"


def test_a_broken_file_hides_no_good_one_and_all_are_reported(tmp_path: Path) -> None:
    write(tmp_path, good=SMALL, bad="nothing\n", worse=changed(("20m", "soon"), ("need: 1", "need: 0")))
    loaded = load_directory(tmp_path)
    assert [playbook.name for playbook in loaded.playbooks] == ["tidy"]
    with pytest.raises(PlaybookError) as raised:
        loaded.require()
    places = [line.removeprefix(f"{tmp_path}/").split(": ")[0] for line in str(raised.value).splitlines()]
    assert places == ["bad.md:1", "worse.md:7", "worse.md:14"]


@pytest.mark.parametrize(
    ("second", "message"),
    [
        (OTHER.replace("name: other", "name: tidy"), "two.md:1: name: 'tidy' is taken by one.md"),
        (OTHER.replace("run:other", "Run:Tidy"), "two.md:1: on.label: 'Run:Tidy' is taken by one.md"),
        (OTHER.replace("command: other", "command: tidy"), "two.md:1: on.command: 'tidy' is taken by one.md"),
    ],
)
def test_two_playbooks_that_answer_to_the_same_are_a_problem(second: str, message: str) -> None:
    loaded = load_files([("one.md", SMALL.encode()), ("two.md", second.encode())])
    assert [str(problem) for problem in loaded.problems] == [message]
    assert [playbook.path for playbook in loaded.playbooks] == ["one.md"]


def test_two_different_playbooks_are_no_problem() -> None:
    assert load_files([("one.md", SMALL.encode()), ("two.md", OTHER.encode())]).problems == ()


def test_playbooks_without_a_trigger_do_not_clash() -> None:
    job = SMALL.replace('on: {label: "run:tidy", command: tidy}\n', "kind: job\n").replace("kind: work-issue\n", "")
    again = job.replace("name: tidy", "name: again")
    assert load_files([("one.md", job.encode()), ("two.md", again.encode())]).problems == ()


def test_a_folder_that_is_not_there_is_a_problem(tmp_path: Path) -> None:
    with pytest.raises(PlaybookError, match="No such file or directory"):
        load_directory(tmp_path / "missing").require()


def test_files_and_folders_are_loaded_together(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    write(folder, other=OTHER, README="# Playbooks\n")
    write(tmp_path, tidy=SMALL, again=SMALL)
    loaded = load_all([tmp_path / "tidy.md", folder, tmp_path / "again.md", tmp_path / "missing.md"])
    assert [playbook.name for playbook in loaded.playbooks] == ["tidy", "other"]
    assert str(loaded.problems[0]) == f"{tmp_path}/missing.md:1: No such file or directory"
    assert {problem.path for problem in loaded.problems[1:]} == {f"{tmp_path}/again.md"}


def test_what_is_no_regular_file_is_a_problem_and_blocks_nothing(tmp_path: Path) -> None:
    write(tmp_path, good=SMALL)
    os.mkfifo(tmp_path / "pipe.md")
    (tmp_path / "folder.md").mkdir()
    (tmp_path / "gone.md").symlink_to(tmp_path / "missing")
    loaded = load_directory(tmp_path)
    assert len(loaded.playbooks) == 1
    assert len(loaded.problems) == 3


def test_the_playbooks_of_the_package_are_good() -> None:
    assert "work-issue" in [playbook.name for playbook in builtin()]
