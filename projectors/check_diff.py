"""From the checks of ours that stand on commits to those that should, in as few writes as possible. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.storage.checks import ShownCheck
from bot.trackers.checks import Shown
from projectors.checks import mark, outdated


@dataclass(frozen=True, kw_only=True)
class Write:
    """Let a check on a commit say this; ``known`` is the one that stands there."""

    head: str
    shown: Shown
    known: ShownCheck | None


@dataclass(frozen=True, kw_only=True)
class Retire:
    """End a check that is still open on a commit that is not the head any more, and forget it."""

    known: ShownCheck
    shown: Shown | None


def check_diff(
    wanted: Mapping[tuple[str, str], Shown], known: Sequence[ShownCheck], *, app: bool
) -> tuple[Write | Retire, ...]:
    """Return what is to be done, for checks by name and commit: the new ones first, so that none is missing between."""
    there = {(each.name, each.head): each for each in known}
    writes = [
        Write(head=head, shown=shown, known=there.get((name, head)))
        for (name, head), shown in wanted.items()
        if (name, head) not in there or there[name, head].digest != mark(shown, app=app)
    ]
    gone = [each for each in known if (each.name, each.head) not in wanted]
    return (*writes, *(Retire(known=each, shown=None if each.ended else outdated(each.name)) for each in gone))
