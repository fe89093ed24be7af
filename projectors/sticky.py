"""The one comment of an item that is edited in place: a section for each playbook that runs or ran on it."""

from __future__ import annotations

from collections.abc import Iterator

from bot.clock import Millis
from bot.views.markers import marker
from bot.views.thread import ThreadState, ThreadView, WorkView
from projectors.figures import usage
from projectors.fold import fold
from projectors.moments import Words, moment
from projectors.settings import Settings
from projectors.size import COMMENT_LIMIT, size
from projectors.turns import turn_log

MOST_SECTIONS = 10
_SPACE_OF_FRAME = 200
"""What stands around a fold, and then some."""


def sticky_key(view: ThreadView) -> str:
    """Return the key of an item's sticky comment."""
    return f"sticky:{view.item}"


def sticky(view: ThreadView, settings: Settings, now: Millis) -> str | None:
    """
    Return the comment's text, or None when there is nothing to say.

    It never exceeds the tracker's limit: what agents said shares the space that is left, equally.
    """
    if not view.sections:
        return None
    words = Words(settings=settings, now=now)
    works = _shown(view)
    left_out = len(view.sections) - len(works)
    head = marker(sticky_key(view), settings.instance)
    tail = [*_left_alone(view, words), *([f"{left_out} earlier runs are not shown."] if left_out else [])]
    bare = _joined(head, [_section(work, words, room=0) for work in works], tail)
    room = (COMMENT_LIMIT - size(bare)) // len(works) - _SPACE_OF_FRAME
    return _joined(head, [_section(work, words, room=room) for work in works], tail)


def footer(work: WorkView, settings: Settings) -> str:
    """Return the small line below a section: what was used, and where to find more."""
    pull = [f"pull request #{work.pull_request}"] if work.pull_request is not None else []
    details = [f"[details]({work.details_url})"] if work.details_url is not None else []
    more = ["`/help`"] if settings.offers("help") else []
    facts = [*pull, *usage(work.usage), *details, *more]
    return f"<sub>{' · '.join(facts)}</sub>" if facts else ""


def _left_alone(view: ThreadView, words: Words) -> Iterator[str]:
    if view.labels_left_until is not None:
        until = words.time(view.labels_left_until)
        yield f"The labels are left as they are until {until}, since something else keeps changing them back."


def _shown(view: ThreadView) -> tuple[WorkView, ...]:
    """Return the sections to show: of very many, those that live and then the latest."""
    if len(view.sections) <= MOST_SECTIONS:
        return view.sections
    ranked = sorted(enumerate(view.sections), key=lambda entry: (entry[1].state.ended, -entry[0]))
    return tuple(work for _, work in sorted(ranked[:MOST_SECTIONS], key=lambda entry: entry[0]))


def _joined(head: str, sections: list[str], tail: list[str]) -> str:
    return f"{head}\n" + "\n\n---\n\n".join([*sections, *tail])


def _section(work: WorkView, words: Words, *, room: int) -> str:
    now = moment(work, words)
    title = [now.title, words.name(work.playbook), *([now.aside] if now.aside else [])]
    run = [f"run {work.run}"] if work.run > 1 else []
    return "\n\n".join(
        part
        for part in (
            " · ".join([*title, *run]),
            " ".join(filter(None, now.sentences)),
            *_folds(work, words, room),
            footer(work, words.settings),
        )
        if part
    )


def _folds(work: WorkView, words: Words, room: int) -> list[str]:
    """Return what is folded: what was tried, and what the agent said, unless it stands in a comment of its own."""
    folds = [turn_log(work.log, words, room=room // 2)]
    asked = work.notify and work.state in {ThreadState.WAITING, ThreadState.COMPLETED}
    left = room - sum(map(size, folds))
    if work.comment and not asked and left > 0:
        said = words.settings.safe.block(work.comment, limit=left, full=work.details_url)
        folds.append(fold("What the agent said", said) if said else "")
    return folds
