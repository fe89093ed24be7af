"""
What the format can say and this version does not do yet.

Such a setting is refused, never passed over: a cap that nothing enforces is worse than none.
"""

from __future__ import annotations

from collections.abc import Iterator

from bot.playbook.playbook import Playbook
from bot.playbook.problem import Problem
from bot.playbook.words import Kind, Sandbox, WaitFor

_KINDS = frozenset({Kind.WORK_ISSUE, Kind.REVIEW_PR})
_AWAITED = frozenset({WaitFor.REVIEW, WaitFor.COMMENT, WaitFor.CHECKS})


def unsupported(playbook: Playbook) -> tuple[Problem, ...]:
    """Return a problem for each setting that is not available yet."""
    return tuple(
        Problem(path=playbook.path, line=1, key=key, message=f"is not available yet{cure}")
        for key, cure in _settings(playbook)
    )


def _settings(playbook: Playbook) -> Iterator[tuple[str, str]]:
    if playbook.kind not in _KINDS:
        yield "kind", "; use work-issue or review-pr"
    if playbook.on is not None and playbook.on.command is not None:
        yield "on.command", "; start by a label"
    if playbook.binding.sandbox not in {None, Sandbox.NONE}:
        yield "binding.sandbox", "; take it out, and run the bot on a machine of its own"
    for word, status in playbook.statuses.items():
        if not _AWAITED.issuperset(status.wait):
            yield f"statuses.{word}.wait", "; wait for review, comment and checks"
