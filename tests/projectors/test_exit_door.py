"""All that is written to the tracker leaves through few files, which take out secrets first (gh-S-05, ag-J14)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.trackers.checks import WriteChecks
from bot.trackers.contract import WritePullRequests, WriteThreads

ROOT = Path(__file__).parents[2]
DOORS = {
    "create_comment": {"projectors/post.py"},
    "update_comment": {"projectors/post.py"},
    "ensure_label": {"projectors/project.py", "projectors/triggers.py"},
    "add_labels": {"projectors/project.py"},
    "remove_label": {"projectors/project.py"},
    "react_to_issue": {"projectors/notes.py"},
    "react_to_comment": {"projectors/notes.py"},
    "create_check": {"projectors/checking.py"},
    "update_check": {"projectors/checking.py"},
    "set_status": {"projectors/checking.py"},
    "create_pull_request": {"bot/publishing/pull_request.py"},
    "update_pull_request": {"bot/publishing/pull_request.py"},
}
"""Each writing method of the tracker's contract, with the only files that may call it."""
ADAPTERS = ("bot/trackers/", "bot/demo/")


def _writing() -> set[str]:
    return {name for port in (WriteThreads, WritePullRequests, WriteChecks) for name in vars(port) if name[0] != "_"}


def _calls() -> Iterator[tuple[str, str]]:
    methods = _writing()
    for package in ("bot", "projectors", "webhooks"):
        for path in sorted((ROOT / package).rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            if name.startswith(ADAPTERS):
                continue
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Attribute) and node.attr in methods:
                    yield node.attr, name


CALLS = sorted(set(_calls()))


@pytest.mark.parametrize(("method", "file"), CALLS)
def test_what_writes_to_the_tracker_is_one_of_the_doors(method: str, file: str) -> None:
    assert file in DOORS.get(method, set())


def test_every_door_is_in_use() -> None:
    assert set(CALLS) == {(method, file) for method, files in DOORS.items() for file in files}
