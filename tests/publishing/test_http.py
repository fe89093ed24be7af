"""Over HTTP each step is done with the token of its moment, and none is left behind."""

from __future__ import annotations

import secrets
from dataclasses import replace
from pathlib import Path

import pytest

from bot.errors import PublishError
from bot.executors.workspace.git import Git
from bot.executors.workspace.workspaces import Workspaces
from bot.publishing.branch import PublishedBranch, push_branch
from tests.executors.workspace.repositories import Remote, commit
from tests.publishing.conftest import BRANCH, WORK
from tests.publishing.http_remote import Door, door


class Minting:
    """Gives the token that the door knows, and remembers for what."""

    def __init__(self, opened: Door) -> None:
        self._door = opened
        self.asked: list[str] = []

    async def __call__(self, remote: str) -> str:
        self.asked.append(remote)
        return self._door.token


def holding(place: Path, tokens: list[str]) -> list[Path]:
    """Return the files below a directory that hold one of the tokens."""
    files = [path for path in place.rglob("*") if path.is_file()]
    return [path for path in files for token in tokens if token.encode() in path.read_bytes()]


# ag-I01, gh-K-01
async def test_a_run_that_outlives_the_token_it_began_with_is_pushed_and_no_token_is_in_any_file(
    remote: Remote, tmp_path: Path
) -> None:
    with door(remote.path.parent) as opened:
        url = opened.address(remote.path.stem)
        minting = Minting(opened)
        workspaces = Workspaces(root=tmp_path / "workspaces", git=Git(token=minting))
        tokens = [secrets.token_hex(20) for _ in range(2)]

        opened.token = tokens[0]
        workspace = await workspaces.prepare(replace(remote.source, url=url), WORK, BRANCH)
        made = commit(workspace.path, {"a.txt": "a\n"}, "One")
        opened.token = tokens[1]
        branch = await push_branch(workspace, "main")

    assert branch == PublishedBranch(head_sha=made, changed=True, uncommitted=())
    assert remote.tip(BRANCH) == made
    assert set(minting.asked) == {url}
    assert opened.let_in > 0
    assert holding(tmp_path, tokens) == []


# gh-S-03
async def test_a_token_that_is_not_taken_fails_and_is_told_to_nobody(remote: Remote, tmp_path: Path) -> None:
    with door(remote.path.parent) as opened:
        workspaces = Workspaces(root=tmp_path / "workspaces", git=Git(token=Minting(opened)))
        source = replace(remote.source, url=opened.address(remote.path.stem))
        opened.token = secrets.token_hex(20)
        workspace = await workspaces.prepare(source, WORK, BRANCH)
        commit(workspace.path, {"a.txt": "a\n"}, "One")
        wrong = Door(remote.path, token=secrets.token_hex(20))
        mirror = replace(workspace.mirror, git=Git(token=Minting(wrong)))

        with pytest.raises(PublishError) as caught:
            await push_branch(replace(workspace, mirror=mirror), "main")

    assert not caught.value.permanent
    assert wrong.token not in str(caught.value)
    assert remote.tip(BRANCH) is None
