"""One plain push, and what its refusal means."""

from __future__ import annotations

from bot.errors import PublishError
from bot.executors.workspace.git import GitError
from bot.executors.workspace.mirror import HeldMirror

_PASSING = ("is at ", "incorrect old value", "failed to update ref", "unpacker error", "internal server error")
"""What a tracker says that could not do it now, such as when two pushes meet."""

_MOST = 500


async def push(mirror: HeldMirror, commit: str, branch: str) -> bool:
    """
    Push a commit to a branch; return False when the branch has moved, and nothing was done.

    Raises ``PublishError``, which is permanent when the tracker forbids it.
    """
    arguments = ("--porcelain", "--quiet", "--no-follow-tags", "--recurse-submodules=no", "--no-signed")
    try:
        await mirror.run("push", *arguments, "--", mirror.mirror.url, f"{commit}:refs/heads/{branch}", reach=True)
    except GitError as error:
        reason = _rejection(error.output)
        if reason is None:
            raise PublishError(f"the branch could not be pushed: {error}") from error
        if reason.startswith("[rejected]"):
            return False
        permanent = not any(words in reason.lower() for words in _PASSING)
        message = f"the tracker refused the push: {_told(reason, error.output)}"
        raise PublishError(message, permanent=permanent) from error
    return True


async def verify(mirror: HeldMirror, commit: str, branch: str) -> None:
    """Look whether the branch on the tracker is at a commit now. Raises ``PublishError`` and ``GitError``."""
    ref = f"refs/heads/{branch}"
    answer = await mirror.run("ls-remote", "--", mirror.mirror.url, ref, reach=True)
    if f"{commit}\t{ref}" not in answer.splitlines():
        raise PublishError("the branch on the tracker is not what was pushed")


def _rejection(output: str) -> str | None:
    """Return why the branch was rejected: the last column of the line that git has for it."""
    lines = (line for line in output.splitlines() if line.startswith("!\t"))
    return next((line.rpartition("\t")[2] for line in lines), None)


def _told(reason: str, output: str) -> str:
    """Return the reason with what the tracker has to say about it."""
    remarks = [line.removeprefix("remote:").strip() for line in output.splitlines() if line.startswith("remote:")]
    return " ".join([reason, *filter(None, remarks)])[:_MOST]
