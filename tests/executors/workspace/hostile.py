"""A workspace in which a run has left everything by which git could be made to run a program."""

from __future__ import annotations

from pathlib import Path

from tests.executors.workspace.repositories import git

_HOOKS = (
    *("applypatch-msg", "pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "pre-rebase", "post-checkout"),
    *("post-merge", "pre-push", "pre-receive", "update", "post-receive", "post-update", "reference-transaction"),
    *("push-to-checkout", "post-rewrite", "fsmonitor-watchman", "post-index-change", "pre-merge-commit"),
)


def arm(workspace: Path, canary: Path) -> None:
    """Leave traps in a workspace; whatever springs one of them touches the canary."""
    trap = workspace / ".git" / "trap"
    trap.write_text(f"#!/bin/sh\ntouch '{canary}'\nexit 1\n", encoding="utf-8")
    trap.chmod(0o755)
    hooks = workspace / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in _HOOKS:
        (hooks / name).write_bytes(trap.read_bytes())
        (hooks / name).chmod(0o755)
    _nest(workspace / "nested", trap)
    for key, value in _settings(trap).items():
        git(workspace, "config", "--local", key, value)
    (workspace / ".gitattributes").write_text("* filter=trap diff=trap merge=trap\n", encoding="utf-8")


def _settings(trap: Path) -> dict[str, str]:
    command = str(trap)
    programs = (
        *("core.fsmonitor", "core.sshCommand", "core.alternateRefsCommand", "core.askPass", "core.editor"),
        *("core.pager", "core.gitProxy", "diff.external", "diff.trap.command", "diff.trap.textconv"),
        *("filter.trap.clean", "filter.trap.smudge", "filter.trap.process", "merge.trap.driver", "gpg.program"),
        *("uploadpack.packObjectsHook", "credential.helper", "sequence.editor", "remote.trap.uploadpack"),
    )
    return dict.fromkeys(programs, command) | {
        "filter.trap.required": "true",
        "commit.gpgSign": "true",
        # Objects that are missing would be fetched, by a program of the run's choice.
        "core.repositoryFormatVersion": "1",
        "extensions.partialClone": "trap",
        "remote.trap.promisor": "true",
        "remote.trap.url": str(trap.parent),
        "core.worktree": "/",
        "core.hooksPath": str(trap.parent / "hooks"),
    }


def _nest(place: Path, trap: Path) -> None:
    """Put a repository into the workspace: git would look into a submodule with that one's configuration."""
    place.mkdir()
    git(place, "init", "--quiet")
    (place / "file").write_text("nested\n", encoding="utf-8")
    git(place, "add", "file")
    git(place, "commit", "--quiet", "-m", "Nested")
    (place / ".gitattributes").write_text("* filter=trap\n", encoding="utf-8")
    git(place, "config", "core.fsmonitor", str(trap))
    git(place, "config", "filter.trap.clean", str(trap))
