"""The one comment of an item that is edited in place: a section for each playbook that runs or ran on it."""

from __future__ import annotations

from bot.clock import Millis
from bot.views.markers import marker
from bot.views.thread import ThreadState, ThreadView, WorkView
from projectors.figures import usage
from projectors.moments import Words, moment
from projectors.settings import Settings
from projectors.size import COMMENT_LIMIT, size

MOST_SECTIONS = 10
_MOST_FAILURES = 20
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
    head, tail = marker(sticky_key(view)), [f"{left_out} earlier runs are not shown."] if left_out else []
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
    """Return what is folded: what the agent said, unless it stands in a comment of its own, and what was tried."""
    folds = [_tried(work, words, room // 2)] if work.state is ThreadState.EXHAUSTED else []
    asked = work.state is ThreadState.WAITING and work.notify
    left = room - sum(map(size, folds))
    if work.comment and not asked and left > 0:
        said = words.settings.safe.block(work.comment, limit=left, full=work.details_url)
        folds.append(_fold("What the agent said", said) if said else "")
    return folds


def _tried(work: WorkView, words: Words, room: int) -> str:
    entries: list[str] = []
    for failure in reversed(work.failures[-_MOST_FAILURES:]):
        entry = f"- Attempt {failure.attempt}: {words.line(failure.reason)}"
        room -= size(entry) + 2
        if room < 0:
            break
        entries.append(entry)
    return _fold("What was tried", "\n".join(reversed(entries))) if entries else ""


def _fold(summary: str, content: str) -> str:
    return f"<details>\n<summary>{summary}</summary>\n\n{content}\n\n</details>"
