"""Title and body of the one pull request of a Work."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from bot.clock import Millis
from bot.domain.work import Work
from bot.views.markers import marker
from bot.views.thread import AttemptView, UsageView
from projectors.figures import usage
from projectors.moments import Words
from projectors.neutralise import GAP
from projectors.safe import Safe
from projectors.settings import Settings
from projectors.size import COMMENT_LIMIT, size
from projectors.tidy import one_line
from projectors.truncate import shorten
from projectors.turns import turn_log

_ROOM = COMMENT_LIMIT - 2_000
_ANOTHER_DAY = Millis(0)
"""When the body is read, nobody knows; so each time in it stands with its day."""
_TITLE_LIMIT = 256
"""Characters; the tracker takes no longer title."""
_REFERENCE = re.compile(r"(?:#|\bGH-|/(?:issues|pull)/)(?=[0-9])|@(?=\w)", re.IGNORECASE)


def pull_request_title(work: Work, safe: Safe) -> str:
    """
    Return the issue's title as plain text that refers to nothing and hides nothing.

    When people squash, it becomes the subject of a commit, and a closing word there would close what it names.
    """
    title = _REFERENCE.sub(lambda found: found[0] + GAP, one_line(safe.redactor.redact(work.instructions.title)))
    return shorten(title, _TITLE_LIMIT) or f"Issue {work.number}"


def pull_request_body(work: Work, comment: str, safe: Safe, log: Sequence[AttemptView] = ()) -> str:
    """
    Return what the agent says, made safe, and what the host alone may say: which issue this closes.

    ``log`` are the attempts that have ended.
    """
    tried = turn_log(log, Words(settings=Settings(safe=safe), now=_ANOTHER_DAY), room=_ROOM // 4)
    said = safe.block(comment, limit=_ROOM - size(tried))
    facts = [
        f"Made by Trackside, run {work.run} for #{work.number}",
        safe.code(work.playbook),
        f"started by {safe.line(work.starter.login)}",
        *usage(_used(work)),
    ]
    footer = f"<sub>{' · '.join(facts)}</sub>"
    parts = [marker(f"pull:{work.id}"), said, tried, f"Closes #{work.number}", footer]
    return "\n\n".join(part for part in parts if part)


def _used(work: Work) -> UsageView:
    """Return what the attempts before this one used: that of the one that publishes is counted when it ends."""
    units = {unit: amount for unit, amount in work.usage.items() if unit != "minutes"}
    minutes = math.ceil(work.usage.get("minutes", 0.0))
    return UsageView(attempts=work.attempts, turns=work.attempts, minutes=minutes, units=units)
