"""Making the commit of a merge in a bare repository, without a working tree."""

from __future__ import annotations

import enum
from pathlib import Path

from bot.trackers.embedded import branches
from bot.trackers.embedded.comparing import merged_tree
from bot.trackers.embedded.git import Signature, git


class Method(enum.Enum):
    """How a pull request is merged."""

    MERGE = "merge"
    SQUASH = "squash"


async def merge(
    directory: Path, branch: str, *, base: str, head: str, message: str, by: Signature, method: Method
) -> str | None:
    """
    Merge ``head`` into ``branch``, which must still point to ``base``, and return the new tip.

    None when there are conflicts. Raises ``GitError``, also when the branch was moved meanwhile.
    """
    tree = await merged_tree(directory, base, head)
    if tree is None:
        return None
    parents = ["-p", base] if method is Method.SQUASH else ["-p", base, "-p", head]
    made = await git(directory, "commit-tree", tree, *parents, stdin=message.encode(), environment=by.environment())
    sha = made.decode().strip()
    await branches.move(directory, branch, new=sha, old=base)
    return sha
