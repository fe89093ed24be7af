"""The body of the one pull request of a Work."""

from __future__ import annotations

from bot.domain.work import Work
from bot.views.markers import marker
from projectors.safe import Safe
from projectors.size import COMMENT_LIMIT

_ROOM = COMMENT_LIMIT - 2_000


def pull_request_body(work: Work, comment: str, safe: Safe) -> str:
    """Return what the agent says, made safe, and what the host alone may say: which issue this closes."""
    said = safe.block(comment, limit=_ROOM)
    footer = (
        f"<sub>Made by Trackside for #{work.number} · {safe.code(work.playbook)} · started by "
        f"{safe.line(work.starter.login)}</sub>"
    )
    parts = [marker(f"pull:{work.id}"), said, f"Closes #{work.number}", footer]
    return "\n\n".join(part for part in parts if part)
