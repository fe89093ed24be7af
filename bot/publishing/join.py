"""Bringing together what a run committed and what the branch on the tracker has, without losing either."""

from __future__ import annotations

import asyncio

from bot.errors import PublishError
from bot.executors.workspace.discard import discard
from bot.executors.workspace.git import GitError
from bot.executors.workspace.mirror import HeldMirror

_CONFLICT = 1
"""The exit status of a rebase or merge that stopped at a conflict."""


async def replace(mirror: HeldMirror, commit: str, earlier: str) -> str:
    """
    Return a commit with the content of ``commit`` that follows both it and ``earlier``.

    For a run that wrote its own commits anew: its branch may be pushed plainly then. Raises ``GitError``.
    """
    message = "Take the place of what was published before"
    return await mirror.run("commit-tree", f"{commit}^{{tree}}", "-p", commit, "-p", earlier, "-m", message)


async def put_on_top(mirror: HeldMirror, commit: str, onto: str, base: str) -> str:
    """
    Return a commit that has the changes of ``commit`` on top of ``onto``.

    The commits are rebased where they are all the run's own and in a line. Where some are of ``base``, or are
    merges, a rebase would copy them, so both are merged. It happens in a directory that no run has touched. Raises
    ``PublishError``, which is permanent, for a conflict, and ``GitError``.
    """
    beyond = await mirror.count(commit, f"^{onto}")
    own = await mirror.count("--no-merges", commit, f"^{onto}", f"^{base}")
    merge = ("merge", "--quiet", "-m", "Merge what others pushed to this branch", onto)
    command = ("rebase", "--quiet", onto) if own == beyond else merge
    place = mirror.mirror.scratch / "join"
    await mirror.run("worktree", "add", "--quiet", "--force", "--detach", str(place), commit)
    try:
        await mirror.run_in(place, *command)
        return await mirror.run_in(place, "rev-parse", "HEAD")
    except GitError as error:
        if error.status != _CONFLICT:
            raise
        message = "the branch was changed by others, and what the run committed does not fit on top of it"
        raise PublishError(message, permanent=True) from error
    finally:
        await asyncio.to_thread(discard, place)
        await mirror.run("worktree", "prune")
